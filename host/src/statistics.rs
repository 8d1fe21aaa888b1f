//! `statistics.json`: what a run was told, how it ended, and what it cost.

use std::fmt;
use std::time::Duration;

use mealybug_core::{Costs, Division, EndReason, MIXTURE_KINDS, Observations, Progress};
use serde::Serialize;

use crate::advice::Advised;
use crate::algorithm::Algorithm;
use crate::confidence::Confidence;
use crate::device::Device;
use crate::learn::{Ending, PublishedCosts};
use crate::machine::Gaps;
use crate::serial;

/// All that is in the file. Apart from [`seconds`](Self::seconds) and [`serial`](Self::serial) it
/// is the same for every run with the same options and a device that does the same, if it is not so slow that tests
/// follow its times.
#[derive(Clone, Debug, Serialize)]
pub struct Statistics {
    /// Whether the hypothesis withstood all that was to be tried.
    pub converged: bool,
    /// Why the run ended, as [`why`] says it.
    pub why: &'static str,
    /// Why the run ended, in words.
    pub reason: String,
    /// Whether an answer contradicts the model: the run ended before it could be mended.
    pub refuted: bool,
    /// In simulation, whether the result does what the model does.
    pub equals_model: Option<bool>,
    /// What the run was told.
    #[serde(flatten)]
    pub options: Options,
    /// States of the minimal model; none if it was not made.
    pub states: Option<u32>,
    /// Transitions of the model that are not confirmed; of all components, if it was not made.
    pub gaps: Gaps,
    /// The components.
    pub components: Vec<Component>,
    /// What they divide among them, as [`division`] says it; none without a hypothesis.
    pub division: Option<&'static str>,
    /// With projections that are chosen: what was counted for the choice.
    pub forecast: Option<Forecast>,
    /// Inputs of the device.
    pub inputs: usize,
    /// Outputs that were seen.
    pub outputs: u32,
    /// Hypotheses made.
    pub rounds: u64,
    /// Where the run stood when each of them was made.
    pub hypotheses: Vec<Round>,
    /// The size of what the learner keeps, as fields of the file.
    #[serde(flatten)]
    pub size: Size,
    /// Random tests in a row that found nothing, at the end.
    pub tests_passed: u64,
    /// Words without exactly one output that were found in the product of components.
    pub defects: Defects,
    /// What learning cost, words asked on advice included.
    pub learning: Cost,
    /// What testing cost, shortening counterexamples included.
    pub testing: Cost,
    /// What came of the advice of each model of `--like`.
    pub advice: Vec<Advice>,
    /// What the kinds of tests in the mixture did, if they were asked.
    pub mixture: Vec<Tested>,
    /// What is known about the last hypothesis, if it stands: whether more tests would find something.
    pub confidence: Option<Confidence>,
    /// What reached the device, words that were asked again included.
    pub device: Cost,
    /// With `--profile paper`: the costs by the rules of the published figures.
    pub published: Option<Published>,
    /// The most memory that the learner ever laid out.
    pub learner_bytes: usize,
    /// Symbols that were answered by the store: the device had answered them before.
    pub recalled: u64,
    /// Words that were asked again because the link failed.
    pub retries: u64,
    /// Answers of the device that are not believed, since it gave others more often.
    pub contradictions: u64,
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
    /// As on the command line.
    pub algorithm: Algorithm,
    /// As on the command line.
    pub projections: String,
    /// As on the command line.
    pub tests: String,
    /// How many random tests in a row a result must pass.
    pub tests_in_a_row: Option<u64>,
    /// How sure the result must be, instead of so many tests.
    pub confidence_wanted: Option<f64>,
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
    pub product_states: u32,
}

/// The size of what a learner keeps of the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Size {
    /// Of an observation table: L* and OL*.
    Table {
        /// Short rows.
        short_rows: u32,
        /// Rows, short and long.
        rows: u32,
        /// Suffixes.
        suffixes: u32,
    },
    /// Of an observation tree: L# and OL#.
    Tree {
        /// Access words of the states that are known apart, those of all components.
        access_words: u32,
        /// Nodes, one for each word from a reset on that was answered.
        nodes: u32,
        /// Words that tell states of the hypothesis apart.
        suffixes: u32,
    },
}

