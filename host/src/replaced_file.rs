//! Files that stay as they are until their new content is complete, whatever happens to the disk or to this process.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// As many links in a row as Linux follows.
const MAX_LINKS: usize = 40;

/// Tries whether the file can be written, as far as that can be told without changing it.
///
/// # Errors
/// It cannot be written.
pub fn can_be_written(path: &Path) -> io::Result<()> {
    let path = behind_links(path);
    match fs::metadata(&path) {
        Ok(found) if found.is_file() => OpenOptions::new().write(true).open(path).map(drop),
        Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
        // Opening a pipe waits for its reader.
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => new_beside(&path)?.close(),
        Err(error) => Err(error),
    }
}

/// Writes a new file beside the old one and renames it.
///
/// # Errors
/// It cannot be written. Then an old file is as it was.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // A link stays a link.
    let path = behind_links(path);
    let old = match fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        old => Some(old?),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return OpenOptions::new().write(true).open(&path)?.write_all(content);
    }
    let mut new = match new_beside(&path) {
        // This user may write the file, but not its folder.
        Err(error) if old.is_some() && is_refused(&error) => return fs::write(&path, content),
        new => new?,
    };
    if let Some(old) = &old {
        // Some file systems have no permissions.
        let _ = new.as_file().set_permissions(old.permissions());
    }
    new.write_all(content)?;
    // After a power cut, a file that was renamed before its content was on the disk may be empty.
    new.as_file().sync_all()?;
    match new.persist(&path).map_err(|refused| refused.error) {
        // A file that is mounted alone cannot be replaced.
        Err(error) if old.is_some() && error.kind() == ErrorKind::ResourceBusy => {
            fs::write(&path, content)
        }
        renamed => renamed.map(drop),
    }
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// The path at the end of a chain of links, where there may be nothing yet.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(link) = fs::read_link(&path) else { break };
        path = path.with_file_name(link);
    }
    path
}

/// A new file in the same folder, with a name that nobody else has. It is removed when it is dropped.
fn new_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new(""));
    tempfile::Builder::new().prefix(".mealybug-").make_in(folder, |new| File::create_new(new))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::thread;

    use super::*;

    fn content(path: &Path) -> String {
        fs::read_to_string(path).expect("it is there")
    }

    fn count(folder: &Path) -> usize {
        fs::read_dir(folder).expect("a folder").count()
    }

    /// Tests of one process may write the same golden model.
    #[test]
    fn several_threads_replace_one_file() {
        let place = tempfile::tempdir().expect("a folder");
        let path = &place.path().join("model.dot");
        thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || {
                    for _ in 0..50 {
                        can_be_written(path).expect("it can");
                        replace(path, format!("{number}").repeat(9999).as_bytes()).expect("room");
                    }
                });
            }
        });
        let content = content(path);
        assert_eq!(content, content[..1].repeat(9999));
        assert_eq!(count(place.path()), 1);
    }

    #[test]
    fn what_a_killed_process_with_the_same_number_left_is_in_nobodys_way() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("model.dot");
        let left = place.path().join(format!("model.dot.{}.new", std::process::id()));
        fs::write(left, "half").expect("room");
        can_be_written(&path).expect("it can");
        replace(&path, b"new").expect("room");
        assert_eq!((&*content(&path), count(place.path())), ("new", 2));
    }

    #[test]
    fn a_link_to_a_file_that_is_not_there_yet_stays_a_link() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("models");
        fs::create_dir(&folder).expect("a folder");
        let [link, other] = ["link", "other"].map(|name| place.path().join(name));
        symlink("other", &link).expect("room");
        symlink("models/model.dot", &other).expect("room");
        can_be_written(&link).expect("it can");
        assert_eq!(count(&folder), 0);
        replace(&link, b"new").expect("room");
        assert_eq!(content(&folder.join("model.dot")), "new");
        assert!([&link, &other].iter().all(|link| link.is_symlink()));
        // A ring of links leads to no file.
        fs::remove_file(&other).expect("it is there");
        symlink("link", &other).expect("room");
        can_be_written(&link).expect_err("it cannot");
        replace(&link, b"new").expect_err("it cannot");
        assert!(link.is_symlink());
    }

    #[test]
    fn a_name_may_be_as_long_as_the_disk_allows() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("m".repeat(255));
        can_be_written(&path).expect("it can");
        replace(&path, b"new").expect("room");
        assert_eq!(content(&path), "new");
    }
}
