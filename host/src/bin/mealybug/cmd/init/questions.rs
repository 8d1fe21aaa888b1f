//! The conversation of `mealybug init` with a person, and with the device.

mod asking;
mod inputs;
mod port;
mod reset;

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use mealybug::device::Checksum;
use mealybug::draft::{DevicePrompt, Draft, Echo};
use mealybug::escape::escape;
use mealybug::serial::{BAUDS, LINE_ENDS, OpenError, TimedLink};
use miette::Result;

use super::answers::{NO_PATTERN, NOTHING, Unanswered, yes_or_no};
use super::bytes::{prompt, reply_length, text, typed_pattern};
use super::kind::DeviceKind;
use super::known::Known;

/// How long a server may take to greet.
const GREETING: Duration = Duration::from_millis(150);

/// Opens a port at a baud rate.
pub(super) type Open<'a> = &'a dyn Fn(&str, u32) -> Result<Box<dyn TimedLink + Send>, OpenError>;

/// A conversation with a person, and with the device if its port is known.
pub(super) struct Questions<'a> {
    answers: &'a mut dyn BufRead,
    shown: &'a mut dyn Write,
    open: Open<'a>,
    /// The port that was given, until it is used or kept.
    given_port: Option<GivenPort>,
    /// The folder of the device file, for commands.
    folder: PathBuf,
    /// How many columns a line has.
    columns: usize,
    known: Known,
    /// What the person answered last.
    answer: Option<String>,
}

/// A port that is not asked for, unless the person takes it back.
#[derive(Clone, Debug)]
pub(super) struct GivenPort {
    pub(super) port: String,
    /// The option or the variable that says so.
    pub(super) source: &'static str,
}

/// What is asked for. Prompts, steps of the reset and inputs are lists; of the others there is one each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    Kind,
    Port,
    Talk,
    Baud,
    Prompts,
    PromptNames,
    Length,
    LineEnd,
    Echo,
    Pause,
    Reset,
    Inputs,
    Checksum,
}

/// All of them, in the order in which they are asked for. What is known already, or has no meaning for this device,
/// is not asked for.
const TOPICS: [Topic; 13] = [
    Topic::Kind,
    Topic::Port,
    Topic::Talk,
    Topic::Baud,
    Topic::Prompts,
    Topic::PromptNames,
    Topic::Length,
    Topic::LineEnd,
    Topic::Echo,
    Topic::Pause,
    Topic::Reset,
    Topic::Inputs,
    Topic::Checksum,
];

impl Topic {
    /// What an answer to it is called; for a list, an element.
    const fn name(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Port => "port",
            Self::Talk => "line to try",
            Self::Baud => "baud rate",
            Self::Prompts => "prompt",
            Self::PromptNames => "prompts in outputs",
            Self::Length => "length of a reply",
            Self::LineEnd => "line end",
            Self::Echo => "echo",
            Self::Pause => "pause",
            Self::Reset => "step",
            Self::Inputs => "input",
            Self::Checksum => "checksum",
        }
    }
}

impl<'a> Questions<'a> {
    /// A conversation in which nothing was said yet.
    pub(super) fn new(
        answers: &'a mut dyn BufRead,
        shown: &'a mut dyn Write,
        open: Open<'a>,
        given_port: Option<GivenPort>,
    ) -> Self {
        let (folder, known) = (PathBuf::new(), Known::new());
        let columns = usize::MAX;
        Self { answers, shown, open, given_port, folder, columns, known, answer: None }
    }

    /// The same, with commands in the folder of the device file.
    pub(super) fn in_folder(self, folder: &Path) -> Self {
        Self { folder: folder.to_owned(), ..self }
    }

    /// The same, with lines of this many columns at most.
    pub(super) fn in_columns(self, columns: usize) -> Self {
        Self { columns, ..self }
    }

