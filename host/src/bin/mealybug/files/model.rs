//! A model that a file or a folder holds.

use std::path::{Path, PathBuf};

use mealybug::dot;
use mealybug::learned_components::LearnedComponents;
use mealybug::machine::{Machine, ProductError};
use mealybug::result_file;
use mealybug::run_folder::RunFolder;
use mealybug::state_names::{Naming, StateNames};
use mealybug::target::{TargetCapture, is_capture};
use mealybug_core::EndReason;
use miette::{Result, WrapErr, miette};

use crate::terminal::complain;

/// A result with more states is too large to be one machine here.
const MAX_STATES: u32 = 1_000_000;

/// What a run's folder may hold, the best first.
const OF_A_RUN: [&str; 2] = ["result.postcard", "model.dot"];

/// What is a model.
const WANTED: &str = "give a DOT file, the result.postcard of a run, or the folder of a run";

/// What was read.
pub(crate) struct Loaded {
    content: Content,
    /// Whether the run that made it converged; none if that is not known.
    pub(crate) converged: Option<bool>,
    /// What must be said wherever it is shown.
    pub(crate) note: Option<String>,
    /// What states are called.
    names: Option<StateNames>,
}

enum Content {
    Machine(Machine),
    Components(LearnedComponents),
}

/// Reads the machine in a file or in the folder of a run.
pub(crate) fn read(path: &Path) -> Result<Machine> {
    Ok(read_with_verdict(path)?.0)
}

/// The same, and whether the run that made it converged; `None` if that is not known.
pub(crate) fn read_with_verdict(path: &Path) -> Result<(Machine, Option<bool>)> {
    let loaded = Loaded::read(path)?;
    let machine = loaded.machine();
    let machine = machine.wrap_err_with(|| format!("{} cannot be used", path.display()))?;
    Ok((machine, loaded.converged))
}

/// Reads a machine that must answer every word: a partial one is refused.
pub(crate) fn read_complete(path: &Path) -> Result<Machine> {
    let machine = read(path)?;
    machine.require_complete().map_err(|error| {
        let help = "a simulated device answers every input in every state: add the transitions, or learn the device \
                    to the end, with `mealybug learn --resume` and the folder of its run";
        miette!(help = help, "{} is partial: {error}", path.display())
    })?;
    Ok(machine)
}

/// Why the folder has no model, and what to do.
fn why_without_model(path: &Path) -> String {
    let Ok(folder) = RunFolder::resume(path) else {
        return "give the folder of a run that has ended, or a DOT file".to_owned();
    };
    let why = match folder.is_going_on() {
        true => "its run is going on, and writes its model at its end".to_owned(),
        false => format!(
            "its run has not ended; to go on with it: mealybug learn --resume {}",
            path.display()
        ),
    };
    let so_far = match folder.has_hypotheses() {
        true => "; hypotheses/ has the models that it has believed so far",
        false => "",
    };
    why + so_far
}

