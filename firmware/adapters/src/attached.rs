//! A device attached to a target, as the learner and the agent see it.

use mealybug_core::Input;
use mealybug_core::wire::message::{DeviceError, Refusal};
use mealybug_core::wire::probe::OfferKind;

use super::Sul;

/// A device that is attached to a target, or built into its program.
pub trait Attached: Sul<Error = DeviceError> {
    /// The number of inputs; 0 while the device lacks rules.
    fn inputs(&self) -> u32;

    /// The name of an input.
    fn input_name(&self, input: Input) -> &[u8];

    /// Takes the bytes of a [rule](mealybug_core::wire::rule::Rule) of the conversation with the
    /// device. The host may send the last rule twice. A device that is built in takes no rules.
    ///
    /// # Errors
    /// An earlier rule is missing, there is no room, or the device is [built in](Refusal::BuiltIn).
    fn take(&mut self, number: u32, rule: &[u8]) -> Result<(), Refusal> {
        let _ = (number, rule);
        Err(Refusal::BuiltIn)
    }

    /// Calls `see` with the kind and the name of everything that rules may name. The host shows them
    /// after [`Refusal::NoOffer`] and [`Refusal::NoPin`].
    fn offers(&self, see: &mut dyn FnMut(OfferKind, &'static str)) {
        let _ = see;
    }

    /// The [digest](mealybug_core::wire::rule::Rule::digest) of the rules that it has taken; 0 if it
    /// has none.
    fn rules_digest(&self) -> u32 {
        0
    }

    /// Brings the lines to the device to rest: a run has ended, or a session.
    ///
    /// # Errors
    /// The hardware failed.
    fn rest(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Whether the device has enough rules to be learned.
    ///
    /// # Errors
    /// [`Refusal::NoRules`].
    fn check(&self) -> Result<(), Refusal> {
        if self.inputs() == 0 { Err(Refusal::NoRules) } else { Ok(()) }
    }
}
