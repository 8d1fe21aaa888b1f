//! Log messages on their way to the program that sends them.

use mealybug_core::wire::message::MAX_PART;

use crate::LogPiece;

/// How many bytes can wait.
const SIZE: usize = 512;

/// The byte after each message; no message contains it.
const END: u8 = 0;

/// Complete messages in the order of their arrival, and one that is being written.
///
/// A message that does not fit, or is longer than a piece, is dropped and counted.
// PERF: with `heapless::Deque` the logging learner has 336 bytes more of flash (45 776 and not 45 440).
pub(crate) struct Buffer {
    bytes: [u8; SIZE],
    /// Where the oldest message begins.
    start: usize,
    /// The number of bytes in complete messages.
    whole: usize,
    /// The number of bytes in the message that is being written.
    open: usize,
    /// Whether that message must be dropped.
    is_too_long: bool,
    lost: u32,
}

impl Buffer {
    pub(crate) const fn new() -> Self {
        Self { bytes: [END; SIZE], start: 0, whole: 0, open: 0, is_too_long: false, lost: 0 }
    }

    /// Appends bytes to the message that is being written.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let used = self.whole + self.open;
            let has_room = used < SIZE && self.open < MAX_PART;
            match self.bytes.get_mut((self.start + used) % SIZE) {
                Some(place) if has_room => {
                    *place = byte;
                    self.open += 1;
                }
                _ => self.is_too_long = true,
            }
        }
    }

    /// Ends the message that is being written.
    pub(crate) fn end(&mut self) {
        if core::mem::take(&mut self.is_too_long) {
            self.lose();
        } else {
            self.whole += self.open;
        }
        self.open = 0;
    }

    /// Counts a dropped message.
    pub(crate) fn lose(&mut self) {
        self.lost = self.lost.saturating_add(1);
    }

    /// The number of messages dropped since the last call; 0 until all earlier messages are taken.
    pub(crate) fn lost(&mut self) -> u32 {
        if self.whole == 0 { core::mem::take(&mut self.lost) } else { 0 }
    }

    /// Takes as many complete messages as fit into a piece.
    pub(crate) fn take(&mut self) -> Option<LogPiece> {
        let bytes = (0..self.whole.min(MAX_PART)).map_while(|at| self.byte(at));
        let mut len = bytes.enumerate().filter(|&(_, byte)| byte == END).last()?.0 + 1;
        let piece = LogPiece::of(|| {
            len = len.checked_sub(1)?;
            let byte = self.byte(0)?;
            self.start = (self.start + 1) % SIZE;
            self.whole = self.whole.saturating_sub(1);
            Some(byte)
        });
        Some(piece)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get((self.start + at) % SIZE).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn message(number: u8, len: usize) -> Vec<u8> {
        let mut message = std::vec![number; len - 1];
        message.push(END);
        message
    }

    fn write(buffer: &mut Buffer, message: &[u8]) {
        // In two parts, as defmt does.
        let (first, second) = message.split_at(message.len() / 2);
        buffer.write(first);
        buffer.write(second);
        buffer.end();
    }

    /// The bytes of all pieces.
    fn taken(buffer: &mut Buffer) -> Vec<u8> {
        let mut all = Vec::new();
        while let Some(piece) = buffer.take() {
            assert_eq!(piece.last(), Some(&END), "only whole messages");
            all.extend_from_slice(&piece);
        }
        all
    }

    /// The buffer returns what was put in, wherever a message lies in the ring.
    #[test]
    fn messages_come_out_whole_and_in_order() {
        let mut buffer = Buffer::new();
        for round in 1..=255_u8 {
            let messages: Vec<_> =
                (1..=7).map(|len| message(round, 3 * len + usize::from(round % 50))).collect();
            messages.iter().for_each(|message| write(&mut buffer, message));
            assert_eq!(taken(&mut buffer), messages.concat());
            assert_eq!(buffer.lost(), 0);
        }
    }

    #[test]
    fn what_does_not_fit_is_dropped_whole_and_counted() {
        let mut buffer = Buffer::new();
        let fits = message(1, SIZE / 8);
        (0..8).for_each(|_| write(&mut buffer, &fits));
        write(&mut buffer, &message(2, 2));
        write(&mut buffer, &message(3, 10));
        assert_eq!(buffer.lost(), 0, "not before those that came earlier are taken");
        assert_eq!(taken(&mut buffer), fits.repeat(8));
        assert_eq!((buffer.lost(), buffer.lost()), (2, 0));
    }

    #[test]
    fn a_message_is_at_most_as_long_as_a_piece() {
        let mut buffer = Buffer::new();
        write(&mut buffer, &message(1, MAX_PART));
        write(&mut buffer, &message(2, MAX_PART + 1));
        write(&mut buffer, &message(3, 5));
        assert_eq!(taken(&mut buffer), [message(1, MAX_PART), message(3, 5)].concat());
        assert_eq!(buffer.lost(), 1);
    }

    #[test]
    fn a_message_that_is_being_written_is_not_taken() {
        let mut buffer = Buffer::new();
        buffer.write(b"abc");
        assert!(buffer.take().is_none());
        buffer.write(&[END]);
        buffer.end();
        assert_eq!(taken(&mut buffer), b"abc\0");
    }
}
