//! What a hypothesis answers to the word that is being asked.

use mealybug_core::{Hypothesis, Input, Mealy, Output};

/// A word, followed in the hypothesis of a session.
///
/// PERF: a test is compared with the hypothesis at each of its inputs. Following its word from the start each time took half
/// of the time of a run with many wrong answers.
#[derive(Debug, Default)]
pub(super) struct Foreseen {
    word: Vec<Input>,
    state: Vec<u32>,
    /// The output to the last input, if the hypothesis has one.
    output: Option<Output>,
}

impl Foreseen {
    /// Begins with another word, or with the word of another hypothesis.
    pub(super) fn clear(&mut self) {
        self.word.clear();
        self.output = None;
    }

    /// Goes on with this input.
    pub(super) fn follow(&mut self, hypothesis: Hypothesis<'_>, input: Input) {
        if self.word.is_empty() {
            self.state.clear();
            self.state.extend(hypothesis.components().map(|component| component.initial()));
        }
        self.word.push(input);
        self.output = hypothesis.step(&mut self.state, input).ok();
    }

    /// Whether the hypothesis has this output at the end of the word that was followed.
    pub(super) fn ends_with(&self, hypothesis: Hypothesis<'_>, output: &[u8]) -> bool {
        self.output.is_some_and(|foreseen| hypothesis.output_name(foreseen) == output)
    }

    /// Whether the hypothesis has this output at the end of `word`.
    pub(super) fn predicts(
        &mut self,
        hypothesis: Hypothesis<'_>,
        word: &[Input],
        output: &[u8],
    ) -> bool {
        if !word.starts_with(&self.word) {
            self.clear();
        }
        let rest = &word[self.word.len()..];
        rest.iter().for_each(|&input| self.follow(hypothesis, input));
        self.ends_with(hypothesis, output)
    }
}
