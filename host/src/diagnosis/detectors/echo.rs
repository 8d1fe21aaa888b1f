//! Replies that begin with what was sent, while the device file does not say `echo`.

use super::super::evidence::{ENOUGH, Evidence};
use super::super::finding::{Change, Finding, FindingKind};
use super::super::going_on::going_on_at_once;
use crate::serial::PortStatistics;

/// How many replies must begin with what was sent, if more comes at once after each of them.
const FOLLOWED: u32 = 3;

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
    // What follows an echo at once is no rest of a reply.
    let is_followed = evidence.file.as_ref().is_some_and(|file| {
        !going_on_at_once(evidence.exchanges(), &file.device().inputs).is_empty()
    });
    let enough = if is_followed { FOLLOWED } else { ENOUGH };
    (echoable >= enough && echoed == echoable).then_some(echoable)
}
