//! A device against its golden model, in a test of one's own.

use std::env;
use std::error::Error;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use mealybug_core::Sul;

use super::comparison::GoldenComparison;
use super::device::Device;
use super::error::LearnError;
use super::mismatch::{Mismatch, ShownDifference};
use super::options::LearnOptions;
use super::run::learn_compared;
use crate::dot;
use crate::machine::{Machine, differences};
use crate::replaced_file::{can_be_written, replace};
use crate::state_names::{Naming, StateNames};
use crate::statistics::number;

/// A test that sets no limit gives up after this time.
const PATIENCE: Duration = Duration::from_secs(60);

/// Learns a device and fails unless its golden model says the same.
///
/// ```no_run
/// # use mealybug::Device;
/// # #[derive(Clone, Debug)] enum Key { One, Two, Enter }
/// # struct Lock;
/// # impl Lock { fn new() -> Self { Self } fn press(&mut self, key: Key) -> bool { false } }
/// # use Key::{Enter, One, Two};
/// #[test]
/// # fn hidden() {}
/// fn the_lock_does_what_its_model_says() {
///     let device = Device::from_fn([One, Two, Enter], Lock::new, Lock::press);
///     mealybug::assert_model!("tests/models/lock.dot", device);
/// }
/// ```
///
/// The path of the model, a DOT file, is relative to the package's `Cargo.toml`. A third argument, the
/// [`LearnOptions`](crate::LearnOptions), is optional.
///
/// **To write the model**, once or after an intended change: `MEALYBUG_UPDATE=1 cargo test`. Review it as
/// you review code; it says what the device does, right or wrong. A model that says the same as the device
/// is not touched, so a file may be written by hand. Where `CI` is set nothing is written, and a test that
/// would write fails.
///
/// **It fails** with a shortest word on which the device differs from the model. The device was asked that
/// word. It fails as well if
/// - there is no model, or it is not a model, or it has other inputs than the device;
/// - the device failed or contradicted itself;
/// - the result is not sure: a limit of the options ended the run. Without limits in the options that is a
///   minute.
///
/// **It passes** if no word tells device and model apart, as far as is known: the device was asked wherever the
/// two seemed to differ, then tests searched for more until the estimated chance that something is hidden
/// is at most 1 in 20, or as small as [`LearnOptions::confidence`](crate::LearnOptions::confidence) says.
/// The same words are asked on each run. What a partial model leaves out is not compared.
///
/// # Panics
/// If the test fails.
#[macro_export]
macro_rules! assert_model {
    ($path:expr, $device:expr $(,)?) => {
        $crate::assert_model!($path, $device, $crate::LearnOptions::new())
    };
    ($path:expr, $device:expr, $options:expr $(,)?) => {
        $crate::assert_model_in(::core::env!("CARGO_MANIFEST_DIR"), $path, $device, $options)
    };
}

/// What [`assert_model!`](crate::assert_model) calls, with the folder of the package.
///
/// # Panics
/// If the test fails.
#[doc(hidden)]
#[track_caller]
pub fn assert_model_in<S: Sul<Error: Error + 'static>>(
    folder: &str,
    path: impl AsRef<Path>,
    device: Device<S>,
    options: LearnOptions,
) {
    let is_set = |name| env::var_os(name).is_some_and(|value| is_yes(&value.to_string_lossy()));
    let update = match (is_set("MEALYBUG_UPDATE"), is_set("CI")) {
        (false, _) => Update::No,
        (true, false) => Update::Yes,
        (true, true) => Update::Refused,
    };
    let golden = GoldenFile { folder: Path::new(folder), path: path.as_ref() };
    if let Err(mismatch) = golden.check(device, options, update) {
        panic!("{mismatch}");
    }
}

/// Whether the value of a variable switches something on.
fn is_yes(value: &str) -> bool {
    !matches!(value, "" | "0" | "false" | "no")
}

