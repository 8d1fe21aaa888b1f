//! The graph to draw: a box for each state, and an edge for each pair of states with transitions.

use std::collections::VecDeque;

use mealybug_core::Mealy;

use crate::export::{InputGroup, groups, shown};
use crate::machine::Machine;
use crate::short_names::ShortNames;

use super::mark::{LineStyle, Mark};
use super::text::{self, LINE};

/// Boxes and edges, with their texts.
#[derive(Debug)]
pub(super) struct Graph {
    /// The reachable states, breadth first, beginning with the initial one.
    pub(super) boxes: Vec<StateBox>,
    pub(super) edges: Vec<Edge>,
    /// The number of unreachable states.
    pub(super) unreachable: usize,
}

/// The box of a state.
#[derive(Debug)]
pub(super) struct StateBox {
    /// Its place among the states.
    pub(super) state: usize,
    /// What a page calls the state.
    pub(super) number: usize,
    pub(super) is_initial: bool,
    pub(super) name: String,
    pub(super) mark: Mark,
    /// The number of inputs needed to reach it.
    pub(super) rank: usize,
    /// The confirmed transitions that stay in the state, and those to states that are not drawn, as text.
    pub(super) loops: Vec<(Mark, String)>,
    /// The open transitions that may stay in the state, and the inputs never asked, as text.
    pub(super) unsure: Vec<String>,
    /// Everything known about the state, for the tooltip.
    pub(super) title: String,
}

/// All transitions from one state to another that look the same.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) look: LineStyle,
    pub(super) label: Vec<String>,
    pub(super) title: String,
}

/// A width and a height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoxSize {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A state to draw, and what it does.
#[derive(Debug)]
pub(super) struct DrawnState<'m> {
    /// What a page calls it.
    pub(super) number: usize,
    pub(super) is_initial: bool,
    pub(super) name: String,
    pub(super) mark: Mark,
    pub(super) groups: Vec<DrawnGroup<'m>>,
    /// Transitions to states that are not drawn, as text.
    pub(super) elsewhere: Vec<(Mark, String)>,
    /// The inputs never asked.
    pub(super) unknown: Vec<&'m str>,
}

/// Transitions with the same output that lead from one state to one other.
#[derive(Debug)]
pub(super) struct DrawnGroup<'m> {
    pub(super) inputs: Vec<&'m str>,
    pub(super) output: &'m str,
    /// The number of the state to which they lead.
    pub(super) to: usize,
    pub(super) look: LineStyle,
}

/// How much of a graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// All of it.
    Full,
    /// Labels are short. Transitions that stay, and those to this state, are only counted, unless they are marked or
    /// guesses.
    Folded(Option<usize>),
}

/// The space around the text of a state.
const PADDING: f64 = 7.0;
/// The height of a state's name, which is larger than a line.
const NAME: f64 = 17.0;
/// The height of the dashed line, including the space around it.
const RULE: f64 = 6.0;

impl Graph {
    pub(super) fn new(machine: &Machine) -> Self {
        Self::of(&drawn(machine), machine.initial() as usize, machine.inputs().len(), Detail::Full)
    }

