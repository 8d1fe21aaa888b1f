//! What the parts of a device file need to know about the rest of it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::checksum::Checksum;
use super::fields::nearest;
use super::frame::FrameTemplate;

/// Reads a file that the device file names.
pub(super) type ReadFile<'a> = &'a dyn Fn(&Path) -> io::Result<Vec<u8>>;

/// The names and files that a message can refer to.
#[derive(Clone)]
pub(super) struct FileScope<'a> {
    /// The folder for relative paths and for commands.
    pub(super) folder: &'a Path,
    /// How the files that it names are read.
    pub(super) read_file: ReadFile<'a>,
    /// The names in `[captures]`.
    pub(super) captures: Vec<String>,
    /// Whether a board probes the device.
    pub(super) is_probed: bool,
    /// The frame that is put around messages.
    pub(super) frame: Option<Arc<FrameTemplate>>,
    /// Whether the message is the frame itself.
    pub(super) in_frame: bool,
}

/// The names for messages that are neither captures nor checksums.
pub(super) const BUILT_IN: [&str; 3] = ["seq", "length", "data"];

impl FileScope<'_> {
    /// The most similar valid name, if one is similar enough.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        let mut names: Vec<&str> = BUILT_IN.to_vec();
        Checksum::names().for_each(|checksum| names.push(checksum));
        names.extend(self.captures.iter().map(String::as_str));
        nearest(names.into_iter(), name).map(str::to_owned)
    }
}
