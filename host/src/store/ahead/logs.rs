//! The logs in the folder `ahead`.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::store::{JudgeAnswer, LockedLog, StoreError, copy_kept};

/// Copies the logs in `from` into the folder `to`, which is made anew, for a device with these inputs: as [`copy_kept`] does
/// with `answers.log`.
///
/// # Errors
/// As of [`copy_kept`], or another run has a log open.
pub fn copy_kept_logs(
    from: &Path,
    to: &Path,
    inputs: &[String],
    fate: JudgeAnswer<'_>,
) -> Result<(), StoreError> {
    let failed = |path: &Path, source| StoreError::Io { path: path.to_owned(), source };
    if to.exists() {
        fs::remove_dir_all(to).map_err(|source| failed(to, source))?;
    }
    fs::create_dir(to).map_err(|source| failed(to, source))?;
    for number in numbers(from).map_err(|source| failed(from, source))? {
        let mut log = LockedLog::open(&log_path(from, number))?;
        copy_kept(&mut log, &log_path(to, number), inputs, fate)?;
    }
    Ok(())
}

/// The log of the board with this number.
pub(in crate::store) fn log_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("{number}.log"))
}

/// The numbers of the logs in a folder, in their order.
pub(super) fn numbers(folder: &Path) -> io::Result<Vec<usize>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".log"));
        numbers.extend(number.and_then(|number| number.parse::<usize>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}
