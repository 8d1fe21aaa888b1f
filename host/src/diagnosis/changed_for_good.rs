//! What something has changed for good, as a check sees it.

use std::collections::BTreeSet;

use mealybug_core::Input;

use super::evidence::Evidence;
use super::lasting_change::LastingChange;

/// What an earlier check has seen change, if the device answers as it did after that.
pub(super) fn standing_change(evidence: &Evidence) -> Option<&LastingChange> {
    let change = evidence.earlier.as_ref()?;
    let stands = matches!(evidence.runs(&change.word), [run] if run.output == change.since);
    stands.then_some(change)
}

/// What this check has seen change, or an earlier one if that still stands.
pub(super) fn lasting_change(evidence: &Evidence) -> Option<LastingChange> {
    let mut trials = evidence.trials.iter();
    let seen = trials.find(|it| it.is_by_reset && it.is_for_good).map(|it| {
        let [before, since] = it.outputs.clone();
        LastingChange { word: it.word.clone(), before, since, is_certain: it.is_repeated }
    });
    seen.or_else(|| standing_change(evidence).cloned())
}

/// The inputs that were first sent while the answers changed: after the last of the old ones, before the first of the new ones.
/// Empty if it is not known when that was.
pub(super) fn sent_as_it_changed(evidence: &Evidence) -> Vec<Input> {
    let asked = evidence.asked();
    let times = evidence.differences().into_iter().filter_map(|word| {
        let [_, since] = evidence.runs(word) else { return None };
        let end = asked.len().min(since.number as usize);
        let start = asked[..end].iter().rposition(|it| it.starts_with(word))?;
        Some(((start, word.len()), end))
    });
    let time = times.reduce(|one, other| (one.0.max(other.0), one.1.min(other.1)));
    let Some(((start, len), end)) = time.filter(|((start, _), end)| start < end) else {
        return Vec::new();
    };
    let before: BTreeSet<_> = asked[..start].iter().flatten().chain(&asked[start][..len]).collect();
    let meanwhile: BTreeSet<_> = asked[start..].iter().take(end + 1 - start).flatten().collect();
    meanwhile.difference(&before).map(|input| **input).collect()
}
