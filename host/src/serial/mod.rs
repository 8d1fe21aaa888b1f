//! A device at the other end of a serial line, as the learner sees it.
//!
//! [`SerialSul`] does to the device what its device file says. It makes sure that no reply is taken
//! for another one: a reset must be seen to work, a reply must have ended, and bytes between the
//! end of a reply and the next input are an error (or dropped and counted, if the file says so). It
//! speaks over a [`TimedLink`]. [`SerialLink`] is a serial port; tests bring their own.
//!
//! [`ReplyParser`] decides when a reply has ended. It knows neither port nor clock.

mod address;
mod common_start;
mod connection_end;
mod control_lines;
mod drawn_line;
mod echo;
mod error;
mod exchange;
#[cfg(test)]
pub(crate) mod fake;
mod framed_text;
mod hearing;
mod interruptible;
mod link;
mod noise;
mod place;
mod port;
mod probe;
mod reconnect;
mod reply;
mod reset;
mod rfc2217;
mod shell;
mod statistics;
mod strip;
mod sul;
mod tcp;
#[cfg(test)]
mod tests;
mod trace;
mod unasked;
mod unfinished;

pub use address::PortAddress;
pub use common_start::CommonStart;
pub(crate) use echo::echo;
pub use error::{LinkError, OpenError};
pub use hearing::{HeardBurst, hear, reopen_when_back};
pub use interruptible::Interruptible;
pub use link::TimedLink;
pub use port::SerialLink;
pub use probe::{
    ANSWER_WITHIN, BAUDS, LINE_ENDS, LineAnswer, Talk, TalkSearch, after_echo, find_talk,
    without_escapes,
};
pub use reconnect::when_back;
pub use reply::{ReplyParser, Unending};
pub use rfc2217::Rfc2217Link;
pub use shell::run_command;
pub use statistics::{PortStatistics, ReplyCounts, TimeSpent};
pub(crate) use strip::clean;
pub use sul::SerialSul;
pub use tcp::TcpLink;
pub use trace::{Passed, TraceEvent, Traced};
pub use unasked::{UnaskedKind, ask_beside, find_unasked, hear_beside};
pub(crate) use unfinished::clean_finished;
