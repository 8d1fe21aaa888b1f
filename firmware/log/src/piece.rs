//! A piece of the log, for one message to the host.

use core::ops::Deref;

use mealybug_core::wire::message::MAX_PART;

/// Some complete messages of the log, so a host that misses a piece can read the next.
#[derive(Clone, Copy, Debug)]
pub struct LogPiece {
    bytes: [u8; MAX_PART],
    len: usize,
}

impl LogPiece {
    /// The bytes that `next` returns, until it has no more or the piece is full.
    #[cfg(any(feature = "defmt", test))]
    pub(crate) fn of(mut next: impl FnMut() -> Option<u8>) -> Self {
        let mut piece = Self { bytes: [0; MAX_PART], len: 0 };
        for place in &mut piece.bytes {
            let Some(byte) = next() else { break };
            *place = byte;
            piece.len += 1;
        }
        piece
    }
}

impl Deref for LogPiece {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }
}
