//! Files that users write.

use std::path::Path;

use mealybug::device::DeviceFile;
use mealybug::dot;
use mealybug::machine::separate;
use mealybug::target::{Program, output_name};
use mealybug_core::wire::rule::Rule;

/// A device file has a meaning or an error, for the host and for a target.
///
/// # Panics
/// It has neither.
pub fn device_file(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match DeviceFile::parse(Path::new("fuzzed.toml"), &text) {
        Ok(device) => {
            if let Ok(program) = Program::new(&device) {
                let inputs = program.rules().filter(|rule| matches!(rule, Rule::Input { .. }));
                assert_eq!(inputs.count(), device.inputs.len());
            }
            let _ = output_name(&device, data);
        }
        // The lines that an error shows must be in the text.
        Err(error) => drop(format!("{:?}", miette(error))),
    }
}

fn miette(error: impl miette::Diagnostic + Send + Sync + 'static) -> miette::Report {
    miette::Report::new(error)
}

/// A model in DOT that can be read is written so that it reads the same again.
///
/// # Panics
/// It does not.
pub fn model(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match dot::read("fuzzed.dot", &text) {
        Ok(machine) => {
            let again = dot::read("written.dot", &dot::write(&machine));
            let again = again.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(separate(&machine, &again), Ok(None));
            assert_eq!(machine.minimise().gaps(), again.minimise().gaps());
        }
        Err(error) => drop(format!("{:?}", miette(*error))),
    }
}
