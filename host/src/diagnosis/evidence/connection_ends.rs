//! Words at whose end the connection ended.

use mealybug_core::Input;

use super::Evidence;

impl Evidence {
    /// Records that the connection ended after the last input of this word. Returns how often it did after this input.
    pub(in super::super) fn end(&mut self, word: Vec<Input>) -> u32 {
        let Some(last) = word.last() else { return 0 };
        let (_, count) = self.ends.entry(last.index() as usize).or_insert((word, 0));
        *count += 1;
        *count
    }

    /// A word at whose last input, which is this one, the connection ended. That happened at least twice.
    pub(in super::super) fn end_after(&self, input: Input) -> Option<&[Input]> {
        let (word, count) = self.ends.get(&(input.index() as usize))?;
        (*count > 1).then_some(word)
    }

    /// How often the connection ended after an input.
    pub(in super::super) fn ends(&self) -> u32 {
        self.ends.values().map(|(_, count)| count).sum()
    }
}
