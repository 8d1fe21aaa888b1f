//! What a device says after a step of the reset, and when.
//!
//! The first thing that it says may come late for two reasons: the device starts for so long, or it was ready long before, as a
//! boot loader is that starts a program by a time-out. A line that does no harm tells: who answers it before that text is ready.

use std::time::Duration;

use mealybug::draft::{ResetDraft, SILENT_STEP_MS};
use mealybug::duration_text;
use mealybug::escape::escape;
use mealybug::serial::{ANSWER_WITHIN, HeardBurst, TimedLink, ask_beside, without_escapes};
use miette::Result;

use crate::cmd::init::known::Known;
use crate::cmd::init::questions::Questions;

/// Texts with a shorter pause between them are shown as one.
const CLEAR_PAUSE: Duration = Duration::from_millis(300);
/// What came sooner came at once.
const AT_ONCE: Duration = Duration::from_millis(50);

/// What a device said after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeardStart {
    /// The texts, with a clear pause before each but the first. All have bytes.
    bursts: Vec<StartBurst>,
    /// Whether the device ended the connection.
    pub(super) is_closed: bool,
}

/// What came without a clear pause. Times count from the step.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StartBurst {
    began: Duration,
    ended: Duration,
    bytes: Vec<u8>,
}

impl HeardStart {
    /// What was `seen` while the step was taken, and `heard` after it was `taken`.
    pub(super) fn new(taken: Duration, seen: Vec<u8>, heard: Vec<HeardBurst>) -> Self {
        let is_closed = heard.last().is_some_and(|last| last.is_closed);
        let seen = StartBurst { began: Duration::ZERO, ended: Duration::ZERO, bytes: seen };
        let after = heard.into_iter().map(|heard| StartBurst {
            began: heard.began.saturating_sub(taken),
            ended: heard.ended.saturating_sub(taken),
            bytes: heard.bytes,
        });
        let mut bursts: Vec<StartBurst> = Vec::new();
        for burst in [seen].into_iter().chain(after).filter(|burst| !burst.bytes.is_empty()) {
            match bursts.last_mut() {
                Some(last) if burst.began < last.ended + CLEAR_PAUSE => {
                    last.bytes.extend(burst.bytes);
                    last.ended = burst.ended;
                }
                _ => bursts.push(burst),
            }
        }
        Self { bursts, is_closed }
    }

    /// All that came.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.bursts.iter().flat_map(|burst| &burst.bytes).copied().collect()
    }

    /// Takes the escape sequences of terminals out, and returns whether there were any.
    pub(super) fn strip_escapes(&mut self) -> bool {
        let before = self.bytes().len();
        for burst in &mut self.bursts {
            burst.bytes = without_escapes(&burst.bytes).into_owned();
        }
        self.bytes().len() < before
    }

    /// The silence before the first text, if it is longer than any answer to a line that was tried.
    fn late(&self) -> Option<Duration> {
        self.bursts.first().map(|first| first.began).filter(|began| *began > ANSWER_WITHIN)
    }

    /// What came, and when, as a person reads it.
    pub(super) fn shown(&self, known: &Known) -> String {
        let text = |burst: &StartBurst| (known.shown(&burst.bytes), after(burst.began));
        match self.bursts.as_slice() {
            [] => String::new(),
            [burst] => {
                let (text, after) = text(burst);
                format!("  Then came `{text}` {after}\n")
            }
            bursts => {
                let lines = bursts.iter().map(text);
                let lines: String =
                    lines.map(|(text, after)| format!("    {after}: `{text}`\n")).collect();
                format!("  Then came\n{lines}")
            }
        }
    }
}

/// When a text came; times are shown in tenths of a second.
fn after(time: Duration) -> String {
    match time < AT_ONCE {
        true => "at once".to_owned(),
        false => format!("after {}", duration_text::text(time.as_secs_f64())),
    }
}