    /// Asks all questions.
    pub(super) fn ask(mut self) -> Result<Draft> {
        self.say(
            "Press Enter for the answer in brackets, - for nothing. Write bytes as \\r, \\n, \\x1b.\n\
             < takes the last answer back.\n\n",
        )?;
        // The topics for which the person gave an answer, by their place in the order, and the last answer to each.
        let mut answered: Vec<(usize, Topic, String)> = Vec::new();
        let mut at = 0;
        while let Some(&topic) = TOPICS.get(at) {
            self.answer = None;
            match self.ask_for(topic) {
                Ok(()) => {
                    answered.extend(self.answer.take().map(|answer| (at, topic, answer)));
                    at += 1;
                }
                Err(Unanswered::Back) => match answered.pop() {
                    Some((before, topic, answer)) => {
                        self.take_back(topic, &answer)?;
                        at = before;
                    }
                    None => self.say("  There is no answer to take back.\n")?,
                },
                Err(Unanswered::Failed(report)) => return Err(report),
            }
        }
        Ok(self.known.draft())
    }

    fn ask_for(&mut self, topic: Topic) -> Result<(), Unanswered> {
        match topic {
            Topic::Kind => self.kind(),
            Topic::Port => self.port(),
            Topic::Talk => self.talk(),
            Topic::Baud => self.baud(),
            Topic::Prompts => self.prompts(),
            Topic::PromptNames => self.prompt_names(),
            Topic::Length => self.length(),
            Topic::LineEnd => self.line_end(),
            Topic::Echo => self.echo(),
            Topic::Pause => self.pause(),
            Topic::Reset => self.reset(),
            Topic::Inputs => self.inputs(),
            Topic::Checksum => self.checksum(),
        }
    }

    /// Takes back the answer to a topic, and says so. The last answer to a list is that it has no other element: then the list
    /// stays, and its next element is asked for.
    fn take_back(&mut self, topic: Topic, answer: &str) -> Result<()> {
        let what = topic.name();
        let answer = if answer.is_empty() { NOTHING } else { answer };
        match topic {
            Topic::Prompts | Topic::Reset | Topic::Inputs => {
                self.say(&format!("  Taken back: no other {what}.\n"))
            }
            _ => self.say(&format!("  Taken back: {what} `{answer}`.\n")),
        }
    }

    /// Takes back the last element of the list of a topic, and says so.
    fn take_back_element(&mut self, topic: Topic) -> Result<()> {
        let known = &mut self.known;
        let taken = match topic {
            Topic::Prompts => known.prompts.pop().map(|prompt| prompt.typed()),
            Topic::Reset => known.steps.pop().map(|taken| known.typed(&taken.step)),
            _ => known.inputs.pop().map(|(name, _)| name),
        };
        let taken = taken.filter(|taken| !taken.is_empty());
        let (what, taken) = (topic.name(), taken.as_deref().unwrap_or(NOTHING));
        self.say(&format!("  Taken back: {what} `{taken}`.\n"))
    }

    /// Asks for an element of the list of a topic: with `first`, a question and what Enter stands for, while the list
    /// is empty, then with `another`. `None` if there are no more.
    fn one_of_several<T>(
        &mut self,
        topic: Topic,
        (first, default): (&str, &str),
        another: &str,
        read: impl Fn(&str, &Known) -> Result<T, &'static str>,
    ) -> Result<Option<T>, Unanswered> {
        loop {
            let known = self.known.clone();
            let read = |answer: &str| read(answer, &known);
            let is_first = match topic {
                Topic::Prompts => known.prompts.is_empty(),
                Topic::Reset => known.steps.is_empty(),
                _ => known.inputs.is_empty(),
            };
            if is_first {
                return self.until(first, default, read).map(Some);
            }
            match self.one_more(another, read) {
                Err(Unanswered::Back) => self.take_back_element(topic)?,
                element => return element,
            }
        }
    }

