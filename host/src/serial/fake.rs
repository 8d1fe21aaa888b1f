//! A line to a device made of a closure, with a clock of its own: no test ever waits.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::rc::Rc;
use std::time::Duration;

use super::{Link, OpenError};
use crate::device::Line;

/// What is done to a fake device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// These bytes are sent.
    Sent(Vec<u8>),
    /// A line gets a level.
    Set(Line, bool),
    /// Both directions are cleared.
    Cleared,
    /// The line is opened again.
    Reopened,
}

/// What comes of a deed: bytes, and how many ms later.
pub(crate) type Reaction = Vec<(u64, &'static [u8])>;

/// All that was done, and when, in ms; shared with the test.
pub(crate) type Deeds = Rc<RefCell<Vec<(u128, Deed)>>>;

/// A line to a fake device. What comes is read in the pieces in which it was said.
pub(crate) struct FakeLink<F> {
    device: F,
    now: Duration,
    /// On their way, in the order in which they arrive.
    coming: VecDeque<(Duration, Vec<u8>)>,
    deeds: Deeds,
    /// The error of every deed from now on; shared with the test.
    pub(crate) failing: Rc<Cell<Option<ErrorKind>>>,
    /// Why it cannot be opened again, the first times.
    pub(crate) away: VecDeque<OpenError>,
    /// Whether there are DTR and RTS.
    pub(crate) has_lines: bool,
}

impl<F: FnMut(&Deed) -> Reaction> FakeLink<F> {
    pub(crate) fn new(device: F) -> Self {
        Self {
            device,
            now: Duration::ZERO,
            coming: VecDeque::new(),
            deeds: Deeds::default(),
            failing: Rc::default(),
            away: VecDeque::new(),
            has_lines: true,
        }
    }

    /// What was done so far.
    pub(crate) fn deeds(&self) -> Deeds {
        Rc::clone(&self.deeds)
    }

    /// Says something without being asked.
    pub(super) fn say(&mut self, at_ms: u64, bytes: &'static [u8]) {
        self.coming.push_back((Duration::from_millis(at_ms), bytes.to_vec()));
    }

    fn take(&mut self, deed: Deed) -> io::Result<()> {
        if let Some(kind) = self.failing.get() {
            return Err(kind.into());
        }
        for (after, bytes) in (self.device)(&deed) {
            self.coming.push_back((self.now + Duration::from_millis(after), bytes.to_vec()));
        }
        self.coming.make_contiguous().sort_by_key(|(at, _)| *at);
        self.deeds.borrow_mut().push((self.now.as_millis(), deed));
        Ok(())
    }
}

impl<F: FnMut(&Deed) -> Reaction> Link for FakeLink<F> {
    fn now(&self) -> Duration {
        self.now
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        let latest = until.max(self.now);
        let Some((at, bytes)) = self.coming.front_mut().filter(|(at, _)| *at <= latest) else {
            self.now = latest;
            return Ok(0);
        };
        self.now = self.now.max(*at);
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        bytes.drain(..count);
        if bytes.is_empty() {
            self.coming.pop_front();
        }
        Ok(count)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.take(Deed::Sent(bytes.to_vec()))
    }

    fn set(&mut self, line: Line, level: bool) -> io::Result<()> {
        if !self.has_lines {
            return Err(ErrorKind::Unsupported.into());
        }
        self.take(Deed::Set(line, level))
    }

    fn clear(&mut self) -> io::Result<()> {
        let now = self.now;
        self.coming.retain(|(at, _)| *at > now);
        self.take(Deed::Cleared)
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        if let Some(reason) = self.away.pop_front() {
            return Err(reason);
        }
        self.failing.set(None);
        self.coming.clear();
        self.deeds.borrow_mut().push((self.now.as_millis(), Deed::Reopened));
        Ok(())
    }
}
