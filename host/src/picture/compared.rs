//! Two machines as one graph, in which transitions say which machine has them.

use mealybug_core::{Input, Mealy};

use super::graph::{DrawnGroup, DrawnState, counted};
use super::mark::{LineStyle, Mark};
use super::text;
use crate::export::shown;
use crate::machine::{Machine, Overlay, Transition};
use crate::short_names::ShortNames;

/// The states of an overlay of two machines. What one machine does not know is no difference.
pub(super) fn drawn<'m>(machines: [&'m Machine; 2], overlay: &Overlay) -> Vec<DrawnState<'m>> {
    let sides =
        [0, 1].map(|at| ComparedMachine { machine: machines[at], places: overlay.places(at) });
    let states = overlay.states.iter().enumerate();
    states.map(|(number, own)| state(&sides, number, *own)).collect()
}

/// Only these of the states. What leads to others is a line in its box: in that of `focus` with inputs and outputs, in others as a
/// number.
pub(super) fn part<'m>(
    mut states: Vec<DrawnState<'m>>,
    places: &[usize],
    focus: usize,
) -> Vec<DrawnState<'m>> {
    let names: Vec<_> = states.iter().map(|state| state.name.clone()).collect();
    let drawn = |place: usize| places.iter().position(|&drawn| drawn == place);
    let cut = |&place: &usize| {
        let state = &mut states[place];
        let groups = std::mem::take(&mut state.groups).into_iter();
        let (near, far): (Vec<_>, Vec<_>) =
            groups.map(|group| (drawn(group.to), group)).partition(|(to, _)| to.is_some());
        let groups =
            near.into_iter().filter_map(|(to, group)| Some(DrawnGroup { to: to?, ..group }));
        let far: Vec<_> = far.into_iter().map(|(_, group)| group).collect();
        let leading = leading_to(&far, &names);
        let outputs = leading.iter().map(|(_, said)| said.as_str());
        let inputs = far.iter().flat_map(|group| group.inputs.iter().copied());
        let short = text::short_names(outputs.chain(inputs));
        let mut elsewhere = Vec::new();
        for mark in [Mark::Both, Mark::First, Mark::Second] {
            let leading = leading.iter().filter(|(group, _)| group.look.mark == mark);
            let mut lines = match place == focus {
                true => elsewhere_with_names(leading, &short),
                false => counted("→ elsewhere:", leading.map(|(group, _)| *group)),
            };
            if let Some(first) = lines.first_mut() {
                first.insert_str(0, mark.sign());
            }
            elsewhere.extend(lines.into_iter().map(|line| (mark, line)));
        }
        DrawnState {
            name: names[place].clone(),
            groups: groups.collect(),
            elsewhere,
            unknown: std::mem::take(&mut state.unknown),
            ..*state
        }
    };
    places.iter().map(cut).collect()
}

/// These transitions, each with its output and the state to which it leads as text.
fn leading_to<'g, 'm>(
    groups: &'g [DrawnGroup<'m>],
    names: &[String],
) -> Vec<(&'g DrawnGroup<'m>, String)> {
    let guess = |group: &DrawnGroup<'_>| if group.look.is_open { "?" } else { "" };
    let said = |group: &DrawnGroup<'m>| {
        format!("{} > {}{}", shown(group.output), names[group.to], guess(group))
    };
    groups.iter().map(|group| (group, said(group))).collect()
}

/// Lines with transitions and the states to which they lead.
fn elsewhere_with_names<'g, 'm: 'g>(
    leading: impl Iterator<Item = &'g (&'g DrawnGroup<'m>, String)>,
    names: &ShortNames,
) -> Vec<String> {
    let groups: Vec<_> =
        leading.map(|(group, said)| (group.inputs.clone(), said.as_str())).collect();
    text::label(&groups, names)
}

/// One of two machines.
struct ComparedMachine<'m> {
    machine: &'m Machine,
    /// The number in the picture of each state.
    places: Vec<usize>,
}

