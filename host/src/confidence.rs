//! The chance that a hypothesis is wrong, as a run says it: in progress, in the verdict, in the report.
//!
//! [`TestEvidence`] has the estimate.

mod evidence;

use std::fmt;

use mealybug_core::{Costs, Progress, Tests};
use serde::{Deserialize, Serialize};

pub use evidence::TestEvidence;

use crate::learn::HostSession;
use crate::statistics::number;
use crate::store::Tried;

/// How sure a run is by default before it ends: 95 %.
pub const DEFAULT: f64 = 0.95;

/// A chance above this is more than `1 in 2`.
const HALF: f64 = 0.55;

/// How well a hypothesis is tested that no test has refuted yet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Confidence {
    /// The estimated chance that the hypothesis is wrong, from 0 to 1; null for tests other than the mixture, for which it
    /// was not measured.
    pub chance: Option<f64>,
    /// How much of the hypothesis the answers have tried; null without kept answers, and if the hypothesis is too large.
    pub tried: Option<Tried>,
    /// What an hour more would give at the pace of this run; null where the chance is as small as was wanted, and in
    /// simulation.
    pub hour: Option<HourMore>,
}

/// What an hour more of tests would give.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HourMore {
    /// How many tests it has.
    pub tests: u64,
    /// The estimated chance that the hypothesis is wrong after it, if none of them finds a difference.
    pub chance: f64,
}

impl Confidence {
    /// The confidence in the hypothesis of a session, if there is a hypothesis and anything is
    /// known.
    pub fn new(session: &HostSession, tried: Option<Tried>) -> Option<Self> {
        Estimator::default().confidence(session, tried)
    }

    /// Says what an hour more would give, if the chance is larger than `goal`. The device takes this many resets and symbols per
    /// second.
    #[must_use]
    pub fn with_pace(self, session: &HostSession, goal: f64, per_second: f64) -> Self {
        let Progress { testing, passing_tests, .. } = session.progress();
        let tests = tests_an_hour(testing, per_second);
        let after = passing_tests.saturating_add(tests);
        let is_short = self.chance.is_some_and(|chance| chance > goal) && tests > 0;
        let evidence = TestEvidence::of(session).filter(|_| is_short);
        let hour = evidence.map(|evidence| HourMore { tests, chance: evidence.chance(after) });
        Self { hour, ..self }
    }
}

/// How many tests as long as these an hour has room for, at this many resets and symbols per second.
fn tests_an_hour(Costs { resets, symbols }: Costs, per_second: f64) -> u64 {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let of_test = (resets + symbols) as f64 / resets.max(1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let tests = (3600.0 * per_second / of_test.max(1.0)) as u64;
    tests
}

/// Such as `92 % of transitions, 61 % of pairs tried; about 1 in 14 models like this one still hides
/// something`.
impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(tried) = self.tried {
            write!(f, "{tried}")?;
        }
        if let Some(chance) = self.chance {
            let semicolon = if self.tried.is_some() { "; " } else { "" };
            write!(f, "{semicolon}about {}", hiding(chance))?;
        }
        Ok(())
    }
}

/// Such as `92 % of transitions, 61 % of pairs tried`.
impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { transitions, of_transitions, pairs, of_pairs } = *self;
        let (of, of_pairs) = (part(transitions, of_transitions), part(pairs, of_pairs));
        write!(f, "{of} of transitions, {of_pairs} of pairs tried")
    }
}

/// How many tests in a row the session's hypothesis must pass so that the chance that it is wrong is at most
/// `1 - confidence`. `None` before the first hypothesis.
pub fn tests_in_a_row(confidence: f64, session: &HostSession) -> Option<u64> {
    Some(TestEvidence::of(session)?.tests_for(confidence))
}

/// Whether the chance was measured for these tests.
pub fn is_known_for(tests: Tests) -> bool {
    tests == Tests::Mixture
}

/// The evidence about a session's hypothesis, found out once for each hypothesis.
#[derive(Clone, Debug, Default)]
pub struct Estimator {
    /// The evidence, and what the session had cost to learn when it made this hypothesis.
    known: Option<(u64, Costs, TestEvidence)>,
}

impl Estimator {
    /// The confidence in the hypothesis of a session, if there is a hypothesis and anything is
    /// known.
    pub fn confidence(
        &mut self,
        session: &HostSession,
        tried: Option<Tried>,
    ) -> Option<Confidence> {
        let Progress { rounds, learning, passing_tests, .. } = session.progress();
        let is_known =
            |&(round, costs, _): &(u64, Costs, TestEvidence)| (round, costs) == (rounds, learning);
        if !self.known.as_ref().is_some_and(is_known) {
            self.known = TestEvidence::of(session).map(|evidence| (rounds, learning, evidence));
        }
        let (.., evidence) = self.known?;
        let chance = is_known_for(session.options().tests).then(|| evidence.chance(passing_tests));
        (chance.is_some() || tried.is_some()).then_some(Confidence { chance, tried, hour: None })
    }
}