impl Questions<'_> {
    /// Says that the first text came late, where it did, and what that may mean. Returns whether the device is ready before it.
    pub(super) fn is_ready_before(
        &mut self,
        link: &mut impl TimedLink,
        steps: &[ResetDraft],
        heard: &HeardStart,
    ) -> Result<bool> {
        let Some(late) = heard.late() else { return Ok(false) };
        let silence = duration_text::text(late.as_secs_f64());
        let answered = match self.line_to_try() {
            Some(line) => {
                self.say(&format!(
                    "  Nothing came for {silence}. Is the device ready before that? The reset is taken again, and `{}` is sent \
                     {SILENT_STEP_MS} ms after it ...\n",
                    self.known.harmless.as_deref().map(|line| escape(line.as_bytes())).unwrap_or_default()
                ))?;
                self.ask_before(link, steps, &line, late)?
            }
            None => None,
        };
        // An answer that is also what the device says when it starts tells nothing.
        let tells = |answer: &Vec<u8>| answer.is_empty() || !heard.bytes().starts_with(answer);
        match answered.filter(tells).as_deref() {
            None => self.say(&format!(
                "  Nothing came for {silence}. The device may have been ready before that, as a boot loader is that starts a program by a \
                 time-out: then enter -, and the reset waits for nothing. Enter takes what is in brackets.\n"
            ))?,
            Some([]) => self.say(
                "  No answer came: the device seems to be ready only when it says that. `-` waits for nothing.\n",
            )?,
            Some(answer) => {
                self.say(&format!(
                    "  It answered `{}`: it is ready before it says that. Enter waits for nothing.\n",
                    self.known.shown(answer)
                ))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The line that does no harm, if the device has answered it at a serial port. A server may refuse a line before its greeting.
    fn line_to_try(&self) -> Option<Vec<u8>> {
        let known = &self.known;
        let line = known.harmless.as_ref().filter(|_| known.has_baud && known.talk.is_some())?;
        Some([line.as_bytes(), known.line_end.as_bytes()].concat())
    }

    /// What the device answers to a line soon after the steps, before the text that comes `late`; `None` if that cannot be told.
    /// Afterwards all steps are taken again.
    fn ask_before(
        &mut self,
        link: &mut impl TimedLink,
        steps: &[ResetDraft],
        line: &[u8],
        late: Duration,
    ) -> Result<Option<Vec<u8>>> {
        let Some((last, before)) = steps.split_last() else { return Ok(None) };
        for step in before {
            self.try_step(link, step)?;
        }
        let soon = Duration::from_millis(SILENT_STEP_MS);
        let is_silent = |heard: HeardStart| heard.bytes().is_empty() && !heard.is_closed;
        if !self.try_step_within(link, last, soon)?.is_some_and(is_silent) {
            return Ok(None);
        }
        // What comes later may be that text.
        let within = (late / 2).min(ANSWER_WITHIN);
        let heard = ask_beside(link, link.now(), line, within, &self.known.unasked);
        for step in steps {
            self.try_step(link, step)?;
        }
        let sent = ResetDraft::Send(line.to_vec());
        Ok(heard.ok().map(|heard| {
            let shown = without_escapes(&heard.bytes);
            let answer = self.known.after_echo(&sent, &shown);
            if answer.trim_ascii().is_empty() { Vec::new() } else { answer.to_vec() }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_within_a_short_pause_is_one_text() {
        let ms = Duration::from_millis;
        let burst = |began, ended, bytes: &[u8]| HeardBurst {
            bytes: bytes.to_vec(),
            began: ms(began),
            ended: ms(ended),
            is_closed: false,
        };
        let shown = |next| {
            let heard =
                vec![burst(1049, 1100, b"a"), burst(next, next, b"b"), burst(9000, 9000, b"")];
            HeardStart::new(ms(1000), Vec::new(), heard).shown(&Known::new())
        };
        assert_eq!(shown(1399), "  Then came `ab` at once\n");
        assert_eq!(shown(1400), "  Then came\n    at once: `a`\n    after 0.4 s: `b`\n");
        let seen = HeardStart::new(ms(1000), b"x".to_vec(), vec![burst(2700, 2700, b"y")]);
        assert_eq!(
            seen.shown(&Known::new()),
            "  Then came\n    at once: `x`\n    after 1.7 s: `y`\n"
        );
    }
}
