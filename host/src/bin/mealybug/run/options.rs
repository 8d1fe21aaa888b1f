//! The options of a run, wherever its device is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use mealybug::advice::OlderModel;
use mealybug::algorithm::Algorithm;
use mealybug::confidence;
use mealybug::dot;
use mealybug::duration_text;
use mealybug::machine::Machine;
use mealybug::statistics;
use mealybug::store::Stored;
use mealybug_core::{Budget, Observations, Options, Tests};
use miette::{Result, WrapErr};
use serde::{Deserialize, Serialize};

use crate::endpoint::Endpoint;
use crate::exit::{CliError, Exit};
use crate::files::model;
use crate::files::words;
use crate::option_values::{self, ABSENCE, InARow};
use crate::run::as_text;
use crate::run::projections::ProjectionChoice;
use crate::terminal::output::OutputMode;

/// A difference that shows in one of 200 words escapes so many tests once in 150 times; at five
/// words a second they take a bit more than three minutes.
const TESTS_IN_A_ROW: u64 = 1000;

/// The options of a run.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct RunOptions {
    /// The learner
    #[arg(long, value_name = "ALGORITHM", value_parser = option_values::algorithm(), default_value_t = Algorithm::DEFAULT, help_heading = "Learning")]
    algorithm: Algorithm,

    /// How to divide the device into components: chosen, per-output, per-input, per-pair, identity, or groups of
    /// outputs such as 'OK,READY|ERROR'
    ///
    /// `per-output` learns a component for each output, `per-input` one for each input with the outputs after it,
    /// `per-pair` one for each output after each input, `identity` one for all. `chosen` looks, while it learns, for the
    /// parts of the outputs or of the inputs whose components have the fewest states. Groups of output names are
    /// separated by `|`, names by `,`; a component is learned for each group, and one for each output that is in none.
    /// `\,` and `\|` are a comma and a bar within a name. The default is chosen with --algorithm ol-sharp, per-output
    /// with ol-star, and identity with l-sharp and l-star. ol-star has per-output, identity and groups only.
    #[arg(long, value_name = "PROJECTIONS", help_heading = "Learning")]
    #[serde(with = "as_text")]
    projections: Option<ProjectionChoice>,

    /// An older model of the device, or one of another version, whose words are asked first
    ///
    /// A DOT file, the result.postcard of a run, or the folder of a run; the option can be given several
    /// times. Inputs and outputs are matched by name; a model may be partial. For each hypothesis, before any test,
    /// the run asks words on which hypothesis and older model differ. These words count as learning. The older model
    /// never becomes part of the result. One that fails more often than it helps costs at most an eighth of the run. The
    /// run keeps a copy: a file that is changed or removed later makes no difference to --resume.
    #[arg(long, value_name = "OLD", help_heading = "Learning")]
    #[serde(skip)]
    pub(crate) like: Vec<PathBuf>,

    /// How to count and when to end: the defaults, or the rules of the published experiments
    ///
    /// `paper` is for simulation: the run ends when the hypothesis equals the model, counterexamples are not
    /// shortened, the number of random tests is unlimited, and `published` in statistics.json has the costs by the
    /// rules of the published figures.
    #[arg(long, value_enum, default_value_t = Profile::Default, help_heading = "Learning")]
    profile: Profile,

    /// The kind of tests of a hypothesis: mixture, random-wp, random-words, w:K, wp:K, components:K,
    /// model
    /// [default: mixture]
    ///
    /// The mixture has five kinds, which can be chosen alone: systematic (every state with every
    /// short infix), splice (deviations on the way from one state to another), coverage (inputs that
    /// were tried least), repetition (one to three inputs over and over) and long-words (random words
    /// of 50 inputs). Half of what tests cost is shared equally; of the other half the kind that finds more
    /// counterexamples gets more. w:K and wp:K are the complete suites for K extra states;
    /// components:K is the complete suite for K extra states of each component: far fewer words where the model is
    /// much larger than its components. `model` is for simulation: a shortest word on which hypothesis and model
    /// differ. With --profile paper, and on a target, the default is random-wp.
    #[arg(long, value_name = "TESTS", help_heading = "Testing")]
    #[serde(with = "as_text")]
    tests: Option<Tests>,

    /// The number of random tests in a row that the result must pass, or unlimited, instead of --confidence
    ///
    /// A complete suite has a number of its own, and takes no other.
    /// Default: as many as --confidence needs; 1000 for --tests other than the mixture, and on a target. 1000 tests
    /// miss a difference that shows in one of 200 words once in 150 times. With --profile paper the default is
    /// unlimited.
    #[arg(long, value_name = "N", help_heading = "Testing")]
    #[serde(with = "as_text")]
    tests_in_a_row: Option<InARow>,

    /// How sure the result must be, such as 99% [default: 95%]
    ///
    /// Test until the estimated chance that the model is wrong is at most 100 % - PERCENT: 5 % for 95%, which is 1 in 20.
    /// The estimate rests on how long the mixture of tests searched for counterexamples in devices that are known.
    #[arg(long, value_name = "PERCENT", value_parser = option_values::confidence, conflicts_with = "tests_in_a_row", help_heading = "Testing")]
    confidence: Option<f64>,

    /// File of extra test words, tried first on every hypothesis
    ///
    /// One word a line: names of inputs with blanks between them. The transcript.txt of a run has this form. The run keeps
    /// a copy for --resume.
    #[arg(long, value_name = "FILE", help_heading = "Testing")]
    pub(crate) words: Option<PathBuf>,

    /// The seed of the random tests; the same seed asks the same words
    ///
    /// Exception: where a reset or an input takes 100 ms or more, words depend on the times measured before the
    /// first hypothesis, and these differ from run to run. A resumed run keeps its times.
    #[arg(long, value_name = "SEED", default_value_t = 0, help_heading = "Testing")]
    seed: u64,

    /// End after this many hypotheses
    #[arg(long, value_name = "N", help_heading = "Limits")]
    rounds: Option<u64>,

    /// End after this many input symbols, learning and testing together
    ///
    /// Answers from the disk count, too: to resume a run that ended here, give a larger limit.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_symbols: Option<u64>,

    /// End after this time, such as 90s, 10m or 2h, pictures included
    #[arg(long, value_name = "TIME", value_parser = duration_text::parse, help_heading = "Limits")]
    max_time: Option<Duration>,

    /// The most memory for the learner, such as 64K or 256M; it starts small and grows
    #[arg(long, value_name = "BYTES", value_parser = option_values::bytes, default_value = "1G", help_heading = "Limits")]
    memory: usize,

    /// How many times to re-ask a word whose answers disagree
    ///
    /// The run believes the answer that comes most often. How often it asks again for one follows how often this
    /// device was wrong so far, or `noise` of its device file. If one answer is contradicted so often and still in
    /// doubt, the run ends; it ends earlier if that is no noise.
    #[arg(long, value_name = "N", default_value_t = Stored::<Endpoint<'static>>::RETRIES, help_heading = "Faults")]
    retries: u32,

    /// How long to wait for a disconnected device, such as 10s or 5m
    #[arg(long, value_name = "TIME", value_parser = duration_text::parse, default_value = ABSENCE, help_heading = "Faults")]
    absence: Duration,

    /// The most states of a model that is written as one machine, beside its components
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "Results")]
    max_states: u32,

    /// The folder for the results, new or empty [default: mealybug-runs/NAME-1, -2, …]
    #[arg(long, value_name = "DIR", help_heading = "Results")]
    #[serde(skip)]
    pub(crate) out: Option<PathBuf>,

    /// Show the run in a browser on this computer while it goes on
    ///
    /// The address of the page is printed. The page shows the hypothesis as it grows, the last answers, where the time
    /// goes, and what is left. It can only be looked at: at a port of 127.0.0.1 that the system picks, under a path that
    /// nobody can guess.
    #[arg(long, conflicts_with = "quiet", help_heading = "Output")]
    #[serde(skip)]
    pub(crate) live: bool,

    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) output: OutputMode,
}

