//! The hypothesis: one machine for each projection, and their product.
//!
//! The components lie one after the other in one numbering of states. A component's own states are
//! numbered from 0; its output is a symbol, zero standing for ⊥: *another component's output*.
//!
//! Where the table is closed in the ordinary sense, the hypothesis is that of L*, over whole rows, and
//! the components are its minimised projections (the shortcut of the paper, section 3.1).
//!
//! The product (paper, Definition 4) is never stored; it is walked by a tuple of states. Since the
//! blocks of the outputs are disjoint, its output is that of the one component whose output is not ⊥.
//! Where none or several have one, the components contradict each other: a [`Defect`].

use crate::classes::Projection;
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Read, Want};
use crate::table::{Row, Table};
use crate::transitions;
use crate::{Input, Output};

/// Why a product has no output somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Defect {
    /// No component has an output.
    None,
    /// Two components or more have one.
    Several,
}

/// A tuple of states that is in use: one for each component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tuple(u32);

impl Tuple {
    /// A word being compared with the device, or made into a test.
    pub(crate) const WORD: Self = Self(0);
    /// A successor.
    pub(crate) const NEXT: Self = Self(1);

    /// A test being asked in a lane.
    pub(crate) const fn lane(lane: u32) -> Self {
        Self(2 + lane)
    }

    /// Its row.
    pub(crate) const fn row(self) -> u32 {
        self.0
    }
}

/// The components; they lie in the region.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Components {
    len: u32,
    states: u32,
    inputs: u32,
    outputs: u32,
}

impl Components {
    /// How many components there are.
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// Outputs that were known when they were made: they say nothing of those that appeared since.
    pub(crate) fn outputs(self) -> u32 {
        self.outputs
    }

    /// States of all components.
    pub(crate) fn states(self) -> u32 {
        self.states
    }

    /// Makes the components of a table that is output-closed and output-consistent.
    pub(crate) fn of_classes(table: &Table, m: &mut Memory<'_>) -> Result<Self, Stop> {
        let len = table.projections().fold(0, |len, _| len + 1);
        let states = table.projections().map(|p| table.classes(m, p)).sum();
        let largest = table.projections().map(|p| table.classes(m, p)).max();
        let new = Self { len, states, inputs: table.inputs, outputs: table.outputs.len() };
        new.reserve(table, m, largest.unwrap_or(0))?;
        let mut start = 0;
        for (component, projection) in (0..).zip(table.projections()) {
            m.set(Field::ComponentStart, component, start);
            let initial = table.class(m, projection, Row::EMPTY);
            m.set(Field::ComponentInitial, component, initial);
            for class in 0..table.classes(m, projection) {
                let sample = table.sample(m, projection, class);
                let Some(short) = table.short(m, sample) else { continue };
                for input in table.alphabet() {
                    let row = table.successor(short, input);
                    let next = table.class(m, projection, row);
                    let out = projection.of(m, Table::row_symbol(m, row));
                    m.put(Field::Next, start + class, input.index(), next);
                    m.put(Field::Out, start + class, input.index(), out);
                }
            }
            start += table.classes(m, projection);
        }
        m.set(Field::ComponentStart, len, start);
        Ok(new)
    }

    /// Makes the components of a table that is closed in the ordinary sense.
    pub(crate) fn of_whole(table: &Table, m: &mut Memory<'_>) -> Result<Self, Stop> {
        let len = table.components();
        let (mut states, mut largest) = (0, 0);
        for component in 0..len {
            let classes = minimise(table, m, Projection::Component(component))?;
            states += classes;
            largest = classes.max(largest);
        }
        let new = Self { len, states, inputs: table.inputs, outputs: table.outputs.len() };
        new.reserve(table, m, largest)?;
        let mut start = 0;
        for component in 0..len {
            let projection = Projection::Component(component);
            let classes = minimise(table, m, projection)?;
            m.set(Field::ComponentStart, component, start);
            let whole = table.class(m, Projection::Whole, Row::EMPTY);
            let initial = m.at(Field::Minimal, whole, CLASS);
            m.set(Field::ComponentInitial, component, initial);
            for class in 0..classes {
                let state = m.at(Field::Minimal, class, FIRST).saturating_sub(1);
                for input in table.alphabet() {
                    let (next, symbol) = whole_step(table, m, state, input);
                    let next = m.at(Field::Minimal, next, CLASS);
                    m.put(Field::Next, start + class, input.index(), next);
                    m.put(Field::Out, start + class, input.index(), projection.of(m, symbol));
                }
            }
            start += classes;
        }
        m.set(Field::ComponentStart, len, start);
        Ok(new)
    }

    /// Makes room for components of at most `largest` states each.
    fn reserve(self, table: &Table, m: &mut Memory<'_>, largest: u32) -> Result<(), Stop> {
        m.reserve(
            Resource::Hypothesis,
            &[
                Want::list(Field::ComponentStart, self.len + 1, self.states),
                Want::list(Field::ComponentInitial, self.len, largest),
                Want::matrix(Field::Next, self.states, self.inputs, largest),
                Want::matrix(Field::Out, self.states, self.inputs, table.symbol_max()),
                self.want_tuples(Tuple::lane(0), largest),
            ],
        )
    }

