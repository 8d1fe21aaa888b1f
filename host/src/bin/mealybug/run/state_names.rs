//! What people call the states of the device of a run.

use mealybug::advice::OlderModel;
use mealybug::run_folder::RunFolder;
use mealybug::state_names::NameSources;

use crate::endpoint::Subject;

/// The names that the states have in the folder, if the user wrote them there; then those of the device file, of the model that
/// is simulated, and of older models.
pub(crate) fn of(subject: Subject<'_>, folder: &RunFolder) -> NameSources {
    let mut names = NameSources::default();
    match folder.read_state_names() {
        Ok(file) => file.into_iter().for_each(|file| names.file(file)),
        Err(error) => names.note(error.note()),
    }
    names.file(subject.states.clone());
    if let Some(simulated) = subject.model {
        names.older(simulated.clone(), subject.name);
    }
    // They could be read when the run began.
    for OlderModel { name, machine } in folder.read_older().unwrap_or_default() {
        names.older(machine, &name);
    }
    names
}
