//! A model that is known: nothing is learned, and tests try it at once.
//!
//! The model, such as a golden model from a file, is divided into components like a hypothesis, and
//! gets what tests need: a set of words that tells the states of each component apart, closed under
//! suffixes and found by splitting (Chow, *Testing software design modeled by finite-state machines*,
//! IEEE TSE 4(3), 1978), and a prefix-closed set of access words that reaches every state of every
//! component.

use super::Learner;
use crate::alphabet::{Input, Output};
use crate::error::{Refused, Resource};
use crate::machines::components::Components;
use crate::machines::cover::StateCover;
use crate::machines::minimise::Minimal;
use crate::machines::model::Model;
use crate::machines::product::Product;
use crate::mealy::NumberedMealy;
use crate::memory::{self, Field, Format, Index, Memory, fields, index};
use crate::options::Options;
use crate::outputs::{ComponentId, Outputs};
use crate::prefixes::{Prefixes, Row, Short};
use crate::progress::{Progress, Purpose};
use crate::projection::{Projection, symbol_of};
use crate::suffixes::{Suffix, Suffixes};
use crate::words::{Lane, Words};

index! {
    /// A state of the model.
    State
}

index! {
    /// A state of the model, numbered in the order in which it is reached breadth-first.
    Reached
}

index! {
    /// A state of the component whose states are being told apart.
    ComponentState
}

index! {
    /// An output, as the model numbers it.
    ModelOutput
}

/// Which blocks.
#[derive(Clone, Copy)]
enum Round {
    Before,
    Now,
}

impl Index for Round {
    #[inline]
    fn index(self) -> u32 {
        self as u32
    }
}

fields! {
    before memory::FIELDS;
    /// When each state is reached, plus one; zero if never.
    ORDER: Field<State> = Format::Packed;
    /// The state that is reached.
    STATE: Field<Reached> = Format::Packed;
    /// The one that it is reached from.
    PARENT: Field<Reached> = Format::Packed;
    /// The input that reaches it.
    INPUT: Field<Reached> = Format::Packed;
    /// Its access word plus one, if it needs one; before it has one, 1 if it needs one.
    ACCESS: Field<Reached> = Format::Packed;
    /// The symbol of each output.
    SYMBOL: Field<ModelOutput> = Format::Packed;
    /// The first state of each state's block, before a suffix has split it and now.
    BLOCK: Field<ComponentState, Round> = Format::Packed;
}

/// A model instead of a learner: a session with it tests at once and ends with the first difference.
#[derive(Clone, Copy, Debug)]
pub struct KnownModel {
    outputs: Outputs,
    model: Model,
    is_refuted: bool,
}

impl KnownModel {
    /// Divides a model into components and finds words for its tests.
    pub(crate) fn new(
        m: &mut Memory<'_>,
        machine: &impl NumberedMealy,
        options: &Options,
    ) -> Result<Self, Refused> {
        let inputs = machine.inputs();
        let mut building = Building { machine, outputs: Outputs::NONE, reached: 0 };
        building.number_outputs(m, options)?;
        building.reach_states(m)?;
        let components = building.make_components(m)?;
        let mut suffixes = Suffixes::new(inputs);
        suffixes.add_inputs(m)?;
        for component in components.iter() {
            tell_apart(m, components, component, &mut suffixes)?;
        }
        let has_tests = options.tests.has_words();
        let mut product = Product::new(m, components)?;
        (product.cover, _) = StateCover::new(components, m, options.product_states, has_tests)?;
        let prefixes = building.make_prefixes(m)?;
        let model = Model { product, prefixes, suffixes, asked_infixes: 0 };
        Ok(Self { outputs: building.outputs, model, is_refuted: false })
    }
}

/// A model being divided into components.
struct Building<'a, N> {
    machine: &'a N,
    outputs: Outputs,
    /// How many states can be reached.
    reached: u32,
}

