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

const ADVICE: &str = "Does it wait for something that no input sends, such as the line that ends a text? Then add an input \
                      that sends it";

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let explored = evidence.explored.as_ref().and_then(|explored| explored.mute.as_deref());
    if let Some(word) = explored.filter(|_| evidence.is_answered()) {
        let word = evidence.shown(word);
        let text = format!(
            "after `{word}` no input is answered, and none leads on. {ADVICE}. If the device is like that, a short \
             `within_ms` makes each word through this state cheaper"
        );
        return vec![Finding::possible(FindingKind::DeadState, text)];
    }
    slow(evidence)
}

/// A state like that in which a run waits long.
fn slow(evidence: &Evidence) -> Vec<Finding> {
    let (eaten, spent) = (evidence.silence.eaten, evidence.spent);
    let is_mute = evidence.answered.count == 0;
    if eaten < EATEN || eaten * EATEN_PART < spent || is_mute {
        return Vec::new();
    }
    // The device has answered after every word that seemed to lead to such a state.
    let Some(dead) = evidence.silence.dead.as_deref() else { return Vec::new() };
    let dead = evidence.shown(dead);
    let percent = eaten.as_secs_f64() / spent.as_secs_f64() * 100.0;
    let (count, longest) = (evidence.answered.count, evidence.answered.longest.as_millis());
    // A time-out that an answer nearly needs must not be shorter.
    let cheaper = match evidence.silence.longest > evidence.answered.longest * MARGIN {
        true => format!(
            "If the device is like that, a shorter `within_ms` makes each of them cheaper (the slowest of {count} \
             answers so far took {longest} ms); or leave"
        ),
        false => "If you do not want to learn that, leave".to_owned(),
    };
    let text = format!(
        "{percent:.0} % of the time is spent waiting for answers that do not come: after `{dead}` the \
         device says nothing any more. {ADVICE}. {cheaper} out the input that leads there"
    );
    vec![Finding::possible(FindingKind::DeadState, text)]
}