impl Loaded {
    /// Reads a DOT file, the result of a run, or the folder of one, and the names of states beside it.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        if path.is_dir() {
            let file = OF_A_RUN.map(|name| path.join(name)).into_iter().find(|file| file.exists());
            let file = file.ok_or_else(|| {
                miette!(
                    help = why_without_model(path),
                    "{} holds neither {} nor {}",
                    path.display(),
                    OF_A_RUN[0],
                    OF_A_RUN[1]
                )
            })?;
            return Self::read(&file);
        }
        let names =
            names(path).map(|file| StateNames::load(&file)).transpose().map_err(|error| *error)?;
        Ok(Self { names: names.flatten(), ..Self::without_names(path)? })
    }

    fn without_names(path: &Path) -> Result<Self> {
        let shown = path.display();
        let bytes = std::fs::read(path)
            .map_err(|error| miette!(help = WANTED, "cannot read the model {shown}: {error}"))?;
        if result_file::is_result(&bytes) {
            return Self::of_result(&bytes).wrap_err_with(|| format!("{shown} cannot be used"));
        }
        if is_capture(&bytes) {
            let capture = TargetCapture::read(&bytes);
            return Self::of_capture(&capture).wrap_err_with(|| format!("{shown} cannot be used"));
        }
        if str::from_utf8(&bytes).is_err() && !is_dot(path, &bytes) {
            return Err(miette!(
                help = WANTED,
                "{shown} is neither a DOT file nor the result of a run"
            ));
        }
        let text = dot::decode(&shown.to_string(), &bytes).map_err(|error| *error)?;
        if is_device_file(&text) {
            return Err(miette!(
                help = format!("it belongs where a command wants DEVICE.toml; {WANTED}"),
                "{shown} is a device file, and no model"
            ));
        }
        let machine = dot::read(&shown.to_string(), &text).map_err(|error| *error)?;
        let machine = machine.with_visible_names();
        let note = dot::note(&text).map(str::to_owned);
        let failed = note.as_ref().is_some_and(|note| note.starts_with("NOT CONVERGED"));
        let converged = failed.then_some(false);
        Ok(Self { content: Content::Machine(machine), converged, note, names: None })
    }

    /// The result in what a target said, or else its last hypothesis.
    pub(crate) fn of_capture(capture: &TargetCapture) -> Result<Self> {
        match (&capture.result, &capture.hypothesis) {
            (Some(result), _) => Self::of_result(result),
            (None, Some(hypothesis)) => {
                let note = "NOT CONVERGED: a hypothesis of a target, whose result is not there";
                let note = Some(note.to_owned());
                Ok(Self { note, converged: Some(false), ..Self::of_result(hypothesis)? })
            }
            (None, None) => Err(miette!(
                help = "let the target send its result again, with `mealybug target --port`",
                "what the target said holds no whole hypothesis or result"
            )),
        }
    }

    fn of_result(bytes: &[u8]) -> Result<Self> {
        let (run, learned) = result_file::decode(bytes)?;
        let learned = learned.ok_or_else(|| {
            miette!(help = "its run ended before there was a model", "the result holds no model")
        })?;
        let converged = Some(run.end.is_some_and(EndReason::is_converged));
        let note = (converged == Some(false)).then(|| {
            let wrong = if run.is_refuted { ", and an answer contradicts it" } else { "" };
            format!("NOT CONVERGED: its run ended before it had withstood all tests{wrong}")
        });
        Ok(Self { content: Content::Components(learned), converged, note, names: None })
    }

    /// All of it as one machine with the names of its states. Says which names do not fit.
    pub(crate) fn machine(&self) -> Result<Machine> {
        Ok(with_names(self.without_state_names()?, self.names.as_ref()))
    }

    fn without_state_names(&self) -> Result<Machine> {
        let learned = match &self.content {
            Content::Machine(machine) => return Ok(machine.clone()),
            Content::Components(learned) => learned,
        };
        learned.product(MAX_STATES).map_err(|error| {
            let help = match error {
                ProductError::TooManyStates { .. } => "it can be shown and used by components only",
                ProductError::Defect { .. } => {
                    "the run ended before its components agreed; only they can be shown"
                }
            };
            let names = learned.names.join("`, `");
            miette!(help = format!("{help}; they are called `{names}`"), "{error}")
        })
    }

    /// One of its components, as a machine.
    pub(crate) fn component(&self, name: &str) -> Result<Machine> {
        let Content::Components(learned) = &self.content else {
            return Err(miette!(
                help = "give the result.postcard of a run, or its folder",
                "a DOT file is one machine and has no components"
            ));
        };
        let LearnedComponents { inputs, outputs, names, components, .. } = learned;
        let at = names.iter().position(|known| known == name).ok_or_else(|| {
            let known = names.join("`, `");
            miette!(help = format!("there are `{known}`"), "there is no component `{name}`")
        })?;
        Ok(components[at].named(inputs, outputs))
    }
}

/// The machine with these names of states besides its own. Says which names do not fit.
pub(crate) fn with_names(machine: Machine, names: Option<&StateNames>) -> Machine {
    let mut naming = Naming::new(machine);
    names.into_iter().for_each(|names| naming.give(names));
    let (machine, notes) = naming.finish();
    notes.iter().for_each(|note| complain(&format!("Note: {note}.")));
    machine
}

/// The file with the names of the states of the model in a file: `NAME.states.toml` for `NAME.dot`, and `states.toml` for
/// what a run wrote.
fn names(model: &Path) -> Option<PathBuf> {
    let of_run = OF_A_RUN.iter().any(|name| model.ends_with(name));
    let of_run = of_run.then(|| model.with_file_name("states.toml"));
    [Some(model.with_extension("states.toml")), of_run]
        .into_iter()
        .flatten()
        .find(|file| file.exists())
}

/// Whether a file holds a model, as far as its beginning tells.
pub(crate) fn is_model(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| is_graph(&bytes) || result_file::is_result(&bytes))
}

/// Whether a file is meant to be DOT, whatever its encoding: its name or its beginning says so.
fn is_dot(path: &Path, bytes: &[u8]) -> bool {
    path.extension().is_some_and(|ending| ending == "dot" || ending == "gv") || is_graph(bytes)
}

fn is_graph(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    [&b"digraph"[..], b"strict digraph"].iter().any(|head| text.starts_with(head))
}

fn is_device_file(text: &str) -> bool {
    let tables = ["inputs", "reset", "reply", "port"];
    toml_edit::Document::parse(text)
        .is_ok_and(|file| tables.iter().any(|name| file.contains_key(name)))
}

/// How the thing in a file is called: its name without the ending.
pub(crate) fn name(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