impl<N: NumberedMealy> Building<'_, N> {
    /// Takes in all outputs of the model.
    fn number_outputs(&mut self, m: &mut Memory<'_>, options: &Options) -> Result<(), Refused> {
        let words = Words::new(options.lanes, self.machine.inputs());
        let len = self.machine.outputs();
        m.reserve(Resource::Outputs, &[SYMBOL.list(len, len)])?;
        for output in 0..len {
            let bytes = self.machine.output_name(Output::new(output));
            let name = words.name(m, &mut self.outputs, Lane(0), 0, bytes)?;
            let symbol = symbol_of(self.outputs.take_in(m, options.projections, name)?);
            m.set(SYMBOL, ModelOutput(output), symbol);
        }
        Ok(())
    }

    /// Numbers the states that can be reached, breadth-first.
    fn reach_states(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        let (states, inputs) = (self.machine.states(), self.machine.inputs());
        m.reserve(
            Resource::Hypothesis,
            &[
                ORDER.list(states, states),
                STATE.list(states, states),
                PARENT.list(states, states),
                INPUT.list(states, inputs),
                ACCESS.list(states, states),
            ],
        )?;
        self.reach(m, self.machine.initial(), (0, Input::new(0)));
        let mut from = 0;
        while from < self.reached {
            let state = m.get(STATE, Reached(from));
            for input in (0..inputs).map(Input::new) {
                let (next, _) = self.machine.transition(state, input);
                if m.get(ORDER, State(next)) == 0 {
                    self.reach(m, next, (from, input));
                }
            }
            from += 1;
        }
        Ok(())
    }

    fn reach(&mut self, m: &mut Memory<'_>, state: u32, (parent, input): (u32, Input)) {
        let reached = Reached(self.reached);
        self.reached += 1;
        m.set(ORDER, State(state), self.reached);
        m.set(STATE, reached, state);
        m.set(PARENT, reached, parent);
        m.set(INPUT, reached, input.index());
        // The empty word is always an access word.
        m.set(ACCESS, reached, u32::from(reached.0 == 0));
    }

    /// The next state, in the order in which they are reached, and the symbol.
    fn step(&self, m: &Memory<'_>, state: u32, input: Input) -> (u32, u32) {
        let (next, output) = self.machine.transition(m.get(STATE, Reached(state)), input);
        let next = m.get(ORDER, State(next)).saturating_sub(1);
        (next, m.get(SYMBOL, ModelOutput(output.index())))
    }

    /// The minimised projection of the model.
    fn minimal(&self, m: &mut Memory<'_>, component: ComponentId) -> Result<Minimal, Refused> {
        Minimal::new(m, self.reached, self.machine.inputs(), |m, state, input| {
            let (next, symbol) = self.step(m, state, input);
            (next, Projection::Component(component).of(m, symbol))
        })
    }

    /// Makes the components, and notes which states need an access word.
    fn make_components(&self, m: &mut Memory<'_>) -> Result<Components, Refused> {
        let (mut states, mut largest) = (0, 0);
        let len = self.outputs.components();
        for component in (0..len).map(ComponentId) {
            let classes = self.minimal(m, component)?.classes();
            states += classes;
            largest = classes.max(largest);
        }
        let inputs = self.machine.inputs();
        let components = Components::new(m, len, (states, largest), inputs, self.outputs.len())?;
        for component in components.iter() {
            let states = self.minimal(m, component)?.classes();
            let initial = Minimal::class(m, 0);
            components.add(m, component, states, initial, |m, class, input| {
                let (next, symbol) = self.step(m, Minimal::first(m, class), input);
                (Minimal::class(m, next), Projection::Component(component).of(m, symbol))
            });
            for class in 0..states {
                let mut state = Reached(Minimal::first(m, class));
                while m.get(ACCESS, state) == 0 {
                    m.set(ACCESS, state, 1);
                    state = Reached(m.get(PARENT, state));
                }
            }
        }
        Ok(components)
    }

    /// Makes access words to the states that need one.
    fn make_prefixes(&self, m: &mut Memory<'_>) -> Result<Prefixes, Refused> {
        let mut prefixes = Prefixes::new(self.machine.inputs());
        let wanted = (0..self.reached).map(Reached).filter(|&state| m.get(ACCESS, state) > 0);
        let len = wanted.fold(0, |len, _| len + 1);
        prefixes.reserve(m, len)?;
        for state in (0..self.reached).map(Reached) {
            if m.get(ACCESS, state) == 0 {
                continue;
            }
            let row = if state.0 == 0 {
                Row::EMPTY
            } else {
                let parent = m.get(ACCESS, Reached(m.get(PARENT, state))).saturating_sub(1);
                prefixes.successor(Short(parent), Input::new(m.get(INPUT, state)))
            };
            let short = prefixes.add(m, row);
            m.set(ACCESS, state, short.0 + 1);
        }
        Ok(prefixes)
    }
}

