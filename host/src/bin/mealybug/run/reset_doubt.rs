//! What a run says of answers that came at first and never again: its reset may not clear everything.

use mealybug::diagnosis::LastingChange;
use mealybug::learned_components::output_name;
use mealybug::short_output::short_both;
use mealybug::statistics::number;
use mealybug::store::{AnswerTree, GoneAnswer, NodeId, gone_answers};
use mealybug::word;
use mealybug_core::Input;

use crate::endpoint::Means;
use crate::files::change_file::ChangeFile;
use crate::run::failure::times;

/// How many words had an answer at first that never came again, and what to say of them.
#[derive(Debug, Default)]
pub(crate) struct ResetDoubt {
    pub(crate) words: u64,
    pub(crate) text: Option<String>,
    /// What has changed.
    change: Option<LastingChange>,
}

impl ResetDoubt {
    /// Looks for such words in all answers of a run. `is_silence` says which outputs mean that nothing came: where that was the
    /// only other answer, and came once, the reply was most likely late, which is no doubt about the reset.
    pub(crate) fn find(
        answers: &AnswerTree,
        names: &[String],
        means: Means,
        is_silence: impl Fn(Input, &str) -> bool,
    ) -> Self {
        let is_silent = |word: &GoneAnswer, output: &[u8]| {
            let (_, input) = answers.origin(word.now);
            is_silence(input, &output_name(output))
        };
        let was_late = |word: &GoneAnswer| {
            let others: Vec<_> = answers.alternatives(word.now).skip(1).collect();
            matches!(others[..], [(output, 1)] if is_silent(word, output))
        };
        let (late, gone): (Vec<_>, Vec<_>) = gone_answers(answers).into_iter().partition(was_late);
        let shortest = |words: &[GoneAnswer]| {
            words.iter().copied().min_by_key(|word| answers.word(word.now).len())
        };
        let Some(word) = shortest(&gone) else {
            let text = shortest(&late).map(|word| {
                format!(
                    "the word `{}` ended with silence at first, and with an answer ever since: that reply was most \
                     likely late. A longer `within_ms` keeps this from happening again",
                    word::format(&answers.word(word.now), names)
                )
            });
            return Self { text, ..Self::default() };
        };
        // An answer says more than a silence.
        let others = answers.alternatives(word.now).skip(1);
        let very_first = (answers.output(word.first), answers.votes(word.first));
        let (first, firsts) =
            others.filter(|(output, _)| !is_silent(&word, output)).last().unwrap_or(very_first);
        let count = answers.votes(word.now);
        let first_times = match firsts {
            _ if first != very_first.0 => format!("{} at first", times(firsts)),
            1 => "the first time".to_owned(),
            more => format!("the first {} times", number(more)),
        };
        let why = match firsts {
            1 => {
                "Either that one answer was garbled, or the device said it unasked, or the reset does not clear everything"
            }
            _ => "Most likely the reset does not clear everything",
        };
        let (before, since) = (output_name(first), output_name(answers.output(word.now)));
        let [first, now] = short_both([&before, &since]);
        let more = match gone.len() - 1 {
            0 => String::new(),
            1 => " (1 more word is like it)".to_owned(),
            more => format!(" ({more} more words are like it)"),
        };
        let text = format!(
            "the word `{}` ended with `{first}` {first_times} and with `{now}` {} since{more}. {why}; then {}",
            word::format(&answers.word(word.now), names),
            times(count),
            how_to_restore(&first, means)
        );
        let is_certain = gone.len() > 1 || firsts > 1;
        let word = answers.word(word.now);
        let change = Some(LastingChange { word, before, since, is_certain });
        Self { words: gone.len() as u64, text: Some(text), change }
    }

