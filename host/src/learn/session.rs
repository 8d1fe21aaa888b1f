//! The session of a run, in memory that can grow.

use mealybug_core::{AnyLearner, CapacityError, Options, Session, SessionError};

/// The session of the host: its memory can grow, and its options choose the learner.
pub type HostSession = Session<Vec<u32>, AnyLearner>;

/// A session that has asked nothing yet, for a device with inputs `0..inputs`.
///
/// # Errors
/// As [`Session::new`].
pub fn new_session(
    memory: Vec<u32>,
    inputs: u32,
    options: Options,
) -> Result<HostSession, SessionError> {
    Session::with_learner(memory, AnyLearner::new(inputs, &options), options)
}

/// The memory of a new session.
pub const FIRST_MEMORY_BYTES: usize = 16 * 1024;

/// Moves `session` into twice its memory, or into as much as it needs if that is more.
///
/// # Errors
/// It needs more than `limit_bytes`. The session is then unchanged.
pub fn grow(
    session: &mut HostSession,
    limit_bytes: usize,
    error: CapacityError,
) -> Result<(), CapacityError> {
    let memory = larger_memory(session.capacity_bytes(), limit_bytes, error)?;
    session.move_into(memory).map(drop).map_err(|_| error)
}

/// Allocates twice the memory, or as much as is needed if that is more.
///
/// # Errors
/// The session needs more than `limit_bytes`.
pub(crate) fn larger_memory(
    capacity_bytes: usize,
    limit_bytes: usize,
    error: CapacityError,
) -> Result<Vec<u32>, CapacityError> {
    let wanted = capacity_bytes.saturating_mul(2).max(error.needed).min(limit_bytes);
    let words = wanted / size_of::<u32>();
    if words * size_of::<u32>() <= capacity_bytes || error.needed > limit_bytes {
        return Err(error);
    }
    Ok(vec![0; words])
}

/// Says which share of the device's answers is wrong: tests are then shorter. 0 is a device that is never
/// wrong.
pub fn set_noise(session: &mut HostSession, share: f64) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    session.set_noise((1.0 / share).round() as u32);
}
