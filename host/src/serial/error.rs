//! Why a port cannot be opened, and why a device did not do what it should.

use std::io::{self, ErrorKind};

use miette::Diagnostic;
use thiserror::Error;

use super::noise::Unexpected;
use crate::place::PlaceError;
use crate::store::Garbled;
use crate::target::TARGET_SPEAKS;

/// Why a port cannot be opened.
#[derive(Debug, Error, Diagnostic)]
pub enum OpenError {
    /// The path does not exist.
    #[error("there is no port {path}")]
    #[diagnostic(help(
        "is the device plugged in and on? `mealybug ports` lists the ports that there are"
    ))]
    Missing {
        /// The port.
        path: String,
    },
    /// Another program has the port open.
    #[error("the port {path} is in use by another program")]
    #[diagnostic(help("`fuser {path}` shows which one; a terminal program left open, perhaps"))]
    Busy {
        /// The port.
        path: String,
    },
    /// This user has no permission to open it.
    #[error("the port {path} is not yours to open")]
    #[diagnostic(help(
        "`ls -l {path}` shows whose it is; most often you must join its group, such as \
         `sudo usermod -aG dialout $USER`, and log in again"
    ))]
    Forbidden {
        /// The port.
        path: String,
    },
    /// The path is not a serial port.
    #[error("{path} is not a serial port")]
    #[diagnostic(help("give the path of a terminal device, such as /dev/ttyUSB0"))]
    NotAPort {
        /// The path.
        path: String,
    },
    /// The address is malformed.
    #[error("`{text}` is not a port: {why}")]
    #[diagnostic(help(
        "a serial port is a path, such as /dev/ttyUSB0; a TCP port is tcp:HOST:PORT, a port \
         server's is rfc2217:HOST:PORT, and a place of labgrid is place:NAME"
    ))]
    NoAddress {
        /// The address.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The name of the host cannot be resolved.
    #[error("there is no host {host}")]
    #[diagnostic(help(
        "is its name written right? `getent hosts {host}` shows what it stands for"
    ))]
    NoHost {
        /// The host.
        host: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The host is reachable, but nothing listens at this port.
    #[error("nothing listens at {address}")]
    #[diagnostic(help(
        "does the server run, and at this port? Some serve only one client: then close the other"
    ))]
    Refused {
        /// The address.
        address: String,
    },
    /// The host does not answer.
    #[error("{address} cannot be reached")]
    #[diagnostic(help("is the host on, and is there a network and no firewall in between?"))]
    Unreachable {
        /// The address.
        address: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The server closes the connection at once.
    #[error("{address} takes the connection and closes it")]
    #[diagnostic(help(
        "another program may be using the port behind it, or the server cannot open it: its log \
         says which"
    ))]
    Closed {
        /// The address.
        address: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The other end does not speak RFC 2217.
    #[error("{address} does not speak RFC 2217: {why}")]
    #[diagnostic(help(
        "if the server hands the bytes through as they are, write tcp:{address}; ser2net speaks \
         RFC 2217 with `accepter: telnet(rfc2217),tcp,PORT`"
    ))]
    NoRfc2217 {
        /// The address.
        address: String,
        /// What is missing.
        why: String,
    },
    /// The port server keeps other settings.
    #[error("the port server at {address} has another {settings} than [port] says, and keeps it")]
    #[diagnostic(help(
        "can the port behind it do this `baud`, `format` and `flow`, and may a client set them?"
    ))]
    Settings {
        /// The address.
        address: String,
        /// The settings that it does not accept.
        settings: String,
    },
    /// The place of a labgrid coordinator cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Place(#[from] Box<PlaceError>),
    /// The port does not accept the settings, or something else is wrong.
    #[error("the port {path} cannot be opened")]
    #[diagnostic(help("does it know the `baud`, `format` and `flow` of the device file?"))]
    Other {
        /// The port.
        path: String,
        /// The error of the port library.
        source: serialport::Error,
    },
}

impl OpenError {
    /// Classifies an error of the port library.
    pub(super) fn new(path: &str, error: serialport::Error) -> Self {
        use serialport::ErrorKind as Kind;
        let path = path.to_owned();
        match error.kind {
            Kind::Io(ErrorKind::NotFound) => Self::Missing { path },
            Kind::Io(ErrorKind::PermissionDenied) => Self::Forbidden { path },
            Kind::NoDevice => Self::Busy { path },
            _ if matches!(
                error.description.as_str(),
                "Not a typewriter" | "Inappropriate ioctl for device" | "Is a directory"
            ) =>
            {
                Self::NotAPort { path }
            }
            _ => Self::Other { path, source: error },
        }
    }
}

