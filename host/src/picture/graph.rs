//! What is drawn: a box for each state, and an edge for each pair of states.

use std::collections::VecDeque;

use crate::export::{Group, groups};
use crate::machine::Machine;
use mealybug_core::Mealy;

use super::text::{self, LINE};

/// Boxes and edges, with their texts.
#[derive(Debug)]
pub(super) struct Graph {
    /// The states that can be reached, breadth first: the first is the initial one.
    pub(super) boxes: Vec<State>,
    pub(super) edges: Vec<Edge>,
    /// How many states cannot be reached.
    pub(super) unreachable: usize,
}

/// A state.
#[derive(Debug)]
pub(super) struct State {
    pub(super) name: String,
    /// The number of inputs to get there.
    pub(super) rank: usize,
    /// What it answers without leaving.
    pub(super) loops: Vec<String>,
    /// All that is known about it, for those who point at it.
    pub(super) title: String,
}

/// All transitions from one state to another.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: Vec<String>,
    pub(super) title: String,
}

/// A width and a height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Around the text of a state...
const PADDING: f64 = 7.0;
/// ...and its name, which is larger than a line.
const NAME: f64 = 17.0;

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
            let to = |next| groups.iter().filter(move |group| group.next == next);
            let (loops, title) = said(to(state));
            let title = format!("state {state}\n{title}");
            graph.boxes.push(State { name: state.to_string(), rank, loops, title });
            let mut seen = vec![state];
            for group in &groups {
                if seen.contains(&group.next) {
                    continue;
                }
                seen.push(group.next);
                let (label, title) = said(to(group.next));
                let title = format!("{state} to {}\n{title}", group.next);
                let to = numbers[group.next as usize].expect("a state that is reached");
                graph.edges.push(Edge { from, to, label, title });
            }
        }
        graph
    }
}

/// The label that says all these transitions, and all of it.
fn said<'g, 'm: 'g>(groups: impl Iterator<Item = &'g Group<'m>>) -> (Vec<String>, String) {
    let groups: Vec<_> = groups.map(|group| (group.inputs.clone(), group.output)).collect();
    let line = |(inputs, output): &(Vec<&str>, &str)| format!("{} / {output}\n", inputs.join(", "));
    (text::label(&groups), groups.iter().map(line).collect())
}

/// The states that can be reached, breadth first, and how many inputs that takes.
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

impl State {
    pub(super) fn size(&self) -> Size {
        let widest = self.loops.iter().map(|line| text::width(line)).fold(0.0, f64::max);
        // The name is in bold and larger.
        let width = widest.max(text::width(&self.name) * 1.25).max(16.0) + 2.0 * PADDING;
        let height = NAME + lines(&self.loops) + PADDING;
        Size { width, height: height.max(28.0) }
    }

    /// Where the base of the name is, and that of the first line, from the top of the box.
    pub(super) fn bases(&self) -> (f64, f64) {
        let name = if self.loops.is_empty() { 18.5 } else { 16.0 };
        (name, NAME + 12.0)
    }
}

impl Edge {
    pub(super) fn size(&self) -> Size {
        let widest = self.label.iter().map(|line| text::width(line)).fold(0.0, f64::max);
        Size { width: widest + 6.0, height: lines(&self.label) + 2.0 }
    }
}

fn lines(lines: &[String]) -> f64 {
    LINE * u16::try_from(lines.len()).map_or(0.0, f64::from)
}
