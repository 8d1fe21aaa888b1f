//! Replies that begin with what was sent, while the device file does not say `echo`.

use super::super::evidence::{ENOUGH, Evidence};
use super::super::finding::{Change, Finding, FindingKind};
use crate::serial::PortStatistics;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let Some(PortStatistics { replies, .. }) = &evidence.port else { return Vec::new() };
    let echoable: u32 = replies.iter().map(|replies| replies.echoable).sum();
    let echoed: u32 = replies.iter().map(|replies| replies.echoed).sum();
    if echoable < ENOUGH || echoed < echoable {
        return Vec::new();
    }
    let text = format!(
        "all of {echoable} replies begin with what was sent: `echo = true` in [reply] takes that away"
    );
    let change = Some(Change::Echo);
    vec![Finding { change, ..Finding::possible(FindingKind::Echo, text) }]
}
