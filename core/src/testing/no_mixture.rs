//! In place of the mixture where it is left out: there are no such tests.

use super::{MIXED, Maker, Spent, Tests};
use crate::error::Stop;
use crate::lanes::Lanes;
use crate::memory::Memory;
use crate::rng::Rng;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Mixture;

impl Mixture {
    pub(crate) const fn new() -> Self {
        Self
    }

    pub(crate) fn spent(&self) -> [Spent; MIXED.len()] {
        [Spent::default(); MIXED.len()]
    }

    pub(crate) fn begin(&mut self, _: &mut Memory<'_>) {}

    pub(crate) fn next(
        &mut self,
        _: Tests,
        _: &mut Maker<'_, '_>,
        _: &mut Rng,
    ) -> Result<bool, Stop> {
        Ok(false)
    }

    pub(crate) fn draw(&self, _: &mut Rng) -> Tests {
        Tests::Mixture
    }

    pub(crate) fn price(&self, _: &Memory<'_>, _: Lanes, _: u32) {}

    pub(crate) fn count(&mut self, _: Tests, (): (), _: bool) {}
}
