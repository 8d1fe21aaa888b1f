//! Models to learn, and the suites that they come from.

use mealybug_core::Mealy;

use crate::machine::Machine;

/// A model and what it is called.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its suite and file, such as `artificial/random-5-5-6.dot`.
    pub name: String,
    /// What it does.
    pub machine: Machine,
    /// How many states the minimal machine has.
    pub states: u32,
}

impl Model {
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

    /// The suite that it is of.
    pub fn suite(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(suite, _)| suite)
    }

    /// The file's name, without the folder.
    pub fn file(&self) -> &str {
        self.name.rsplit_once('/').map_or(&self.name, |(_, file)| file)
    }
}
