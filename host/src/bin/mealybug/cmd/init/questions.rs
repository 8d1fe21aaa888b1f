//! The conversation of `mealybug init` with a person, and with the device.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use clap::ValueEnum;
use mealybug::device::ControlLine;
use mealybug::draft::{Draft, Echo, Ends, ResetDraft};
use mealybug::escape::{escape, excerpt, is_hidden, visible_lines};
use mealybug::ports;
use mealybug::serial::{
    BAUDS, OpenError, PortAddress, Talk, TimedLink, find_talk, hear, without_escapes,
};
use miette::{IntoDiagnostic, Result, WrapErr};

use super::bytes::{hex, is_modem, last_line, prompt, sent, text};
use super::kind::DeviceKind;
use crate::exit::{CliError, Exit};

/// What a person types for nothing, where Enter means something else.
const NOTHING: &str = "-";
/// What a person types to take the last of several answers back.
const BACK: &str = "<";
/// How long to wait for the first byte after a reset.
const RESET_WITHIN: Duration = Duration::from_secs(3);
/// How long DTR is low in a reset.
const DTR_PULSE: Duration = Duration::from_millis(100);

/// The steps of a reset, each with what the device says after it.
type ResetSteps = Vec<(ResetDraft, Vec<u8>)>;

/// Names, and what is sent.
type Inputs = Vec<(String, Vec<u8>)>;

/// One of several answers of a kind.
enum OneMore<T> {
    Another(T),
    /// Not this one, and not the one before it.
    Back,
    Enough,
}

/// Opens a port at a baud rate.
pub(super) type Open<'a> = &'a dyn Fn(&str, u32) -> Result<Box<dyn TimedLink + Send>, OpenError>;

/// A conversation with a person, and with the device if its port is known.
pub(super) struct Questions<'a> {
    pub(super) answers: &'a mut dyn BufRead,
    pub(super) shown: &'a mut dyn Write,
    pub(super) open: Open<'a>,
}