/// How to count and when to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Profile {
    /// The defaults, for a device
    Default,
    /// The rules of the published experiments
    Paper,
}

impl RunOptions {
    /// What is wrong with these options for a device, or for a model.
    pub(crate) fn check(&self, is_simulation: bool) -> Result<()> {
        if !is_simulation && self.tests() == Tests::External {
            return Err(CliError::report(
                Exit::Usage,
                "--tests model is for --model only",
                "of a device only its answers are known: leave --tests out, or use wp:1",
            ));
        }
        if !is_simulation && self.is_paper() {
            return Err(CliError::report(
                Exit::Usage,
                "--profile paper is for --model only",
                "it compares each hypothesis with the model, and a device is none",
            ));
        }
        if self.confidence.is_some() && !confidence::is_known_for(self.tests()) {
            let instead = match self.tests().is_random() {
                true => "give --tests-in-a-row instead",
                false => "leave --confidence out",
            };
            return Err(CliError::report(
                Exit::Usage,
                format!("--confidence is for --tests mixture, not for {}", self.tests()),
                format!("how soon other tests find something was not measured: {instead}"),
            ));
        }
        if let Some(in_a_row) = self.tests_in_a_row {
            in_a_row.require_random(self.tests())?;
        }
        let algorithm = self.algorithm;
        let has_groups =
            self.projections.as_ref().is_some_and(|p| *p != ProjectionChoice::Identity);
        if algorithm.is_one_machine() && has_groups {
            return Err(CliError::report(
                Exit::Usage,
                format!("--algorithm {algorithm} has no --projections but identity"),
                format!(
                    "leave one of them out: {} learns one machine, which sees all outputs",
                    algorithm.title()
                ),
            ));
        }
        let has_table = algorithm.observations() == Observations::Table;
        if let Some(projections) = self.projections.as_ref().filter(|p| p.needs_tree() && has_table)
        {
            return Err(CliError::report(
                Exit::Usage,
                format!("--algorithm {algorithm} has no --projections {projections}"),
                format!(
                    "{} keeps a table and divides by outputs only: choose per-output, identity or groups \
                     such as 'OK,READY|ERROR', or learn on the host with --algorithm ol-sharp",
                    algorithm.title()
                ),
            ));
        }
        Ok(())
    }

