//! A line that stops waiting when the program is interrupted.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::error::OpenError;
use super::link::TimedLink;
use crate::device::ControlLine;

/// How long it takes at most to notice an interruption.
const NOTICE: Duration = Duration::from_millis(100);

/// A line whose reads fail once the program is interrupted. A device may take minutes to answer,
/// and nobody wants to wait that long after Ctrl-C.
#[derive(Debug)]
pub struct Interruptible<L> {
    link: L,
    interrupted: Arc<AtomicBool>,
}

impl<L> Interruptible<L> {
    /// Wraps `link`; its reads fail as soon as `interrupted` is true.
    pub fn new(link: L, interrupted: Arc<AtomicBool>) -> Self {
        Self { link, interrupted }
    }
}

impl<L: TimedLink> TimedLink for Interruptible<L> {
    fn now(&self) -> Duration {
        self.link.now()
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        loop {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(ErrorKind::Interrupted.into());
            }
            let next = until.min(self.link.now() + NOTICE);
            let count = self.link.read(buffer, next)?;
            if count > 0 || next == until {
                return Ok(count);
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.link.write(bytes)
    }

    fn set(&mut self, line: ControlLine, level: bool) -> io::Result<()> {
        self.link.set(line, level)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.link.clear()
    }

    fn clear_received(&mut self) -> io::Result<()> {
        self.link.clear_received()
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        self.link.reopen()
    }

    fn has_baud(&self) -> bool {
        self.link.has_baud()
    }

    fn place(&self) -> Option<&str> {
        self.link.place()
    }
}
