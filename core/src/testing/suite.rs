//! The complete suites of the W- and the Wp-method, word by word.
//!
//! For `k` extra states, states `Q` of the hypothesis and its suffixes `W`:
//! W asks `Q · X^{≤k+1} · W`; Wp asks `Q · X^{≤k} · W` and then `Q · X^{k+1} · W_q`, where `W_q` holds,
//! for each other state of each component, the first suffix of `W` that tells it from the one
//! reached.
//!
//! The suite of the components is that of Wp with access words `S` for `Q` that reach every state of
//! every component, so it holds a suite for each of them. Words that learning has asked,
//! `S · X^{≤1} · W`, are not asked again, nor words that begin with another access word of `S`.
//!
//! **What it proves.** A device that passes is equivalent to the hypothesis if `Q · X^{≤k}` reaches each of
//! its states (*k-A-complete*; Vaandrager, Melse, *New fault domains for conformance testing of finite
//! state machines*, CONCUR 2025). `W` begins with every input, so the outputs are right. And the
//! states: let a word `u·a` lead beyond `Q · X^{≤k}`, and a word `v` of that lead the device to the same
//! state. After `v` it answers all of `W` as the hypothesis does, after `u·a` all that identifies the
//! hypothesis' state there; as none of these answers tells the two apart, the hypothesis is in the same
//! state after both. A device with at most `k` states more is such a device, since `Q` reaches as many
//! as the hypothesis has, and each further input at least one more. With `S` all of this holds for each
//! projection and its component, since the words that learning has asked count as passed. It needs
//! the whole of `Q`: where the cover was cut, nothing is promised.

use super::writer::{Generator, TestWriter};
use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, Position, fields};
use crate::prefixes::Short;
use crate::rng::WordRng;
use crate::suffixes::Suffix;
use crate::test_kind::{HAS_ALL, Tests};

#[cfg(feature = "mixture")]
use super::coverage::FIELDS_END as FIELDS_BEFORE;
#[cfg(not(feature = "mixture"))]
use crate::costs::FIELDS_END as FIELDS_BEFORE;

fields! {
    after FIELDS_BEFORE;
    /// The infix that the suite is at.
    INFIX: Field<Position> = Format::Packed;
}

/// A suite, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suite {
    method: Option<Method>,
    /// The state of the cover, or the access word, that tests start with.
    start: u32,
    /// The length of the infix.
    infix_len: u32,
    /// How many suffixes were tried after it.
    suffix: u32,
}

/// Which suite it is.
#[derive(Clone, Copy, Debug)]
struct Method {
    extra_states: u32,
    /// Whether the longest infixes end with the suffixes that identify the state reached.
    is_local: bool,
    /// Whether each component has the extra states, and not the product.
    is_of_components: bool,
}

impl Method {
    /// The suite of these tests, if they are a suite.
    fn of(tests: Tests) -> Option<Self> {
        let (extra_states, is_local, is_of_components) = match tests {
            Tests::W { extra_states } => (extra_states, false, false),
            Tests::Wp { extra_states } => (extra_states, true, false),
            Tests::Components { extra_states } => (extra_states, true, true),
            _ => return None,
        };
        Some(Self { extra_states, is_local, is_of_components })
    }

    /// Whether each component has the extra states. `HAS_ALL` is constant, so the compiler drops this
    /// suite without the feature `mixture`.
    fn is_of_components(self) -> bool {
        HAS_ALL && self.is_of_components
    }

    /// How many words tests can start with.
    fn starts(self, test: &TestWriter<'_, '_>) -> u32 {
        if self.is_of_components() { test.model.prefixes.len() } else { test.states() }
    }
}

impl Generator for Suite {
    fn next(&mut self, test: &mut TestWriter<'_, '_>, _: &mut WordRng) -> Result<bool, Refused> {
        let Some(method) = self.method else { return Ok(false) };
        let longest = method.extra_states.saturating_add(1);
        if method.is_of_components() && self.infix_len < test.model.asked_infixes {
            self.begin_with(test, test.model.asked_infixes)?;
        }
        while self.infix_len <= longest {
            let suffix = test.suffixes().nth(self.suffix as usize);
            let suffix = suffix.filter(|_| !method.is_of_components() || !self.is_at_prefix(test));
            let Some(suffix) = suffix else {
                self.next_infix(test, method)?;
                continue;
            };
            if method.is_of_components() {
                test.start_with(Short(self.start))?;
            } else {
                test.start_at(self.start)?;
            }
            for place in (0..self.infix_len).map(Position) {
                let input = test.m.get(INFIX, place);
                test.step(Input::new(input))?;
            }
            let is_local = method.is_local && self.infix_len == longest;
            let is_wanted = !is_local || identifies(test, suffix);
            if is_wanted {
                test.push_suffix(suffix)?;
            }
            self.suffix = self.suffix.wrapping_add(1);
            if is_wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Suite {
    /// The suite of these tests; empty if they are not a suite.
    pub(super) fn new(tests: Tests) -> Self {
        Self { method: Method::of(tests), start: 0, infix_len: 0, suffix: 0 }
    }

    /// Whether the first input of the infix leads from the access word to another one: words that go
    /// on there begin with that one, too.
    fn is_at_prefix(&self, test: &TestWriter<'_, '_>) -> bool {
        let prefixes = test.model.prefixes;
        let first = Input::new(test.m.get(INFIX, Position(0)));
        self.suffix == 0
            && self.infix_len > 0
            && prefixes.contains(test.m, prefixes.successor(Short(self.start), first))
    }

    /// Begins with the first infix of a length.
    fn begin_with(&mut self, test: &mut TestWriter<'_, '_>, len: u32) -> Result<(), Refused> {
        reserve_infix(test.m, len, test.inputs())?;
        test.m.fill(INFIX, len, 0);
        self.infix_len = len;
        Ok(())
    }

    /// All suffixes are done after this infix: the next start, then the next infix.
    fn next_infix(&mut self, test: &mut TestWriter<'_, '_>, method: Method) -> Result<(), Refused> {
        reserve_infix(test.m, self.infix_len.saturating_add(1), test.inputs())?;
        self.suffix = 0;
        self.start = self.start.wrapping_add(1);
        if self.start < method.starts(test) {
            return Ok(());
        }
        self.start = 0;
        // Counts up, the first input being the lowest digit.
        for place in (0..self.infix_len).map(Position) {
            let input = test.m.get(INFIX, place).wrapping_add(1);
            if input < test.inputs() {
                test.m.set(INFIX, place, input);
                return Ok(());
            }
            test.m.set(INFIX, place, 0);
        }
        test.m.set(INFIX, Position(self.infix_len), 0);
        self.infix_len = self.infix_len.saturating_add(1);
        Ok(())
    }
}

fn reserve_infix(m: &mut Memory<'_>, len: u32, inputs: u32) -> Result<(), Refused> {
    m.reserve(Resource::Tests, &[INFIX.list(len, inputs.saturating_sub(1))])
}

/// Whether a suffix is the first to tell the state that the word leads to from some other state.
fn identifies(test: &TestWriter<'_, '_>, suffix: Suffix) -> bool {
    test.model.components().iter().any(|component| {
        let state = test.state(component);
        (0..test.size(component)).any(|other| {
            let separates = |&suffix: &Suffix| test.separates(component, (state, other), suffix);
            other != state && test.suffixes().find(separates) == Some(suffix)
        })
    })
}
