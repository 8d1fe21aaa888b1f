//! Folders of models, learned in simulation, and published results about them.
//!
//! The variable [`FOLDER`] names the folder. It holds a folder of DOT files for each collection,
//! and in `published/` the measurements of the authors of OL*.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use mealybug::dot;
use mealybug::learn::Limits;
use mealybug_bench::{BenchRun, RunOutcome, SuiteModel};
use mealybug_core::{Options, Progress, Projections, Tests};

/// The variable that names the folder.
pub const FOLDER: &str = "MEALYBUG_MODELS";

/// The suites of protocols.
pub const PROTOCOLS: [&str; 7] = [
    "automata_wiki",
    "dtls-fuzzer",
    "tlsprint",
    "fingerprinting",
    "ble-learning",
    "dynamiclstarm",
    "scl-star",
];

/// The folder of models. If [`FOLDER`] is not set, prints that `what` is skipped.
///
/// # Panics
/// In continuous integration nothing may be skipped. A folder without models is an error
/// everywhere.
pub fn folder(what: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os(FOLDER) else {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{FOLDER} is not set");
        // Not `eprintln`: cargo hides its output when a test passes.
        writeln!(io::stderr(), "{what} skipped: {FOLDER} is not set").expect("it is open");
        return None;
    };
    let folder = PathBuf::from(folder);
    let none = files(&folder).is_empty();
    assert!(!none, "{FOLDER} is {folder:?}, and there are no models");
    Some(folder)
}

/// The DOT files in the subfolders of `folder`, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let read = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = read(folder)
        .flat_map(|entry| read(&entry.path()).map(|entry| entry.path()).collect::<Vec<_>>())
        .filter(|path| path.extension().is_some_and(|extension| extension == "dot"))
        .collect();
    files.sort();
    files
}

/// The models of some collections, or of all if none is named.
///
/// # Panics
/// A file cannot be read, or there are no models.
pub fn models(folder: &Path, collections: &[&str]) -> Vec<SuiteModel> {
    let collection = |path: &Path| {
        let parent = path.parent().and_then(Path::file_name).unwrap_or_default();
        parent.to_string_lossy().into_owned()
    };
    let models: Vec<SuiteModel> = files(folder)
        .into_iter()
        .filter(|path| collections.is_empty() || collections.contains(&collection(path).as_str()))
        .map(|path| {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{}/{file}", collection(&path));
            let text = fs::read_to_string(&path).expect("the file was listed");
            let machine = dot::read(&name, &text).unwrap_or_else(|error| panic!("{error}"));
            SuiteModel::new(name, machine)
        })
        .collect();
    assert!(!models.is_empty(), "no models in {collections:?}");
    models
}

/// Learned models of protocols with at most `max_transitions`, states times inputs. If there is no
/// [`folder`], prints that `what` is skipped.
///
/// # Panics
/// As [`folder`] and [`models`].
pub fn protocols(what: &str, max_transitions: u64) -> Option<Vec<SuiteModel>> {
    let mut models = models(&folder(what)?, &PROTOCOLS);
    models.retain(|model| u64::from(model.states) * u64::from(model.inputs()) <= max_transitions);
    Some(models)
}

/// One half of the models serves to choose tests and fit estimates; the other half shows how well
/// that worked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The half for choosing and fitting.
    Even,
    /// The half for checking.
    Odd,
}

impl Half {
    /// The half to which the model in this file belongs. Even means that the file's name hashes to
    /// an even number (FNV-1a, 64 bits).
    pub fn of(file: &str) -> Self {
        let step =
            |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        let hash = file.bytes().fold(0xcbf2_9ce4_8422_2325, step);
        if hash.is_multiple_of(2) { Self::Even } else { Self::Odd }
    }

    /// The models of this half.
    pub fn models(self, models: &[SuiteModel]) -> impl Iterator<Item = &SuiteModel> {
        models.iter().filter(move |model| Self::of(model.file()) == self)
    }
}

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Even => "even half",
            Self::Odd => "odd half",
        })
    }
}

/// A published table, by model and column.
pub type PublishedTable = BTreeMap<String, BTreeMap<String, f64>>;

/// Reads a table from `published/`.
///
/// # Panics
/// There is no such table, or it is malformed.
pub fn published(folder: &Path, file: &str) -> PublishedTable {
    let path = folder.join("published").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    lines
        .map(|line| {
            let (model, numbers) = line.split_once(',').expect("a table of numbers");
            let numbers = numbers.split(',').map(|number| number.parse().expect("a number"));
            let named = head.iter().skip(1).map(|&column| column.to_owned()).zip(numbers);
            (model.to_owned(), named.collect())
        })
        .collect()
}

/// Learns a model. Returns the progress at the end, or why the run ended before the hypothesis was
/// right.
///
/// # Panics
/// The options are invalid.
pub fn learn(model: &SuiteModel, options: Options) -> Result<Progress, RunOutcome> {
    let run = run(model, options, u64::MAX);
    if run.outcome == RunOutcome::Exact { Ok(run.progress) } else { Err(run.outcome) }
}

/// Learns a model until the hypothesis is right, or testing has cost `max_testing_symbols`.
///
/// # Panics
/// The options are invalid.
pub fn run(model: &SuiteModel, options: Options, max_testing_symbols: u64) -> BenchRun {
    let run = mealybug_bench::learn(model, options, max_testing_symbols, &Limits::UNLIMITED);
    run.expect("the options are good")
}

/// Perfect counterexamples.
pub fn perfect(projections: Projections) -> Options {
    Options::new().projections(projections).tests(Tests::External)
}

/// Random Wp tests until the hypothesis is right.
pub fn until_equal(seed: u64) -> Options {
    Options::new().seed(seed).tests(Tests::RandomWp).passing_tests(u64::MAX)
}
