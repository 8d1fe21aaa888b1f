//! `mealybug bench`: what learning costs, over suites of models.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mealybug::bench::{
    Begun, Caps, Job, Learner, RowError, RowFile, Said, Suites, missing, plots, read_all, summary,
    work,
};
use mealybug::learn::Limits;
use mealybug::statistics::number;
use mealybug_core::Tests;
use miette::{Report, Result};

use super::values;
use super::{Exit, Trouble, interrupt, say};

/// The rows of this program, beside those that harnesses of other learners write.
const OWN_FILE: &str = "mealybug.csv";

/// What they say together.
const SUMMARY: &str = "summary.txt";

/// How much memory a session may have.
const MEMORY_BYTES: usize = 1 << 30;

/// How often there is a plain line where standard error is no terminal.
const PLAIN: Duration = Duration::from_secs(10);

/// Measures what it costs to learn suites of models, in simulation.
///
/// A run ends when the hypothesis equals the model, which is seen from outside. Costs are counted as in
/// the published experiments: a test that was asked before, or that is a prefix of one, costs nothing,
/// any other its whole length. A row about each run is in DIR/mealybug.csv as soon as it has ended; a run
/// that is there is not made again, whatever its limits were.
///
/// In the end DIR/summary.txt and plots are made from all DIR/*.csv, so that other learners stand beside.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug bench models/artificial --out results
  mealybug bench models --out results --algorithms ol-sharp,ol-star --tests random-wp,mixture
  mealybug bench models/tls --out results --tests perfect    # free shortest counterexamples
  mealybug bench --out results                               # summary and plots again")]
pub(crate) struct Bench {
    /// Suites: folders of DOT files, folders of such folders, or DOT files
    ///
    /// Without any, summary and plots are made again from what is in DIR.
    #[arg(value_name = "SUITE")]
    suites: Vec<PathBuf>,

    /// Where the results are, and go: a folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Which learners: a row names each of them as it is named here
    #[arg(long, value_name = "LIST", value_parser = learner(), value_delimiter = ',', default_values = ["ol-star", "l-star"])]
    algorithms: Vec<Learner>,

    /// Which words test a hypothesis: kinds of tests as of `mealybug learn`, or perfect
    ///
    /// `perfect`: a shortest word on which hypothesis and model differ, free. Tests of which none is
    /// random are run with one seed.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "random-wp")]
    tests: Vec<Kind>,

    /// With how many seeds, from 0 on
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,

    /// The most symbols that a run may spend on testing
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    max_symbols: u64,

    /// The longest that a run may take, such as 90s, 10m or 2h
    #[arg(long, value_name = "TIME", value_parser = values::time, default_value = "10m")]
    max_time: Duration,

    /// How many runs at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// A learner, as it is named on the command line.
fn learner() -> impl TypedValueParser<Value = Learner> {
    let what = "An L* for each output, sharing their answers: a baseline";
    let decompose = PossibleValue::new(Learner::DECOMPOSE).help(what);
    PossibleValuesParser::new(values::algorithms().chain([decompose]))
        .try_map(|name| name.parse::<Learner>())
}

/// A kind of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind(Tests);

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("perfect", _) => Ok(Self(Tests::External)),
            (_, Ok(tests)) if tests != Tests::External => Ok(Self(tests)),
            _ => Err("one of random-wp, mixture, systematic, splice, coverage, random-words, w:K, wp:K, components:K, perfect".into()),
        }
    }
}

