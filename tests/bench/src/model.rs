//! A model to learn, and where it comes from.

use std::path::{Path, PathBuf};
use std::{fs, io};

use mealybug::dot::{self, DotError};
use mealybug::machine::Machine;
use mealybug_core::Mealy;
use miette::Diagnostic;
use thiserror::Error;

use crate::origin::MeasuredModel;

/// A model and what it is called.
#[derive(Clone, Debug)]
pub struct SuiteModel {
    /// Its suite and file, such as `artificial/random-5-5-6.dot`.
    pub name: String,
    /// What it does.
    pub machine: Machine,
    /// How many states the minimal machine has.
    pub states: u32,
}

impl SuiteModel {
    /// A model of this name.
    pub fn new(name: String, machine: Machine) -> Self {
        let states = machine.minimise().states();
        Self { name, machine, states }
    }

    /// How many inputs it has.
    pub fn inputs(&self) -> u32 {
        Mealy::inputs(&self.machine)
    }

    /// How many transitions the minimal machine has.
    pub fn transitions(&self) -> u64 {
        u64::from(self.states) * u64::from(self.inputs())
    }

    /// Its name and size, to compare with those in rows.
    pub(crate) fn measured(&self) -> MeasuredModel {
        MeasuredModel { name: self.name.clone(), states: self.states }
    }

    /// The suite that it is of.
    pub fn suite(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(suite, _)| suite)
    }

    /// The file's name, without the folder.
    pub fn file(&self) -> &str {
        self.name.rsplit_once('/').map_or(&self.name, |(_, file)| file)
    }
}

/// Why a model cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum ModelError {
    /// The file cannot be read.
    #[error("cannot read the model {}: {error}", path.display())]
    #[diagnostic(help("a model is a DOT file"))]
    Io {
        /// Which file.
        path: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// It is no model, or a partial one.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Dot(#[from] Box<DotError>),
}

/// Reads the machine in a DOT file; it must answer every word.
///
/// # Errors
/// The file cannot be read, is no model, or lacks transitions.
pub(crate) fn read_machine(path: &Path) -> Result<Machine, ModelError> {
    let bytes = fs::read(path).map_err(|error| ModelError::Io { path: path.to_owned(), error })?;
    let name = path.display().to_string();
    Ok(dot::read_complete(&name, &dot::decode(&name, &bytes)?)?)
}
