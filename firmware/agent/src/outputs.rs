//! The outputs that a host knows, and their numbers.

use heapless::Vec;
use mealybug_core::wire::words::MAX_OUTPUTS;

/// How many bytes all outputs together may have.
const MAX_TEXT: usize = 4096;

/// Outputs in the order of their first appearance.
#[derive(Debug)]
pub(crate) struct KnownOutputs {
    text: Vec<u8, MAX_TEXT>,
    /// Where each output ends in the text; the next one begins there.
    ends: Vec<u16, MAX_OUTPUTS>,
}

/// The number of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbered {
    /// The output has appeared before.
    Known(u8),
    /// The output is new.
    New(u8),
}

impl KnownOutputs {
    pub(crate) const fn new() -> Self {
        Self { text: Vec::new(), ends: Vec::new() }
    }

    /// Keeps the first `count` outputs and forgets the others.
    pub(crate) fn keep(&mut self, count: u32) {
        self.ends.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        self.text.truncate(self.ends.last().copied().unwrap_or_default().into());
    }

    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }

    /// The number of an output; `None` when it is new and there is no room for it.
    pub(crate) fn number(&mut self, output: &[u8]) -> Option<Numbered> {
        let mut start = 0;
        for (number, &end) in (0..=u8::MAX).zip(&self.ends) {
            let end = usize::from(end);
            if self.text.get(start..end) == Some(output) {
                return Some(Numbered::Known(number));
            }
            start = end;
        }
        let number = u8::try_from(self.ends.len()).ok()?;
        self.text.extend_from_slice(output).ok()?;
        // There is room for the number, and the text is short enough.
        self.ends.push(u16::try_from(self.text.len()).ok()?).ok()?;
        Some(Numbered::New(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_numbered_in_the_order_of_their_first_appearance() {
        let mut outputs = KnownOutputs::new();
        for _ in 0..2 {
            for (number, output) in (0..).zip([&b"ab"[..], b"", b"a", b"b"]) {
                assert_eq!(outputs.number(output), Some(Numbered::New(number)));
            }
            for (number, output) in (0..).zip([&b"ab"[..], b"", b"a", b"b"]) {
                assert_eq!(outputs.number(output), Some(Numbered::Known(number)));
            }
            outputs.keep(2);
            assert_eq!(outputs.number(b"b"), Some(Numbered::New(2)));
            assert_eq!(outputs.number(b"ab"), Some(Numbered::Known(0)));
            outputs.keep(9);
            assert_eq!(outputs.count(), 3);
            outputs.keep(0);
        }
    }

    #[test]
    fn so_many_fit_and_no_more() {
        let mut outputs = KnownOutputs::new();
        for number in 0..=u8::MAX {
            assert_eq!(outputs.number(&[number]), Some(Numbered::New(number)));
        }
        assert_eq!(outputs.number(b"one more"), None);
        assert_eq!(outputs.number(&[255]), Some(Numbered::Known(255)));

        outputs.keep(0);
        assert_eq!(outputs.number(&[0; MAX_TEXT - 1]), Some(Numbered::New(0)));
        assert_eq!(outputs.number(b"xy"), None);
        assert_eq!(outputs.number(b"x"), Some(Numbered::New(1)));
        assert_eq!(outputs.number(b"y"), None);
    }
}
