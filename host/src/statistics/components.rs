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
    /// The number of components divided by outputs.
    pub output_components: u32,
    /// The number of components divided by inputs.
    pub input_components: u32,
}

impl From<mealybug_core::Forecast> for Forecast {
    fn from(forecast: mealybug_core::Forecast) -> Self {
        Self {
            whole: forecast.whole,
            outputs: forecast.outputs,
            inputs: forecast.inputs,
            output_components: forecast.output_components,
            input_components: forecast.input_components,
        }
    }
}

impl Forecast {
    /// Why this division was chosen: `The learner chose to divide inputs: in a sample of the words asked that leaves 10 states
    /// to find beside the initial ones, 28 divided by outputs and 127 or more as one machine`.
    pub(super) fn sentence(self, chosen: DividedBy) -> String {
        let [way, second, third] = self.ways(chosen);
        let choice = match chosen {
            DividedBy::Inputs => "to divide inputs",
            DividedBy::Outputs => "to divide outputs",
            DividedBy::Pairs => "to divide pairs",
            DividedBy::Whole => "one machine",
        };
        let unit = if way.to_find() == 1 { "state" } else { "states" };
        let initial = if way.components == 1 { "one" } else { "ones" };
        let first = format!(
            "The learner chose {choice}: in a sample of the words asked that leaves {way} {unit} to find beside the initial {initial}"
        );
        if chosen == DividedBy::Whole && way.to_find() <= second.to_find() {
            return format!("{first}, and no fewer divided by outputs or by inputs");
        }
        let all = format!("{first}, {second} {} and {third} {}", second.how, third.how);
        if way.to_find() == second.to_find() {
            return format!("{all}. Of equal ways it takes the one with the most components");
        }
        all
    }

    /// The ways to divide: the chosen one, and then the one with fewer states to find.
    fn ways(self, chosen: DividedBy) -> [ForecastWay; 3] {
        let way = |division, how, states, components| ForecastWay {
            division,
            how,
            states,
            components,
            // The sample has no more words, so one machine may have more states.
            is_open: division == DividedBy::Whole && states >= mealybug_core::Forecast::MAX_WORDS,
        };
        let mut ways = [
            way(DividedBy::Inputs, "divided by inputs", self.inputs, self.input_components),
            way(DividedBy::Outputs, "divided by outputs", self.outputs, self.output_components),
            way(DividedBy::Whole, "as one machine", self.whole, 1),
        ];
        ways.sort_by_key(|way| (way.division != chosen, way.to_find()));
        ways
    }
}

/// A way to divide, as the sample rates it.
#[derive(Clone, Copy, Debug)]
struct ForecastWay {
    division: DividedBy,
    how: &'static str,
    states: u32,
    components: u32,
    /// Whether there may be more states.
    is_open: bool,
}

impl ForecastWay {
    /// The states but the initial one of each component.
    fn to_find(self) -> u32 {
        self.states.saturating_sub(self.components)
    }
}

/// The states to find, such as `127 or more`.
impl fmt::Display for ForecastWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.is_open { " or more" } else { "" };
        write!(f, "{}{more}", number(self.to_find()))
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

    /// What is said after `The learner chose`. Outputs and inputs are states and components.
    fn text(whole: u32, outputs: (u32, u32), inputs: (u32, u32), chosen: DividedBy) -> String {
        let ((outputs, output_components), (inputs, input_components)) = (outputs, inputs);
        let forecast = Forecast { whole, outputs, inputs, output_components, input_components };
        let sentence = forecast.sentence(chosen);
        sentence.strip_prefix("The learner chose ").expect("it begins so").to_owned()
    }

    #[test]
    fn a_forecast_is_a_sentence_that_begins_with_what_was_chosen() {
        assert_eq!(
            text(128, (31, 3), (12, 2), DividedBy::Inputs),
            "to divide inputs: in a sample of the words asked that leaves 10 states to find beside the initial ones, \
             28 divided by outputs and 127 or more as one machine"
        );
        assert_eq!(
            text(40, (12, 3), (12, 2), DividedBy::Outputs),
            "to divide outputs: in a sample of the words asked that leaves 9 states to find beside the initial ones, \
             10 divided by inputs and 39 as one machine"
        );
        // That with fewer states to find comes first, though it has more states.
        assert_eq!(
            text(12, (5, 2), (13, 4), DividedBy::Outputs),
            "to divide outputs: in a sample of the words asked that leaves 3 states to find beside the initial ones, \
             9 divided by inputs and 11 as one machine"
        );
        assert_eq!(
            text(2, (2, 1), (1200, 2), DividedBy::Whole),
            "one machine: in a sample of the words asked that leaves 1 state to find beside the initial one, and no \
             fewer divided by outputs or by inputs"
        );
    }

    #[test]
    fn of_ways_with_as_many_states_to_find_that_with_the_most_components_is_chosen() {
        assert_eq!(
            text(7, (7, 1), (8, 2), DividedBy::Inputs),
            "to divide inputs: in a sample of the words asked that leaves 6 states to find beside \
             the initial ones, 6 divided by outputs and 6 as one machine. Of equal ways it takes the one with the \
             most components"
        );
        assert_eq!(
            text(128, (130, 3), (160, 2), DividedBy::Outputs),
            "to divide outputs: in a sample of the words asked that leaves 127 states to find \
             beside the initial ones, 127 or more as one machine and 158 divided by inputs. Of equal ways it takes \
             the one with the most components"
        );
    }
}