/// A percentage, rounded down, so that 100 % means all.
fn part(share: usize, all: usize) -> String {
    format!("{} %", share * 100 / all.max(1))
}

/// The chance that a model is wrong, in words: `1 in 20 models like this one still hides something`.
pub fn hiding(chance: f64) -> String {
    let s = if chance > HALF { "" } else { "s" };
    format!("{} models like this one still hide{s} something", one_in(chance))
}

/// A chance as people say it: `1 in 20`, and `2 in 3` where it is more than a half.
pub fn one_in(chance: f64) -> String {
    if chance > HALF {
        // 2 in 3, 3 in 4 … 9 in 10.
        let of = (1.0 / (1.0 - chance)).round().clamp(3.0, 10.0);
        return format!("{} in {of}", of - 1.0);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let of = (1.0 / chance).round() as u64;
    format!("1 in {}", number(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(inputs: u32, longest_streak: u64) -> TestEvidence {
        TestEvidence { inputs, distinct_inputs: inputs, dead_ends: 0.0, longest_streak }
    }

    #[test]
    fn the_chance_falls_with_tests_and_grows_with_inputs_and_streaks() {
        assert_eq!(evidence(8, 0).chance(0), 1.0);
        let after = |inputs, streak, tests| evidence(inputs, streak).chance(tests);
        assert!((0.30..0.33).contains(&after(8, 0, 180)), "{}", after(8, 0, 180));
        assert!(after(8, 0, 1000) > 8.0 * after(8, 0, 10_000));
        assert!(after(16, 0, 1000) > 1.5 * after(8, 0, 1000));
        assert!(after(8, 300, 1000) > 1.5 * after(8, 0, 1000));
    }

    #[test]
    fn inputs_that_act_alike_count_where_words_run_into_a_dead_end() {
        let few = TestEvidence { distinct_inputs: 4, ..evidence(8, 0) };
        assert_eq!(few.chance(1000), evidence(4, 0).chance(1000));
        let dead = TestEvidence { dead_ends: 1.0, ..few };
        assert!(dead.chance(1000) > 2.0 * evidence(8, 0).chance(1000));
    }

    #[test]
    fn so_many_tests_leave_the_chance_that_is_wanted() {
        for (confidence, inputs, streak) in [(0.9, 3, 0), (0.95, 12, 2), (0.999, 2000, 700)] {
            let evidence = evidence(inputs, streak);
            let tests = evidence.tests_for(confidence);
            assert!(evidence.chance(tests) <= 1.0 - confidence, "{confidence} {tests}");
            assert!(evidence.chance(tests - 1) > 1.0 - confidence, "{confidence} {tests}");
        }
        assert_eq!(evidence(1, 0).tests_for(0.01), 1);
        assert_eq!(evidence(4, 0).tests_for(1.0), u64::MAX);
    }

    #[test]
    fn an_hour_has_room_for_few_long_tests() {
        // A reset and 19 inputs each, of which two are done in a second.
        assert_eq!(tests_an_hour(Costs { resets: 50, symbols: 950 }, 2.0), 360);
        assert_eq!(tests_an_hour(Costs { resets: 0, symbols: 0 }, 2.0), 7200);
    }

    #[test]
    fn it_is_said_in_a_few_words() {
        let tried = Tried { transitions: 7, of_transitions: 8, pairs: 199, of_pairs: 200 };
        let confidence = Confidence { chance: Some(0.0712), tried: Some(tried), hour: None };
        assert_eq!(
            confidence.to_string(),
            "87 % of transitions, 99 % of pairs tried; \
             about 1 in 14 models like this one still hides something"
        );
        let confidence = Confidence { chance: Some(0.0009), tried: None, hour: None };
        assert_eq!(
            confidence.to_string(),
            "about 1 in 1 111 models like this one still hides something"
        );
        let tried = Some(Tried { pairs: 200, ..tried });
        let confidence = Confidence { chance: None, tried, hour: None };
        assert_eq!(confidence.to_string(), "87 % of transitions, 100 % of pairs tried");
        let said = [1.0, 0.8, 0.6, 0.5, 0.3, 0.05].map(one_in);
        assert_eq!(said, ["9 in 10", "4 in 5", "2 in 3", "1 in 2", "1 in 3", "1 in 20"]);
    }
}
