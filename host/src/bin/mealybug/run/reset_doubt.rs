//! What a run says of answers that came once and never again: its reset may not clear everything.

use mealybug::store::{AnswerTree, gone_answers};
use mealybug::word;

use crate::endpoint::Means;
use crate::run::failure::{shown_outputs, times};

/// How many words had a first answer that never came again, and what to say of them.
#[derive(Debug, Default)]
pub(crate) struct ResetDoubt {
    pub(crate) words: u64,
    pub(crate) text: Option<String>,
}

impl ResetDoubt {
    /// Looks for such words in all answers of a run.
    pub(crate) fn find(answers: &AnswerTree, names: &[String], means: Means) -> Self {
        let gone = gone_answers(answers);
        let shortest = gone.iter().min_by_key(|&&node| answers.word(node).len());
        let Some(&node) = shortest else { return Self::default() };
        let (outputs, votes): (Vec<_>, Vec<_>) = answers.alternatives(node).take(2).unzip();
        let shown = shown_outputs(outputs.into_iter());
        let [now, first] = &shown[..] else { return Self::default() };
        let more = match gone.len() - 1 {
            0 => String::new(),
            1 => " (1 more word is like it)".to_owned(),
            more => format!(" ({more} more words are like it)"),
        };
        let (reset, how) = match means.has_file {
            true => (
                "a [[reset]]",
                "by a new connection (`{ reconnect = true }`), a pulse on a line or a power cycle, whichever it does \
                 not do yet",
            ),
            false => ("the reset", "restart the program and clear its files"),
        };
        let text = format!(
            "the word `{}` ended with `{first}` the first time and with `{now}` {} since{more}. Either that one \
             answer was garbled, or the reset does not clear everything; then the model shows the device only as \
             it is since. Switch it off and on and ask the word again (mealybug try): if `{first}` is \
             back, {reset} must do as much: {how}",
            word::format(&answers.word(node), names),
            times(votes[0])
        );
        Self { words: gone.len() as u64, text: Some(text) }
    }
}

#[cfg(test)]
mod tests {
    use mealybug::store::NodeId;
    use mealybug_core::Input;

    use super::*;

    #[test]
    fn the_word_and_what_to_do_are_told() {
        let mut answers = AnswerTree::default();
        for output in ["safe", "BANG", "BANG", "BANG"] {
            answers.observe(NodeId::ROOT, Input::new(1), output.as_bytes(), 0);
        }
        let names = ["arm", "pull"].map(str::to_owned);
        for has_file in [true, false] {
            let means = Means { has_file, can_be_checked: true };
            let doubt = ResetDoubt::find(&answers, &names, means);
            let text = doubt.text.expect("a doubt");
            let start =
                "the word `pull` ended with `safe` the first time and with `BANG` 3 times since.";
            assert!(doubt.words == 1 && text.starts_with(start), "{text}");
            assert_eq!(text.contains("{ reconnect = true }"), has_file, "{text}");
        }
    }
}
