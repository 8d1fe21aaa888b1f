//! What something has changed for good, as a check sees it.

use std::collections::BTreeSet;

use mealybug_core::Input;

use super::evidence::Evidence;
use super::lasting_change::LastingChange;

/// What an earlier check has seen change, if the device answers as it did after that, and never as before.
pub(super) fn standing_change(evidence: &Evidence) -> Option<&LastingChange> {
    let change = evidence.earlier_change.as_ref()?;
    let [before, since] = came(evidence, change);
    (since && !before).then_some(change)
}

/// Whether the next check need not know of what an earlier one has seen change: the word was answered as before the change, or never
/// as since.
pub(super) fn is_undone(evidence: &Evidence) -> bool {
    evidence.earlier_change.as_ref().is_some_and(|change| {
        let [before, since] = came(evidence, change);
        !evidence.runs(&change.word).is_empty() && (before || !since)
    })
}

/// Whether the answer before a change came, and the one since.
fn came(evidence: &Evidence, change: &LastingChange) -> [bool; 2] {
    let runs = evidence.runs(&change.word);
    [&change.before, &change.since].map(|output| runs.iter().any(|run| run.output == *output))
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
        Some(((start, word.len()), (end, word.len())))
    });
    let time = times.reduce(|one, other| (one.0.max(other.0), one.1.min(other.1)));
    let Some(((start, len), (end, upto))) = time.filter(|((start, _), (end, _))| start < end)
    else {
        return Vec::new();
    };
    let before: BTreeSet<_> = asked[..start].iter().flatten().chain(&asked[start][..len]).collect();
    let last = asked.get(end).into_iter().flat_map(|word| word.iter().take(upto));
    let meanwhile: BTreeSet<_> = asked[start..end].iter().flatten().chain(last).collect();
    meanwhile.difference(&before).map(|input| **input).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::evidence::Answer;
    use super::*;

    /// The inputs that were sent as the answer to input 0 changed, if these are the words and the answers to each input.
    fn sent(words: &[&[(u32, &str)]]) -> Vec<u32> {
        let names = ["get", "a", "b", "c"].map(str::to_owned);
        let mut evidence = Evidence::of_check(&names, None);
        for word in words {
            evidence.reset(Duration::ZERO);
            for &(input, output) in *word {
                let (input, took) = (Input::new(input), Duration::ZERO);
                evidence.answer(&Answer { input, output, is_silence: false, took }, None);
            }
        }
        evidence.reset(Duration::ZERO);
        sent_as_it_changed(&evidence).into_iter().map(Input::index).collect()
    }

    #[test]
    fn only_inputs_that_were_first_sent_between_the_answers_are_suspects() {
        let (old, new) = ((0, "5"), (0, "7"));
        let [a, b, c] = [1, 2, 3].map(|input| (input, "ok"));
        assert_eq!(sent(&[&[old], &[a], &[old], &[b], &[new]]), [2]);
        // In the words that show the old answer and the new one, but not after the new one.
        assert_eq!(sent(&[&[a], &[old, b], &[new, c], &[new]]), [2]);
        assert_eq!(sent(&[&[old], &[a], &[b], &[new], &[new]]), [1, 2]);
        // It has come back.
        assert!(sent(&[&[old], &[a], &[new], &[old]]).is_empty());
    }
}
