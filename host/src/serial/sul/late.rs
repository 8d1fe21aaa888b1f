//! Bytes after the end of a reply: never a part of the next one unless the file says so.

use std::io::{self, ErrorKind};
use std::time::Duration;

use mealybug_core::Input;

use super::SerialSul;
use crate::device::{InputRule, Late};
use crate::escape::excerpt;
use crate::serial::error::LinkError;
use crate::serial::exchange::HeardReply;
use crate::serial::framed_text::FramedText;
use crate::serial::link::TimedLink;
use crate::serial::strip::clean;
use crate::serial::unfinished::{HeldBytes, LINE_PAUSE};
use crate::store::Garbled;

/// How many late bytes to read at most, from a device that never stops.
const LATE_BYTES: usize = 64 * 1024;
/// How long to read late bytes, from a device that never stops.
const DRAIN: Duration = Duration::from_millis(200);
/// How long a line may take of which the beginning has come.
const LINE_WITHIN: Duration = Duration::from_secs(2);
/// How many characters of an output to show.
const NAME_SHOWN: usize = 40;
/// Where the other causes of late bytes are listed, and their remedies.
const OTHER_CAUSES: &str = "\"Late bytes\" in docs/device-file.md";

/// What to do about frames that come unasked and cannot be read.
const NO_FRAMES: &str = "these are no whole frames with a right checksum. A line that loses bytes does this now and then: the word is asked again. \
     Where several frames come one after the other, stuffing or a length field must tell them apart";

impl<L: TimedLink> SerialSul<L> {
    /// Reads what came since the last reply, and what comes until `until`.
    pub(super) fn hear_late(&mut self, until: Duration) -> io::Result<()> {
        while self.read_late(until)? > 0 && self.link.now() <= until + DRAIN {}
        Ok(())
    }

    /// Waits for the end of a line that may be one of those that `strip` removes.
    fn hear_line(&mut self) -> io::Result<()> {
        let latest = self.link.now() + LINE_WITHIN;
        loop {
            let (_, held) = self.counted_late();
            let is_open = held.bytes.len() > held.before && self.link.now() < latest;
            if !is_open || self.read_late(held.last + LINE_PAUSE)? == 0 {
                return Ok(());
            }
        }
    }

    /// Reads once, as a link does, and returns the number of bytes.
    fn read_late(&mut self, until: Duration) -> io::Result<usize> {
        let mut buffer = [0; 512];
        if self.excess.bytes.len() >= LATE_BYTES || self.connection_end.has_ended() {
            return Ok(0);
        }
        let count = match self.link.read(&mut buffer, until) {
            Ok(count) => count,
            Err(error) => self.connection_end.take(error).map(|()| 0)?,
        };
        if count > 0 {
            self.excess.bytes.extend_from_slice(&buffer[..count]);
            self.excess.last = self.link.now();
            self.statistics.late_bytes += count as u64;
        }
        Ok(count)
    }

    /// What of the late bytes counts, and the beginning of an unasked line behind it, which counts for nothing as long as it may
    /// go on.
    fn counted_late(&self) -> (Vec<u8>, HeldBytes) {
        let mut held = self.excess.clone();
        if self.device.stuffing.is_some() {
            return (held.bytes, HeldBytes::default());
        }
        let mut text = held.resume(&self.device.strip).text;
        if held.is_old(self.link.now()) {
            text.extend(held.bytes.drain(..).skip(held.before));
            held.before = 0;
        }
        (text, held)
    }

    /// Whether late bytes contain anything after `strip`.
    pub(super) fn says_something(&self) -> bool {
        !self.late_contents().is_empty()
    }

    /// What of the late bytes counts, after `strip`.
    pub(super) fn late_contents(&self) -> Vec<u8> {
        self.contents(&self.counted_late().0)
    }

    fn contents(&self, bytes: &[u8]) -> Vec<u8> {
        let frames = match self.device.stuffing {
            Some(stuffing) => stuffing.unstuff(bytes).frames,
            None => vec![bytes.to_vec()],
        };
        frames.iter().flat_map(|frame| clean(&self.device.strip, frame).into_owned()).collect()
    }

