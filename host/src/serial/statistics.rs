//! What is counted at a port: where the time goes, and what replies are like.

use std::time::Duration;

use super::echo::EchoFilter;
use super::exchange::HeardReply;
use super::noise::{is_noise, is_text};
use crate::device::ReplySection;
use crate::escape::excerpt;
use crate::target::is_capture;

/// The shortest echo: a single equal byte may be the reply itself.
const ECHO_BYTES: usize = 2;

/// The time spent on one input or one reset method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeSpent {
    /// How often it was done, successfully or not.
    pub count: u64,
    /// How often it failed.
    pub failed: u64,
    /// The total time.
    pub total: Duration,
    /// The longest time.
    pub longest: Duration,
}

/// What was counted at a port so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortStatistics {
    /// Each reset method, in the order of the file.
    pub resets: Vec<TimeSpent>,
    /// Each input, by number.
    pub inputs: Vec<TimeSpent>,
    /// Whether the port has a baud rate.
    pub has_baud: bool,
    /// What the replies to each input were like, by number.
    pub replies: Vec<ReplyCounts>,
    /// Whether the device said anything during a reset.
    pub is_heard_at_reset: bool,
    /// Bytes that came after the end of a reply, before another input or a reset.
    pub late_bytes: u64,
    /// Words that were asked again because bytes came after their last reply.
    pub suspect_words: u64,
}

impl PortStatistics {
    /// The time that all resets and inputs took.
    pub fn spent(&self) -> Duration {
        self.resets.iter().chain(&self.inputs).map(|spent| spent.total).sum()
    }
}

/// What the replies to one input were like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplyCounts {
    /// How often nothing came.
    pub silent: u32,
    /// How often something came.
    pub answered: u32,
    /// How many replies only silence ended, though the device file describes another end.
    pub unmet: u32,
    /// The latest of them, for people.
    pub unmet_reply: String,
    /// How many replies to text were no text.
    pub noisy: u32,
    /// How many of these are frames of a board with our learner or agent.
    pub of_target: u32,
    /// How many replies could begin with an echo that the device file does not take away.
    pub echoable: u32,
    /// How many of them did.
    pub echoed: u32,
    /// How many of the others began with nearly the echo.
    pub oddly_echoed: u32,
}

impl ReplyCounts {
    /// Counts a reply.
    pub(super) fn hear(&mut self, rule: &ReplySection, heard: &HeardReply) {
        let Some(output) = &heard.output else {
            self.silent += u32::from(!heard.is_closed);
            return;
        };
        self.answered += 1;
        // Bytes that fit such a rule may well be no text.
        let is_binary = rule.length.is_some()
            || rule.frames.is_some()
            || rule.checksum.is_some()
            || rule.patterns.iter().any(|pattern| names_bytes(pattern.as_str()));
        let is_text = is_text(&heard.sent) && (heard.is_unmet || !is_binary);
        let is_of_target = is_text && is_capture(output);
        self.of_target += u32::from(is_of_target);
        self.noisy += u32::from(is_text && (is_of_target || is_noise(output)));
        if heard.is_unmet {
            self.unmet += 1;
            self.unmet_reply = excerpt(output);
        }
        let sent = heard.sent.trim_ascii_end();
        if !rule.echo && sent.len() >= ECHO_BYTES {
            let is_echo = output.starts_with(sent);
            let is_odd = || EchoFilter::of(&heard.sent, &rule.strip).odd(output).is_some();
            self.echoable += 1;
            self.echoed += u32::from(is_echo);
            self.oddly_echoed += u32::from(!is_echo && is_odd());
        }
    }
}

/// Whether a pattern is for bytes that are no ASCII text, such as `\xff\xff$`.
fn names_bytes(pattern: &str) -> bool {
    let escapes = pattern.split("\\x").skip(1).map(|rest| rest.trim_start_matches('{'));
    escapes.filter_map(|rest| rest.chars().next()).any(|digit| digit.to_digit(16) >= Some(8))
}

impl TimeSpent {
    /// Counts one more.
    pub(super) fn add(&mut self, time: Duration, worked: bool) {
        self.count += 1;
        self.failed += u64::from(!worked);
        self.total += time;
        self.longest = self.longest.max(time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_of_bytes_that_are_no_text_is_known() {
        for (pattern, is_of_bytes) in [
            (r"\xff\xff$", true),
            (r"\x{ff}$", true),
            (r"^\x06", false),
            (r"\x{06}ok", false),
            ("xff", false),
        ] {
            assert_eq!(names_bytes(pattern), is_of_bytes, "{pattern}");
        }
    }
}