impl Size {
    /// What a session with this learner keeps.
    pub fn new(algorithm: Algorithm, progress: &Progress) -> Self {
        let Progress { short_rows, rows, suffixes, .. } = *progress;
        match algorithm.observations() {
            Observations::Tree => Self::Tree { access_words: short_rows, nodes: rows, suffixes },
            _ => Self::Table { short_rows, rows, suffixes },
        }
    }
}

/// In a few words: `12 rows, 3 suffixes`.
impl fmt::Display for Size {
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

/// How many states a sample of the words asked has, divided in each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Forecast {
    /// As one machine.
    pub whole: u32,
    /// Divided by outputs, those of all components.
    pub outputs: u32,
    /// Divided by inputs, those of all components.
    pub inputs: u32,
}

/// More words than these are not compared, so one machine may have more states.
const FORECAST_WORDS: u32 = 64;

impl From<mealybug_core::Forecast> for Forecast {
    fn from(forecast: mealybug_core::Forecast) -> Self {
        let mealybug_core::Forecast { whole, outputs, inputs, .. } = forecast;
        Self { whole, outputs, inputs }
    }
}

impl Forecast {
    /// In a sentence, the division that was chosen first: `On a sample of the words asked, the device has 12 states
    /// divided by inputs, 31 divided by outputs and 64 or more as one machine`.
    fn sentence(self, chosen: &str) -> String {
        let Self { whole, outputs, inputs } = self;
        let more = if whole >= FORECAST_WORDS { " or more" } else { "" };
        let mut ways = [
            ("inputs", inputs, " divided by inputs".to_owned()),
            ("outputs", outputs, " divided by outputs".to_owned()),
            ("whole", whole, format!("{more} as one machine")),
        ];
        let fewest = whole.min(outputs).min(inputs);
        ways.sort_by_key(|(division, states, _)| (*division != chosen, *states));
        let [(_, states, how), second, third] = ways;
        let unit = if states == 1 { "state" } else { "states" };
        let sample = "On a sample of the words asked, the device has";
        let first = format!("{sample} {} {unit}{how}", number(states));
        if chosen == "whole" && states == fewest {
            return format!("{first}, and no fewer divided by outputs or by inputs");
        }
        let others = [second, third].map(|(_, states, how)| format!("{}{how}", number(states)));
        // Where they are few, initial states make a difference.
        let initial =
            if states > fewest { "; the choice does not count initial states" } else { "" };
        format!("{first}, {}{initial}", others.join(" and "))
    }
}

/// What components divide, in a word: `whole`, `outputs`, `inputs` or `pairs`.
pub fn division(division: Division) -> &'static str {
    match division {
        Division::Outputs => "outputs",
        Division::Inputs => "inputs",
        Division::Pairs => "pairs",
        _ => "whole",
    }
}

/// A component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Component {
    /// What it knows.
    pub name: String,
    /// Its states.
    pub states: u32,
    /// Its transitions that are not confirmed.
    pub gaps: Gaps,
    /// Its file in `components/`.
    pub file: String,
}

/// A hypothesis, and where the run stood when it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Round {
    /// States of its minimal machine; none if that is too large or its components contradict each
    /// other.
    pub states: Option<u32>,
    /// Its components.
    pub components: u32,
    /// Their states, all together.
    pub component_states: u32,
    /// What learning had cost.
    pub learning: Cost,
    /// What testing had cost.
    pub testing: Cost,
    /// The tests that found the counterexample to the hypothesis before it, as on the command line;
    /// none for the first, and where it was one of `--words`, or known before.
    pub found_by: Option<String>,
}

/// What came of the advice of an older model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// The model, as on the command line.
    pub model: String,
    /// Resets and symbols of the words that were asked on its advice; part of learning.
    pub asked: Cost,
    /// How many of these words were counterexamples.
    pub helped: u64,
    /// Whether its advice was still wanted at the end.
    pub followed: bool,
}

/// In a few words: `OLD.dot: 12 words, 9 of them helped`.
impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, asked, helped, followed } = self;
        let words = if asked.resets == 1 {
            "1 word".to_owned()
        } else {
            format!("{} words", number(asked.resets))
        };
        write!(f, "{model}: {words}, {} of them helped", number(*helped))?;
        if *followed { Ok(()) } else { f.write_str("; not followed at the end") }
    }
}

