//! A last look at a device when a run has converged: what answers alone cannot show.
//!
//! A run asks one input after the other, as fast as it can. What a device says or does while nothing is sent stays hidden: see
//! [`late_words`] and [`paused_words`].

pub mod late_words;
pub mod paused_words;

use mealybug_core::Costs;

/// What a look has shown.
#[derive(Clone, Debug, Default)]
pub struct LastLook {
    /// What the user should know of each word that speaks against the model.
    pub notes: Vec<String>,
    /// What was asked for that.
    pub asked: Costs,
    /// Whether it has looked wherever such a word may be.
    pub is_complete: bool,
}

impl LastLook {
    /// The number of such words. An earlier session found `before` of them; they still count if this one has not looked everywhere.
    pub fn count(&self, before: u64) -> u64 {
        let found = self.notes.len() as u64;
        if self.is_complete { found } else { found.max(before) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_session_found_counts_until_all_is_seen() {
        let counts = [true, false].map(|is_complete| {
            let notes = vec![String::new(); 2];
            let look = LastLook { notes, is_complete, ..LastLook::default() };
            [1, 5].map(|before| look.count(before))
        });
        assert_eq!(counts, [[2, 2], [2, 5]]);
    }
}
