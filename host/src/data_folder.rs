//! Where this user's data is kept between calls.

use std::io;
use std::path::PathBuf;

/// The folder for what Mealybug keeps for this user, as the XDG Base Directory Specification has it. It may not exist.
///
/// # Errors
/// No environment variable names a folder.
pub fn data_folder() -> io::Result<PathBuf> {
    let absolute =
        |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")));
    let data =
        data.ok_or_else(|| io::Error::other("neither XDG_DATA_HOME nor HOME names a folder"))?;
    Ok(data.join("mealybug"))
}
