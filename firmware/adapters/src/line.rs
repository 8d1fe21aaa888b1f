//! A link that can keep bytes for later.

use heapless::Vec;
use mealybug_core::wire::line::LineSettings;
use mealybug_core::wire::message::DeviceError;

use super::{Link, waiting};
use crate::LineFault;

/// How many bytes can be kept.
const MAX_KEPT: usize = 128;

/// How many faults a line may report in a row that has nothing else to read.
pub(crate) const MAX_FAULTS: u32 = 256;

/// A link to a device, with the bytes that came while a step of an input waited.
#[derive(Debug)]
pub(crate) struct BufferedLine<L> {
    pub(crate) link: L,
    kept: Vec<u8, MAX_KEPT>,
    /// How many of the kept bytes have been read.
    read: usize,
}

#[waiting(AFIT)]
impl<L: Link> BufferedLine<L> {
    pub(crate) const fn new(link: L) -> Self {
        Self { link, kept: Vec::new(), read: 0 }
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.link.now_ms()
    }

    /// Sends bytes and waits until they are on their way: the time that a device has begins then.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.link.write(bytes).await;
        self.link.flush().await;
    }

    pub(crate) fn set(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
        self.link.set_line(settings)
    }

    /// The next byte, as in [`Link::read_until`].
    pub(crate) async fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        if let Some(&byte) = self.kept.get(self.read) {
            self.read += 1;
            return Ok(Some(byte));
        }
        self.forget();
        self.link.read_until(deadline_ms).await
    }

    /// The next byte, whatever is lost or damaged before it.
    pub(crate) async fn read_any_until(&mut self, deadline_ms: u64) -> Option<u8> {
        let mut patience = MAX_FAULTS;
        while patience > 0 {
            match self.read_until(deadline_ms).await {
                Ok(byte) => return byte,
                Err(_) if self.now_ms() >= deadline_ms => patience -= 1,
                Err(_) => {}
            }
        }
        None
    }

    /// Waits until a time and keeps the bytes that come.
    pub(crate) async fn keep_until(&mut self, until_ms: u64) -> Result<(), DeviceError> {
        while let Some(byte) = self.link.read_until(until_ms).await? {
            self.kept.push(byte).map_err(|_| DeviceError::TooLong)?;
        }
        Ok(())
    }

    /// The kept bytes that nobody has read.
    pub(crate) fn kept(&mut self) -> &mut [u8] {
        self.kept.get_mut(self.read..).unwrap_or_default()
    }

    /// Forgets the kept bytes.
    pub(crate) fn forget(&mut self) {
        self.kept.clear();
        self.read = 0;
    }

    /// Drops all bytes that come until a time, whatever is lost or damaged.
    pub(crate) async fn drop_until(&mut self, until_ms: u64) {
        while self.read_any_until(until_ms).await.is_some() {}
    }
}
