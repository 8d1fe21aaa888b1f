//! How often a predicted chance comes true: by ranges of chances, and at the end of runs.

use crate::judged::JudgedRun;

/// The numbers of tests in a row after which a chance is predicted.
const ASKED: [u64; 12] = [30, 60, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 7000, 10_000];

/// The upper ends of the ranges of chances.
const RANGES: [f64; 6] = [1.0, 0.5, 0.2, 0.1, 0.05, 0.02];

/// The predicted chances in one range, and how many came true.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChanceRange {
    /// The number of hypotheses with a prediction in this range. Each counts once, since what follows from one hypothesis
    /// is not independent.
    pub cases: u32,
    /// The sum of the predicted chances: of each hypothesis the mean.
    pub said: f64,
    /// How many of these hypotheses are wrong.
    pub wrong: u32,
}

/// What was predicted in a suite, and what came true.
#[derive(Clone, Debug, Default)]
pub struct Calibration {
    /// By the predicted chance, the largest first.
    pub ranges: [ChanceRange; RANGES.len()],
    /// Runs.
    pub runs: u32,
    /// Runs that converge by default with a wrong model.
    pub wrong: u32,
    /// Runs that find the right model, and do not converge on a wrong one before.
    pub right: u32,
    /// Those of them that converge within 10 000 tests.
    pub soon: u32,
}

impl Calibration {
    /// Counts a run.
    #[expect(clippy::cast_precision_loss, reason = "there are few")]
    pub fn add(&mut self, run: &JudgedRun) {
        self.runs += 1;
        self.wrong += u32::from(run.converges_wrongly());
        self.right += u32::from(run.tests.is_some() && !run.converges_wrongly());
        self.soon += u32::from(run.converges_after().is_some_and(|tests| tests <= 10_000));
        for hypothesis in &run.hypotheses {
            let mut said = [(); RANGES.len()].map(|()| Vec::new());
            for asked in ASKED {
                if !hypothesis.is_right && hypothesis.passed < asked {
                    break;
                }
                let chance = hypothesis.evidence.chance(asked);
                let at = RANGES.iter().rposition(|&range| chance <= range).unwrap_or(0);
                said[at].push(chance);
            }
            for (range, said) in
                self.ranges.iter_mut().zip(said).filter(|(_, said)| !said.is_empty())
            {
                range.cases += 1;
                range.said += said.iter().sum::<f64>() / said.len() as f64;
                range.wrong += u32::from(!hypothesis.is_right);
            }
        }
    }

    /// Adds the runs of another suite.
    pub fn merge(&mut self, other: &Self) {
        for (range, other) in self.ranges.iter_mut().zip(other.ranges) {
            range.cases += other.cases;
            range.said += other.said;
            range.wrong += other.wrong;
        }
        self.runs += other.runs;
        self.wrong += other.wrong;
        self.right += other.right;
        self.soon += other.soon;
    }

    /// In a line: each range, and how the runs end.
    pub fn line(&self, name: &str) -> String {
        let mut text = format!("{name:<16}");
        for range in self.ranges {
            let ChanceRange { cases, said, wrong } = range;
            if cases == 0 {
                text += &format!("{:>20}", "–");
                continue;
            }
            let (cases_f, mark) = (f64::from(cases), if range.is_above() { "!" } else { "" });
            let (said, wrong) = (100.0 * said / cases_f, 100.0 * f64::from(wrong) / cases_f);
            text += &format!("{:>20}", format!("{said:.1} {wrong:.1}{mark} /{cases}"));
        }
        let Self { runs, wrong, right, soon, .. } = self;
        let undecided = self.undecided();
        format!(
            "{text}   {wrong} wrong and {undecided} undecided of {runs}, {soon} of {right} soon"
        )
    }

    /// Runs that were ended before they converged or found the right model.
    pub fn undecided(&self) -> u32 {
        self.runs - self.wrong - self.right
    }
}

impl ChanceRange {
    /// Whether more came true than the 95 % interval around what was predicted allows (binomial).
    fn is_above(&self) -> bool {
        let cases = f64::from(self.cases);
        let chance = (self.said / cases).clamp(1e-9, 1.0 - 1e-9);
        // The logarithm of the chance that exactly k come true: the chance itself is 0 in floating point for many cases.
        let mut exactly = cases * (1.0 - chance).ln();
        let mut as_many = 0.0;
        for k in 0..=self.cases {
            if k >= self.wrong {
                as_many += exactly.exp();
            }
            let k = f64::from(k);
            exactly += ((cases - k) / (k + 1.0) * chance / (1.0 - chance)).ln();
        }
        as_many < 0.025
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least number that lies above the interval where half of the cases is predicted; from tables of the binomial
    /// distribution for 10, from its normal approximation for the others.
    #[test]
    fn what_lies_above_the_interval_is_marked_however_many_cases_there_are() {
        for (cases, least) in [(10, 9), (1000, 532), (5000, 2570), (8000, 4089)] {
            let is_above =
                |wrong| ChanceRange { cases, said: 0.5 * f64::from(cases), wrong }.is_above();
            assert!(is_above(cases) && !is_above(cases / 2), "{cases}");
            let first = (0..=cases).find(|&wrong| is_above(wrong));
            assert!(first.is_some_and(|first| first.abs_diff(least) <= 1), "{cases}: {first:?}");
        }
    }
}