    /// What the session is told.
    pub(crate) fn session(&self) -> Options {
        self.session_with(self.tests())
    }

    /// What a session with these tests is told.
    pub(crate) fn session_with(&self, tests: Tests) -> Options {
        Options::new()
            .observations(self.algorithm.observations())
            .projections(self.projections().projections())
            .tests(tests)
            .seed(self.seed)
            .passing_tests(self.tests_in_a_row(tests).number())
            .product_states(self.product_states())
            .shorten(!self.is_paper())
            .budget(
                Budget::UNLIMITED
                    .rounds(self.rounds.unwrap_or(u64::MAX))
                    .symbols(self.max_symbols.unwrap_or(u64::MAX))
                    .resets(u64::MAX),
            )
    }

    /// What stands in `statistics.json`.
    pub(crate) fn statistics(&self) -> statistics::OptionsRecord {
        let profile = self.profile.to_possible_value();
        statistics::OptionsRecord {
            algorithm: self.algorithm,
            projections: self.projections().to_string(),
            tests: self.tests().to_string(),
            tests_in_a_row: Some(self.tests_in_a_row(self.tests()).number())
                .filter(|&n| n < u64::MAX),
            confidence_wanted: self.confidence(),
            seed: self.seed,
            profile: profile.map(|name| name.get_name().to_owned()).unwrap_or_default(),
            max_rounds: self.rounds,
            max_symbols: self.max_symbols,
            max_seconds: self.max_time.map(|time| time.as_secs_f64()),
            max_states: self.max_states,
            memory_bytes: self.memory,
            product_states: self.session().product_states,
        }
    }

    /// How to divide the device into components.
    pub(crate) fn projections(&self) -> ProjectionChoice {
        let default = || self.algorithm.projections().into();
        self.projections.clone().unwrap_or_else(default)
    }

    /// Which learner.
    pub(crate) fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    fn tests_in_a_row(&self, tests: Tests) -> InARow {
        // With a confidence each hypothesis says how many tests it must pass.
        let default = if self.is_paper() || self.confidence_with(tests).is_some() {
            InARow::Unlimited
        } else {
            InARow::Tests(TESTS_IN_A_ROW)
        };
        self.tests_in_a_row.unwrap_or(default)
    }

