//! What a run wants to know of its device beyond the answers.

use std::error::Error;

use mealybug::serial::{Link, LinkError, SerialSul};
use mealybug::statistics::Serial;
use mealybug_core::{Input, Sul};
use miette::{Diagnostic, Report};

/// A device, and what it can tell about itself.
pub(crate) trait DeviceUnderTest: Sul<Error: Error + 'static> {
    /// Whether a word that failed may well succeed when it is asked again.
    fn is_worth_a_retry(error: &Self::Error) -> bool;

    /// Whether the answers to the word before are in doubt: it is asked again.
    fn is_suspect(error: &Self::Error) -> bool;

    /// Whether the device is away and may come back; asking again finds out.
    fn is_away(error: &Self::Error) -> bool;

    /// What to do about the error.
    fn help(error: &Self::Error) -> Option<String>;

    /// The error as a person reads it.
    fn report(error: Self::Error) -> Report;

    /// What the user should know.
    fn warnings(&self) -> &[String];

    /// Where the time went, at a serial port.
    fn serial(&self) -> Option<Serial>;

    /// Whether this output means that the device said nothing.
    fn is_silence(&self, input: Input, output: &str) -> bool;

    /// The share of answers that are wrong, if the device file says it.
    fn noise(&self) -> Option<f64> {
        None
    }

    /// How many words should be known ahead.
    fn lanes(&self) -> u32 {
        1
    }
}

impl<L: Link> DeviceUnderTest for SerialSul<L> {
    fn is_worth_a_retry(error: &LinkError) -> bool {
        error.is_worth_a_retry()
    }

    fn is_suspect(error: &LinkError) -> bool {
        matches!(error, LinkError::Suspect { .. })
    }

    fn is_away(error: &LinkError) -> bool {
        error.is_gone()
    }

    fn help(error: &LinkError) -> Option<String> {
        error.help().map(|help| help.to_string())
    }

    fn report(error: LinkError) -> Report {
        error.into()
    }

    fn warnings(&self) -> &[String] {
        self.warnings()
    }

    fn serial(&self) -> Option<Serial> {
        Some(Serial::new(self.device(), self.statistics()))
    }

    fn noise(&self) -> Option<f64> {
        self.device().noise
    }

    fn is_silence(&self, input: Input, output: &str) -> bool {
        let rule = self.device().inputs.get(input.index() as usize);
        rule.is_some_and(|rule| rule.reply.silent == output)
    }
}
