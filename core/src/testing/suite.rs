//! The complete suites of the W- and the Wp-method, word by word.
//!
//! For `k` extra states, states `Q` of the hypothesis and its suffixes `W`:
//! W asks `Q · X^{≤k+1} · W`; Wp asks `Q · X^{≤k} · W` and then `Q · X^{k+1} · W_q`, where `W_q` holds,
//! for each other state of each component, the first suffix of `W` that tells it from the one
//! reached.
//!
//! The suite of the components is that of Wp with the short rows `S` for `Q`, which reach every state
//! of every component, so it holds a suite for each of them. What is in the table, `S · X^{≤1} · W`,
//! is not asked again, nor what begins with another short row.
//!
//! **What it proves.** A device that passes is equivalent to the hypothesis if `Q · X^{≤k}` reaches each of its
//! states (*k-A-complete*; Vaandrager, Melse, *New fault domains for conformance testing of finite state
//! machines*, CONCUR 2025). `W` begins with every input, so the outputs are right. And the states: let a word
//! `u·a` lead beyond `Q · X^{≤k}`, and a word `v` of that lead the device to the same state. After `v` it answers all of
//! `W` as the hypothesis does, after `u·a` all that identifies the hypothesis' state there; as nothing of that tells the
//! two apart, the hypothesis is in the same state after both. A device with at most `k` states
//! more is such a one, since `Q` reaches as many as the hypothesis has, and each further input at least one more. With
//! the short rows all of it holds for each projection and its component, since the table, which the hypothesis reproduces,
//! counts as passed. All of it needs the whole of `Q`: where the walk was cut, nothing is promised.

use super::{Generator, HAS_ALL, Maker, Tests};
use crate::Input;
use crate::columns::Column;
use crate::components::Tuple;
use crate::error::{Resource, Stop};
use crate::memory::{Field, Want};
use crate::rng::Rng;
use crate::table::Short;

/// A suite, and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suite {
    method: Option<Method>,
    state: u32,
    /// The infix itself is in [`Field::Infix`].
    infix_len: u32,
    suffix: u32,
}

/// Infixes that are shorter are in the table with all suffixes.
const ASKED: u32 = 2;

/// Which suite it is.
#[derive(Clone, Copy, Debug)]
struct Method {
    extra_states: u32,
    /// Whether the longest infixes end with what identifies the state reached.
    is_local: bool,
    of: Of,
}

/// What has the extra states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// The product.
    States,
    /// Each component.
    Components,
}

impl Method {
    /// The suite of these tests, if they are one.
    fn of(tests: Tests) -> Option<Self> {
        let (extra_states, is_local, of) = match tests {
            Tests::W { extra_states } => (extra_states, false, Of::States),
            Tests::Wp { extra_states } => (extra_states, true, Of::States),
            Tests::Components { extra_states } => (extra_states, true, Of::Components),
            _ => return None,
        };
        Some(Self { extra_states, is_local, of })
    }

    /// Where there is no such suite, nothing of it is in a program.
    fn is_of_components(self) -> bool {
        HAS_ALL && self.of == Of::Components
    }
}

impl Generator for Suite {
    fn next(&mut self, maker: &mut Maker<'_, '_>, _: &mut Rng) -> Result<bool, Stop> {
        let Some(method) = self.method else { return Ok(false) };
        let longest = method.extra_states.saturating_add(1);
        if method.is_of_components() && self.infix_len < ASKED {
            self.begin_with(maker, ASKED)?;
        }
        while self.infix_len <= longest {
            // After a short row, and an input to another one, come words that begin with that one.
            let goes_on = method.is_of_components() && self.is_at_short_row(maker);
            let suffix = maker.suffixes().nth(self.suffix as usize).filter(|_| !goes_on);
            let Some(suffix) = suffix else {
                self.next_infix(maker, method)?;
                continue;
            };
            if method.is_of_components() {
                maker.begin_at_short(self.state)?;
            } else {
                maker.begin_at(self.state)?;
            }
            self.push_infix(maker)?;
            let is_local = method.is_local && self.infix_len == longest;
            let wanted = !is_local || maker.identifies(suffix);
            if wanted {
                maker.push_suffix(suffix)?;
            }
            self.suffix += 1;
            if wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Suite {
    /// The suite of these tests; empty if they are none.
    pub(crate) fn new(tests: Tests) -> Self {
        Self { method: Method::of(tests), state: 0, infix_len: 0, suffix: 0 }
    }

    /// Whether the first input of the infix leads from the short row to another one.
    fn is_at_short_row(&self, maker: &Maker<'_, '_>) -> bool {
        let input = Input::new(maker.m.get(Field::Infix, 0));
        maker.table.is_short(maker.m, maker.table.successor(Short(self.state), input))
    }

    /// Begins with the first infix of a length.
    fn begin_with(&mut self, maker: &mut Maker<'_, '_>, len: u32) -> Result<(), Stop> {
        let last_input = maker.table.inputs.saturating_sub(1);
        maker.m.reserve(Resource::Tests, &[Want::list(Field::Infix, len, last_input)])?;
        maker.m.fill(Field::Infix, len, 0);
        self.infix_len = len;
        Ok(())
    }

    /// All suffixes are done after this infix: the next state, then the next infix.
    fn next_infix(&mut self, maker: &mut Maker<'_, '_>, method: Method) -> Result<(), Stop> {
        let last_input = maker.table.inputs.saturating_sub(1);
        let infix = Want::list(Field::Infix, self.infix_len.saturating_add(1), last_input);
        maker.m.reserve(Resource::Tests, &[infix])?;
        self.suffix = 0;
        self.state += 1;
        let (states, shorts) = (maker.walk.len(), maker.table.shorts);
        let states = if method.is_of_components() { shorts } else { states };
        if self.state < states {
            return Ok(());
        }
        self.state = 0;
        // Counts up, the first input being the lowest digit.
        for place in 0..self.infix_len {
            let input = maker.m.get(Field::Infix, place) + 1;
            if input < maker.table.inputs {
                maker.m.set(Field::Infix, place, input);
                return Ok(());
            }
            maker.m.set(Field::Infix, place, 0);
        }
        maker.m.set(Field::Infix, self.infix_len, 0);
        self.infix_len += 1;
        Ok(())
    }

    fn push_infix(&self, maker: &mut Maker<'_, '_>) -> Result<(), Stop> {
        for place in 0..self.infix_len {
            let input = maker.m.get(Field::Infix, place);
            maker.go(Input::new(input))?;
        }
        Ok(())
    }
}

impl Maker<'_, '_> {
    /// Whether a suffix is the first to tell [`Tuple::WORD`] from some other state.
    fn identifies(&self, suffix: Column) -> bool {
        (0..self.components.len()).any(|component| {
            let state = self.walk.state_in(self.m, Tuple::WORD, component);
            (0..self.components.size(self.m.read(), component)).any(|other| {
                let mut separating =
                    self.suffixes().filter(|&s| self.separates(component, state, other, s));
                other != state && separating.next() == Some(suffix)
            })
        })
    }
}