    /// Makes room for a tuple for each lane.
    pub(crate) fn reserve_lanes(self, m: &mut Memory<'_>, lanes: u32) -> Result<(), Stop> {
        m.reserve(Resource::Tests, &[self.want_tuples(Tuple::lane(lanes), 1)])
    }

    /// The tuples before `end`, of numbers up to `largest`.
    fn want_tuples(self, end: Tuple, largest: u32) -> Want {
        let columns = self.len + transitions::COLUMNS;
        Want::matrix(Field::Tuple, end.row(), columns, transitions::largest(largest))
    }

    /// A component's state after an input, and its output as a symbol.
    #[inline]
    pub(crate) fn step(self, m: Read<'_>, component: u32, state: u32, input: Input) -> (u32, u32) {
        let state = m.get(Field::ComponentStart, component) + state;
        (m.at(Field::Next, state, input.index()), m.at(Field::Out, state, input.index()))
    }

    /// A component's initial state.
    pub(crate) fn initial(self, m: Read<'_>, component: u32) -> u32 {
        m.get(Field::ComponentInitial, component)
    }

    /// How many states a component has.
    pub(crate) fn size(self, m: Read<'_>, component: u32) -> u32 {
        let start = m.get(Field::ComponentStart, component);
        m.get(Field::ComponentStart, component + 1).saturating_sub(start)
    }

    /// Puts a tuple at the initial state of the product.
    pub(crate) fn reset(self, m: &mut Memory<'_>, tuple: Tuple) {
        for component in 0..self.len {
            let initial = self.initial(m.read(), component);
            m.put(Field::Tuple, tuple.row(), component, initial);
        }
    }

    /// Moves a tuple along an input: the output of the product.
    ///
    /// # Errors
    /// The components contradict each other; the tuple moves all the same.
    pub(crate) fn walk(
        self,
        m: &mut Memory<'_>,
        tuple: Tuple,
        input: Input,
    ) -> Result<Output, Defect> {
        let mut output = Err(Defect::None);
        for component in 0..self.len {
            let state = m.at(Field::Tuple, tuple.row(), component);
            let (next, symbol) = self.step(m.read(), component, state, input);
            m.put(Field::Tuple, tuple.row(), component, next);
            if let Some(index) = symbol.checked_sub(1) {
                output = match output {
                    Err(Defect::None) => Ok(Output::new(index)),
                    _ => Err(Defect::Several),
                };
            }
        }
        output
    }
}

/// Columns of [`Field::Minimal`].
const CLASS: u32 = 0;
const BEFORE: u32 = 1;
const FIRST: u32 = 2;
const SPLIT: u32 = 3;

/// The next state and the symbol of the machine over whole rows.
pub(crate) fn whole_step(table: &Table, m: &Memory<'_>, state: u32, input: Input) -> (u32, u32) {
    match Table::short_of(m, state) {
        None => (state, 0),
        Some(short) => {
            let row = table.successor(short, input);
            (table.class(m, Projection::Whole, row), Table::row_symbol(m, row))
        }
    }
}

/// Minimises the projection of the machine over whole rows: [`Field::Minimal`] then has the class of
/// each state and the first state of each class. Says how many classes there are.
///
/// Moore's partition refinement (Moore, *Gedanken-experiments on sequential machines*, 1956).
fn minimise(table: &Table, m: &mut Memory<'_>, projection: Projection) -> Result<u32, Stop> {
    let states = table.whole_classes;
    let wants = [Want::matrix(Field::Minimal, states, 4, states)];
    m.reserve(Resource::Hypothesis, &wants)?;
    for state in 0..states {
        m.put(Field::Minimal, state, CLASS, 0);
        m.put(Field::Minimal, state, SPLIT, 0);
    }
    m.put(Field::Minimal, 0, FIRST, 1);
    let mut classes = 1;
    for input in table.alphabet() {
        classes = divide(m, states, classes, |m, state| {
            projection.of(m, whole_step(table, m, state, input).1)
        });
    }
    loop {
        let before = classes;
        for state in 0..states {
            let class = m.at(Field::Minimal, state, CLASS);
            m.put(Field::Minimal, state, BEFORE, class);
        }
        for input in table.alphabet() {
            classes = divide(m, states, classes, |m, state| {
                m.at(Field::Minimal, whole_step(table, m, state, input).0, BEFORE)
            });
        }
        if classes == before {
            return Ok(classes);
        }
    }
}

/// Divides classes of states by a value, and says how many there are then.
///
/// The first state of a class stays in it. No class is being split before and after.
fn divide(
    m: &mut Memory<'_>,
    states: u32,
    classes: u32,
    value: impl Fn(&Memory<'_>, u32) -> u32,
) -> u32 {
    let mut classes = classes;
    while classes < states {
        let before = classes;
        for state in 0..states {
            let class = m.at(Field::Minimal, state, CLASS);
            let first = m.at(Field::Minimal, class, FIRST).saturating_sub(1);
            if first == state || value(m, first) == value(m, state) {
                continue;
            }
            let mut new = m.at(Field::Minimal, class, SPLIT);
            if new == 0 {
                m.put(Field::Minimal, classes, FIRST, state + 1);
                classes += 1;
                new = classes;
                m.put(Field::Minimal, class, SPLIT, new);
            }
            m.put(Field::Minimal, state, CLASS, new - 1);
        }
        if classes == before {
            break;
        }
        for class in 0..before {
            m.put(Field::Minimal, class, SPLIT, 0);
        }
    }
    classes
}
