//! Combines the components that were learned into one machine.
//!
//! A component knows some of the outputs. For each transition it knows either which of these
//! outputs occurs, or that *another output* does. When the components run side by side on the same
//! inputs, exactly one of them knows the output of each transition. If none or several do, they
//! contradict each other: a *defect*.
//!
//! A component may be partial. If a component does not know a transition, because it was never
//! asked, the product does not know it either. If a target is a guess in a component, it is a guess
//! in the product.
//!
//! Koenders & Moerman, *Output-decomposed Learning of Mealy Machines*, 2024.

use std::collections::BTreeMap;

use mealybug_core::{Input, Knowledge, Mealy, Output, product_output};
use thiserror::Error;

use super::explore::WalkStep;
use super::{ExploreError, Gaps, Machine, Transition};

/// The name for any output that is not one of a component's own.
const ANOTHER: &str = "·";

/// A machine that sees only some of the outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductComponent {
    inputs: u32,
    initial: u32,
    /// As in a [`Machine`]. The output `None` is any output that is not one of the component's own.
    table: Vec<Option<ComponentTransition>>,
}

/// A transition of a component. Its output is `None` if it is not one of the component's own.
pub type ComponentTransition = Transition<Option<Output>>;

impl ProductComponent {
    /// A component that knows all its transitions. The tables hold states × inputs, row-major: the
    /// target of each transition, and its output or `None` for an output that is not one of its
    /// own.
    ///
    /// # Panics
    /// If the tables have different sizes, are not made of whole rows, or name a state without a
    /// row.
    pub fn new(inputs: u32, initial: u32, delta: Vec<u32>, lambda: Vec<Option<Output>>) -> Self {
        assert_eq!(delta.len(), lambda.len(), "one output for each transition");
        let transitions = delta.into_iter().zip(lambda);
        let confirmed = |(target, output)| Some(Transition { target, output, is_open: false });
        Self::partial(inputs, initial, transitions.map(confirmed).collect())
    }

    /// A component from its table, states × inputs, row-major. `None` is an unknown transition.
    ///
    /// # Panics
    /// If the table is not made of whole rows, or names a state without a row.
    pub fn partial(inputs: u32, initial: u32, table: Vec<Option<ComponentTransition>>) -> Self {
        assert_eq!(table.len() % inputs.max(1) as usize, 0, "whole rows");
        let component = Self { inputs, initial, table };
        let states = component.states();
        assert!(initial < states, "the initial state has a row");
        let mut known = component.table.iter().flatten();
        assert!(known.all(|known| known.target < states), "each state has a row");
        component
    }

    /// The number of states.
    pub fn states(&self) -> u32 {
        // Without inputs, states cannot be told apart, so there is one.
        super::number(self.table.len()).checked_div(self.inputs).unwrap_or(1)
    }

    /// The number of inputs.
    pub const fn inputs(&self) -> u32 {
        self.inputs
    }

    /// The initial state.
    pub const fn initial(&self) -> u32 {
        self.initial
    }

    /// The transition from `state` on `input`; `None` if it is unknown.
    ///
    /// # Panics
    /// If the component has no such state or input.
    pub fn transition(&self, state: u32, input: Input) -> Option<ComponentTransition> {
        assert!(input.index() < self.inputs, "no such input");
        self.table[state as usize * self.inputs as usize + input.index() as usize]
    }

    /// The number of transitions that are not confirmed.
    pub fn gaps(&self) -> Gaps {
        Gaps::count(&self.table)
    }
}

impl ProductComponent {
    /// The same component with its states numbered breadth first; unreachable states come last.
    #[must_use]
    pub fn renumbered(&self) -> Self {
        let states = self.states();
        let mut numbers = vec![None; states as usize];
        let mut order = Vec::with_capacity(numbers.len());
        let mut meet = |state: u32, order: &mut Vec<u32>| {
            if numbers[state as usize].is_none() {
                numbers[state as usize] = Some(super::number(order.len()));
                order.push(state);
            }
        };
        for start in std::iter::once(self.initial).chain(0..states) {
            let mut at = order.len();
            meet(start, &mut order);
            while let Some(&state) = order.get(at) {
                for input in (0..self.inputs).map(Input::new) {
                    if let Some(known) = self.transition(state, input) {
                        meet(known.target, &mut order);
                    }
                }
                at += 1;
            }
        }
        let rows =
            order.iter().flat_map(|&state| (0..self.inputs).map(move |input| (state, input)));
        let renumbered = |known: ComponentTransition| {
            let target = numbers[known.target as usize].expect("all are met");
            Transition { target, ..known }
        };
        let table =
            rows.map(|(state, input)| self.transition(state, Input::new(input)).map(renumbered));
        Self::partial(self.inputs, 0, table.collect())
    }

