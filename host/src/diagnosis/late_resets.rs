//! Resets that are over only when the device has said something for which the device file does not wait.
//!
//! Most of the time the device says it in the time of the reset. Now and then it takes longer: then inputs are sent to a device
//! that does not hear them yet, and what it says at the end of its reset comes as an answer. Where it takes longer each time, no input
//! is heard at all.

use super::answers::AnswersByWord;
use super::field::is_text;
use super::going_on::LateRest;
use super::unasked::{KeptExchange, usual_in_resets};
use crate::device::{DeviceFile, DeviceStep};
use crate::line_kind::{LineEnd, line_pattern};

/// How often the end of a reset must have come late: once, the device may have said it for another reason.
const TIMES: usize = 2;

/// The end of the device's resets, which came late now and then.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LateResets {
    /// The pattern of its line, without the line's end and with it.
    pub(super) line: String,
    pub(super) pattern: String,
    /// How often it came in the time of the reset, how often later, and the number of all resets.
    pub(super) in_time: usize,
    pub(super) late: usize,
    pub(super) of: usize,
}

/// What the device says after a reset, though nothing is sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SaidAfterReset {
    /// What came, and how long after the reset.
    pub(super) rest: LateRest,
    /// Whether nothing more came for long. In the evidence, the same came after another reset, too: it is the end of the reset then.
    pub(super) has_ended: bool,
}

impl SaidAfterReset {
    /// Whether this is what the device said after another reset, but for numbers.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.has_ended && line_pattern(&self.rest.bytes) == line_pattern(&other.rest.bytes)
    }

    /// Whether this is the end of resets, and no answer is anything else.
    pub(super) fn is_end_of_resets(&self, answers: &AnswersByWord) -> bool {
        let said = &self.rest.bytes;
        let is_part = |reply: &[u8]| said.windows(reply.len().max(1)).any(|part| part == reply);
        let mut heard = answers.values().flatten().filter(|run| !run.is_silence);
        self.end_pattern().is_some() && heard.all(|run| is_part(&run.reply))
    }

    /// The pattern of its last line, with the line's end if that came; `None` where it is not the end of a reset, or no text.
    pub(super) fn end_pattern(&self) -> Option<String> {
        let bytes = Some(&self.rest.bytes).filter(|bytes| self.has_ended && is_text(bytes))?;
        let end = LineEnd::of([bytes.as_slice()]);
        let line = end.lines(bytes).last();
        let prompt = bytes.rsplit(|&byte| byte == end.byte()).next().filter(|it| !it.is_empty());
        prompt.map(line_pattern).or_else(|| Some(line_pattern(line?) + end.pattern()))
    }
}

/// Whether resets are over late. The last usual line of resets is their end if it comes later where it is missing, and nowhere
/// else.
pub(super) fn late_resets(exchanges: &[KeptExchange], device: &DeviceFile) -> Option<LateResets> {
    if waits(device) {
        return None;
    }
    let (mut usual, end) = usual_in_resets(exchanges);
    let line = usual.pop()?;
    let words = exchanges.chunk_by(|_, next| !next.is_reset);
    let (mut in_time, mut late, mut of) = (0, 0, 0);
    for word in words {
        let Some((reset, inputs)) = word.split_first().filter(|(first, _)| first.is_reset) else {
            continue;
        };
        let says = |kept: &KeptExchange| kept.line_patterns(end).contains(&line);
        of += 1;
        match (says(reset), inputs.iter().any(says)) {
            // It is an answer, too.
            (true, true) => return None,
            (true, false) => in_time += 1,
            (false, true) => late += 1,
            (false, false) => {}
        }
    }
    (late >= TIMES).then(|| LateResets {
        pattern: line.clone() + end.pattern(),
        line,
        in_time,
        late,
        of,
    })
}

/// Whether a reset waits for what the device says.
fn waits(device: &DeviceFile) -> bool {
    let is_wait = |step: &DeviceStep| matches!(step, DeviceStep::Expect(_));
    device.resets.iter().any(|it| it.expect.is_some() || it.steps.iter().any(is_wait))
}
