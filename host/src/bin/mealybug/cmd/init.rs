//! `mealybug init`: a first device file, from a few questions.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mealybug::device::DeviceFile;
use mealybug::draft::{Draft, Ends, ResetDraft};
use mealybug::escape::{is_hidden, unescape, visible_lines};
use mealybug::ports;
use miette::{IntoDiagnostic, Result, WrapErr};

use crate::exit::{CliError, Exit};
use crate::files::new_file::{must_be_new, write_new};
use crate::files::trust;
use crate::terminal::say;

/// Write a first device file, with comments, from your answers to a few questions.
///
/// --kind asks nothing and writes an example of that kind, for you to edit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug init lock.toml
  mealybug init lock.toml --kind console")]
pub(crate) struct InitArgs {
    /// The device file; it must be new
    #[arg(value_name = "DEVICE.toml", default_value = "device.toml")]
    file: PathBuf,

    /// Ask nothing; write an example for a device of this kind
    #[arg(long, value_enum)]
    kind: Option<DeviceKind>,
}

/// How a device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DeviceKind {
    /// Text, with a prompt after each reply: a boot loader, a shell
    Console,
    /// A line for each input: an instrument, a modem
    Lines,
    /// Frames of bytes: Modbus, a protocol of your own
    Frames,
    /// Single bytes, or nothing at all: XMODEM, a boot loader in ROM
    Bytes,
}

impl InitArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        let shown = self.file.display();
        must_be_new(&self.file)?;
        let draft = match self.kind {
            Some(kind) => kind.example(),
            None if !io::stdin().is_terminal() => {
                return Err(CliError::report(
                    Exit::Usage,
                    "there is nobody to ask: standard input is no terminal",
                    "give --kind console, lines, frames or bytes for an example to edit",
                ));
            }
            None => {
                Questions { answers: &mut io::stdin().lock(), shown: &mut io::stdout() }.ask()?
            }
        };
        let name = self.file.file_name().unwrap_or(self.file.as_os_str()).to_string_lossy();
        let text = draft.text(&name);
        // A file that does not check would be our fault, and is not left behind.
        DeviceFile::parse(&self.file, &text)?;
        write_new(&self.file, &text)?;
        trust::remember(&self.file, text.as_bytes());
        say(&format!("\nWritten to {shown}.\n{}", next_steps(&self.file, &draft)));
        Ok(Exit::Done)
    }
}

/// What to do with the file.
fn next_steps(file: &Path, draft: &Draft) -> String {
    let port = if draft.port.is_some() { "" } else { "--port PORT " };
    let file = file.display();
    format!(
        "  mealybug try {port}{file}      talk to the device by hand\n  \
           mealybug check {port}{file}    does the file fit?\n  \
           mealybug learn {port}{file}    learn it\n"
    )
}

impl DeviceKind {
    /// A draft with the usual values.
    fn example(self) -> Draft {
        let text = |name: &str, end: &str| (name.to_owned(), format!("{name}{end}").into_bytes());
        let bytes = |name: &str, bytes: &[u8]| (name.to_owned(), bytes.to_vec());
        let draft = Draft {
            ends: Ends::Line,
            port: None,
            baud: 115_200,
            echo: false,
            reset: ResetDraft::Send(b"reset\r".to_vec()),
            ready: Vec::new(),
            inputs: vec![text("help", "\r"), text("status", "\r")],
            checksum: None,
        };
        match self {
            Self::Console => Draft {
                ends: Ends::Prompt("> ".to_owned()),
                echo: true,
                ready: b"> ".to_vec(),
                ..draft
            },
            Self::Lines => Draft {
                reset: ResetDraft::Send(b"*RST\n".to_vec()),
                inputs: vec![text("*IDN?", "\n"), text("OUTP ON", "\n"), text("OUTP?", "\n")],
                ..draft
            },
            Self::Frames => Draft {
                ends: Ends::Silence,
                reset: ResetDraft::Dtr,
                inputs: vec![
                    bytes("read", &[1, 3, 0, 0, 0, 1]),
                    bytes("write", &[1, 6, 0, 0, 0, 1]),
                ],
                checksum: Some("crc16-modbus".to_owned()),
                ..draft
            },
            Self::Bytes => Draft {
                ends: Ends::Silence,
                reset: ResetDraft::Dtr,
                inputs: vec![bytes("sync", &[0x7f]), bytes("eot", &[0x04])],
                ..draft
            },
        }
    }
}

