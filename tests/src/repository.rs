//! The files of this repository.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the root")
}

/// The paths of all files whose names have this ending, such as `.md`; without links and what was built.
///
/// # Panics
/// A folder cannot be read.
pub fn files(ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let is_ours = !name.starts_with('.') && name != "target" && name != "node_modules";
            if path.is_symlink() || !is_ours {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(ending) {
                files.push(path);
            }
        }
    }
    files
}
