//! What a run wants to know of its device beyond the answers.

use std::error::Error;
use std::sync::Arc;

use mealybug::device::DeviceFile;
use mealybug::learned_components::output_name;
use mealybug::serial::{Link, LinkError, SerialSul};
use mealybug::statistics::{BoardRecord, Serial};
use mealybug::store::{Garbled, LineRules};
use mealybug_core::{Input, Sul};
use miette::{Diagnostic, Report};

use crate::run::board_news::BoardNews;

/// A device, and what it can tell about itself.
pub(crate) trait DeviceUnderTest: Sul<Error: Error + 'static> {
    /// Whether a word that failed may well succeed when it is asked again.
    fn is_worth_a_retry(error: &Self::Error) -> bool;

    /// What an error says about the answer, if only the answer was lost on its way.
    fn garbled(error: &Self::Error) -> Garbled<'_> {
        let _ = error;
        Garbled::No
    }

    /// Whether the answers to the word before are in doubt: it is asked again.
    fn is_suspect(error: &Self::Error) -> bool;

    /// Whether the device is away and may come back; asking again finds out.
    fn is_away(error: &Self::Error) -> bool;

    /// What to do about the error.
    fn help(error: &Self::Error) -> Option<String>;

    /// The error as a person reads it.
    fn report(error: Self::Error) -> Report;

    /// What the user should know.
    fn warnings(&self) -> Vec<String>;

    /// Where the time went, at a serial port.
    fn serial(&self) -> Option<Serial>;

    /// Whether this output means that the device said nothing.
    fn is_silence(&self, input: Input, output: &str) -> bool;

    /// The share of answers that are wrong, if the device file says it.
    fn noise(&self) -> Option<f64> {
        None
    }

    /// What there is to know about several boards while the run goes on.
    fn board_news(&self) -> Option<&Arc<BoardNews>> {
        None
    }

    /// Ends the run on several boards. Returns what each did.
    fn boards(&self) -> Vec<BoardRecord> {
        Vec::new()
    }

    /// What each of several boards says to the last input of a word: its name, an output, and how often that came.
    fn said(&self, _: &[Input]) -> Vec<(&str, Vec<u8>, u32)> {
        Vec::new()
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

    fn garbled(error: &LinkError) -> Garbled<'_> {
        error.garbled()
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

    fn warnings(&self) -> Vec<String> {
        self.warnings().to_vec()
    }

    fn serial(&self) -> Option<Serial> {
        Some(Serial::new(self.device(), self.statistics()))
    }

    fn noise(&self) -> Option<f64> {
        self.device().noise
    }

    fn is_silence(&self, input: Input, output: &str) -> bool {
        is_silence(self.device(), input, output)
    }
}

/// How faults of the line to a device are told from its answers.
pub(crate) fn line_rules<D: DeviceUnderTest>() -> LineRules<D> {
    let is_silence =
        |device: &D, input, output: &[u8]| device.is_silence(input, &output_name(output));
    LineRules { garbled: D::garbled, is_silence }
}

/// Whether this output means that the device of this file said nothing.
pub(crate) fn is_silence(device: &DeviceFile, input: Input, output: &str) -> bool {
    let rule = device.inputs.get(input.index() as usize);
    rule.is_some_and(|rule| rule.reply.silent == output)
}