impl From<Advised> for Advice {
    fn from(advised: Advised) -> Self {
        let Advised { model, asked, helped, is_followed: followed } = advised;
        Self { model, asked: asked.into(), helped, followed }
    }
}

/// What one kind of tests of the mixture did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tested {
    /// The kind, as on the command line.
    pub tests: String,
    /// Symbols of its tests that were asked; a test whose answer is known is not.
    pub symbols: u64,
    /// Counterexamples that it found.
    pub found: u32,
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
    /// Words that were asked again since bytes came after their last reply.
    pub suspect_words: u64,
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
    /// How often it did not work.
    pub failed: u64,
    /// The time of one, on average.
    pub mean_ms: f64,
    /// The longest time of one.
    pub longest_ms: f64,
}

/// Why a run ended, in a word or two.
pub fn why<E>(ending: &Ending<E>) -> &'static str {
    match ending {
        Ending::Session(EndReason::TestsPassed) => "tests-passed",
        Ending::Session(EndReason::SuitePassed) => "suite-passed",
        Ending::Session(EndReason::SuiteCut) => "suite-cut",
        Ending::Session(EndReason::Equivalent) => "equals-model",
        Ending::Session(EndReason::Untested) => "untested",
        Ending::Session(EndReason::Rounds) => "rounds",
        Ending::Session(EndReason::Symbols) => "symbols",
        Ending::Session(EndReason::Resets) => "resets",
        Ending::Session(EndReason::Refuted) => "refuted",
        Ending::Session(EndReason::Stopped) | Ending::Interrupted => "interrupted",
        Ending::Session(_) => "other",
        Ending::Time => "time",
        Ending::Memory(_) => "memory",
        Ending::Contradiction(_) => "contradiction",
        Ending::Failure(_) => "device-failed",
        Ending::Store(_) => "disk",
    }
}

/// Why a run ended, as part of a sentence.
fn reason<E>(ending: &Ending<E>, options: &Options, tests_passed: u64) -> String {
    let Options { tests, product_states, memory_bytes, .. } = options;
    match ending {
        Ending::Session(EndReason::TestsPassed) => {
            let sure = options.confidence_wanted;
            let sure = sure.map_or_else(String::new, |sure| {
                format!(": {} % sure", (sure * 1e4).round() / 100.0)
            });
            format!("{} random tests in a row found no difference{sure}", number(tests_passed))
        }
        Ending::Session(EndReason::SuitePassed) => {
            format!("the complete suite {tests} found no difference")
        }
        Ending::Session(EndReason::SuiteCut) => format!(
            "the suite {tests} found no difference, but it covers only {product_states} states"
        ),
        Ending::Session(EndReason::Equivalent) => {
            "it equals the model that was simulated".to_owned()
        }
        Ending::Session(EndReason::Untested) => "nothing tests it".to_owned(),
        Ending::Session(EndReason::Rounds) => "the rounds are used up (--rounds)".to_owned(),
        Ending::Session(EndReason::Symbols) => "the symbols are used up (--max-symbols)".to_owned(),
        Ending::Session(EndReason::Resets) => "the resets are used up".to_owned(),
        Ending::Session(EndReason::Refuted) => "a test refuted the model".to_owned(),
        Ending::Session(EndReason::Stopped) | Ending::Interrupted => {
            "it was interrupted".to_owned()
        }
        Ending::Session(_) => "the session ended for a reason that is not known here".to_owned(),
        Ending::Time => "the time is used up (--max-time)".to_owned(),
        Ending::Memory(error) => {
            let needed = error.needed;
            format!("{memory_bytes} bytes (--memory) are too little, {needed} are needed")
        }
        Ending::Contradiction(_) => "the device contradicted itself".to_owned(),
        Ending::Failure(_) => "the device failed".to_owned(),
        Ending::Store(_) => "its answers cannot be kept on the disk".to_owned(),
    }
}

