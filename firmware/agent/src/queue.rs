//! The symbols that wait to be asked.

use heapless::{Deque, Vec};
use mealybug_core::wire::words::MAX_SYMBOLS;

/// Frames of symbols, in the order in which they came.
#[derive(Debug)]
pub(crate) struct Queue<const FRAMES: usize> {
    frames: Deque<Vec<u8, MAX_SYMBOLS>, FRAMES>,
    /// The next symbol of the first frame.
    at: usize,
}

/// There is no room for another frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl<const FRAMES: usize> Queue<FRAMES> {
    pub(crate) const fn new() -> Self {
        Self { frames: Deque::new(), at: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.at = 0;
    }

    /// Adds a frame. A frame without symbols takes no place.
    pub(crate) fn push(&mut self, symbols: &[u8]) -> Result<(), Full> {
        if symbols.is_empty() {
            return Ok(());
        }
        let frame = Vec::from_slice(symbols).map_err(|_| Full)?;
        self.frames.push_back(frame).map_err(|_| Full)
    }

    /// Takes the next symbol and tells whether it is the last of its frame.
    pub(crate) fn pop(&mut self) -> Option<(u8, bool)> {
        let frame = self.frames.front()?;
        let symbol = *frame.get(self.at)?;
        self.at += 1;
        let is_last = self.at >= frame.len();
        if is_last {
            self.frames.pop_front();
            self.at = 0;
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