    /// The graph of these states, which have so many inputs.
    pub(super) fn of(
        states: &[DrawnState<'_>],
        initial: usize,
        inputs: usize,
        detail: Detail,
    ) -> Self {
        let groups = || states.iter().flat_map(|state| &state.groups);
        let inputs_shown = groups().flat_map(|group| group.inputs.iter().copied());
        let outputs = groups().map(|group| shown(group.output));
        let guesses: Vec<_> = states.iter().enumerate().flat_map(guesses).collect();
        let guesses = guesses.iter().map(|(_, said)| said.as_str());
        let names = text::short_names(outputs.chain(guesses).chain(inputs_shown));
        let ranks = ranks(states, initial);
        let mut numbers = vec![None; states.len()];
        for (number, &(state, _)) in ranks.iter().enumerate() {
            numbers[state] = Some(number);
        }
        let mut graph =
            Self { boxes: Vec::new(), edges: Vec::new(), unreachable: states.len() - ranks.len() };
        for (from, &(state, rank)) in ranks.iter().enumerate() {
            graph.boxes.push(state_box(states, state, rank, (inputs, detail), &names));
            let groups = &states[state].groups;
            let mut seen = Vec::new();
            for &DrawnGroup { to, look, .. } in groups {
                let is_folded = detail == Detail::Folded(Some(to)) && look == LineStyle::default();
                if to == state || is_folded || seen.contains(&(to, look)) {
                    continue;
                }
                seen.push((to, look));
                let same = groups.iter().filter(|group| (group.to, group.look) == (to, look));
                let (mut label, title) = said(same, detail, &names);
                if let Some(first) = label.first_mut() {
                    first.insert_str(0, look.mark.sign());
                }
                let guess = if look.is_open { ", a guess" } else { "" };
                let names = [state, to].map(|state| &states[state].name);
                let title = format!("{} to {}{guess}\n{title}", names[0], names[1]);
                let to = numbers[to].expect("a state that is reached");
                graph.edges.push(Edge { from, to, look, label, title });
            }
        }
        graph
    }
}

/// The states of a machine.
pub(super) fn drawn(machine: &Machine) -> Vec<DrawnState<'_>> {
    let state = |state: u32| DrawnState {
        number: state as usize,
        is_initial: state == machine.initial(),
        name: machine.state_label(state),
        mark: Mark::Both,
        groups: groups(machine, state).into_iter().map(DrawnGroup::from).collect(),
        elsewhere: Vec::new(),
        unknown: machine.unknown_inputs(state).map(shown).collect(),
    };
    (0..machine.states()).map(state).collect()
}

impl<'m> From<InputGroup<'m>> for DrawnGroup<'m> {
    fn from(InputGroup { inputs, output, next, is_open }: InputGroup<'m>) -> Self {
        Self { inputs, output, to: next as usize, look: LineStyle { is_open, mark: Mark::Both } }
    }
}

fn state_box(
    states: &[DrawnState<'_>],
    state: usize,
    rank: usize,
    (inputs, detail): (usize, Detail),
    names: &ShortNames,
) -> StateBox {
    let DrawnState { number, is_initial, name, mark, groups, elsewhere, unknown } = &states[state];
    let mut loops = Vec::new();
    let mut title = format!("state {name}\n");
    for mark in [Mark::Both, Mark::First, Mark::Second] {
        let look = LineStyle { is_open: false, mark };
        let stays = || groups.iter().filter(|group| (group.to, group.look) == (state, look));
        let (lines, said) = said(stays(), detail, names);
        title += &said;
        loops.extend(
            match detail {
                Detail::Folded(_) if mark == Mark::Both => counted("↺", stays()),
                _ => lines,
            }
            .into_iter()
            .enumerate()
            .map(|(at, line)| {
                let sign = if at == 0 { mark.sign() } else { "" };
                (mark, format!("{sign}{line}"))
            }),
        );
    }
    if let Detail::Folded(Some(rest)) = detail
        && rest != state
    {
        let leads =
            groups.iter().filter(|group| (group.to, group.look) == (rest, LineStyle::default()));
        let lines = counted(&format!("→ {}:", text::name(&states[rest].name)), leads);
        loops.extend(lines.into_iter().map(|line| (Mark::Both, line)));
    }
    loops.extend(elsewhere.iter().cloned());
    let unsure = Unsure::new(&guesses((state, &states[state])), unknown, inputs, names);
    let title = title + &unsure.title;
    let (number, is_initial, mark) = (*number, *is_initial, *mark);
    let (name, unsure) = (text::name(name), unsure.lines);
    StateBox { state, number, is_initial, name, mark, rank, loops, unsure, title }
}

/// How many transitions these are, as a line.
pub(super) fn counted<'g, 'm: 'g>(
    what: &str,
    groups: impl Iterator<Item = &'g DrawnGroup<'m>>,
) -> Vec<String> {
    let count: usize = groups.map(|group| group.inputs.len()).sum();
    if count == 0 { Vec::new() } else { vec![format!("{what} {count}")] }
}

