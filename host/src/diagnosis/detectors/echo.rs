//! Replies that begin with what was sent, while the device file does not say `echo`.

use super::super::evidence::{ENOUGH, Evidence};
use super::super::finding::{Change, Finding, FindingKind};
use super::super::garbled::is_rare;
use super::super::going_on::going_on_at_once;
use crate::serial::PortStatistics;

/// How many replies must begin with what was sent, if more comes at once after each of them.
const FOLLOWED: u32 = 3;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let text = match echoes(evidence) {
        None => return Vec::new(),
        Some(Echoes { all, odd: 0 }) => format!(
            "all of {all} replies begin with what was sent: `echo = true` in [reply] takes that away"
        ),
        Some(Echoes { all, odd }) => format!(
            "{} of {all} replies begin with what was sent, and {odd} with a garbled copy of it: `echo = true` in \
             [reply] takes that away, and a word with such a fault is asked again",
            all - odd
        ),
    };
    let change = Some(Change::Echo);
    vec![Finding { change, ..Finding::possible(FindingKind::Echo, text) }]
}

/// Replies that begin with what was sent.
pub(super) struct Echoes {
    /// Their number.
    all: u32,
    /// How many of them begin with only nearly that.
    odd: u32,
}

/// The replies that begin with what was sent, if there are enough and all do that could. Few may have been garbled.
pub(super) fn echoes(evidence: &Evidence) -> Option<Echoes> {
    let PortStatistics { replies, .. } = evidence.port.as_ref()?;
    let all: u32 = replies.iter().map(|replies| replies.echoable).sum();
    let echoed: u32 = replies.iter().map(|replies| replies.echoed).sum();
    let odd: u32 = replies.iter().map(|replies| replies.oddly_echoed).sum();
    // What follows an echo at once is no rest of a reply.
    let is_followed = evidence.file.as_ref().is_some_and(|file| {
        !going_on_at_once(evidence.exchanges(), &file.device().inputs).is_empty()
    });
    let enough = if is_followed { FOLLOWED } else { ENOUGH };
    let is_rest_garbled = echoed + odd == all && (odd == 0 || is_rare(odd, all));
    (all >= enough && is_rest_garbled).then_some(Echoes { all, odd })
}
