//! Files that hold what a command has found out. An old file stays as it is until the new one is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use miette::{Report, Result};

use crate::exit::{CliError, Exit};
use crate::terminal::complain_of;

/// A file that a command writes at its end.
#[derive(Debug)]
pub(crate) struct OutFile<'a> {
    path: &'a Path,
}

impl<'a> OutFile<'a> {
    /// Tries whether the file can be written, before hours of work are done for it. It changes nothing.
    pub(crate) fn try_at(path: &'a Path) -> Result<Self> {
        can_be_written(path).map_err(|error| not_written(path, &error))?;
        Ok(Self { path })
    }

    /// Writes the file. On an error an old file stays as it was.
    pub(crate) fn write(self, content: impl AsRef<[u8]>) -> Result<()> {
        replace(self.path, content.as_ref()).map_err(|error| not_written(self.path, &error))
    }
}

/// How a command ends that also wrote files.
///
/// What is known of the device or the models comes first: a build that fails since they differ must not read that
/// a disk is full. An error of a file takes the place of [`Exit::Done`] and [`Exit::Limit`] only; beside any other
/// end it is printed here.
pub(crate) fn with_files(exit: Result<Exit>, written: Result<()>) -> Result<Exit> {
    match (exit, written) {
        (exit, Ok(())) => exit,
        (Ok(Exit::Done | Exit::Limit), Err(report)) => Err(report),
        (exit, Err(report)) => {
            complain_of(&report);
            exit
        }
    }
}

/// The error for a file that cannot be written.
pub(crate) fn not_written(path: &Path, error: &io::Error) -> Report {
    CliError::report(
        Exit::Disk,
        format!("cannot write {}: {error}", path.display()),
        "is there such a folder with room on its disk, and may this user write there?",
    )
}

/// Whether the file can be written, as far as that can be told without changing it.
pub(crate) fn can_be_written(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => OpenOptions::new().write(true).open(path).map(drop),
        Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
        // Opening a pipe waits for its reader.
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let beside = beside(path);
            File::create_new(&beside)?;
            fs::remove_file(&beside)
        }
        Err(error) => Err(error),
    }
}

/// Writes a new file beside the old one and renames it.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // A link stays a link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return OpenOptions::new().write(true).open(&path)?.write_all(content);
    }
    let beside = beside(&path);
    let mut new = match File::create_new(&beside) {
        // This user may write the file, but not its folder.
        Err(error) if old.is_some() && is_refused(&error) => return fs::write(&path, content),
        new => new?,
    };
    if let Some(old) = &old {
        // Some file systems have no permissions.
        let _ = new.set_permissions(old.permissions());
    }
    let written = new.write_all(content).and_then(|()| match fs::rename(&beside, &path) {
        // A file that is mounted alone cannot be replaced.
        Err(error) if old.is_some() && error.kind() == ErrorKind::ResourceBusy => {
            fs::remove_file(&beside)?;
            fs::write(&path, content)
        }
        renamed => renamed,
    });
    if written.is_err() {
        // Nothing can be done if this fails, too.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// The name of the new file until it is complete. No other process takes this one.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or(path.as_os_str()).to_owned();
    name.push(format!(".{}.new", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_file_is_replaced_at_the_end_only() {
        let place = tempfile::tempdir().expect("a folder");
        let [path, link] = ["report.xml", "link"].map(|name| place.path().join(name));
        let content = |path: &Path| fs::read_to_string(path).expect("it is there");
        OutFile::try_at(&path).expect("there is room");
        assert!(!path.exists(), "trying leaves nothing behind");
        fs::write(&path, "old").expect("there is room");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
        symlink(&path, &link).expect("there is room");
        let out = OutFile::try_at(&link).expect("there is room");
        assert_eq!(content(&path), "old");
        out.write("new").expect("there is room");
        assert_eq!(content(&path), "new");
        assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
        assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(place.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn what_cannot_be_written_is_told_at_once() {
        let place = tempfile::tempdir().expect("a folder");
        for path in [place.path().to_owned(), place.path().join("none/report.xml")] {
            let report = OutFile::try_at(&path).expect_err("it cannot be written");
            assert_eq!(Exit::of(&report), Exit::Disk);
        }
        let full = OutFile::try_at(Path::new("/dev/full")).expect("it can be opened");
        let report = full.write("new").expect_err("it is full");
        assert!(report.to_string().contains("No space left"), "{report}");
    }
}
