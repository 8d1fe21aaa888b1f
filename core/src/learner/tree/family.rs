//! Families of projections: which component sees the output after an input.
//!
//! A family divides the pairs of an input and an output into parts, a component for each: exactly one component
//! sees the output after an input, for all others it is ⊥. What is never divided is an *atom*: an input, or a
//! group of outputs.

use crate::alphabet::{Input, Output};
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, fields, index};
use crate::observations::tree;
use crate::options::Projections;
use crate::outputs::{ComponentId, Outputs, component_of};
use crate::progress::Division;

index! {
    /// An input, in the order of inputs; then a declared group of outputs or an output in no such group, in the
    /// order in which they appeared.
    Atom
}

fields! {
    before tree::FIELDS_START;
    /// The component of each pair plus one; zero if the pair was never seen.
    PAIR: Field<Input, Output> = Format::Packed;
    /// In a partition of atoms: the component of each.
    PART: Field<Atom> = Format::Packed;
}

/// A family of projections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// One component, which sees all.
    Identity,
    /// A component for each group of outputs.
    PerOutput,
    /// A component for each input.
    PerInput,
    /// A component for each pair that was seen.
    PerPair { pairs: u32 },
    /// A component for each part of the inputs.
    Inputs { parts: u32 },
    /// A component for each part of the groups of outputs. Groups that appeared since are parts of their own.
    Outputs { parts: u32, groups: u32 },
}

impl Family {
    /// The family to begin with.
    pub(super) const fn first(projections: Projections) -> Self {
        match projections {
            Projections::Identity | Projections::Chosen => Self::Identity,
            Projections::PerOutput => Self::PerOutput,
            Projections::PerInput => Self::PerInput,
            Projections::PerPair => Self::PerPair { pairs: 0 },
        }
    }

    /// What its components divide among them.
    pub(super) fn division(self) -> Division {
        match self {
            Self::Identity => Division::Whole,
            Self::PerOutput | Self::Outputs { .. } => Division::Outputs,
            Self::PerInput | Self::Inputs { .. } => Division::Inputs,
            Self::PerPair { .. } => Division::Pairs,
        }
    }

    /// How many components there are, once there is an output.
    pub(super) fn components(self, outputs: &Outputs, inputs: u32) -> u32 {
        match self {
            _ if outputs.len() == 0 => 0,
            Self::Identity => 1,
            Self::PerOutput => outputs.components(),
            Self::PerInput => inputs,
            Self::PerPair { pairs } => pairs,
            Self::Inputs { parts } => parts,
            Self::Outputs { parts, groups } => {
                parts.saturating_add(outputs.components().saturating_sub(groups))
            }
        }
    }

    /// The component that sees the output after an input.
    #[inline]
    pub(super) fn component(self, m: &Memory<'_>, input: Input, symbol: u32) -> ComponentId {
        let output = Output::new(symbol.wrapping_sub(1));
        match self {
            Self::Identity => ComponentId(0),
            Self::PerOutput => component_of(m.read(), output),
            Self::PerInput => ComponentId(input.index()),
            Self::PerPair { .. } => ComponentId(m.at(PAIR, input, output).wrapping_sub(1)),
            Self::Inputs { .. } => self.of_atom(m, Atom(input.index()), 0),
            Self::Outputs { .. } => self.of_atom(m, Atom(component_of(m.read(), output).0), 0),
        }
    }

    /// The component of an atom, which is numbered from `first` on.
    #[inline]
    pub(super) fn of_atom(self, m: &Memory<'_>, atom: Atom, first: u32) -> ComponentId {
        let atom = Atom(atom.0.wrapping_sub(first));
        match self {
            Self::Identity => ComponentId(0),
            Self::Inputs { .. } => ComponentId(m.get(PART, atom)),
            Self::Outputs { parts, groups } => match atom.0.checked_sub(groups) {
                Some(new) => ComponentId(parts.wrapping_add(new)),
                None => ComponentId(m.get(PART, atom)),
            },
            Self::PerOutput | Self::PerInput | Self::PerPair { .. } => ComponentId(atom.0),
        }
    }

    /// Makes room for pairs with these outputs.
    pub(super) fn reserve_pairs(
        self,
        m: &mut Memory<'_>,
        inputs: u32,
        outputs: u32,
    ) -> Result<(), Refused> {
        let Self::PerPair { .. } = self else { return Ok(()) };
        let pairs = inputs.saturating_mul(outputs);
        m.reserve(Resource::Outputs, &[PAIR.matrix(inputs, outputs, pairs)])
    }

    /// An output was seen after an input.
    pub(super) fn meet(&mut self, m: &mut Memory<'_>, input: Input, output: Output) {
        if let Self::PerPair { pairs } = self
            && m.at(PAIR, input, output) == 0
        {
            *pairs = pairs.wrapping_add(1);
            m.put(PAIR, input, output, *pairs);
        }
    }
}

/// Makes room for a partition of so many atoms.
pub(super) fn reserve_parts(m: &mut Memory<'_>, atoms: u32) -> Result<(), Refused> {
    m.reserve(Resource::States, &[PART.list(atoms, atoms)])
}

/// Puts an atom into the part of a component.
pub(super) fn set_part(m: &mut Memory<'_>, atom: Atom, component: ComponentId) {
    m.set(PART, atom, component.0);
}
