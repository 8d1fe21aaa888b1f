//! Events: what `mealybug learn`, `target` and `test` print with `--json`.
//!
//! Each line is an [`Event`] as a JSON object. A reader must skip fields that it does not know, as
//! this type does. It must also skip events of newer versions, which this type cannot parse.
//! [`FORMAT`] changes when a field is removed or changes its meaning.
//!
//! ```
//! use mealybug::events::Event;
//!
//! let line = r#"{"event":"retry","message":"the device says nothing","attempt":1}"#;
//! let event = serde_json::from_str(line)?;
//! let Event::Retry { message, attempt } = event else { panic!("{event:?}") };
//! assert_eq!((message.as_str(), attempt), ("the device says nothing", 1));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! The docs of the types and fields below are also the descriptions in `docs/schema/events.json`, which is generated from
//! them.

use mealybug_core::{Costs, Observations, Purpose, TreeProgress};
use serde::{Deserialize, Deserializer, Serialize};

use crate::advice::Advised;
use crate::algorithm::Algorithm;
use crate::confidence::Confidence;
use crate::machine::Gaps;
use crate::statistics::{DividedBy, EndCode, Forecast, Statistics};

/// The version of the events.
pub const FORMAT: u32 = 1;

/// A line that `mealybug learn`, `target` or `test` prints with `--json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Event {
    /// The command begins. This is the first event.
    Start {
        /// The version of the events.
        format: u32,
        /// The version of Mealybug.
        version: String,
        /// The command.
        command: CommandName,
        /// The name of the device or of the model.
        name: String,
        /// The names of the inputs. `target` does not know them without a device file.
        inputs: Vec<String>,
    },
    /// The state of the run, about every second while something is asked.
    Progress(ProgressEvent),
    /// There is a new hypothesis, and it is not tested yet (`learn`, `target`).
    Hypothesis(RunProgress),
    /// The device or its link failed, and the word is asked again.
    Retry {
        /// What failed, and where.
        message: String,
        /// The number of attempts that have failed.
        attempt: u32,
    },
    /// The user should know something.
    Note {
        /// What it is.
        message: String,
    },
    /// Something may be wrong with the device file. Each kind comes at most once.
    Hint {
        /// The kind: `changing-output`, `growing-word`, `reset-leaves`, `dead-state`, `unmet-end`,
        /// `wrong-end`, `no-answer`, `noise`, `echo`, `late-bytes`, `stray-byte` or `missing-checksum`.
        kind: String,
        /// What was seen, and what to do.
        message: String,
    },
    /// The target has logged a message (`target` with `--elf`).
    Log {
        /// The time by the clock of the target.
        time: Option<String>,
        /// The level: `trace`, `debug`, `info`, `warn` or `error`.
        level: Option<String>,
        /// The message.
        message: String,
        /// The source file and line that logged it.
        place: Option<String>,
    },
    /// The device differs from its model (`test`).
    Difference {
        /// The shortest word that shows the difference, as names of inputs. Only the last output differs.
        word: Vec<String>,
        /// The name of the model's state before the last input; missing if people have not named it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<String>,
        /// The output of the model.
        expected: String,
        /// The output of the device.
        said: String,
    },
    /// The command ends. This is the last event; it is missing if the command fails before it asks anything.
    End(EndEvent),
}

/// A command that prints events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CommandName {
    /// `mealybug learn`, or `mealybug demo`.
    Learn,
    /// `mealybug target`.
    Target,
    /// `mealybug test`.
    Test,
}

/// The state of a run that learns, or of one that tests.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ProgressEvent {
    /// Of `learn` and `target`.
    Run(Box<RunProgress>),
    /// Of `test`.
    Test(TestProgress),
}

/// The state of a run that learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunProgress {
    /// What words are asked for now.
    pub purpose: Activity,
    /// The number of hypotheses so far.
    pub round: u64,
    /// The number of states of the components of the last hypothesis, in total.
    pub states: u32,
    /// The number of different outputs that were seen.
    pub outputs: u32,
    /// The number of input symbols that were asked.
    pub symbols: u64,
    /// The number of resets.
    pub resets: u64,
    /// The number of random tests in a row that found nothing.
    pub tests_in_a_row: u64,
    /// The size of what the learner keeps, as fields of the event.
    #[serde(flatten)]
    pub observations: ObservationCount,
    /// What is known of the model that is being made (with an observation tree).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<PartialModel>,
    /// What came of the advice of older models so far (with `--like`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<AdviceProgress>,
    /// While answers are confirmed, how far that is (`progress` of `learn`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirming: Option<Confirming>,
    /// How well the hypothesis is tested (`progress` of `learn`); null if nothing is known.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Option<Confidence>>,
    /// The estimated time in seconds until the next hypothesis of a tree learner, or until the last test if none finds a
    /// difference (`progress` of `learn`; not while a table is filled); null if nothing is known.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<Option<f64>>,
}

