//! One machine for each projection, and a step of their product.
//!
//! The components lie one after the other in one numbering of states. A component's own states are
//! numbered from 0; its output is a symbol, zero standing for ⊥: *another component's output*.
//!
//! The product (paper, Definition 4) is never stored; it is walked by a tuple of states. Since the
//! groups of the outputs are disjoint, its output is that of the one component whose output is not ⊥.
//! Where no component or several have one, the components contradict each other: a [`Defect`].

use crate::alphabet::{Input, Output};
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, MemoryRef, Shape, fields, index};
use crate::outputs::{ComponentId, component_of};
use crate::prefixes;
#[cfg(feature = "tree")]
use crate::projection::symbol_of;
use crate::suffixes::{self, Suffix};

/// Why a product has no output somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Defect {
    /// No component has an output.
    None,
    /// Two components or more have one.
    Several,
}

/// The output of a product from the outputs of its components, of which exactly one must have one.
///
/// # Errors
/// No component has an output, or several have one.
pub fn product_output<T>(outputs: impl IntoIterator<Item = Option<T>>) -> Result<T, Defect> {
    // All of them, also where a second one has an output: the caller moves its states meanwhile.
    let mut found = Err(Defect::None);
    outputs.into_iter().flatten().for_each(|output| {
        let is_first = matches!(found, Err(Defect::None));
        found = if is_first { Ok(output) } else { Err(Defect::Several) };
    });
    found
}

/// What is known about a transition of a component.
///
/// The learners with a table ask each transition before there is a hypothesis: all of theirs are confirmed.
/// A learner that has a hypothesis at any time may have open and unknown ones as long as it learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Knowledge {
    /// It was asked, and its target follows from the answers.
    Confirmed,
    /// It was asked, so its output is known; its target is a guess.
    Open,
    /// It was never asked: it has neither output nor target.
    Unknown,
}

impl Knowledge {
    /// What is known of two transitions together.
    pub(crate) fn worse(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            (Self::Confirmed, Self::Confirmed) => Self::Confirmed,
        }
    }
}

index! {
    /// A state of any component, in one numbering.
    AnyState
}

index! {
    /// A state of the product that is in use: a state of each component.
    ProductState
}

impl ProductState {
    /// Where the word leads that is being compared with the device, or made into a test.
    pub(crate) const WORD: Self = Self(0);
    /// A successor.
    pub(crate) const NEXT: Self = Self(1);
    /// How many are in use beside those of the lanes.
    const COUNT: u32 = 2;

    /// Where the test leads that is being asked in a lane.
    pub(crate) const fn of_lane(lane: u32) -> Self {
        Self(lane.wrapping_add(Self::COUNT))
    }
}

fields! {
    after prefixes::FIELDS_END;
    /// The first state of each component, and the end of the last.
    START: Field<ComponentId> = Format::Packed;
    /// The initial state of each component.
    INITIAL: Field<ComponentId> = Format::Packed;
    /// The next state within the component.
    NEXT: Field<AnyState, Input> = Format::Packed;
    /// The output as a symbol, zero where it is not one of the component's. A component that sees a single output has
    /// one instead of its symbol.
    SYMBOL: Field<AnyState, Input> = Format::Packed;
    /// What is known of each transition, while not all are confirmed: a [`Knowledge`].
    #[cfg(feature = "tree")]
    KNOWLEDGE: Field<AnyState, Input> = Format::Packed;
    /// The state of each component.
    STATE: Field<ProductState, ComponentId> = Format::WideIf(ProductState::COUNT + 1);
}

/// How large components are to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    len: u32,
    states: u32,
    largest: u32,
}

impl Sizes {
    /// No components.
    pub(crate) const NONE: Self = Self { len: 0, states: 0, largest: 0 };

    /// Counts one more component, which has `states` states.
    pub(crate) fn add(&mut self, states: u32) {
        self.len = self.len.saturating_add(1);
        self.states = self.states.saturating_add(states);
        self.largest = self.largest.max(states);
    }
}

/// The components; they lie in the region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Components {
    len: u32,
    states: u32,
    inputs: u32,
    outputs: u32,
    /// Whether it is kept what is known of each transition; else all are confirmed.
    #[cfg(feature = "tree")]
    is_partial: bool,
    /// Whether a component sees a group of outputs; else it is only known what it has in its transitions.
    #[cfg(feature = "tree")]
    is_by_output: bool,
}

impl Components {
    /// No components.
    pub(crate) const NONE: Self = Self {
        len: 0,
        states: 0,
        inputs: 0,
        outputs: 0,
        #[cfg(feature = "tree")]
        is_partial: false,
        #[cfg(feature = "tree")]
        is_by_output: true,
    };

    /// Makes room for components of these sizes, which are then to be added in their order. Each sees a group of outputs.
    pub(crate) fn new(
        m: &mut Memory<'_>,
        sizes: Sizes,
        inputs: u32,
        outputs: u32,
    ) -> Result<Self, Refused> {
        Self::NONE.reserve(m, sizes, inputs, outputs)
    }

