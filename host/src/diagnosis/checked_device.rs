//! What a check needs from a device: a port with its bytes and times, or a program.

use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};

use mealybug_core::{Input, Sul};
use miette::Diagnostic;

use crate::adapter::{Adapter, AdapterError};
use crate::device::Pauses;
use crate::serial::{LinkError, Passed, PortStatistics, SerialSul, TimedLink, TraceEvent, Traced};

/// How long to listen to a device that has answered.
const LISTEN: Duration = Duration::from_millis(200);
/// A device that was silent is listened to for another `within_ms`, but at most this long.
const LISTEN_AT_MOST: Duration = Duration::from_secs(2);
/// The output for the end of a connection, in a check and as it proposes it.
pub(super) const CLOSED: &str = "(closed)";

/// A device that can be checked.
pub trait CheckedDevice: Sul<Error: Error> {
    /// The current time on the device's clock.
    fn now(&self) -> Duration;

    /// Takes what has passed over the link since the last call; nothing if there is no link.
    fn take_events(&self) -> Vec<TraceEvent>;

    /// Listens after an input that these events belong to, and returns whether there are late
    /// bytes.
    ///
    /// # Errors
    /// The link failed.
    fn listen(&mut self, input: Input, during: &[TraceEvent]) -> Result<bool, Self::Error>;

    /// Whether the output means that nothing came.
    fn is_silence(&self, input: Input, output: &str) -> bool;

    /// Whether the output means that the connection has ended.
    fn is_end(&self, output: &str) -> bool;

    /// From now on, the connection may end after this input: that is an output.
    fn allow_end(&mut self, input: Input);

    /// From now on, the reply to this input may take this long to begin. Returns how long it could take before.
    fn set_within(&mut self, input: Input, within: Duration) -> Duration;

    /// From now on, there are these pauses, in place of those of the call before.
    fn pause(&mut self, pauses: &Pauses);

    /// What was counted at the port; `None` if there is none.
    fn port(&self) -> Option<&PortStatistics>;

    /// What an error says about the device.
    fn fault(error: &Self::Error) -> FaultKind;

    /// The message of an error without what is of the word that failed.
    fn reason(error: &Self::Error) -> String {
        error.to_string()
    }

    /// What to do about an error, if that is known.
    fn help(_: &Self::Error) -> Option<String> {
        None
    }
}

/// What an error says about the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The user interrupted the check.
    Interruption,
    /// The word took longer than the file allows.
    WordTooLong,
    /// Bytes came after a reply that was silence.
    LateReply,
    /// Bytes came after another reply.
    LateBytes,
    /// The device did not come back from a reset, though it did before.
    Reset,
    /// The checksum, the frame or the echo of a reply is wrong.
    GarbledReply,
    /// The word failed for another reason; others may not.
    Word,
    /// The connection has ended. A reset finds the device again if it is there.
    Gone,
    /// The device is not there. It may come back.
    Away,
    /// The device cannot be asked any more.
    Device,
}

impl FaultKind {
    /// Whether the word failed, and the device can be asked on.
    pub(super) fn is_of_word(self) -> bool {
        matches!(self, Self::GarbledReply | Self::Word | Self::Reset) || self.is_of_late_bytes()
    }

    /// Whether bytes came after a reply.
    pub(super) fn is_of_late_bytes(self) -> bool {
        matches!(self, Self::LateReply | Self::LateBytes)
    }
}

impl<L: TimedLink> CheckedDevice for SerialSul<Traced<L>> {
    fn now(&self) -> Duration {
        self.link().now()
    }

    fn take_events(&self) -> Vec<TraceEvent> {
        self.link().take()
    }

    fn listen(&mut self, input: Input, during: &[TraceEvent]) -> Result<bool, LinkError> {
        let rule = &self.device().inputs[input.index() as usize].reply;
        let is_silent = !during.iter().any(|event| matches!(event.what, Passed::Received(_)));
        let time = if is_silent { rule.within.clamp(LISTEN, LISTEN_AT_MOST) } else { LISTEN };
        Ok(!Self::listen(self, time)?.is_empty())
    }

