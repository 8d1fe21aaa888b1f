//! Device files, which may be those of others.

use std::borrow::Cow;
use std::path::Path;

use mealybug::device::{Demands, DeviceFile, DeviceFileError, ShellCommand};
use miette::Result;

use crate::exit::{CliError, Exit};
use crate::files::trust::{self, Claim, Trust};

/// Who uses a device file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    /// This program, which opens the port that the file names.
    Host,
    /// This program, at a port that the user names.
    HostAt,
    /// A target or an agent: it runs no commands and has its own port.
    Target,
}

/// Reads a device file, if the user agrees to what it would do. Its text comes with it.
pub(crate) fn read(path: &Path, user: User, trust: Trust) -> Result<(DeviceFile, String)> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| DeviceFileError::Unreadable { path: path.to_owned(), source })?;
    let demands = Demands::of(path, &text)?;
    let content = agreed(&text, &demands);
    let acts = acts(demands, user);
    trust.require(&Claim { kind: "device file", path, content: content.as_bytes(), acts })?;
    let device = DeviceFile::parse(path, &text)?;
    if device.probe.is_some() && user != User::Target {
        let path = path.display();
        return Err(CliError::report(
            Exit::Usage,
            format!("the device of {path} has no serial line: it needs a board that probes it"),
            format!(
                "learn it on the board with `mealybug target --port PORT {path}`, or with an agent on the \
                 board: `mealybug learn --agent --port PORT {path}`"
            ),
        ));
    }
    Ok((device, text))
}

/// Remembers that the user agrees to a device file that Mealybug has written.
pub(crate) fn remember(path: &Path, text: &str) {
    if let Ok(demands) = Demands::of(path, text) {
        trust::remember(path, agreed(text, &demands).as_bytes());
    }
}

/// What an agreement depends on: the whole text, or where the file does no more than name a port, that port. Then the question
/// shows all that the file can do here, and another reply or input needs no second one.
fn agreed<'t>(text: &'t str, demands: &Demands) -> Cow<'t, str> {
    let Demands { commands, files, port } = demands;
    match port {
        Some(port) if commands.is_empty() && files.is_empty() => open(port).into(),
        _ => text.into(),
    }
}

/// What the user must agree to, a line each.
pub(crate) fn acts(demands: Demands, user: User) -> Vec<String> {
    let Demands { commands, files, port } = demands;
    let mut acts = Vec::new();
    if user != User::Target {
        acts.extend(
            commands.iter().map(|ShellCommand { command, folder, .. }| run(command, folder)),
        );
    }
    acts.extend(files.iter().map(|file| format!("read  {}", file.display())));
    acts.extend(port.filter(|_| user == User::Host).map(|port| open(&port)));
    acts
}

/// The line for a command.
pub(crate) fn run(command: &str, folder: &Path) -> String {
    match folder.as_os_str().is_empty() {
        true => format!("run   {command}"),
        false => format!("run   {command}   (in {})", folder.display()),
    }
}

/// The line for a port.
pub(crate) fn open(port: &str) -> String {
    format!("open  {port}")
}