    /// The late bytes, without those that came with the reset.
    fn take_late(&mut self) -> Vec<u8> {
        let HeldBytes { mut bytes, before, .. } = std::mem::take(&mut self.excess);
        bytes.split_off(before)
    }

    /// The error for bytes after the last reply or the reset.
    fn too_late(&self, late: &[u8], before: impl Into<String>) -> LinkError {
        late_error(self.after_what().0, before.into(), late, self.late_advice())
    }

    /// What to do about bytes that came after the last reply or the reset, most often, and where other causes are listed.
    pub fn late_advice(&self) -> String {
        let (_, help) = self.after_what();
        if let Some(silent) = self.unanswered_before().filter(|_| !self.was_silent) {
            return format!(
                "`{silent}` was not answered before it: if its answer came now, raise `within_ms`, for `{silent}` at least. Otherwise, \
                 {help}. Where the device speaks unasked, see {OTHER_CAUSES}"
            );
        }
        let earlier = match self.word.len() > 1 {
            true => ". If an earlier input says it so late, `mealybug check` finds out which",
            false => "",
        };
        format!("{help}{earlier}. Where the device speaks unasked, see {OTHER_CAUSES}")
    }

    /// The input before the last one of the word, but for waits, if its reply was silence, though it waits for one.
    fn unanswered_before(&self) -> Option<&str> {
        let (_, before) = self.word.split_last()?;
        let mut rules = before.iter().rev().filter_map(|(input, answer)| {
            Some((self.device.inputs.get(input.index() as usize)?, answer.as_deref()?))
        });
        let (rule, answer) = rules.find(|(rule, _)| !rule.waits())?;
        (rule.reply.silent == answer).then_some(rule.name.as_str())
    }

    /// What late bytes came after, and what to do about it.
    fn after_what(&self) -> (String, String) {
        let rule = |input: &Input| self.device.inputs.get(input.index() as usize);
        let waits = |input: &Input| rule(input).is_some_and(InputRule::waits);
        match self.word.last() {
            None => (
                "the reset".to_owned(),
                "let the [[reset]] `expect` the last of what the device says, or give it a longer \
                 `quiet_ms`"
                    .to_owned(),
            ),
            Some((input, _)) if self.was_silent && !waits(input) => (
                format!("the wait for the reply to `{}`", self.name(*input)),
                "it answers later than its patience lasts: raise `within_ms`, for this input at \
                 least"
                    .to_owned(),
            ),
            Some((input, answer)) => {
                let answer = answer.as_deref().map_or_else(
                    || "it was garbled".to_owned(),
                    |answer| format!("`{}`", excerpt_of_name(answer)),
                );
                let after = format!("the reply to `{}` ({answer})", self.name(*input));
                let advice = rule(input).map_or("", |rule| advice_on_the_end(rule, self.was_unmet));
                (after, advice.to_owned())
            }
        }
    }

    /// Decides about bytes that came before the input. Returns those that belong to its output, and those that its reply may
    /// show to be the beginning of an unasked line.
    pub(super) fn judge_late(
        &mut self,
        rule: &InputRule,
    ) -> Result<(Vec<u8>, HeldBytes), LinkError> {
        let (text, held) = self.counted_late();
        let late = self.take_late();
        if self.contents(&text).is_empty() {
            return Ok((Vec::new(), held));
        }
        match rule.reply.late {
            Late::Error => Err(self.too_late(&late, before(rule))),
            Late::Drop => Ok((Vec::new(), held)),
            Late::Reply | Late::Output => Ok((self.unasked(rule, &text)?, held)),
        }
    }

