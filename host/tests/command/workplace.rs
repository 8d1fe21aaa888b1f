//! A folder in which the command is called, and the files that it leaves.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mealybug::events::Event;
use mealybug::statistics::Statistics;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tempfile::TempDir;

/// A lamp: three presses take it through its states, one long press switches it off.
pub(crate) const LAMP: &str = r#"digraph lamp {
  off -> dim [label="press / dim"];
  dim -> bright [label="press / bright"];
  bright -> off [label="press / off"];
  off -> off [label="hold / nothing"];
  dim -> off [label="hold / off"];
  bright -> off [label="hold / off"];
}
"#;

/// Six states in a ring that says `tock` once a turn; its first hypothesis has one state.
pub(crate) const CLOCK: &str = r#"digraph clock {
  0 -> 1 [label="go / tick"]; 0 -> 0 [label="back / tick"];
  1 -> 2 [label="go / tick"]; 1 -> 0 [label="back / tick"];
  2 -> 3 [label="go / tick"]; 2 -> 1 [label="back / tick"];
  3 -> 4 [label="go / tick"]; 3 -> 2 [label="back / tick"];
  4 -> 5 [label="go / tick"]; 4 -> 3 [label="back / tick"];
  5 -> 0 [label="go / tock"]; 5 -> 4 [label="back / tick"];
}
"#;

/// A lock whose code random words hardly find.
pub(crate) const LOCK: &str = r#"digraph lock {
  0 -> 1 [label="a / shut"]; 0 -> 0 [label="b / shut"]; 0 -> 0 [label="c / shut"];
  1 -> 1 [label="a / shut"]; 1 -> 2 [label="b / shut"]; 1 -> 0 [label="c / shut"];
  2 -> 1 [label="a / shut"]; 2 -> 0 [label="b / shut"]; 2 -> 3 [label="c / shut"];
  3 -> 1 [label="a / shut"]; 3 -> 0 [label="b / shut"]; 3 -> 4 [label="c / shut"];
  4 -> 1 [label="a / shut"]; 4 -> 5 [label="b / shut"]; 4 -> 0 [label="c / shut"];
  5 -> 0 [label="a / open"]; 5 -> 0 [label="b / shut"]; 5 -> 0 [label="c / shut"];
}
"#;

/// The user's data folder in a workplace.
pub(crate) const DATA: &str = ".data";

/// A new folder in which the command is called.
pub(crate) struct Workplace(TempDir);

/// How the command ended.
pub(crate) struct Called {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workplace {
    /// A folder with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        Self(folder)
    }

    /// The path of a file or folder in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The command, to be called in it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(crate::PROGRAM);
        // Messages are 200 columns wide and without colours.
        command.args(arguments).env("COLUMNS", "200").env("NO_COLOR", "1");
        command.env_remove("MEALYBUG_PORT").current_dir(self.0.path());
        command.env("XDG_DATA_HOME", self.path(DATA));
        command
    }

    /// Calls the command.
    pub(crate) fn call(&self, arguments: &[&str]) -> Called {
        self.command(arguments).output().expect("it starts").into()
    }

    /// The statistics of a run; they must have exactly the fields of their type.
    pub(crate) fn statistics(&self, run: &str) -> Value {
        let path = self.path(run).join("statistics.json");
        let text = std::fs::read_to_string(path).expect("there are statistics");
        read_as::<Statistics>(&text)
    }

    /// All files of a run, by their names.
    pub(crate) fn files(&self, run: &str) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        collect(&self.path(run), Path::new(""), &mut files);
        files
    }
}

/// A simulated device and its port. Dropping it ends the device.
pub(crate) struct SimulatedPort {
    child: Child,
    pub(crate) port: String,
}

impl SimulatedPort {
    /// Starts a device with these arguments of `mealybug simulate`.
    pub(crate) fn start(place: &Workplace, arguments: &[&str]) -> Self {
        let mut command = place.command(&[&["simulate"], arguments].concat());
        let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let stdout = child.stdout.take().expect("a pipe");
        let port = BufReader::new(stdout).lines().next().expect("the port").expect("a line");
        Self { child, port }
    }
}

impl Drop for SimulatedPort {
    fn drop(&mut self) {
        // This fails when the command has ended already.
        let _ = kill_process(Pid::from_child(&self.child), Signal::INT);
        let _ = self.child.wait();
    }
}

/// Waits until a file has at least this length, or the command that writes it has ended.
pub(crate) fn wait_for_length(file: &Path, bytes: u64, writer: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while length(file) < bytes && writer.try_wait().expect("it is ours").is_none() {
        assert!(Instant::now() < deadline, "{} has {} bytes", file.display(), length(file));
        thread::sleep(Duration::from_millis(1));
    }
}

/// Kills the command that writes a file, `pause_ms` after it has written `more` bytes.
pub(crate) fn kill_while_writing(file: &Path, more: u64, pause_ms: u64, writer: &mut Child) {
    wait_for_length(file, length(file) + more, writer);
    thread::sleep(Duration::from_millis(pause_ms));
    writer.kill().expect("it is ours");
}

/// The length of a file; 0 if it does not exist.
pub(crate) fn length(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |file| file.len())
}

fn collect(folder: &Path, inside: &Path, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder.join(inside)).expect("a folder") {
        let name = inside.join(entry.expect("an entry").file_name());
        let path = folder.join(&name);
        if path.is_dir() {
            collect(folder, &name, files);
        } else {
            let bytes = std::fs::read(path).expect("a file");
            let text = String::from_utf8_lossy(&bytes).into_owned();
            files.insert(name.to_string_lossy().into_owned(), text);
        }
    }
}

impl From<Output> for Called {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }
}

/// Reads JSON that must have exactly the fields of this type.
fn read_as<T: Serialize + DeserializeOwned>(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let typed = T::deserialize(&value).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(serde_json::to_value(typed).expect("JSON"), value);
    value
}

impl Called {
    /// The events on standard output, which has nothing else.
    pub(crate) fn events(&self) -> Vec<Value> {
        self.stdout.lines().map(read_as::<Event>).collect()
    }

    /// Asserts that the command ended with this code; shows its output if not.
    pub(crate) fn ended(self, code: i32) -> Self {
        let Self { stdout, stderr, .. } = &self;
        assert_eq!(self.code, Some(code), "stdout:\n{stdout}\nstderr:\n{stderr}");
        self
    }

    /// Asserts that standard error contains all parts; line breaks do not matter.
    pub(crate) fn complains(&self, parts: &[&str]) {
        let words = |text: &str| {
            let text = text.replace(['│', '╰', '─', '▶', '×'], " ");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let said = words(&self.stderr);
        for part in parts {
            assert!(said.contains(&words(part)), "`{part}` is not in:\n{}", self.stderr);
        }
    }
}
