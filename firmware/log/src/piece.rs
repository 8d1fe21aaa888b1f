//! A piece of the log, for one message to the host.

use core::ops::Deref;

use heapless::Vec;
use mealybug_core::wire::message::MAX_PART;

/// Some complete messages of the log, so a host that misses a piece can read the next.
#[derive(Clone, Debug)]
pub struct LogPiece(Vec<u8, MAX_PART>);

impl LogPiece {
    /// The bytes that `next` returns, until it has no more or the piece is full.
    #[cfg(any(feature = "defmt", test))]
    pub(crate) fn of(mut next: impl FnMut() -> Option<u8>) -> Self {
        let mut piece = Vec::new();
        while !piece.is_full()
            && let Some(byte) = next()
        {
            // There is room.
            let _ = piece.push(byte);
        }
        Self(piece)
    }
}

impl Deref for LogPiece {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