/// Deserializes a field that is present, so that a missing field is not the same as null.
fn nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl RunProgress {
    /// The progress of a session with this learner.
    pub fn new(algorithm: Algorithm, progress: &mealybug_core::Progress) -> Self {
        let &mealybug_core::Progress { learning, testing, tree, .. } = progress;
        Self {
            purpose: progress.purpose.into(),
            round: progress.rounds,
            states: progress.component_states,
            outputs: progress.outputs,
            symbols: learning.symbols + testing.symbols,
            resets: learning.resets + testing.resets,
            tests_in_a_row: progress.passing_tests,
            observations: ObservationCount::new(algorithm, progress),
            known: tree.map(PartialModel::from),
            advice: None,
            confirming: None,
            confidence: None,
            seconds_left: None,
        }
    }
}

/// How far words are asked again whose answers are in doubt, since the device was wrong before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Confirming {
    /// The number of words that are confirmed.
    pub done: usize,
    /// The number of words that were to be confirmed when it began.
    pub of: usize,
}

/// What words are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// To make a hypothesis.
    Learning,
    /// To find a counterexample, and to shorten it.
    Testing,
}

impl From<Purpose> for Activity {
    fn from(purpose: Purpose) -> Self {
        match purpose {
            Purpose::Learning => Self::Learning,
            Purpose::Testing => Self::Testing,
        }
    }
}

/// The size of what a learner keeps of the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ObservationCount {
    /// An observation table, of `ol-star` and `l-star`.
    Table {
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
    },
}

impl ObservationCount {
    fn new(algorithm: Algorithm, progress: &mealybug_core::Progress) -> Self {
        let mealybug_core::Progress { short_rows, rows, suffixes, .. } = *progress;
        match algorithm.observations() {
            Observations::Tree => Self::Tree { access_words: short_rows, nodes: rows },
            _ => Self::Table { rows, suffixes },
        }
    }
}

/// What is known of the model that is being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartialModel {
    /// The number of states, in all components together.
    pub states: u32,
    /// The number of transitions. A transition is an access word and an input; components share it.
    pub transitions: u32,
    /// The number of transitions that were asked and whose target is not confirmed.
    pub open: u32,
    /// The number of transitions that were never asked.
    pub unknown: u32,
    /// What the components divide among them.
    pub division: DividedBy,
    /// With `--projections chosen`, the reason of the choice; null otherwise, and before a choice.
    pub forecast: Option<Forecast>,
}

impl From<TreeProgress> for PartialModel {
    fn from(progress: TreeProgress) -> Self {
        let TreeProgress { states, transitions, open, unknown, division, forecast, .. } = progress;
        let (division, forecast) = (division.into(), forecast.map(Into::into));
        Self { states, transitions, open, unknown, division, forecast }
    }
}

/// What came of the advice of older models so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AdviceProgress {
    /// The number of words that were asked on their advice.
    pub words: u64,
    /// The number of these words that were counterexamples.
    pub helped: u64,
    /// Whether one of the models is still followed.
    pub followed: bool,
}

impl From<Advised> for AdviceProgress {
    fn from(Advised { asked, helped, is_followed, .. }: Advised) -> Self {
        Self { words: asked.resets, helped, followed: is_followed }
    }
}

/// How far the tests of a model are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestProgress {
    /// The number of tests that were asked.
    pub tests: u64,
    /// The number of input symbols.
    pub symbols: u64,
    /// The number of resets.
    pub resets: u64,
}

impl TestProgress {
    /// The progress of a test run after this many tests, at this cost.
    pub fn new(tests: u64, Costs { resets, symbols }: Costs) -> Self {
        Self { tests, symbols, resets }
    }
}

/// The end of a run that learns, or of one that tests.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum EndEvent {
    /// Of `learn` and `target`.
    Run(Box<RunEnd>),
    /// Of `test`.
    Test(TestEnd),
}

/// The end of a run that learns.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunEnd {
    /// Whether the hypothesis passed all tests that were wanted.
    pub converged: bool,
    /// Why the run ended.
    pub why: EndCode,
    /// The folder of the run.
    pub folder: String,
    /// The content of `statistics.json`.
    pub statistics: Statistics,
}

/// The end of a run that tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestEnd {
    /// Whether all tests were asked, and none found a difference.
    pub passed: bool,
    /// How far the tests are.
    #[serde(flatten)]
    pub tests: TestProgress,
    /// The number of differences.
    pub differences: usize,
    /// The number of answers that the device did not repeat when it was asked again.
    #[serde(default)]
    pub contradictions: u64,
    /// How long the tests took, in seconds.
    pub seconds: f64,
    /// The transitions of the model that are not confirmed. Tests end there.
    pub gaps: Gaps,
    /// Why not all tests were asked; null if all were, and if a difference ended them.
    pub ended_early: Option<String>,
}
