//! A link whose bytes can be kept for later.

use mealybug_core::wire::message::DeviceError;

use crate::{Link, Overrun};

/// How many bytes can be kept.
const MAX_KEPT: usize = 128;

/// A link to a device, with what came while an input made the device wait.
#[derive(Debug)]
pub(crate) struct Line<L> {
    link: L,
    kept: [u8; MAX_KEPT],
    len: usize,
    /// How many of them were read.
    read: usize,
}

impl<L: Link> Line<L> {
    pub(crate) const fn new(link: L) -> Self {
        Self { link, kept: [0; MAX_KEPT], len: 0, read: 0 }
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.link.now_ms()
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.link.write(bytes);
    }

    /// The next byte, as [`Link::read_until`].
    pub(crate) fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, Overrun> {
        if self.read < self.len {
            self.read += 1;
            return Ok(self.kept.get(self.read - 1).copied());
        }
        (self.read, self.len) = (0, 0);
        self.link.read_until(deadline_ms)
    }

    /// Lets time pass and keeps what comes.
    pub(crate) fn keep_until(&mut self, until_ms: u64) -> Result<(), DeviceError> {
        while let Some(byte) = self.link.read_until(until_ms)? {
            *self.kept.get_mut(self.len).ok_or(DeviceError::TooLong)? = byte;
            self.len += 1;
        }
        Ok(())
    }

    /// What was kept and not read, which is then no longer kept.
    pub(crate) fn take_kept(&mut self) -> &mut [u8] {
        let (read, len) = (self.read, self.len);
        (self.read, self.len) = (0, 0);
        self.kept.get_mut(read..len).unwrap_or_default()
    }

    /// Throws away what came, lost or not.
    pub(crate) fn clear(&mut self) {
        while self.read_until(0) != Ok(None) {}
    }
}
