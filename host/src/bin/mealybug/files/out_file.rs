//! Files that hold what a command has found out. An old file stays as it is until the new one is complete.

use std::io;
use std::path::Path;

use mealybug::replaced_file::{can_be_written, replace};
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

#[cfg(test)]
mod tests {
    use std::fs;
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
