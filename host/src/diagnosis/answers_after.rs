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

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers after words of one input each.
    fn after(seen: &[(u32, [&str; 2])]) -> AnswersAfter {
        let mut all = AnswersAfter::default();
        for (before, answers) in seen {
            all.push(&[Input::new(*before)], answers.map(str::to_owned));
        }
        all
    }

    #[test]
    fn answers_are_new_vary_and_are_steady() {
        for (seen, expected) in [
            (&[(0, ["a", "a"]), (1, ["b", "b"]), (2, ["c", "c"])][..], (true, true, true)),
            (&[(0, ["a", "a"]), (1, ["b", "b"]), (2, ["a", "a"])], (false, true, true)),
            (&[(0, ["a", "a"]), (1, ["a", "b"])], (false, false, false)),
            (&[(0, ["a", "a"])], (true, false, true)),
        ] {
            let all = after(seen);
            assert_eq!((all.are_all_new(), all.vary(), all.are_steady()), expected, "{seen:?}");
        }
    }

    #[test]
    fn a_word_brings_an_answer_that_was_another_one_before_it() {
        // Input 0 leaves what is there, 1 brings `on`, 2 brings `off`.
        let all = after(&[
            (2, ["off", "off"]),
            (0, ["off", "off"]),
            (1, ["on", "on"]),
            (3, ["on", "on"]),
            (0, ["on", "on"]),
        ]);
        let input = |word: Option<&Vec<Input>>| word.map(|word| word[0].index());
        assert_eq!(input(all.bringing("on")), Some(1));
        assert_eq!(input(all.bringing("off")), None, "nothing came before it");
        assert_eq!(input(all.always_before("off")), Some(2));
        assert_eq!(input(all.always_before("none")), None);
        // It came once only.
        let once = after(&[(0, ["a", "a"]), (1, ["b", "b"]), (1, ["a", "a"])]);
        assert_eq!(input(once.bringing("b")), None);
        // The second answer before it counts.
        let second = after(&[(0, ["a", "b"]), (1, ["b", "b"])]);
        assert_eq!(input(second.bringing("b")), None);
    }
}
