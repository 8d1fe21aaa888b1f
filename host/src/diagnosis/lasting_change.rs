//! An answer that came at first and never again, over all resets: something has changed the device for good.
//!
//! Who checks or learns the device later sees nothing of it, since all answers are the same from then on. So a check says what has
//! changed, and the next one looks whether that still stands.

use std::collections::BTreeSet;

use mealybug_core::Input;

use super::evidence::Evidence;

/// An answer that has changed once, over all resets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingChange {
    /// The word.
    pub word: Vec<Input>,
    /// The answer to its last input at first.
    pub before: String,
    /// The answer ever since.
    pub since: String,
    /// Whether several answers show it. One may have been a fault of the line.
    pub is_certain: bool,
}

impl Evidence {
    /// What an earlier check has seen change, if the device answers as it did after that.
    pub(super) fn standing_change(&self) -> Option<&LastingChange> {
        let stands = |change: &&LastingChange| matches!(self.runs(&change.word), [run] if run.output == change.since);
        self.earlier.as_ref().filter(stands)
    }

    /// What this check has seen change, or an earlier one if that still stands.
    pub(super) fn lasting_change(&self) -> Option<LastingChange> {
        let mut trials = self.trials.iter();
        let seen = trials.find(|it| it.is_by_reset && it.is_for_good).map(|it| {
            let [before, since] = it.outputs.clone();
            LastingChange { word: it.word.clone(), before, since, is_certain: it.is_repeated }
        });
        seen.or_else(|| self.standing_change().cloned())
    }

    /// The inputs that were first sent while the answers changed: after the last of the old ones, before the first of the new ones.
    /// None if it is not known when that was.
    pub(super) fn sent_as_it_changed(&self) -> Vec<Input> {
        let asked = self.asked();
        let times = self.differences().into_iter().filter_map(|word| {
            let [_, since] = self.runs(word) else { return None };
            let end = asked.len().min(since.number as usize);
            let start = asked[..end].iter().rposition(|it| it.starts_with(word))?;
            Some(((start, word.len()), end))
        });
        let time = times.reduce(|one, other| (one.0.max(other.0), one.1.min(other.1)));
        let Some(((start, len), end)) = time.filter(|((start, _), end)| start < end) else {
            return Vec::new();
        };
        let before: BTreeSet<_> =
            asked[..start].iter().flatten().chain(&asked[start][..len]).collect();
        let meanwhile: BTreeSet<_> =
            asked[start..].iter().take(end + 1 - start).flatten().collect();
        meanwhile.difference(&before).map(|input| **input).collect()
    }
}
