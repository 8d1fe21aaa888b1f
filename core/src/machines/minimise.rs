//! Minimisation of a machine.
//!
//! Moore's partition refinement (Moore, *Gedanken-experiments on sequential machines*, 1956): states
//! are divided by their outputs, then by the classes of their successors, until nothing changes.

use super::components;
use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Index, Memory, fields, index};

index! {
    /// A state of the machine that is minimised, or a class of such states.
    MinimalState
}

/// A number that is kept for a state or a class.
#[derive(Clone, Copy)]
enum MinimalColumn {
    /// The class of a state.
    Class,
    /// The class of a state before this round.
    Before,
    /// The first state of a class, plus one.
    First,
    /// The class that leaves a class, plus one.
    Split,
}

impl Index for MinimalColumn {
    #[inline]
    fn index(self) -> u32 {
        self as u32
    }
}

const COLUMNS: u32 = 4;

fields! {
    after components::FIELDS_END;
    /// The classes of the machine that was minimised last.
    MINIMAL: Field<MinimalState, MinimalColumn> = Format::Packed;
}

/// The states of a machine, divided into classes; they lie in the region until the next machine is
/// minimised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Minimal {
    states: u32,
    classes: u32,
}

impl Minimal {
    /// Divides the states of the machine with these functions: the next state, and what the output shows.
    pub(crate) fn new(
        m: &mut Memory<'_>,
        states: u32,
        inputs: u32,
        next: impl Fn(&Memory<'_>, u32, Input) -> u32,
        shown: impl Fn(&Memory<'_>, u32, Input) -> u32,
    ) -> Result<Self, Refused> {
        m.reserve(Resource::Hypothesis, &[MINIMAL.matrix(states, COLUMNS, states)])?;
        for state in (0..states).map(MinimalState) {
            m.put(MINIMAL, state, MinimalColumn::Class, 0);
            m.put(MINIMAL, state, MinimalColumn::Split, 0);
        }
        m.put(MINIMAL, MinimalState(0), MinimalColumn::First, 1);
        let mut minimal = Self { states, classes: 1 };
        // By outputs first.
        let mut is_first = true;
        loop {
            let before = minimal.classes;
            for state in (0..states).map(MinimalState) {
                let class = m.at(MINIMAL, state, MinimalColumn::Class);
                m.put(MINIMAL, state, MinimalColumn::Before, class);
            }
            for input in (0..inputs).map(Input::new) {
                minimal.divide(m, |m, state| {
                    if is_first {
                        return shown(m, state, input);
                    }
                    m.at(MINIMAL, MinimalState(next(m, state, input)), MinimalColumn::Before)
                });
            }
            if minimal.classes == before && !is_first {
                return Ok(minimal);
            }
            is_first = false;
        }
    }

    /// Gives up the classes of the last machine.
    pub(crate) fn release(m: &mut Memory<'_>) {
        m.release(MINIMAL);
    }

    /// How many classes there are.
    pub(crate) fn classes(self) -> u32 {
        self.classes
    }

    /// The class of a state.
    pub(crate) fn class(m: &Memory<'_>, state: u32) -> u32 {
        m.at(MINIMAL, MinimalState(state), MinimalColumn::Class)
    }

    /// The first state of a class.
    pub(crate) fn first(m: &Memory<'_>, class: u32) -> u32 {
        m.at(MINIMAL, MinimalState(class), MinimalColumn::First).saturating_sub(1)
    }

    /// Divides the classes by a value of each state.
    ///
    /// The first state of a class stays in it. No class is being split before and after.
    fn divide(&mut self, m: &mut Memory<'_>, value: impl Fn(&Memory<'_>, u32) -> u32) {
        // In the classes before this one all states have the value of the first.
        let mut divided = 0;
        while self.classes < self.states {
            let before = self.classes;
            for state in 0..self.states {
                let class = MinimalState(Self::class(m, state));
                if class.0 < divided {
                    continue;
                }
                let first = Self::first(m, class.0);
                if first == state || value(m, first) == value(m, state) {
                    continue;
                }
                let mut new = m.at(MINIMAL, class, MinimalColumn::Split);
                if new == 0 {
                    m.put(
                        MINIMAL,
                        MinimalState(self.classes),
                        MinimalColumn::First,
                        state.wrapping_add(1),
                    );
                    new = self.classes.wrapping_add(1);
                    self.classes = new;
                    m.put(MINIMAL, class, MinimalColumn::Split, new);
                }
                m.put(MINIMAL, MinimalState(state), MinimalColumn::Class, new.wrapping_sub(1));
            }
            if self.classes == before {
                break;
            }
            for class in (divided..before).map(MinimalState) {
                m.put(MINIMAL, class, MinimalColumn::Split, 0);
            }
            divided = before;
        }
    }
}
