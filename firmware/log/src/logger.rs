//! defmt's global logger.

use core::cell::RefCell;

use critical_section::{Mutex, RestoreState};

use crate::LogPiece;
use crate::buffer::Buffer;

/// The memory that the logger takes, in bytes.
pub(crate) const RAM_BYTES: usize = size_of::<Mutex<RefCell<Log>>>();

static LOG: Mutex<RefCell<Log>> = Mutex::new(RefCell::new(Log {
    encoder: defmt::Encoder::new(),
    buffer: Buffer::new(),
    depth: 0,
    restore: RestoreState::invalid(),
}));

/// The messages logged, and the one in progress.
pub(crate) struct Log {
    encoder: defmt::Encoder,
    buffer: Buffer,
    /// How many messages are being written: 1, or more when formatting a value logs.
    depth: u32,
    /// The interrupt state before the message.
    restore: RestoreState,
}

/// Takes as much of the log as fits into a piece.
pub(crate) fn take() -> Option<LogPiece> {
    let lost = with(|log| log.buffer.lost());
    if lost > 0 {
        crate::warn!("{=u32} messages of this log were lost: there was no room for them", lost);
    }
    with(|log| log.buffer.take())
}

/// Lends the log out. Nobody else can hold it: interrupts are held back, and no `work` calls
/// `with`.
fn with<T: Default>(work: impl FnOnce(&mut Log) -> T) -> T {
    critical_section::with(|section| {
        LOG.borrow(section).try_borrow_mut().map(|mut log| work(&mut log)).unwrap_or_default()
    })
}

#[defmt::global_logger]
struct Logger;

// SAFETY:
// - `acquire` holds interrupts back, so nobody else logs until `release`.
// - the shared state is behind a mutex.
unsafe impl defmt::Logger for Logger {
    fn acquire() {
        // SAFETY: the outermost message is released in `release`, a nested one below.
        let restore = unsafe { critical_section::acquire() };
        let is_first = with(|log| {
            log.depth += 1;
            if log.depth == 1 {
                log.restore = restore;
                let Log { encoder, buffer, .. } = log;
                encoder.start_frame(|bytes| buffer.write(bytes));
            } else {
                // A nested message would land inside the outer one, and a logger must not panic.
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
        // A log call never waits.
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
