//! Resets the device with one reset method.

use std::io;
use std::thread;
use std::time::Duration;

use super::control_lines::ControlLines;
use super::error::LinkError;
use super::exchange::{BY_A_BOARD, no_pin, send};
use super::link::TimedLink;
use super::noise::{Unexpected, is_for_text, is_noise};
use super::reconnect::{reconnect, reconnect_when_back};
use super::shell::run_command;
use super::strip::clean;
use super::unfinished::unfinished;
use crate::device::{DeviceFile, DeviceStep, Expect, ResetMethod, Variables};
use crate::escape::excerpt;
use crate::target::is_capture;

/// How long to wait for silence after a method without `expect`.
const SETTLE_WITHIN: Duration = Duration::from_secs(1);
/// How many received bytes to keep: the last ones.
const KEEP_BYTES: usize = 64 * 1024;

/// Why a reset method did not work.
pub(super) enum ResetFailure {
    /// The link failed: other methods would fail, too.
    Link(LinkError),
    /// The device did not do what it should; the next method may work.
    Device { why: String, received: Unexpected },
}

impl From<io::Error> for ResetFailure {
    fn from(error: io::Error) -> Self {
        Self::Link(LinkError::during(error, "it was being reset"))
    }
}

/// What is left of a reset that worked.
pub(super) struct DoneReset {
    /// The variables for the next word.
    pub(super) variables: Variables,
    /// Whether the device said anything.
    pub(super) is_heard: bool,
    /// The beginning of a line that `strip` removes: the device has begun it and not finished it.
    pub(super) unfinished: Vec<u8>,
    /// When its last byte had come, at the latest.
    pub(super) last: Duration,
}

/// One reset in progress.
pub(super) struct ResetAttempt<'a, L> {
    link: &'a mut L,
    device: &'a DeviceFile,
    lines: &'a mut ControlLines,
    /// The variables of messages, with their initial values.
    variables: Variables,
    /// The bytes received since the last act.
    seen: Vec<u8>,
    /// Whether the connection may have ended as it should, so that the device may be away for a while.
    has_ended: bool,
    /// Whether the device has said anything.
    is_heard: bool,
    /// When the last of what it said had come, at the latest.
    last: Duration,
    /// Whether nothing was done to the device yet.
    is_first_act: bool,
}

impl<'a, L: TimedLink> ResetAttempt<'a, L> {
    pub(super) fn new(
        link: &'a mut L,
        device: &'a DeviceFile,
        lines: &'a mut ControlLines,
        has_ended: bool,
    ) -> Self {
        let (variables, seen) = (device.variables(), Vec::new());
        Self {
            link,
            device,
            lines,
            variables,
            seen,
            has_ended,
            is_heard: false,
            last: Duration::ZERO,
            is_first_act: true,
        }
    }

    /// Runs the steps of `method` and waits until the device is back and quiet. Discards what it
    /// said, but for the beginning of an unasked line.
    pub(super) fn try_method(mut self, method: &ResetMethod) -> Result<DoneReset, ResetFailure> {
        for (at, step) in method.steps.iter().enumerate() {
            match self.take(step) {
                // The device has ended the connection, and a later step opens a new one.
                Err(ResetFailure::Link(LinkError::Gone { .. }))
                    if method.steps[at + 1..].contains(&DeviceStep::Reconnect) =>
                {
                    self.has_ended = true;
                }
                result => result?,
            }
        }
        self.await_text(method.expect.as_ref(), method.quiet)?;
        self.capture();
        let unfinished = self.unfinished()?;
        if unfinished.is_empty() {
            self.link.clear_received()?;
        }
        self.is_heard |= !self.seen.is_empty();
        let variables = Variables { sequence: 0, ..self.variables };
        Ok(DoneReset { variables, is_heard: self.is_heard, unfinished, last: self.last })
    }

    /// The end of what has arrived, if it may be the beginning of a line that `strip` removes.
    fn unfinished(&mut self) -> Result<Vec<u8>, ResetFailure> {
        let strip = &self.device.strip;
        if strip.is_empty() || self.device.stuffing.is_some() {
            return Ok(Vec::new());
        }
        let now = self.link.now();
        let mut all = self.seen.clone();
        self.link.collect(now, &mut all)?;
        if all.len() > self.seen.len() {
            self.last = now;
        }
        Ok(all.split_off(unfinished(strip, &all)))
    }

