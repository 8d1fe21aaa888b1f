//! What part of an output a component sees.
//!
//! A projection shows *the output itself inside a group of outputs, ⊥ outside*. The groups are
//! disjoint and cover all outputs, so a family of such projections is jointly injective (paper,
//! Definition 5) for any groups: exactly one projection of an output is not ⊥, and it is the output
//! itself. One group for each output is the family `{1_y}` of OL*, one group of all outputs is `{id}`
//! of L*.
//!
//! A *symbol* is an output's index plus one; zero is ⊥, or *not asked yet* where nothing was projected.

use crate::alphabet::Output;
use crate::memory::Memory;
use crate::outputs::{ComponentId, component_of};

/// A projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    /// The output itself.
    Full,
    /// The output itself inside the component's group, ⊥ outside.
    Component(ComponentId),
}

impl Projection {
    /// The projection of a symbol: the symbol, or zero for ⊥.
    pub(crate) fn of(self, m: &Memory<'_>, symbol: u32) -> u32 {
        match (self, symbol.checked_sub(1)) {
            (Self::Component(component), Some(output))
                if component_of(m.read(), Output::new(output)) != component =>
            {
                0
            }
            _ => symbol,
        }
    }
}

/// The symbol of an output.
pub(crate) fn symbol_of(output: Output) -> u32 {
    output.index().wrapping_add(1)
}
