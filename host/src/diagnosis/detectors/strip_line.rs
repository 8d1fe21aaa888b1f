//! What takes lines and bytes out of all replies.

use super::super::device_file::EditableDeviceFile;
use super::super::evidence::Evidence;
use crate::draft::literal;

/// The line for `[reply]` that takes out what fits these patterns, beside what the device file takes out already.
pub(super) fn strip_line(evidence: &Evidence, patterns: &[&str]) -> String {
    let kept = evidence.file.iter().flat_map(EditableDeviceFile::stripped);
    let all: Vec<_> = kept.chain(patterns.iter().map(|pattern| literal(pattern))).collect();
    format!("strip = [{}]", all.join(", "))
}