/// The open transitions that may stay in a state, each with its output and its target as text.
fn guesses<'g, 'm>(
    (number, state): (usize, &'g DrawnState<'m>),
) -> Vec<(&'g DrawnGroup<'m>, String)> {
    let guesses = state.groups.iter().filter(|group| group.to == number && group.look.is_open);
    guesses.map(|group| (group, format!("{} > {}?", shown(group.output), state.name))).collect()
}

/// What is not confirmed in a state and drawn in its box: the shortened lines, and the full text.
struct Unsure {
    lines: Vec<String>,
    title: String,
}

impl Unsure {
    /// `inputs` is the number of all inputs.
    fn new(
        guesses: &[(&DrawnGroup<'_>, String)],
        unknown: &[&str],
        inputs: usize,
        names: &ShortNames,
    ) -> Self {
        let groups: Vec<_> =
            guesses.iter().map(|(group, said)| (group.inputs.clone(), said.as_str())).collect();
        let mut lines = text::label(&groups, names);
        let (_, mut title) = said(guesses.iter().map(|(group, _)| *group), Detail::Full, names);
        if !lines.is_empty() {
            title.insert_str(0, "guesses to stay:\n");
        }
        lines.extend(text::unknown(unknown, inputs));
        if !unknown.is_empty() {
            title.push_str(&format!("never asked: {}\n", unknown.join(", ")));
        }
        Self { lines, title }
    }
}

/// The label for these transitions: its shortened lines, and the full text.
fn said<'g, 'm: 'g>(
    groups: impl Iterator<Item = &'g DrawnGroup<'m>>,
    detail: Detail,
    names: &ShortNames,
) -> (Vec<String>, String) {
    let groups: Vec<_> = groups.map(|group| (group.inputs.clone(), group.output)).collect();
    let line = |(inputs, output): &(Vec<&str>, &str)| format!("{} / {output}\n", inputs.join(", "));
    let label = match detail {
        Detail::Full => text::label(&groups, names),
        Detail::Folded(_) => text::short_label(&groups, names),
    };
    (label, groups.iter().map(line).collect())
}

/// The reachable states, breadth first, each with the number of inputs needed to reach it.
fn ranks(states: &[DrawnState<'_>], initial: usize) -> Vec<(usize, usize)> {
    let mut seen = vec![false; states.len()];
    let mut ranks = Vec::new();
    let mut open = VecDeque::from([(initial, 0)]);
    seen[initial] = true;
    while let Some((state, rank)) = open.pop_front() {
        ranks.push((state, rank));
        for group in &states[state].groups {
            if !std::mem::replace(&mut seen[group.to], true) {
                open.push_back((group.to, rank + 1));
            }
        }
    }
    ranks
}

impl StateBox {
    pub(super) fn size(&self) -> BoxSize {
        let loops = self.loops.iter().map(|(_, line)| line);
        let widest = loops.chain(&self.unsure).map(|line| text::width(line)).fold(0.0, f64::max);
        // The name is in bold and larger.
        let width = widest.max(text::width(&self.name) * 1.25).max(16.0) + 2.0 * PADDING;
        let rule = if self.unsure.is_empty() { 0.0 } else { RULE };
        let height = NAME + lines(self.loops.len()) + rule + lines(self.unsure.len()) + PADDING;
        BoxSize { width, height: height.max(28.0) }
    }

    /// The baselines of the name and of the first line, measured from the top of the box.
    pub(super) fn bases(&self) -> (f64, f64) {
        let is_alone = self.loops.is_empty() && self.unsure.is_empty();
        let name = if is_alone { 18.5 } else { 16.0 };
        (name, NAME + 12.0)
    }

    /// The dashed line and the baseline of the line below it, measured from the top of the box.
    pub(super) fn unsure_bases(&self) -> (f64, f64) {
        let above = NAME + lines(self.loops.len()) + RULE;
        (above - RULE / 2.0 + 2.0, above + 12.0)
    }
}

impl Edge {
    pub(super) fn size(&self) -> BoxSize {
        let widest = self.label.iter().map(|line| text::width(line)).fold(0.0, f64::max);
        BoxSize { width: widest + 6.0, height: lines(self.label.len()) + 2.0 }
    }
}

fn lines(count: usize) -> f64 {
    LINE * u16::try_from(count).map_or(0.0, f64::from)
}
