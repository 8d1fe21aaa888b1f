//! The detectors: each looks at the evidence for one common problem.

mod acts_late;
mod changing_output;
mod connection_end;
mod dead_state;
mod echo;
mod fault;
mod garbled;
mod growing_tree;
mod growing_word;
mod idle_input;
mod late_bytes;
mod no_answer;
mod noise;
mod one_output;
mod reset_leaves;
mod stray_byte;
mod time_outs;
mod unasked;
mod unmet_end;

pub(super) use changing_output::try_rule;
#[cfg(test)]
pub(super) use growing_word::GROWN;
pub(super) use noise::is_noise;

use super::device_file::EditableDeviceFile;
use super::evidence::Evidence;
use super::finding::Finding;
use crate::draft::literal;

/// Looks for one problem in the evidence.
pub(super) type Detector = fn(&Evidence) -> Vec<Finding>;

/// All detectors, in the order in which their findings are reported.
pub(super) const DETECTORS: [Detector; 19] = [
    unasked::find,
    stray_byte::find,
    acts_late::find,
    reset_leaves::find,
    changing_output::find,
    garbled::find,
    growing_word::find,
    growing_tree::find,
    dead_state::find,
    connection_end::find,
    fault::find,
    time_outs::find,
    unmet_end::find,
    no_answer::find,
    noise::find,
    echo::find,
    late_bytes::find,
    one_output::find,
    idle_input::find,
];

/// The line for `[reply]` that takes out what fits these patterns, beside what the device file takes out already.
fn strip_line(evidence: &Evidence, patterns: &[&str]) -> String {
    let kept = evidence.file.iter().flat_map(EditableDeviceFile::stripped);
    let all: Vec<_> = kept.chain(patterns.iter().map(|pattern| literal(pattern))).collect();
    format!("strip = [{}]", all.join(", "))
}
