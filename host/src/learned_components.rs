//! A learned model with all its names: the components of a hypothesis, and their product.
//!
//! The name of a component is what it knows, in the first of these forms in which all components
//! differ:
//!
//! ```text
//! OK,READY         the outputs that it has: no other component has them
//! inputs on,off    the inputs after which it has an output: after these no other component has one
//! on/OK,off/OK     the pairs of an input and an output that it has
//! ```
//!
//! With chosen or per-input projections, inputs come before outputs. A single component with
//! several outputs is named `all`, and a component without a known output `unknown`. The names
//! depend only on the projections and the components, so a component read from a result has the
//! same name as when it was learned.

use std::collections::{BTreeSet, HashSet};

use mealybug_core::{Division, Hypothesis, Input, Output, Projections};

use crate::escape::escape;
use crate::machine::{Gaps, Machine, ProductComponent, ProductError, product};
use crate::names::{make_different, names_of, visible_text};

/// The name of a component that sees all outputs.
const ALL_OUTPUTS: &str = "all";

/// The name of a component without outputs.
const UNKNOWN: &str = "unknown";

/// The components of a hypothesis, copied out of its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedComponents {
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The names of the outputs, in the order in which they appeared.
    pub outputs: Vec<String>,
    /// What the components divide among them.
    pub division: Division,
    /// The names of the components, all different.
    pub names: Vec<String>,
    /// The components.
    pub components: Vec<ProductComponent>,
}

impl LearnedComponents {
    /// Copies a hypothesis of a session with these projections. `inputs` names its inputs.
    ///
    /// # Panics
    /// If the hypothesis has another number of inputs.
    pub fn new(hypothesis: Hypothesis<'_>, inputs: &[String], projections: Projections) -> Self {
        assert_eq!(hypothesis.inputs() as usize, inputs.len(), "each input has a name");
        let outputs = || (0..hypothesis.outputs()).map(Output::new);
        let names: Vec<_> = outputs().map(|output| hypothesis.output_name(output)).collect();
        // As in the bytes of a result, in which an output has one component.
        let owners = outputs().map(|output| hypothesis.component_of(output).unwrap_or_default());
        let outputs = names_of(&names).into_iter().zip(owners);
        let components = hypothesis.components().map(|c| ProductComponent::from(&c)).collect();
        Self::assemble(inputs.to_vec(), outputs.collect(), components, projections)
    }

    /// Assembles what was read. Each output comes with the number of its component, or any number
    /// if several components have it. The states of the components are renumbered breadth first.
    pub fn assemble(
        inputs: Vec<String>,
        outputs: Vec<(String, u32)>,
        components: Vec<ProductComponent>,
        projections: Projections,
    ) -> Self {
        let components: Vec<_> = components.iter().map(ProductComponent::renumbered).collect();
        let pairs: Vec<_> = components.iter().map(known_pairs).collect();
        let (outputs, owners): (Vec<_>, Vec<_>) = outputs.into_iter().unzip();
        let by_input = matches!(projections, Projections::PerInput | Projections::Chosen);
        let (division, mut names) = names(&inputs, &outputs, &owners, &pairs, by_input);
        make_different(&mut names);
        Self { inputs, outputs, division, names, components }
    }

    /// The number of unconfirmed transitions in all components.
    pub fn gaps(&self) -> Gaps {
        self.components.iter().map(ProductComponent::gaps).sum()
    }

    /// The minimal machine that the components make together.
    ///
    /// # Errors
    /// The components contradict each other, or the machine has more than `max_states` states.
    pub fn product(&self, max_states: u32) -> Result<Machine, ProductError> {
        product(&self.components, &self.inputs, &self.outputs, max_states)
    }
}

/// An input and its output, as numbers.
type PairNumbers = (usize, usize);

/// The inputs and outputs of all transitions whose output belongs to the component.
fn known_pairs(component: &ProductComponent) -> BTreeSet<PairNumbers> {
    let places = (0..component.states())
        .flat_map(|state| (0..component.inputs()).map(move |input| (state, Input::new(input))));
    let pairs = places.filter_map(|(state, input)| {
        let output = component.transition(state, input)?.output?;
        Some((input.index() as usize, output.index() as usize))
    });
    pairs.collect()
}

/// The division and the names of components with these outputs and pairs. With `by_input`, inputs
/// come first if both inputs and outputs divide the components.
fn names(
    inputs: &[String],
    outputs: &[String],
    owners: &[u32],
    pairs: &[BTreeSet<PairNumbers>],
    by_input: bool,
) -> (Division, Vec<String>) {
    if pairs.len() == 1 {
        let name = if let [only] = outputs { only } else { ALL_OUTPUTS };
        return (Division::Whole, vec![name.to_owned()]);
    }
    if by_input && is_divided(pairs, input) {
        return (Division::Inputs, pairs.iter().map(|pairs| input_name(pairs, inputs)).collect());
    }
    let own = |component: usize| {
        let is_own = move |&output: &usize| owners[output] as usize == component;
        (0..outputs.len()).filter(is_own)
    };
    let is_own = |(component, pairs): (usize, &BTreeSet<PairNumbers>)| {
        pairs.iter().all(|&(_, output)| owners[output] as usize == component)
    };
    if pairs.iter().enumerate().all(is_own) {
        let name = |component| own(component).map(|output| outputs[output].clone()).collect();
        return (Division::Outputs, (0..pairs.len()).map(name).map(join).collect());
    }
    if is_divided(pairs, output) {
        let name = |pairs| distinct(pairs, output).map(|output| outputs[output].clone()).collect();
        return (Division::Outputs, pairs.iter().map(name).map(join).collect());
    }
    if is_divided(pairs, input) {
        return (Division::Inputs, pairs.iter().map(|pairs| input_name(pairs, inputs)).collect());
    }
    let pair = |&(input, output): &PairNumbers| format!("{}/{}", inputs[input], outputs[output]);
    let name = |pairs: &BTreeSet<PairNumbers>| join(pairs.iter().map(pair).collect());
    (Division::Pairs, pairs.iter().map(name).collect())
}