    fn kind(&mut self) -> Result<(), Unanswered> {
        let kinds = DeviceKind::value_variants();
        for (number, kind) in (1..).zip(kinds) {
            let value = kind.to_possible_value();
            let help = value.as_ref().and_then(|value| value.get_help()).map(ToString::to_string);
            self.say(&format!("  {number}  {}\n", help.unwrap_or_default()))?;
        }
        self.known.kind = self.until("How does the device answer?", "1", |answer| {
            let number: Option<usize> = answer.parse().ok();
            number
                .and_then(|number| kinds.get(number.checked_sub(1)?))
                .copied()
                .ok_or("a number from 1 to 5")
        })?;
        Ok(())
    }

    fn baud(&mut self) -> Result<(), Unanswered> {
        self.known.baud = match &self.known.talk {
            _ if !self.known.has_baud => None,
            Some(talk) => Some(talk.baud),
            None => {
                let default = self.known.answers.first().map_or(BAUDS[0], |answer| answer.baud);
                Some(self.until("Baud rate", &default.to_string(), |answer| {
                    answer.parse().ok().filter(|baud| *baud > 0).ok_or("a number such as 9600")
                })?)
            }
        };
        Ok(())
    }

    /// The prompts of a console.
    fn prompts(&mut self) -> Result<(), Unanswered> {
        if self.known.kind != DeviceKind::Console {
            return Ok(());
        }
        let found = self.known.replies_to_harmless().next().map(|answer| escape(prompt(answer)));
        let found = found.filter(|prompt| !prompt.is_empty()).unwrap_or_else(|| "> ".to_owned());
        let first =
            ("The prompt of the device, with the blank at its end, or a /PATTERN/", &*found);
        let read = |answer: &str, _: &Known| match answer {
            NOTHING => Err("a prompt; a device without one is of another kind (`<` goes back)"),
            answer => match typed_pattern(answer) {
                Some(pattern) => Some(DevicePrompt::Pattern(pattern.to_owned()))
                    .filter(DevicePrompt::is_valid)
                    .ok_or(NO_PATTERN),
                None => text(answer).map(DevicePrompt::Text).ok_or("text in UTF-8"),
            },
        };
        let mut refused = None;
        while let Some(prompt) =
            self.one_of_several(Topic::Prompts, first, "Another prompt", read)?
        {
            // The harmless line shows the prompt of one mode only.
            let is_first = self.known.prompts.is_empty();
            if (is_first || !is_likely(&prompt))
                && let Some(end) = self.known.other_end(&prompt)
                && refused.as_ref() != Some(&prompt)
            {
                let instead = match is_first {
                    true => "the prompt that they end with",
                    false => "- if there is no other prompt",
                };
                self.say(&format!(
                    "  No reply so far ends with `{}`: they end with `{}`. Enter {instead}, or the same again to insist.\n",
                    prompt.typed(),
                    escape(&end)
                ))?;
                refused = Some(prompt);
                continue;
            }
            self.known.prompts.push(prompt);
        }
        Ok(())
    }

    /// Whether the prompt is a part of the output.
    fn prompt_names(&mut self) -> Result<(), Unanswered> {
        self.known.names_prompt = match self.known.prompts.as_slice() {
            [] | [_] => false,
            [.., last] => {
                let question = format!(
                    "An output can name its prompt, such as `ok {}`, where prompts tell modes of the device apart.\n  \
                     Do these prompts do so (y or n)?",
                    last.typed().trim_end()
                );
                self.until(&question, "y", yes_or_no)?
            }
        };
        Ok(())
    }

    /// The length of the reply of a device that takes bytes.
    fn length(&mut self) -> Result<(), Unanswered> {
        self.known.length = match self.known.is_text() {
            true => None,
            false => {
                let question = "Number of bytes of a reply (- if a reply ends with silence)\n  \
                     Where a reply holds its own length: at which byte (from 0), in how many bytes, and how many more\n  \
                     the reply has, such as `2 1 5`; `le` behind it if the low byte comes first";
                self.until(question, NOTHING, |answer| match answer {
                    NOTHING => Ok(None),
                    answer => reply_length(answer)
                        .map(Some)
                        .ok_or("a number of bytes, three numbers such as 2 1 5, or nothing"),
                })?
            }
        };
        Ok(())
    }

