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
mod tests {
    use super::*;

    /// The draft that these lines make, and what was shown.
    fn asked(answers: &str) -> Result<(Draft, String)> {
        let mut shown = Vec::new();
        let mut answers = answers.as_bytes();
        let open = |port: &str, _| Err(OpenError::Missing { path: port.to_owned() });
        let draft = Questions { answers: &mut answers, shown: &mut shown, open: &open }.ask()?;
        Ok((draft, String::from_utf8(shown).expect("text")))
    }

    #[test]
    fn a_console_whose_port_is_not_there_is_described_by_answers() {
        let answers = "1\n/dev/ttyX\n9600\nready> \n\n\n\nboot\n\n\nhelp\n open = open 1234, 5\n\n";
        let (draft, _) = asked(answers).expect("a draft");
        let expected = Draft {
            ends: Ends::Prompts(vec!["ready> ".to_owned()]),
            port: Some("/dev/ttyX".to_owned()),
            baud: Some(9600),
            echo: Echo::Plain,
            has_escapes: false,
            names_prompt: false,
            reset: vec![(ResetDraft::Send(b"boot\r".to_vec()), b"ready> ".to_vec())],
            inputs: vec![
                ("help".to_owned(), b"help\r".to_vec()),
                ("open".to_owned(), b"open 1234, 5\r".to_vec()),
            ],
            checksum: None,
        };
        assert_eq!(draft, expected);
    }

    #[test]
    fn a_control_character_alone_is_sent_without_a_line_end() {
        let answers = "1\n\n\n\n\n\n\n\\x03\n\n\nstop=\\x04\nboth=\\x03stop\npin=1234\\c\n-\n";
        let (draft, _) = asked(answers).expect("a draft");
        assert_eq!(draft.reset[0].0, ResetDraft::Send(b"\x03".to_vec()));
        assert_eq!(draft.inputs[0].1, b"\x04");
        assert_eq!(draft.inputs[1].1, b"\x03stop\r");
        assert_eq!(draft.inputs[2].1, b"1234");
    }

    #[test]
    fn frames_are_described_in_hex() {
        let answers =
            "4\n\n\n8\n!power cycle\n06 ff\n\nread=01 03 00\nwrite=010600\n\ncrc16-modbus\n";
        let (draft, _) = asked(answers).expect("a draft");
        assert_eq!(draft.ends, Ends::Length(8));
        assert_eq!(draft.inputs[1], ("write".to_owned(), vec![1, 6, 0]));
        let run = ResetDraft::Run("power cycle".to_owned());
        assert_eq!(draft.reset, [(run, vec![0x06, 0xff])]);
        assert_eq!(draft.checksum.as_deref(), Some("crc16-modbus"));
    }

    #[test]
    fn what_makes_no_sense_is_asked_again() {
        let answers = "6\n5\n\nfast\n9600\n0\n\nxx\ndtr\n\n\na=7\n=7f\na=7f\na=00\nb=00\n\n\n";
        let (draft, shown) = asked(answers).expect("a draft");
        assert_eq!(draft.inputs, [("a".to_owned(), vec![0x7f]), ("b".to_owned(), vec![0])]);
        for said in [
            "`6` is not accepted. Enter a number from 1 to 5",
            "`fast` is not accepted",
            "`xx` is not accepted. Enter pairs",
            "`a=7` is not accepted. Enter pairs",
            "Enter a name that can be seen",
            "`a=00` is not accepted. Enter another name than those before",
        ] {
            assert!(shown.contains(said), "`{said}` is not in:\n{shown}");
        }
        let error = asked("1\n").expect_err("there is no more");
        assert!(error.to_string().contains("not answered to the end"), "{error}");
    }

    #[test]
    fn several_prompts_and_a_reset_without_an_answer_can_be_said() {
        let answers = "1\n\n\n> \nconfig# \n\n\n\n\nboot\n-\n\nhelp\n\n";
        let (draft, shown) = asked(answers).expect("a draft");
        assert!(draft.names_prompt && shown.contains("`ok config#` (y or n) [y]"), "{shown}");
        assert_eq!(draft.ends, Ends::Prompts(["> ", "config# "].map(str::to_owned).to_vec()));
        assert_eq!(draft.reset, [(ResetDraft::Send(b"boot\r".to_vec()), Vec::new())]);
    }

    #[test]
    fn a_reset_may_have_several_steps_and_a_tcp_port_has_neither_baud_rate_nor_dtr() {
        let answers =
            "4\ntcp:127.0.0.1:1\n\ndtr\n18\n06\n!power cycle\n-\nreconnect\n-\n\na=01\n\n\n";
        let (draft, shown) = asked(answers).expect("a draft");
        assert_eq!(draft.baud, None);
        let [send, run] = [ResetDraft::Send(vec![0x18]), ResetDraft::Run("power cycle".to_owned())];
        let connect = ResetDraft::Reconnect;
        assert_eq!(draft.reset, [(send, vec![6]), (run, Vec::new()), (connect, Vec::new())]);
        assert!(!shown.contains("Baud") && !shown.contains("DTR"), "{shown}");
        assert!(shown.contains("`dtr` is not accepted"), "{shown}");
    }

    #[test]
    fn the_last_step_and_the_last_input_can_be_taken_back() {
        let answers =
            "1\n\n\n> \n\n\n\nbot\n-\n<\nboot\n-\nerase\n-\n<\n\nhelp\n<\nhelp\nopen\n<\n\n";
        let (draft, shown) = asked(answers).expect("a draft");
        assert_eq!(draft.reset, [(ResetDraft::Send(b"boot\r".to_vec()), Vec::new())]);
        assert_eq!(draft.inputs, [("help".to_owned(), b"help\r".to_vec())]);
        assert!(shown.contains("< takes the last one back"), "{shown}");
    }

    #[test]
    fn a_prompt_can_be_taken_back_and_the_first_answer_cannot() {
        let answers = "1\n<\n\n\n<\n> \n$ \n<\n# \n\n\n\n\n<\nboot\n-\n\n<\nhelp\n\n";
        let (draft, shown) = asked(answers).expect("a draft");
        assert_eq!(draft.ends, Ends::Prompts(["> ", "# "].map(str::to_owned).to_vec()));
        assert_eq!(draft.reset, [(ResetDraft::Send(b"boot\r".to_vec()), Vec::new())]);
        assert_eq!(draft.inputs, [("help".to_owned(), b"help\r".to_vec())]);
        let refused = "`<` is not accepted. Enter an answer: there is none to take back";
        assert_eq!(shown.matches(refused).count(), 4, "{shown}");
    }

    #[test]
    fn a_text_that_did_not_come_after_the_reset_is_said() {
        let ready = |answer: &[u8]| {
            let (mut answers, mut shown) = (answer, Vec::new());
            let open = |port: &str, _| Err(OpenError::Missing { path: port.to_owned() });
            let mut questions = Questions { answers: &mut answers, shown: &mut shown, open: &open };
            let ends = Ends::Prompts(vec!["* ".to_owned()]);
            let heard = Some(b"^C\r\n?\r\n* ".to_vec());
            let ready = questions.ready(true, &ends, heard).expect("an answer");
            (ready, String::from_utf8(shown).expect("text").contains("did not end with that"))
        };
        assert_eq!(ready(b"\n"), (b"* ".to_vec(), false));
        assert_eq!(ready(b"-\n"), (Vec::new(), false));
        assert_eq!(ready(b"boot\n"), (b"boot".to_vec(), true));
    }
}
