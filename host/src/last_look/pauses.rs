//! Where to pause: the words that a last look asks with a pause, and their order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use mealybug_core::{Input, Mealy};

use super::late_after;
use crate::device::{DeviceFile, Late};
use crate::machine::Machine;

/// How many inputs follow a pause.
const FOLLOWERS: usize = 4;

/// A word with a pause after `before` of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PausedWord {
    pub(super) word: Vec<Input>,
    pub(super) before: usize,
}

/// The words to ask, in this order: a pause after the reset; then after each input, with each of its answers and where it changes the
/// state or not, in the nearest state; then in a second state, and so on.
pub(super) fn paused_words(
    model: &Machine,
    device: &DeviceFile,
) -> impl Iterator<Item = PausedWord> {
    let access = model.access_words();
    let mut seen: BTreeMap<_, u32> = BTreeMap::new();
    let mut places = Vec::new();
    for &state in access.states() {
        for input in (0..Mealy::inputs(model)).map(Input::new) {
            let Some(step) = model.transition(state, input) else { continue };
            let before = seen.entry((input, step.output, step.target == state)).or_default();
            places.push((*before, state, input, step.target));
            *before += 1;
        }
    }
    places.sort_by_key(|(before, ..)| *before);
    let followers = Followers::new(model);
    let after_reset = PausedWord { word: followers.at(model.initial()), before: 0 };
    let after_inputs = places.into_iter().map(move |(_, state, input, target)| {
        let mut word = access.word(state);
        word.push(input);
        let before = word.len();
        word.extend(followers.at(target));
        PausedWord { word, before }
    });
    let words = std::iter::once(after_reset).chain(after_inputs);
    // Where what comes late is no part of an output, a pause changes nothing but what the device does.
    let is_no_output = |late| matches!(late, Late::Error | Late::Drop);
    words.filter(move |it| late_after(device, &it.word[..it.before], is_no_output))
}

/// The inputs that show most of what a state is.
struct Followers<'a> {
    model: &'a Machine,
    /// All inputs, those with the most different outputs first.
    inputs: Vec<Input>,
}

impl<'a> Followers<'a> {
    fn new(model: &'a Machine) -> Self {
        let known = model.transitions();
        let outputs: BTreeSet<_> = known.map(|(_, input, it)| (input, it.output)).collect();
        let count = |it: &Input| outputs.iter().filter(|(input, _)| input == it).count();
        let mut inputs: Vec<_> = (0..Mealy::inputs(model)).map(Input::new).collect();
        inputs.sort_by_cached_key(|input| Reverse(count(input)));
        Self { model, inputs }
    }

    /// The first of them in this state: those that do not change it come before the others.
    fn at(&self, state: u32) -> Vec<Input> {
        let changes = |input: &Input| {
            let step = self.model.transition(state, *input);
            step.is_none_or(|step| step.target != state)
        };
        let (changing, keeping): (Vec<_>, Vec<_>) = self.inputs.iter().partition(|it| changes(it));
        keeping.into_iter().chain(changing).take(FOLLOWERS).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use super::*;
    use crate::machine::testing::machine;
    use crate::word;

    pub(in super::super) const FILE: &str = "[[reset]]\nsteps = [{ send = \"reset\" }]\nquiet_ms = 0\n[reply]\nlines = 1\n\
                        [inputs]\nstart = \"start\"\nstop = \"stop\"\nstatus = \"status\"";

    pub(in super::super) fn device(file: &str) -> DeviceFile {
        DeviceFile::parse(Path::new("motor.toml"), file).expect("a device file")
    }

    /// What a run learns of a motor: while it starts, its status is not asked for long enough.
    pub(in super::super) fn model() -> Machine {
        machine(&[
            (0, "start", 1, "ok"),
            (0, "stop", 0, "error"),
            (0, "status", 0, "off"),
            (1, "start", 1, "error"),
            (1, "stop", 0, "ok"),
            (1, "status", 1, "starting"),
        ])
    }

    #[test]
    fn each_answer_of_an_input_is_followed_by_a_pause_soon() {
        let words = shown(&model(), &device(FILE));
        let parts = words.iter().filter_map(|word| word.split_once(" | "));
        let (befores, afters): (Vec<_>, Vec<_>) = parts.unzip();
        let all = ["", "start", "stop", "status", "start start", "start stop", "start status"];
        assert_eq!(befores, all);
        assert!(afters.iter().all(|after| after.split(' ').count() == 3), "{words:?}");
        // What keeps the state comes first.
        assert_eq!(afters[0], "stop status start");
    }

    /// The words for a model, with `|` at the pause.
    fn shown(model: &Machine, device: &DeviceFile) -> Vec<String> {
        let names: Vec<_> = device.inputs.iter().map(|input| input.name.clone()).collect();
        let shown = |it: PausedWord| {
            let (before, after) = it.word.split_at(it.before);
            format!("{} | {}", word::format(before, &names), word::format(after, &names))
        };
        paused_words(model, device).map(shown).collect()
    }

    #[test]
    fn a_pause_is_followed_by_the_inputs_that_tell_most() {
        let model = machine(&[
            (0, "go", 1, "ok"),
            (0, "a", 0, "x"),
            (0, "b", 0, "x"),
            (0, "c", 0, "x"),
            (0, "get", 0, "zero"),
            (1, "go", 0, "ok"),
            (1, "a", 1, "x"),
            (1, "b", 1, "x"),
            (1, "c", 1, "x"),
            (1, "get", 1, "one"),
        ]);
        let (head, _) = FILE.split_once("[inputs]").expect("inputs");
        let inputs = ["go", "a", "b", "c", "get"].map(|name| format!("{name} = \"{name}\"\n"));
        let words = shown(&model, &device(&format!("{head}[inputs]\n{}", inputs.concat())));
        // Each answer of an input once, and then in a second state.
        let before = ["", "go", "a", "b", "c", "get", "go get", "go go", "go a", "go b", "go c"];
        assert_eq!(words, before.map(|before| format!("{before} | get a b c")));
    }

    #[test]
    fn where_more_may_come_without_being_asked_for_is_no_pause() {
        for late in ["output", "reply"] {
            let input =
                format!("status = {{ text = \"status\", reply = {{ late = \"{late}\" }} }}");
            let device = device(&FILE.replace("status = \"status\"", &input));
            let words = shown(&model(), &device);
            let befores: Vec<_> = words.iter().filter_map(|it| it.split(" | ").next()).collect();
            assert_eq!(befores, ["start", "stop", "start start", "start stop"], "{late}");
        }
    }
}
