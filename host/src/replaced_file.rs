//! Files that stay as they are until their new content is complete, whatever happens to the disk or to this process.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Tries whether the file can be written, as far as that can be told without changing it.
///
/// # Errors
/// It cannot be written.
pub fn can_be_written(path: &Path) -> io::Result<()> {
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
///
/// # Errors
/// It cannot be written. Then an old file is as it was.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
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
