//! Why a port cannot be had, and why a device did not do what it should.

use std::io::{self, ErrorKind};

use miette::Diagnostic;
use thiserror::Error;

use super::noise::Unexpected;

/// Why a port cannot be opened.
#[derive(Debug, Error, Diagnostic)]
pub enum OpenError {
    /// There is nothing at this path.
    #[error("there is no port {path}")]
    #[diagnostic(help(
        "is the device plugged in and on? `mealybug ports` lists the ports that there are"
    ))]
    Missing {
        /// The port.
        path: String,
    },
    /// Another program has it.
    #[error("the port {path} is in use by another program")]
    #[diagnostic(help("`fuser {path}` shows which one; a terminal program left open, perhaps"))]
    Busy {
        /// The port.
        path: String,
    },
    /// This user may not have it.
    #[error("the port {path} is not yours to open")]
    #[diagnostic(help(
        "`ls -l {path}` shows whose it is; most often you must join its group, such as \
         `sudo usermod -aG dialout $USER`, and log in again"
    ))]
    Forbidden {
        /// The port.
        path: String,
    },
    /// It is something else.
    #[error("{path} is not a serial port")]
    #[diagnostic(help("give the path of a terminal device, such as /dev/ttyUSB0"))]
    NotAPort {
        /// What should be a port.
        path: String,
    },
    /// It is written in a way that means nothing.
    #[error("`{text}` is not a port: {why}")]
    #[diagnostic(help(
        "a serial port is a path, such as /dev/ttyUSB0; a TCP port is tcp:HOST:PORT, and a port \
         server's is rfc2217:HOST:PORT"
    ))]
    NoAddress {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The name of the host means nothing to the system.
    #[error("there is no host {host}")]
    #[diagnostic(help(
        "is its name written right? `getent hosts {host}` shows what it stands for"
    ))]
    NoHost {
        /// The host.
        host: String,
        /// What the system says.
        source: io::Error,
    },
    /// The host is there, and nothing listens.
    #[error("nothing listens at {address}")]
    #[diagnostic(help(
        "does the server run, and at this port? Some serve only one client: then close the other"
    ))]
    Refused {
        /// The address.
        address: String,
    },
    /// Nobody answers.
    #[error("{address} cannot be reached")]
    #[diagnostic(help("is the host on, and is there a network and no firewall in between?"))]
    Unreachable {
        /// The address.
        address: String,
        /// What the system says.
        source: io::Error,
    },
    /// The server closes the connection.
    #[error("{address} takes the connection and closes it")]
    #[diagnostic(help(
        "another program may be using the port behind it, or the server cannot open it: its log \
         says which"
    ))]
    Closed {
        /// The address.
        address: String,
    },
    /// It does not speak RFC 2217.
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
    /// The port server has other settings and keeps them.
    #[error("the port server at {address} has another {settings} than [port] says, and keeps it")]
    #[diagnostic(help(
        "can the port behind it do this `baud`, `format` and `flow`, and may a client set them?"
    ))]
    Settings {
        /// The address.
        address: String,
        /// What it does not take.
        settings: String,
    },
    /// It does not take these settings, or something else is wrong.
    #[error("the port {path} cannot be opened")]
    #[diagnostic(help("does it know the `baud`, `format` and `flow` of the device file?"))]
    Other {
        /// The port.
        path: String,
        /// What the system says.
        source: serialport::Error,
    },
}

