//! Real boards with real devices: what `tests/run hardware` does. `docs/hardware.md` describes the file that lists them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use std::{fs, io};

use serde::Deserialize;

use crate::{device_file, tool};

/// Where Linux names serial ports by what is plugged in.
const BY_ID: &str = "/dev/serial/by-id";

/// How long a board may take to appear at its port after it was flashed.
const PATIENCE: Duration = Duration::from_secs(10);

/// The boards that somebody has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HardwareFile {
    board: Vec<WiredBoard>,
}

/// A board, and the device that is wired to it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WiredBoard {
    /// Its folder in `firmware/`.
    pub board: String,
    /// The program on it.
    pub program: Program,
    /// The chip, as probe-rs calls it.
    pub chip: String,
    /// The probe, as `probe-rs list` prints it; the only one if missing.
    #[serde(default)]
    pub probe: Option<String>,
    /// The host's port: its name in `/dev/serial/by-id`, or all that `--port` takes.
    pub serial: String,
    /// The device: a folder with `device.toml` and `golden.dot`, in `tests/devices/` or anywhere else.
    pub device: PathBuf,
}

/// A program for boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Program {
    /// It learns.
    Learner,
    /// It asks the words of a learner on the host.
    Agent,
}

/// Reads the file that lists the boards.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(path: &Path) -> Result<Vec<WiredBoard>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let boards = toml_edit::de::from_str::<HardwareFile>(&text);
    let boards = boards.map_err(|error| format!("{}: {error}", path.display()))?.board;
    if boards.is_empty() {
        Err(format!("{}: it lists no board", path.display()))
    } else {
        Ok(boards)
    }
}

/// Flashes a board with its program in the folder `images`, learns its device and compares the model with the device's
/// `golden.dot`. The run is kept in `out`. `probe_rs` is the program that flashes.
///
/// # Errors
/// The step that failed, what the program said that failed, and what to do.
pub fn check(board: &WiredBoard, probe_rs: &Path, images: &Path, out: &Path) -> Result<(), String> {
    let (name, chip) = (&board.board, &board.chip);
    let kind = match board.program {
        Program::Learner => "learner",
        Program::Agent => "agent",
    };
    let image = images.join(format!("{name}-{kind}.elf"));
    if !image.exists() {
        return Err(format!("there is no {}: dist/firmware {name}", image.display()));
    }
    let flash = |verb: &str, rest: &[&OsString]| {
        let mut command = Command::new(probe_rs);
        command.arg(verb).args(["--chip", chip]);
        command.args(board.probe.iter().flat_map(|probe| ["--probe", probe])).args(rest);
        run(
            &mut command,
            "is probe-rs installed, and the probe plugged in? `probe-rs list` shows it",
        )
    };
    flash("download", &[&image.into_os_string()])?;
    flash("reset", &[])?;

    let port = port(&board.serial)?;
    let device = device_file("").join(&board.device);
    let mut learn = tool::mealybug();
    learn.args(match board.program {
        Program::Learner => &["target", "--again"][..],
        Program::Agent => &["learn", "--trust", "--agent", "--algorithm", "ol-star"],
    });
    learn.arg("--port").arg(port).arg(device.join("device.toml")).arg("--out").arg(out);
    run(&mut learn, "are the wires where firmware/README.md says?")?;
    let mut diff = tool::mealybug();
    diff.arg("diff").arg(device.join("golden.dot")).arg(out);
    run(&mut diff, "the device is another one, or a wire is loose: docs/troubleshooting.md")
}

/// The port that is called so, once it is there.
fn port(serial: &str) -> Result<OsString, String> {
    if serial.contains(['/', ':']) {
        return Ok(serial.into());
    }
    let (path, until) = (Path::new(BY_ID).join(serial), Instant::now() + PATIENCE);
    while !path.exists() {
        if Instant::now() > until {
            let there = ports().unwrap_or_default().join(", ");
            return Err(format!("{BY_ID} has no {serial}, but: {there}"));
        }
        thread::sleep(Duration::from_millis(100));
    }
    Ok(path.into())
}

fn ports() -> io::Result<Vec<String>> {
    fs::read_dir(BY_ID)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

/// Runs a command, which must succeed.
fn run(command: &mut Command, advice: &str) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let ended = command.output().map_err(|error| format!("{program}: {error}; {advice}"))?;
    if ended.status.success() {
        return Ok(());
    }
    let said = [ended.stdout, ended.stderr].concat();
    Err(format!(
        "{command:?}: {}\n{}\n{advice}",
        ended.status,
        String::from_utf8_lossy(&said).trim()
    ))
}
