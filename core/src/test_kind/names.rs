//! The table of the kinds of tests: the number of each on the wire, and its name.
//!
//! A number is never given to another kind, and never changed: results and messages hold it. A new
//! kind takes the next number.

use core::fmt;
use core::str::FromStr;

use super::Tests;

/// Makes the functions below from lines `number "name" Kind`, with `{ extra_states }` after kinds that
/// have them.
macro_rules! kinds {
    ($($number:literal $name:literal $kind:ident $({ $extra:ident })?,)+) => {
        impl Tests {
            /// Every kind, without extra states.
            pub(crate) const KINDS: &[Self] = &[$(Self::$kind $({ $extra: 0 })?),+];

            /// The number of the kind on the wire.
            pub(crate) fn number(self) -> u32 {
                match self {
                    $(Self::$kind $({ $extra: _ })? => $number,)+
                }
            }

            /// The kind with this number; `None` if there is none, or if it has no extra states and
            /// these are not 0.
            pub(crate) fn from_number(number: u32, extra_states: u32) -> Option<Self> {
                let tests = match number {
                    $($number => Self::$kind $({ $extra: extra_states })?,)+
                    _ => return None,
                };
                (tests.extra_states().unwrap_or(0) == extra_states).then_some(tests)
            }

            /// The extra states, of a kind that has them.
            pub(crate) fn extra_states(self) -> Option<u32> {
                match self {
                    $(Self::$kind $({ $extra })? => <[u32]>::first(&[$($extra)?]).copied(),)+
                }
            }

            /// The name of the kind.
            fn name(self) -> &'static str {
                match self {
                    $(Self::$kind $({ $extra: _ })? => $name,)+
                }
            }
        }
    };
}

kinds! {
    0 "mixture" Mixture,
    1 "systematic" Systematic,
    2 "splice" Splice,
    3 "coverage" Coverage,
    4 "random-wp" RandomWp,
    5 "random-words" RandomWords,
    6 "w" W { extra_states },
    7 "wp" Wp { extra_states },
    8 "components" Components { extra_states },
    9 "model" External,
    10 "repetition" Repetition,
    11 "long-words" LongWords,
}

impl fmt::Display for Tests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.extra_states().map_or(Ok(()), |extra_states| write!(f, ":{extra_states}"))
    }
}

/// A text is not the name of a kind of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseTestsError {
    /// There is no kind with this name; or it lacks a number of extra states, or must not have one.
    Kind,
    /// What follows the name is not a number of extra states.
    ExtraStates,
}

impl fmt::Display for ParseTestsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ExtraStates {
            return f.write_str("write a number of extra states after the colon, such as wp:1");
        }
        let mut before = "one of ";
        for kind in Tests::KINDS {
            let after = if kind.extra_states().is_some() { ":K" } else { "" };
            write!(f, "{before}{}{after}", kind.name())?;
            before = ", ";
        }
        Ok(())
    }
}

impl core::error::Error for ParseTestsError {}

impl FromStr for Tests {
    type Err = ParseTestsError;

    /// Reads what [`Display`](fmt::Display) writes, such as `random-wp` or `wp:1`.
    fn from_str(text: &str) -> Result<Self, ParseTestsError> {
        let (name, extra_states) = match text.split_once(':') {
            Some((name, extra_states)) => (name, Some(extra_states)),
            None => (text, None),
        };
        let kind = Self::KINDS.iter().copied().find(|kind| kind.name() == name);
        let kind = kind.filter(|kind| kind.extra_states().is_some() == extra_states.is_some());
        let kind = kind.ok_or(ParseTestsError::Kind)?;
        let extra_states = extra_states.unwrap_or("0").parse();
        let extra_states = extra_states.map_err(|_| ParseTestsError::ExtraStates)?;
        Self::from_number(kind.number(), extra_states).ok_or(ParseTestsError::Kind)
    }
}

#[cfg(test)]
mod tests {
    use std::string::{String, ToString};
    use std::vec::Vec;

    use super::*;

    #[test]
    fn every_kind_is_read_as_it_is_written() {
        let names: Vec<String> = Tests::KINDS.iter().map(ToString::to_string).collect();
        let expected = [
            "mixture",
            "systematic",
            "splice",
            "coverage",
            "random-wp",
            "random-words",
            "w:0",
            "wp:0",
            "components:0",
            "model",
            "repetition",
            "long-words",
        ];
        assert_eq!(names, expected);
        for (kind, name) in Tests::KINDS.iter().zip(&names) {
            assert_eq!(name.parse(), Ok(*kind));
        }
        assert_eq!("wp:2".parse(), Ok(Tests::Wp { extra_states: 2 }));
        for text in ["", "w", "model:1", "random", "mixture:0"] {
            assert_eq!(text.parse::<Tests>(), Err(ParseTestsError::Kind), "{text}");
        }
        for text in ["w:", "wp:-1", "components:x", "w:1:1", "w:4294967296"] {
            assert_eq!(text.parse::<Tests>(), Err(ParseTestsError::ExtraStates), "{text}");
        }
    }

    #[test]
    fn every_kind_has_a_number_of_its_own() {
        for (number, &kind) in (0..).zip(Tests::KINDS) {
            assert_eq!(kind.number(), number);
            assert_eq!(Tests::from_number(number, 0), Some(kind));
            let more = kind.extra_states().map(|_| 7);
            let tests = Tests::from_number(number, 7);
            assert_eq!(
                tests.map(|tests| (tests.number(), tests.extra_states())),
                more.map(|_| (number, more))
            );
        }
        let next = u32::try_from(Tests::KINDS.len()).expect("few kinds");
        assert_eq!(Tests::from_number(next, 0), None);
        assert_eq!(Tests::from_number(u32::MAX, 0), None);
    }

    #[test]
    fn an_error_names_every_kind() {
        let expected = "one of mixture, systematic, splice, coverage, random-wp, random-words, w:K, wp:K, \
                        components:K, model, repetition, long-words";
        assert_eq!(ParseTestsError::Kind.to_string(), expected);
    }
}
