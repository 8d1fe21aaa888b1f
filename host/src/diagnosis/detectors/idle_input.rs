//! Inputs that are always silent, or that never matter.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(explored) = &evidence.explored else { return Vec::new() };
    let is_answered = |input: usize| !evidence.outputs[input].is_empty();
    let states = explored.states;
    let idle = explored.is_idle.iter().enumerate().filter_map(|(input, &is_idle)| {
        let name = format!("`{}`", evidence.input(input));
        let text = match (is_answered(input), is_idle) {
            (false, true) => format!(
                "{name} was never answered and changed nothing in any of {states} states: is it sent as \
                 the device wants it? If it is, leave it out"
            ),
            (false, false) => {
                format!("{name} was never answered, though it changes the device's state")
            }
            // With one state, no input can change anything.
            (true, true) if states > 1 => format!(
                "{name} had the same answer in all of {states} states and changed none of them: leave it \
                 out, or give it what makes it matter"
            ),
            _ => return None,
        };
        Some(Finding::possible(FindingKind::IdleInput, text))
    });
    // A device that never answers has a finding of its own.
    if (0..evidence.outputs.len()).any(is_answered) { idle.collect() } else { Vec::new() }
}
