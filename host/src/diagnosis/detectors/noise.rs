//! Answers that are no text, though what is sent is: the baud rate may be wrong.

use super::super::evidence::{ENOUGH, Evidence};
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(port) = &evidence.port else { return Vec::new() };
    let answered: u32 = port.replies.iter().map(|replies| replies.answered).sum();
    let noisy: u32 = port.replies.iter().map(|replies| replies.noisy).sum();
    if answered < ENOUGH || noisy < answered {
        return Vec::new();
    }
    let why = match port.has_baud {
        true => "are `baud` and `format` those of the device?",
        false => "is this its port, and is the port behind it set as the device wants it?",
    };
    let text = format!("what is sent is text, and none of {answered} answers is: {why}");
    vec![Finding::possible(FindingKind::Noise, text)]
}
