//! From a graph to a machine.

use miette::SourceSpan;

use super::error::{DotError, Fault};
use super::graph::{Edge, Graph};
use super::label;
use crate::machine::{Builder, Machine, MachineError};

/// The machine in a DOT file. `name` is how errors call the file.
///
/// States are numbered in the order in which their names appear, inputs and outputs as well. A node
/// that no edge touches is not a state.
///
/// # Errors
/// The file is not DOT, a label has no clear reading, or the machine is nondeterministic or
/// incomplete. The error points into the file.
pub fn read(name: &str, text: &str) -> Result<Machine, Box<DotError>> {
    Graph::parse(text)
        .and_then(|graph| machine(&graph))
        .map_err(|fault| Box::new(DotError::new(fault, name, text)))
}

fn machine(graph: &Graph<'_>) -> Result<Machine, Fault> {
    let initial = initial(graph)?;
    let states = States::new(graph, initial);
    let mut builder = Builder::default();
    for edge in transitions(graph) {
        for (input, output) in said(edge)? {
            let [from, to] = [edge.from, edge.to].map(|node| states.number(node));
            builder.add(from, &input, to, &output).map_err(|error| {
                let MachineError::Nondeterministic { input, .. } = error else {
                    unreachable!("whether it is complete is asked later");
                };
                Fault::Nondeterministic {
                    state: graph.nodes[edge.from].name.to_string(),
                    first: find(graph, &input, |other| other.from == edge.from),
                    second: edge.at,
                    input,
                }
            })?;
        }
    }
    builder.build(states.number(initial)).map_err(|error| {
        let MachineError::Incomplete { state, input } = error else {
            unreachable!("whether it is deterministic was asked before");
        };
        let state = &graph.nodes[states.nodes[state as usize]];
        Fault::Incomplete {
            state: state.name.to_string(),
            at: state.at,
            elsewhere: find(graph, &input, |_| true),
            input,
        }
    })
}

/// Whether an edge is a transition: whether it has a label.
fn is_transition(edge: &Edge<'_>) -> bool {
    edge.label.is_some_and(|label| !label::is_blank(label))
}

fn transitions<'g, 'a>(graph: &'g Graph<'a>) -> impl Iterator<Item = &'g Edge<'a>> {
    graph.edges.iter().filter(|edge| is_transition(edge))
}

/// The transitions that an edge says.
fn said(edge: &Edge<'_>) -> Result<Vec<(String, String)>, Fault> {
    edge.label.map_or(Ok(Vec::new()), label::transitions).map_err(|(problem, help)| Fault::Label {
        problem,
        help,
        at: edge.at,
    })
}

/// Where the first transition for `input` stands, among the edges that `of` picks.
fn find(graph: &Graph<'_>, input: &str, of: impl Fn(&Edge<'_>) -> bool) -> SourceSpan {
    let says = |edge: &&Edge<'_>| {
        of(edge) && said(edge).is_ok_and(|said| said.iter().any(|(known, _)| known == input))
    };
    transitions(graph).find(says).map_or(graph.head, |edge| edge.at)
}

/// The node that is the initial state.
fn initial(graph: &Graph<'_>) -> Result<usize, Fault> {
    if transitions(graph).next().is_none() {
        return Err(Fault::NoTransitions { at: graph.head });
    }
    let mut arrows = graph.edges.iter().filter(|edge| !is_transition(edge));
    let Some(arrow) = arrows.next() else {
        let start = graph.nodes.iter().find(|node| node.name.starts_with("__start"));
        return start.map_or(Ok(0), |start| {
            Err(Fault::NoInitialState { node: start.name.to_string(), at: start.at })
        });
    };
    // A start node is no state, so neither end of a transition.
    let is_state = |node| transitions(graph).any(|edge| edge.from == node || edge.to == node);
    if let Some(at) = [arrow].into_iter().chain(arrows.clone()).find(|edge| is_state(edge.from)) {
        return Err(Fault::Label {
            problem: "is missing",
            help: "write `[label=\"input / output\"]` after it",
            at: at.at,
        });
    }
    match arrows.next() {
        None => Ok(arrow.to),
        Some(second) => Err(Fault::TwoInitialStates { first: arrow.at, second: second.at }),
    }
}

/// Which nodes are states.
struct States {
    /// The node of each state.
    nodes: Vec<usize>,
    /// The state of each node, if it is one.
    numbers: Vec<Option<u32>>,
}

impl States {
    fn new(graph: &Graph<'_>, initial: usize) -> Self {
        let mut is_state = vec![false; graph.nodes.len()];
        is_state[initial] = true;
        for edge in transitions(graph) {
            is_state[edge.from] = true;
            is_state[edge.to] = true;
        }
        let nodes: Vec<usize> = (0..is_state.len()).filter(|&node| is_state[node]).collect();
        let mut numbers = vec![None; is_state.len()];
        for (state, &node) in (0..).zip(&nodes) {
            numbers[node] = Some(state);
        }
        Self { nodes, numbers }
    }

    fn number(&self, node: usize) -> u32 {
        self.numbers[node].expect("an end of a transition is a state")
    }
}
