//! `statistics.json`: what a run was told, how it ended, and what it cost.

use std::time::Duration;

use mealybug_core::{Costs, Progress, Why};
use serde::Serialize;

use crate::device::Device;
use crate::learn::{Ending, PublishedCosts};
use crate::serial;

/// All that is in the file. Apart from [`seconds`](Self::seconds) and [`serial`](Self::serial) it
/// is the same for every run with the same options and a device that does the same.
#[derive(Clone, Debug, Serialize)]
pub struct Statistics {
    /// Whether the hypothesis withstood all that was to be tried.
    pub converged: bool,
    /// Why the run ended, as [`why`] says it.
    pub why: &'static str,
    /// Whether an answer contradicts the model: the run ended before it could be mended.
    pub refuted: bool,
    /// In simulation, whether the result does what the model does.
    pub equals_model: Option<bool>,
    /// What the run was told.
    #[serde(flatten)]
    pub options: Options,
    /// States of the minimal model; none if it was not made.
    pub states: Option<u32>,
    /// The components.
    pub components: Vec<Component>,
    /// Inputs of the device.
    pub inputs: usize,
    /// Outputs that were seen.
    pub outputs: u32,
    /// Hypotheses made.
    pub rounds: u64,
    /// Short rows of the observation table.
    pub short_rows: u32,
    /// Rows of the observation table, short and long.
    pub rows: u32,
    /// Its suffixes.
    pub suffixes: u32,
    /// Random tests in a row that found nothing, at the end.
    pub tests_passed: u64,
    /// Words without exactly one output that were found in the product of components.
    pub defects: Defects,
    /// What learning cost.
    pub learning: Cost,
    /// What testing cost, shortening counterexamples included.
    pub testing: Cost,
    /// What reached the device, words that were asked again included.
    pub device: Cost,
    /// With `--profile paper`: the costs by the rules of the published figures.
    pub published: Option<Published>,
    /// The most memory that the learner ever laid out.
    pub learner_bytes: usize,
    /// Words that were asked again because the link failed.
    pub retries: u64,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// For a device behind a serial port: where the time went.
    pub serial: Option<Serial>,
    /// How long the run took.
    pub seconds: f64,
}

/// What a run was told.
#[derive(Clone, Debug, Serialize)]
pub struct Options {
    /// `ol-star` or `l-star`.
    pub algorithm: String,
    /// As on the command line.
    pub projections: String,
    /// As on the command line.
    pub tests: String,
    /// How many random tests in a row a result must pass.
    pub tests_in_a_row: Option<u64>,
    /// The seed of the random tests.
    pub seed: u64,
    /// `default` or `paper`.
    pub profile: String,
    /// The most hypotheses.
    pub max_rounds: Option<u64>,
    /// The most symbols.
    pub max_symbols: Option<u64>,
    /// The longest time.
    pub max_seconds: Option<f64>,
    /// The most states of `model.dot`.
    pub max_states: u32,
    /// The most memory.
    pub memory_bytes: usize,
    /// How many states of the product are looked at.
    pub walk_states: u32,
}

/// A component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Component {
    /// The outputs that it sees.
    pub name: String,
    /// Its states.
    pub states: u32,
    /// Its file in `components/`.
    pub file: String,
}

/// How often components contradicted each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Defects {
    /// No component knew the output.
    pub none: u32,
    /// Several knew another one.
    pub several: u32,
}

/// What was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// Resets.
    pub resets: u64,
    /// Input symbols.
    pub symbols: u64,
}

/// Costs by the rules of the published figures; a query stands as a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Published {
    /// What learning cost.
    pub learning: Cost,
    /// What testing cost.
    pub testing: Cost,
}

/// Where the time went at a serial port.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Serial {
    /// Bytes that came after the end of a reply.
    pub late_bytes: u64,
    /// Each `[[reset]]` of the device file.
    pub resets: Vec<Spent>,
    /// Each input.
    pub inputs: Vec<Spent>,
}

/// Time spent on one kind of thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spent {
    /// What: the name of an input, the number of a reset.
    pub name: String,
    /// How often.
    pub count: u64,
    /// The time of one, on average.
    pub mean_ms: f64,
    /// The longest time of one.
    pub longest_ms: f64,
}

/// Why a run ended, in a word or two.
pub fn why<E>(ending: &Ending<E>) -> &'static str {
    match ending {
        Ending::Session(Why::TestsPassed) => "tests-passed",
        Ending::Session(Why::SuitePassed) => "suite-passed",
        Ending::Session(Why::SuiteCut) => "suite-cut",
        Ending::Session(Why::Equivalent) => "equals-model",
        Ending::Session(Why::Untested) => "untested",
        Ending::Session(Why::Rounds) => "rounds",
        Ending::Session(Why::Symbols) => "symbols",
        Ending::Session(Why::Resets) => "resets",
        Ending::Session(Why::Stopped) | Ending::Interrupted => "interrupted",
        Ending::Time => "time",
        Ending::Memory(_) => "memory",
        Ending::Contradiction(_) => "contradiction",
        Ending::Failure(_) => "device-failed",
    }
}

impl Statistics {
    /// The statistics of a run that was told `options` and ended so; what else is known about it is
    /// added to its fields.
    pub fn new<E>(options: Options, ending: &Ending<E>, progress: Progress) -> Self {
        Self {
            converged: ending.is_converged(),
            why: why(ending),
            refuted: false,
            equals_model: None,
            options,
            states: None,
            components: Vec::new(),
            inputs: 0,
            outputs: progress.outputs,
            rounds: progress.rounds,
            short_rows: progress.short_rows,
            rows: progress.rows,
            suffixes: progress.suffixes,
            tests_passed: progress.tests_in_a_row,
            defects: Defects { none: progress.defects.none, several: progress.defects.several },
            learning: progress.learning.into(),
            testing: progress.testing.into(),
            device: Costs::default().into(),
            published: None,
            learner_bytes: progress.learner_bytes,
            retries: 0,
            warnings: Vec::new(),
            serial: None,
            seconds: 0.0,
        }
    }
}

impl From<Costs> for Cost {
    fn from(Costs { resets, symbols }: Costs) -> Self {
        Self { resets, symbols }
    }
}

impl From<&PublishedCosts> for Published {
    fn from(costs: &PublishedCosts) -> Self {
        Self { learning: costs.learning().into(), testing: costs.testing().into() }
    }
}

impl Serial {
    /// What a device behind a serial port cost.
    pub fn new(device: &Device, spent: &serial::Statistics) -> Self {
        let resets = (1..).zip(&spent.resets);
        let inputs = device.inputs.iter().zip(&spent.inputs);
        Self {
            late_bytes: spent.late_bytes,
            resets: resets.map(|(number, spent)| Spent::new(number.to_string(), spent)).collect(),
            inputs: inputs.map(|(input, spent)| Spent::new(input.name.clone(), spent)).collect(),
        }
    }
}

impl Spent {
    fn new(name: String, spent: &serial::Spent) -> Self {
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let count = u32::try_from(spent.count).unwrap_or(u32::MAX).max(1);
        Self {
            name,
            count: spent.count,
            mean_ms: ms(spent.total / count),
            longest_ms: ms(spent.longest),
        }
    }
}