    /// What bytes say that came before an input, and belong to its output.
    fn unasked(&self, rule: &InputRule, bytes: &[u8]) -> Result<Vec<u8>, LinkError> {
        let text = FramedText::of(&rule.reply, bytes);
        if text.bytes.is_empty() {
            return Ok(text.bytes);
        }
        let is_whole = text.fault.is_none() && !text.is_open;
        let verified = text.verified(&rule.reply).filter(|_| is_whole);
        verified.ok_or_else(|| {
            let (after, _) = self.after_what();
            late_error(after, before(rule), bytes, NO_FRAMES.to_owned())
        })
    }

    /// Decides about bytes that came before the input and were no beginning of an unasked line, as its reply has shown. Returns
    /// those that belong to its output.
    pub(super) fn judge_broken(
        &self,
        broken: Vec<u8>,
        rule: &InputRule,
    ) -> Result<Vec<u8>, LinkError> {
        match rule.reply.late {
            _ if broken.is_empty() => Ok(broken),
            Late::Error => Err(self.too_late(&broken, before(rule))),
            Late::Drop => Ok(Vec::new()),
            Late::Reply | Late::Output => self.unasked(rule, &broken),
        }
    }

    /// Waits for the silence that must follow a reply. Bytes that break it, or came with the reply,
    /// are late.
    pub(super) fn settle(&mut self, rule: &InputRule, heard: HeardReply) -> Result<(), LinkError> {
        self.statistics.late_bytes += heard.excess.len() as u64;
        self.excess = heard.held;
        self.had_excess = !heard.excess.is_empty();
        if self.had_excess {
            self.excess.bytes.extend(heard.excess);
            self.excess.last = self.link.now();
        }
        let settle = &rule.reply.settle;
        if !settle.is_zero() && !rule.waits() {
            let silent_for = heard.ended.saturating_sub(heard.took);
            let until = self.link.now() + settle.saturating_sub(silent_for);
            self.hear_late(until).map_err(|error| {
                LinkError::during(error, format!("the reply to `{}` had ended", rule.name))
            })?;
        }
        if rule.reply.late == Late::Error && self.says_something() {
            let late = self.take_late();
            return Err(self.too_late(&late, ""));
        }
        Ok(())
    }

    /// Whether something has come after the last answer that makes it suspect, up to now. The next reset asks the word again
    /// then.
    pub fn is_followed(&mut self) -> bool {
        if self.is_gone {
            return false;
        }
        // What fails here fails again at the next reset, and is said there.
        let _ = self.hear_late(self.link.now());
        self.is_suspect()
    }

    /// Whether the bytes that came after the word make its last answer suspect.
    fn is_suspect(&self) -> bool {
        let answered = self.word.last().filter(|(_, answer)| answer.is_some());
        let rule = answered.and_then(|(input, _)| self.device.inputs.get(input.index() as usize));
        !self.has_failed
            && rule.is_some_and(|rule| rule.reply.late == Late::Error)
            && self.says_something()
    }

    /// Asks the word again if something came after its last reply.
    pub(super) fn end_word(&mut self) -> Result<(), LinkError> {
        if self.is_gone {
            return Ok(());
        }
        let counted = self.statistics.late_bytes;
        self.hear_late_at_reset(self.link.now())?;
        if self.word.is_empty() {
            // Such as the greeting of a server before the first reset.
            self.statistics.late_bytes = counted;
        }
        let is_suspect = self.is_suspect();
        let late = self.take_late();
        if is_suspect { self.confirm(&late) } else { Ok(()) }
    }

    /// Reads what came after all answers of a word, and comes until `until` or belongs to an unfinished line. The connection
    /// may have ended then if the reset opens a new one.
    fn hear_late_at_reset(&mut self, until: Duration) -> Result<(), LinkError> {
        match self.hear_late(until).and_then(|()| self.hear_line()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe && self.resets_reconnect() => {
                self.is_gone = true;
                Ok(())
            }
            result => result.map_err(during_reset),
        }
    }