    /// How sure the result must be, if no number of tests is wanted and the tests tell.
    pub(crate) fn confidence(&self) -> Option<f64> {
        self.confidence_with(self.tests())
    }

    fn confidence_with(&self, tests: Tests) -> Option<f64> {
        let is_default =
            self.tests_in_a_row.is_none() && !self.is_paper() && confidence::is_known_for(tests);
        self.confidence.or(is_default.then_some(confidence::DEFAULT))
    }

    /// Forgets --tests-in-a-row if the tests are a complete suite, all of which is asked.
    pub(crate) fn forget_tests_in_a_row_of_a_suite(&mut self) {
        self.tests_in_a_row.take_if(|_| !self.tests.unwrap_or(Tests::DEFAULT).is_random());
    }

    /// Forgets --confidence if it is not known for the tests.
    pub(crate) fn forget_unknown_confidence(&mut self) {
        let is_known = confidence::is_known_for(self.tests());
        self.confidence.take_if(|_| !is_known);
    }

    /// Whether --confidence is given.
    pub(crate) fn has_confidence(&self) -> bool {
        self.confidence.is_some()
    }

    /// Complete suites start in every state of the model, and so do the published random tests.
    fn product_states(&self) -> u32 {
        match self.tests() {
            Tests::W { .. } | Tests::Wp { .. } => self.max_states,
            _ if self.is_paper() => self.max_states,
            _ => Options::default().product_states,
        }
    }

    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    pub(crate) fn is_paper(&self) -> bool {
        self.profile == Profile::Paper
    }

    pub(crate) fn tests(&self) -> Tests {
        self.tests_or(Tests::DEFAULT)
    }

    /// The tests, or these if nothing is said.
    pub(crate) fn tests_or(&self, default: Tests) -> Tests {
        let default = if self.is_paper() { Tests::RandomWp } else { default };
        self.tests.unwrap_or(default)
    }

    /// Whether there are --words.
    pub(crate) fn has_words(&self) -> bool {
        self.words.is_some()
    }

    /// Finds mistakes in the words of --words before the run begins, but not in those of a pipe: it can be read only once.
    pub(crate) fn check_words(&self, inputs: &[String]) -> Result<()> {
        let is_pipe = |path: &Path| path.exists() && !path.is_file();
        match self.words.as_deref() {
            Some(path) if !is_pipe(path) => words::read(path, inputs).map(drop),
            _ => Ok(()),
        }
    }

    /// The models of --like.
    pub(crate) fn older(&self) -> Result<Vec<OlderModel>> {
        let read = |path: &PathBuf| {
            let name = path.display().to_string();
            let machine =
                model::read(path).wrap_err_with(|| format!("--like {name} gives no advice"));
            let machine = machine?.minimise();
            require_kept(&machine).wrap_err_with(|| format!("--like {name} gives no advice"))?;
            Ok(OlderModel { name, machine })
        };
        self.like.iter().map(read).collect()
    }

    pub(crate) fn retries(&self) -> u32 {
        self.retries
    }

    pub(crate) fn absence(&self) -> Duration {
        self.absence
    }

    pub(crate) fn max_time(&self) -> Option<Duration> {
        self.max_time
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory
    }

    pub(crate) fn max_states(&self) -> u32 {
        self.max_states
    }
}

/// Whether the folder of a run can keep this older model: DOT holds no machine without transitions.
fn require_kept(older: &Machine) -> Result<()> {
    dot::read("the model", &dot::write(older)).map(drop).map_err(|error| (*error).into())
}

#[cfg(test)]
mod tests {
    use mealybug::machine::Builder;

    use super::*;

    #[test]
    fn an_older_model_without_transitions_is_refused() {
        let mut builder = Builder::default();
        require_kept(&builder.clone().build_partial(0)).expect_err("nothing is known");
        builder.add(0, "a", 0, "x").expect("new");
        require_kept(&builder.build_partial(0)).expect("one transition is known");
    }
}
