//! Inputs that are always silent, or that never matter.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind, Key};
use super::super::late_action::Actor;
use super::missing_line_end::unended;
use crate::device::{InputRule, Variables};

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
    // A device that never answers has a finding of its own.
    if !(0..evidence.outputs.len()).any(is_answered) {
        return Vec::new();
    }
    // Where replies come too late, silence says little.
    let is_late = evidence.timings.iter().any(|timing| timing.late > 0);
    let unended = unended(evidence).map_or_else(Vec::new, |unended| unended.inputs);
    let (mut idle, mut mute, mut waits, mut silent) = (vec![], vec![], vec![], vec![]);
    for (input, &is_idle) in explored.is_idle.iter().enumerate() {
        match (is_answered(input), is_idle) {
            (false, _) if is_late || unended.contains(&input) => {}
            (false, Some(true)) if is_wait(evidence, input) => waits.push(input),
            // Time passes, and that is all.
            (false, Some(false)) if is_wait(evidence, input) => {}
            (false, Some(false)) => silent.push(input),
            // With one state, no input can change anything.
            (true, Some(true)) if explored.states > 1 => idle.push(input),
            (false, Some(true)) => mute.push(input),
            (true, _) | (_, None) => {}
        }
    }
    let (slow, other) = silent.into_iter().partition(|&input| costs_time(evidence, input));
    let [slow, other] =
        [(slow, true), (other, false)].map(|(it, saves)| acting(evidence, it, saves));
    let texts =
        [of_mute(evidence, &mute, explored.states), of_idle(evidence, &idle, explored.states)];
    let texts = texts.into_iter().chain([of_waits(evidence, &waits), slow, other]).flatten();
    texts.map(|text| Finding::possible(FindingKind::IdleInput, text)).collect()
}

/// Whether an input does nothing but wait.
fn is_wait(evidence: &Evidence, input: usize) -> bool {
    let file = evidence.file.as_ref();
    file.is_some_and(|file| file.device().inputs[input].only_waits().is_some())
}

/// What is said of inputs that change nothing, and have one answer each.
fn of_idle(evidence: &Evidence, inputs: &[usize], states: u32) -> Option<String> {
    let names = named(evidence, inputs);
    let text = match inputs.len() {
        0 => return None,
        1 => format!(
            "{names} had the same answer in all of {states} states and changed none of them: leave it out, or give it what makes \
             it matter"
        ),
        _ => format!(
            "{names} had one answer each in all of {states} states and changed none of them: leave them out, or give them what makes \
             them matter"
        ),
    };
    Some(format!("{text}. {}", may_survive(inputs)))
}

/// What is said of inputs that change nothing, and are never answered.
fn of_mute(evidence: &Evidence, inputs: &[usize], states: u32) -> Option<String> {
    let names = named(evidence, inputs);
    let changed = match states {
        1 => String::new(),
        _ => format!(" and changed nothing in any of {states} states"),
    };
    let text = match inputs.len() {
        0 => return None,
        1 => format!(
            "{names} was never answered{changed}: is it sent as the device wants it? If it is, leave it out"
        ),
        _ => format!(
            "{names} were never answered{changed}: are they sent as the device wants them? If they are, leave them out"
        ),
    };
    Some(format!("{text}. {}", may_survive(inputs)))
}

/// What is said of inputs that only wait.
fn of_waits(evidence: &Evidence, inputs: &[usize]) -> Option<String> {
    let names = named(evidence, inputs);
    match inputs.len() {
        0 => None,
        1 => Some(format!(
            "{names} only waits; nothing came, and no state changed: does it wait long enough? If nothing happens by itself, leave \
             it out"
        )),
        _ => Some(format!(
            "{names} only wait; nothing came, and no state changed: do they wait long enough? If nothing happens by itself, leave \
             them out"
        )),
    }
}

/// What a check sets with its first words, and no reset undoes, is set in all that it sees later.
fn may_survive(inputs: &[usize]) -> String {
    let (what, it) = if inputs.len() == 1 { ("it", "it") } else { ("one of them", "them") };
    format!(
        "(If what {what} sets survives the reset, and was set before or by this check, it looks so, too: make {it} the last of the \
         inputs, switch the device off and on, and check again.)"
    )
}

/// The names of inputs.
fn named(evidence: &Evidence, inputs: &[usize]) -> String {
    let names: Vec<_> = inputs.iter().map(|&it| format!("`{}`", evidence.input(it))).collect();
    names.join(", ")
}

