//! The transitions of the product, one number each.
//!
//! A step of the product is a step of every component, and devices with many outputs have many
//! components; but a test walks through few states. Those that the [`Walk`](crate::walk::Walk) reaches have
//! their transitions here, as long as that takes at most twice the memory of the components. What a word asks
//! is the same with and without.
//!
//! ```text
//! Transition[state, input]     (next state + 1) << symbol_bits | symbol      zero: it leads out of the table
//! Transition[state, inputs]    1 if no input leaves the state
//! Tuple[tuple, components]     state + 1      zero: the tuple itself says where it is
//! ```

use crate::components::{Components, Tuple};
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Want};
use crate::table::symbol_of;
use crate::{Input, Output};

/// States at most; it bounds the time that they take.
const STATES: u32 = 1024;

/// Numbers that a tuple has for this.
pub(crate) const COLUMNS: u32 = 1;

/// The largest number of a tuple, if this is the largest state.
pub(crate) fn largest(state: u32) -> u32 {
    state.max(STATES)
}

/// The shape of the table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Transitions {
    /// How many it may have.
    states: u32,
    inputs: u32,
    components: u32,
    symbol_bits: u32,
}

/// Where an input leads.
pub(crate) enum Step {
    /// To a state of the table.
    Within(Option<Output>),
    /// Out of it, from this state.
    Out(u32),
    /// The tuple was out of it.
    Outside,
}

impl Transitions {
    /// A table for as many states as have room in so many words.
    pub(crate) fn new(components: Components, inputs: u32, room_words: u32) -> Self {
        let symbol_bits = u32::BITS - components.outputs().leading_zeros();
        // One component is a table by itself.
        let room_words = if components.len() > 1 { room_words } else { 0 };
        let states = room_words.checked_div(inputs + components.len() / 4 + 1).unwrap_or(0);
        let states = states.min(STATES).min((u32::MAX >> symbol_bits) - 1);
        Self { states, inputs, components: components.len(), symbol_bits }
    }

    /// How many states it can have.
    pub(crate) fn states(self) -> u32 {
        self.states
    }

    /// Makes room for this state.
    pub(crate) fn reserve(self, m: &mut Memory<'_>, state: u32) -> Result<(), Stop> {
        if state >= self.states {
            return Ok(());
        }
        let rows = (state + 1).next_power_of_two().min(self.states);
        let table = Want::matrix(Field::Transition, rows, self.inputs + 1, u32::MAX);
        m.reserve(Resource::Tests, &[table])
    }

    /// An input leads from a state to another one, or to none that has a number. Inputs come in their
    /// order.
    pub(crate) fn lead(self, m: &mut Memory<'_>, (state, input): (u32, Input), to: Option<u32>) {
        if state >= self.states {
            return;
        }
        let to = to.filter(|&to| to < self.states);
        let entry = to.map_or(0, |to| (to + 1) << self.symbol_bits);
        m.put(Field::Transition, state, input.index(), entry);
        let stays = to == Some(state) && (input.index() == 0 || self.is_absorbing(m, state));
        m.put(Field::Transition, state, self.inputs, stays.into());
    }

    /// What the product says there, if it has an output.
    pub(crate) fn say(
        self,
        m: &mut Memory<'_>,
        (state, input): (u32, Input),
        output: Option<Output>,
    ) {
        if let Some(output) = output
            && state < self.states
        {
            let entry = m.at(Field::Transition, state, input.index());
            if entry != 0 {
                m.put(Field::Transition, state, input.index(), entry | symbol_of(output));
            }
        }
    }

    /// Whether no input leaves a state of the table.
    pub(crate) fn is_absorbing(self, m: &Memory<'_>, state: u32) -> bool {
        m.at(Field::Transition, state, self.inputs) == 1
    }

    /// The state of a tuple, if it is in the table.
    #[inline]
    pub(crate) fn state(self, m: &Memory<'_>, tuple: Tuple) -> Option<u32> {
        m.at(Field::Tuple, tuple.row(), self.components).checked_sub(1)
    }

