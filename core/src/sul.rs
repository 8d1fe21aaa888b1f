//! The device: the system under learning.

use crate::Input;

/// A system under learning (SUL): something that can be reset and takes one input at a time.
///
/// Outputs are raw bytes; the learner numbers them in the order in which they appear.
pub trait Sul {
    /// Why the device or the link to it failed.
    type Error;

    /// Brings the device to its initial state.
    ///
    /// # Errors
    /// The device did not come back from the reset.
    fn reset(&mut self) -> Result<(), Self::Error>;

    /// Gives the device one input and returns its output.
    ///
    /// # Errors
    /// The device or the link failed; the word that was being asked is asked again from a reset.
    fn step(&mut self, input: Input) -> Result<&[u8], Self::Error>;
}
