//! A state in which the device says nothing any more: one that the check met, or one in which waiting takes much of the time of
//! a run.

use std::time::Duration;

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
        Some(explored) => explored.mute.as_deref().map(|word| {
            let word = evidence.shown(word);
            format!("after `{word}` the device answers no input, and no input leaves this state")
        }),
        None => slow(evidence),
    };
    let finding = |text| {
        let text = format!("{text}. {}", advice(evidence));
        Finding::possible(FindingKind::DeadState, text)
    };
    text.map(finding).into_iter().collect()
}

/// A silent state that takes much of a run's time.
fn slow(evidence: &Evidence) -> Option<String> {
    let (eaten, spent) = (evidence.silence.eaten, evidence.spent);
    if eaten < EATEN || eaten * EATEN_PART < spent {
        return None;
    }
    // The device has answered after every word that seemed to lead to such a state.
    let dead = evidence.shown(evidence.silence.dead.as_deref()?);
    let percent = eaten.as_secs_f64() / spent.as_secs_f64() * 100.0;
    let is_tried = |number: &usize| {
        evidence.silence.tried.iter().any(|input| input.index() as usize == *number)
    };
    let untried = (0..evidence.outputs.len()).filter(|number| !is_tried(number));
    let untried: Vec<_> = untried.map(|number| format!("`{}`", evidence.input(number))).collect();
    let still = match &untried[..] {
        [] => String::new(),
        [one] => format!("; {one} was not sent there yet"),
        several => format!("; {} were not sent there yet", several.join(", ")),
    };
    Some(format!(
        "{percent:.0} % of the time is spent waiting for answers that do not come: after `{dead}` the device says nothing any \
         more{still}"
    ))
}

/// What to do about such a state. A time-out that an answer nearly needs must not be shorter.
fn advice(evidence: &Evidence) -> String {
    let (count, longest) = (evidence.answered.count, evidence.answered.longest);
    let cheaper = match evidence.silence.longest > longest * MARGIN {
        true => format!(
            "a shorter `within_ms` makes each of its silences cheaper (the slowest of {count} answers so far took {} ms); or \
             leave",
            longest.as_millis()
        ),
        false => "leave".to_owned(),
    };
    format!(
        "Does it wait for something that no input sends, such as the line that ends a text? Then add an input that sends it. \
         If not, {cheaper} out the input that leads there"
    )
}
