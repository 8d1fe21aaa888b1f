//! Learning a real device with the `mealybug` command, to the end.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Command;

use mealybug::machine::separate;
use serde_json::Value;
use tempfile::TempDir;

use crate::{device_file, golden, model, tool};

/// The command that learns the device at `port` by the device file in `tests/devices/NAME`.
pub fn learn(name: &str, port: &Path) -> Command {
    let mut command = tool::mealybug();
    command.args(["learn", "--port"]).arg(port);
    command.arg(device_file(name).join("device.toml"));
    command
}

/// Runs such a command, and compares what was learned with the golden model
/// `tests/devices/NAME/golden.dot`. What it cost is printed.
///
/// # Errors
/// The command failed, did not converge, or what it learned is not the golden model.
pub fn equals_golden(name: &str, command: &mut Command) -> io::Result<()> {
    let folder = TempDir::new()?;
    let out = folder.path().join("out");
    let ended = command.args([OsStr::new("--out"), out.as_os_str()]).output()?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        return Err(io::Error::other(format!("{command:?}: {}: {said}", ended.status)));
    }
    let statistics = std::fs::read_to_string(out.join("statistics.json"))?;
    let statistics: Value = serde_json::from_str(&statistics)?;
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
    let golden = golden(&format!("{name}/golden.dot"));
    let learned = model(&out.join("model.dot"));
    let Some(word) = separate(&golden, &learned).map_err(io::Error::other)? else { return Ok(()) };
    let word: Vec<_> = word.iter().map(|&input| golden.input_name(input)).collect();
    Err(io::Error::other(format!("{name}: the golden model answers {} otherwise", word.join(", "))))
}
