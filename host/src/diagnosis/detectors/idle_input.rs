//! Inputs that are always silent, or that never matter.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    // Where answers differ, the input that seems idle may be the cause. Where the check had to end, few states were seen.
    let is_whole = evidence.trials.is_empty() && evidence.lost.is_none();
    let Some(explored) = evidence.explored.as_ref().filter(|_| is_whole) else {
        return Vec::new();
    };
    // An answer that came too late is none that was taken, and no silence.
    // Nor is one that was refused, as for a wrong checksum.
    let is_heard =
        |input: usize| evidence.port.as_ref().is_some_and(|port| port.replies[input].answered > 0);
    let is_answered = |input: usize| {
        !evidence.outputs[input].is_empty() || evidence.timings[input].late > 0 || is_heard(input)
    };
    // Where replies come too late, silence says little.
    let is_late = evidence.timings.iter().any(|timing| timing.late > 0);
    let states = explored.states;
    let idle = explored.is_idle.iter().enumerate().filter_map(|(input, &is_idle)| {
        let name = format!("`{}`", evidence.input(input));
        let text = match (is_answered(input), is_idle) {
            (false, _) if is_late => return None,
            // With one state, no input can change anything.
            (true, true) if states == 1 => return None,
            (false, true) if states == 1 => format!(
                "{name} was never answered: is it sent as the device wants it? If it is, leave it out"
            ),
            (false, true) => format!(
                "{name} was never answered and changed nothing in any of {states} states: is it sent as \
                 the device wants it? If it is, leave it out"
            ),
            (false, false) if evidence.has_file => format!(
                "{name} was never answered, though it changes the device's state. Each time it costs `within_ms`: a shorter \
                 one in its own `reply` saves that, or a query in the same text, such as `*OPC?` at an instrument"
            ),
            (false, false) => {
                format!("{name} was never answered, though it changes the device's state")
            }
            (true, true) => format!(
                "{name} had the same answer in all of {states} states and changed none of them: leave it \
                 out, or give it what makes it matter. (If what it sets was set before this check, and survives the reset, \
                 it looks so, too: switch the device off and on, and check again.)"
            ),
            (true, false) => return None,
        };
        Some(Finding::possible(FindingKind::IdleInput, text))
    });
    // A device that never answers has a finding of its own.
    if (0..evidence.outputs.len()).any(is_answered) { idle.collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use mealybug_core::Input;

    use super::super::super::explore::Explored;
    use super::*;

    #[test]
    fn an_input_whose_answers_came_too_late_was_answered() {
        let mut evidence = Evidence::new(&["a", "b"].map(str::to_owned), true);
        evidence.explored = Some(Explored { states: 2, is_idle: vec![false, false], mute: None });
        evidence.outputs[0].push_back(("ok".to_owned(), 1));
        let texts: Vec<_> = find(&evidence).into_iter().map(|finding| finding.text).collect();
        let [text] = &texts[..] else { panic!("{texts:?}") };
        assert!(text.starts_with("`b` was never answered, though it changes the"), "{text}");
        evidence.late(Input::new(1));
        assert!(find(&evidence).is_empty());
    }

    #[test]
    fn an_input_without_an_answer_is_told_even_if_nothing_changes_anything_unless_the_check_broke_off()
     {
        let mut evidence = Evidence::new(&["a", "b"].map(str::to_owned), true);
        evidence.explored = Some(Explored { states: 1, is_idle: vec![true, true], mute: None });
        evidence.outputs[0].push_back(("ok".to_owned(), 1));
        let texts: Vec<_> = find(&evidence).into_iter().map(|finding| finding.text).collect();
        let [text] = &texts[..] else { panic!("{texts:?}") };
        assert!(text.starts_with("`b` was never answered: is it sent"), "{text}");
        evidence.lose_device();
        assert!(find(&evidence).is_empty());
    }
}
