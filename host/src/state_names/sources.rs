//! Where the names of a run's states come from.

use super::{Naming, StateNames};
use crate::machine::Machine;

/// The names that people gave to the states of a device, for each machine that is learned of it.
#[derive(Clone, Debug, Default)]
pub struct NameSources {
    files: Vec<StateNames>,
    /// Older models and what they are called.
    older: Vec<(Machine, String)>,
    notes: Vec<String>,
}

impl NameSources {
    /// Adds a file; the names of files before it count first.
    pub fn file(&mut self, names: StateNames) {
        self.files.push(names);
    }

    /// Adds an older model; its names count after those of files and of models before it.
    pub fn older(&mut self, machine: Machine, name: &str) {
        if machine.has_state_names() {
            self.older.push((machine, name.to_owned()));
        }
    }

    /// Adds a note about a file that cannot be read.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// The machine with the names that fit, and a sentence about each that does not.
    pub fn name(&self, machine: Machine) -> (Machine, Vec<String>) {
        let mut naming = Naming::new(machine);
        self.notes.iter().for_each(|note| naming.note(note.clone()));
        self.files.iter().for_each(|names| naming.give(names));
        self.older.iter().for_each(|(machine, name)| naming.carry_over(machine, name));
        naming.finish()
    }
}
