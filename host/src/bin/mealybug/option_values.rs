//! Values of options as people write them.

use std::fmt;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use mealybug::algorithm::Algorithm;
use mealybug_core::Tests;
use miette::Report;

use crate::exit::{CliError, Exit};

/// How long a device may be away by default.
pub(crate) const ABSENCE: &str = "30s";

/// What the learners are called on the command line, and what they are.
fn algorithms() -> impl Iterator<Item = PossibleValue> {
    Algorithm::ALL.into_iter().map(|algorithm| {
        let what = match algorithm {
            Algorithm::OlSharp => {
                "OL#: components that divide outputs or inputs, as --projections says, from a tree"
            }
            Algorithm::LSharp => "L#: one machine, from a tree",
            Algorithm::OlStar => {
                "OL*: a component for each output or group of outputs, from a table"
            }
            Algorithm::LStar => "L*: one machine, from a table",
        };
        PossibleValue::new(algorithm.name()).help(what)
    })
}

/// A learner, such as `ol-star`.
pub(crate) fn algorithm() -> impl TypedValueParser<Value = Algorithm> {
    PossibleValuesParser::new(algorithms()).try_map(|name| name.parse::<Algorithm>())
}

/// A number of bytes, such as `64K`. As for other limits of memory (`ulimit`, `java -Xmx`, `docker --memory`), K is
/// 1024; bytesize takes it for 1000, and a number too large for 64 bits for the largest one.
pub(crate) fn bytes(text: &str) -> Result<usize, String> {
    let units = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("", 1)];
    let upper = text.to_ascii_uppercase();
    let upper = upper.trim_end_matches('B').trim_end_matches('I');
    let parsed = units.iter().find_map(|(unit, size)| {
        let number: usize = upper.strip_suffix(unit)?.trim_end().parse().ok()?;
        number.checked_mul(*size)
    });
    parsed.filter(|&bytes| bytes > 0).ok_or_else(|| "write a size such as 64K, 256M or 1G".into())
}

/// How sure to be, such as `99%`.
pub(crate) fn confidence(text: &str) -> Result<f64, String> {
    let percent: Option<f64> = text.strip_suffix('%').and_then(|text| text.trim_end().parse().ok());
    percent
        .filter(|percent| (50.0..100.0).contains(percent))
        .map(|percent| percent / 100.0)
        .ok_or_else(|| "write a percentage from 50% to below 100%, such as 95% or 99.5%".into())
}

/// How many random tests in a row a hypothesis must pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InARow {
    /// So many.
    Tests(u64),
    /// The tests go on until they find something, or the run ends in another way.
    Unlimited,
}

impl FromStr for InARow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("unlimited", _) => Ok(Self::Unlimited),
            (_, Ok(number)) if number > 0 => Ok(Self::Tests(number)),
            _ => Err("write a number above 0, or `unlimited`".into()),
        }
    }
}

impl fmt::Display for InARow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tests(number) => number.fmt(f),
            Self::Unlimited => f.write_str("unlimited"),
        }
    }
}

impl InARow {
    /// Refuses a number for tests that have one of their own.
    pub(crate) fn require_random(self, tests: Tests) -> Result<(), Report> {
        if tests.is_random() {
            return Ok(());
        }
        Err(CliError::report(
            Exit::Usage,
            format!(
                "--tests-in-a-row is for random tests, and --tests {tests} has a number of its own"
            ),
            "leave one of them out: all of a complete suite is asked",
        ))
    }

    /// As a session counts.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Tests(number) => number,
            Self::Unlimited => u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes =
            [("1", 1), ("64K", 65536), ("64k", 65536), ("2MiB", 2 << 20), ("1 GB", 1 << 30)];
        for (text, size) in sizes {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for text in ["", "K", "-1", "0", "1X", "99999999999G"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn confidence_is_a_percentage() {
        assert_eq!(confidence("99%"), Ok(0.99));
        assert_eq!(confidence("99.5 %"), Ok(0.995));
        for text in ["", "99", "0.99", "100%", "49%", "-1%", "NaN%", "%"] {
            assert!(confidence(text).is_err(), "{text}");
        }
    }
}