    /// The same for components of which each sees something else than a group of outputs.
    #[cfg(feature = "tree")]
    pub(crate) fn not_by_output(
        m: &mut Memory<'_>,
        sizes: Sizes,
        inputs: u32,
        outputs: u32,
    ) -> Result<Self, Refused> {
        let other = Self { is_by_output: false, ..Self::NONE };
        other.reserve(m, sizes, inputs, outputs)
    }

    /// The same as `self`, which has no components, with components of these sizes.
    fn reserve(
        mut self,
        m: &mut Memory<'_>,
        Sizes { len, states, largest }: Sizes,
        inputs: u32,
        outputs: u32,
    ) -> Result<Self, Refused> {
        (self.len, self.states, self.inputs, self.outputs) = (len, states, inputs, outputs);
        let symbol_max = if self.sees_one_each() { 1 } else { outputs };
        m.reserve(
            Resource::Hypothesis,
            &[
                START.list(len.saturating_add(1), states),
                INITIAL.list(len, largest),
                NEXT.matrix(states, inputs, largest),
                SYMBOL.matrix(states, inputs, symbol_max),
                self.product_states(ProductState::of_lane(0), largest),
            ],
        )?;
        m.set(START, ComponentId(0), 0);
        Ok(self)
    }

    /// Whether each component sees a single output. Components are numbered as outputs then.
    #[inline]
    fn sees_one_each(self) -> bool {
        self.len == self.outputs && self.is_by_output()
    }

    /// Keeps a transition of a component.
    #[inline]
    fn put(self, m: &mut Memory<'_>, state: AnyState, input: Input, (next, symbol): (u32, u32)) {
        let symbol = if self.sees_one_each() { symbol.min(1) } else { symbol };
        m.put(NEXT, state, input, next);
        m.put(SYMBOL, state, input, symbol);
    }

