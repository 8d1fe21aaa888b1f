//! One input and its reply.

use std::io::{self, ErrorKind};
use std::time::Duration;

use super::control_lines::ControlLines;
use super::echo::OddEchoes;
use super::error::LinkError;
use super::link::TimedLink;
use super::reconnect::reconnect;
use super::reply::{ReplyParser, Unending};
use super::shell::run_command;
use super::unfinished::HeldBytes;
use crate::device::{DeviceFile, DeviceStep, InputRule, PortSection, ReplySection, Variables};
use crate::escape::excerpt;

/// Gives the device one input and reads the reply.
pub(super) struct Exchange<'a, L> {
    pub(super) link: &'a mut L,
    pub(super) lines: &'a mut ControlLines,
    pub(super) device: &'a DeviceFile,
    pub(super) rule: &'a InputRule,
    pub(super) variables: &'a mut Variables,
    pub(super) echoes: &'a mut OddEchoes,
    /// Whether an end of the connection ends the reply.
    pub(super) may_close: bool,
    /// The bytes sent since the last reply, and the bytes that have already arrived.
    pub(super) sent: Vec<u8>,
    pub(super) early: Vec<u8>,
    /// The beginning of what `strip` may remove: what came before the input, at first.
    pub(super) held: HeldBytes,
    /// What of it did not become a match.
    pub(super) broken: Vec<u8>,
}

/// The reply to an input.
#[derive(Debug, Default)]
pub(super) struct HeardReply {
    /// The part of the reply that counts; `None` if the device was silent.
    pub(super) output: Option<Vec<u8>>,
    /// The same without its checksums; `None` if one is wrong.
    pub(super) verified: Option<Vec<u8>>,
    /// The bytes that came after the end.
    pub(super) excess: Vec<u8>,
    /// What came before the input, looked like the beginning of what `strip` removes, and was none.
    pub(super) broken: Vec<u8>,
    /// The beginning of what `strip` may remove. It counts for nothing yet.
    pub(super) held: HeldBytes,
    /// The bytes sent before the reply.
    pub(super) sent: Vec<u8>,
    /// The time from the end of the input to the last byte.
    pub(super) took: Duration,
    /// The time from the end of the input until the reply was known to have ended.
    pub(super) ended: Duration,
    /// Whether the connection ended.
    pub(super) is_closed: bool,
    /// What is wrong with a frame; see [`ReplyParser::fault`].
    pub(super) fault: Option<&'static str>,
    /// Whether only silence ended the reply; see [`ReplyParser::is_unmet`].
    pub(super) is_unmet: bool,
    /// Whether a time ended the reply; see [`ReplyParser::has_expired`].
    pub(super) has_expired: bool,
}

impl HeardReply {
    /// Nothing: the connection ended before the device could say something.
    pub(super) fn of_end() -> Self {
        Self { is_closed: true, ..Self::default() }
    }
}