impl OpenError {
    /// Sorts what the port library says.
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
/// What was received is escaped, and shows both ends when it is long.
#[derive(Debug, Error, Diagnostic)]
pub enum LinkError {
    /// The port is no longer there.
    #[error("the device disappeared while {during}")]
    #[diagnostic(help(
        "check its cable and its power. A port that comes back under another name has one that \
         stays in /dev/serial/by-id"
    ))]
    Gone {
        /// What was being done.
        during: String,
    },
    /// It is not back yet.
    #[error("the device is not back: {reason}")]
    #[diagnostic(help("check its cable and its power; the run goes on as soon as it is back"))]
    Away {
        /// Why it cannot be opened again.
        reason: OpenError,
    },
    /// The port failed in another way.
    #[error("the port failed while {during}")]
    #[diagnostic(help("with flow control, the device may be refusing to take bytes"))]
    Port {
        /// What was being done.
        during: String,
        /// What the system says.
        source: io::Error,
    },
    /// No reset worked.
    #[error("the device did not come back from a reset{history}{tried}")]
    Reset {
        /// How often it had come back before, and what was done to it since.
        history: String,
        /// A line for each reset method: what was wrong, and what came.
        tried: String,
        /// What to do.
        #[help]
        help: &'static str,
    },
    /// Bytes came after the end of a reply.
    #[error("{count} bytes came after {after} had ended{before}: `{received}`")]
    Late {
        /// What had ended: a reply, or the reset.
        after: String,
        /// `, before … was sent`, where that is known.
        before: String,
        /// How many bytes.
        count: usize,
        /// The bytes.
        received: String,
        /// What to do.
        #[help]
        help: &'static str,
    },
    /// The last reply of a word was taken for finished too early, and asking the word again did not
    /// bring the same answers: those that it got are not to be trusted.
    #[error("the answers to {word} cannot be trusted: {why}")]
    #[diagnostic(help(
        "give replies more patience (`within_ms`), a later end (`grace_ms`, `quiet_ms`), or a \
         silence that must follow them (`settle_ms`)"
    ))]
    Suspect {
        /// The word, with the names of its inputs.
        word: String,
        /// The numbers of its inputs.
        inputs: Vec<u32>,
        /// What happened.
        why: String,
    },
    /// The checksum at the end of a reply is wrong.
    #[error("the reply to `{input}` does not end in its {checksum}: `{received}`")]
    #[diagnostic(help(
        "is it the right checksum, and does the reply end where [reply] says it ends? A line that \
         garbles bytes does this now and then: the word is asked again"
    ))]
    Checksum {
        /// The input.
        input: String,
        /// What the checksum is called.
        checksum: &'static str,
        /// The reply.
        received: String,
    },
    /// The command that is an input failed.
    #[error("the input `{input}` could not be given: {why}")]
    Command {
        /// The input.
        input: String,
        /// What was wrong.
        why: String,
    },
    /// A word took longer than it may.
    #[error("{word} took longer than {limit_ms} ms")]
    #[diagnostic(help("for words that really take so long, raise `max_ms` in [word]"))]
    WordTooLong {
        /// The word so far.
        word: String,
        /// How long it may take.
        limit_ms: u128,
    },
    /// A reply did not end.
    #[error("the reply to `{input}` has no end: more than {limit} came, `{received}`")]
    #[diagnostic(help(
        "does the `match`, `lines` or `length` of its reply fit? For a reply that is really so \
         long, raise {key}"
    ))]
    Unending {
        /// The input.
        input: String,
        /// The limit that was reached.
        limit: String,
        /// Its key in the device file.
        key: &'static str,
        /// What came so far.
        received: String,
    },
    /// The device file has no such input.
    #[error("there is no input number {index}")]
    NoSuchInput {
        /// Its number.
        index: u32,
    },
}

impl LinkError {
    /// The error for what a link says, while doing this.
    pub(super) fn during(source: io::Error, during: impl Into<String>) -> Self {
        let during = during.into();
        match source.kind() {
            ErrorKind::BrokenPipe => Self::Gone { during },
            _ => Self::Port { during, source },
        }
    }

    /// What to do when no reset works: before the first that did, and with what came instead.
    pub(super) fn reset_help(is_first: bool, received: &[Unexpected]) -> &'static str {
        if received.contains(&Unexpected::Noise) {
            "what came is no text: are `baud` and `format` in [port] those of the device?"
        } else if is_first && received.iter().all(|received| *received == Unexpected::Nothing) {
            "the device has never said anything: is it on, and this its port? Are TX and RX \
             crossed, and the grounds connected? Are `baud` and `format` in [port] those of the \
             device? Then try the steps of each [[reset]] by hand: `mealybug try` sends and shows \
             bytes"
        } else {
            "try the steps of each [[reset]] by hand, in a terminal program: does the device say \
             what `expect` wants, and nothing after it? An answer that comes later than `within_ms` \
             of [reply] looks like this, too"
        }
    }

    /// Whether nothing is wrong: the program is to end.
    pub(crate) fn is_interruption(&self) -> bool {
        matches!(self, Self::Port { source, .. } if source.kind() == ErrorKind::Interrupted)
    }

    /// Whether there is no device at the other end any more; the next reset opens it again, when it
    /// is back.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Gone { .. } | Self::Away { .. })
    }

    /// Whether the word may well succeed when it is asked again.
    pub fn is_worth_a_retry(&self) -> bool {
        match self {
            Self::Late { .. }
            | Self::Unending { .. }
            | Self::Checksum { .. }
            | Self::Command { .. }
            | Self::WordTooLong { .. }
            | Self::Port { .. } => true,
            Self::Gone { .. }
            | Self::Away { .. }
            | Self::Reset { .. }
            | Self::Suspect { .. }
            | Self::NoSuchInput { .. } => false,
        }
    }
}
