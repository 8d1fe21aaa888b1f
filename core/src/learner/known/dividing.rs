//! A known model, divided into components.
//!
//! The components are the minimised projections of the states that can be reached. The access words
//! are prefix-closed and reach every state of every component.

use crate::alphabet::{Input, Output};
use crate::error::{Misuse, Refused, Resource};
use crate::machines::components::{Components, Sizes};
use crate::machines::minimise::Minimal;
use crate::machines::separating;
use crate::mealy::NumberedMealy;
use crate::memory::{Field, Format, Memory, fields, index};
use crate::options::Options;
use crate::outputs::{ComponentId, Outputs};
use crate::prefixes::{Prefixes, Row, Short};
use crate::projection::{Projection, symbol_of};
use crate::words::{Lane, Words};

index! {
    /// A state of the model.
    ModelState
}

index! {
    /// A state of the model, numbered in the order in which it is reached breadth-first.
    Reached
}

index! {
    /// An output, as the model numbers it.
    ModelOutput
}

fields! {
    before separating::FIELDS_START;
    /// When each state is reached, plus one; zero if never.
    ORDER: Field<ModelState> = Format::Packed;
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
}

/// A model being divided into components.
pub(super) struct Dividing<'a, N> {
    machine: &'a N,
    outputs: Outputs,
    /// How many states can be reached.
    reached: u32,
}

impl<'a, N: NumberedMealy> Dividing<'a, N> {
    pub(super) fn new(machine: &'a N) -> Self {
        Self { machine, outputs: Outputs::NONE, reached: 0 }
    }

    /// The outputs of the model.
    pub(super) fn outputs(&self) -> Outputs {
        self.outputs
    }

    /// Takes in all outputs of the model.
    pub(super) fn number_outputs(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
    ) -> Result<(), Refused> {
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
    ///
    /// # Errors
    /// The memory is full, or the model has a transition without an output, or a number that is too
    /// large.
    pub(super) fn reach_states(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        let (states, inputs) = (self.machine.states(), self.machine.inputs());
        let initial = self.machine.initial();
        if initial >= states {
            return Err(m.refuse(Misuse::InvalidModel.into()));
        }
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
        self.reach(m, initial, (0, Input::new(0)));
        let mut from = 0;
        while from < self.reached {
            let state = m.get(STATE, Reached(from));
            for input in (0..inputs).map(Input::new) {
                let mut next = state;
                let output = self.machine.step(&mut next, input);
                let is_known = output.is_some_and(|output| output.index() < self.machine.outputs());
                if next >= states || !is_known {
                    return Err(m.refuse(Misuse::InvalidModel.into()));
                }
                if m.get(ORDER, ModelState(next)) == 0 {
                    self.reach(m, next, (from, input));
                }
            }
            from = from.wrapping_add(1);
        }
        Ok(())
    }

    fn reach(&mut self, m: &mut Memory<'_>, state: u32, (parent, input): (u32, Input)) {
        let reached = Reached(self.reached);
        self.reached = self.reached.wrapping_add(1);
        m.set(ORDER, ModelState(state), self.reached);
        m.set(STATE, reached, state);
        m.set(PARENT, reached, parent);
        m.set(INPUT, reached, input.index());
        // The empty word is always an access word.
        m.set(ACCESS, reached, u32::from(reached.0 == 0));
    }

    /// The next state, in the order in which they are reached, and the symbol.
    fn step(&self, m: &Memory<'_>, state: u32, input: Input) -> (u32, u32) {
        let mut next = m.get(STATE, Reached(state));
        let output = self.machine.step(&mut next, input);
        let symbol = output.map_or(0, |output| m.get(SYMBOL, ModelOutput(output.index())));
        (m.get(ORDER, ModelState(next)).saturating_sub(1), symbol)
    }

    /// The minimised projection of the model.
    fn minimal(&self, m: &mut Memory<'_>, component: ComponentId) -> Result<Minimal, Refused> {
        let next = |m: &Memory<'_>, state, input| self.step(m, state, input).0;
        let shown = |m: &Memory<'_>, state, input| {
            Projection::Component(component).of(m, self.step(m, state, input).1)
        };
        Minimal::new(m, self.reached, self.machine.inputs(), next, shown)
    }

    /// Makes the components, and notes which states need an access word.
    pub(super) fn make_components(&self, m: &mut Memory<'_>) -> Result<Components, Refused> {
        let mut sizes = Sizes::NONE;
        for component in (0..self.outputs.components()).map(ComponentId) {
            sizes.add(self.minimal(m, component)?.classes());
        }
        let inputs = self.machine.inputs();
        let components = Components::new(m, sizes, inputs, self.outputs.len())?;
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
    pub(super) fn make_prefixes(&self, m: &mut Memory<'_>) -> Result<Prefixes, Refused> {
        let mut prefixes = Prefixes::new(self.machine.inputs());
        let wanted = (0..self.reached).map(Reached).filter(|&state| m.get(ACCESS, state) > 0);
        let len = wanted.fold(0, |len, _| u32::saturating_add(len, 1));
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
            m.set(ACCESS, state, short.0.wrapping_add(1));
        }
        Ok(prefixes)
    }
}
