//! Estimates how well a hypothesis is tested: the chance that further tests would refute it.
//!
//! The estimate is based on measurements with about 150 protocol models whose truth is known:
//! how long the tests of the mixture search for a counterexample if there is one. After `n` tests
//! in a row without a counterexample, the chance that the next [`AHEAD`] tests find one is
//!
//! ```text
//! 1/2 · S / (S + n)      S = 6 · A^(2/3)
//! ```
//!
//! where a component of the hypothesis has `A` transitions on average (states times inputs). The
//! chance is inversely proportional to the number of tests, and larger components need more tests.
//! The exponent was fitted to one half of the models. 6 is the smallest factor for which, on that
//! half, the predicted chance is never below the observed rate, in any range of chances.
//!
//! `docs/measurements/confidence.txt` compares predictions with observations. On the other half of
//! the models, where more was hidden, differences were found up to 1.4 times as often as predicted.
//! On models of other kinds they were mostly found less often. This is an estimate for devices like
//! these. It cannot exclude behaviour behind a word that no test is likely to ask, such as a
//! password or a thousandth repetition.

use std::fmt;

use mealybug_core::{Progress, Tests};
use serde::{Deserialize, Serialize};

use crate::learn::HostSession;
use crate::statistics::number;
use crate::store::Tried;

/// The number of further tests for which the chance is estimated.
pub const AHEAD: u64 = 1000;

/// The chance before the first test.
const AT_FIRST: f64 = 0.5;
/// `S` for components with one transition.
const TESTS: f64 = 6.0;
const EXPONENT: f64 = 2.0 / 3.0;

/// How well a hypothesis is tested that no test has refuted yet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Confidence {
    /// The estimated chance that the next 1000 tests find a difference, from 0 to 1; null for tests other than the
    /// mixture, for which it was not measured.
    pub chance: Option<f64>,
    /// How much of the hypothesis the answers have tried; null without kept answers, and if the hypothesis is too large.
    pub tried: Option<Tried>,
}

impl Confidence {
    /// The confidence in the hypothesis of a session, if there is a hypothesis and anything is
    /// known.
    pub fn new(session: &HostSession, tried: Option<Tried>) -> Option<Self> {
        session.hypothesis()?;
        let chance = chance(session, session.progress().passing_tests);
        (chance.is_some() || tried.is_some()).then_some(Self { chance, tried })
    }
}

/// Such as `92 % of transitions, 61 % of pairs tried; 7.1 % that 1 000 tests find more`.
impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Tried { transitions, of_transitions, pairs, of_pairs }) = self.tried {
            let (of, of_pairs) = (part(transitions, of_transitions), part(pairs, of_pairs));
            write!(f, "{of} of transitions, {of_pairs} of pairs tried")?;
        }
        if let Some(chance) = self.chance {
            let semicolon = if self.tried.is_some() { "; " } else { "" };
            write!(f, "{semicolon}{} that {} tests find more", percent(chance), number(AHEAD))?;
        }
        Ok(())
    }
}

/// The chance that the next [`AHEAD`] tests refute a session's hypothesis that has passed
/// `tests_in_a_row` tests. `None` without a hypothesis, and for tests with which the chance was not
/// measured.
pub fn chance(session: &HostSession, tests_in_a_row: u64) -> Option<f64> {
    let transitions = transitions(session)?;
    is_known_for(session.options().tests).then(|| chance_after(transitions, tests_in_a_row))
}

/// How many tests in a row the session's hypothesis must pass so that the chance of a later
/// refutation is at most `1 - confidence`. `None` before the first hypothesis.
pub fn tests_in_a_row(confidence: f64, session: &HostSession) -> Option<u64> {
    Some(tests_for(confidence, transitions(session)?))
}

/// Whether the chance was measured for these tests.
pub fn is_known_for(tests: Tests) -> bool {
    tests == Tests::Mixture
}

/// The mean number of transitions of a component.
fn transitions(session: &HostSession) -> Option<f64> {
    let inputs = session.hypothesis()?.inputs();
    let Progress { components, component_states, .. } = session.progress();
    Some(f64::from(component_states) * f64::from(inputs) / f64::from(components.max(1)))
}

fn chance_after(transitions: f64, tests: u64) -> f64 {
    let scale = scale(transitions);
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let tests = tests as f64;
    AT_FIRST * scale / (scale + tests)
}

fn tests_for(confidence: f64, transitions: f64) -> u64 {
    let tests = scale(transitions) * (AT_FIRST / (1.0 - confidence) - 1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let tests = tests.ceil() as u64;
    // At least one test, however little confidence is wanted.
    tests.max(1)
}

fn scale(transitions: f64) -> f64 {
    TESTS * transitions.powf(EXPONENT)
}

/// A percentage, rounded down, so that 100 % means all.
fn part(share: usize, all: usize) -> String {
    format!("{} %", share * 100 / all.max(1))
}

/// A chance as a percentage with two digits.
pub(crate) fn percent(chance: f64) -> String {
    let percent = chance * 100.0;
    let digits = match percent {
        10.0.. => 0,
        1.0.. => 1,
        _ => 2,
    };
    format!("{percent:.digits$} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_falls_with_tests_and_grows_with_components() {
        assert!((chance_after(50.0, 0) - 0.5).abs() < 1e-9);
        assert!((0.03..0.04).contains(&chance_after(50.0, 1000)), "{}", chance_after(50.0, 1000));
        assert!(chance_after(50.0, 1000) > 5.0 * chance_after(50.0, 10_000));
        assert!(chance_after(500.0, 1000) > 2.0 * chance_after(50.0, 1000));
    }

    #[test]
    fn so_many_tests_leave_the_chance_that_is_wanted() {
        for (confidence, transitions) in [(0.9, 3.0), (0.99, 120.0), (0.999, 2000.0)] {
            let tests = tests_for(confidence, transitions);
            assert!(chance_after(transitions, tests) <= 1.0 - confidence, "{confidence} {tests}");
            assert!(
                chance_after(transitions, tests - 1) > 1.0 - confidence,
                "{confidence} {tests}"
            );
        }
        assert_eq!(tests_for(0.1, 4.0), 1);
        assert_eq!(tests_for(1.0, 4.0), u64::MAX);
    }

    #[test]
    fn it_is_said_in_a_few_words() {
        let tried = Tried { transitions: 7, of_transitions: 8, pairs: 199, of_pairs: 200 };
        let confidence = Confidence { chance: Some(0.0712), tried: Some(tried) };
        assert_eq!(
            confidence.to_string(),
            "87 % of transitions, 99 % of pairs tried; 7.1 % that 1 000 tests find more"
        );
        let confidence = Confidence { chance: Some(0.0009), tried: None };
        assert_eq!(confidence.to_string(), "0.09 % that 1 000 tests find more");
        let confidence = Confidence { chance: None, tried: Some(Tried { pairs: 200, ..tried }) };
        assert_eq!(confidence.to_string(), "87 % of transitions, 100 % of pairs tried");
    }
}
