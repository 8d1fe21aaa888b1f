//! The components of a model: their division, its reason, and their sizes.

use std::fmt;

use mealybug_core::{Division, Observations, Progress};
use serde::{Deserialize, Serialize};

use super::number;
use crate::algorithm::Algorithm;
use crate::machine::Gaps;
use crate::modules::Knows;

/// A component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComponentRecord {
    /// The outputs, inputs or pairs that it has.
    pub name: String,
    /// The number of its states.
    pub states: u32,
    /// Its transitions that are not confirmed.
    pub gaps: Gaps,
    /// Its file in `components/`.
    pub file: String,
}

/// A module of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ModuleRecord {
    /// Its name.
    pub name: String,
    /// The number of its states.
    pub states: u32,
    /// What it knows.
    pub knows: Knows,
    /// Inputs after which it has no output and which yet change its state.
    pub moved_by: Vec<String>,
    /// Its file in `modules/`.
    pub file: String,
}

/// What the components divide among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DividedBy {
    /// Nothing: there is one component.
    Whole,
    /// The outputs.
    Outputs,
    /// The inputs.
    Inputs,
    /// The pairs of an input and an output.
    Pairs,
}

impl From<Division> for DividedBy {
    fn from(division: Division) -> Self {
        match division {
            Division::Outputs => Self::Outputs,
            Division::Inputs => Self::Inputs,
            Division::Pairs => Self::Pairs,
            _ => Self::Whole,
        }
    }
}

/// The number of states that a sample of the words asked has, with each division.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Forecast {
    /// As one machine.
    pub whole: u32,
    /// Divided by outputs, in all components together.
    pub outputs: u32,
    /// Divided by inputs, in all components together.
    pub inputs: u32,
}

impl From<mealybug_core::Forecast> for Forecast {
    fn from(forecast: mealybug_core::Forecast) -> Self {
        let mealybug_core::Forecast { whole, outputs, inputs, .. } = forecast;
        Self { whole, outputs, inputs }
    }
}

impl Forecast {
    /// Why this division was chosen, as a sentence: `The learner chose to divide inputs: a sample of the words asked
    /// needs 12 states that way, 31 divided by outputs and 128 or more as one machine`.
    pub(super) fn sentence(self, chosen: DividedBy) -> String {
        let Self { whole, outputs, inputs } = self;
        // The sample has no more words, so one machine may have more states.
        let more = if whole >= mealybug_core::Forecast::MAX_WORDS { " or more" } else { "" };
        let mut ways = [
            (DividedBy::Inputs, inputs, "", "divided by inputs"),
            (DividedBy::Outputs, outputs, "", "divided by outputs"),
            (DividedBy::Whole, whole, more, "as one machine"),
        ];
        let fewest = whole.min(outputs).min(inputs);
        ways.sort_by_key(|(division, states, ..)| (*division != chosen, *states));
        let [(_, states, more, _), second, third] = ways;
        let choice = match chosen {
            DividedBy::Inputs => "to divide inputs",
            DividedBy::Outputs => "to divide outputs",
            DividedBy::Pairs => "to divide pairs",
            DividedBy::Whole => "one machine",
        };
        let unit = if states == 1 { "state" } else { "states" };
        let first = format!(
            "The learner chose {choice}: a sample of the words asked needs {}{more} {unit} that way",
            number(states)
        );
        if chosen == DividedBy::Whole && states == fewest {
            return format!("{first}, and no fewer divided by outputs or by inputs");
        }
        let others = [second, third];
        let others = others.map(|(_, states, more, how)| format!("{}{more} {how}", number(states)));
        // The initial states of many components matter if there are few states in total.
        let initial = if states > fewest {
            "; not counting the initial state of each component, no other way needs fewer"
        } else {
            ""
        };
        format!("{first}, {}{initial}", others.join(" and "))
    }
}

/// The size of what a learner keeps of the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum LearnerSize {
    /// An observation table, of `ol-star` and `l-star`.
    Table {
        /// The number of short rows.
        short_rows: u32,
        /// The number of rows, short and long.
        rows: u32,
        /// The number of suffixes.
        suffixes: u32,
    },
    /// An observation tree, of `ol-sharp` and `l-sharp`.
    Tree {
        /// The number of states that are known to be apart, in all components together.
        access_words: u32,
        /// The number of nodes: words from a reset on that were answered.
        nodes: u32,
        /// The number of words that tell states of the hypothesis apart.
        suffixes: u32,
    },
}

impl LearnerSize {
    /// The size of what a session with this learner keeps.
    pub fn new(algorithm: Algorithm, progress: &Progress) -> Self {
        let Progress { short_rows, rows, suffixes, .. } = *progress;
        match algorithm.observations() {
            Observations::Tree => Self::Tree { access_words: short_rows, nodes: rows, suffixes },
            _ => Self::Table { short_rows, rows, suffixes },
        }
    }
}

/// Such as `12 rows, 3 suffixes`.
impl fmt::Display for LearnerSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Table { rows, suffixes, .. } => {
                write!(f, "{} rows, {} suffixes", number(rows), number(suffixes))
            }
            Self::Tree { access_words, nodes, .. } => {
                let s = if access_words == 1 { "" } else { "s" };
                write!(f, "{} access word{s}, {} nodes", number(access_words), number(nodes))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_is_a_sentence_that_begins_with_what_was_chosen() {
        let text = |whole, outputs, inputs, chosen| {
            let sentence = Forecast { whole, outputs, inputs }.sentence(chosen);
            sentence.strip_prefix("The learner chose ").expect("it begins so").to_owned()
        };
        assert_eq!(
            text(128, 31, 12, DividedBy::Inputs),
            "to divide inputs: a sample of the words asked needs 12 states that way, 31 divided by outputs and \
             128 or more as one machine"
        );
        assert_eq!(
            text(40, 12, 12, DividedBy::Outputs),
            "to divide outputs: a sample of the words asked needs 12 states that way, 12 divided by inputs and \
             40 as one machine"
        );
        assert_eq!(
            text(1, 1, 1200, DividedBy::Whole),
            "one machine: a sample of the words asked needs 1 state that way, and no fewer divided by outputs or \
             by inputs"
        );
        assert_eq!(
            text(11, 13, 12, DividedBy::Outputs),
            "to divide outputs: a sample of the words asked needs 13 states that way, 11 as one machine and 12 \
             divided by inputs; not counting the initial state of each component, no other way needs fewer"
        );
        assert_eq!(
            text(128, 31, 12, DividedBy::Whole),
            "one machine: a sample of the words asked needs 128 or more states that way, 12 divided by inputs and \
             31 divided by outputs; not counting the initial state of each component, no other way needs fewer"
        );
    }
}
