//! Two machines as one graph, in which transitions say which machine has them.

use mealybug_core::{Input, Mealy};

use super::graph::{DrawnGroup, DrawnState};
use super::mark::{Look, Mark};
use crate::export::shown;
use crate::machine::{Machine, Overlay, Transition};

/// The states of an overlay of two machines. What one machine does not know is no difference.
pub(super) fn drawn<'m>(machines: [&'m Machine; 2], overlay: &Overlay) -> Vec<DrawnState<'m>> {
    let sides = [0, 1].map(|at| Side { machine: machines[at], places: overlay.places(at) });
    overlay.states.iter().map(|own| state(&sides, *own)).collect()
}

/// One of two machines.
struct Side<'m> {
    machine: &'m Machine,
    /// The number in the picture of each state.
    places: Vec<usize>,
}

/// What a machine does on an input in a state.
enum Step<'m> {
    /// It has no such state or input.
    None,
    Unknown,
    Known {
        output: &'m str,
        to: usize,
        is_open: bool,
    },
}

impl<'m> Side<'m> {
    fn step(&self, state: Option<u32>, input: &str) -> Step<'m> {
        let input = self.machine.find_input(input);
        let Some((state, input)) = state.zip(input) else { return Step::None };
        match self.machine.transition(state, input) {
            None => Step::Unknown,
            Some(Transition { target, output, is_open }) => {
                let (output, to) = (self.machine.output_name(output), self.places[target as usize]);
                Step::Known { output, to, is_open }
            }
        }
    }
}

fn state<'m>([first, second]: &[Side<'m>; 2], own: [Option<u32>; 2]) -> DrawnState<'m> {
    let label = |side: &Side<'m>, state| side.machine.state_label(state);
    let (name, mark) = match own {
        [Some(one), Some(other)] => {
            let labels = [label(first, one), label(second, other)];
            (label_of_both(labels, one == other), Mark::Both)
        }
        [Some(one), None] => (format!("A{}", label(first, one)), Mark::First),
        [None, other] => (format!("B{}", label(second, other.unwrap_or_default())), Mark::Second),
    };
    let mut drawn = DrawnState { name, mark, groups: Vec::new(), unknown: Vec::new() };
    let inputs = |machine: &'m Machine| {
        (0..Mealy::inputs(machine)).map(move |input| machine.input_name(Input::new(input)))
    };
    let only_second =
        inputs(second.machine).filter(|name| first.machine.find_input(name).is_none());
    for input in inputs(first.machine).chain(only_second) {
        let steps = (first.step(own[0], input), second.step(own[1], input));
        let mut add = |mark, step| add(&mut drawn, input, mark, step);
        match steps {
            (Step::None | Step::Unknown, Step::None | Step::Unknown) => {
                drawn.unknown.push(shown(input));
            }
            (one, Step::None) => add(Mark::First, one),
            (Step::None, other) => add(Mark::Second, other),
            (one, Step::Unknown) => add(Mark::Both, one),
            (Step::Unknown, other) => add(Mark::Both, other),
            (one, other) => match (is_same(&one, &other), is_open(&one)) {
                (true, true) => add(Mark::Both, other),
                (true, false) => add(Mark::Both, one),
                (false, _) => {
                    add(Mark::First, one);
                    add(Mark::Second, other);
                }
            },
        }
    }
    drawn
}

/// The label of a state that both machines have. It is one if the numbers are the same, and the names, if both have one.
fn label_of_both([one, other]: [String; 2], is_same_number: bool) -> String {
    let is_named = |label: &str| label.contains(' ');
    match is_same_number && (one == other || !is_named(&one) || !is_named(&other)) {
        true => {
            if is_named(&one) {
                one
            } else {
                other
            }
        }
        false => format!("A{one} B{other}"),
    }
}

/// Whether two known steps are no difference: a guess may lead anywhere.
fn is_same(one: &Step<'_>, other: &Step<'_>) -> bool {
    let (
        Step::Known { output, to, is_open },
        Step::Known { output: other_output, to: other_to, is_open: is_other_open },
    ) = (one, other)
    else {
        return false;
    };
    output == other_output && (to == other_to || *is_open || *is_other_open)
}

fn is_open(step: &Step<'_>) -> bool {
    matches!(step, Step::Known { is_open: true, .. })
}

/// Adds the step on an input, if it is known.
fn add<'m>(drawn: &mut DrawnState<'m>, input: &'m str, mark: Mark, step: Step<'m>) {
    let Step::Known { output, to, is_open } = step else { return };
    let look = Look { is_open, mark };
    let is_like =
        |group: &&mut DrawnGroup<'m>| (group.output, group.to, group.look) == (output, to, look);
    match drawn.groups.iter_mut().find(is_like) {
        Some(group) => group.inputs.push(shown(input)),
        None => drawn.groups.push(DrawnGroup { inputs: vec![shown(input)], output, to, look }),
    }
}