    /// Asks the last word again; `Ok` if the answers are the same and nothing follows them.
    fn confirm(&mut self, late: &[u8]) -> Result<(), LinkError> {
        let help = self.late_advice();
        let word = std::mem::take(&mut self.word);
        self.statistics.suspect_words += 1;
        self.try_resets()?;
        for (input, answer) in &word {
            let why = match (self.ask(*input), answer) {
                (Err(error), None) if error.garbled() != Garbled::No => continue,
                (Ok(_), None) => continue,
                (Ok(again), Some(answer)) if again == *answer => continue,
                (Ok(again), Some(answer)) => {
                    let name = self.name(*input);
                    format!("the reply to `{name}` was then `{again}`, not `{answer}`")
                }
                (Err(error), _) if error.is_worth_a_retry() => error.to_string(),
                (Err(error), _) => return Err(error),
            };
            let late = excerpt(late);
            let why = format!("`{late}` came after its end, and it was asked again; {why}");
            return Err(LinkError::Suspect {
                word: self.shown(&word),
                inputs: numbers(&word),
                why,
                help,
            });
        }
        let last =
            word.last().and_then(|(input, _)| self.device.inputs.get(input.index() as usize));
        let patience = last.map_or(Duration::ZERO, |rule| rule.reply.within) * self.patience;
        let until = self.link.now() + patience;
        self.hear_late_at_reset(until)?;
        if self.says_something() {
            let late = self.take_late();
            let why = self.too_late(&late, "").to_string();
            return Err(LinkError::Suspect {
                word: self.shown(&word),
                inputs: numbers(&word),
                why,
                help,
            });
        }
        Ok(())
    }
}

/// What to do about a reply that ended before the device had said everything, by what ended it; `is_unmet` if that was silence and
/// no end of the rule.
fn advice_on_the_end(rule: &InputRule, is_unmet: bool) -> &'static str {
    let reply = &rule.reply;
    match reply {
        _ if rule.waits() => "more came after its wait: give it a longer `wait_ms`",
        _ if is_unmet && reply.quiet.is_some() => {
            "more came after a silence, which ended the reply: give it a longer `quiet_ms`"
        }
        _ if is_unmet => {
            "more came after a silence, which ended the reply: give it a longer `within_ms`"
        }
        _ if reply.lines.is_some() => {
            "more came than `lines` counts: say a larger number, for this input at least"
        }
        _ if reply.frame_length().is_some() => {
            "more came than one frame, or than `frames` counts: raise `frames`, for this input at least; or `plus`, where the length \
             field leaves out more bytes of a frame"
        }
        _ if reply.frames.is_some() => {
            "more came than `frames` counts: raise `frames`, for this input at least"
        }
        _ if reply.length.is_some() => {
            "more came than `length` counts: say a larger number, for this input at least"
        }
        _ if reply.last_line.is_some() => {
            "more came after a line that fits `last_line`: let `last_line` fit only the last line of a reply"
        }
        _ if reply.patterns.is_empty() => {
            "more came after a silence as long as `quiet_ms`: give it a longer `quiet_ms`"
        }
        _ if reply.quiet.is_some() => {
            "more came after bytes that `match` fits, or after a silence: let `match` fit only the end of a reply, or give it a longer \
             `grace_ms` and `quiet_ms`"
        }
        _ => {
            "more came after bytes that `match` fits: let `match` fit only the end of a reply, or give it a longer `grace_ms`"
        }
    }
}

fn late_error(after: String, before: String, late: &[u8], help: String) -> LinkError {
    LinkError::Late { after, before, count: late.len(), received: excerpt(late), help }
}

/// When late bytes came.
fn before(rule: &InputRule) -> String {
    format!(", before `{}` was sent", rule.name)
}

/// Shortens a name for a message.
fn excerpt_of_name(name: &str) -> String {
    match name.char_indices().nth(NAME_SHOWN) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

fn during_reset(error: io::Error) -> LinkError {
    LinkError::during(error, "it was being reset")
}

fn numbers(word: &[(Input, Option<String>)]) -> Vec<u32> {
    word.iter().map(|(input, _)| input.index()).collect()
}
