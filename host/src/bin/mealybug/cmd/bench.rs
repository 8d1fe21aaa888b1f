//! `mealybug bench`: what learning costs, over suites of models.

use std::collections::HashSet;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mealybug::bench::{
    Begun, Caps, Job, Learner, Pair, PairFile, PairJob, PairRow, RowError, RowFile, Said, Suites,
    missing, pairs_summary, plots, read_all, summary, work,
};
use mealybug::learn::Limits;
use mealybug::statistics::number;
use mealybug_core::Tests;
use miette::{Report, Result};

use crate::exit::{CliError, Exit};
use crate::terminal::interrupt;
use crate::terminal::say;
use crate::values;

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
  mealybug bench models --out results --algorithms ol-sharp,ol-sharp:per-output  # is a choice better?
  mealybug bench models/tls --out results --tests perfect    # free shortest counterexamples
  mealybug bench models --pairs versions.csv --out versions --tests perfect,mixture
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

    /// What an older model saves: a list of pairs, a CSV with the columns old and new
    ///
    /// Files are named from the folder SUITE. Each new model is learned without help, with --like the old
    /// one, and with --like itself; the column `inputs` may say `renamed`: the inputs of the old model get
    /// the names of those of the new one, in their order. The rows are in DIR/mealybug.csv, what they say
    /// together in DIR, in a file named like the list.
    #[arg(long, value_name = "FILE", requires = "suites")]
    pairs: Option<PathBuf>,

    /// How many runs at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// A learner, as it is named on the command line.
fn learner() -> impl TypedValueParser<Value = Learner> {
    let what = "An L* for each output, sharing their answers: a baseline";
    let decompose = PossibleValue::new(Learner::DECOMPOSE).help(what);
    let divided = Learner::DIVIDED
        .into_iter()
        .map(|(name, _)| PossibleValue::new(name).help("OL# with these projections"));
    PossibleValuesParser::new(values::algorithms().chain(divided).chain([decompose]))
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
            _ => Err("one of random-wp, mixture, systematic, splice, coverage, repetition, random-words, w:K, wp:K, components:K, perfect".into()),
        }
    }
}

impl Bench {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        if let Some(list) = &self.pairs {
            return self.measure_pairs(list);
        }
        let exit = if self.suites.is_empty() { Exit::Done } else { self.measure()? };
        let rows = read_all(&self.out)?;
        if rows.is_empty() {
            return Err(CliError::report(
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
        let caps = self.caps(&interrupted);
        let names: Vec<_> = jobs.iter().map(name).collect();
        let mut watch = Watch::new(&names, wanted);
        let mut failed = None;
        work(
            &jobs,
            self.threads(),
            &interrupted,
            |job| job.run(&caps),
            |said| {
                watch.hear(&said);
                if let Said::Ended(_, Some(row)) = said
                    && failed.is_none()
                    && let Err(error) = file.add(&row)
                {
                    failed = Some(error);
                    interrupted.store(true, Ordering::Relaxed);
                }
            },
        );
        watch.finish();
        if let Some(error) = failed {
            return Err(error.into());
        }
        Ok(left(jobs.len() - watch.ended))
    }

    /// Makes the runs of the pairs in a list that are missing, and says what older models save.
    fn measure_pairs(&self, list: &Path) -> Result<Exit> {
        let [folder] = &self.suites[..] else {
            return Err(CliError::report(
                Exit::Usage,
                "--pairs needs one SUITE",
                "name the folder from which the files of the list are named",
            ));
        };
        let pairs = Pair::read_all(list, folder)?;
        fs::create_dir_all(&self.out)
            .map_err(|error| RowError::Io { path: self.out.clone(), error })?;
        let (mut file, mut rows) = PairFile::open(&self.out.join(OWN_FILE))?;
        let tests: Vec<_> = self.tests.iter().map(|kind| kind.0).collect();
        let mut jobs = PairJob::all(&pairs, &self.algorithms, &tests, self.seeds);
        let wanted = jobs.len();
        let known: HashSet<_> = rows.iter().map(PairRow::key).collect();
        jobs.retain(|job| !known.contains(&job.key()));
        let interrupted = interrupt::flag()?;
        let caps = self.caps(&interrupted);
        let names: Vec<_> = jobs.iter().map(PairJob::name).collect();
        let mut watch = Watch::new(&names, wanted);
        let mut failed = None;
        work(
            &jobs,
            self.threads(),
            &interrupted,
            |job| job.run(&caps),
            |said| {
                watch.hear(&said);
                if let Said::Ended(_, Some(row)) = said
                    && failed.is_none()
                {
                    failed = file.add(&row).err();
                    rows.push(*row);
                    interrupted.fetch_or(failed.is_some(), Ordering::Relaxed);
                }
            },
        );
        watch.finish();
        if let Some(error) = failed {
            return Err(error.into());
        }
        let text = pairs_summary(&pairs, &rows);
        let path = self.out.join(list.with_extension("txt").file_name().unwrap_or_default());
        fs::write(&path, &text).map_err(|error| RowError::Io { path, error })?;
        say(&text);
        Ok(left(jobs.len() - watch.ended))
    }

    fn caps<'a>(&self, interrupted: &'a AtomicBool) -> Caps<'a> {
        let (memory_bytes, time) = (MEMORY_BYTES, Some(self.max_time));
        let limits = Limits { memory_bytes, time, interrupted };
        Caps { testing_symbols: self.max_symbols, limits }
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

/// How a bench ends when so many runs are left.
fn left(runs: usize) -> Exit {
    if runs == 0 {
        return Exit::Done;
    }
    let left = number(runs as u64);
    note(&format!("stopped; runs that are left: {left}; the same command goes on with them"));
    Exit::Interrupted
}

/// Shows how the runs go on.
struct Watch<'j> {
    /// How the runs are called that are left.
    jobs: &'j [String],
    wanted: usize,
    ended: usize,
    running: Vec<usize>,
    due: Instant,
    /// None where standard error is no terminal.
    bar: Option<ProgressBar>,
}

impl<'j> Watch<'j> {
    /// Shows `jobs`, which are left of so many.
    fn new(jobs: &'j [String], wanted: usize) -> Self {
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

    fn hear<R>(&mut self, said: &Said<R>) {
        match said {
            Said::Begun(at) => self.running.push(*at),
            Said::Ended(at, row) => {
                self.running.retain(|running| running != at);
                self.ended += usize::from(row.is_some());
            }
        }
        let running: Vec<_> = self.running.iter().map(|&at| self.jobs[at].as_str()).collect();
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
