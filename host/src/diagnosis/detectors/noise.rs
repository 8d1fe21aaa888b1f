//! Answers that are no text, though what is sent is: the baud rate may be wrong.

use super::super::evidence::{ENOUGH, Evidence};
use super::super::finding::{Finding, FindingKind};
use crate::serial::PortStatistics;
use crate::target::TARGET_SPEAKS;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(port) = &evidence.port else { return Vec::new() };
    let (answered, noisy) = counts(port);
    if !is_noise(port) {
        return Vec::new();
    }
    let of_target = port.replies.iter().any(|it| it.of_target > 0);
    let why = match port.has_baud {
        _ if of_target => TARGET_SPEAKS,
        true => "are `baud` and `format` those of the device?",
        false => "is this its port, and is the port behind it set as the device wants it?",
    };
    let none = match noisy == answered {
        true => format!("none of {answered} answers is"),
        false => format!("{noisy} of {answered} answers are none"),
    };
    let text = format!("what is sent is text, and {none}: {why}");
    // A check has no later answers that could show something else.
    let found = if evidence.file.is_some() { Finding::shown } else { Finding::possible };
    vec![found(FindingKind::Noise, text)]
}

/// Whether most answers to text are no text.
pub(in super::super) fn is_noise(port: &PortStatistics) -> bool {
    let (answered, noisy) = counts(port);
    // Short noise may be text by chance.
    answered >= ENOUGH && noisy * 2 > answered
}

/// The number of answers, and of those to text that are no text.
fn counts(port: &PortStatistics) -> (u32, u32) {
    let replies = &port.replies;
    (replies.iter().map(|it| it.answered).sum(), replies.iter().map(|it| it.noisy).sum())
}
