//! The graph to draw: a box for each state, and an edge for each pair of states with transitions.

use std::collections::VecDeque;

use crate::export::{Group, groups, next, shown};
use crate::machine::Machine;
use mealybug_core::Mealy;

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
    pub(super) name: String,
    /// The number of inputs needed to reach it.
    pub(super) rank: usize,
    /// The confirmed transitions that stay in the state, as text.
    pub(super) loops: Vec<String>,
    /// The open transitions that may stay in the state, and the inputs never asked, as text.
    pub(super) unsure: Vec<String>,
    /// Everything known about the state, for the tooltip.
    pub(super) title: String,
}

/// All confirmed, or all open, transitions from one state to another.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether the target is a guess.
    pub(super) is_open: bool,
    pub(super) label: Vec<String>,
    pub(super) title: String,
}

/// A width and a height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoxSize {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The space around the text of a state.
const PADDING: f64 = 7.0;
/// The height of a state's name, which is larger than a line.
const NAME: f64 = 17.0;
/// The height of the dashed line, including the space around it.
const RULE: f64 = 6.0;

impl Graph {
    pub(super) fn new(machine: &Machine) -> Self {
        let ranks = ranks(machine);
        let mut numbers = vec![None; machine.states() as usize];
        for (number, &(state, _)) in ranks.iter().enumerate() {
            numbers[state as usize] = Some(number);
        }
        let mut graph =
            Self { boxes: Vec::new(), edges: Vec::new(), unreachable: numbers.len() - ranks.len() };
        for (from, &(state, rank)) in ranks.iter().enumerate() {
            let groups = groups(machine, state);
            let to = |next, is_open| {
                groups.iter().filter(move |group| (group.next, group.is_open) == (next, is_open))
            };
            let (loops, title) = said(to(state, false));
            let title = format!("state {state}\n{title}");
            let unsure = Unsure::new(machine, state, to(state, true));
            let title = title + &unsure.title;
            let (name, unsure) = (state.to_string(), unsure.lines);
            graph.boxes.push(StateBox { name, rank, loops, unsure, title });
            let mut seen = vec![(state, false), (state, true)];
            for &Group { next, is_open, .. } in &groups {
                if seen.contains(&(next, is_open)) {
                    continue;
                }
                seen.push((next, is_open));
                let (label, title) = said(to(next, is_open));
                let guess = if is_open { ", a guess" } else { "" };
                let title = format!("{state} to {next}{guess}\n{title}");
                let to = numbers[next as usize].expect("a state that is reached");
                graph.edges.push(Edge { from, to, is_open, label, title });
            }
        }
        graph
    }
}

/// What is not confirmed in a state and drawn in its box: the shortened lines, and the full text.
struct Unsure {
    lines: Vec<String>,
    title: String,
}

impl Unsure {
    /// `loops` are the open transitions that may stay in the state.
    fn new<'g, 'm: 'g>(
        machine: &Machine,
        state: u32,
        loops: impl Iterator<Item = &'g Group<'m>>,
    ) -> Self {
        let next = next(state, state, true).unwrap_or_default();
        let guess =
            |group: &Group<'m>| (group.inputs.clone(), format!("{} {next}", shown(group.output)));
        let loops: Vec<_> = loops.collect();
        let guesses: Vec<_> = loops.iter().map(|group| guess(group)).collect();
        let guesses: Vec<_> =
            guesses.iter().map(|(inputs, output)| (inputs.clone(), output.as_str())).collect();
        let mut lines = text::label(&guesses);
        let (_, mut title) = said(loops.into_iter());
        if !lines.is_empty() {
            title.insert_str(0, "guesses to stay:\n");
        }
        let unknown: Vec<_> = machine.unknown_inputs(state).map(shown).collect();
        lines.extend(text::unknown(&unknown, machine.inputs().len()));
        if !unknown.is_empty() {
            title.push_str(&format!("never asked: {}\n", unknown.join(", ")));
        }
        Self { lines, title }
    }
}

/// The label for these transitions: its shortened lines, and the full text.
fn said<'g, 'm: 'g>(groups: impl Iterator<Item = &'g Group<'m>>) -> (Vec<String>, String) {
    let groups: Vec<_> = groups.map(|group| (group.inputs.clone(), group.output)).collect();
    let line = |(inputs, output): &(Vec<&str>, &str)| format!("{} / {output}\n", inputs.join(", "));
    (text::label(&groups), groups.iter().map(line).collect())
}

/// The reachable states, breadth first, each with the number of inputs needed to reach it.
fn ranks(machine: &Machine) -> Vec<(u32, usize)> {
    let mut seen = vec![false; machine.states() as usize];
    let mut ranks = Vec::new();
    let mut open = VecDeque::from([(machine.initial(), 0)]);
    seen[machine.initial() as usize] = true;
    while let Some((state, rank)) = open.pop_front() {
        ranks.push((state, rank));
        for group in groups(machine, state) {
            if !std::mem::replace(&mut seen[group.next as usize], true) {
                open.push_back((group.next, rank + 1));
            }
        }
    }
    ranks
}

impl StateBox {
    pub(super) fn size(&self) -> BoxSize {
        let all = self.loops.iter().chain(&self.unsure);
        let widest = all.map(|line| text::width(line)).fold(0.0, f64::max);
        // The name is in bold and larger.
        let width = widest.max(text::width(&self.name) * 1.25).max(16.0) + 2.0 * PADDING;
        let rule = if self.unsure.is_empty() { 0.0 } else { RULE };
        let height = NAME + lines(&self.loops) + rule + lines(&self.unsure) + PADDING;
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
        let above = NAME + lines(&self.loops) + RULE;
        (above - RULE / 2.0 + 2.0, above + 12.0)
    }
}

impl Edge {
    pub(super) fn size(&self) -> BoxSize {
        let widest = self.label.iter().map(|line| text::width(line)).fold(0.0, f64::max);
        BoxSize { width: widest + 6.0, height: lines(&self.label) + 2.0 }
    }
}

fn lines(lines: &[String]) -> f64 {
    LINE * u16::try_from(lines.len()).map_or(0.0, f64::from)
}
