//! What a word is answered after other words and a reset.

use std::collections::BTreeSet;

use mealybug_core::Input;

/// What was answered to the word of a trial, asked twice after each of other words.
#[derive(Clone, Debug, Default)]
pub(super) struct AnswersAfter(Vec<AnswerAfter>);

#[derive(Clone, Debug)]
struct AnswerAfter {
    before: Vec<Input>,
    answers: [String; 2],
}

impl AnswersAfter {
    /// Adds the answers after a word.
    pub(super) fn push(&mut self, before: &[Input], answers: [String; 2]) {
        self.0.push(AnswerAfter { before: before.to_vec(), answers });
    }

    /// Whether no two of the first answers are the same.
    pub(super) fn are_all_new(&self) -> bool {
        let answers: BTreeSet<_> = self.0.iter().map(|seen| &seen.answers[0]).collect();
        answers.len() == self.0.len()
    }

    /// Whether the first answers differ.
    pub(super) fn vary(&self) -> bool {
        self.0.windows(2).any(|pair| pair[0].answers[0] != pair[1].answers[0])
    }

    /// Whether the second answer was the first one, each time.
    pub(super) fn are_steady(&self) -> bool {
        self.0.iter().all(|seen| seen.answers[0] == seen.answers[1])
    }

    /// The first of the words before which `output` came each time.
    pub(super) fn always_before<'s>(&'s self, output: &'s str) -> Option<&'s Vec<Input>> {
        self.all_before(output).next()
    }

    /// A word that brought `output` each time, once at least after another answer. What an earlier word has left stays until another
    /// one undoes it, so a word that changes nothing comes before the same answer as the word before it.
    pub(super) fn bringing<'s>(&'s self, output: &'s str) -> Option<&'s Vec<Input>> {
        let changed = |word: &[Input]| {
            let mut pairs = self.0.windows(2);
            pairs.any(|pair| pair[1].before == word && pair[0].answers[1] != output)
        };
        self.all_before(output).find(|word| changed(word))
    }

    /// The words before which `output` came each time.
    fn all_before<'s>(&'s self, output: &'s str) -> impl Iterator<Item = &'s Vec<Input>> {
        let is_always = move |word: &[Input]| {
            self.0.iter().all(|seen| seen.before != word || seen.answers[0] == output)
        };
        self.0.iter().map(|seen| &seen.before).filter(move |word| is_always(word))
    }
}
