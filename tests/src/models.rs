//! Folders of models, learned in simulation, and what was published about them.
//!
//! The folder is named by the variable [`FOLDER`]; it holds DOT files in folders, one for each
//! collection, and in `published/` what the authors of OL* measured.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mealybug::dot;
use mealybug::machine::{Component, Machine, Product, separate_by};
use mealybug::simulate::Simulated;
use mealybug_core::{
    Action, Family, Hypothesis, Input, Mealy, Options, Output, Progress, Reply, Session,
    SessionError, Sul, Tests, Why,
};

/// The variable that names the folder.
pub const FOLDER: &str = "MEALYBUG_MODELS";

/// A model and what it is called.
#[derive(Debug)]
pub struct Model {
    /// Its folder and file.
    pub name: String,
    /// What it does.
    pub machine: Machine,
    /// How many states the minimal machine has.
    pub states: u32,
}

impl Model {
    /// How many inputs it has.
    pub fn inputs(&self) -> u32 {
        Mealy::inputs(&self.machine)
    }

    /// The file's name, without the folder.
    pub fn file(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// The folder of models, or nothing if [`FOLDER`] is not set, which is said.
///
/// # Panics
/// In continuous integration nothing is skipped. Nor is a folder without models a reason to skip.
pub fn folder(what: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os(FOLDER) else {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{FOLDER} is not set");
        // Not `eprintln`, which cargo keeps to itself when a test passes.
        writeln!(io::stderr(), "{what} skipped: {FOLDER} is not set").expect("it is open");
        return None;
    };
    let folder = PathBuf::from(folder);
    let none = files(&folder).is_empty();
    assert!(!none, "{FOLDER} is {folder:?}, and there are no models");
    Some(folder)
}

/// The DOT files in the folders of `folder`, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let read = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = read(folder)
        .flat_map(|entry| read(&entry.path()).map(|entry| entry.path()).collect::<Vec<_>>())
        .filter(|path| path.extension().is_some_and(|extension| extension == "dot"))
        .collect();
    files.sort();
    files
}

/// The models of some collections, of all if none is named.
///
/// # Panics
/// A file cannot be read, or there is none.
pub fn models(folder: &Path, collections: &[&str]) -> Vec<Model> {
    let collection = |path: &Path| {
        let parent = path.parent().and_then(Path::file_name).unwrap_or_default();
        parent.to_string_lossy().into_owned()
    };
    let models: Vec<Model> = files(folder)
        .into_iter()
        .filter(|path| collections.is_empty() || collections.contains(&collection(path).as_str()))
        .map(|path| {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{}/{file}", collection(&path));
            let text = fs::read_to_string(&path).expect("the file was listed");
            let machine = dot::read(&name, &text).unwrap_or_else(|error| panic!("{error}"));
            let states = machine.minimise().states();
            Model { name, machine, states }
        })
        .collect();
    assert!(!models.is_empty(), "no models in {collections:?}");
    models
}

/// A published table: by model and column.
pub type Published = BTreeMap<String, BTreeMap<String, f64>>;

/// Reads a table from `published/`.
///
/// # Panics
/// There is none of this name, or it is not one.
pub fn published(folder: &Path, file: &str) -> Published {
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

/// A hypothesis as a product of tables, and the names of its outputs.
fn components(hypothesis: &Hypothesis<'_>) -> Vec<Component> {
    let inputs = hypothesis.inputs();
    hypothesis
        .components()
        .map(|component| {
            let (mut delta, mut lambda) = (Vec::new(), Vec::new());
            for state in 0..component.states() {
                for input in (0..inputs).map(Input::new) {
                    let mut next = state;
                    lambda.push(component.step(&mut next, input));
                    delta.push(next);
                }
            }
            Component::new(inputs, component.initial(), delta, lambda)
        })
        .collect()
}

/// A shortest word on which the hypothesis is wrong.
pub fn counterexample(hypothesis: &Hypothesis<'_>, machine: &Machine) -> Option<Vec<Input>> {
    let components = components(hypothesis);
    let product = Product::new(hypothesis.inputs(), &components);
    let names: Vec<Option<usize>> = (0..hypothesis.outputs())
        .map(|output| {
            let name = hypothesis.output_name(Output::new(output));
            machine.outputs().iter().position(|known| known.as_bytes() == name)
        })
        .collect();
    separate_by(&product, machine, |own, other| {
        names[own.index() as usize] == Some(other.index() as usize)
    })
}

/// Learns a model: what it cost, or why it ended before the hypothesis was right.
///
/// With [`Tests::External`] counterexamples are shortest ones, and free; otherwise tests find them.
/// The run ends when the hypothesis is right, which is seen from outside.
///
/// # Panics
/// The session and the model do not get on.
pub fn learn(model: &Model, options: Options) -> Result<Progress, Why> {
    let mut session =
        Session::new(vec![0; 1 << 12], model.inputs(), options).expect("the options are good");
    let mut device = Simulated::new(&model.machine);
    let mut action = Action::Idle;
    loop {
        let cex;
        let reply = match action {
            Action::Reset => {
                device.reset().expect("infallible");
                Reply::Ready
            }
            Action::Input(input) => Reply::Output(device.step(input).expect("infallible")),
            Action::Hypothesis => {
                let hypothesis = session.hypothesis().expect("it was just told");
                cex = counterexample(&hypothesis, &model.machine);
                match &cex {
                    None => Reply::Equivalent,
                    Some(word) if options.tests == Tests::External => Reply::Counterexample(word),
                    Some(_) => Reply::Ready,
                }
            }
            Action::Idle => Reply::Ready,
            Action::Done(Why::Equivalent) => return Ok(session.progress()),
            Action::Done(why) => return Err(why),
        };
        action = loop {
            match session.next(0, reply) {
                Ok(action) => break action,
                Err(SessionError::Capacity(error)) => {
                    let words = 2 * error.needed / size_of::<u32>();
                    assert!(session.move_into(vec![0; words]).is_ok(), "it is larger");
                }
                Err(error) => panic!("{}: {error}", model.name),
            }
        };
    }
}

/// Perfect counterexamples.
pub fn perfect(family: Family) -> Options {
    Options { family, tests: Tests::External, ..Options::default() }
}

/// Random Wp tests until the hypothesis is right.
pub fn until_equal(seed: u64) -> Options {
    Options { seed, tests: Tests::RandomWp, tests_in_a_row: u64::MAX, ..Options::default() }
}

/// The number in the middle, the larger of two.
///
/// # Panics
/// There are no numbers.
pub fn median<T: Ord + Copy>(numbers: &mut [T]) -> T {
    numbers.sort_unstable();
    numbers[numbers.len() / 2]
}