/// Names, and what is sent.
type Inputs = Vec<(String, Vec<u8>)>;

/// A conversation with a person.
struct Questions<'a> {
    answers: &'a mut dyn BufRead,
    shown: &'a mut dyn Write,
}

impl Questions<'_> {
    fn ask(&mut self) -> Result<Draft> {
        self.say("Press Enter for the answer in brackets. Write bytes as \\r, \\n, \\x1b.\n\n")?;
        let kinds = DeviceKind::value_variants();
        for (number, kind) in (1..).zip(kinds) {
            let value = kind.to_possible_value();
            let help = value.as_ref().and_then(|value| value.get_help()).map(ToString::to_string);
            self.say(&format!("  {number}  {}\n", help.unwrap_or_default()))?;
        }
        let kind = self.until("How does the device answer?", "1", |answer| {
            let number: Option<usize> = answer.parse().ok();
            number
                .and_then(|number| kinds.get(number.checked_sub(1)?))
                .copied()
                .ok_or("a number from 1 to 4")
        })?;
        let port = self.port()?;
        let baud = self.until("Baud rate", "115200", |answer| {
            answer.parse().ok().filter(|baud| *baud > 0).ok_or("a number such as 9600")
        })?;
        let ends = self.ends(kind)?;
        let is_text = matches!(kind, DeviceKind::Console | DeviceKind::Lines);
        let (mut line_end, mut echo) = (String::new(), false);
        if is_text {
            let default = if kind == DeviceKind::Console { "\\r" } else { "\\n" };
            line_end = self.until("What ends a line that you send?", default, |answer| {
                text(answer).ok_or("\\r, \\n or \\r\\n")
            })?;
            let default = if kind == DeviceKind::Console { "y" } else { "n" };
            echo = self.until(
                "Does the device repeat what you send (echo, y or n)?",
                default,
                |answer| match answer.chars().next() {
                    Some('y' | 'Y') => Ok(true),
                    Some('n' | 'N') => Ok(false),
                    _ => Err("y or n"),
                },
            )?;
        }
        let reset = self.reset(is_text, &line_end)?;
        let (question, ready) = match &ends {
            Ends::Prompt(prompt) => {
                ("The last text of the device when it is back", prompt.as_str())
            }
            _ if is_text => {
                ("The last text of the device when it is back (leave empty if there is none)", "")
            }
            _ => (
                "The bytes that come when the device is back, in hex (leave empty if there are none)",
                "",
            ),
        };
        let ready = self.until(question, ready, |answer| match answer {
            "" => Ok(Vec::new()),
            answer => sent(answer, is_text, ""),
        })?;
        let (inputs, checksum) = self.inputs(is_text, &line_end)?;
        Ok(Draft { ends, port, baud, echo, reset, ready, inputs, checksum })
    }

    fn port(&mut self) -> Result<Option<String>> {
        // A system that does not list its ports has none to choose from.
        let ports = ports::list().unwrap_or_default();
        for (number, port) in (1..).zip(&ports) {
            self.say(&format!("  {number}  {}  {}\n", port.path.display(), port.description))?;
        }
        let answer = self.until(
            "Port (path or number from the list; leave empty to give --port later)",
            "",
            |answer| {
                let Ok(number) = answer.parse::<usize>() else { return Ok(answer.to_owned()) };
                let port = number.checked_sub(1).and_then(|index| ports.get(index));
                let port = port.ok_or("a path, or a number from the list")?;
                let path = port.by_id.as_ref().unwrap_or(&port.path);
                Ok(path.to_string_lossy().into_owned())
            },
        )?;
        Ok(Some(answer).filter(|answer| !answer.is_empty()))
    }

    fn ends(&mut self, kind: DeviceKind) -> Result<Ends> {
        match kind {
            DeviceKind::Console => {
                let prompt = "The prompt of the device, with the blank at its end";
                self.until(prompt, "> ", |answer| {
                    text(answer).map(Ends::Prompt).ok_or("text in UTF-8")
                })
            }
            DeviceKind::Lines => Ok(Ends::Line),
            DeviceKind::Frames | DeviceKind::Bytes => {
                let bytes = "Number of bytes of a reply (leave empty if a reply ends with silence)";
                self.until(bytes, "", |answer| match answer {
                    "" => Ok(Ends::Silence),
                    answer => match answer.parse() {
                        Ok(bytes) if bytes > 0 => Ok(Ends::Length(bytes)),
                        _ => Err("a number of bytes, or nothing"),
                    },
                })
            }
        }
    }

    fn reset(&mut self, is_text: bool, line_end: &str) -> Result<ResetDraft> {
        let (what, default) =
            if is_text { ("a line to send", "reset") } else { ("bytes to send in hex", "dtr") };
        let question = format!(
            "What brings the device back to its initial state?\n  \
             {what}, `dtr` for a pulse on DTR, or `!COMMAND` for a shell command"
        );
        self.until(&question, default, |answer| match answer.strip_prefix('!') {
            Some("") => Err("a command after the exclamation mark"),
            Some(command) => Ok(ResetDraft::Run(command.to_owned())),
            None if answer == "dtr" => Ok(ResetDraft::Dtr),
            None => sent(answer, is_text, line_end).map(ResetDraft::Send),
        })
    }

    /// The inputs, and the checksum that is appended to them.
    fn inputs(&mut self, is_text: bool, line_end: &str) -> Result<(Inputs, Option<String>)> {
        let (question, default) = match is_text {
            true => ("The inputs, separated by commas\n  NAME, or NAME=TEXT TO SEND", "help"),
            false => ("The inputs, separated by commas\n  NAME=BYTES IN HEX", "sync=7f"),
        };
        let inputs = self.until(question, default, |answer| {
            let mut inputs = Inputs::new();
            for input in answer.split(',').map(str::trim).filter(|input| !input.is_empty()) {
                let (name, what) = input.split_once('=').unwrap_or((input, input));
                let name = name.trim().to_owned();
                let is_taken = inputs.iter().any(|(known, _)| *known == name);
                if name.is_empty() || name.contains(is_hidden) || is_taken {
                    return Err("a different name for each input, which can be seen");
                }
                inputs.push((name, sent(what.trim(), is_text, line_end)?));
            }
            if inputs.is_empty() { Err("at least one input") } else { Ok(inputs) }
        })?;
        if is_text {
            return Ok((inputs, None));
        }
        let question = "The checksum at the end of each input\n  Its name, such as crc16-modbus (leave empty if there is none)";
        let checksum = self.until(question, "", |answer| Ok(answer.to_owned()))?;
        Ok((inputs, Some(checksum).filter(|checksum| !checksum.is_empty())))
    }

    /// Asks until the answer makes sense.
    fn until<T>(
        &mut self,
        question: &str,
        default: &str,
        read: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<T> {
        loop {
            let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
            self.say(&format!("{question}{shown}: "))?;
            let mut line = String::new();
            let count = self.answers.read_line(&mut line).into_diagnostic();
            if count.wrap_err("cannot read an answer")? == 0 {
                return Err(CliError::report(
                    Exit::Failed,
                    "the questions were not answered to the end",
                    "nothing was written",
                ));
            }
            // A blank at the end of a prompt counts.
            let line = line.trim_end_matches(['\r', '\n']);
            let answer = if line.trim().is_empty() { default } else { line };
            match read(answer) {
                Ok(value) => return Ok(value),
                Err(wanted) => {
                    self.say(&format!("  `{answer}` is not accepted. Enter {wanted}.\n"))?;
                }
            }
        }
    }

    fn say(&mut self, text: &str) -> Result<()> {
        let text = visible_lines(text);
        let shown = self.shown.write_all(text.as_bytes()).and_then(|()| self.shown.flush());
        shown.into_diagnostic().wrap_err("the questions cannot be shown")
    }
}

