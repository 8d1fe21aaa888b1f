//! What a run wants to know of its device beyond the answers.

use std::sync::Arc;

use mealybug::agent::LANES;
use mealybug::boards::LANES_PER_BOARD;
use mealybug::device::DeviceFile;
use mealybug::diagnosis;
use mealybug::serial::PortStatistics;
use mealybug::statistics::{BoardRecord, Serial};
use mealybug::store::ConnectionEnded;
use mealybug_core::Input;

use super::Endpoint;
use crate::run::board_news::BoardNews;

/// What the user can do about a device at this kind of end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means {
    /// Whether a device file that the user can change says how the device is asked.
    pub(crate) has_file: bool,
    /// Whether `mealybug check` can ask the device.
    pub(crate) can_be_checked: bool,
    /// Whether the device file drops late bytes, which may be an answer.
    pub(crate) drops_late: bool,
}

impl Endpoint<'_> {
    /// What the user can do about the device.
    pub(crate) fn means(&self) -> Means {
        let (has_file, can_be_checked) = (self.has_file(), self.can_be_checked());
        let drops_late = self.device_file().is_some_and(DeviceFile::drops_late);
        Means { has_file, can_be_checked, drops_late }
    }

    /// What the user should know.
    pub(crate) fn warnings(&self) -> Vec<String> {
        match self {
            Self::Port(sul) => sul.warnings().to_vec(),
            Self::Agent(sul) => sul.warnings().to_vec(),
            Self::Adapter(_) | Self::Model(_) => Vec::new(),
            Self::Boards(many) => {
                let all = many.news.names().iter().zip(many.boards.stop());
                let named = all.flat_map(|(name, board)| {
                    let found = board.found_at_port().into_iter();
                    let all = board.warnings().into_iter().chain(found);
                    all.map(move |warning| format!("{name}: {warning}"))
                });
                named.collect()
            }
        }
    }

    /// What was counted at the device's port.
    pub(crate) fn port(&self) -> Option<&PortStatistics> {
        match self {
            Self::Port(sul) => Some(sul.statistics()),
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) | Self::Boards(_) => None,
        }
    }

    /// What the counts at the port of a board show.
    fn found_at_port(&self) -> Vec<String> {
        let Self::Port(sul) = self else { return Vec::new() };
        let found = diagnosis::of_port(sul.device(), sul.statistics());
        found.into_iter().map(|finding| finding.text).collect()
    }

    /// Where the time went, at a serial port.
    pub(crate) fn serial(&self) -> Option<Serial> {
        match self {
            Self::Port(sul) => Some(Serial::new(sul.device(), sul.statistics())),
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) | Self::Boards(_) => None,
        }
    }

    /// Whether the device has said something after its last answer up to now. Of a board, only its next reset tells.
    pub(crate) fn is_followed(&mut self) -> bool {
        match self {
            Self::Port(sul) => sul.is_followed(),
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) | Self::Boards(_) => false,
        }
    }

    /// Whether the connection to the device has ended; a board does not say.
    pub(crate) fn ended(&self) -> Option<ConnectionEnded<'_>> {
        match self {
            Self::Port(sul) => sul.ended(),
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) | Self::Boards(_) => None,
        }
    }

    /// Whether an input opens a new connection.
    pub(crate) fn reconnects(&self, input: Input) -> bool {
        self.device_file().is_some_and(|file| file.reconnects(input))
    }

    /// The share of answers that are wrong, if the device file says it.
    pub(crate) fn noise(&self) -> Option<f64> {
        match self {
            Self::Port(sul) => sul.device().noise,
            Self::Agent(sul) => sul.device().and_then(|file| file.noise),
            Self::Boards(many) => many.file.as_ref().and_then(|file| file.noise),
            Self::Adapter(_) | Self::Model(_) => None,
        }
    }

    /// Whether a device file that the user can change says how the device is asked.
    pub(crate) fn has_file(&self) -> bool {
        self.device_file().is_some()
    }

    /// Whether the outputs are text of the replies.
    pub(crate) fn outputs_keep_text(&self) -> bool {
        self.device_file().is_none_or(DeviceFile::outputs_keep_text)
    }

    fn device_file(&self) -> Option<&DeviceFile> {
        match self {
            Self::Port(sul) => Some(sul.device()),
            Self::Boards(many) => many.file.as_ref(),
            // An agent has the rules of its device, and nothing here changes them.
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) => None,
        }
    }

    /// Whether `mealybug check` can ask the device.
    pub(crate) fn can_be_checked(&self) -> bool {
        match self {
            Self::Port(_) | Self::Adapter(_) | Self::Boards(_) => true,
            Self::Agent(_) | Self::Model(_) => false,
        }
    }

    /// Whether this output means that the device said nothing.
    pub(crate) fn is_silence(&self, input: Input, output: &str) -> bool {
        match self {
            Self::Port(sul) => is_silence(sul.device(), input, output),
            Self::Boards(many) => {
                many.file.as_ref().is_some_and(|file| is_silence(file, input, output))
            }
            // The agent calls it what the device file says, too, and spends no time of ours on it.
            Self::Adapter(_) | Self::Agent(_) | Self::Model(_) => false,
        }
    }

    /// How many words should be known ahead.
    pub(crate) fn lanes(&self) -> u32 {
        match self {
            Self::Agent(_) => LANES,
            Self::Boards(many) => {
                let boards = u32::try_from(many.news.names().len()).unwrap_or(u32::MAX);
                boards.saturating_mul(LANES_PER_BOARD)
            }
            Self::Port(_) | Self::Adapter(_) | Self::Model(_) => 1,
        }
    }

    /// What there is to know about several boards while the run goes on.
    pub(crate) fn board_news(&self) -> Option<&Arc<BoardNews>> {
        match self {
            Self::Boards(many) => Some(&many.news),
            _ => None,
        }
    }

    /// Ends the run on several boards. Returns what each did.
    pub(crate) fn boards(&self) -> Vec<BoardRecord> {
        let Self::Boards(many) = self else { return Vec::new() };
        let boards = many.boards.stop();
        let counts = many.boards.counts().into_iter();
        let all = many.news.names().iter().zip(boards).zip(counts);
        all.map(|((name, board), counts)| BoardRecord {
            name: name.clone(),
            asked: counts.asked.into(),
            failures: counts.failures,
            disagreements: counts.disagreements,
            left_out: counts.left_out,
            serial: board.serial(),
        })
        .collect()
    }

    /// What each of several boards says to the last input of a word: its name, an output, and how often that came.
    pub(crate) fn said(&self, word: &[Input]) -> Vec<(&str, Vec<u8>, u32)> {
        let Self::Boards(many) = self else { return Vec::new() };
        let said = many.boards.said(word).into_iter();
        said.map(|(board, output, count)| (&*many.news.names()[board], output, count)).collect()
    }
}

/// Whether this output means that the device of this file said nothing.
fn is_silence(device: &DeviceFile, input: Input, output: &str) -> bool {
    let rule = device.inputs.get(input.index() as usize);
    rule.is_some_and(|rule| rule.reply.silent == output)
}