impl<L: TimedLink> Exchange<'_, L> {
    /// Does the steps of the input and reads the reply to the last one. If an `expect` is not met,
    /// the reply to that step is returned and the later steps are skipped.
    pub(super) fn run(mut self) -> Result<HeardReply, LinkError> {
        match self.run_steps() {
            Err(LinkError::Gone { .. }) if self.may_close => Ok(HeardReply::of_end()),
            result => Ok(HeardReply { broken: self.broken, held: self.held, ..result? }),
        }
    }

    fn run_steps(&mut self) -> Result<HeardReply, LinkError> {
        let (last, before) = self.rule.steps.split_last().expect("an input has a step");
        for step in before {
            match step {
                DeviceStep::Wait(time) => {
                    let until = self.link.now() + *time;
                    let result = self.link.collect(until, &mut self.early);
                    result.map_err(|error| self.failed(error, "was sent"))?;
                }
                DeviceStep::Expect(expect) => {
                    let rule = self.rule.reply.expecting(expect);
                    let sent = std::mem::take(&mut self.sent);
                    let reply = ReplyParser::new(&rule, &sent);
                    let heard = self.receive(reply, sent.clone(), false)?;
                    let reply = heard.output.as_deref().unwrap_or_default();
                    if !expect.pattern.is_match(reply) {
                        return Ok(heard);
                    }
                    self.device.capture(reply, self.variables);
                    self.early = heard.excess;
                }
                act => self.act(act)?,
            }
        }
        let rule: &ReplySection = &self.rule.reply;
        if let DeviceStep::Wait(time) = last {
            let sent = std::mem::take(&mut self.sent);
            let reply = ReplyParser::while_waiting(rule, &sent, *time);
            return self.receive(reply, sent, true);
        }
        self.act(last)?;
        let sent = std::mem::take(&mut self.sent);
        self.receive(ReplyParser::new(rule, &sent), sent, false)
    }

    fn act(&mut self, act: &DeviceStep) -> Result<(), LinkError> {
        match act {
            DeviceStep::Send(message) => {
                let bytes = message.send(self.variables);
                send(self.link, &self.device.port, &bytes, &mut self.early)
                    .map_err(|error| self.failed(error, "was sent"))?;
                self.sent.extend(bytes);
            }
            DeviceStep::Set(line, level) => {
                self.lines
                    .set(self.link, *line, *level)
                    .map_err(|error| self.failed(error, "was done"))?;
            }
            DeviceStep::Run(run) => {
                let result = run_command(self.link, run, &mut self.early);
                let input = || self.rule.name.clone();
                result
                    .map_err(|error| self.failed(error, "was done"))?
                    .map_err(|why| LinkError::Command { input: input(), why })?;
            }
            DeviceStep::Reconnect => {
                self.early.clear();
                self.held = HeldBytes::default();
                reconnect(self.link, self.lines, &self.device.port)?;
            }
            DeviceStep::Pin(name, _) => {
                let input = self.rule.name.clone();
                return Err(LinkError::Command { input, why: no_pin(name) });
            }
            DeviceStep::Probe(_) => {
                let input = self.rule.name.clone();
                return Err(LinkError::Command { input, why: BY_A_BOARD.to_owned() });
            }
            DeviceStep::Wait(_) | DeviceStep::Expect(_) => {}
        }
        Ok(())
    }

    /// Reads until the reply has ended: by the clock, if it is what comes during a wait.
    fn receive(
        &mut self,
        mut reply: ReplyParser<'_>,
        sent: Vec<u8>,
        is_wait: bool,
    ) -> Result<HeardReply, LinkError> {
        let started = self.link.now();
        if self.held.before > 0 {
            self.link.note_resumed(&self.held.bytes);
        }
        let early = std::mem::take(&mut self.early);
        let mut taken = reply.take(&self.without_held(&early, is_wait), Duration::ZERO);
        let mut buffer = [0; 512];
        let mut is_closed = false;
        loop {
            taken.map_err(|unending| self.unending(unending, reply.raw()))?;
            let Some(deadline) = reply.deadline() else { break };
            let count = match self.link.read(&mut buffer, started + deadline) {
                Err(error) if self.may_close && error.kind() == ErrorKind::BrokenPipe => {
                    is_closed = true;
                    0
                }
                read => read.map_err(|error| self.failed(error, "was being answered"))?,
            };
            let now = self.link.now();
            let (came, piece) = match count {
                0 => (self.held.last, self.without_old(now, is_closed)),
                _ => (now, self.without_held(&buffer[..count], is_wait)),
            };
            taken = match count {
                0 if piece.is_empty() => Ok(()),
                _ => reply.take(&piece, came.saturating_sub(started)),
            };
            if count == 0 {
                reply.expire();
            }
        }
        let odd = reply.odd_echo().filter(|odd| self.echoes.is_fault(&self.rule.name, odd));
        if let Some(odd) = odd {
            // What follows the line end of the echo.
            let text = reply.output().unwrap_or_default();
            let line_end = text.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let output = match &text[line_end..] {
                b"" => self.rule.reply.silent.clone(),
                text => self.device.name_output(text),
            };
            let (input, received) = (self.rule.name.clone(), excerpt(&odd));
            return Err(LinkError::Echo { input, received, output });
        }
        Ok(HeardReply {
            output: reply.output().map(<[u8]>::to_vec),
            verified: reply.verified(),
            excess: reply.excess().to_vec(),
            sent,
            took: reply.last(),
            ended: self.link.now().saturating_sub(started),
            is_closed,
            fault: reply.fault(),
            is_unmet: reply.is_unmet() && !is_closed,
            has_expired: reply.has_expired() && !is_closed,
            ..HeardReply::default()
        })
    }

    /// The text of a piece, with what was held back before it. What may be the beginning of an unasked line is held back: the
    /// clock may have ended a wait in it. A reply that ends by itself is not cut short, so only a line from before it is.
    fn without_held(&mut self, piece: &[u8], is_wait: bool) -> Vec<u8> {
        let strip = &self.rule.reply.strip;
        let holds = is_wait && !strip.is_empty() && self.rule.reply.stuffing.is_none();
        if piece.is_empty() || !holds && self.held.before == 0 {
            return piece.to_vec();
        }
        self.held.bytes.extend_from_slice(piece);
        self.held.last = self.link.now();
        let resumed = self.held.resume(strip);
        self.broken.extend(resumed.broken);
        let mut text = resumed.text;
        if !holds && self.held.before == 0 {
            text.append(&mut self.held.bytes);
        }
        text
    }

    /// What was held back and belongs to the reply: nothing has followed it for long, nothing can follow it, or it is only the
    /// end of the line before.
    fn without_old(&mut self, now: Duration, is_closed: bool) -> Vec<u8> {
        let is_line_end = self.held.bytes.trim_ascii().is_empty();
        let is_of_reply = is_closed || is_line_end || self.held.is_old(now);
        match self.held.before == 0 && is_of_reply {
            true => std::mem::take(&mut self.held.bytes),
            false => Vec::new(),
        }
    }

    fn failed(&self, error: io::Error, done: &str) -> LinkError {
        LinkError::during(error, format!("`{}` {done}", self.rule.name))
    }

    fn unending(&self, unending: Unending, received: &[u8]) -> LinkError {
        let (limit, key) = match unending {
            Unending::Bytes => (format!("{} bytes", self.rule.reply.max_bytes), "`max_bytes`"),
            Unending::Time => (format!("{} ms", self.rule.reply.max.as_millis()), "`max_ms`"),
        };
        let (input, received) = (self.rule.name.clone(), excerpt(received));
        LinkError::Unending { input, limit, key, received }
    }
}