/// Adds suffixes until they tell all states of a component apart.
fn tell_apart(
    m: &mut Memory<'_>,
    components: Components,
    component: ComponentId,
    suffixes: &mut Suffixes,
) -> Result<(), Refused> {
    let size = components.size(m.read(), component);
    m.reserve(Resource::Suffixes, &[BLOCK.matrix(size, 2, size)])?;
    for state in (0..size).map(ComponentState) {
        m.put(BLOCK, state, Round::Now, 0);
    }
    for suffix in suffixes.iter() {
        split(m, components, component, suffix);
    }
    while let Some((first, tail)) = splitting_suffix(m, components, component, *suffixes) {
        let new = suffixes.end();
        let more = suffixes.new_nodes(m, first, tail);
        suffixes.reserve(m, more)?;
        suffixes.add(m, first, tail);
        for suffix in suffixes.since(new) {
            split(m, components, component, suffix);
        }
    }
    Ok(())
}

/// Splits each block into the states that answer a suffix in the same way. A block is known by its
/// first state.
fn split(m: &mut Memory<'_>, components: Components, component: ComponentId, suffix: Suffix) {
    let size = components.size(m.read(), component);
    for state in (0..size).map(ComponentState) {
        m.put(BLOCK, state, Round::Before, m.at(BLOCK, state, Round::Now));
    }
    for state in 0..size {
        let block = m.at(BLOCK, ComponentState(state), Round::Before);
        let mut firsts = (block..=state).filter(|&first| {
            m.at(BLOCK, ComponentState(first), Round::Before) == block
                && (first == state || m.at(BLOCK, ComponentState(first), Round::Now) == first)
        });
        let same = |first: &u32| components.after(m, component, (*first, state), suffix).is_some();
        let first = firsts.find(same).unwrap_or(state);
        m.put(BLOCK, ComponentState(state), Round::Now, first);
    }
}

/// A suffix that tells two states apart which are in one block: an input that leads them to different
/// blocks, and a suffix that tells those apart.
fn splitting_suffix(
    m: &Memory<'_>,
    components: Components,
    component: ComponentId,
    suffixes: Suffixes,
) -> Option<(Input, Suffix)> {
    let block = |state| m.at(BLOCK, ComponentState(state), Round::Now);
    let next = |state, input| components.step(m.read(), component, state, input).0;
    for state in 0..components.size(m.read(), component) {
        let first = block(state);
        for input in (0..components.inputs()).map(Input::new) {
            let pair = (next(state, input), next(first, input));
            if block(pair.0) == block(pair.1) {
                continue;
            }
            let tells_apart =
                |&suffix: &Suffix| components.after(m, component, pair, suffix).is_none();
            return suffixes.iter().find(tells_apart).map(|suffix| (input, suffix));
        }
    }
    None
}

impl Learner for KnownModel {
    fn advance(&mut self, _: &mut Memory<'_>, _: &Options) -> Result<(), Refused> {
        Ok(())
    }

    fn is_ready(&self) -> bool {
        !self.is_refuted
    }

    fn next_word(&mut self, _: &mut Memory<'_>, _: Words, _: Lane) -> Result<bool, Refused> {
        Ok(false)
    }

    fn take(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
        words: Words,
        lane: Lane,
        is_as_expected: bool,
    ) -> Result<bool, Refused> {
        let len = words.len(m, lane);
        for position in 0..len {
            let name = words.answer(m, lane, position);
            self.outputs.take_in(m, options.projections, name)?;
        }
        if !is_as_expected {
            let input = |m: &Memory<'_>, position| words.input(m, lane, position);
            let output = |m: &Memory<'_>, position| {
                let output = self.outputs.known(m, words.answer(m, lane, position));
                output.unwrap_or(Output::new(0))
            };
            self.is_refuted |= self.model.product.first_wrong(m, len, input, output).is_some();
        }
        Ok(self.is_refuted)
    }

    fn purpose(&self) -> Purpose {
        Purpose::Testing
    }

    fn is_refuted(&self) -> bool {
        self.is_refuted
    }

    fn model(&self) -> Model {
        self.model
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn outputs_mut(&mut self) -> &mut Outputs {
        &mut self.outputs
    }

    fn report(&self, progress: &mut Progress) {
        progress.suffixes = self.model.suffixes.count();
    }
}
