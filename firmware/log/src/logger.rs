//! defmt's global logger.

use core::cell::RefCell;

use critical_section::{Mutex, RestoreState};

use crate::Piece;
use crate::buffer::Buffer;

/// The memory that it takes, in bytes.
pub(crate) const RAM_BYTES: usize = size_of::<Mutex<RefCell<Log>>>();

static LOG: Mutex<RefCell<Log>> = Mutex::new(RefCell::new(Log {
    encoder: defmt::Encoder::new(),
    buffer: Buffer::new(),
    depth: 0,
    restore: RestoreState::invalid(),
}));

/// What was logged, and what is being logged.
pub(crate) struct Log {
    encoder: defmt::Encoder,
    buffer: Buffer,
    /// How many messages are being written: 1, or more where one logs while it is formatted.
    depth: u32,
    /// How interrupts were before.
    restore: RestoreState,
}

/// Takes as much of what was logged as fits into a piece.
pub(crate) fn take() -> Option<Piece> {
    let lost = with(|log| log.buffer.lost());
    if lost > 0 {
        crate::warn!("{=u32} messages of this log were lost: there was no room for them", lost);
    }
    with(|log| log.buffer.take())
}

/// Lends the log out, from which nobody else has it: not while interrupts are held back, and nothing
/// below calls back.
fn with<T: Default>(work: impl FnOnce(&mut Log) -> T) -> T {
    critical_section::with(|section| {
        LOG.borrow(section).try_borrow_mut().map(|mut log| work(&mut log)).unwrap_or_default()
    })
}

#[defmt::global_logger]
struct Logger;

// SAFETY:
// - `acquire` holds interrupts back, so that nobody else logs until `release`.
// - what is shared is behind a mutex.
unsafe impl defmt::Logger for Logger {
    fn acquire() {
        // SAFETY: released in `release` if it is the first, and below if it is within another.
        let restore = unsafe { critical_section::acquire() };
        let is_first = with(|log| {
            log.depth += 1;
            if log.depth == 1 {
                log.restore = restore;
                let Log { encoder, buffer, .. } = log;
                encoder.start_frame(|bytes| buffer.write(bytes));
            } else {
                // It would stand in the midst of the other, and a logger must not panic here.
                log.buffer.lose();
            }
            log.depth == 1
        });
        if !is_first {
            // SAFETY: acquired above.
            unsafe { critical_section::release(restore) };
        }
    }

    unsafe fn flush() {
        // Who logs never waits.
    }

    unsafe fn release() {
        let restore = with(|log| {
            log.depth = log.depth.saturating_sub(1);
            let Log { encoder, buffer, depth, restore } = log;
            (*depth == 0).then(|| {
                encoder.end_frame(|bytes| buffer.write(bytes));
                buffer.end();
                *restore
            })
        });
        if let Some(restore) = restore {
            // SAFETY: acquired by the first `acquire`.
            unsafe { critical_section::release(restore) };
        }
    }

    unsafe fn write(bytes: &[u8]) {
        with(|log| {
            let Log { encoder, buffer, depth, .. } = log;
            if *depth == 1 {
                encoder.write(bytes, |bytes| buffer.write(bytes));
            }
        });
    }
}