impl Bench {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        let exit = if self.suites.is_empty() { Exit::Done } else { self.measure()? };
        let rows = read_all(&self.out)?;
        if rows.is_empty() {
            return Err(Trouble::report(
                Exit::Failed,
                format!("there are no results in {}", self.out.display()),
                "name a suite to be learned: mealybug bench SUITE --out DIR",
            ));
        }
        let text = summary(&rows);
        let path = self.out.join(SUMMARY);
        fs::write(&path, &text).map_err(|error| RowError::Io { path, error })?;
        for (name, plot) in plots(&rows) {
            let path = self.out.join(name);
            fs::write(&path, plot).map_err(|error| RowError::Io { path, error })?;
        }
        say(&text);
        Ok(exit)
    }

    /// Makes the runs that are missing.
    fn measure(&self) -> Result<Exit> {
        let suites = Suites::read(&self.suites)?;
        let Begun { mut file, rows, torn } = self.begin()?;
        for error in suites.unreadable {
            note(&format!("{:?}", Report::new(error)));
        }
        if let Some(torn) = torn {
            let own = self.out.join(OWN_FILE);
            note(&format!(
                "the last line of {} was not whole, `{}`: that run is made again",
                own.display(),
                torn.chars().take(60).collect::<String>()
            ));
        }
        let tests: Vec<_> = self.tests.iter().map(|kind| kind.0).collect();
        let all = Job::all(&suites.models, &self.algorithms, &tests, self.seeds);
        let (wanted, jobs) = (all.len(), missing(all, &rows));
        let interrupted = interrupt::flag()?;
        let limits = Limits {
            memory_bytes: MEMORY_BYTES,
            time: Some(self.max_time),
            interrupted: &interrupted,
        };
        let caps = Caps { testing_symbols: self.max_symbols, limits };
        let mut watch = Watch::new(&jobs, wanted);
        let mut failed = None;
        work(&jobs, self.threads(), &caps, |said| {
            watch.hear(&said);
            if let Said::Ended(_, Some(row)) = said
                && failed.is_none()
                && let Err(error) = file.add(&row)
            {
                failed = Some(error);
                interrupted.store(true, Ordering::Relaxed);
            }
        });
        watch.finish();
        if let Some(error) = failed {
            return Err(error.into());
        }
        let left = jobs.len() - watch.ended;
        if left == 0 {
            return Ok(Exit::Done);
        }
        let left = number(left as u64);
        note(&format!("stopped; runs that are left: {left}; the same command goes on with them"));
        Ok(Exit::Interrupted)
    }

    fn begin(&self) -> Result<Begun> {
        fs::create_dir_all(&self.out)
            .map_err(|error| RowError::Io { path: self.out.clone(), error })?;
        Ok(RowFile::open(&self.out.join(OWN_FILE))?)
    }

    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// Shows how the runs go on.
struct Watch<'j> {
    jobs: &'j [Job<'j>],
    wanted: usize,
    ended: usize,
    running: Vec<usize>,
    due: Instant,
    /// None where standard error is no terminal.
    bar: Option<ProgressBar>,
}

impl<'j> Watch<'j> {
    /// Shows `jobs`, which are left of so many.
    fn new(jobs: &'j [Job<'j>], wanted: usize) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let target = ProgressDrawTarget::stderr();
            let bar = ProgressBar::with_draw_target(Some(wanted as u64), target);
            let style =
                ProgressStyle::with_template("{bar:30} {pos} of {len} runs · {elapsed}\n  {msg}")
                    .expect("the template is right");
            bar.set_style(style);
            bar.set_position((wanted - jobs.len()) as u64);
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let known = wanted - jobs.len();
        if known > 0 {
            note(&format!(
                "{} of {} runs are there already",
                number(known as u64),
                number(wanted as u64)
            ));
        }
        Self { jobs, wanted, ended: 0, running: Vec::new(), due: Instant::now() + PLAIN, bar }
    }

    fn hear(&mut self, said: &Said) {
        match said {
            Said::Begun(at) => self.running.push(*at),
            Said::Ended(at, row) => {
                self.running.retain(|running| running != at);
                self.ended += usize::from(row.is_some());
            }
        }
        let running: Vec<_> = self.running.iter().map(|&at| name(&self.jobs[at])).collect();
        let done = self.wanted - self.jobs.len() + self.ended;
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
            bar.set_message(running.join("\n  "));
        } else if Instant::now() >= self.due && !running.is_empty() {
            let [done, wanted] = [done, self.wanted].map(|count| number(count as u64));
            note(&format!("{done} of {wanted} runs; now {}", running.join(", ")));
            self.due = Instant::now() + PLAIN;
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A run in a few words.
fn name(job: &Job<'_>) -> String {
    let key = job.key();
    format!("{}: {}, {}, seed {}", job.model.name, key.algorithm, key.tests, key.seed)
}

/// Writes a line to standard error, and does not mind when nobody reads it.
fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