/// Why a device did not do what it should.
///
/// Received bytes are escaped; if there are many, only both ends are shown.
#[derive(Debug, Error, Diagnostic)]
pub enum LinkError {
    /// The port no longer exists.
    #[error("the device disappeared while {during}")]
    #[diagnostic(help(
        "check its cable and its power, or the server of its connection. If an input ends the connection, \
         give it `closed` in its `reply`. A port that comes back under another name has one that stays in \
         /dev/serial/by-id"
    ))]
    Gone {
        /// The action that failed.
        during: String,
    },
    /// Somebody took the place of the device away.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Place(PlaceError),
    /// The device is not back yet.
    #[error("the device is not back: {reason}")]
    #[diagnostic(help("{}", away_help(reason)))]
    Away {
        /// Why the port cannot be opened again.
        reason: OpenError,
    },
    /// The port failed in another way.
    #[error("the port failed while {during}")]
    #[diagnostic(help("with flow control, the device may be refusing to take bytes"))]
    Port {
        /// The action that failed.
        during: String,
        /// The error of the system.
        source: io::Error,
    },
    /// No reset method worked.
    #[error("the device did not come back from a reset{history}{tried}")]
    Reset {
        /// How many resets had worked before, and what was sent to the device since.
        history: String,
        /// A line for each reset method: what was wrong, and what was received.
        tried: String,
        /// Advice for the user.
        #[help]
        help: &'static str,
    },
    /// Bytes came after the end of a reply.
    #[error("{} came after {after} had ended{before}: `{received}`", bytes(*count))]
    Late {
        /// What had ended: a reply, or the reset.
        after: String,
        /// `, before … was sent`, if that is known.
        before: String,
        /// The number of bytes.
        count: usize,
        /// The bytes.
        received: String,
        /// Advice for the user.
        #[help]
        help: String,
    },
    /// Bytes came after the last reply of a word, and asking the word again gave other answers.
    /// Neither the old nor the new answers can be trusted.
    #[error("the answers to {word} cannot be trusted: {why}")]
    Suspect {
        /// The word, as names of inputs.
        word: String,
        /// The word, as numbers of inputs.
        inputs: Vec<u32>,
        /// What happened.
        why: String,
        /// Advice for the user.
        #[help]
        help: String,
    },
    /// The device repeats something else than what was sent.
    #[error("what came back of `{input}` is not what was sent: `{received}`")]
    #[diagnostic(help(
        "a line that garbles bytes does this now and then: the word is asked again. What a device always repeats in \
         this way is taken as it is once it came twice; `strip` in [reply] removes what it adds"
    ))]
    Echo {
        /// The name of the input.
        input: String,
        /// What came in the place of the echo.
        received: String,
        /// The output that follows it.
        output: String,
    },
    /// The checksum of a reply is wrong or missing.
    #[error("the {checksum} of the reply to `{input}` is wrong or missing: `{received}`")]
    #[diagnostic(help(
        "{}is `checksum` in [reply] right, and does the reply end where [reply] says it ends? If bytes follow the checksum, a \
         pattern with the group `bytes` finds it. A reply that has none, such as a single byte that refuses or \
         acknowledges, is given reply = {{ checksum = \"none\" }} at its input. A line that garbles bytes does this now and \
         then: the word is asked again",
        reset_doubt(*is_first)
    ))]
    Checksum {
        /// The name of the input.
        input: String,
        /// The name of the checksum.
        checksum: &'static str,
        /// The reply.
        received: String,
        /// Whether nothing was asked between the reset and this input.
        is_first: bool,
    },
    /// A frame of a reply is not complete, or cannot be read.
    #[error("the reply to `{input}` is not a frame: {why}, `{received}`")]
    #[diagnostic(help(
        "{}is `stuffing` in [frame] the way in which this device tells frames apart, and is `within_ms` long enough? A \
         line that garbles bytes does this now and then: the word is asked again",
        reset_doubt(*is_first)
    ))]
    Frame {
        /// The name of the input.
        input: String,
        /// What is wrong.
        why: &'static str,
        /// What the frames contain.
        received: String,
        /// Whether nothing was asked between the reset and this input.
        is_first: bool,
    },
    /// The command of an input failed.
    #[error("the input `{input}` could not be given: {why}")]
    Command {
        /// The name of the input.
        input: String,
        /// What was wrong.
        why: String,
    },
    /// A word took longer than `max_ms` of `[word]` allows.
    #[error("{word} took longer than {limit_ms} ms")]
    #[diagnostic(help("for words that really take so long, raise `max_ms` in [word]"))]
    WordTooLong {
        /// The word so far.
        word: String,
        /// The limit.
        limit_ms: u128,
    },
    /// A reply did not end.
    #[error("the reply to `{input}` has no end: more than {limit} came, `{received}`")]
    #[diagnostic(help(
        "does the `match`, `lines` or `length` of its reply fit? For a reply that is really so \
         long, raise {key}"
    ))]
    Unending {
        /// The name of the input.
        input: String,
        /// The limit that was reached.
        limit: String,
        /// The key of the limit in the device file.
        key: &'static str,
        /// The bytes received so far.
        received: String,
    },
    /// The device file has no such input.
    #[error("there is no input number {index}")]
    NoSuchInput {
        /// The number of the input.
        index: u32,
    },
}

/// Advice about a reply that is wrong: the first one after a reset may begin with the last of what the reset brings.
fn reset_doubt(is_first: bool) -> &'static str {
    match is_first {
        true => {
            "this is the first reply after a reset. If it begins with what the device says when it starts, the reset ends \
             too early: let its `expect` match the last of that, or raise its `quiet_ms`. Else: "
        }
        false => "",
    }
}

