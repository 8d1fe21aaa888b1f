//! The `mealybug` command, as a user runs it.

use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, kill_process};

/// The command, built from the sources as they are now.
///
/// Cargo hands a test the path of a binary only within one package, and would leave an older one
/// where it is; so this builds it, which takes no time when it is up to date.
///
/// # Panics
/// When it does not build.
pub fn mealybug() -> Command {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    Command::new(BUILT.get_or_init(|| build().expect("mealybug builds")))
}

fn build() -> io::Result<PathBuf> {
    // Of the whole workspace and with an example, which needs dev-dependencies, as tests do: otherwise
    // some dependencies have fewer features, and cargo builds all that needs them a second time.
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--bin", "mealybug", "--example", "closure"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()?;
    if !built.success() {
        return Err(io::Error::other(format!("cargo build: {built}")));
    }
    // This test is target/debug/deps/NAME-HASH, the command target/debug/mealybug.
    let test = std::env::current_exe()?;
    let folder = test.parent().and_then(|deps| deps.parent());
    folder.map(|folder| folder.join("mealybug")).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Runs a command to its end, which must be a good one.
///
/// # Panics
/// It is not, and shows what the command said.
pub fn succeed(command: &mut Command) -> Output {
    let ended = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{command:?}: {}: {said}", ended.status);
    ended
}

/// The command while it runs, and what it says on standard error.
#[derive(Debug)]
pub struct Running {
    command: Child,
    said: BufReader<ChildStderr>,
}

impl Running {
    /// Starts a command, and waits until it says this.
    ///
    /// # Panics
    /// It does not start, or ends before that.
    pub fn until(command: &mut Command, text: &str) -> Self {
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut command = command.spawn().expect("it starts");
        let mut said = BufReader::new(command.stderr.take().expect("it is piped"));
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert_ne!(said.read_line(&mut line).expect("text"), 0, "it ended before {text:?}");
        }
        Self { command, said }
    }

    /// Interrupts it, as Ctrl-C does.
    ///
    /// # Panics
    /// It has ended.
    pub fn interrupt(&self) {
        kill_process(Pid::from_child(&self.command), Signal::INT).expect("it runs");
    }

    /// Waits for its end: its status, and what else it said.
    ///
    /// # Panics
    /// It does not say text.
    pub fn end(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.said.read_to_string(&mut said).expect("text");
        (self.command.wait().expect("it was started").code(), said)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_starts() {
        assert!(super::mealybug().arg("--version").status().unwrap().success());
    }
}
