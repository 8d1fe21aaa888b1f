//! Suffixes that tell the states of a component apart.
//!
//! They are closed under suffixes, and found by splitting classes of states (Chow, *Testing software
//! design modeled by finite-state machines*, IEEE TSE 4(3), 1978).

use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::machines::components::Components;
use crate::memory::{self, Field, Format, Memory, fields, index};
use crate::outputs::ComponentId;
use crate::suffixes::{self, Suffix, Suffixes};

/// Suffixes of other components with at most this many inputs are tried before new ones are looked
/// for. Each state follows each of them, so longer ones take longer than they save.
pub(crate) const SHORT: u32 = 8;

index! {
    /// A state of the component.
    ComponentState
}

index! {
    /// States that are not told apart yet. A class is split into itself, which keeps its first state,
    /// and a new one.
    StateClass
}

fields! {
    before memory::FIELDS;
    /// The class of each state.
    CLASS: Field<ComponentState> = Format::Packed;
    /// The first state of each class.
    FIRST: Field<StateClass> = Format::Packed;
    /// The class that each class was split off.
    ORIGIN: Field<StateClass> = Format::Packed;
    /// The suffix that tells it from what was left of that class then.
    SUFFIX: Field<StateClass> = Format::Packed;
    /// While classes are split: the class by which, zero if it is not split.
    SPLITTER: Field<StateClass> = Format::Packed;
    /// The class that is split off it, zero if there is none yet.
    SPLIT_OFF: Field<StateClass> = Format::Packed;
}

/// The states of a component, divided into classes by suffixes.
///
/// Two classes are told apart by the suffix of the newest class on the way back to where both came from
/// one class: all states that were in that class then are on one side of it or the other.
pub(crate) struct StateClasses {
    components: Components,
    component: ComponentId,
    len: u32,
    states: u32,
}

impl StateClasses {
    /// All states in one class.
    pub(crate) fn new(
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
        m.set(FIRST, StateClass(0), 0);
        Ok(Self { components, component, len: 1, states })
    }

    /// Divides the states by the short suffixes, and adds suffixes until they tell all states apart.
    pub(crate) fn tell_apart(
        mut self,
        m: &mut Memory<'_>,
        suffixes: &mut Suffixes,
    ) -> Result<(), Refused> {
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
                add_suffix(m, suffixes, input, Suffix(m.get(SUFFIX, StateClass(splitter))))?
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
    fn splitter(&self, m: &Memory<'_>, class: StateClass, state: u32, input: Input) -> u32 {
        let next = |state| {
            Self::class(m, self.components.step(m.read(), self.component, state, input).0).0
        };
        let (mut one, mut other) = (next(m.get(FIRST, class)), next(state));
        let mut newest = 0;
        while one != other {
            // A class is newer than the one that it was split off.
            newest = one.max(other);
            let origin = m.get(ORIGIN, StateClass(newest));
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
            m.set(SUFFIX, StateClass(split_off), suffix.0);
            m.set(ORIGIN, StateClass(split_off), class.0);
            m.set(FIRST, StateClass(split_off), state);
            m.set(SPLIT_OFF, class, split_off);
            self.len = self.len.wrapping_add(1);
        }
        m.set(CLASS, ComponentState(state), split_off);
        Ok(())
    }

    fn class(m: &Memory<'_>, state: u32) -> StateClass {
        StateClass(m.get(CLASS, ComponentState(state)))
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
    Ok(Suffix(suffixes.end().0.wrapping_sub(1)))
}