/// Whether a shorter wait for the answer of an input that is never answered may help: it has none of its own, and what follows
/// need not be slower.
fn costs_time(evidence: &Evidence, input: usize) -> bool {
    let has_own =
        evidence.file.as_ref().is_some_and(|file| file.has_own_time_out(input, Key::Within));
    let is_actor = evidence.slower.as_ref().is_some_and(
        |it| matches!(it.actor, Actor::Input(actor) if actor.index() as usize == input),
    );
    let late = evidence.late_action.as_ref();
    let acts_late = late.is_some_and(|it| it.pauses.after_inputs.contains(&input));
    evidence.has_file && !has_own && !is_actor && !acts_late
}

/// What is said of inputs that are never answered, but change something; `saves` says whether less time may do.
fn acting(evidence: &Evidence, inputs: Vec<usize>, saves: bool) -> Option<String> {
    let names = named(evidence, &inputs);
    let text = match inputs.len() {
        0 => return None,
        1 => format!("{names} was never answered, though it changes the device's state"),
        _ => format!("{names} were never answered, though each of them changes the device's state"),
    };
    let sends = |input: &InputRule| !input.sends(&Variables::default()).is_empty();
    let file = evidence.file.as_ref();
    let sends_text =
        file.is_some_and(|it| inputs.iter().all(|&input| sends(&it.device().inputs[input])));
    let or_query = match sends_text {
        true => ", or a query in the same text, such as `*OPC?` at an instrument",
        false => "",
    };
    Some(match saves {
        true => format!(
            "{text}. Each time it costs `within_ms`: a shorter one in its own `reply` saves that{or_query}"
        ),
        false => text,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use mealybug_core::Input;

    use super::super::super::device_file::EditableDeviceFile;
    use super::super::super::evidence::testing::evidence_of;
    use super::super::super::explore::Explored;
    use super::super::super::late_action::{SlowOutcome, SlowerAnswer};
    use super::*;
    use crate::device::DeviceFile;

    #[test]
    fn an_input_whose_answers_came_too_late_was_answered() {
        let mut evidence = Evidence::new(&["a", "b"].map(str::to_owned), true);
        evidence.explored = Some(Explored { states: 2, is_idle: vec![Some(false); 2], dead: None });
        evidence.outputs[0].push_back(("ok".to_owned(), 1));
        let texts: Vec<_> = find(&evidence).into_iter().map(|finding| finding.text).collect();
        let [text] = &texts[..] else { panic!("{texts:?}") };
        assert!(text.starts_with("`b` was never answered, though it changes the"), "{text}");
        evidence.late(Input::new(1));
        assert!(find(&evidence).is_empty());
    }

    #[test]
    fn a_wait_is_not_asked_whether_it_is_sent_as_the_device_wants() {
        let text = "[[reset]]\nsteps = [{ send = \"r\" }]\n[reply]\nlines = 1\n[inputs]\na = \"a\"\nwait = { wait_ms = 9 }";
        let texts = |is_idle: bool| -> Vec<String> {
            let device = DeviceFile::parse(Path::new("lamp.toml"), text).expect("a device file");
            let file = EditableDeviceFile::new(device, text).expect("TOML");
            let mut evidence = Evidence::of_file(file);
            let is_idle = vec![Some(false), Some(is_idle)];
            evidence.explored = Some(Explored { states: 2, is_idle, dead: None });
            evidence.outputs[0].push_back(("ok".to_owned(), 1));
            find(&evidence).into_iter().map(|finding| finding.text).collect()
        };
        assert_eq!(texts(false), Vec::<String>::new(), "it changes the state");
        let all = texts(true);
        let [text] = &all[..] else { panic!("{all:?}") };
        assert!(
            text.starts_with("`wait` only waits; nothing came, and no state changed"),
            "{text}"
        );
    }

    #[test]
    fn an_input_that_sets_a_line_does_not_only_wait() {
        let text = "[[reset]]\nsteps = [{ send = \"r\" }]\n[reply]\nlines = 1\n[inputs]\na = \"a\"\nlow = { dtr = false, wait_ms = 9 }";
        let mut evidence = evidence_of(text);
        evidence.explored = Some(Explored { states: 2, is_idle: vec![Some(false); 2], dead: None });
        evidence.outputs[0].push_back(("ok".to_owned(), 1));
        let texts: Vec<_> = find(&evidence).into_iter().map(|finding| finding.text).collect();
        let [text] = &texts[..] else { panic!("{texts:?}") };
        assert!(text.starts_with("`low` was never answered, though it changes"), "{text}");
    }

    #[test]
    fn several_inputs_that_do_not_matter_are_one_finding() {
        let mut evidence = Evidence::new(&["a", "b", "c", "d", "e"].map(str::to_owned), false);
        let is_idle = [false, true, true, true, true].map(Some).to_vec();
        evidence.explored = Some(Explored { states: 3, is_idle, dead: None });
        (0..3).for_each(|input| evidence.outputs[input].push_back(("ok".to_owned(), 1)));
        let texts: Vec<_> = find(&evidence).into_iter().map(|finding| finding.text).collect();
        let [mute, idle] = &texts[..] else { panic!("{texts:?}") };
        let start =
            "`d`, `e` were never answered and changed nothing in any of 3 states: are they sent";
        assert!(mute.starts_with(start), "{mute}");
        let start = "`b`, `c` had one answer each in all of 3 states and changed none of them: leave them out";
        assert!(
            idle.starts_with(start) && idle.contains("make them the last of the inputs"),
            "{idle}"
        );
    }

    #[test]
    fn a_silent_input_of_which_nothing_is_known_is_not_said_to_act() {
        let mut evidence = Evidence::new(&["a", "b"].map(str::to_owned), true);
        let is_idle = vec![Some(false), None];
        evidence.explored = Some(Explored { states: 2, is_idle, dead: None });
        evidence.outputs[0].push_back(("ok".to_owned(), 1));
        assert!(find(&evidence).is_empty(), "{:#?}", find(&evidence));
    }

    #[test]
    fn silent_inputs_that_act_are_one_finding_and_those_with_their_own_time_another() {
        let text = "[[reset]]\nsteps = [{ send = \"r\" }]\n[reply]\nlines = 1\n[inputs]\na = \"a\"\nb = \"b\"\nc = \"c\"\n\
                    d = { send = \"d\", reply = { within_ms = 8 } }";
        let mut evidence = evidence_of(text);
        let is_idle = vec![Some(false); 4];
        evidence.explored = Some(Explored { states: 2, is_idle, dead: None });
        evidence.outputs[0].push_back(("ok".to_owned(), 1));
        let texts = |evidence: &Evidence| -> Vec<String> {
            find(evidence).into_iter().map(|finding| finding.text).collect()
        };
        let all = texts(&evidence);
        let [slow, own] = &all[..] else { panic!("{all:?}") };
        let start =
            "`b`, `c` were never answered, though each of them changes the device's state. Each";
        assert!(slow.starts_with(start) && slow.contains("saves that"), "{slow}");
        assert_eq!(own, "`d` was never answered, though it changes the device's state");
        let outcome = || SlowOutcome::Answer(String::new());
        evidence.slower = Some(SlowerAnswer {
            word: Vec::new(),
            actor: Actor::Input(Input::new(1)),
            usual: outcome(),
            slow: outcome(),
            enough: Duration::ZERO,
            too_short: None,
            rest: None,
        });
        let all = texts(&evidence);
        let [slow, own] = &all[..] else { panic!("{all:?}") };
        assert!(slow.starts_with("`c` was never answered"), "{slow}");
        assert!(own.starts_with("`b`, `d` were never") && !own.contains("within_ms"), "{own}");
    }

    #[test]
    fn an_input_without_an_answer_is_told_even_if_nothing_changes_anything_unless_the_check_broke_off()
     {
        let mut evidence = Evidence::new(&["a", "b"].map(str::to_owned), true);
        evidence.explored = Some(Explored { states: 1, is_idle: vec![Some(true); 2], dead: None });
        evidence.outputs[0].push_back(("ok".to_owned(), 1));
        let texts: Vec<_> = find(&evidence).into_iter().map(|finding| finding.text).collect();
        let [text] = &texts[..] else { panic!("{texts:?}") };
        assert!(text.starts_with("`b` was never answered: is it sent"), "{text}");
        // Its effect may survive the reset.
        assert!(text.ends_with("switch the device off and on, and check again.)"), "{text}");
        evidence.lose_device();
        assert!(find(&evidence).is_empty());
    }
}
