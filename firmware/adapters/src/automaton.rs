//! Automata that the host compiled from patterns.

use mealybug_core::wire::rule::{ACCEPTS, DEAD};

/// An automaton over bytes; [`mealybug_core::wire::rule`] describes the layout. A damaged one
/// accepts nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Automaton<'t>(pub(crate) &'t [u8]);

/// The state in which every automaton starts.
pub(crate) const START: u16 = 0;

impl<'t> Automaton<'t> {
    /// The state that `byte` leads to.
    pub(crate) fn next(self, state: u16, byte: u8) -> u16 {
        self.find(state, byte).unwrap_or(DEAD)
    }

    /// Whether the automaton accepts a text that leads to this state.
    pub(crate) fn accepts(self, state: u16) -> bool {
        self.record(state)
            .and_then(|record| record.first())
            .is_some_and(|first| first & ACCEPTS > 0)
    }

    /// Whether the automaton accepts the whole text.
    pub(crate) fn accepts_text(self, text: &[u8]) -> bool {
        self.accepts(text.iter().fold(START, |state, &byte| self.next(state, byte)))
    }

    /// The length of the longest prefix of the text that the automaton accepts.
    pub(crate) fn accepted_len(self, text: &[u8]) -> usize {
        let (mut state, mut accepted) = (START, 0);
        for (at, &byte) in text.iter().enumerate() {
            state = self.next(state, byte);
            if state == DEAD {
                break;
            }
            if self.accepts(state) {
                accepted = at + 1;
            }
        }
        accepted
    }

    fn find(self, state: u16, byte: u8) -> Option<u16> {
        let (&[first, low, high], ranges) = self.record(state)?.split_first_chunk()?;
        let count = usize::from(first & !ACCEPTS);
        let (ranges, _) = ranges.as_chunks::<4>();
        let leads = ranges.iter().take(count).find(|[from, to, ..]| (*from..=*to).contains(&byte));
        let &[.., low, high] = leads.unwrap_or(&[0, 0, low, high]);
        Some(u16::from_le_bytes([low, high]))
    }

    fn record(self, state: u16) -> Option<&'t [u8]> {
        self.0.get(usize::from(state)..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ab*$`, anywhere in the text: state 0 before an a, state 7 after it and after each b.
    const AB: &[u8] = &[1, 0, 0, b'a', b'a', 7, 0, 0x82, 0, 0, b'a', b'b', 7, 0];

    #[test]
    fn it_walks() {
        let automaton = Automaton(AB);
        for (text, accepts) in [("", false), ("a", true), ("xab", true), ("abx", false)] {
            assert_eq!(automaton.accepts_text(text.as_bytes()), accepts, "{text}");
        }
        assert_eq!(automaton.accepted_len(b"abbx"), 3);
        assert_eq!(automaton.accepted_len(b"xxx"), 0);
    }

    #[test]
    fn a_damaged_one_accepts_nothing() {
        for len in 0..AB.len() - 4 {
            assert!(!Automaton(&AB[..len]).accepts_text(b"ab"), "{len} bytes");
        }
        assert_eq!(Automaton(AB).next(9999, b'a'), DEAD);
        assert_eq!(Automaton(AB).next(DEAD, b'a'), DEAD);
    }
}