/// A text with its escapes read, where it has any.
fn text(answer: &str) -> Option<String> {
    match unescape(answer) {
        Some(bytes) => String::from_utf8(bytes).ok(),
        None => Some(answer.to_owned()),
    }
}

/// What is sent: a line, or bytes in hex. A control character alone is a key, and ends no line.
fn sent(answer: &str, is_text: bool, line_end: &str) -> Result<Vec<u8>, &'static str> {
    if is_text {
        let line = unescape(answer).unwrap_or_else(|| answer.as_bytes().to_vec());
        let is_key = matches!(*line, [byte] if byte.is_ascii_control());
        return Ok(if is_key { line } else { [&line, line_end.as_bytes()].concat() });
    }
    let digits: Vec<_> = answer.chars().filter(|digit| !digit.is_whitespace()).collect();
    let byte = |pair: &[char]| match *pair {
        [high, low] => Some(high.to_digit(16)? << 4 | low.to_digit(16)?),
        _ => None,
    };
    let bytes: Option<Vec<_>> =
        digits.chunks(2).map(|pair| byte(pair).and_then(|byte| u8::try_from(byte).ok())).collect();
    bytes.filter(|bytes| !bytes.is_empty()).ok_or("pairs of hex digits, such as 01 03 ff")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The draft that these lines make, and what was shown.
    fn asked(answers: &str) -> Result<(Draft, String)> {
        let mut shown = Vec::new();
        let mut answers = answers.as_bytes();
        let draft = Questions { answers: &mut answers, shown: &mut shown }.ask()?;
        Ok((draft, String::from_utf8(shown).expect("text")))
    }

    #[test]
    fn a_console_is_described_in_nine_answers() {
        let answers = "1\n/dev/ttyX\n9600\nready> \n\n\nboot\n\nhelp, open=open 1234\n";
        let (draft, _) = asked(answers).expect("a draft");
        let expected = Draft {
            ends: Ends::Prompt("ready> ".to_owned()),
            port: Some("/dev/ttyX".to_owned()),
            baud: 9600,
            echo: true,
            reset: ResetDraft::Send(b"boot\r".to_vec()),
            ready: b"ready> ".to_vec(),
            inputs: vec![
                ("help".to_owned(), b"help\r".to_vec()),
                ("open".to_owned(), b"open 1234\r".to_vec()),
            ],
            checksum: None,
        };
        assert_eq!(draft, expected);
    }

    #[test]
    fn a_control_character_alone_is_sent_without_a_line_end() {
        let answers = "1\n\n\n\n\n\n\\x03\n\nstop=\\x04, both=\\x03stop\n";
        let (draft, _) = asked(answers).expect("a draft");
        assert_eq!(draft.reset, ResetDraft::Send(b"\x03".to_vec()));
        assert_eq!(draft.inputs[0].1, b"\x04");
        assert_eq!(draft.inputs[1].1, b"\x03stop\r");
    }

    #[test]
    fn frames_are_described_in_hex() {
        let answers = "3\n\n\n8\n!power cycle\n06 ff\nread=01 03 00, write=010600\ncrc16-modbus\n";
        let (draft, _) = asked(answers).expect("a draft");
        assert_eq!(draft.ends, Ends::Length(8));
        assert_eq!(draft.reset, ResetDraft::Run("power cycle".to_owned()));
        assert_eq!(draft.inputs[1], ("write".to_owned(), vec![1, 6, 0]));
        assert_eq!(draft.ready, [0x06, 0xff]);
        assert_eq!(draft.checksum.as_deref(), Some("crc16-modbus"));
    }

    #[test]
    fn what_makes_no_sense_is_asked_again() {
        let answers = "5\n4\n\nfast\n9600\n0\n\nxx\ndtr\n\na=7,b\na=7f,a=00\na=7f\n\n";
        let (draft, shown) = asked(answers).expect("a draft");
        assert_eq!(draft.inputs, [("a".to_owned(), vec![0x7f])]);
        for said in [
            "`5` is not accepted. Enter a number from 1 to 4",
            "`fast` is not accepted",
            "`xx` is not accepted. Enter pairs",
            "a different name for each input",
        ] {
            assert!(shown.contains(said), "`{said}` is not in:\n{shown}");
        }
        let error = asked("1\n").expect_err("there is no more");
        assert!(error.to_string().contains("not answered to the end"), "{error}");
    }

    #[test]
    fn every_example_is_a_device_file() {
        for kind in DeviceKind::value_variants() {
            let text = kind.example().text("lock.toml");
            DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file");
        }
    }
}
