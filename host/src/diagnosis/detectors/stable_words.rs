//! Words that always had the same answer, beside others whose answers vary. Where answers vary among few values, some words have
//! the same one each time by chance.

use std::collections::{BTreeMap, BTreeSet};

use super::super::answers::AskedWord;

/// How likely it may be that chance made words stable, if they are taken for words whose answers never vary.
const CHANCE: f64 = 0.05;

/// Whether the words that always had the same answer are more than chance makes of words whose answers vary.
pub(super) fn are_stable<'a>(words: impl Iterator<Item = &'a [AskedWord]> + Clone) -> bool {
    let (mut equal, mut pairs) = (0.0, 0.0);
    for runs in words.clone().filter(|runs| runs.len() > 1) {
        let mut counts: BTreeMap<&[u8], u32> = BTreeMap::new();
        for run in runs {
            *counts.entry(&run.reply).or_default() += run.count;
        }
        equal += counts.into_values().map(pairs_of).sum::<f64>();
        pairs += pairs_of(times(runs));
    }
    if equal == 0.0 {
        return true;
    }
    let stable = words.clone().filter(|runs| runs.len() == 1).map(times);
    let stable: Vec<_> = stable.collect();
    // Few words may have been asked often, beside many that were not.
    let limits: BTreeSet<_> = stable.iter().collect();
    limits.iter().any(|&limit| {
        let often = words.clone().map(times).filter(|times| times >= limit);
        let by_chance = often.map(|times| f64::powf(equal / pairs, f64::from(times) - 1.0)).sum();
        let count = stable.iter().filter(|times| *times >= limit).count();
        #[expect(clippy::cast_precision_loss, reason = "limits are few")]
        let chance = CHANCE / limits.len() as f64;
        at_least(count, by_chance) <= chance
    })
}

/// How many answers a word had.
fn times(runs: &[AskedWord]) -> u32 {
    runs.iter().map(|run| run.count).sum()
}

fn pairs_of(count: u32) -> f64 {
    f64::from(count) * f64::from(count.saturating_sub(1)) / 2.0
}

/// The chance of at least `count` events, of which `expected` come on average (Poisson distribution).
fn at_least(count: usize, expected: f64) -> f64 {
    // The logarithm: many events have terms that are smaller than any number.
    let mut term = -expected;
    let mut fewer = 0.0;
    for number in 1..=count {
        fewer += f64::exp(term);
        #[expect(clippy::cast_precision_loss, reason = "words are few")]
        let number = number as f64;
        term += f64::ln(expected / number);
    }
    1.0 - fewer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_is_that_of_the_distribution() {
        for (count, expected, chance) in [
            (0, 2.0, 1.0),
            (1, 2.0, 0.864_7),
            (3, 2.0, 0.323_3),
            (4, 0.5, 0.001_75),
            (2000, 1000.0, 0.0),
        ] {
            assert!((at_least(count, expected) - chance).abs() < 1e-4, "{count}, {expected}");
        }
    }

    /// Whether words with these counts of different answers hold some that never vary.
    fn are(words: &[&[u32]]) -> bool {
        let run = |(value, count): (u8, u32)| AskedWord {
            output: String::new(),
            reply: vec![value],
            is_silence: false,
            count,
            after: None,
            number: 0,
            at: std::time::Duration::ZERO,
        };
        // Each answer comes in two spells, but for one that came once.
        let word = |counts: &&[u32]| match counts {
            [count] => vec![run((0, *count))],
            _ => {
                let halves = [0, 1].map(|half| {
                    (0..).zip(*counts).map(move |(value, count)| (value, (count + half) / 2))
                });
                halves.into_iter().flatten().filter(|(_, count)| *count > 0).map(run).collect()
            }
        };
        let words: Vec<Vec<_>> = words.iter().map(word).collect();
        are_stable(words.iter().map(Vec::as_slice))
    }

    #[test]
    fn few_values_leave_some_words_with_one_answer_by_chance() {
        let varying: &[&[u32]] = &[&[10, 11, 9], &[2, 1, 1], &[2, 2], &[3, 1], &[1, 1], &[1, 1]];
        assert!(!are(&[varying, &[&[2], &[2], &[3], &[2]]].concat()));
        // Too many of them, or asked too often for that.
        assert!(are(&[varying, &[&[4][..]; 6]].concat()));
        assert!(are(&[varying, &[&[2], &[8], &[9]]].concat()));
        // Answers that are never the same twice, and no answers that vary.
        assert!(are(&[&[1, 1, 1], &[2], &[2]]));
        assert!(are(&[&[2], &[2]]));
        // A word that is stable by a chance of 4 % is, but one of three that were asked otherwise often may be.
        assert!(are(&[&[5, 5], &[5]]));
        assert!(!are(&[&[5, 5], &[5], &[3], &[2]]));
    }
}
