//! The symbols that wait to be asked.

use mealybug_core::wire::words::MAX_SYMBOLS;

/// Frames of symbols, in the order in which they came.
#[derive(Debug)]
pub(crate) struct Queue<const FRAMES: usize> {
    frames: [[u8; MAX_SYMBOLS]; FRAMES],
    lens: [usize; FRAMES],
    /// The frame whose symbols are being asked, and the next symbol in it.
    first: usize,
    at: usize,
    /// The number of frames.
    count: usize,
}

/// There is no room for another frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl<const FRAMES: usize> Queue<FRAMES> {
    pub(crate) const fn new() -> Self {
        let frames = [[0; MAX_SYMBOLS]; FRAMES];
        Self { frames, lens: [0; FRAMES], first: 0, at: 0, count: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.at = 0;
    }

    /// Adds a frame. A frame without symbols takes no place.
    pub(crate) fn push(&mut self, symbols: &[u8]) -> Result<(), Full> {
        if symbols.is_empty() {
            return Ok(());
        }
        if self.count >= FRAMES {
            return Err(Full);
        }
        let place = (self.first + self.count) % FRAMES.max(1);
        let frame = self.frames.get_mut(place).ok_or(Full)?;
        let room = frame.get_mut(..symbols.len()).ok_or(Full)?;
        for (place, symbol) in room.iter_mut().zip(symbols) {
            *place = *symbol;
        }
        *self.lens.get_mut(place).ok_or(Full)? = symbols.len();
        self.count += 1;
        Ok(())
    }

    /// Takes the next symbol and tells whether it is the last of its frame.
    pub(crate) fn pop(&mut self) -> Option<(u8, bool)> {
        if self.count == 0 {
            return None;
        }
        let symbol = *self.frames.get(self.first)?.get(self.at)?;
        self.at += 1;
        let is_last = self.lens.get(self.first).is_none_or(|len| self.at >= *len);
        if is_last {
            self.first = (self.first + 1) % FRAMES.max(1);
            self.at = 0;
            self.count -= 1;
        }
        Some((symbol, is_last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_frames_fit_and_come_out_in_order() {
        let mut queue = Queue::<3>::new();
        for round in 0..10 {
            for frame in 0..3 {
                assert_eq!(queue.push(&[round, frame]), Ok(()));
            }
            assert_eq!(queue.push(&[9]), Err(Full));
            assert_eq!(queue.push(&[]), Ok(()), "it is none");
            for frame in 0..3 {
                assert_eq!(queue.pop(), Some((round, false)));
                assert_eq!(queue.pop(), Some((frame, true)));
            }
            assert_eq!((queue.pop(), queue.is_empty()), (None, true));
            queue.push(&[1; MAX_SYMBOLS]).expect("it is the longest");
            assert_eq!(queue.push(&[1; MAX_SYMBOLS + 1]), Err(Full));
            queue.pop();
            queue.clear();
            assert_eq!(queue.pop(), None);
        }
    }
}
