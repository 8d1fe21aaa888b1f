//! The port, and how the device talks there.

use mealybug::draft::Echo;
use mealybug::escape::{escape, excerpt};
use mealybug::place::PlaceError;
use mealybug::ports;
use mealybug::serial::{
    BAUDS, LineAnswer, OpenError, PortAddress, Talk, TalkSearch, TimedLink, find_talk, find_unasked,
};
use miette::{Diagnostic, Result};

use super::{GivenPort, Questions};
use crate::cmd::init::answers::{NOTHING, Unanswered};
use crate::cmd::init::bytes::{NO_LINE_END, text};
use crate::cmd::init::kind::DeviceKind;

/// How many answers of a device are shown.
const SHOWN_ANSWERS: usize = 5;

impl Questions<'_> {
    /// Asks for the port if none was given, until one can be opened or the person keeps one that cannot.
    pub(super) fn port(&mut self) -> Result<(), Unanswered> {
        let (mut given, mut refused) = (self.given_port.clone(), None);
        loop {
            let port = match given.take() {
                Some(GivenPort { port, source }) => {
                    self.say(&format!("The port is {port}, as {source} says.\n"))?;
                    self.answer = Some(port.clone());
                    Some(port)
                }
                None => self.one_port(refused.as_deref())?,
            };
            let opened = port.as_deref().map(|port| (self.open)(port, BAUDS[0]));
            self.known.opens = matches!(opened, Some(Ok(_)));
            self.known.has_baud = match &opened {
                Some(Ok(link)) => link.has_baud(),
                // One that cannot be opened has a baud rate, unless its address says otherwise.
                _ => !port.as_deref().is_some_and(is_tcp),
            };
            let is_kept = port == refused;
            self.known.port.clone_from(&port);
            match opened {
                Some(Err(error)) if is_interrupted(&error) => {
                    return Err(Unanswered::Failed(error.into()));
                }
                Some(Err(error)) if !is_kept => {
                    let help = error.help().map(|help| format!("  {help}\n")).unwrap_or_default();
                    self.say(&format!("  That did not work: {error}.\n{help}"))?;
                    refused = port;
                }
                _ => {
                    self.given_port = None;
                    return Ok(());
                }
            }
        }
    }

    /// Asks for a port once; `refused` is one that could not be opened.
    fn one_port(&mut self, refused: Option<&str>) -> Result<Option<String>, Unanswered> {
        // A system that does not list its ports has none to choose from.
        let ports = ports::list().unwrap_or_default();
        for (number, port) in (1..).zip(&ports) {
            self.say(&format!("  {number}  {}  {}\n", port.path.display(), port.description))?;
        }
        let question = match refused {
            None => "Port (path or number from the list; leave empty to give --port later)",
            Some(_) => "Another port (Enter keeps this one and asks nothing there, - for none)",
        };
        self.until(question, refused.unwrap_or_default(), |answer| match answer {
            "" | NOTHING => Ok(None),
            answer => {
                let Ok(number) = answer.parse::<usize>() else {
                    return Ok(Some(answer.to_owned()));
                };
                let port = number.checked_sub(1).and_then(|index| ports.get(index));
                let port = port.ok_or("a path, or a number from the list")?;
                let path = port.by_id.as_ref().unwrap_or(&port.path);
                Ok(Some(path.to_string_lossy().into_owned()))
            }
        })
    }

    /// Asks for a harmless line, sends it at several baud rates, and says what it found.
    pub(super) fn talk(&mut self) -> Result<(), Unanswered> {
        (self.known.talk, self.known.has_escapes) = (None, false);
        self.known.answers.clear();
        self.known.unasked.clear();
        let Some(port) = self.known.port.clone().filter(|_| self.known.opens) else {
            return Ok(());
        };
        if !self.known.is_text() {
            return Ok(());
        }
        let line = self.harmless_line()?;
        self.known.harmless = line.clone().filter(|line| !line.trim().is_empty());
        self.hear_unasked(&port)?;
        let Some(line) = line else { return Ok(()) };
        let tried = if self.known.has_baud { "baud rates and line ends" } else { "line ends" };
        self.say(&format!("  Trying {tried}, for 45 s at most ...\n"))?;
        let TalkSearch { talk, lines, echoes, answers, .. } =
            match find_talk(&self.known.unasked, &line, &BAUDS, |baud| (self.open)(&port, baud)) {
                Ok(search) => search,
                Err(error) => {
                    self.say(&format!("  The port failed: {error}.\n"))?;
                    TalkSearch::default()
                }
            };
        let Some(talk) = talk else {
            self.say_answers(&line, [lines, echoes], &answers)?;
            self.known.answers = answers;
            return Ok(());
        };
        self.say_talk(&line, &talk)?;
        self.known.has_escapes = talk.has_escapes;
        self.known.talk = Some(talk);
        if self.known.answers_as_a_modem() {
            self.say("  That is how a modem answers: replies end with OK or ERROR.\n")?;
        }
        Ok(())
    }

    /// Asks for a line to send; `None` to send nothing.
    fn harmless_line(&mut self) -> Result<Option<String>, Unanswered> {
        let default = match self.known.kind {
            DeviceKind::Modem => "AT",
            DeviceKind::Lines => "*IDN?",
            _ => "help",
        };
        let question = "A line that the device answers and that does no harm, to find out how it talks\n  \
                        (`\\r` for an empty line, - to send nothing)";
        self.until(question, default, |answer| match text(answer) {
            None => Err("text in UTF-8"),
            _ if answer.ends_with(NO_LINE_END) => {
                Err("a whole line, without `\\c`: several line ends are tried, and then none. To send nothing, enter -")
            }
            Some(line) if line == NOTHING => Ok(None),
            Some(line) => Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned())),
        })
    }

    /// Listens for lines that the device says unasked.
    fn hear_unasked(&mut self, port: &str) -> Result<()> {
        self.say("  Listening first, since some devices speak unasked ...\n")?;
        // A port that fails fails again when a line is sent.
        let unasked = find_unasked(&BAUDS, |baud| (self.open)(port, baud)).unwrap_or_default();
        if !unasked.is_empty() {
            let shown: Vec<_> =
                unasked.iter().map(|kind| format!("`{}`", excerpt(&kind.example))).collect();
            self.say(&format!(
                "  It speaks unasked: {}. `strip` in the file takes such lines out.\n",
                shown.join(", ")
            ))?;
        }
        self.known.unasked = unasked;
        Ok(())
    }

    /// Says how the device answered the line.
    fn say_talk(&mut self, line: &str, talk: &Talk) -> Result<()> {
        let Talk { baud, line_end, echo, answer, pause, others, has_escapes: _ } = talk;
        let echo = match echo {
            Some(Echo::Plain) => ", with echo",
            Some(Echo::Drawn) => ", with an echo that is drawn anew with each key",
            Some(Echo::None) => ", without echo",
            None => "",
        };
        let at_baud =
            if self.known.has_baud { format!("At {baud} baud, a") } else { "A".to_owned() };
        let ends = match *line_end {
            "" => "without an end".to_owned(),
            line_end => format!("that ends with {}", escape(line_end.as_bytes())),
        };
        self.say(&format!("  {at_baud} line {ends} is answered{echo}: `{}`\n", excerpt(answer)))?;
        if !others.is_empty() {
            self.say("  With another line end it answers something else; you are asked for the line end below:\n")?;
            for LineAnswer { line_end, answer, .. } in others {
                let sent = escape(format!("{line}{line_end}").as_bytes());
                self.say(&format!("    `{sent}`: `{}`\n", excerpt(answer)))?;
            }
        }
        if !pause.is_zero() {
            self.say(&format!(
                "  It needs a pause of {} ms before each line: without one it says nothing.\n",
                pause.as_millis()
            ))?;
        }
        Ok(())
    }

    /// A connection to the device; `None` if there is no port that can be opened.
    pub(super) fn link(&self) -> Option<Box<dyn TimedLink + Send>> {
        let port = self.known.port.as_deref().filter(|_| self.known.opens)?;
        (self.open)(port, self.known.baud.unwrap_or(BAUDS[0])).ok()
    }

    /// Says what a device answered that did not answer twice in the same way. Of the lines that were sent, `echoes` only came
    /// back.
    fn say_answers(
        &mut self,
        line: &str,
        [lines, echoes]: [usize; 2],
        answers: &[LineAnswer],
    ) -> Result<()> {
        if answers.is_empty() && echoes > 0 {
            return self.say(&format!(
                "  With {echoes} of {lines} lines, only what was sent came back. Does the device repeat what is no command, until \
                 something else wakes it or leads into a command mode? Are two wires joined?\n"
            ));
        }
        if answers.is_empty() {
            return self.say("  No readable answer came.\n");
        }
        self.say(&format!(
            "  The device answered {} of {lines} lines, but no way of asking twice:\n",
            answers.len()
        ))?;
        for LineAnswer { baud, line_end, answer } in answers.iter().take(SHOWN_ANSWERS) {
            let sent = escape(format!("{line}{line_end}").as_bytes());
            let at_baud =
                if self.known.has_baud { format!(" at {baud} baud") } else { String::new() };
            self.say(&format!("    `{sent}`{at_baud}: `{}`\n", excerpt(answer)))?;
        }
        self.say(
            "  Another line end (\\r, \\n, \\r\\n) or a longer pause between lines may help: both are asked for below.\n  \
             `<` goes back, to try another line.\n",
        )
    }
}

fn is_tcp(port: &str) -> bool {
    matches!(PortAddress::parse(port), Ok(PortAddress::Tcp(_)))
}

/// Whether the person ended the command while the port was opened.
fn is_interrupted(error: &OpenError) -> bool {
    matches!(error, OpenError::Place(error) if matches!(**error, PlaceError::Interrupted))
}