    /// Adds the next component, from its transition function: the next state and the symbol.
    pub(crate) fn add(
        self,
        m: &mut Memory<'_>,
        component: ComponentId,
        states: u32,
        initial: u32,
        transition: impl Fn(&Memory<'_>, u32, Input) -> (u32, u32),
    ) {
        let start = m.get(START, component);
        m.set(INITIAL, component, initial);
        for state in 0..states {
            for input in (0..self.inputs).map(Input::new) {
                let step = transition(m, state, input);
                self.put(m, AnyState(start.wrapping_add(state)), input, step);
            }
        }
        m.set(START, component.next(), start.wrapping_add(states));
    }

    /// Whether each component sees a group of outputs.
    pub(crate) fn is_by_output(self) -> bool {
        #[cfg(feature = "tree")]
        return self.is_by_output;
        #[cfg(not(feature = "tree"))]
        true
    }

    /// Whether a component sees an output: has it in its group, or in a transition, or is the only component.
    pub(crate) fn sees(self, read: MemoryRef<'_>, component: ComponentId, output: Output) -> bool {
        #[cfg(feature = "tree")]
        if !self.is_by_output {
            if self.len == 1 {
                return true;
            }
            let inputs = (0..self.inputs).map(Input::new);
            return (0..self.size(read, component)).any(|state| {
                inputs.clone().any(|input| {
                    self.knowledge(read, component, state, input) != Knowledge::Unknown
                        && self.step(read, component, state, input).1 == symbol_of(output)
                })
            });
        }
        component_of(read, output) == component
    }

    /// Makes room to keep what is known of each transition.
    #[cfg(feature = "tree")]
    pub(crate) fn partial(self, m: &mut Memory<'_>) -> Result<Self, Refused> {
        let known = KNOWLEDGE.matrix(self.states, self.inputs, Knowledge::Unknown as u32);
        m.reserve(Resource::Hypothesis, &[known])?;
        Ok(Self { is_partial: true, ..self })
    }

    /// Keeps what is known of a transition.
    #[cfg(feature = "tree")]
    pub(crate) fn set_knowledge(
        self,
        m: &mut Memory<'_>,
        component: ComponentId,
        (state, input): (u32, Input),
        knowledge: Knowledge,
    ) {
        let state = AnyState(m.get(START, component).wrapping_add(state));
        m.put(KNOWLEDGE, state, input, knowledge as u32);
    }

    /// Says anew where a transition leads, and its symbol.
    #[cfg(feature = "tree")]
    pub(crate) fn set_transition(
        self,
        m: &mut Memory<'_>,
        component: ComponentId,
        (state, input): (u32, Input),
        step: (u32, u32),
    ) {
        let state = AnyState(m.get(START, component).wrapping_add(state));
        self.put(m, state, input, step);
    }

    /// What is known of a transition of a component, if there is one.
    #[inline]
    pub(crate) fn knowledge(
        self,
        read: MemoryRef<'_>,
        component: ComponentId,
        state: u32,
        input: Input,
    ) -> Knowledge {
        #[cfg(feature = "tree")]
        if self.is_partial && state < self.size(read, component) && input.index() < self.inputs {
            let state = AnyState(read.get(START, component).wrapping_add(state));
            return match read.at(KNOWLEDGE, state, input) {
                0 => Knowledge::Confirmed,
                1 => Knowledge::Open,
                _ => Knowledge::Unknown,
            };
        }
        let _ = (read, component, state, input);
        Knowledge::Confirmed
    }

    /// How many components there are.
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// All of them.
    pub(crate) fn iter(self) -> impl Iterator<Item = ComponentId> + use<> {
        (0..self.len).map(ComponentId)
    }

    /// How many inputs there are.
    pub(crate) fn inputs(self) -> u32 {
        self.inputs
    }

    /// How many outputs were known when they were made: they say nothing of outputs that appeared
    /// since.
    pub(crate) fn outputs(self) -> u32 {
        self.outputs
    }

    /// How many states they have in total.
    pub(crate) fn states(self) -> u32 {
        self.states
    }

    /// How many words it takes to say where their transitions lead.
    pub(crate) fn words(m: &Memory<'_>) -> u32 {
        m.words(NEXT)
    }

    /// Makes room for a state of the product for each lane.
    pub(crate) fn reserve_lanes(self, m: &mut Memory<'_>, lanes: u32) -> Result<(), Refused> {
        m.reserve(Resource::Tests, &[self.product_states(ProductState::of_lane(lanes), 1)])
    }

    /// Room for the states of the product before `end`, with numbers up to `largest`.
    fn product_states(self, end: ProductState, largest: u32) -> Shape {
        STATE.matrix(end.0, self.len, largest)
    }

    /// A component's state after an input, and its output as a symbol.
    #[inline]
    pub(crate) fn step(
        self,
        m: MemoryRef<'_>,
        component: ComponentId,
        state: u32,
        input: Input,
    ) -> (u32, u32) {
        let state = AnyState(m.get(START, component).wrapping_add(state));
        let symbol = m.at(SYMBOL, state, input);
        let symbol = if self.sees_one_each() && symbol != 0 { component.next().0 } else { symbol };
        (m.at(NEXT, state, input), symbol)
    }

    /// Where a suffix leads the second of two states of a component, unless it tells the two apart.
    pub(crate) fn after(
        self,
        m: &Memory<'_>,
        component: ComponentId,
        (state, other): (u32, u32),
        suffix: Suffix,
    ) -> Option<u32> {
        let (mut state, mut other) = (state, other);
        for input in suffixes::inputs(m, suffix) {
            let a = self.step(m.read(), component, state, input);
            let b = self.step(m.read(), component, other, input);
            if a.1 != b.1 {
                return None;
            }
            (state, other) = (a.0, b.0);
        }
        Some(other)
    }

    /// A component's initial state.
    pub(crate) fn initial(self, m: MemoryRef<'_>, component: ComponentId) -> u32 {
        m.get(INITIAL, component)
    }

    /// How many states a component has.
    pub(crate) fn size(self, m: MemoryRef<'_>, component: ComponentId) -> u32 {
        let start = m.get(START, component);
        m.get(START, component.next()).saturating_sub(start)
    }

    /// A component's state in a state of the product.
    #[inline]
    pub(crate) fn state(m: &Memory<'_>, product: ProductState, component: ComponentId) -> u32 {
        m.at(STATE, product, component)
    }

    /// Sets a component's state in a state of the product.
    #[inline]
    pub(crate) fn set_state(
        m: &mut Memory<'_>,
        product: ProductState,
        component: ComponentId,
        state: u32,
    ) {
        m.put(STATE, product, component, state);
    }

    /// Moves to the initial state of the product.
    pub(crate) fn reset(self, m: &mut Memory<'_>, product: ProductState) {
        for component in self.iter() {
            let initial = self.initial(m.read(), component);
            Self::set_state(m, product, component, initial);
        }
    }

    /// Moves a state of the product along an input: the output of the product.
    ///
    /// # Errors
    /// The components contradict each other; the state moves all the same.
    pub(crate) fn product_step(
        self,
        m: &mut Memory<'_>,
        product: ProductState,
        input: Input,
    ) -> Result<Output, Defect> {
        product_output(self.iter().map(|component| {
            let state = Self::state(m, product, component);
            let (next, symbol) = self.step(m.read(), component, state, input);
            Self::set_state(m, product, component, next);
            symbol.checked_sub(1).map(Output::new)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::Knowledge::{self, Confirmed, Open, Unknown};

    #[test]
    fn the_product_knows_what_its_least_knowing_component_does() {
        let all = [Confirmed, Open, Unknown];
        for (at, one) in all.into_iter().enumerate() {
            for (other_at, other) in all.into_iter().enumerate() {
                assert_eq!(Knowledge::worse(one, other), all[at.max(other_at)]);
            }
        }
    }
}