impl Questions<'_> {
    /// Asks all questions.
    pub(super) fn ask(&mut self) -> Result<Draft> {
        self.say(
            "Press Enter for the answer in brackets, - for nothing. Write bytes as \\r, \\n, \\x1b.\n\
             Where several answers are asked for, < takes the last one back.\n\n",
        )?;
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
                .ok_or("a number from 1 to 5")
        })?;
        let port = self.port()?;
        let is_text = !matches!(kind, DeviceKind::Frames | DeviceKind::Bytes);
        let has_baud = self.has_baud(port.as_deref());
        let talk = match &port {
            Some(port) if is_text => self.find_talk(port, kind, has_baud)?,
            _ => None,
        };
        let baud = match &talk {
            _ if !has_baud => None,
            Some(talk) => Some(talk.baud),
            None => Some(self.until("Baud rate", &BAUDS[0].to_string(), |answer| {
                answer.parse().ok().filter(|baud| *baud > 0).ok_or("a number such as 9600")
            })?),
        };
        let ends = self.ends(kind, talk.as_ref())?;
        let names_prompt = match &ends {
            Ends::Prompts(prompts) if prompts.len() > 1 => self.names_prompt(prompts)?,
            _ => false,
        };
        let (mut line_end, mut echo) = (String::new(), Echo::None);
        if is_text {
            line_end = match &talk {
                Some(talk) => talk.line_end.to_owned(),
                None => self.line_end(kind)?,
            };
            echo = match talk.as_ref().and_then(|talk| talk.echo) {
                Some(echo) => echo,
                None => self.echo(kind)?,
            };
        }
        let mut link = port.as_deref().and_then(|port| {
            let link = (self.open)(port, baud.unwrap_or(BAUDS[0]));
            link.ok()
        });
        let reset = self.reset(is_text, has_baud, &line_end, &ends, link.as_mut())?;
        let (inputs, checksum) = self.inputs(is_text, &line_end)?;
        let has_escapes = talk.is_some_and(|talk| talk.has_escapes);
        Ok(Draft { ends, names_prompt, port, baud, echo, has_escapes, reset, inputs, checksum })
    }

    /// Whether the port has a baud rate. One that cannot be opened has one, unless its address says otherwise.
    fn has_baud(&self, port: Option<&str>) -> bool {
        let Some(port) = port else { return true };
        match (self.open)(port, BAUDS[0]) {
            Ok(link) => link.has_baud(),
            Err(_) => !matches!(PortAddress::parse(port), Ok(PortAddress::Tcp(_))),
        }
    }

    /// Asks for a harmless line, sends it at several baud rates, and says what it found.
    fn find_talk(&mut self, port: &str, kind: DeviceKind, has_baud: bool) -> Result<Option<Talk>> {
        if let Err(error) = (self.open)(port, BAUDS[0]) {
            self.say(&format!("  {error}: nothing is found out there.\n"))?;
            return Ok(None);
        }
        let default = match kind {
            DeviceKind::Modem => "AT",
            DeviceKind::Lines => "*IDN?",
            _ => "help",
        };
        let question = "A line that the device answers and that does no harm, to find out how it talks\n  \
                        (`\\r` for an empty line, - to send nothing)";
        let line = self.until(question, default, |answer| match text(answer) {
            None => Err("text in UTF-8"),
            Some(line) if line == NOTHING => Ok(None),
            Some(line) => Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned())),
        })?;
        let Some(line) = line else { return Ok(None) };
        let tried = if has_baud { "baud rates and line ends" } else { "line ends" };
        self.say(&format!("  Trying {tried}, for half a minute at most ...\n"))?;
        let talk = match find_talk(&line, &BAUDS, |baud| (self.open)(port, baud)) {
            Ok(talk) => talk,
            Err(error) => {
                self.say(&format!("  The port failed: {error}.\n"))?;
                None
            }
        };
        let Some(Talk { baud, line_end, echo, answer, .. }) = &talk else {
            self.say("  No readable answer came.\n")?;
            return Ok(None);
        };
        let echo = match echo {
            Some(Echo::Plain) => ", with echo",
            Some(Echo::Drawn) => ", with an echo that is drawn anew with each key",
            Some(Echo::None) => ", without echo",
            None => "",
        };
        let at_baud = if has_baud { format!("At {baud} baud, a") } else { "A".to_owned() };
        self.say(&format!(
            "  {at_baud} line that ends with {} is answered{echo}: `{}`\n",
            escape(line_end.as_bytes()),
            excerpt(answer)
        ))?;
        Ok(talk)
    }

    fn line_end(&mut self, kind: DeviceKind) -> Result<String> {
        let default = if kind == DeviceKind::Lines { "\\n" } else { "\\r" };
        self.until("What ends a line that you send?", default, |answer| {
            text(answer).ok_or("\\r, \\n or \\r\\n")
        })
    }

    /// Whether a prompt is a part of the output.
    fn names_prompt(&mut self, prompts: &[String]) -> Result<bool> {
        let question = format!(
            "Do these prompts tell modes of the device apart? Then an output names its prompt, such as\n  \
             `ok {}` (y or n)",
            prompts.last().map_or("", |prompt| prompt.trim_end())
        );
        self.until(&question, "y", yes_or_no)
    }

    fn echo(&mut self, kind: DeviceKind) -> Result<Echo> {
        let default = if kind == DeviceKind::Lines { "n" } else { "y" };
        let question = "Does the device repeat what you send (echo, y or n)?";
        let is_echo = self.until(question, default, yes_or_no)?;
        Ok(if is_echo { Echo::Plain } else { Echo::None })
    }

    /// Does a step of a reset and returns what the device says then; `None` if that was not tried.
    fn try_step<L: TimedLink>(
        &mut self,
        link: &mut L,
        step: &ResetDraft,
    ) -> Result<Option<Vec<u8>>> {
        let sent = match step {
            // What a command does is not tried behind the user's back.
            ResetDraft::Run(_) => return Ok(None),
            ResetDraft::Send(bytes) => link.write(bytes),
            ResetDraft::Dtr => link.set(ControlLine::Dtr, false).and_then(|()| {
                hear(link, DTR_PULSE)?;
                link.set(ControlLine::Dtr, true)
            }),
            ResetDraft::Reconnect => link.reopen().map_err(io::Error::other),
        };
        match sent.and_then(|()| hear(link, RESET_WITHIN)) {
            Ok(heard) => Ok(Some(without_escapes(&heard).into_owned())),
            Err(error) => {
                self.say(&format!("  The reset could not be tried: {error}.\n"))?;
                Ok(None)
            }
        }
    }

    /// What the device says after a step of a reset, from what was heard then.
    fn ready(&mut self, is_text: bool, ends: &Ends, heard: Option<Vec<u8>>) -> Result<Vec<u8>> {
        let mut default = match ends {
            Ends::Prompts(prompts) => escape(prompts.first().map_or(b"", String::as_bytes)),
            _ => NOTHING.to_owned(),
        };
        if let Some(heard) = &heard {
            let seconds = RESET_WITHIN.as_secs();
            if heard.is_empty() {
                self.say(&format!("  It was not answered within {seconds} s.\n"))?;
                default = NOTHING.to_owned();
            } else {
                self.say(&format!("  Then came `{}`\n", excerpt(heard)))?;
                default = if is_text { escape(last_line(heard)) } else { hex(heard) };
            }
        }
        let question = match is_text {
            true => "The last text of the device after that",
            false => "The bytes that come after that, in hex",
        };
        let ready = self.until(question, &default, |answer| match answer {
            NOTHING => Ok(Vec::new()),
            answer => sent(answer, is_text, ""),
        })?;
        if let Some(heard) = heard.filter(|heard| !heard.ends_with(&ready)) {
            self.say(&format!(
                "  Note: `{}` did not end with that. The file waits for it after each reset.\n",
                excerpt(&heard)
            ))?;
        }
        Ok(ready)
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
            first(|answer| {
                let Ok(number) = answer.parse::<usize>() else { return Ok(answer.to_owned()) };
                let port = number.checked_sub(1).and_then(|index| ports.get(index));
                let port = port.ok_or("a path, or a number from the list")?;
                let path = port.by_id.as_ref().unwrap_or(&port.path);
                Ok(path.to_string_lossy().into_owned())
            }),
        )?;
        Ok(Some(answer).filter(|answer| !answer.is_empty()))
    }

    fn ends(&mut self, kind: DeviceKind, talk: Option<&Talk>) -> Result<Ends> {
        match kind {
            DeviceKind::Console => {
                let found = talk.map(|talk| prompt(&talk.answer)).unwrap_or_default();
                let default = if found.is_empty() { "> ".to_owned() } else { escape(found) };
                let question = "The prompt of the device, with the blank at its end";
                let read = |answer: &str| text(answer).ok_or("text in UTF-8");
                let mut prompts = Vec::new();
                loop {
                    let other = match prompts.is_empty() {
                        true => OneMore::Another(self.until(question, &default, first(read))?),
                        false => self.one_more("Another prompt", read)?,
                    };
                    match other {
                        OneMore::Enough => return Ok(Ends::Prompts(prompts)),
                        OneMore::Back => {
                            prompts.pop();
                        }
                        OneMore::Another(prompt) => prompts.push(prompt),
                    }
                }
            }
            DeviceKind::Modem => Ok(Ends::Result),
            DeviceKind::Lines if talk.is_some_and(|talk| is_modem(&talk.answer)) => {
                self.say("  That is how a modem answers: replies end with OK or ERROR.\n")?;
                Ok(Ends::Result)
            }
            DeviceKind::Lines => Ok(Ends::Line),
            DeviceKind::Frames | DeviceKind::Bytes => {
                let bytes = "Number of bytes of a reply (- if a reply ends with silence)";
                self.until(bytes, NOTHING, |answer| match answer {
                    NOTHING => Ok(Ends::Silence),
                    answer => match answer.parse() {
                        Ok(bytes) if bytes > 0 => Ok(Ends::Length(bytes)),
                        _ => Err("a number of bytes, or nothing"),
                    },
                })
            }
        }
    }

    /// The steps of a reset; each is tried at the link.
    fn reset<L: TimedLink>(
        &mut self,
        is_text: bool,
        has_lines: bool,
        line_end: &str,
        ends: &Ends,
        mut link: Option<&mut L>,
    ) -> Result<ResetSteps> {
        let what = if is_text { "a line to send" } else { "bytes to send in hex" };
        let without_sending = match has_lines {
            true => "`dtr` for a pulse on DTR",
            false => "`reconnect` for a new connection",
        };
        let question = format!(
            "What brings the device back to its initial state?\n  \
             {what}, {without_sending}, or `!COMMAND` for a shell command"
        );
        let default = match (is_text, has_lines) {
            (_, false) => "reconnect",
            (true, true) => "reset",
            (false, true) => "dtr",
        };
        let read = |answer: &str| match answer.strip_prefix('!') {
            Some("") => Err("a command after the exclamation mark"),
            Some(command) => Ok(ResetDraft::Run(command.to_owned())),
            None if answer == "dtr" && has_lines => Ok(ResetDraft::Dtr),
            None if answer == "reconnect" && !has_lines => Ok(ResetDraft::Reconnect),
            None => sent(answer, is_text, line_end).map(ResetDraft::Send),
        };
        let mut steps = ResetSteps::new();
        loop {
            let step = match steps.is_empty() {
                true => OneMore::Another(self.until(&question, default, first(read))?),
                false => self.one_more("Another step of the reset", read)?,
            };
            match step {
                OneMore::Enough => return Ok(steps),
                OneMore::Back => {
                    steps.pop();
                }
                OneMore::Another(step) => {
                    let heard = match &mut link {
                        Some(link) => self.try_step(*link, &step)?,
                        None => None,
                    };
                    let answer = self.ready(is_text, ends, heard)?;
                    steps.push((step, answer));
                }
            }
        }
    }

    /// The inputs, and the checksum that is appended to them.
    fn inputs(&mut self, is_text: bool, line_end: &str) -> Result<(Inputs, Option<String>)> {
        let (question, default) = match is_text {
            true => (
                "The inputs, one after the other\n  NAME, or NAME=TEXT TO SEND; \\c at the end sends no line end",
                "help",
            ),
            false => ("The inputs, one after the other\n  NAME=BYTES IN HEX", "sync=7f"),
        };
        let mut inputs = Inputs::new();
        let read = |answer: &str, known: &Inputs| {
            let (name, what) = answer.split_once('=').unwrap_or((answer, answer));
            let name = name.trim().to_owned();
            if name.is_empty() || name.contains(is_hidden) {
                return Err("a name that can be seen");
            }
            if known.iter().any(|(known, _)| *known == name) {
                return Err("another name than those before");
            }
            Ok((name, sent(what.trim(), is_text, line_end)?))
        };
        loop {
            let input = match inputs.is_empty() {
                true => OneMore::Another(self.until(
                    question,
                    default,
                    first(|it| read(it, &inputs)),
                )?),
                false => self.one_more("Another input", |answer| read(answer, &inputs))?,
            };
            match input {
                OneMore::Enough => break,
                OneMore::Back => {
                    inputs.pop();
                }
                OneMore::Another(input) => inputs.push(input),
            }
        }
        if is_text {
            return Ok((inputs, None));
        }
        let question = "The checksum at the end of each input\n  Its name, such as crc16-modbus (- if there is none)";
        let checksum = self.until(question, NOTHING, |answer| Ok(answer.to_owned()))?;
        Ok((inputs, Some(checksum).filter(|checksum| checksum != NOTHING)))
    }

    /// Asks for one more answer, after others.
    fn one_more<T>(
        &mut self,
        question: &str,
        read: impl Fn(&str) -> Result<T, &'static str>,
    ) -> Result<OneMore<T>> {
        self.until(question, NOTHING, |answer| match answer {
            NOTHING => Ok(OneMore::Enough),
            BACK => Ok(OneMore::Back),
            answer => read(answer).map(OneMore::Another),
        })
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

fn yes_or_no(answer: &str) -> Result<bool, &'static str> {
    match answer.chars().next() {
        Some('y' | 'Y') => Ok(true),
        Some('n' | 'N') => Ok(false),
        _ => Err("y or n"),
    }
}

/// Reads the first of several answers, when there is none to take back.
fn first<T>(
    read: impl Fn(&str) -> Result<T, &'static str>,
) -> impl Fn(&str) -> Result<T, &'static str> {
    move |answer| match answer {
        BACK => Err("an answer: there is none to take back"),
        answer => read(answer),
    }
}

#[cfg(test)]
mod tests;
