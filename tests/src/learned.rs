//! Learning with the `mealybug` command, to the end.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Command;

use mealybug::dot;
use mealybug::machine::{Machine, separate};
use serde_json::Value;
use tempfile::TempDir;

use crate::{device_file, golden, model, tool};

/// The command that learns the device at `port` by the device file in `tests/devices/NAME`.
///
/// With OL*: its first hypothesis has enough states for the smallest suites, which slow devices can afford.
pub fn learn(name: &str, port: &Path) -> Command {
    let mut command = tool::mealybug();
    command.args(["learn", "--algorithm", "ol-star", "--port"]).arg(port);
    command.arg(device_file(name).join("device.toml"));
    command
}

/// The command that has a target at `port` learn, with the results in the folder `out`.
pub fn target(port: &Path, out: &Path) -> Command {
    let mut command = tool::mealybug();
    command.args(["target", "--port"]).arg(port).arg("--out").arg(out);
    command
}

/// Runs a command that [learns](learn), and compares what was learned with the golden model
/// `tests/devices/NAME/golden.dot`. What it cost is printed.
///
/// # Errors
/// The command failed, did not converge, or what it learned is not the golden model.
///
/// # Panics
/// The command succeeded and left no statistics or no model.
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

/// What was learned into this folder must be the golden model `tests/devices/NAME/golden.dot`.
///
/// # Panics
/// It is not.
pub fn assert_golden(name: &str, out: &Path) {
    assert_learned(&golden(&format!("{name}/golden.dot")), out);
}

/// What was learned into this folder must be this model.
///
/// # Panics
/// It is not.
pub fn assert_learned(expected: &Machine, out: &Path) {
    if let Some(how) = departs(expected, out) {
        panic!("{how}");
    }
}

/// How what was learned into this folder departs from a model, if it does.
fn departs(expected: &Machine, out: &Path) -> Option<String> {
    let learned = model(&out.join("model.dot"));
    let word = match separate(expected, &learned) {
        Ok(word) => word?,
        Err(error) => return Some(error.to_string()),
    };
    let word: Vec<_> = word.iter().map(|&input| expected.input_name(input)).collect();
    Some(format!("{} is answered otherwise in {}", word.join(", "), dot::write(&learned)))
}

/// The statistics of a run.
///
/// # Panics
/// It has left none in this folder.
pub fn statistics(out: &Path) -> Value {
    let text = std::fs::read_to_string(out.join("statistics.json")).expect("it is written");
    serde_json::from_str(&text).expect("JSON")
}
