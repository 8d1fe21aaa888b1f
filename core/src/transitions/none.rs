//! In place of the transitions where they are left out: the product is stepped component by component.

use crate::components::{Components, Tuple};
use crate::error::Stop;
use crate::memory::Memory;
use crate::{Input, Output};

pub(crate) const COLUMNS: u32 = 0;

pub(crate) fn largest(state: u32) -> u32 {
    state
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Transitions;

pub(crate) enum Step {
    #[expect(dead_code, reason = "there are no states within")]
    Within(Option<Output>),
    #[expect(dead_code, reason = "there are no states within")]
    Out(u32),
    Outside,
}

impl Transitions {
    pub(crate) fn new(_: Components, _: u32, _: u32) -> Self {
        Self
    }

    pub(crate) fn states(self) -> u32 {
        0
    }

    pub(crate) fn reserve(self, _: &mut Memory<'_>, _: u32) -> Result<(), Stop> {
        Ok(())
    }

    pub(crate) fn lead(self, _: &mut Memory<'_>, _: (u32, Input), _: Option<u32>) {}

    pub(crate) fn say(self, _: &mut Memory<'_>, _: (u32, Input), _: Option<Output>) {}

    #[cfg(feature = "mixture")]
    pub(crate) fn is_absorbing(self, _: &Memory<'_>, _: u32) -> bool {
        false
    }

    pub(crate) fn state(self, _: &Memory<'_>, _: Tuple) -> Option<u32> {
        None
    }

    pub(crate) fn put(self, _: &mut Memory<'_>, _: Tuple, _: u32) -> bool {
        false
    }

    pub(crate) fn step(self, _: &mut Memory<'_>, _: Tuple, _: Input) -> Step {
        Step::Outside
    }
}
