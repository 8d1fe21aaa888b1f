//! What a device file reaches beyond the bytes that pass over its port.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use super::error::DeviceFileError;
use super::step::DeviceStep;
use super::{DeviceFile, ShellCommand, folder_of, read};

/// What a device file would run, read and open. Somebody who did not write the file wants to know it
/// before it is used.
///
/// ```
/// # use std::path::Path;
/// use mealybug::device::Demands;
///
/// let text = r#"
///     [port]
///     path = "/dev/ttyUSB0"
///     [[reset]]
///     steps = [{ run = "power-cycle 3" }]
///     [inputs]
///     page = { file = "page.bin" }
/// "#;
/// let demands = Demands::of(Path::new("boards/lock.toml"), text)?;
/// assert_eq!(demands.commands[0].command, "power-cycle 3");
/// assert_eq!(demands.files, [Path::new("boards/page.bin")]);
/// assert_eq!(demands.port.as_deref(), Some("/dev/ttyUSB0"));
/// # Ok::<(), mealybug::device::DeviceFileError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// The shell commands of its steps, each once.
    pub commands: Vec<ShellCommand>,
    /// The files whose bytes it sends, each once.
    pub files: Vec<PathBuf>,
    /// The port that it names.
    pub port: Option<String>,
}

impl Demands {
    /// Reads `text` as the device file at `path`, as [`DeviceFile::parse`] does, but reads no other file.
    ///
    /// # Errors
    /// The text contains an error.
    pub fn of(path: &Path, text: &str) -> Result<Self, DeviceFileError> {
        let files = RefCell::new(Vec::new());
        let note = |file: &Path| {
            push_new(&mut files.borrow_mut(), file.to_owned());
            // Inputs that send different files are different. No text in a device file is like this.
            Ok([b"\0file ", file.as_os_str().as_encoded_bytes()].concat())
        };
        let device =
            read(text, folder_of(path), &note).map_err(|fault| fault.in_file(path, text))?;
        let commands = commands(&device);
        Ok(Self { commands, files: files.into_inner(), port: device.port.path })
    }
}

fn commands(device: &DeviceFile) -> Vec<ShellCommand> {
    let resets = device.resets.iter().flat_map(|method| &method.steps);
    let inputs = device.inputs.iter().flat_map(|input| &input.steps);
    let mut commands = Vec::new();
    for step in resets.chain(inputs) {
        if let DeviceStep::Run(command) = step {
            push_new(&mut commands, command.clone());
        }
    }
    commands
}

fn push_new<T: PartialEq>(all: &mut Vec<T>, item: T) {
    if !all.contains(&item) {
        all.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_file_can_reach_is_listed_and_nothing_is_read() {
        let text = r#"
            [[reset]]
            steps = [{ send = "reset" }, { run = "one" }]
            [[reset]]
            steps = [{ run = "one" }, { file = "firmware.bin" }]
            [inputs]
            run = "file"
            two = { run = "two", within_ms = 5 }
            page = { file = "/etc/shadow" }
            pages = { steps = [{ file = "../a" }, { run = "three" }, { file = "firmware.bin" }] }
        "#;
        let demands = Demands::of(Path::new("there/lock.toml"), text).expect("a device file");
        let commands: Vec<_> = demands.commands.iter().map(|run| &run.command[..]).collect();
        assert_eq!(commands, ["one", "two", "three"]);
        assert!(demands.commands.iter().all(|run| run.folder == Path::new("there")));
        let files = ["there/firmware.bin", "/etc/shadow", "there/../a"];
        assert_eq!(demands.files, files.map(PathBuf::from));
        assert_eq!(demands.port, None);
    }

    #[test]
    fn an_input_that_sends_a_file_is_not_one_that_sends_its_name() {
        let text =
            "[[reset]]\nsteps = [{ send = \"r\" }]\n[inputs]\na = \"x\"\nb = { file = \"x\" }";
        assert_eq!(Demands::of(Path::new("lock.toml"), text).expect("one").files, [Path::new("x")]);
    }
}
