//! Files that the user has agreed to: what such a file says may be done.
//!
//! The user's data folder has a file for each: the path and the content that the user agreed to. Whatever
//! changes the content ends the agreement. The content itself is kept instead of a digest, so that no
//! other content can pass for it. Of a file that only names a port, the port is all that counts.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, BufRead, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use clap::Args;
use mealybug::data_folder::data_file;
use mealybug::escape::visible;
use miette::Result;
use serde::{Deserialize, Serialize};

use crate::exit::{CliError, Exit};
use crate::terminal::complain;

/// Whether to ask.
#[derive(Clone, Copy, Debug, Default, Args, Serialize, Deserialize)]
pub(crate) struct Trust {
    /// Do what the device file or the run folder says, without a question: its commands, its files, its port
    ///
    /// Without it, a file that runs commands, reads files or names the port is used only when you have agreed to
    /// it, or when Mealybug wrote it for you. At a terminal you are asked, and the answer holds until the file
    /// changes, or names another port where it does no more than that.
    #[arg(long)]
    #[serde(skip)]
    trust: bool,
}

/// A file or folder, and what it would have done.
pub(crate) struct Claim<'a> {
    /// What it is: `device file`, `run folder`.
    pub(crate) kind: &'static str,
    pub(crate) path: &'a Path,
    /// What the agreement depends on.
    pub(crate) content: &'a [u8],
    /// What would be done, a line each.
    pub(crate) acts: Vec<String>,
}

impl Trust {
    /// Fails unless the user agrees to what would be done.
    pub(crate) fn require(self, claim: &Claim<'_>) -> Result<()> {
        let &Claim { kind, path, content, ref acts } = claim;
        if self.trust || acts.is_empty() || is_trusted(path, content) {
            return Ok(());
        }
        let acts: Vec<_> = acts.iter().map(|act| format!("  {}", visible(act))).collect();
        let acts = acts.join("\n");
        let shown = path.display().to_string();
        let shown = visible(&shown);
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(CliError::report(
                Exit::Usage,
                format!("nobody has agreed to what the {kind} {shown} would do:\n{acts}"),
                "nothing of it was done. Look at the file, then give --trust; or call the command at a \
                 terminal, where it asks and remembers the answer",
            ));
        }
        let mut err = io::stderr().lock();
        let question = format!(
            "The {kind} {shown} is new here, or has changed. It would\n{acts}\n\
             Agree to it until it changes? [y/N] "
        );
        let mut answer = String::new();
        let asked = err
            .write_all(question.as_bytes())
            .and_then(|()| io::stdin().lock().read_line(&mut answer));
        if asked.is_err() || !matches!(answer.trim(), "y" | "Y" | "yes") {
            return Err(CliError::report(
                Exit::Failed,
                format!("you did not agree to what the {kind} {shown} would do"),
                "nothing of it was done",
            ));
        }
        remember(path, content);
        Ok(())
    }
}

/// Remembers that the user agrees to this content of the file or folder. Says so if that fails: then the
/// user is asked again.
pub(crate) fn remember(path: &Path, content: &[u8]) {
    if let Err(error) = write(path, content) {
        let path = path.display().to_string();
        complain(&format!("Note: that you trust {path} cannot be remembered: {error}"));
    }
}

fn is_trusted(path: &Path, content: &[u8]) -> bool {
    let known = record(path, content).and_then(|(file, record)| Ok(fs::read(file)? == record));
    known.unwrap_or(false)
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let (file, record) = record(path, content)?;
    if let Some(folder) = file.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    // Another call may read the old one meanwhile.
    let new = file.with_extension(std::process::id().to_string());
    let mut opened =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    opened.write_all(&record)?;
    fs::rename(new, file)
}

/// Where the agreement to a file is kept, and what stands there. If two paths share a place, the later
/// agreement replaces the earlier one.
fn record(path: &Path, content: &[u8]) -> io::Result<(PathBuf, Vec<u8>)> {
    let path = path.canonicalize()?;
    let path = path.as_os_str().as_bytes();
    Ok((data_file("trusted", path)?, [path, b"\0", content].concat()))
}
