//! The device at the end of a link, as the learner sees it.

use mealybug_core::wire::message::{DeviceError, Refusal, Rule};
use mealybug_core::{Input, Sul};

use crate::rules::{Act, Rules};
use crate::{Attached, Link, Overrun};

/// The longest reply, in bytes.
const MAX_REPLY: usize = 256;

/// A device that is talked to by the rules that a host sends.
#[derive(Debug)]
pub struct Conversation<L> {
    rules: Rules,
    link: L,
    reply: [u8; MAX_REPLY],
}

impl<L: Link> Conversation<L> {
    /// A device that may be in any state, and no rules yet.
    pub const fn new(link: L) -> Self {
        Self { rules: Rules::new(), link, reply: [0; MAX_REPLY] }
    }

    /// Reads a reply and says how long it is.
    fn read(&mut self) -> Result<usize, DeviceError> {
        let Some(rule) = self.rules.reply else { return Ok(0) };
        let end = self.rules.text(rule.ends_with);
        let quiet_ms = if rule.quiet_ms > 0 { rule.quiet_ms } else { rule.within_ms };
        let (mut len, mut matched, mut lines) = (0, 0, 0);
        let mut deadline_ms = self.link.now_ms().saturating_add(rule.within_ms.into());
        while let Some(byte) = self.link.read_until(deadline_ms)? {
            if self.rules.strips(byte) {
                continue;
            }
            *self.reply.get_mut(len).ok_or(DeviceError::TooLong)? = byte;
            len += 1;
            matched = advance(end, matched, byte);
            lines += u32::from(byte == b'\n');
            let has_end = !end.is_empty() && matched == end.len();
            if has_end || rule.lines > 0 && lines >= rule.lines {
                break;
            }
            deadline_ms = self.link.now_ms().saturating_add(quiet_ms.into());
        }
        Ok(len)
    }

    /// What comes while so much time passes.
    fn wait(&mut self, ms: u32) -> Result<usize, DeviceError> {
        let deadline_ms = self.link.now_ms().saturating_add(ms.into());
        let mut len = 0;
        while let Some(byte) = self.link.read_until(deadline_ms)? {
            if !self.rules.strips(byte) {
                *self.reply.get_mut(len).ok_or(DeviceError::TooLong)? = byte;
                len += 1;
            }
        }
        Ok(len)
    }
}

impl<L: Link> Sul for Conversation<L> {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        let mut at = 0;
        while let Some(step) = self.rules.reset_step(at) {
            at += 1;
            // What came before, lost or not, is of no interest.
            while self.link.read_until(0) != Ok(None) {}
            self.link.write(self.rules.text(step.send));
            let text = self.rules.text(step.expect);
            expect(&mut self.link, text, step.within_ms, |byte| self.rules.strips(byte))?;
            if step.quiet_ms > 0 {
                let quiet_until_ms = self.link.now_ms().saturating_add(step.quiet_ms.into());
                if self.link.read_until(quiet_until_ms)?.is_some() {
                    return Err(DeviceError::NotReset);
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], DeviceError> {
        if self.link.read_until(0)?.is_some() {
            return Err(DeviceError::Late);
        }
        let len = match self.rules.act(input) {
            Some(Act::Send(text)) => {
                self.link.write(self.rules.text(text));
                self.read()?
            }
            Some(Act::Wait { ms }) => self.wait(ms)?,
            None => 0,
        };
        let reply = self.reply.get(..len).unwrap_or(&[]);
        Ok(if reply.is_empty() { self.rules.silent() } else { reply })
    }
}

impl<L: Link> Attached for Conversation<L> {
    fn inputs(&self) -> u32 {
        self.rules.inputs()
    }

    fn input_name(&self, input: Input) -> &[u8] {
        self.rules.input_name(input)
    }

    fn take(&mut self, number: u32, rule: Rule<'_>) -> Result<(), Refusal> {
        self.rules.take(number, rule)
    }

    fn check(&self) -> Result<(), Refusal> {
        self.rules.check()
    }
}

impl From<Overrun> for DeviceError {
    fn from(Overrun: Overrun) -> Self {
        Self::Overrun
    }
}

/// Waits until what comes, without the bytes that are stripped, ends with a text.
pub(crate) fn expect(
    link: &mut impl Link,
    text: &[u8],
    within_ms: u32,
    strips: impl Fn(u8) -> bool,
) -> Result<(), DeviceError> {
    let deadline_ms = link.now_ms().saturating_add(within_ms.into());
    let mut matched = 0;
    while matched < text.len() {
        let byte = link.read_until(deadline_ms)?.ok_or(DeviceError::NotReset)?;
        if !strips(byte) {
            matched = advance(text, matched, byte);
        }
    }
    Ok(())
}

/// How many bytes at the end of what came are the beginning of `text`, if `matched` were before
/// this byte.
fn advance(text: &[u8], matched: usize, byte: u8) -> usize {
    let seen = || text.iter().take(matched).copied().chain([byte]);
    // The whole of it first: it is nearly always that, or nothing.
    (1..=text.len().min(matched + 1))
        .rev()
        .find(|&len| seen().skip(matched + 1 - len).eq(text.iter().take(len).copied()))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_found_wherever_it_begins() {
        for text in ["> ", "aab", "abab", "aaaa", "x"] {
            for came in ["", "> ", ">> ", "> > ", "aaab", "ababab", "abaabab", "aaaaa", "xx", ">x "]
            {
                let mut matched = 0;
                for (at, byte) in came.bytes().enumerate() {
                    matched = advance(text.as_bytes(), matched, byte);
                    let ends = came[..=at].ends_with(text);
                    assert_eq!(matched == text.len(), ends, "{text:?} in {:?}", &came[..=at]);
                }
            }
        }
    }
}