/// What a machine does on an input in a state.
enum ComparedStep<'m> {
    /// It has no such state or input.
    None,
    Unknown,
    Known {
        output: &'m str,
        to: usize,
        is_open: bool,
    },
}

impl<'m> ComparedMachine<'m> {
    fn step(&self, state: Option<u32>, input: &str) -> ComparedStep<'m> {
        let input = self.machine.find_input(input);
        let Some((state, input)) = state.zip(input) else { return ComparedStep::None };
        match self.machine.transition(state, input) {
            None => ComparedStep::Unknown,
            Some(Transition { target, output, is_open }) => {
                let (output, to) = (self.machine.output_name(output), self.places[target as usize]);
                ComparedStep::Known { output, to, is_open }
            }
        }
    }
}

fn state<'m>(
    [first, second]: &[ComparedMachine<'m>; 2],
    number: usize,
    own: [Option<u32>; 2],
) -> DrawnState<'m> {
    let name = label([first.machine, second.machine], own);
    let mark = match own {
        [Some(_), Some(_)] => Mark::Both,
        [Some(_), None] => Mark::First,
        [None, _] => Mark::Second,
    };
    let (groups, elsewhere, unknown) = (Vec::new(), Vec::new(), Vec::new());
    let is_initial = number == 0;
    let mut drawn = DrawnState { number, is_initial, name, mark, groups, elsewhere, unknown };
    let inputs = |machine: &'m Machine| {
        (0..Mealy::inputs(machine)).map(move |input| machine.input_name(Input::new(input)))
    };
    let only_second =
        inputs(second.machine).filter(|name| first.machine.find_input(name).is_none());
    for input in inputs(first.machine).chain(only_second) {
        let steps = (first.step(own[0], input), second.step(own[1], input));
        let mut add = |mark, step| add(&mut drawn, input, mark, step);
        match steps {
            (
                ComparedStep::None | ComparedStep::Unknown,
                ComparedStep::None | ComparedStep::Unknown,
            ) => {
                drawn.unknown.push(shown(input));
            }
            (one, ComparedStep::None) => add(Mark::First, one),
            (ComparedStep::None, other) => add(Mark::Second, other),
            (one, ComparedStep::Unknown) => add(Mark::Both, one),
            (ComparedStep::Unknown, other) => add(Mark::Both, other),
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

/// What the picture calls a state that the machines have under these numbers.
pub(super) fn label(machines: [&Machine; 2], own: [Option<u32>; 2]) -> String {
    let of = |at: usize, state| machines[at].state_label(state);
    match own {
        [Some(one), Some(other)] => label_of_both([of(0, one), of(1, other)], one == other),
        [Some(one), None] => format!("A{}", of(0, one)),
        [None, other] => format!("B{}", of(1, other.unwrap_or_default())),
    }
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
fn is_same(one: &ComparedStep<'_>, other: &ComparedStep<'_>) -> bool {
    let (
        ComparedStep::Known { output, to, is_open },
        ComparedStep::Known { output: other_output, to: other_to, is_open: is_other_open },
    ) = (one, other)
    else {
        return false;
    };
    output == other_output && (to == other_to || *is_open || *is_other_open)
}

fn is_open(step: &ComparedStep<'_>) -> bool {
    matches!(step, ComparedStep::Known { is_open: true, .. })
}

/// Adds the step on an input, if it is known.
fn add<'m>(drawn: &mut DrawnState<'m>, input: &'m str, mark: Mark, step: ComparedStep<'m>) {
    let ComparedStep::Known { output, to, is_open } = step else { return };
    let look = LineStyle { is_open, mark };
    let is_like =
        |group: &&mut DrawnGroup<'m>| (group.output, group.to, group.look) == (output, to, look);
    match drawn.groups.iter_mut().find(is_like) {
        Some(group) => group.inputs.push(shown(input)),
        None => drawn.groups.push(DrawnGroup { inputs: vec![shown(input)], output, to, look }),
    }
}