/// A number with a blank between thousands.
pub fn number(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

impl Statistics {
    /// The statistics of a run that was told `options` and ended so; what else is known about it is
    /// added to its fields.
    pub fn new<E>(options: Options, ending: &Ending<E>, progress: Progress) -> Self {
        Self {
            converged: ending.is_converged(),
            why: why(ending),
            reason: reason(ending, &options, progress.passing_tests),
            refuted: false,
            equals_model: None,
            size: Size::new(options.algorithm, &progress),
            options,
            states: None,
            gaps: Gaps::default(),
            components: Vec::new(),
            division: None,
            forecast: progress.tree.and_then(|tree| tree.forecast).map(Into::into),
            inputs: 0,
            outputs: progress.outputs,
            rounds: progress.rounds,
            hypotheses: Vec::new(),
            tests_passed: progress.passing_tests,
            defects: Defects { none: progress.defects.none, several: progress.defects.several },
            learning: progress.learning.into(),
            testing: progress.testing.into(),
            advice: Vec::new(),
            mixture: mixture(&progress),
            confidence: None,
            device: Costs::default().into(),
            published: None,
            learner_bytes: progress.learner_bytes,
            recalled: 0,
            retries: 0,
            contradictions: 0,
            warnings: Vec::new(),
            serial: None,
            seconds: 0.0,
        }
    }
}

impl Statistics {
    /// How several components divide the device, as part of a sentence about them: `divide its inputs and have 12 states
    /// in total`.
    pub fn divided(&self) -> Option<String> {
        let what = match self.division? {
            "outputs" => "outputs",
            "inputs" => "inputs",
            "pairs" => "pairs of an input and an output",
            _ => return None,
        };
        let states: u64 = self.components.iter().map(|component| u64::from(component.states)).sum();
        let unit = if states == 1 { "state" } else { "states" };
        Some(format!("divide its {what} and have {} {unit} in total", number(states)))
    }

    /// Why the components divide the device so, if the learner chose it, as a sentence.
    pub fn choice(&self) -> Option<String> {
        Some(self.forecast?.sentence(self.division?))
    }

    /// What a model of this run must say wherever it is shown: that it did not withstand all tests, and what it
    /// does not know.
    pub fn note(&self) -> Option<String> {
        let gaps = match self.gaps.is_empty() {
            true => String::new(),
            false => format!("; {}", self.gaps),
        };
        (!self.converged).then(|| format!("NOT CONVERGED: {}{gaps}", self.reason))
    }
}

impl Round {
    /// A hypothesis of so many states, made when the run stood so.
    pub fn new(states: Option<u32>, progress: Progress) -> Self {
        Self {
            states,
            components: progress.components,
            component_states: progress.component_states,
            learning: progress.learning.into(),
            testing: progress.testing.into(),
            found_by: progress.found_by.map(|tests| tests.to_string()),
        }
    }
}

fn mixture(progress: &Progress) -> Vec<Tested> {
    let kinds = MIXTURE_KINDS.iter().zip(progress.tests);
    let asked = kinds.filter(|(_, spent)| spent.symbols > 0);
    asked
        .map(|(kind, mealybug_core::KindCosts { symbols, found, .. })| Tested {
            tests: kind.to_string(),
            symbols,
            found,
        })
        .collect()
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
            suspect_words: spent.suspect_words,
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
            failed: spent.failed,
            mean_ms: ms(spent.total / count),
            longest_ms: ms(spent.longest),
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
            let sample = "On a sample of the words asked, the device has ";
            sentence.strip_prefix(sample).expect("it begins so").to_owned()
        };
        assert_eq!(
            text(64, 31, 12, "inputs"),
            "12 states divided by inputs, 31 divided by outputs and 64 or more as one machine"
        );
        assert_eq!(
            text(40, 12, 12, "outputs"),
            "12 states divided by outputs, 12 divided by inputs and 40 as one machine"
        );
        assert_eq!(
            text(1, 1, 1200, "whole"),
            "1 state as one machine, and no fewer divided by outputs or by inputs"
        );
        assert_eq!(
            text(11, 13, 12, "outputs"),
            "13 states divided by outputs, 11 as one machine and 12 divided by inputs; the choice does \
             not count initial states"
        );
    }

    #[test]
    fn thousands_are_apart() {
        let cases = [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567")];
        for (value, text) in cases {
            assert_eq!(number(value as u64), text);
        }
    }
}