    /// Keeps what has changed for the next check and run, or else doubts what an earlier one has seen: that a word had another answer
    /// before, of which this run knows nothing.
    pub(crate) fn with_known(
        self,
        known: &ChangeFile,
        answers: &AnswerTree,
        names: &[String],
        means: Means,
    ) -> Self {
        if let Some(change) = &self.change {
            known.keep(change, names);
            return self;
        }
        let Some(change) = known.read(names) else { return self };
        let outputs = outputs_of(&change.word, answers);
        if outputs.contains(&change.before) {
            known.forget();
        }
        let stands = outputs.first() == Some(&change.since) && !outputs.contains(&change.before);
        let Some(path) = known.path().filter(|_| stands) else { return self };
        let LastingChange { word, before, since, is_certain } = change;
        let [before, since] = short_both([&before, &since]);
        let either = match is_certain {
            true => "",
            false => "either that one answer was garbled, or the device said it unasked, or ",
        };
        let text = format!(
            "the word `{}` ends with `{since}`, and ended with `{before}` at first in an earlier check or run, of this device or of \
             another one here: {either}the reset does not clear everything, and {}. If that answer was a fault, or the device may stay \
             as it is, delete {}",
            word::format(&word, names),
            how_to_restore(&before, means),
            path.display()
        );
        Self { words: 1, text: Some(text), change: None }
    }
}

/// What to do to get this answer back.
fn how_to_restore(first: &str, means: Means) -> String {
    let (reset, how) = match means.has_file {
        true => (
            "a [[reset]]",
            "by a new connection (`{ reconnect = true }`), a pulse on a line or a power cycle, whichever it does not do yet; if not, it \
             must send what sets it back",
        ),
        false => ("the reset", "restart the program and clear its files"),
    };
    format!(
        "the model shows the device only as it is since. Switch it off and on and ask the word again (mealybug try): if `{first}` is \
         back, {reset} must do as much: {how}"
    )
}

/// The answers to the last input of a word, the believed one first; none if it was not asked.
fn outputs_of(word: &[Input], answers: &AnswerTree) -> Vec<String> {
    let step = |node: NodeId, input: &Input| answers.answer(node, *input);
    match word.iter().try_fold(NodeId::ROOT, step) {
        Some(answer) if !word.is_empty() => {
            answers.alternatives(answer).map(|(output, _)| output_name(output)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_and_what_to_do_are_told() {
        let mut answers = AnswerTree::default();
        for output in ["safe", "BANG", "BANG", "BANG"] {
            answers.observe(NodeId::ROOT, Input::new(1), output.as_bytes(), 0);
        }
        let names = ["arm", "pull"].map(str::to_owned);
        for has_file in [true, false] {
            let means = Means { has_file, can_be_checked: true, drops_late: false };
            let doubt = ResetDoubt::find(&answers, &names, means, |_, _| false);
            let text = doubt.text.expect("a doubt");
            let start =
                "the word `pull` ended with `safe` the first time and with `BANG` 3 times since.";
            assert!(doubt.words == 1 && text.starts_with(start), "{text}");
            assert_eq!(text.contains("{ reconnect = true }"), has_file, "{text}");
            let doubt = ResetDoubt::find(&answers, &names, means, |_, output| output == "safe");
            let text = doubt.text.expect("advice");
            assert!(
                doubt.words == 0 && text.contains("`pull` ended with silence at first"),
                "{text}"
            );
        }
    }

    #[test]
    fn one_silence_is_a_late_reply_and_several_are_a_doubt() {
        let doubt = |outputs: &[&str]| {
            let mut answers = AnswerTree::default();
            for output in outputs {
                answers.observe(NodeId::ROOT, Input::new(0), output.as_bytes(), 0);
            }
            let means = Means { has_file: true, can_be_checked: true, drops_late: false };
            ResetDoubt::find(&answers, &["pull".to_owned()], means, |_, output| output.is_empty())
        };
        let late = doubt(&["", "no", "no"]);
        assert_eq!(late.words, 0);
        for (outputs, first) in [
            (&["", "", "", "no", "no", "no", "no"][..], "the first 3 times"),
            (&["", "done", "no", "no", "no"], "with `done` once at first"),
        ] {
            let doubt = doubt(outputs);
            let text = doubt.text.expect("a doubt");
            assert!(doubt.words == 1 && text.contains(first), "{text}");
        }
    }
}
