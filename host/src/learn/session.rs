//! The session of a run: in memory that grows.

use mealybug_core::{AnyLearner, CapacityError, Options, Session, SessionError};

/// A session as the host has it: its memory can grow, and its options say with which learner.
pub type HostSession = Session<Vec<u32>, AnyLearner>;

/// A session that has asked nothing yet, for a device with inputs `0..inputs`.
///
/// # Errors
/// As of [`Session::new`].
pub fn new_session(
    memory: Vec<u32>,
    inputs: u32,
    options: Options,
) -> Result<HostSession, SessionError> {
    Session::with_learner(memory, AnyLearner::new(inputs, &options), options)
}

/// How much memory a session begins with.
pub const FIRST_MEMORY_BYTES: usize = 16 * 1024;

/// Moves `session` into twice the memory that it has, or into what it needs if that is more.
///
/// # Errors
/// It needs more than `limit_bytes`; it stays where it is.
pub fn grow(
    session: &mut HostSession,
    limit_bytes: usize,
    error: CapacityError,
) -> Result<(), CapacityError> {
    let memory = larger_memory(session.capacity_bytes(), limit_bytes, error)?;
    session.move_into(memory).map(drop).map_err(|_| error)
}

/// Twice as much memory, or as much as is needed if that is more.
///
/// # Errors
/// More than `limit_bytes` is needed.
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
