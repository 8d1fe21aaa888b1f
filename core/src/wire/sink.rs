//! Where encoded bytes go. Frames and results have the same type of sink, so that a program contains the
//! code that encodes [`types`](super::types) once, and not twice.

use postcard::ser_flavors::Flavor;
use serde::Serialize;

/// Takes encoded bytes, a few at a time. It keeps its errors for itself.
// PERF: the code that encodes has no ways out, which are 564 bytes of the learner's flash.
pub(super) trait Sink {
    /// Takes the next bytes.
    fn take(&mut self, bytes: &[u8]);
}

/// Encodes a value with postcard.
///
/// # Errors
/// The value cannot be encoded: it holds a list whose length it does not know.
pub(super) fn encode<T: Serialize>(value: &T, sink: &mut dyn Sink) -> postcard::Result<()> {
    postcard::serialize_with_flavor(value, Encoded(sink))
}

/// A sink as postcard sees it.
struct Encoded<'s>(&'s mut dyn Sink);

impl Flavor for Encoded<'_> {
    type Output = ();

    // PERF: inlined in each place that encodes a number or a tag, it takes 100 bytes more of the learner's flash.
    #[inline(never)]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.take(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