/// Whether to write the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Update {
    No,
    Yes,
    /// It is asked for where it must not be.
    Refused,
}

/// The file of a golden model.
#[derive(Clone, Copy, Debug)]
struct GoldenFile<'a> {
    folder: &'a Path,
    /// From the folder, as the user wrote it.
    path: &'a Path,
}

impl GoldenFile<'_> {
    fn check<S: Sul<Error: Error + 'static>>(
        self,
        device: Device<S>,
        mut options: LearnOptions,
        update: Update,
    ) -> Result<(), Mismatch<S::Error>> {
        let path = || self.path.display().to_string();
        let golden = self.read()?;
        match (&golden, update) {
            (None, Update::No) => return Err(Mismatch::NoModel { path: path() }),
            (None, Update::Refused) => return Err(Mismatch::UpdateInCi { path: path() }),
            _ => options.like.extend(golden.clone()),
        }
        if options.max_time.is_none() && options.max_symbols.is_none() {
            options = options.max_time(PATIENCE);
        }
        let inputs = device.inputs.clone();
        let comparison = golden.as_ref().map(|golden| GoldenComparison::new(golden, &inputs));
        let learned = match learn_compared(device, &options, comparison) {
            Ok(learned) => learned,
            Err(LearnError::NotConverged { reason, learned }) => {
                let difference = golden.zip(learned).and_then(|(golden, learned)| {
                    let found = differences(&golden, learned.model(), 1).places.pop()?;
                    learned.has_said(&found.word).then(|| ShownDifference::new(&golden, found))
                });
                return Err(Mismatch::NotSure { path: path(), reason, difference });
            }
            Err(error) => return Err(Mismatch::NotLearned { path: path(), error }),
        };
        learned.statistics().warnings.iter().for_each(|warning| eprintln!("Note: {warning}"));
        let model = learned.model();
        let Some(golden) = golden else { return self.write(model) };
        let found = differences(&golden, model, 1);
        match update {
            _ if found.is_empty() => Ok(()),
            Update::Yes => self.write(model),
            Update::No | Update::Refused
                if let Some(cut) = found.cut.filter(|_| found.is_undecided()) =>
            {
                Err(Mismatch::NotCompared { path: path(), cut })
            }
            Update::Refused => Err(Mismatch::UpdateInCi { path: path() }),
            Update::No => Err(Mismatch::new(path(), &golden, model, found)),
        }
    }

    /// The model; `None` if there is no file.
    fn read<E: Error>(self) -> Result<Option<Machine>, Mismatch<E>> {
        let path = self.path.display().to_string();
        match fs::read_to_string(self.folder.join(self.path)) {
            Ok(text) => match dot::read(&path, &text) {
                Ok(machine) => Ok(Some(self.named(machine.with_visible_names()).minimise())),
                Err(error) => Err(Mismatch::not_a_model(path, &text, &error)),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Mismatch::File { path, error }),
        }
    }

    /// The model with the names of its states, if there is a file of names beside it. What is wrong there fails no test.
    fn named(self, machine: Machine) -> Machine {
        let mut naming = Naming::new(machine);
        match StateNames::load(&self.folder.join(self.path).with_extension("states.toml")) {
            Ok(names) => names.iter().for_each(|names| naming.give(names)),
            Err(error) => naming.note(error.note()),
        }
        let (machine, notes) = naming.finish();
        notes.iter().for_each(|note| eprintln!("{note}"));
        machine
    }

    fn write<E: Error>(self, model: &Machine) -> Result<(), Mismatch<E>> {
        let path = self.path.display().to_string();
        let file = self.folder.join(self.path);
        let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
        let text = dot::write(model);
        let written = folder
            .and_then(|()| can_be_written(&file))
            .and_then(|()| replace(&file, text.as_bytes()));
        match written {
            Ok(()) => eprintln!("{path} is written, {} states", number(model.states())),
            Err(error) => return Err(Mismatch::File { path, error }),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
