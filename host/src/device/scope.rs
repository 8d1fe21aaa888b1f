//! What the parts of a device file know of the rest of it.

use std::path::Path;
use std::sync::Arc;

use super::template::Template;

/// What a message can speak of.
#[derive(Clone, Debug)]
pub(super) struct Scope<'a> {
    /// Where files are looked for and commands run.
    pub(super) folder: &'a Path,
    /// The names in `[captures]`.
    pub(super) captures: Vec<String>,
    /// What is put around messages.
    pub(super) frame: Option<Arc<Template>>,
    /// Whether this is the frame itself.
    pub(super) in_frame: bool,
}

/// What stands in messages beside captures and checksums.
pub(super) const BUILT_IN: [&str; 3] = ["seq", "length", "data"];

impl Scope<'_> {
    /// The name that can stand in a message and is most like this one, if one is.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        let names = BUILT_IN.into_iter().chain(self.captures.iter().map(String::as_str));
        let likeness = names.map(|known| (strsim::jaro_winkler(known, name), known));
        let (likeness, nearest) = likeness.max_by(|one, other| one.0.total_cmp(&other.0))?;
        (likeness > 0.8).then(|| nearest.to_owned())
    }
}
