//! Answers that come in spells: the same one again and again, over resets, until something changes it.
//!
//! A rare answer of the device, or a fault of the line, comes now and then. What a reset does not undo stays: then the
//! answers to a word change seldom, however late it was done and however many words before.

use super::answers::AskedWord;

/// The answers come in spells if chance would make them change so seldom at most this often.
const CHANCE: f64 = 0.001;

/// The answers to a word that differ from the usual one, where they come in spells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AnswerSpells {
    /// How many answers are not the usual one, and in how many spells they came.
    pub(super) others: u32,
    pub(super) spells: u32,
    /// The number of all answers.
    pub(super) all: u32,
}

/// Whether answers came in spells; `runs` are equal answers one after the other. The test is that of A. Wald and J. Wolfowitz,
/// "On a Test Whether Two Samples are from the Same Population", 1940, doi:10.1214/aoms/1177731909.
pub(super) fn spells(runs: &[AskedWord]) -> Option<AnswerSpells> {
    let times = |output: &str| -> u32 {
        runs.iter().filter(|run| run.output == output).map(|run| run.count).sum()
    };
    let usual = &runs.iter().max_by_key(|run| times(&run.output))?.output;
    let is_other = |run: &&AskedWord| run.output != *usual;
    // A clock does not give an old answer again, and the faults in a burst are not alike.
    let is_again = runs.iter().filter(|run| !is_other(run)).count() > 1;
    if !is_again || !runs.iter().any(|run| is_other(&run) && run.count > 1) {
        return None;
    }
    let all = runs.iter().map(|run| run.count).sum();
    let others = all - times(usual);
    let groups = runs.chunk_by(|one, next| is_other(&one) == is_other(&next));
    let spells = groups.filter(|group| is_other(&&group[0])).count();
    let spells = u32::try_from(spells).unwrap_or(u32::MAX);
    (chance(others, spells, all) <= CHANCE).then_some(AnswerSpells { others, spells, all })
}

/// The chance of at most this many spells of `others` if `all` answers came in a random order.
fn chance(others: u32, spells: u32, all: u32) -> f64 {
    let of_spells = |spells: u32| {
        ln_choose(others - 1, spells - 1) + ln_choose(all - others + 1, spells)
            - ln_choose(all, others)
    };
    let possible = spells.min(others).min(all - others + 1);
    (1..=possible).map(|spells| of_spells(spells).exp()).sum()
}

/// The logarithm of the number of sets of `k` of `n`.
fn ln_choose(n: u32, k: u32) -> f64 {
    (0..k).map(|at| (f64::from(n - at) / f64::from(at + 1)).ln()).sum()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn runs(runs: &[(&str, u32)]) -> Vec<AskedWord> {
        let run = |&(output, count): &(&str, u32)| AskedWord {
            output: output.to_owned(),
            reply: output.into(),
            is_silence: false,
            count,
            after: None,
            number: 0,
            at: Duration::ZERO,
        };
        runs.iter().map(run).collect()
    }

    #[test]
    fn the_chance_is_that_of_all_orders() {
        // Of the 10 orders of two others among five, 4 have them together.
        assert!((chance(2, 1, 5) - 0.4).abs() < 1e-9);
        assert!((chance(2, 2, 5) - 1.0).abs() < 1e-9);
        assert!((chance(5, 3, 120) + 1e-9) < chance(5, 4, 120));
    }

    #[test]
    fn what_stays_comes_in_spells_and_what_is_rare_does_not() {
        let found = spells(&runs(&[("20", 60), ("30", 4), ("20", 50), ("30", 2), ("20", 4)]));
        assert_eq!(found, Some(AnswerSpells { others: 6, spells: 2, all: 120 }));
        for answers in [
            &[("20", 30), ("30", 1), ("20", 30), ("30", 1), ("20", 30), ("30", 1), ("20", 27)][..],
            // Two that are alike one after the other may be chance.
            &[("20", 30), ("30", 2), ("20", 30)],
            // A clock.
            &[("12:01", 60), ("12:02", 60), ("12:03", 60)],
            // A burst of faults.
            &[("20", 60), ("2", 1), ("0", 1), ("21", 1), ("60", 1), ("20", 60)],
        ] {
            assert_eq!(spells(&runs(answers)), None, "{answers:?}");
        }
    }
}
