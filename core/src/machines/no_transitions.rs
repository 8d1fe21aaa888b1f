//! Stands in for the transitions without the feature `fast`: the product is stepped component by component.

use super::components::{Components, ProductState};
use super::minimise;
use crate::alphabet::{Input, Output};
use crate::error::Refused;
use crate::memory::Memory;

pub(crate) const FIELDS_END: u8 = minimise::FIELDS_END;

pub(super) fn release(_: &mut Memory<'_>) {}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Transitions;

pub(crate) enum Successor {
    #[expect(dead_code, reason = "there are no states within")]
    Within(Option<Output>),
    #[expect(dead_code, reason = "there are no states within")]
    Out(u32),
    Outside,
}

impl Transitions {
    pub(crate) const NONE: Self = Self;

    pub(crate) fn new(_: Components, _: u32) -> Self {
        Self
    }

    pub(crate) fn states(self) -> u32 {
        0
    }

    pub(crate) fn reserve(self, _: &mut Memory<'_>, _: u32) -> Result<(), Refused> {
        Ok(())
    }

    pub(crate) fn reserve_lanes(self, _: &mut Memory<'_>, _: u32) -> Result<(), Refused> {
        Ok(())
    }

    pub(crate) fn set_target(self, _: &mut Memory<'_>, _: (u32, Input), _: Option<u32>) {}

    pub(crate) fn set_output(self, _: &mut Memory<'_>, _: (u32, Input), _: Option<Output>) {}

    #[cfg(feature = "mixture")]
    pub(crate) fn is_absorbing(self, _: &Memory<'_>, _: u32) -> bool {
        false
    }

    #[cfg(feature = "mixture")]
    pub(crate) fn state(self, _: &Memory<'_>, _: ProductState) -> Option<u32> {
        None
    }

    pub(crate) fn set_state(self, _: &mut Memory<'_>, _: ProductState, _: u32) -> bool {
        false
    }

    #[cfg(feature = "mixture")]
    pub(crate) fn leave(self, _: &mut Memory<'_>, _: ProductState) {}

    pub(crate) fn step(self, _: &mut Memory<'_>, _: ProductState, _: Input) -> Successor {
        Successor::Outside
    }
}
