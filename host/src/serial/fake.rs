//! Lines in memory with their own clock, so no test ever waits. A [`FakeLink`] leads to a device
//! that is a closure.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::rc::Rc;
use std::time::Duration;

use super::{OpenError, TimedLink};
use crate::device::ControlLine;

/// An action on a fake device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkAct {
    /// These bytes are sent.
    Sent(Vec<u8>),
    /// A control line is set to a level.
    Set(ControlLine, bool),
    /// The buffers of both directions are cleared.
    Cleared,
    /// The buffer of what has arrived is cleared.
    ClearedReceived,
    /// The line is opened again.
    Reopened,
}

/// The reaction to an action: bytes, and the delay in ms before they arrive.
pub(crate) type Reaction = Vec<(u64, &'static [u8])>;

/// All actions with their times in ms; shared with the test.
pub(crate) type Deeds = Rc<RefCell<Vec<(u128, LinkAct)>>>;

/// Bytes on their way to the host, and a clock that runs only while the host waits for them.
#[derive(Default)]
pub(crate) struct Coming {
    now: Duration,
    /// In the order of arrival.
    pieces: VecDeque<(Duration, Vec<u8>)>,
}

impl Coming {
    /// The time.
    pub(crate) fn now(&self) -> Duration {
        self.now
    }

    /// Sends bytes that arrive after this delay.
    pub(crate) fn say(&mut self, after: Duration, bytes: &[u8]) {
        self.pieces.push_back((self.now + after, bytes.to_vec()));
        self.pieces.make_contiguous().sort_by_key(|(at, _)| *at);
    }

    /// Discards what has arrived.
    fn clear(&mut self) {
        self.pieces.retain(|(at, _)| *at > self.now);
    }

    /// Reads as a [`TimedLink`] does, in the pieces in which the bytes were sent.
    pub(crate) fn read(&mut self, buffer: &mut [u8], until: Duration) -> usize {
        let latest = until.max(self.now);
        let Some((at, bytes)) = self.pieces.front_mut().filter(|(at, _)| *at <= latest) else {
            self.now = latest;
            return 0;
        };
        self.now = self.now.max(*at);
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        bytes.drain(..count);
        if bytes.is_empty() {
            self.pieces.pop_front();
        }
        count
    }
}

/// A line to a fake device. The device is boxed: so what talks to a line is compiled once for all of them.
pub(crate) struct FakeLink<'d> {
    device: Box<dyn FnMut(&LinkAct) -> Reaction + 'd>,
    coming: Coming,
    deeds: Deeds,
    /// The error of every action from now on; shared with the test.
    pub(crate) failing: Rc<Cell<Option<ErrorKind>>>,
    /// Whether the device has ended the connection; shared with the test.
    pub(crate) is_closed: Rc<Cell<bool>>,
    /// When something was last done to the device, in ms; shared with it.
    pub(crate) acted_ms: Rc<Cell<u128>>,
    /// How long it takes to read bytes that have come.
    pub(crate) read_time: Duration,
    /// Set by the device where what is on its way is lost, as when it restarts.
    pub(crate) is_lost: Rc<Cell<bool>>,
    /// The errors of the first attempts to open it again.
    pub(crate) away: VecDeque<OpenError>,
    /// Whether the port has DTR and RTS.
    pub(crate) has_lines: bool,
    /// Whether the port has a baud rate.
    pub(crate) has_baud: bool,
}

impl<'d> FakeLink<'d> {
    pub(crate) fn new(device: impl FnMut(&LinkAct) -> Reaction + 'd) -> Self {
        Self {
            device: Box::new(device),
            coming: Coming::default(),
            deeds: Deeds::default(),
            failing: Rc::default(),
            is_closed: Rc::default(),
            acted_ms: Rc::default(),
            read_time: Duration::ZERO,
            is_lost: Rc::default(),
            away: VecDeque::new(),
            has_lines: true,
            has_baud: true,
        }
    }

    /// The actions so far.
    pub(crate) fn deeds(&self) -> Deeds {
        Rc::clone(&self.deeds)
    }

    /// Sends bytes without being asked.
    pub(crate) fn say(&mut self, after_ms: u64, bytes: &'static [u8]) {
        self.coming.say(Duration::from_millis(after_ms), bytes);
    }

    fn take(&mut self, deed: LinkAct) -> io::Result<()> {
        let closed = self.is_closed.get().then_some(ErrorKind::BrokenPipe);
        if let Some(kind) = closed.or(self.failing.get()) {
            return Err(kind.into());
        }
        self.acted_ms.set(self.coming.now.as_millis());
        let reaction = (self.device)(&deed);
        if self.is_lost.take() {
            self.coming.pieces.clear();
        }
        for (after_ms, bytes) in reaction {
            self.say(after_ms, bytes);
        }
        self.deeds.borrow_mut().push((self.coming.now.as_millis(), deed));
        Ok(())
    }
}

impl TimedLink for FakeLink<'_> {
    fn now(&self) -> Duration {
        self.coming.now
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        if self.is_closed.get() && self.coming.pieces.is_empty() {
            return Err(ErrorKind::BrokenPipe.into());
        }
        // A signal ends reading, too.
        if self.failing.get() == Some(ErrorKind::Interrupted) {
            return Err(ErrorKind::Interrupted.into());
        }
        let count = self.coming.read(buffer, until);
        self.coming.now += if count > 0 { self.read_time } else { Duration::ZERO };
        Ok(count)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.take(LinkAct::Sent(bytes.to_vec()))
    }

    fn set(&mut self, line: ControlLine, level: bool) -> io::Result<()> {
        if !self.has_lines {
            return Err(ErrorKind::Unsupported.into());
        }
        self.take(LinkAct::Set(line, level))
    }

    fn clear(&mut self) -> io::Result<()> {
        self.coming.clear();
        self.take(LinkAct::Cleared)
    }

    fn clear_received(&mut self) -> io::Result<()> {
        self.coming.clear();
        self.take(LinkAct::ClearedReceived)
    }

    fn has_baud(&self) -> bool {
        self.has_baud
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        if let Some(reason) = self.away.pop_front() {
            return Err(reason);
        }
        self.failing.set(None);
        self.is_closed.set(false);
        self.coming.pieces.clear();
        self.take(LinkAct::Reopened).expect("it works again");
        Ok(())
    }
}
