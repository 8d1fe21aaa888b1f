//! What was spent, and when it is enough.

use crate::action::EndReason;
use crate::options::Budget;
use crate::progress::{Costs, Purpose};

/// What was asked of the devices, for each purpose. No sum reaches 2⁶⁴.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spending {
    pub(crate) learning: Costs,
    pub(crate) testing: Costs,
    /// Hypotheses that were made.
    pub(crate) rounds: u64,
}

impl Spending {
    pub(crate) const NONE: Self = {
        let none = Costs { resets: 0, symbols: 0 };
        Self { learning: none, testing: none, rounds: 0 }
    };

    /// Counts a reset that was done.
    pub(crate) fn reset(&mut self, purpose: Purpose) {
        self.of(purpose).add(1, 0);
    }

    /// Counts inputs that are asked.
    pub(crate) fn symbols(&mut self, purpose: Purpose, symbols: u32) {
        self.of(purpose).add(0, symbols);
    }

    fn of(&mut self, purpose: Purpose) -> &mut Costs {
        match purpose {
            Purpose::Learning => &mut self.learning,
            Purpose::Testing => &mut self.testing,
        }
    }

    /// The limit that is reached, if any. `resets` more are under way.
    pub(crate) fn exceeds(&self, budget: &Budget, resets: u32) -> Option<EndReason> {
        let Self { learning, testing, .. } = self;
        if learning.symbols.wrapping_add(testing.symbols) >= budget.symbols {
            return Some(EndReason::Symbols);
        }
        let done = learning.resets.wrapping_add(testing.resets);
        (done.wrapping_add(resets.into()) >= budget.resets).then_some(EndReason::Resets)
    }
}
