//! Stands in for the mixture without the feature `mixture`: there are no such tests.

use super::writer::TestWriter;
use crate::error::Refused;
use crate::memory::Memory;
use crate::progress::KindCosts;
use crate::rng::WordRng;
use crate::test_kind::{MIXTURE_KINDS, Tests};
use crate::words::{Lane, Words};

#[derive(Clone, Copy, Debug)]
pub(super) struct Mixture;

impl Mixture {
    pub(super) const fn new() -> Self {
        Self
    }

    pub(super) fn kinds(&self) -> [KindCosts; MIXTURE_KINDS.len()] {
        [KindCosts::default(); MIXTURE_KINDS.len()]
    }

    pub(super) fn set_noise(&mut self, _: u32) {}

    pub(super) fn begin(&mut self, _: &mut Memory<'_>, _: Tests) {}

    pub(super) fn next(
        &mut self,
        _: Tests,
        _: &mut TestWriter<'_, '_>,
        _: &mut WordRng,
    ) -> Result<bool, Refused> {
        Ok(false)
    }

    pub(super) fn draw(&self, _: &mut WordRng) -> Tests {
        Tests::Mixture
    }

    pub(super) fn count(&mut self, _: &Memory<'_>, _: (Words, Lane), _: Tests, _: (u32, bool)) {}
}