    fn take(&mut self, step: &DeviceStep) -> Result<(), ResetFailure> {
        match step {
            DeviceStep::Wait(time) => {
                let until = self.link.now() + *time;
                let heard = self.link.collect(until, &mut self.seen);
                self.last = self.link.now();
                let heard = heard.map_err(ResetFailure::from);
                // A wait lasts as long as it says without a connection, too: the power may be off.
                if let Err(ResetFailure::Link(LinkError::Gone { .. })) = heard {
                    thread::sleep(until.saturating_sub(self.link.now()));
                }
                heard?;
            }
            DeviceStep::Expect(expect) => {
                self.await_text(Some(expect), Duration::ZERO)?;
                self.capture();
                self.is_heard |= !self.seen.is_empty();
                self.seen.clear();
            }
            act => {
                let is_first = std::mem::replace(&mut self.is_first_act, false);
                let cleared = match act {
                    // The old connection may have ended.
                    DeviceStep::Reconnect => Ok(()),
                    // What is not sent yet is of the word before.
                    _ if is_first => self.link.clear(),
                    // What is not sent yet is of this reset.
                    _ => self.link.clear_received(),
                };
                match cleared.map_err(ResetFailure::from) {
                    // A command does not need the connection.
                    Err(ResetFailure::Link(LinkError::Gone { .. }))
                        if matches!(act, DeviceStep::Run(_)) =>
                    {
                        self.has_ended = true;
                    }
                    cleared => cleared?,
                }
                self.seen.clear();
                self.act(act)?;
                self.last = self.link.now();
            }
        }
        Ok(())
    }

    fn act(&mut self, act: &DeviceStep) -> Result<(), ResetFailure> {
        match act {
            DeviceStep::Send(message) => {
                let bytes = message.send(&mut self.variables);
                Ok(send(self.link, &self.device.port, &bytes, &mut self.seen)?)
            }
            DeviceStep::Set(line, level) => Ok(self.lines.set(self.link, *line, *level)?),
            DeviceStep::Run(run) => run_command(self.link, run, &mut self.seen)?
                .map_err(|why| ResetFailure::Device { why, received: Unexpected::Command }),
            DeviceStep::Pin(name, _) => {
                Err(ResetFailure::Device { why: no_pin(name), received: Unexpected::Other })
            }
            DeviceStep::Probe(_) => {
                let (why, received) = (BY_A_BOARD.to_owned(), Unexpected::Other);
                Err(ResetFailure::Device { why, received })
            }
            DeviceStep::Reconnect => {
                let again = if self.has_ended { reconnect_when_back } else { reconnect };
                again(self.link, self.lines, &self.device.port).map_err(ResetFailure::Link)?;
                self.has_ended = false;
                Ok(())
            }
            DeviceStep::Wait(_) | DeviceStep::Expect(_) => Ok(()),
        }
    }

    fn capture(&mut self) {
        self.device.capture(&clean(&self.device.strip, &self.seen), &mut self.variables);
    }

    /// Waits until the received bytes match `expect` and nothing more comes for `quiet`.
    fn await_text(&mut self, expect: Option<&Expect>, quiet: Duration) -> Result<(), ResetFailure> {
        let within = expect.map_or(SETTLE_WITHIN, |expect| expect.within);
        let started = self.link.now();
        let (limit, mut last) = (started + within, Duration::ZERO);
        let mut buffer = [0; 512];
        loop {
            let met = expect.is_none_or(|expect| {
                expect.pattern.is_match(&clean(&self.device.strip, &self.seen))
            });
            let now = self.link.now();
            if met && quiet.is_zero() {
                return Ok(());
            }
            if now > limit + quiet {
                return Err(self.missed(expect, within, met, last));
            }
            let count = self.link.read(&mut buffer, if met { now + quiet } else { limit })?;
            if count == 0 {
                return if met { Ok(()) } else { Err(self.missed(expect, within, met, last)) };
            }
            self.last = self.link.now();
            last = self.last.saturating_sub(started);
            self.seen.extend_from_slice(&buffer[..count]);
            let spare = self.seen.len().saturating_sub(KEEP_BYTES);
            self.seen.drain(..spare);
        }
    }

    /// The device did not say what it should, or did not fall silent; `last` is when the last byte came.
    fn missed(
        &self,
        expect: Option<&Expect>,
        within: Duration,
        met: bool,
        last: Duration,
    ) -> ResetFailure {
        let within = within.as_millis();
        let what = match expect {
            Some(expect) if !met => {
                format!("no match for `{}` within {within} ms", expect.pattern)
            }
            _ => format!(
                "it did not fall silent within {within} ms: the last byte came after {} ms",
                last.as_millis()
            ),
        };
        let is_for_text = expect.is_some_and(|expect| is_for_text(expect.pattern.as_str()));
        let received = match () {
            () if self.seen.is_empty() => Unexpected::Nothing,
            () if is_capture(&self.seen) => Unexpected::Target,
            () if is_for_text && is_noise(&self.seen) => Unexpected::Noise,
            () => Unexpected::Other,
        };
        let why = match received {
            Unexpected::Nothing => format!("{what}; nothing came"),
            _ => {
                // What the pattern is compared with.
                let text = clean(&self.device.strip, &self.seen);
                let after = if text.len() < self.seen.len() { ", after `strip`" } else { "" };
                let is_stripped = expect.is_some_and(|expect| expect.pattern.is_match(&self.seen));
                let hint = match is_stripped && !met {
                    true => "; without `strip` it fits",
                    false => "",
                };
                format!("{what}; what came{after}: `{}`{hint}", excerpt(&text))
            }
        };
        ResetFailure::Device { why, received }
    }
}