    fn is_silence(&self, input: Input, output: &str) -> bool {
        self.device().inputs[input.index() as usize].reply.silent == output
    }

    fn is_end(&self, output: &str) -> bool {
        self.device().is_end(output)
    }

    fn allow_end(&mut self, input: Input) {
        Self::allow_end(self, input, CLOSED);
    }

    fn set_within(&mut self, input: Input, within: Duration) -> Duration {
        Self::set_within(self, input, within)
    }

    fn pause(&mut self, pauses: &Pauses) {
        Self::pause(self, pauses);
    }

    fn port(&self) -> Option<&PortStatistics> {
        Some(self.statistics())
    }

    fn fault(error: &LinkError) -> FaultKind {
        match error {
            error if error.is_interruption() => FaultKind::Interruption,
            LinkError::WordTooLong { .. } => FaultKind::WordTooLong,
            LinkError::Late { before, .. } if before.is_empty() => FaultKind::LateReply,
            LinkError::Late { .. } | LinkError::Suspect { .. } => FaultKind::LateBytes,
            LinkError::Reset { .. } if error.is_worth_a_retry() => FaultKind::Reset,
            LinkError::Checksum { .. } | LinkError::Frame { .. } | LinkError::Echo { .. } => {
                FaultKind::GarbledReply
            }
            error if error.is_worth_a_retry() => FaultKind::Word,
            LinkError::Gone { .. } => FaultKind::Gone,
            LinkError::Away { .. } => FaultKind::Away,
            _ => FaultKind::Device,
        }
    }

    fn reason(error: &LinkError) -> String {
        match error {
            // What came may be another text each time.
            LinkError::Reset { tried, .. } => {
                tried.lines().map(|line| line.split("; what came").next().unwrap_or(line)).collect()
            }
            // One fault, whatever was to be sent next.
            LinkError::Late { after, .. } => format!("bytes came after {after} had ended"),
            LinkError::Suspect { .. } => {
                "bytes came after a reply, so no answer can be trusted".to_owned()
            }
            error => error.to_string(),
        }
    }

    fn help(error: &LinkError) -> Option<String> {
        Diagnostic::help(error).map(|help| help.to_string())
    }
}

/// A program that is checked.
#[derive(Debug)]
pub struct CheckedAdapter {
    adapter: Adapter,
    started: Instant,
    pauses: Pauses,
}

impl CheckedAdapter {
    /// Takes a program that was started.
    pub fn new(adapter: Adapter) -> Self {
        Self { adapter, started: Instant::now(), pauses: Pauses::default() }
    }
}

impl Sul for CheckedAdapter {
    type Error = AdapterError;

    fn reset(&mut self) -> Result<(), AdapterError> {
        self.adapter.reset()?;
        if self.pauses.after_reset {
            thread::sleep(self.pauses.time);
        }
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], AdapterError> {
        let output = self.adapter.step(input)?;
        thread::sleep(self.pauses.after(input.index() as usize));
        Ok(output)
    }
}

impl CheckedDevice for CheckedAdapter {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn take_events(&self) -> Vec<TraceEvent> {
        Vec::new()
    }

    fn listen(&mut self, _: Input, _: &[TraceEvent]) -> Result<bool, AdapterError> {
        Ok(false)
    }

    fn is_silence(&self, _: Input, _: &str) -> bool {
        false
    }

    fn is_end(&self, _: &str) -> bool {
        false
    }

    fn allow_end(&mut self, _: Input) {}

    fn set_within(&mut self, _: Input, within: Duration) -> Duration {
        within
    }

    fn pause(&mut self, pauses: &Pauses) {
        self.pauses.clone_from(pauses);
    }

    fn port(&self) -> Option<&PortStatistics> {
        None
    }

    fn fault(error: &AdapterError) -> FaultKind {
        match error {
            AdapterError::Interrupted => FaultKind::Interruption,
            AdapterError::Start { .. } | AdapterError::OtherInputs { .. } => FaultKind::Device,
            _ => FaultKind::Word,
        }
    }
}
