//! The complete suites of the W- and the Wp-method, word by word.
//!
//! For `k` extra states, states `Q` of the hypothesis and its suffixes `W`:
//! W asks `Q · X^{≤k+1} · W`; Wp asks `Q · X^{≤k} · W` and then `Q · X^{k+1} · W_q`, where `W_q` holds,
//! for each other state of each component, the first suffix of `W` that tells it from the one
//! reached. A device with at most `k` more states than the hypothesis that passes is equivalent to it.

use super::Maker;
use crate::Input;
use crate::columns::Column;
use crate::components::Tuple;
use crate::error::{Resource, Stop};
use crate::memory::{Field, Want};

/// Where a suite is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Suite {
    state: u32,
    /// The infix itself is in [`Field::Infix`].
    infix_len: u32,
    suffix: u32,
}

impl Suite {
    /// Makes the next word of the suite and moves on; `false` when there is none.
    pub(crate) fn next(
        &mut self,
        maker: &mut Maker<'_, '_>,
        extra_states: u32,
        local: bool,
    ) -> Result<bool, Stop> {
        let longest = extra_states.saturating_add(1);
        while self.infix_len <= longest {
            let suffix = maker.suffixes().nth(self.suffix as usize);
            let Some(suffix) = suffix else {
                self.next_infix(maker)?;
                continue;
            };
            maker.begin_at(self.state)?;
            self.push_infix(maker)?;
            let wanted = !local || self.infix_len < longest || maker.identifies(suffix);
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

    /// All suffixes are done after this infix: the next state, then the next infix.
    fn next_infix(&mut self, maker: &mut Maker<'_, '_>) -> Result<(), Stop> {
        let last_input = maker.table.inputs.saturating_sub(1);
        let infix = Want::list(Field::Infix, self.infix_len.saturating_add(1), last_input);
        maker.m.reserve(Resource::Tests, &[infix])?;
        self.suffix = 0;
        self.state += 1;
        if self.state < maker.walk.len() {
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
            let state = self.m.at(Field::Tuple, Tuple::WORD.row(), component);
            (0..self.components.size(self.m.read(), component)).any(|other| {
                let mut separating =
                    self.suffixes().filter(|&s| self.separates(component, state, other, s));
                other != state && separating.next() == Some(suffix)
            })
        })
    }
}