/// Why a pin cannot be set from here.
pub(super) fn no_pin(name: &str) -> String {
    format!("the pin `{name}` is on a board; learn with --agent or `mealybug target`")
}

/// Why a device cannot be probed from here.
pub(super) const BY_A_BOARD: &str =
    "only a board can probe the device; learn with --agent or `mealybug target`";

/// Sends `bytes` at the pace of the port; bytes that arrive in the pauses go to `early`.
pub(super) fn send<L: TimedLink>(
    link: &mut L,
    port: &PortSection,
    bytes: &[u8],
    early: &mut Vec<u8>,
) -> io::Result<()> {
    let mut lines = lines(port, bytes).into_iter().peekable();
    while let Some(line) = lines.next() {
        let size = if port.char_delay.is_zero() { line.len().max(1) } else { 1 };
        for piece in line.chunks(size) {
            link.write(piece)?;
            pause(link, port.char_delay, early)?;
        }
        if lines.peek().is_some() {
            pause(link, port.line_delay, early)?;
        }
    }
    Ok(())
}

fn pause<L: TimedLink>(link: &mut L, time: Duration, early: &mut Vec<u8>) -> io::Result<()> {
    if time.is_zero() {
        return Ok(());
    }
    let until = link.now() + time;
    link.collect(until, early)
}

/// Splits `bytes` into lines, with their ends, if the port needs a pause between lines.
fn lines<'b>(port: &PortSection, bytes: &'b [u8]) -> Vec<&'b [u8]> {
    if port.line_delay.is_zero() {
        return vec![bytes];
    }
    let mut lines = Vec::new();
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let is_end = match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        if is_end || at + 1 == bytes.len() {
            lines.push(&bytes[start..=at]);
            start = at + 1;
        }
    }
    lines
}
