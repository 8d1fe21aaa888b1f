//! Where encoded bytes go. Frames and results have the same type of sink, so that a program contains the
//! code that encodes [`types`](super::types) once, and not twice.

use postcard::ser_flavors::Flavor;
use serde::Serialize;

/// Takes encoded bytes, a few at a time.
pub(super) trait Sink {
    /// # Errors
    /// There is no room; the sink takes no more bytes.
    fn take(&mut self, bytes: &[u8]) -> Result<(), Full>;
}

/// A [`Sink`] has no room.
pub(super) struct Full;

/// Encodes a value with postcard.
///
/// # Errors
/// The first of `sink`.
pub(super) fn encode<T: Serialize>(value: &T, sink: &mut dyn Sink) -> Result<(), Full> {
    postcard::serialize_with_flavor(value, Encoded(sink)).map_err(|_| Full)
}

/// A sink as postcard sees it.
struct Encoded<'s>(&'s mut dyn Sink);

impl Flavor for Encoded<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.take(bytes).map_err(|Full| postcard::Error::SerializeBufferFull)
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
