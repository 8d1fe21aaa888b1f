//! A state in which the device says nothing any more: one that the check met, or one in which waiting takes much of the time of
//! a run.

use std::time::Duration;

use mealybug_core::Input;

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

/// Report this if at least this much time was spent in repeated silence...
const EATEN: Duration = Duration::from_secs(20);
/// ...and it is at least one part in this many of the whole time.
const EATEN_PART: u32 = 4;
/// A shorter time-out stays this many times longer than the slowest answer.
const MARGIN: u32 = 4;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let text = match &evidence.explored {
        _ if !evidence.is_answered() => None,
        Some(explored) => explored.dead.as_deref().map(|word| {
            let word = evidence.shown(word);
            format!("after `{word}` the device answers no input, and no input leaves this state")
        }),
        None => slow(evidence),
    };
    let led = text.map(|text| format!("{text}. {}", advice(evidence)));
    let text = led.or_else(|| silent_before(evidence));
    text.map(|text| Finding::possible(FindingKind::DeadState, text)).into_iter().collect()
}

/// The word after which much of a run's time is spent on silence, the part of the time in percent, and the inputs that were not
/// sent there.
struct SlowSilence<'e> {
    word: &'e [Input],
    percent: f64,
    untried: Vec<String>,
}

impl<'e> SlowSilence<'e> {
    fn of(evidence: &'e Evidence) -> Option<Self> {
        let (eaten, spent) = (evidence.silence.eaten, evidence.spent);
        if eaten < EATEN || eaten * EATEN_PART < spent {
            return None;
        }
        // The device has answered after every word that seemed to lead to such a state.
        let word = evidence.silence.dead.as_deref()?;
        let percent = eaten.as_secs_f64() / spent.as_secs_f64() * 100.0;
        let is_tried = |number: &usize| {
            evidence.silence.tried.iter().any(|input| input.index() as usize == *number)
        };
        let untried = (0..evidence.outputs.len()).filter(|number| !is_tried(number));
        let untried = untried.map(|number| format!("`{}`", evidence.input(number))).collect();
        Some(Self { word, percent, untried })
    }

    /// Whether the inputs that were sent there are known to be silent before the last input of the word, too.
    fn is_before(&self, evidence: &Evidence) -> bool {
        let before = &self.word[..self.word.len() - 1];
        evidence.silence.tried.iter().all(|input| {
            let runs = evidence.runs(&[before, &[*input]].concat());
            !runs.is_empty() && runs.iter().all(|run| run.is_silence)
        })
    }
}

/// What to say where the device was silent before, too: no input leads there.
fn silent_before(evidence: &Evidence) -> Option<String> {
    let silence = SlowSilence::of(evidence).filter(|it| it.is_before(evidence))?;
    if evidence.explored.is_some() || !evidence.is_answered() {
        return None;
    }
    let tried = evidence.silence.tried.iter();
    let tried: Vec<_> =
        tried.map(|input| format!("`{}`", evidence.input(input.index() as usize))).collect();
    let cheaper = cheaper(evidence).map_or(String::new(), |cheaper| format!(". A {cheaper}"));
    Some(format!(
        "{:.0} % of the time is spent waiting for answers that do not come: {} is not answered, whether the last input of `{}` \
         was sent before or not{cheaper}",
        silence.percent,
        tried.join(" or "),
        evidence.shown(silence.word)
    ))
}

/// A silent state that takes much of a run's time.
fn slow(evidence: &Evidence) -> Option<String> {
    let silence = SlowSilence::of(evidence).filter(|it| !it.is_before(evidence))?;
    let still = match &silence.untried[..] {
        [] => String::new(),
        [one] => format!("; {one} was not sent there yet"),
        several => format!("; {} were not sent there yet", several.join(", ")),
    };
    Some(format!(
        "{:.0} % of the time is spent waiting for answers that do not come: after `{}` the device says nothing any more{still}",
        silence.percent,
        evidence.shown(silence.word)
    ))
}

/// What to do about such a state. A time-out that an answer nearly needs must not be shorter.
fn advice(evidence: &Evidence) -> String {
    let cheaper = match cheaper(evidence) {
        Some(cheaper) => format!("a {cheaper}; or leave"),
        None => "leave".to_owned(),
    };
    format!(
        "Does it wait for something that no input sends, such as the line that ends a text? Then add an input that sends it. \
         Does it come back by itself after a while? Then add an input that waits, such as {{ wait_ms = 10000 }}. If not, {cheaper} out the input that leads there"
    )
}

/// That a shorter time-out helps, if no answer nearly needs the time.
fn cheaper(evidence: &Evidence) -> Option<String> {
    let (count, longest) = (evidence.answered.count, evidence.answered.longest);
    (evidence.silence.longest > longest * MARGIN).then(|| {
        format!(
            "shorter `within_ms` makes each of its silences cheaper (the slowest of {count} answers so far took {} ms)",
            longest.as_millis()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::evidence::Answer;
    use super::*;

    /// What is said of words of `a` and `b` that are silent; `on` is answered, and so is `b` after a reset, or not.
    fn said(is_answered: bool) -> String {
        let names = ["a", "b", "on"].map(str::to_owned);
        let mut evidence = Evidence::of_check(&names, None);
        for word in [&[2][..], &[0], &[1], &[0, 1, 1, 1, 0, 0, 1, 1]] {
            evidence.reset(Duration::ZERO);
            for &input in word {
                let is_silence = !(*word == [2] || *word == [1] && is_answered);
                let output = if is_silence { "(silence)" } else { "ok" };
                let took = Duration::from_secs(if is_silence { 4 } else { 0 });
                evidence
                    .answer(&Answer { input: Input::new(input), output, is_silence, took }, None);
            }
        }
        let [finding] = &find(&evidence)[..] else { panic!("one finding") };
        finding.text.clone()
    }

    #[test]
    fn an_input_is_not_blamed_for_a_silence_that_was_there_before_it() {
        assert!(
            said(true).contains("after `a` the device says nothing any more"),
            "{}",
            said(true)
        );
        assert!(said(true).contains("add an input that waits, such as { wait_ms = 10000 }"));
        let before = said(false);
        let part =
            "`b` is not answered, whether the last input of `a` was sent before or not. A shorter";
        assert!(before.contains(part) && !before.contains("leave out"), "{before}");
    }
}
