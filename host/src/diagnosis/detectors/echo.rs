//! Replies that begin with what was sent, while the device file does not say `echo`.

use super::super::evidence::{ENOUGH, Evidence};
use super::super::finding::{Change, Finding, FindingKind};
use crate::serial::PortStatistics;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(echoable) = echoes(evidence) else { return Vec::new() };
    let text = format!(
        "all of {echoable} replies begin with what was sent: `echo = true` in [reply] takes that away"
    );
    let change = Some(Change::Echo);
    vec![Finding { change, ..Finding::possible(FindingKind::Echo, text) }]
}

/// The number of replies that begin with what was sent, if there are enough and all do that could.
pub(super) fn echoes(evidence: &Evidence) -> Option<u32> {
    let PortStatistics { replies, .. } = evidence.port.as_ref()?;
    let echoable: u32 = replies.iter().map(|replies| replies.echoable).sum();
    let echoed: u32 = replies.iter().map(|replies| replies.echoed).sum();
    (echoable >= ENOUGH && echoed == echoable).then_some(echoable)
}
