//! The commands `mealybug` and `mealybug-bench`, as a user runs them.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The command `mealybug`, built from the current sources.
///
/// # Panics
/// It does not build.
pub fn mealybug() -> Command {
    let mut command = Command::new(built().join("mealybug"));
    // What the user of this machine trusts must make no difference, and stays as it is. Nor must what an earlier run of the tests has
    // seen of devices.
    let data = format!("mealybug-test-data/{}", std::process::id());
    command.env("XDG_DATA_HOME", built().join(data));
    command
}

/// The command `mealybug-bench`, built from the current sources.
///
/// # Panics
/// It does not build.
pub fn mealybug_bench() -> Command {
    Command::new(built().join("mealybug-bench"))
}

/// The folder of the commands. Cargo gives a test the path of a binary only within one package, and
/// might leave an old binary in place. So this function builds the commands, which takes no time
/// when they are up to date.
fn built() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| build().expect("the commands build"))
}

fn build() -> io::Result<PathBuf> {
    // Build the whole workspace with an example of this package, which needs the same dev-dependencies as the tests.
    // Otherwise some dependencies have fewer features, or are needed by macros alone, and cargo builds them and their
    // dependents a second time.
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--bins", "--example", "device"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()?;
    if !built.success() {
        return Err(io::Error::other(format!("cargo build: {built}")));
    }
    // This test is target/debug/deps/NAME-HASH, a command is target/debug/NAME.
    let test = std::env::current_exe()?;
    let folder = test.parent().and_then(|deps| deps.parent());
    folder.map(Path::to_owned).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Runs a command, which must succeed.
///
/// # Panics
/// It fails; the message shows its standard error.
pub fn succeed(command: &mut Command) -> Output {
    let ended = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{command:?}: {}: {said}", ended.status);
    ended
}

/// What an error says, without the marks and line breaks that fit it to a terminal.
pub fn unwrapped(said: &str) -> String {
    let words = said.split_whitespace().filter(|word| !matches!(*word, "│" | "×" | "╰─▶" | "├─▶"));
    words.collect::<Vec<_>>().join(" ")
}

/// How long a running command may print nothing that a test waits for.
const PATIENCE: Duration = Duration::from_secs(300);

/// A running command and its standard error. Dropping it kills it.
#[derive(Debug)]
pub struct Running {
    command: Child,
    /// What it prints, line by line.
    said: Receiver<String>,
}

impl Running {
    /// Starts a command and waits until it prints `text`.
    ///
    /// # Panics
    /// It does not start, or ends before that, or takes too long.
    pub fn until(command: &mut Command, text: &str) -> Self {
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut command = command.spawn().expect("it starts");
        let printed = BufReader::new(command.stderr.take().expect("it is piped"));
        let (sender, said) = mpsc::channel();
        thread::spawn(move || {
            // Nobody listens any more once the test has killed it.
            printed.lines().map_while(Result::ok).try_for_each(|line| sender.send(line + "\n"))
        });
        let running = Self { command, said };
        running.wait_for(text);
        running
    }

    /// Waits until it prints `text`; returns what it printed until then.
    ///
    /// # Panics
    /// It ends before that, or takes too long.
    pub fn wait_for(&self, text: &str) -> String {
        let mut before = String::new();
        loop {
            let line = self.line().unwrap_or_else(|| panic!("it ended before {text:?}: {before}"));
            before.push_str(&line);
            if line.contains(text) {
                return before;
            }
        }
    }

    /// The next line of standard error; `None` at its end.
    fn line(&self) -> Option<String> {
        match self.said.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("it printed nothing for {PATIENCE:?}"),
        }
    }

    /// Interrupts it, as Ctrl-C does.
    ///
    /// # Panics
    /// It has ended.
    pub fn interrupt(&self) {
        self.send(Signal::INT);
    }

    /// Sends it a signal.
    ///
    /// # Panics
    /// It has ended.
    pub fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.command), signal).expect("it runs");
    }

    /// Kills it, as a machine does that loses its power.
    ///
    /// # Panics
    /// It has ended.
    pub fn kill(mut self) {
        self.command.kill().expect("it runs");
        self.command.wait().expect("it was started");
    }

    /// Waits for the end; returns the status and the rest of standard error.
    ///
    /// # Panics
    /// It takes too long.
    pub fn end(mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + PATIENCE;
        let mut said = String::new();
        while let Some(line) = self.line() {
            said += &line;
            assert!(Instant::now() < deadline, "it goes on: {said}");
        }
        (self.command.wait().expect("it was started").code(), said)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended, or a test has failed.
        let _ = self.command.kill();
        let _ = self.command.wait();
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_starts() {
        assert!(super::mealybug().arg("--version").status().unwrap().success());
    }
}
