//! What a partial machine does not know, and a check for users that need a complete one.

use std::fmt;
use std::iter::Sum;

use mealybug_core::{Input, Mealy, Output};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Machine, Transition, number};
use crate::word;

/// The number of transitions of a machine that are not confirmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Gaps {
    /// The number of transitions that were asked and whose target is a guess.
    pub open: u64,
    /// The number of transitions that were never asked.
    pub unknown: u64,
}

impl Gaps {
    /// Counts the gaps in a table.
    pub(super) fn count<O>(table: &[Option<Transition<O>>]) -> Self {
        table.iter().map(Self::of).sum()
    }

    fn of<O>(transition: &Option<Transition<O>>) -> Self {
        let is_open = transition.as_ref().is_some_and(|known| known.is_open);
        Self { open: is_open.into(), unknown: transition.is_none().into() }
    }

    /// Whether all transitions are confirmed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Sum for Gaps {
    fn sum<I: Iterator<Item = Self>>(gaps: I) -> Self {
        gaps.fold(Self::default(), |sum, Self { open, unknown }| Self {
            open: sum.open + open,
            unknown: sum.unknown + unknown,
        })
    }
}

/// Such as `3 transitions open, 12 never asked`, without numbers that are 0.
impl fmt::Display for Gaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = |count| if count == 1 { "transition" } else { "transitions" };
        match *self {
            Self { open: 0, unknown } => write!(f, "{unknown} {} never asked", noun(unknown)),
            Self { open, unknown: 0 } => write!(f, "{open} {} open", noun(open)),
            Self { open, unknown } => {
                write!(f, "{open} {} open, {unknown} never asked", noun(open))
            }
        }
    }
}

/// A machine is partial where a complete one is needed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the model does not know what follows {} on the input `{input}`{}",
    if .access.is_empty() { "a reset".to_owned() } else { format!("the word `{access}`") },
    match .more { 0 => String::new(), 1 => "; it lacks one more transition".to_owned(),
        more => format!("; it lacks {more} more transitions") }
)]
pub struct IncompleteError {
    /// A shortest word to the first state that lacks a transition. It is also empty if no known
    /// word leads there.
    pub access: String,
    /// The input without a transition.
    pub input: String,
    /// The number of other unknown transitions.
    pub more: u64,
}

impl Machine {
    /// The number of transitions that are not confirmed.
    pub fn gaps(&self) -> Gaps {
        Gaps::count(&self.table)
    }

    /// The number of transitions of a state that are not confirmed.
    pub fn gaps_of(&self, state: u32) -> Gaps {
        let inputs = (0..Mealy::inputs(self)).map(Input::new);
        inputs.map(|input| Gaps::of(&self.transition(state, input))).sum()
    }

    /// The names of the inputs that were never asked in a state.
    pub fn unknown_inputs(&self, state: u32) -> impl Iterator<Item = &str> {
        let inputs = (0..Mealy::inputs(self)).map(Input::new);
        let unknown = inputs.filter(move |&input| self.transition(state, input).is_none());
        unknown.map(|input| self.input_name(input))
    }

    /// Refuses a machine that cannot answer every word.
    ///
    /// # Errors
    /// A reachable state has an unknown transition.
    pub fn require_complete(&self) -> Result<(), IncompleteError> {
        let words = self.access_words();
        let lacks = |state: u32| {
            let mut inputs = (0..Mealy::inputs(self)).map(Input::new);
            inputs.find(|&input| self.transition(state, input).is_none())
        };
        let states = words.states();
        let Some((state, input)) = states.iter().find_map(|&state| Some((state, lacks(state)?)))
        else {
            return Ok(());
        };
        let access = words.word(state);
        let unknown: u64 = states.iter().map(|&state| self.gaps_of(state).unknown).sum();
        Err(IncompleteError {
            access: word::format(&access, self.inputs()),
            input: self.input_name(input).to_owned(),
            more: unknown - 1,
        })
    }
}

impl Machine {
    /// A complete machine for users that need one. Each unknown transition has `output` and leads
    /// to one new state, which answers every input with `output` and is never left: once an input
    /// was never asked, nothing that follows is known. Open transitions stay open.
    ///
    /// A complete machine is returned as it is.
    #[must_use]
    pub fn complete_with(&self, output: &str) -> Self {
        if self.gaps().unknown == 0 {
            return self.clone();
        }
        let sink = self.states;
        let mut outputs = self.outputs.clone();
        let place = outputs.iter().position(|name| name == output).unwrap_or_else(|| {
            outputs.push(output.to_owned());
            outputs.len() - 1
        });
        let unknown =
            Transition { target: sink, output: Output::new(number(place)), is_open: false };
        let known = self.table.iter().map(|known| Some(known.unwrap_or(unknown)));
        let table = known.chain(self.inputs.iter().map(|_| Some(unknown))).collect();
        let machine = Self { outputs, table, states: sink + 1, ..self.clone() };
        assert!(machine.check_invariants());
        machine
    }
}

#[cfg(test)]
mod tests {
    use super::super::Builder;
    use super::super::testing::lamp;
    use super::*;

    #[test]
    fn what_is_missing_is_counted_and_named() {
        assert_eq!((lamp().gaps(), lamp().require_complete()), (Gaps::default(), Ok(())));
        let mut builder = Builder::default();
        builder.add(0, "a", 1, "x").expect("new");
        builder.add_open(0, "b", 0, "x").expect("new");
        builder.add(1, "b", 0, "x").expect("new");
        let machine = builder.clone().build_partial(0);
        assert_eq!(machine.gaps(), Gaps { open: 1, unknown: 1 });
        assert_eq!(machine.gaps_of(1), Gaps { open: 0, unknown: 1 });
        assert_eq!(machine.gaps().to_string(), "1 transition open, 1 never asked");
        assert_eq!(Gaps { open: 2, unknown: 0 }.to_string(), "2 transitions open");
        assert_eq!(Gaps { open: 0, unknown: 1 }.to_string(), "1 transition never asked");
        let error = machine.require_complete().expect_err("it is not");
        assert_eq!(
            error.to_string(),
            "the model does not know what follows the word `a` on the input `a`"
        );
        builder.add(0, "c", 0, "x").expect("new");
        let error = builder.clone().build_partial(0).require_complete().expect_err("it is not");
        assert!(error.to_string().ends_with("on the input `a`; it lacks one more transition"));
        let error = builder.clone().build_partial(7).require_complete().expect_err("it is not");
        assert!(error.to_string().contains("follows a reset on the input `a`; it lacks 2 more"));
        builder.add(1, "a", 0, "x").expect("new");
        builder.add(1, "c", 0, "x").expect("new");
        let machine = builder.build_partial(0);
        assert_eq!((machine.gaps().open, machine.require_complete()), (1, Ok(())));
    }

    #[test]
    fn what_is_completed_says_nothing_after_what_is_not_known() {
        assert_eq!(lamp().complete_with("?"), lamp());
        let mut builder = Builder::default();
        builder.add(0, "a", 1, "x").expect("new");
        builder.add_open(1, "b", 0, "y").expect("new");
        let partial = builder.clone().build_partial(0);
        for (from, input) in [(0, "b"), (1, "a"), (2, "a"), (2, "b")] {
            builder.add(from, input, 2, "?").expect("new");
        }
        assert_eq!(partial.complete_with("?"), builder.build(0).expect("complete"));
        // An output that the machine has is not there twice.
        assert_eq!(partial.complete_with("y").outputs(), ["x", "y"]);
    }
}
