//! Warnings about a device file, drawn from what the device says.

use super::exchange::HeardReply;
use super::noise::{is_noise, is_text};
use crate::device::ReplySection;
use crate::escape::excerpt;

/// The number of replies that a conclusion needs.
const ENOUGH: u32 = 10;
/// The shortest echo: a single equal byte may be the reply itself.
const ECHO_BYTES: usize = 2;

/// Notices what is wrong with the rules for replies.
#[derive(Debug, Default)]
pub(super) struct PortWarnings {
    /// The replies that `match` or `last_line` should have ended, how many of them neither pattern
    /// matched, and an example of those.
    to_match: u32,
    unmatched: u32,
    example: String,
    /// The replies to long enough messages without `echo` in the file, and how many began with the
    /// message.
    to_echo: u32,
    echoed: u32,
    /// The inputs, how many of them were answered, and how many answers to text were noise.
    asked: u32,
    answered: u32,
    noisy: u32,
    pub(super) suspect_words: u64,
}

impl PortWarnings {
    /// Counts a reply.
    pub(super) fn hear(&mut self, rule: &ReplySection, heard: &HeardReply) {
        self.asked += 1;
        let Some(output) = &heard.output else { return };
        self.answered += 1;
        self.noisy += u32::from(is_text(&heard.sent) && is_noise(output));
        if let Some(matched) = heard.matched {
            self.to_match += 1;
            if !matched {
                self.unmatched += 1;
                self.example = excerpt(output);
            }
        }
        let sent = heard.sent.trim_ascii_end();
        if !rule.echo && sent.len() >= ECHO_BYTES {
            self.to_echo += 1;
            self.echoed += u32::from(output.starts_with(sent));
        }
    }

    /// The warnings for the user; `has_baud` says whether the line has a baud rate.
    pub(super) fn warnings(&self, has_baud: bool) -> impl Iterator<Item = String> {
        let Self { to_match, unmatched, example, to_echo, echoed, .. } = self;
        let Self { asked, answered, noisy, suspect_words, .. } = self;
        let mute = (*asked >= ENOUGH && *answered == 0).then(|| {
            let baud = if has_baud { ", are `baud` and `format` those of the device" } else { "" };
            format!(
                "not one of {asked} inputs was answered: is the device on and connected{baud}, and \
                 does what is sent end as it wants it?"
            )
        });
        let noisy = (*answered >= ENOUGH && noisy == answered).then(|| {
            let why = match has_baud {
                true => "are `baud` and `format` those of the device?",
                false => "is this its port, and is the port behind it set as the device wants it?",
            };
            format!("what is sent is text, and no answer is: {why}")
        });
        let unmatched = (*to_match >= ENOUGH && unmatched == to_match).then(|| {
            format!(
                "none of {to_match} replies was ended by `match` or `last_line`: all were waited \
                 for until silence, such as `{example}`; do the patterns fit?"
            )
        });
        let echoed = (*to_echo >= ENOUGH && echoed == to_echo).then(|| {
            format!(
                "all of {to_echo} replies begin with what was sent: `echo = true` in [reply] \
                 takes that away"
            )
        });
        let suspect = (*suspect_words > 0).then(|| {
            format!(
                "{suspect_words} words were asked again, since bytes came after the end of their \
                 last reply; `settle_ms` in [reply] would wait for them"
            )
        });
        [mute, noisy, unmatched, echoed, suspect].into_iter().flatten()
    }
}