    /// The component as a machine. `inputs` and `outputs` name its inputs and outputs. Any other
    /// output is named `·`, or with more dots if one of `outputs` has that name.
    ///
    /// # Panics
    /// If the component has an input or an output without a name.
    pub fn named(&self, inputs: &[String], outputs: &[String]) -> Machine {
        assert_eq!(self.inputs as usize, inputs.len(), "each input has a name");
        let mut another = ANOTHER.to_owned();
        while outputs.contains(&another) {
            another.push_str(ANOTHER);
        }
        let unnamed = Output::new(super::number(outputs.len()));
        let named = |Transition { target, output, is_open }: ComponentTransition| Transition {
            target,
            output: output.unwrap_or(unnamed),
            is_open,
        };
        let machine = Machine {
            inputs: inputs.to_vec(),
            outputs: outputs.iter().cloned().chain([another]).collect(),
            initial: self.initial,
            table: self.table.iter().map(|known| known.map(named)).collect(),
            states: self.states(),
            state_names: BTreeMap::new(),
        };
        assert!(machine.check_invariants(), "each output has a name");
        machine
    }
}

/// Copies a component of a session's hypothesis.
impl From<&mealybug_core::Component<'_>> for ProductComponent {
    fn from(learned: &mealybug_core::Component<'_>) -> Self {
        let inputs = learned.inputs();
        let places = (0..learned.states())
            .flat_map(|state| (0..inputs).map(move |input| (state, Input::new(input))));
        let table = places.map(|(state, input)| {
            let knowledge = learned.knowledge(state, input);
            let mut target = state;
            let output = learned.step(&mut target, input);
            let is_open = knowledge == Knowledge::Open;
            (knowledge != Knowledge::Unknown).then_some(Transition { target, output, is_open })
        });
        Self::partial(inputs, learned.initial(), table.collect())
    }
}

/// Components side by side. A transition is a defect unless exactly one component knows its output.
#[derive(Clone, Copy, Debug)]
pub struct ProductWalk<'a> {
    inputs: u32,
    components: &'a [ProductComponent],
    /// Whether a component has gaps. A contradiction may then come from a guess.
    is_partial: bool,
}

impl<'a> ProductWalk<'a> {
    /// The product of `components`, each of which has `inputs` inputs.
    ///
    /// # Panics
    /// If a component has another number of inputs.
    pub fn new(inputs: u32, components: &'a [ProductComponent]) -> Self {
        assert!(components.iter().all(|component| component.inputs == inputs), "the same inputs");
        let is_partial = components.iter().any(|component| !component.gaps().is_empty());
        Self { inputs, components, is_partial }
    }

    /// The transition of each component on `input`; `None` where a component does not know it.
    fn known<'s>(
        &'s self,
        state: &'s [u32],
        input: Input,
    ) -> impl Iterator<Item = Option<ComponentTransition>> + 's {
        self.components
            .iter()
            .zip(state)
            .map(move |(component, &state)| component.transition(state, input))
    }

    /// Moves all components along `input`, unless one of them does not know its target.
    fn take(&self, state: &mut [u32], input: Input) -> WalkStep {
        if self.known(state, input).any(|known| known.is_none()) {
            return WalkStep::Unknown;
        }
        let mut is_open = false;
        let moved = self.components.iter().zip(state).filter_map(|(component, state)| {
            let known = component.transition(*state, input)?;
            *state = known.target;
            is_open |= known.is_open;
            Some(known.output)
        });
        match product_output(moved) {
            Ok(output) => WalkStep::Known { output, is_open },
            // The contradiction may come from a guess.
            Err(_) if self.is_partial => WalkStep::Unknown,
            Err(_) => WalkStep::Defect,
        }
    }
}

impl Mealy for ProductWalk<'_> {
    /// The states of the components, one after the other.
    type State = Box<[u32]>;

    fn inputs(&self) -> u32 {
        self.inputs
    }

    fn initial(&self) -> Box<[u32]> {
        self.components.iter().map(ProductComponent::initial).collect()
    }

    /// `None` if the components contradict each other, or if one of them does not know the
    /// transition.
    fn step(&self, state: &mut Box<[u32]>, input: Input) -> Option<Output> {
        match self.take(state, input) {
            WalkStep::Known { output, .. } => Some(output),
            WalkStep::Unknown | WalkStep::Defect => None,
        }
    }
}

