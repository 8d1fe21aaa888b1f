//! A number in answers that goes up by one each time an input is sent, over all resets: the device counts the input, or keeps
//! something of it.

use mealybug_core::Input;
use regex::bytes::Regex;

use super::super::evidence::Evidence;
use super::super::field::{FieldShape, taken_out};

/// Fewer answers may go up so by chance.
const ENOUGH: usize = 5;
/// More answers show nothing more.
const AT_MOST: usize = 50;

/// The input that the field of the answers to a word counts; its last one if there are several.
pub(super) fn counted_input(
    evidence: &Evidence,
    word: &[Input],
    shape: &FieldShape,
) -> Option<Input> {
    let regex = Regex::new(&shape.rule().pattern).ok()?;
    let value = |reply: &[u8]| -> Option<i64> {
        let [field] = taken_out(&regex, reply)?[..] else { return None };
        std::str::from_utf8(field).ok()?.parse().ok()
    };
    let runs = evidence.runs(word).iter().take(AT_MOST);
    let values = runs.map(|run| Some((run.number as usize, value(&run.reply)?)));
    let values: Vec<_> = values.collect::<Option<_>>()?;
    if values.len() < ENOUGH {
        return None;
    }
    let counts = |input: Input| {
        let times =
            |words: &[Vec<Input>]| words.iter().flatten().filter(|it| **it == input).count();
        let asked = evidence.asked();
        let (mut sent, mut upto, mut first) = (0, 0, None);
        values.iter().all(|&(number, value)| {
            sent += times(asked.get(upto..number).unwrap_or_default());
            upto = upto.max(number);
            let ahead = i64::try_from(sent).ok().and_then(|sent| value.checked_sub(sent));
            ahead.is_some() && *first.get_or_insert(ahead) == ahead
        })
    };
    let inputs = (0..).map(Input::new).take(evidence.names().len());
    word.last().copied().into_iter().chain(inputs).find(|input| counts(*input))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::evidence::Answer;
    use super::super::super::field::ChangingField;
    use super::*;

    /// The input that the first input's answers count, if these are the words, with the answer to the first input each time.
    fn counted(words: &[(&[u32], &str)]) -> Option<u32> {
        let names = ["put", "get", "noop"].map(str::to_owned);
        let mut evidence = Evidence::of_check(&names, None);
        for (word, output) in words {
            evidence.reset(Duration::ZERO);
            for input in *word {
                let output = if *input == 0 { output } else { "ok" };
                let took = Duration::ZERO;
                let answer = Answer { input: Input::new(*input), output, is_silence: false, took };
                evidence.answer(&answer, None);
            }
        }
        evidence.reset(Duration::ZERO);
        let word = [Input::new(0)];
        let replies: Vec<_> = evidence.runs(&word).iter().map(|run| run.reply.as_slice()).collect();
        let field = ChangingField::find(&replies).expect("a field");
        counted_input(&evidence, &word, &field.shape).map(Input::index)
    }

    #[test]
    fn the_number_goes_up_with_the_input_and_with_nothing_else() {
        let put: &[u32] = &[0];
        let words = [(put, "at 4"), (&[0, 1], "at 5"), (put, "at 6"), (put, "at 7"), (put, "at 8")];
        assert_eq!(counted(&words), Some(0));
        assert_eq!(counted(&words[..4]), None, "four answers may do so by chance");
        // A second input between two of them, or a clock.
        let other = [(put, "at 4"), (&[0, 1], "at 5"), (put, "at 7"), (put, "at 8"), (put, "at 9")];
        assert_eq!(counted(&other), None);
        let get: &[u32] = &[1];
        let words = [
            (put, "at 4"),
            (get, ""),
            (get, ""),
            (put, "at 6"),
            (put, "at 6"),
            (get, ""),
            (put, "at 7"),
            (&[2, 1], ""),
            (put, "at 8"),
            (&[1, 1, 2, 1], ""),
            (put, "at 11"),
        ];
        assert_eq!(counted(&words), Some(1));
    }
}