/// The name of a component, from the inputs in its pairs.
fn input_name(pairs: &BTreeSet<PairNumbers>, inputs: &[String]) -> String {
    let own: Vec<_> = distinct(pairs, input).map(|input| inputs[input].as_str()).collect();
    match &own[..] {
        [] => UNKNOWN.to_owned(),
        [only] => format!("input {only}"),
        _ => format!("inputs {}", own.join(",")),
    }
}

fn input(pair: &PairNumbers) -> usize {
    pair.0
}

fn output(pair: &PairNumbers) -> usize {
    pair.1
}

/// Whether the components share no input or no output; `of` selects which.
fn is_divided(pairs: &[BTreeSet<PairNumbers>], of: fn(&PairNumbers) -> usize) -> bool {
    let mut seen = HashSet::new();
    pairs.iter().flat_map(|pairs| distinct(pairs, of)).all(|part| seen.insert(part))
}

fn distinct(
    pairs: &BTreeSet<PairNumbers>,
    of: fn(&PairNumbers) -> usize,
) -> impl Iterator<Item = usize> {
    pairs.iter().map(of).collect::<BTreeSet<_>>().into_iter()
}

fn join(parts: Vec<String>) -> String {
    if parts.is_empty() { UNKNOWN.to_owned() } else { parts.join(",") }
}

/// The name of what a device of this crate said: these devices answer by names. Other bytes are escaped.
pub fn output_name(bytes: &[u8]) -> String {
    visible_text(bytes).map_or_else(|| escape(bytes), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    /// An output after each of two inputs, if the component has one.
    type OutputPair = [Option<u32>; 2];

    /// The component of each output, the components, the division, and the names.
    type DividedCase<'a> = ([u32; 2], &'a [OutputPair], Division, &'a [&'a str]);

    /// Components of one state with the inputs a and b and the outputs x and y; each has these outputs after a and b.
    fn assembled(
        owners: [u32; 2],
        components: &[OutputPair],
        projections: Projections,
    ) -> LearnedComponents {
        let component = |outputs: &OutputPair| {
            let lambda = outputs.map(|output| output.map(Output::new)).to_vec();
            ProductComponent::new(2, 0, vec![0; 2], lambda)
        };
        let outputs = ["x", "y"].into_iter().map(str::to_owned).zip(owners).collect();
        LearnedComponents::assemble(
            strings(&["a", "b"]),
            outputs,
            components.iter().map(component).collect(),
            projections,
        )
    }

    #[test]
    fn components_are_named_after_what_they_divide() {
        let (x, y) = (Some(0), Some(1));
        let cases: [DividedCase<'_>; 10] = [
            ([0, 0], &[[x, y]], Division::Whole, &["all"]),
            ([1, 0], &[[None, y], [x, None]], Division::Outputs, &["y", "x"]),
            ([0, 0], &[[x, y], [None, None]], Division::Outputs, &["x,y", "unknown"]),
            // A result contains 0 if the component of an output is not known.
            ([0, 0], &[[None, y], [x, None]], Division::Outputs, &["y", "x"]),
            ([0, 0], &[[x, None], [None, x]], Division::Inputs, &["input a", "input b"]),
            ([0, 0], &[[None, None], [x, y]], Division::Outputs, &["unknown", "x,y"]),
            (
                [0, 0],
                &[[None, None], [x, None], [None, None], [None, x]],
                Division::Inputs,
                &["unknown", "input a", "unknown (2)", "input b"],
            ),
            (
                [0, 0],
                &[[x, y], [None, None], [y, x]],
                Division::Pairs,
                &["a/x,b/y", "unknown", "a/y,b/x"],
            ),
            // Components that contradict each other have names, too.
            ([0, 0], &[[x, None], [x, y]], Division::Pairs, &["a/x", "a/x,b/y"]),
            ([0, 0], &[[x, x], [x, x]], Division::Pairs, &["a/x,b/x", "a/x,b/x (2)"]),
        ];
        for (owners, components, division, names) in cases {
            for projections in [Projections::PerOutput, Projections::PerPair] {
                let learned = assembled(owners, components, projections);
                assert_eq!(learned.division, division, "{components:?}");
                assert_eq!(learned.names, strings(names), "{components:?}");
            }
        }
        // Both inputs and outputs divide these components.
        for projections in [Projections::PerInput, Projections::Chosen] {
            let learned = assembled([1, 0], &[[None, y], [x, None]], projections);
            assert_eq!(learned.division, Division::Inputs);
            assert_eq!(learned.names, ["input b", "input a"]);
            let learned = assembled([0, 0], &[[x, x], [y, None]], projections);
            assert_eq!(learned.names, ["x", "y"]);
        }
    }

    #[test]
    fn several_inputs_make_one_name() {
        let (x, y) = (Some(Output::new(0)), Some(Output::new(1)));
        let component =
            |lambda: &[Option<Output>]| ProductComponent::new(3, 0, vec![0; 3], lambda.to_vec());
        let components = vec![component(&[x, None, y]), component(&[None, y, None])];
        let outputs = strings(&["on", "off"]).into_iter().map(|name| (name, 0)).collect();
        let learned = LearnedComponents::assemble(
            strings(&["1", "a b", "enter"]),
            outputs,
            components,
            Projections::Chosen,
        );
        assert_eq!(learned.names, ["inputs 1,enter", "input a b"]);
    }
}
