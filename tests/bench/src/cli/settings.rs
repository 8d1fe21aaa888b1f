//! Options of the commands that learn models: the learners, the tests, and the limits of a run.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use mealybug::algorithm::Algorithm;
use mealybug::duration_text;
use mealybug::learn::Limits;
use mealybug_core::Tests;

use crate::learner::MeasuredLearner;
use crate::task::Caps;

/// The most memory of a session.
const MEMORY_BYTES: usize = 1 << 30;

/// The learner that `mealybug learn` has by default.
pub(super) const DEFAULT_LEARNER: &str = "ol-sharp";
/// The tests that `mealybug learn` has by default.
pub(super) const DEFAULT_TESTS: &str = "mixture";

/// How models are learned, and where the results go.
#[derive(Debug, Args)]
pub(super) struct Settings {
    /// Folder of the results; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,

    /// Learners, with commas between; rows name them as here
    #[arg(long, value_name = "LIST", value_parser = learner(), value_delimiter = ',', default_value = "ol-star,l-star")]
    pub(super) algorithms: Vec<MeasuredLearner>,

    /// How hypotheses are tested, with commas between: kinds of tests as of `mealybug learn`, or perfect
    ///
    /// `perfect` is a shortest word on which hypothesis and model differ; it costs nothing. Kinds of
    /// tests that draw nothing at random are run with one seed.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "random-wp")]
    tests: Vec<TestKind>,

    /// Number of seeds: 0, 1, …
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) seeds: u64,

    /// Number of runs at a time [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// The limits of a run.
#[derive(Debug, Args)]
pub(super) struct RunLimits {
    /// Most symbols that a run may spend on testing
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub(super) max_symbols: u64,

    /// Longest time of a run, such as 90s, 10m or 2h
    #[arg(long, value_name = "TIME", value_parser = duration_text::parse, default_value = "10m")]
    pub(super) max_time: Duration,
}

impl RunLimits {
    /// What ends a run: these limits, if there are some, or Ctrl-C.
    pub(super) fn caps<'a>(limits: Option<&Self>, interrupted: &'a AtomicBool) -> Caps<'a> {
        let time = limits.map(|limits| limits.max_time);
        let testing_symbols = limits.map_or(u64::MAX, |limits| limits.max_symbols);
        Caps { testing_symbols, limits: Limits { memory_bytes: MEMORY_BYTES, time, interrupted } }
    }
}

impl Settings {
    /// The kinds of tests.
    pub(super) fn tests(&self) -> Vec<Tests> {
        self.tests.iter().map(|kind| kind.0).collect()
    }

    /// The number of runs at a time.
    pub(super) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// Parses the name of a learner.
fn learner() -> impl TypedValueParser<Value = MeasuredLearner> {
    let algorithms = Algorithm::ALL.map(|algorithm| {
        let help = match algorithm {
            Algorithm::OlSharp => "OL#, which chooses its projections while it learns",
            Algorithm::LSharp => "L#: one machine, from an observation tree",
            Algorithm::OlStar => "OL*: a component for each output, from an observation table",
            Algorithm::LStar => "L*: one machine, from an observation table",
        };
        PossibleValue::new(algorithm.name()).help(help)
    });
    let divided = MeasuredLearner::DIVIDED
        .map(|(name, _)| PossibleValue::new(name).help("OL# with these projections"));
    let decompose = PossibleValue::new(MeasuredLearner::DECOMPOSE)
        .help("A baseline: an L* for each output; they share their answers");
    PossibleValuesParser::new(algorithms.into_iter().chain(divided).chain([decompose]))
        .try_map(|name| name.parse::<MeasuredLearner>())
}

/// A kind of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TestKind(Tests);

impl FromStr for TestKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("perfect", _) => Ok(Self(Tests::External)),
            (_, Ok(tests)) if tests != Tests::External => Ok(Self(tests)),
            _ => Err("one of random-wp, mixture, systematic, splice, coverage, repetition, long-words, random-words, w:K, wp:K, components:K, perfect".into()),
        }
    }
}
