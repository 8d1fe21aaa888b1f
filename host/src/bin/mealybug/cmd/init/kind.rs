//! The kinds of devices that `mealybug init` knows, with an example of each.

use clap::ValueEnum;
use mealybug::draft::{Draft, Echo, Ends, ResetDraft};
use mealybug::serial::BAUDS;

/// How a device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DeviceKind {
    /// Text, with a prompt after each reply: a boot loader, a shell
    Console,
    /// A line for each input: an instrument
    Lines,
    /// AT commands: lines up to a final `OK` or `ERROR`
    Modem,
    /// Frames of bytes: Modbus, a protocol of your own
    Frames,
    /// Single bytes, or nothing at all: XMODEM, a boot loader in ROM
    Bytes,
}

impl DeviceKind {
    /// A draft with the usual values.
    pub(super) fn example(self) -> Draft {
        let text = |name: &str, end: &str| (name.to_owned(), format!("{name}{end}").into_bytes());
        let reset = |step: ResetDraft, answer: &[u8]| vec![(step, answer.to_vec().into())];
        let bytes = |name: &str, bytes: &[u8]| (name.to_owned(), bytes.to_vec());
        let draft = Draft {
            ends: Ends::Line,
            names_prompt: false,
            port: None,
            baud: Some(BAUDS[0]),
            pause_ms: 0,
            echo: Echo::None,
            has_escapes: false,
            is_hex: matches!(self, Self::Frames | Self::Bytes),
            unasked: Vec::new(),
            reset: reset(ResetDraft::Send(b"reset\r".to_vec()), b""),
            inputs: vec![text("help", "\r"), text("status", "\r")],
            closing: Vec::new(),
            own_ends: Vec::new(),
            shorter_within: None,
            checksum: None,
        };
        match self {
            Self::Console => Draft {
                ends: Ends::Prompts(vec!["> ".into()]),
                echo: Echo::Plain,
                reset: reset(ResetDraft::Send(b"reset\r".to_vec()), b"> "),
                ..draft
            },
            Self::Modem => Draft {
                ends: Ends::Result,
                echo: Echo::Plain,
                reset: reset(ResetDraft::Send(b"ATZ\r".to_vec()), b"OK\r\n"),
                inputs: vec![text("AT", "\r"), text("AT+CPIN?", "\r")],
                ..draft
            },
            Self::Lines => Draft {
                reset: reset(ResetDraft::Send(b"*RST\n".to_vec()), b""),
                inputs: vec![text("*IDN?", "\n"), text("OUTP ON", "\n"), text("OUTP?", "\n")],
                ..draft
            },
            Self::Frames => Draft {
                ends: Ends::Silence,
                reset: reset(ResetDraft::Dtr, b""),
                inputs: vec![
                    bytes("read", &[1, 3, 0, 0, 0, 1]),
                    bytes("write", &[1, 6, 0, 0, 0, 1]),
                ],
                checksum: Some("crc16-modbus".to_owned()),
                ..draft
            },
            Self::Bytes => Draft {
                ends: Ends::Silence,
                reset: reset(ResetDraft::Dtr, b""),
                inputs: vec![bytes("sync", &[0x7f]), bytes("eot", &[0x04])],
                ..draft
            },
        }
    }
}