    /// Puts a tuple at a state; `false` if that is not in the table, and the tuple itself must say it.
    pub(crate) fn put(self, m: &mut Memory<'_>, tuple: Tuple, state: u32) -> bool {
        let is_within = state < self.states;
        let at = if is_within { state + 1 } else { 0 };
        m.put(Field::Tuple, tuple.row(), self.components, at);
        is_within
    }

    /// Moves a tuple along an input.
    #[inline]
    pub(crate) fn step(self, m: &mut Memory<'_>, tuple: Tuple, input: Input) -> Step {
        let Some(state) = self.state(m, tuple) else { return Step::Outside };
        let entry = m.at(Field::Transition, state, input.index());
        m.put(Field::Tuple, tuple.row(), self.components, entry >> self.symbol_bits);
        if entry == 0 {
            return Step::Out(state);
        }
        let symbol = entry & !(u32::MAX << self.symbol_bits);
        Step::Within(symbol.checked_sub(1).map(Output::new))
    }
}

#[cfg(all(test, feature = "mixture"))]
mod tests {
    use std::vec;

    use super::*;
    use crate::learner::Learner;
    use crate::{Action, Options, Reply, Session, Tests};

    /// A random machine of 60 states, 3 inputs and so many outputs; no input leaves every seventh.
    fn step(outputs: u32, state: &mut u32, input: Input) -> [u8; 1] {
        let mut rng = crate::rng::Rng::new(outputs.into(), *state * 3 + input.index());
        let next = rng.below(60);
        *state = if *state % 7 == 3 { *state } else { next };
        [u8::try_from(rng.below(outputs)).expect("few outputs")]
    }

    /// Calls `found` with each hypothesis.
    fn learn(outputs: u32, options: Options, mut found: impl FnMut(&mut Memory<'_>, Learner)) {
        let mut session = Session::new(vec![0; 1 << 16], 3, options).expect("three inputs");
        let mut state = 0;
        let mut output;
        let mut reply = Reply::Ready;
        loop {
            let action = session.next(0, reply).expect("there is room");
            reply = Reply::Ready;
            match action {
                Action::Reset => state = 0,
                Action::Input(input) => {
                    output = step(outputs, &mut state, input);
                    reply = Reply::Output(&output);
                }
                Action::Hypothesis => {
                    let (mut m, learner) = session.learner();
                    found(&mut m, learner);
                }
                Action::Done(_) => return,
                Action::Idle => {}
            }
        }
    }

    #[test]
    fn a_step_is_a_step_of_all_components() {
        let (mut within, mut absorbed, mut out) = (0, 0, 0);
        for (outputs, walk_states) in [(2, 256), (5, 256), (5, 4), (12, 256), (12, 8)] {
            let tests = Tests::RandomWp;
            let options = Options { tests, walk_states, tests_in_a_row: 50, ..Options::default() };
            learn(outputs, options, |m, Learner { components, walk, .. }| {
                let (fast, plain) = (Tuple::WORD, Tuple::NEXT);
                let mut rng = crate::rng::Rng::new(1, outputs);
                for _ in 0..40 {
                    walk.reset(components, m, fast);
                    components.reset(m, plain);
                    for _ in 0..16 {
                        let was_within = walk.is_absorbing(m, fast).is_some();
                        let input = Input::new(rng.below(3));
                        let output = walk.step(components, m, fast, input).ok();
                        assert_eq!(output, components.walk(m, plain, input).ok());
                        for component in 0..components.len() {
                            let state = m.at(Field::Tuple, plain.row(), component);
                            assert_eq!(walk.state_in(m, fast, component), state);
                        }
                        let stays = |component, input| {
                            let state = walk.state_in(m, fast, component);
                            components.step(m.read(), component, state, Input::new(input)).0
                                == state
                        };
                        let stay = |component| (0..3).all(|input| stays(component, input));
                        let is_absorbing = (0..components.len()).all(stay);
                        let said = walk.is_absorbing(m, fast);
                        assert!(said.is_none_or(|said| said == is_absorbing));
                        within += u32::from(said.is_some());
                        absorbed += u32::from(said == Some(true));
                        out += u32::from(was_within && said.is_none());
                    }
                }
            });
        }
        assert!(within > 1000 && absorbed > 100 && out > 100, "{within} {absorbed} {out}");
    }
}
