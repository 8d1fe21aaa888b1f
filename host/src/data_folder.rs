//! Where this user's data is kept between calls.

use std::io;
use std::path::PathBuf;

use crc::{CRC_64_XZ, Crc};

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

/// The file for `key`, such as a path, in a folder of the data folder. Keys with the same checksum share a file.
///
/// # Errors
/// As for [`data_folder`].
pub fn data_file(folder: &str, key: &[u8]) -> io::Result<PathBuf> {
    let name = format!("{:016x}", Crc::<u64>::new(&CRC_64_XZ).checksum(key));
    Ok(data_folder()?.join(folder).join(name))
}
