//! Complete runs of the `mealybug` command.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Command;

use mealybug::machine::{Machine, separate};
use mealybug::{dot, result_file};
use serde_json::Value;
use tempfile::TempDir;

use crate::{device_file, golden, model, tool};

/// The command that learns the device at `port` with the device file in `tests/devices/NAME`.
///
/// It uses OL*: the first hypothesis of OL* has enough states for the smallest suites, which even
/// slow devices can afford.
pub fn learn(name: &str, port: &Path) -> Command {
    let mut command = tool::mealybug();
    command.args(["learn", "--trust", "--algorithm", "ol-star", "--port"]).arg(port);
    command.arg(device_file(name).join("device.toml"));
    command
}

/// The command that lets a target at `port` learn and writes the results into the folder `out`.
pub fn target(port: &Path, out: &Path) -> Command {
    let mut command = tool::mealybug();
    command.args(["target", "--port"]).arg(port).arg("--out").arg(out);
    command
}

/// Runs a command that [learns](learn), and compares the result with the golden model
/// `tests/devices/NAME/golden.dot`. Prints the cost.
///
/// # Errors
/// The command failed, did not converge, or learned another model.
///
/// # Panics
/// The command succeeded but wrote no statistics or no model.
pub fn equals_golden(name: &str, command: &mut Command) -> io::Result<()> {
    let folder = TempDir::new()?;
    let out = folder.path().join("out");
    let ended = command.args([OsStr::new("--out"), out.as_os_str()]).output()?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        return Err(io::Error::other(format!("{command:?}: {}: {said}", ended.status)));
    }
    let statistics = statistics(&out);
    println!(
        "{name}: learned {} states, {} resets, {} symbols, {} retries, {:.1} s",
        statistics["states"],
        statistics["device"]["resets"],
        statistics["device"]["symbols"],
        statistics["retries"],
        statistics["seconds"].as_f64().unwrap_or_default(),
    );
    if statistics["converged"] != true {
        return Err(io::Error::other(format!("{name}: not converged: {statistics:#}")));
    }
    let departs = departs(&golden(&format!("{name}/golden.dot")), &out);
    departs.map_or(Ok(()), |how| Err(io::Error::other(format!("{name}: {how}"))))
}

/// Asserts that the model in this folder is the golden model `tests/devices/NAME/golden.dot`.
///
/// # Panics
/// It is another model.
pub fn assert_golden(name: &str, out: &Path) {
    assert_learned(&golden(&format!("{name}/golden.dot")), out);
}

/// Asserts that the model in this folder is `expected`.
///
/// # Panics
/// It is another model.
pub fn assert_learned(expected: &Machine, out: &Path) {
    if let Some(how) = departs(expected, out) {
        panic!("{how}");
    }
}

/// How the models in this folder differ from `expected`; `None` if they do not.
fn departs(expected: &Machine, out: &Path) -> Option<String> {
    let drawn = model(&out.join("model.dot"));
    let result = std::fs::read(out.join("result.postcard")).expect("it is written");
    let (_, learned) = result_file::decode(&result).expect("a result");
    let learned =
        learned.map(|learned| learned.product(drawn.states()).expect("that of model.dot"));
    [drawn].into_iter().chain(learned).find_map(|model| differs(expected, &model))
}

/// How a model differs from `expected`; `None` if it does not.
fn differs(expected: &Machine, learned: &Machine) -> Option<String> {
    let word = match separate(expected, learned) {
        Ok(word) => word?,
        Err(error) => return Some(error.to_string()),
    };
    let word: Vec<_> = word.iter().map(|&input| expected.input_name(input)).collect();
    Some(format!("{} is answered otherwise in {}", word.join(", "), dot::write(learned)))
}

/// The statistics of a run.
///
/// # Panics
/// The folder has none.
pub fn statistics(out: &Path) -> Value {
    let text = std::fs::read_to_string(out.join("statistics.json")).expect("it is written");
    serde_json::from_str(&text).expect("JSON")
}
