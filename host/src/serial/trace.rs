//! Records what passes over a link, for people who want to see it.

use std::cell::RefCell;
use std::io;
use std::time::Duration;

use super::error::OpenError;
use super::link::TimedLink;
use crate::device::ControlLine;

/// Something that passed over a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// The time on the link's clock; for sent bytes, the time when the last of them was on its way.
    pub at: Duration,
    /// The event.
    pub what: Passed,
}

/// What passes over a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    /// These bytes were sent.
    Sent(Vec<u8>),
    /// These bytes arrived, in one piece.
    Received(Vec<u8>),
    /// The reply goes on with these bytes, which arrived before: the beginning of an unasked line.
    Resumed(Vec<u8>),
    /// A line was set to a level.
    Set(ControlLine, bool),
    /// The line was opened again.
    Reopened,
}

/// A link that records what passes over it until the record is [taken](Self::take).
#[derive(Debug)]
pub struct Traced<L> {
    link: L,
    events: RefCell<Vec<TraceEvent>>,
}

impl<L: TimedLink> Traced<L> {
    /// Records what passes over `link` from now on.
    pub fn new(link: L) -> Self {
        Self { link, events: RefCell::default() }
    }

    /// Takes the events since the last call.
    pub fn take(&self) -> Vec<TraceEvent> {
        self.events.take()
    }

    fn note(&self, what: Passed) {
        self.events.borrow_mut().push(TraceEvent { at: self.link.now(), what });
    }
}

impl<L: TimedLink> TimedLink for Traced<L> {
    fn now(&self) -> Duration {
        self.link.now()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        let count = self.link.read(buffer, until)?;
        if count > 0 {
            self.note(Passed::Received(buffer[..count].to_vec()));
        }
        Ok(count)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.link.write(bytes)?;
        self.note(Passed::Sent(bytes.to_vec()));
        Ok(())
    }

    fn note_resumed(&mut self, bytes: &[u8]) {
        self.note(Passed::Resumed(bytes.to_vec()));
    }

    fn set(&mut self, line: ControlLine, level: bool) -> io::Result<()> {
        self.link.set(line, level)?;
        self.note(Passed::Set(line, level));
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.link.clear()
    }

    fn clear_received(&mut self) -> io::Result<()> {
        self.link.clear_received()
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        self.link.reopen()?;
        self.note(Passed::Reopened);
        Ok(())
    }

    fn has_baud(&self) -> bool {
        self.link.has_baud()
    }

    fn place(&self) -> Option<&str> {
        self.link.place()
    }
}
