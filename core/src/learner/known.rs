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
use crate::memory::{self, Field, Format, Memory, fields, index};
use crate::options::Options;
use crate::outputs::{ComponentId, Outputs};
use crate::prefixes::{Prefixes, Row, Short};
use crate::progress::{Progress, Purpose};
use crate::projection::{Projection, symbol_of};
use crate::suffixes::{self, Suffix, Suffixes};
use crate::words::{Lane, Words};

/// Suffixes of other components with at most so many inputs are tried before new ones are looked for.
/// Each state follows each of them, so longer ones take longer than they save.
const SHORT: u32 = 8;

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

index! {
    /// States of that component which are not told apart yet. A class is split into itself, which
    /// keeps its first state, and a new one.
    Class
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
    /// The class of each state.
    CLASS: Field<ComponentState> = Format::Packed;
    /// The first state of each class.
    FIRST: Field<Class> = Format::Packed;
    /// The class that each class was split off.
    ORIGIN: Field<Class> = Format::Packed;
    /// The suffix that tells it from what was left of that class then.
    SUFFIX: Field<Class> = Format::Packed;
    /// While classes are split: the class by which, zero if it is not split.
    SPLITTER: Field<Class> = Format::Packed;
    /// The class that is split off it, zero if there is none yet.
    SPLIT_OFF: Field<Class> = Format::Packed;
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
            Classes::new(m, components, component)?.tell_apart(m, &mut suffixes)?;
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

/// The states of a component, divided into classes by suffixes.
///
/// Two classes are told apart by the suffix of the newest class on the way back to where both came from
/// one class: all states that were in that class then are on one side of it or the other.
struct Classes {
    components: Components,
    component: ComponentId,
    len: u32,
    states: u32,
}

impl Classes {
    /// All states in one class.
    fn new(
        m: &mut Memory<'_>,
        components: Components,
        component: ComponentId,
    ) -> Result<Self, Refused> {
        let states = components.size(m.read(), component);
        m.reserve(
            Resource::Suffixes,
            &[
                CLASS.list(states, states),
                FIRST.list(states, states),
                ORIGIN.list(states, states),
                SPLITTER.list(states, states),
                SPLIT_OFF.list(states, states),
            ],
        )?;
        m.fill(CLASS, states, 0);
        m.fill(SPLITTER, states, 0);
        m.fill(SPLIT_OFF, states, 0);
        m.set(FIRST, Class(0), 0);
        Ok(Self { components, component, len: 1, states })
    }

    /// Divides the states by the short suffixes, and adds suffixes until they tell all states apart.
    fn tell_apart(mut self, m: &mut Memory<'_>, suffixes: &mut Suffixes) -> Result<(), Refused> {
        for suffix in suffixes.iter() {
            if suffixes::depth(m, suffix) <= SHORT {
                self.divide_by(m, suffixes.end(), suffix)?;
            }
        }
        loop {
            let before = self.len;
            for input in (0..self.components.inputs()).map(Input::new) {
                self.divide_by_successors(m, suffixes, input)?;
            }
            // Components are minimal: the classes are split until each has one state.
            if self.len == before {
                return Ok(());
            }
        }
    }

    /// Splits classes until all states of each answer a suffix alike.
    fn divide_by(
        &mut self,
        m: &mut Memory<'_>,
        end: Suffix,
        suffix: Suffix,
    ) -> Result<(), Refused> {
        let mut before = 0;
        while before < self.len && self.len < self.states {
            before = self.len;
            for state in 0..self.states {
                let class = Self::class(m, state);
                let pair = (m.get(FIRST, class), state);
                let after = self.components.after(m, self.component, pair, suffix);
                if pair.0 != state && after.is_none() {
                    self.move_out(m, state, (suffix, end))?;
                }
            }
            m.fill(SPLIT_OFF, before, 0);
        }
        Ok(())
    }

    /// Splits each class whose states an input leads to several classes: by the first of the suffixes
    /// that tell these apart, after that input.
    fn divide_by_successors(
        &mut self,
        m: &mut Memory<'_>,
        suffixes: &mut Suffixes,
        input: Input,
    ) -> Result<(), Refused> {
        if self.len == self.states {
            return Ok(());
        }
        let before = self.len;
        for state in 0..self.states {
            let class = Self::class(m, state);
            let splitter = self.splitter(m, class, state, input);
            let first = m.get(SPLITTER, class);
            if splitter != 0 && (first == 0 || splitter < first) {
                m.set(SPLITTER, class, splitter);
            }
        }
        for state in 0..self.states {
            let class = Self::class(m, state);
            let splitter = m.get(SPLITTER, class);
            if splitter == 0 || self.splitter(m, class, state, input) != splitter {
                continue;
            }
            let suffix = if m.get(SPLIT_OFF, class) == 0 {
                add_suffix(m, suffixes, input, Suffix(m.get(SUFFIX, Class(splitter))))?
            } else {
                Suffix::ROOT
            };
            self.move_out(m, state, (suffix, suffixes.end()))?;
        }
        m.fill(SPLITTER, before, 0);
        m.fill(SPLIT_OFF, before, 0);
        Ok(())
    }

    /// The class whose suffix tells apart where an input leads a state and the first of its class;
    /// zero if it leads them to one class.
    fn splitter(&self, m: &Memory<'_>, class: Class, state: u32, input: Input) -> u32 {
        let next = |state| {
            Self::class(m, self.components.step(m.read(), self.component, state, input).0).0
        };
        let (mut one, mut other) = (next(m.get(FIRST, class)), next(state));
        let mut newest = 0;
        while one != other {
            // A class is newer than the one that it was split off.
            newest = one.max(other);
            let origin = m.get(ORIGIN, Class(newest));
            if one > other { one = origin } else { other = origin }
        }
        newest
    }

    /// Moves a state out of its class, into the class that is being split off it with this suffix.
    fn move_out(
        &mut self,
        m: &mut Memory<'_>,
        state: u32,
        (suffix, end): (Suffix, Suffix),
    ) -> Result<(), Refused> {
        let class = Self::class(m, state);
        let mut split_off = m.get(SPLIT_OFF, class);
        if split_off == 0 {
            split_off = self.len;
            m.reserve(Resource::Suffixes, &[SUFFIX.list(self.states, end.0)])?;
            m.set(SUFFIX, Class(split_off), suffix.0);
            m.set(ORIGIN, Class(split_off), class.0);
            m.set(FIRST, Class(split_off), state);
            m.set(SPLIT_OFF, class, split_off);
            self.len += 1;
        }
        m.set(CLASS, ComponentState(state), split_off);
        Ok(())
    }

    fn class(m: &Memory<'_>, state: u32) -> Class {
        Class(m.get(CLASS, ComponentState(state)))
    }
}

/// The suffix of an input and a suffix, which is added if it is new.
fn add_suffix(
    m: &mut Memory<'_>,
    suffixes: &mut Suffixes,
    first: Input,
    tail: Suffix,
) -> Result<Suffix, Refused> {
    let word = |m: &Memory<'_>, suffixes: &Suffixes| {
        suffixes.find(m, core::iter::once(first).chain(suffixes::inputs(m, tail)))
    };
    if let Some(known) = word(m, suffixes) {
        return Ok(known);
    }
    let more = suffixes.new_nodes(m, first, tail);
    suffixes.reserve(m, more)?;
    suffixes.add(m, first, tail);
    // The word's last input is the newest node.
    Ok(Suffix(suffixes.end().0 - 1))
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

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;
    use crate::memory::Layout;
    use crate::rng::Rng;

    const INPUTS: u32 = 2;

    /// A machine whose states say 0 nearly everywhere, so that short words tell few of them apart.
    struct Sparse {
        seed: u64,
        states: u32,
    }

    impl NumberedMealy for Sparse {
        fn inputs(&self) -> u32 {
            INPUTS
        }

        fn outputs(&self) -> u32 {
            3
        }

        fn states(&self) -> u32 {
            self.states
        }

        fn initial(&self) -> u32 {
            0
        }

        fn transition(&self, state: u32, input: Input) -> (u32, Output) {
            let mut rng = Rng::new(self.seed, state * INPUTS + input.index());
            let (next, output) = (rng.below(self.states), rng.below(20).saturating_sub(17));
            (next, Output::new(output))
        }

        fn output_name(&self, output: Output) -> &[u8] {
            [b"0", b"1", b"2"].get(output.index() as usize).map_or(b"", |name| *name)
        }
    }

    #[test]
    fn suffixes_tell_all_states_apart_and_access_words_reach_them() {
        let (mut pairs, mut longest) = (0, 0);
        for seed in 0..30 {
            let machine = Sparse { seed, states: 60 };
            let mut words = vec![0; 1 << 16];
            let mut layout = Layout::new();
            let m = &mut Memory::new(&mut words, &mut layout);
            let known = KnownModel::new(m, &machine, &Options::default()).expect("room");
            let Model { prefixes, suffixes, .. } = known.model;
            let components = known.model.components();
            for component in components.iter() {
                let size = components.size(m.read(), component);
                let mut is_reached = vec![false; size as usize];
                for short in prefixes.iter() {
                    let (mut word, mut at) = (vec![], prefixes.row(m, short));
                    while let Some((before, input)) = prefixes.predecessor(at) {
                        word.push(input);
                        at = prefixes.row(m, before);
                    }
                    let mut state = components.initial(m.read(), component);
                    for &input in word.iter().rev() {
                        state = components.step(m.read(), component, state, input).0;
                    }
                    is_reached[state as usize] = true;
                }
                assert!(is_reached.iter().all(|&is_reached| is_reached), "seed {seed}");
                for (one, other) in (0..size).flat_map(|one| (0..one).map(move |o| (one, o))) {
                    let tells = |&suffix: &Suffix| {
                        components.after(m, component, (one, other), suffix).is_none()
                    };
                    let suffix = suffixes.iter().find(tells);
                    let suffix = suffix.unwrap_or_else(|| panic!("seed {seed} {one} {other}"));
                    longest = suffixes::depth(m, suffix).max(longest);
                    pairs += 1;
                }
            }
        }
        assert!(pairs > 10_000 && longest > SHORT, "{pairs} {longest}");
    }
}