/// Advice when a device that was there cannot be reached: its settings are right.
fn away_help(reason: &OpenError) -> String {
    let help = reason.help().filter(|_| !matches!(reason, OpenError::Other { .. }));
    help.map_or_else(|| "check its cable and its power".to_owned(), |help| help.to_string())
}

impl LinkError {
    /// The error for a failure of the link during an action.
    pub(super) fn during(source: io::Error, during: impl Into<String>) -> Self {
        let during = during.into();
        match source.downcast() {
            Ok(error) => Self::Place(error),
            Err(source) if source.kind() == ErrorKind::BrokenPipe => Self::Gone { during },
            Err(source) => Self::Port { during, source },
        }
    }

    /// The error for a device that is gone, and whose link cannot be opened again.
    pub(super) fn away(reason: OpenError) -> Self {
        match reason {
            OpenError::Place(error) if matches!(*error, PlaceError::Taken { .. }) => {
                Self::Place(*error)
            }
            reason => Self::Away { reason },
        }
    }

    /// Advice when no reset works: it depends on whether one ever did, on what was received, and on
    /// whether the line has a baud rate.
    pub(super) fn reset_help(
        is_first: bool,
        received: &[Unexpected],
        has_baud: bool,
    ) -> &'static str {
        if received.contains(&Unexpected::Target) {
            return TARGET_SPEAKS;
        }
        if !received.is_empty() && received.iter().all(|it| *it == Unexpected::Command) {
            return COMMAND_FAILED;
        }
        let is_nothing = is_first && received.iter().all(|it| *it == Unexpected::Nothing);
        match (received.contains(&Unexpected::Noise), is_nothing, has_baud) {
            (true, _, true) => {
                "what came is no text: are `baud` and `format` in [port] those of the device?"
            }
            (true, _, false) => {
                "what came is no text: is this the device's port, and is the port behind it set as \
                 the device wants it?"
            }
            (false, true, true) => {
                "nothing came from the device: is it on, and this its port? Are TX and RX crossed, and \
                 the grounds connected? Are `baud` and `format` in [port] those of the device, and do \
                 its lines end in \\r, \\n or both? Or is it in a state from which this [[reset]] does not lead back? \
                 `mealybug try` takes the steps of [[reset]] and shows every byte"
            }
            (false, true, false) => {
                "nothing came from the device: is it on, and this its port? Do its lines end in \\r, \\n or both? Or is it in a state \
                 from which this [[reset]] does not lead back? `mealybug try` takes the steps of [[reset]] and shows every byte"
            }
            (false, false, _) if !is_first => {
                "this [[reset]] has worked before. If the device takes longer at times, give `expect` a longer `within_ms`; if it does \
                 not hear the reset at times, `tries` does it again; if it says other things, let `match` fit all of them. `mealybug try` \
                 takes the steps of [[reset]] and shows every byte. An answer that comes later than `within_ms` of [reply] looks like this, too"
            }
            (false, false, _) => {
                "does the device say what `expect` wants, and nothing after it? If it does not hear each reset, `tries` does it again. \
                 `mealybug try` takes the steps of [[reset]] and shows every byte. An answer that comes later than `within_ms` \
                 of [reply] looks like this, too"
            }
        }
    }

    /// Whether this is an interruption by the user, not a fault.
    pub(crate) fn is_interruption(&self) -> bool {
        matches!(self, Self::Port { source, .. } if source.kind() == ErrorKind::Interrupted)
    }

    /// Whether the device has disappeared. The next reset opens the port again if the device is
    /// back.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Gone { .. } | Self::Away { .. })
    }

    /// What the error says about the answer, if only the answer was lost on its way.
    pub fn garbled(&self) -> Garbled<'_> {
        match self {
            Self::Echo { output, .. } => Garbled::Answered(Some(output.as_bytes())),
            Self::Checksum { .. } | Self::Frame { .. } => Garbled::Answered(None),
            // They came with the reply.
            Self::Late { before, .. } if before.is_empty() => Garbled::Answered(None),
            _ => Garbled::No,
        }
    }

    /// Whether the word may succeed when it is asked again.
    pub fn is_worth_a_retry(&self) -> bool {
        match self {
            Self::Late { .. }
            | Self::Unending { .. }
            | Self::Echo { .. }
            | Self::Checksum { .. }
            | Self::Frame { .. }
            | Self::Command { .. }
            | Self::WordTooLong { .. }
            | Self::Port { .. } => true,
            // One that never worked is wrong in the device file, or there is no device.
            Self::Reset { history, .. } => !history.is_empty(),
            Self::Gone { .. }
            | Self::Away { .. }
            | Self::Place(_)
            | Self::Suspect { .. }
            | Self::NoSuchInput { .. } => false,
        }
    }
}

/// Advice where a command of a reset failed.
const COMMAND_FAILED: &str = "a command of [[reset]] failed, so the device was not asked: does the command work by hand, in the folder of \
                              the device file? If it only takes longer at times, a longer `within_ms` beside `run` gives it the time";

/// A number of bytes.
fn bytes(count: usize) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}
