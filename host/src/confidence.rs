//! Estimates the chance that a hypothesis is wrong, from how well it was tested.
//!
//! A hypothesis has `I` inputs. Tests of the mixture have refuted earlier ones; `F` of the finds were *late*: 30 tests or
//! more in a row had found nothing before. After `n` tests in a row without a difference, the odds that the hypothesis is
//! wrong are taken to be
//!
//! ```text
//! 0.3 · (S / n)^(3/4)      S = ((1 + F) · I)² + 40
//! ```
//!
//! Odds of 1 to 19 are a chance of 5 %, or 1 in 20. A device with many inputs hides more, and a device that has often hidden
//! something for a while is likely to hide more. Tests find the easy part first, so the odds fall more slowly than the number
//! of tests grows.
//!
//! The form and the exponents were fitted to runs with models of protocols, circuits and product lines, and to machines
//! with a planted behaviour. Each suite was judged by what the others gave. docs/testing.md says what came of it and
//! docs/measurements/confidence.txt has the counts. This is an estimate for devices like
//! these. It cannot exclude behaviour behind a word that no test is likely to ask, such as a password.

use std::fmt;

use mealybug_core::Tests;
use serde::{Deserialize, Serialize};

use crate::learn::HostSession;
use crate::statistics::number;
use crate::store::Tried;

/// How sure a run is by default before it ends: 95 %.
pub const DEFAULT: f64 = 0.95;

/// The odds after as many tests as `S`.
const ODDS: f64 = 0.3;
/// How the odds fall with the tests.
const EXPONENT: f64 = 0.75;
/// A chance above this is more than `1 in 2`.
const HALF: f64 = 0.55;
/// `S` without inputs.
const LEAST: f64 = 40.0;

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
        session.hypothesis()?;
        let chance = chance(session, session.progress().passing_tests);
        (chance.is_some() || tried.is_some()).then_some(Self { chance, tried, hour: None })
    }

    /// Says what an hour more would give, if the chance is larger than `goal` and this many words are asked per second.
    #[must_use]
    pub fn with_pace(self, session: &HostSession, goal: f64, words_per_second: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let tests = (words_per_second * 3600.0) as u64;
        let after = session.progress().passing_tests.saturating_add(tests);
        let is_short = self.chance.is_some_and(|chance| chance > goal) && tests > 0;
        let chance = chance(session, after).filter(|_| is_short);
        Self { hour: chance.map(|chance| HourMore { tests, chance }), ..self }
    }
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

/// The chance that the session's hypothesis is wrong after it has passed `tests_in_a_row` tests. `None` without a
/// hypothesis, and for tests with which the chance was not measured.
pub fn chance(session: &HostSession, tests_in_a_row: u64) -> Option<f64> {
    let scale = scale_of(session)?;
    is_known_for(session.options().tests).then(|| chance_after(scale, tests_in_a_row))
}

/// How many tests in a row the session's hypothesis must pass so that the chance that it is wrong is at most
/// `1 - confidence`. `None` before the first hypothesis.
pub fn tests_in_a_row(confidence: f64, session: &HostSession) -> Option<u64> {
    Some(tests_for(confidence, scale_of(session)?))
}

/// Whether the chance was measured for these tests.
pub fn is_known_for(tests: Tests) -> bool {
    tests == Tests::Mixture
}

/// `S` of the session's hypothesis.
fn scale_of(session: &HostSession) -> Option<f64> {
    let inputs = session.hypothesis()?.inputs();
    Some(scale(inputs, session.progress().late_finds))
}

fn scale(inputs: u32, late_finds: u32) -> f64 {
    ((1.0 + f64::from(late_finds)) * f64::from(inputs)).powi(2) + LEAST
}

fn chance_after(scale: f64, tests: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let tests = tests as f64;
    // Before the first test the odds are infinite.
    1.0 / (1.0 + (tests / scale).powf(EXPONENT) / ODDS)
}

fn tests_for(confidence: f64, scale: f64) -> u64 {
    let odds = confidence / (1.0 - confidence);
    let tests = scale * (ODDS * odds).powf(1.0 / EXPONENT);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let tests = tests.ceil() as u64;
    // At least one test, however little confidence is wanted.
    tests.max(1)
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

    #[test]
    fn the_chance_falls_with_tests_and_grows_with_inputs_and_late_finds() {
        assert_eq!(chance_after(scale(8, 0), 0), 1.0);
        let after = |inputs, late, tests| chance_after(scale(inputs, late), tests);
        assert!((0.20..0.25).contains(&after(8, 0, 104)), "{}", after(8, 0, 104));
        assert!(after(8, 0, 1000) > 4.0 * after(8, 0, 10_000));
        assert!(after(16, 0, 1000) > 1.5 * after(8, 0, 1000));
        assert!(after(8, 2, 1000) > 1.5 * after(8, 0, 1000));
    }

    #[test]
    fn so_many_tests_leave_the_chance_that_is_wanted() {
        for (confidence, inputs, late) in [(0.9, 3, 0), (0.95, 12, 2), (0.999, 2000, 7)] {
            let scale = scale(inputs, late);
            let tests = tests_for(confidence, scale);
            assert!(chance_after(scale, tests) <= 1.0 - confidence, "{confidence} {tests}");
            assert!(chance_after(scale, tests - 1) > 1.0 - confidence, "{confidence} {tests}");
        }
        assert_eq!(tests_for(0.01, scale(1, 0)), 1);
        assert_eq!(tests_for(1.0, scale(4, 0)), u64::MAX);
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