/// Why components have no product.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProductError {
    /// The components contradict each other.
    #[error(
        "the components contradict each other at the end of the word `{}`: {}",
        .word.join(" "), claims(.outputs)
    )]
    Defect {
        /// A shortest word whose last input shows the contradiction, as names of inputs.
        word: Vec<String>,
        /// The outputs that components claim there: none, or several.
        outputs: Vec<String>,
    },
    /// The product has more states than allowed.
    #[error("the product of the components has more than {max_states} states")]
    TooManyStates {
        /// The number of states allowed.
        max_states: u32,
    },
}

/// The claims of components that contradict each other, as text.
fn claims(outputs: &[String]) -> String {
    match outputs {
        [] => "none of them knows the output".to_owned(),
        several => format!("they know the outputs `{}`", several.join("`, `")),
    }
}

/// The minimal machine that `components` make together.
///
/// `inputs` and `outputs` name the inputs and outputs of the components.
///
/// # Errors
/// The components contradict each other after some word, or more than `max_states` states of their
/// product are reachable. If each component is minimal and none contradict each other, the number
/// of reachable states is the size of the minimal machine: states that differ in a component differ
/// in the outputs that it knows.
///
/// # Panics
/// If the number of names differs from a component's number of inputs, or an output has no name.
///
/// # Cost
/// Reachable states × inputs × components steps, and one hashed tuple for each reachable state.
pub fn product(
    components: &[ProductComponent],
    inputs: &[String],
    outputs: &[String],
    max_states: u32,
) -> Result<Machine, ProductError> {
    let product = ProductWalk::new(super::number(inputs.len()), components);
    let step = |state: &mut Box<[u32]>, input| product.take(state, input);
    match Machine::explore_by(product.initial(), step, inputs, outputs, max_states) {
        Ok(machine) => Ok(machine.minimise()),
        Err(ExploreError::TooManyStates { max_states }) => {
            Err(ProductError::TooManyStates { max_states })
        }
        Err(ExploreError::Defect { word }) => {
            let mut state = product.initial();
            let mut known = Vec::new();
            for &input in &word {
                let outputs = product.known(&state, input).flatten().filter_map(|said| said.output);
                known = outputs.collect();
                product.take(&mut state, input);
            }
            let word = word.iter().map(|input| inputs[input.index() as usize].clone());
            let known = known.iter().map(|output| outputs[output.index() as usize].clone());
            Err(ProductError::Defect { word: word.collect(), outputs: known.collect() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, partial, random};
    use super::super::{Builder, number};
    use super::*;

    /// What a component sees of `machine`; `of` selects the component's outputs.
    fn component(machine: &Machine, of: impl Fn(Output) -> bool) -> ProductComponent {
        let seen = |known: Transition| Transition {
            target: known.target,
            output: Some(known.output).filter(|&output| of(output)),
            is_open: known.is_open,
        };
        let table = machine.table.iter().map(|known| known.map(seen));
        ProductComponent::partial(Mealy::inputs(machine), machine.initial, table.collect())
    }

    #[test]
    fn the_components_of_a_machine_make_it_again() {
        let mut random_source = Random::new(4);
        for make in [random, partial].into_iter().cycle().take(200) {
            let machine = make(&mut random_source, 15, 3, 5);
            let components: Vec<_> = (0..number(machine.outputs.len()))
                .map(|own| component(&machine, |output| output.index() == own))
                .collect();
            let made = product(&components, machine.inputs(), machine.outputs(), u32::MAX);
            assert_eq!(made, Ok(machine.minimise()));
            let pairs: Vec<_> =
                (0..3).map(|own| component(&machine, |output| output.index() / 2 == own)).collect();
            let made = product(&pairs, machine.inputs(), machine.outputs(), u32::MAX);
            assert_eq!(made, Ok(machine.minimise()));
        }
    }

    #[test]
    fn numbering_anew_changes_nothing_else() {
        let mut source = Random::new(8);
        for make in [random, partial].into_iter().cycle().take(200) {
            let machine = make(&mut source, 15, 3, 5);
            let component = component(&machine, |output| output.index() < 2);
            let again = component.renumbered();
            assert_eq!(again.states(), component.states());
            assert_eq!(again.renumbered(), again);
            let [one, other] =
                [&component, &again].map(|c| c.named(machine.inputs(), machine.outputs()));
            assert_eq!(super::super::separate(&one, &other), Ok(None));
            assert_eq!(again.gaps(), component.gaps());
            if other.gaps().unknown > 0 {
                continue;
            }
            let walked = Machine::explore(&other, other.inputs(), other.outputs(), u32::MAX);
            let targets = |machine: &Machine| {
                machine.transitions().map(|(.., known)| known.target).collect::<Vec<_>>()
            };
            let reached = targets(&walked.expect("complete"));
            assert_eq!(targets(&other)[..reached.len()], reached, "breadth first");
        }
    }

    #[test]
    fn another_output_is_never_one_of_the_components_own() {
        let names = |names: [&str; 2]| names.map(str::to_owned);
        let lambda = vec![Some(Output::new(0)), None, None, None];
        let component = ProductComponent::new(2, 1, vec![0, 1, 1, 0], lambda);
        let machine = component.named(&names(["a", "b"]), &names(["·", "x"]));
        assert_eq!((machine.states(), machine.initial()), (2, 1));
        let transitions: Vec<_> = machine.named_transitions().collect();
        let expected = [(0, "a", 0, "·"), (0, "b", 1, "··"), (1, "a", 1, "··"), (1, "b", 0, "··")];
        assert_eq!(transitions, expected);
        let machine = component.named(&names(["a", "b"]), &names(["x", "y"]));
        assert_eq!(machine.outputs(), ["x", "y", "·"]);
    }

    /// The second component never saw the second input, and its target on the third is a guess.
    #[test]
    fn the_product_knows_what_all_components_know() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let x = Some(Output::new(0));
        let said = |output, is_open| Some(Transition { target: 0, output, is_open });
        let first = [x, x, x].map(|output| said(output, false));
        let second = [said(None, false), None, said(None, true)];
        let components = [first, second].map(|row| ProductComponent::partial(3, 0, row.to_vec()));
        let (inputs, outputs) = (names(&["a", "b", "c"]), names(&["x"]));
        let made = product(&components, &inputs, &outputs, 9).expect("no defect");
        let mut expected = Builder::default();
        expected.add(0, "a", 0, "x").expect("new");
        expected.add(1, "b", 0, "x").expect("names the input");
        expected.add_open(0, "c", 0, "x").expect("new");
        assert_eq!(made, expected.build_partial(0).minimise());
        // After `b` no component claims an output. A guess may be the cause, so the transition is
        // unknown.
        let silent = [None, said(None, false), said(x, true)].to_vec();
        let alone = [ProductComponent::partial(3, 0, silent)];
        let made = product(&alone, &inputs, &outputs, 9).expect("no defect");
        assert_eq!(made.gaps(), Gaps { open: 1, unknown: 2 });
        // If everything is known, the same is a defect.
        let silent = [said(x, false), said(None, false), said(x, false)].to_vec();
        let alone = [ProductComponent::partial(3, 0, silent)];
        let error = product(&alone, &inputs, &outputs, 9).expect_err("a defect at `b`");
        assert!(error.to_string().contains("the word `b`"), "{error}");
    }

    #[test]
    fn a_defect_says_where_and_what() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (inputs, outputs) = (names(&["go", "stay"]), names(&["x", "y"]));
        let [x, y] = [0, 1].map(|index| Some(Output::new(index)));
        let first = ProductComponent::new(2, 0, vec![1, 0, 1, 1], vec![x, x, None, x]);
        let defect = |second: &[Option<Output>]| {
            let second = ProductComponent::new(2, 0, vec![1, 0, 1, 1], second.to_vec());
            product(&[first.clone(), second], &inputs, &outputs, 9)
                .expect_err("a defect")
                .to_string()
        };
        assert_eq!(
            defect(&[None, None, None, None]),
            "the components contradict each other at the end of the word `go go`: \
             none of them knows the output"
        );
        assert_eq!(
            defect(&[None, None, y, y]),
            "the components contradict each other at the end of the word `go stay`: \
             they know the outputs `x`, `y`"
        );
    }

    #[test]
    fn the_bound_is_exact() {
        // Three rings of 2, 3 and 5 states. The first knows all outputs.
        let [x, y] = [0, 1].map(|index| Some(Output::new(index)));
        let ring = |len: u32, lambda: &dyn Fn(u32) -> Option<Output>| {
            let delta = (0..len).map(|state| (state + 1) % len).collect();
            ProductComponent::new(1, 0, delta, (0..len).map(lambda).collect())
        };
        let outputs = ["x".to_owned(), "y".to_owned()];
        let inputs = ["tick".to_owned()];
        let first = ring(2, &|state| if state == 0 { x } else { y });
        let rings = [first, ring(3, &|_| None), ring(5, &|_| None)];
        let made = product(&rings, &inputs, &outputs, 30).expect("thirty states");
        assert_eq!(made.states(), 2, "the rings that know nothing vanish");
        let error = ProductError::TooManyStates { max_states: 29 };
        assert_eq!(product(&rings, &inputs, &outputs, 29), Err(error));
    }
}