    fn line_end(&mut self) -> Result<(), Unanswered> {
        self.known.line_end = match &self.known.talk {
            _ if !self.known.is_text() => String::new(),
            Some(talk) if talk.others.is_empty() => talk.line_end.to_owned(),
            talk => {
                let usual = if self.known.kind == DeviceKind::Lines { "\n" } else { "\r" };
                let answered = self.known.answers.first().map(|answer| answer.line_end);
                let likely = talk.as_ref().map(|talk| talk.line_end).or(answered);
                let default = escape(likely.unwrap_or(usual).as_bytes());
                let question = "What ends a line that you send (\\r, \\n, \\r\\n, or - for none)?";
                self.until(question, &default, |answer| match answer {
                    NOTHING => Ok(String::new()),
                    answer => text(answer)
                        .filter(|end| LINE_ENDS.contains(&end.as_str()))
                        .ok_or("\\r, \\n, \\r\\n, or - for none"),
                })?
            }
        };
        Ok(())
    }

    fn echo(&mut self) -> Result<(), Unanswered> {
        let found = self.known.talk.as_ref().and_then(|talk| talk.echo);
        self.known.echo = match found {
            _ if !self.known.is_text() => Echo::None,
            Some(echo) => echo,
            None => {
                let default = if self.known.kind == DeviceKind::Lines { "n" } else { "y" };
                let question = "Does the device repeat what you send (echo, y or n)?";
                match self.until(question, default, yes_or_no)? {
                    true => Echo::Plain,
                    false => Echo::None,
                }
            }
        };
        Ok(())
    }

    /// The pause before each line, for a device that answered only some lines.
    fn pause(&mut self) -> Result<(), Unanswered> {
        self.known.pause_ms = match &self.known.talk {
            Some(talk) => u64::try_from(talk.pause.as_millis()).unwrap_or(u64::MAX),
            None if self.known.answers.is_empty() => 0,
            None => {
                let question = "The pause before each line in ms, such as 5000; it slows each input of a run (- for none)";
                // A device file has numbers of at most 32 bits.
                self.until(question, NOTHING, |answer| match answer {
                    NOTHING => Ok(0),
                    answer => {
                        answer.parse::<u32>().map(u64::from).map_err(|_| "a number such as 2000")
                    }
                })?
            }
        };
        Ok(())
    }

    /// The checksum at the end of bytes.
    fn checksum(&mut self) -> Result<(), Unanswered> {
        self.known.checksum = None;
        if self.known.is_text() {
            return Ok(());
        }
        let question = "The checksum at the end of each input\n  Its name, such as crc16-modbus (- if there is none)";
        let name = self.until(question, NOTHING, |answer| match answer.trim() {
            NOTHING => Ok(None),
            name if Checksum::find(name).is_some() => Ok(Some(name.to_owned())),
            _ => {
                Err("sum8, sum16, xor8, fletcher16, fletcher16-256, or a name of the catalogue at \
                      https://reveng.sourceforge.io/crc-catalogue/, such as crc16-modbus")
            }
        })?;
        let Some(checksum) = name.as_deref().and_then(Checksum::find) else { return Ok(()) };
        let all = self.known.inputs.len();
        let with_it = self.known.inputs.iter().filter(|(_, bytes)| checksum.ends(bytes)).count();
        // One may end so by chance, and some may be wrong on purpose.
        if with_it > 1 && 2 * with_it > all {
            let text = format!(
                "  {with_it} of the {all} inputs end with it as they are: none is appended.\n"
            );
            return Ok(self.say(&text)?);
        }
        self.known.checksum = name;
        Ok(())
    }
}

/// Whether a further prompt may be one, though no reply has ended with it: a text that ends with a word, such as `ATZ`, is rather
/// the answer to another question. Who types a pattern knows.
fn is_likely(prompt: &DevicePrompt) -> bool {
    match prompt {
        DevicePrompt::Text(text) => !text.ends_with(char::is_alphanumeric),
        DevicePrompt::Pattern(_) => true,
    }
}

#[cfg(test)]
mod tests;
