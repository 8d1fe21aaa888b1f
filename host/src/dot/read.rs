//! Turns a graph into a machine.

use mealybug_core::{Input, Mealy};
use miette::SourceSpan;

use super::error::{DotError, DotFault};
use super::graph::{DotEdge, DotGraph};
use super::label;
use crate::machine::{Builder, Machine, MachineError};

/// The text of a DOT file, which must be UTF-8. Errors use `name` for the file.
///
/// # Errors
/// It has another encoding.
pub fn decode(name: &str, bytes: &[u8]) -> Result<String, Box<DotError>> {
    let wrong = match str::from_utf8(bytes) {
        Ok(text) => return Ok(text.to_owned()),
        Err(error) => error.valid_up_to(),
    };
    let before = &bytes[..wrong];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let fault = DotFault::Encoding {
        line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
        byte: wrong - line_start + 1,
        value: bytes[wrong],
        at: (wrong, char::REPLACEMENT_CHARACTER.len_utf8()).into(),
    };
    Err(Box::new(DotError::new(fault, name, &String::from_utf8_lossy(bytes))))
}

/// Reads the machine in a DOT file. Errors use `name` for the file.
///
/// States, inputs and outputs are numbered in the order in which their names appear. A node that no
/// edge touches is not a state. If a state has no transition for an input that another state has,
/// the transition is unknown and the machine is partial.
///
/// # Errors
/// The file is not DOT, a label cannot be interpreted, or the machine is nondeterministic. The
/// error points into the file.
pub fn read(name: &str, text: &str) -> Result<Machine, Box<DotError>> {
    DotGraph::parse(text)
        .and_then(|graph| machine(&graph, &StateNumbers::new(&graph, initial(&graph)?)))
        .map_err(|fault| Box::new(DotError::new(fault, name, text)))
}

/// Reads the machine in a DOT file, as [`read`] does, but refuses a partial one.
///
/// # Errors
/// As [`read`], and the machine is partial.
pub fn read_complete(name: &str, text: &str) -> Result<Machine, Box<DotError>> {
    DotGraph::parse(text)
        .and_then(|graph| complete_machine(&graph))
        .map_err(|fault| Box::new(DotError::new(fault, name, text)))
}

fn complete_machine(graph: &DotGraph<'_>) -> Result<Machine, DotFault> {
    let states = StateNumbers::new(graph, initial(graph)?);
    let machine = machine(graph, &states)?;
    let places = (0..machine.states()).flat_map(|state| {
        (0..Mealy::inputs(&machine)).map(move |input| (state, Input::new(input)))
    });
    let unknown = |&(state, input): &(u32, Input)| machine.transition(state, input).is_none();
    let Some((state, input)) = { places }.find(unknown) else { return Ok(machine) };
    let state = &graph.nodes[states.nodes[state as usize]];
    let input = machine.input_name(input).to_owned();
    Err(DotFault::Incomplete {
        state: state.name.to_string(),
        at: state.at,
        elsewhere: find(graph, &input, |_| true),
        input,
    })
}

fn machine(graph: &DotGraph<'_>, states: &StateNumbers) -> Result<Machine, DotFault> {
    let mut builder = Builder::default();
    for edge in transitions(graph) {
        for (input, output) in said(edge)? {
            let [from, to] = [edge.from, edge.to].map(|node| states.number(node));
            builder.add_as(from, &input, to, &output, edge.is_open).map_err(|error| {
                let MachineError::Nondeterministic { input, .. } = error else {
                    unreachable!("it need not be complete");
                };
                DotFault::Nondeterministic {
                    state: graph.nodes[edge.from].name.to_string(),
                    first: find(graph, &input, |other| other.from == edge.from),
                    second: edge.at,
                    input,
                }
            })?;
        }
    }
    Ok(builder.build_partial(states.initial))
}

/// Whether an edge is a transition, that is, has a label.
fn is_transition(edge: &DotEdge<'_>) -> bool {
    edge.label.is_some_and(|label| !label::is_blank(label))
}

fn transitions<'g, 'a>(graph: &'g DotGraph<'a>) -> impl Iterator<Item = &'g DotEdge<'a>> {
    graph.edges.iter().filter(|edge| is_transition(edge))
}

/// The transitions in an edge's label.
fn said(edge: &DotEdge<'_>) -> Result<Vec<(String, String)>, DotFault> {
    edge.label
        .map_or(Ok(Vec::new()), label::transitions)
        .map_err(|(problem, help)| DotFault::Label { problem, help, at: edge.at })
}

/// The position of the first transition for `input` among the edges that `of` selects.
fn find(graph: &DotGraph<'_>, input: &str, of: impl Fn(&DotEdge<'_>) -> bool) -> SourceSpan {
    let says = |edge: &&DotEdge<'_>| {
        of(edge) && said(edge).is_ok_and(|said| said.iter().any(|(known, _)| known == input))
    };
    transitions(graph).find(says).map_or(graph.head, |edge| edge.at)
}

/// The node that is the initial state. A transition leaves it: else no other state could be reached.
fn initial(graph: &DotGraph<'_>) -> Result<usize, DotFault> {
    let initial = marked_initial(graph)?;
    if transitions(graph).any(|edge| edge.from == initial) {
        return Ok(initial);
    }
    let node = &graph.nodes[initial];
    Err(DotFault::NoWayOut { node: node.name.to_string(), at: node.at })
}

/// The node to which an edge from a start node leads; without a start node the first one that is a state.
fn marked_initial(graph: &DotGraph<'_>) -> Result<usize, DotFault> {
    let is_state = |node| transitions(graph).any(|edge| edge.from == node || edge.to == node);
    let Some(first) = (0..graph.nodes.len()).find(|&node| is_state(node)) else {
        return Err(DotFault::NoTransitions { at: graph.head });
    };
    let mut arrows = graph.edges.iter().filter(|edge| !is_transition(edge));
    let Some(arrow) = arrows.next() else {
        let start = graph.nodes.iter().find(|node| node.name.starts_with("__start"));
        return start.map_or(Ok(first), |start| {
            Err(DotFault::NoInitialState { node: start.name.to_string(), at: start.at })
        });
    };
    // A start node is not a state: no transition begins or ends there.
    if let Some(at) = [arrow].into_iter().chain(arrows.clone()).find(|edge| is_state(edge.from)) {
        return Err(DotFault::Label {
            problem: "is missing",
            help: "write `[label=\"input / output\"]` after it",
            at: at.at,
        });
    }
    match arrows.next() {
        None => Ok(arrow.to),
        Some(second) => Err(DotFault::TwoInitialStates { first: arrow.at, second: second.at }),
    }
}

/// The nodes that are states.
struct StateNumbers {
    /// The node of each state.
    nodes: Vec<usize>,
    /// The state of each node, or `None` if the node is not a state.
    numbers: Vec<Option<u32>>,
    initial: u32,
}

impl StateNumbers {
    fn new(graph: &DotGraph<'_>, initial: usize) -> Self {
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
        let mut states = Self { nodes, numbers, initial: 0 };
        states.initial = states.number(initial);
        states
    }

    fn number(&self, node: usize) -> u32 {
        self.numbers[node].expect("an end of a transition is a state")
    }
}
