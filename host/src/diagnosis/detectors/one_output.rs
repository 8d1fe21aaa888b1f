//! A device all of whose answers have one output: its model would have one state.

use super::super::evidence::Evidence;
use super::super::finding::{Finding, FindingKind};
use crate::short_output::short;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let mut outputs = evidence.outputs.iter().flatten().map(|(output, _)| output);
    let Some(first) = outputs.next().filter(|_| evidence.explored.is_some()) else {
        return Vec::new();
    };
    // One input with one output is a device of its own kind; a silence is an output, too.
    let is_alone = evidence.timings.iter().any(|timing| timing.silences > 0);
    let has_others = !evidence.faults.is_empty();
    if is_alone || has_others || evidence.outputs.len() < 2 || outputs.any(|output| output != first)
    {
        return Vec::new();
    }
    let hides = match evidence.file {
        Some(_) => {
            "Do `strip`, [[replace]] or [[output]] take away what differs? Or does the device refuse all inputs, since a frame, \
             a checksum or a line end is not as it wants it?"
        }
        None => "Does the program name all replies alike?",
    };
    let text = format!(
        "all {} words were answered by the same output, `{}`: the model will have one state. {hides}",
        evidence.words(),
        short(first)
    );
    vec![Finding::possible(FindingKind::OneOutput, text)]
}
