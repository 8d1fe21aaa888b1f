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
use crate::bits::{Finder, Packing};
use crate::memory::Memory;
use crate::outputs::{ComponentId, Outputs, component_of};

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

/// A projection of packed symbols, a word at a time.
#[derive(Clone, Copy)]
pub(crate) enum PackedProjection {
    Full,
    /// The group has one output: its pattern.
    OneOutput(Finder, u32),
    Outputs(Finder, ComponentId),
}

impl PackedProjection {
    pub(crate) fn new(
        projection: Projection,
        outputs: &Outputs,
        m: &Memory<'_>,
        packing: Packing,
    ) -> Self {
        let Projection::Component(component) = projection else { return Self::Full };
        let finder = packing.finder();
        let mut group = symbols(outputs, m, component);
        match (group.next(), group.next()) {
            (Some(symbol), None) => Self::OneOutput(finder, finder.pattern(symbol)),
            _ => Self::Outputs(finder, component),
        }
    }

    /// The projection of all symbols of a word.
    #[inline]
    pub(crate) fn of(self, outputs: &Outputs, m: &Memory<'_>, word: u32) -> u32 {
        match self {
            Self::Full => word,
            Self::OneOutput(finder, pattern) => finder.keep(word, pattern),
            Self::Outputs(finder, component) => symbols(outputs, m, component)
                .fold(0, |kept, symbol| kept | finder.keep(word, finder.pattern(symbol))),
        }
    }
}

/// The symbols of a component's group.
fn symbols<'a>(
    outputs: &Outputs,
    m: &'a Memory<'_>,
    component: ComponentId,
) -> impl Iterator<Item = u32> + 'a {
    let outputs = (0..outputs.len()).map(Output::new);
    outputs.filter(move |&output| component_of(m.read(), output) == component).map(symbol_of)
}
