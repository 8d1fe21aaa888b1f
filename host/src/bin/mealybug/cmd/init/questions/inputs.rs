//! The inputs. Over a network, each is tried at once.

use std::time::Duration;

use mealybug::draft::{DevicePrompt, Ends, OwnEnd, ResetDraft};
use mealybug::escape::{escape, is_hidden};
use mealybug::serial::{HeardBurst, TimedLink, ask_beside, reopen_when_back, without_escapes};
use miette::Result;

use super::asking::{copied, unbroken};
use super::{GREETING, Questions, Topic};
use crate::cmd::init::answers::{NOTHING, Unanswered, yes_or_no};
use crate::cmd::init::bytes::{last_line, prompt_of, sent};
use crate::cmd::init::kind::DeviceKind;
use crate::cmd::init::known::{Known, UnfitAnswer};

/// How long to wait for the first byte after an input.
const INPUT_WITHIN: Duration = Duration::from_secs(1);

/// The name of an input, and what it sends.
type NamedInput = (String, Vec<u8>);

impl Questions<'_> {
    /// Asks for the inputs. One that is a line is sent once where it can end the connection.
    pub(super) fn inputs(&mut self) -> Result<(), Unanswered> {
        let known = self.known.clone();
        let first = match known.is_text() {
            true => (
                "The inputs, one after the other\n  NAME, or NAME=TEXT TO SEND; \\c at the end sends no line end",
                known.harmless.as_deref().unwrap_or("help"),
            ),
            false => ("The inputs, one after the other\n  NAME=BYTES IN HEX", "sync=7f"),
        };
        let can_end = self.known.is_text() && !self.known.has_baud;
        let mut link = if can_end { self.link() } else { None };
        if link.is_some() {
            self.say(
                "Each input is sent once, to see whether it ends the connection. A reset that begins with a new \
                 connection comes before each.\n",
            )?;
        }
        let read = |answer: &str, known: &Known| {
            let input = read_input(answer, known)?;
            Ok((answer.to_owned(), input))
        };
        while let Some((answer, input)) =
            self.one_of_several(Topic::Inputs, first, "Another input", read)?
        {
            for (name, bytes) in self.split_input(&answer, input)? {
                self.take_input(link.as_mut(), name, bytes)?;
            }
        }
        self.say_common_end()?;
        self.say_own_ends()?;
        self.say_unfit_answer()?;
        if link.is_some() {
            self.say_what_may_stay()?;
        }
        Ok(())
    }

    /// Says with what all answers so far ended, where the file says that replies end so.
    fn say_common_end(&mut self) -> Result<()> {
        let kind = self.known.kind;
        let unlike = match kind {
            DeviceKind::Modem => {
                "No reply so far ended with `OK`, `ERROR` or another result of modems. "
            }
            _ => "",
        };
        let end = match self.known.ends() {
            Ends::Prompts(prompts) if kind != DeviceKind::Console => {
                let prompts: Vec<_> = prompts.iter().map(DevicePrompt::typed).collect();
                let prompt = unbroken(&prompts.join("`, `"));
                format!("Each answer so far ended with the prompt `{prompt}`")
            }
            Ends::EmptyLine => "Each answer so far ended with an empty line".to_owned(),
            Ends::LastLine(pattern) => format!("A reply ends with a line that fits `{pattern}`"),
            Ends::Silence if kind == DeviceKind::Modem => {
                "A reply ends with silence, since no line end came at the end of one".to_owned()
            }
            _ => return Ok(()),
        };
        self.say(&format!("{unlike}{end}: the file says so.\n"))
    }

    /// Says that the device may keep what the inputs stored, where the reset of the run does nothing against that.
    fn say_what_may_stay(&mut self) -> Result<()> {
        let mut steps = self.known.steps.iter();
        if !steps.all(|taken| taken.step == ResetDraft::Reconnect) {
            return Ok(());
        }
        self.say(
            "The reset is only a new connection, so what the inputs stored in the device just now may still be there: then no run sees \
             the device without it, unless you start the device anew or add a step to the reset that deletes it.\n",
        )
    }

    /// The inputs of an answer that was read as one input: it may hold several, as `on=1, off=0` does. The person decides.
    fn split_input(
        &mut self,
        answer: &str,
        input: NamedInput,
    ) -> Result<Vec<NamedInput>, Unanswered> {
        let parts = inputs_in(answer);
        if !self.known.is_text() || parts.len() < 2 {
            return Ok(vec![input]);
        }
        let name = |part: &&str| format!("`{}`", part.split('=').next().unwrap_or(part).trim());
        let names: Vec<_> = parts.iter().map(name).collect();
        let question =
            format!("  Are these {} inputs: {}? (y or n)", parts.len(), names.join(", "));
        match self.until(&question, "y", yes_or_no) {
            Ok(true) => {}
            Ok(false) => return Ok(vec![input]),
            Err(Unanswered::Back) => {
                self.say(&format!("  Taken back: input `{answer}`.\n"))?;
                return Ok(Vec::new());
            }
            Err(failed) => return Err(failed),
        }
        let mut known = self.known.clone();
        for part in parts {
            match read_input(part, &known) {
                Ok(input) => known.inputs.push(input),
                Err(wanted) => self.refuse(part, wanted)?,
            }
        }
        Ok(known.inputs.split_off(self.known.inputs.len()))
    }

    /// Adds an input, and sends it where there is a link.
    fn take_input(
        &mut self,
        link: Option<&mut impl TimedLink>,
        name: String,
        bytes: Vec<u8>,
    ) -> Result<()> {
        self.tell_of_placeholders(&bytes)?;
        self.known.closing.retain(|before| *before != name);
        if let Some(link) = link
            && self.ends_connection(link, &bytes)?
        {
            self.known.closing.push(name.clone());
        }
        if let Some(answer) = self.known.harmless_answer(&bytes) {
            self.known.replies.entry(bytes.clone()).or_insert(answer);
        }
        self.known.inputs.push((name, bytes));
        Ok(())
    }

    /// Says at the first text with `${` that it is sent as it is, and how to send a value of an earlier reply.
    fn tell_of_placeholders(&mut self, sent: &[u8]) -> Result<()> {
        let has_placeholder = |sent: &[u8]| sent.windows(2).any(|part| part == b"${");
        let is_told = self.known.inputs.iter().any(|(_, before)| has_placeholder(before));
        if !self.known.is_text() || is_told || !has_placeholder(sent) {
            return Ok(());
        }
        self.say(
            "  The device gets `${` as it stands here, for which the file has `${$}{`; to send a value of an earlier reply, write \
             `${NAME}` into the file by hand, as docs/device-file.md says at [captures].\n",
        )
    }

    /// Says where an answer does not end as the file says that replies do, and what fits. At a serial port no input was sent, so
    /// that the answer to the harmless line is all that is known.
    fn say_unfit_answer(&mut self) -> Result<(), Unanswered> {
        let Some(unfit) = self.known.unfit_answer() else { return Ok(()) };
        let UnfitAnswer { line, last, rule, own_end, common_end } = unfit;
        let common = common_end.map(|end| {
            let others = match end {
                OwnEnd::LastLine(_) => "; separate several last lines by `|`",
                OwnEnd::Lines(_) => "",
            };
            format!(
                "Where other replies end so, too, write in [reply]{others}:\n{}",
                copied(&end.key())
            )
        });
        let own = own_end.map(|end| {
            format!(
                "Where only the reply to an input ends so, write at that input:\n{}",
                copied(&end.reply())
            )
        });
        Ok(self.say(&format!(
            "The answer to `{line}` ended with `{last}`, and the file says that {rule}.\n{}{}",
            common.unwrap_or_default(),
            own.unwrap_or_default()
        ))?)
    }

    /// Says which inputs get a reply of their own, since theirs have several lines.
    fn say_own_ends(&mut self) -> Result<(), Unanswered> {
        let own_ends = self.known.own_ends();
        if own_ends.is_empty() {
            return Ok(());
        }
        let shown =
            |(name, end): &(String, OwnEnd)| format!("  `{name}`: `{}`\n", unbroken(&end.reply()));
        let replies: String = own_ends.iter().map(shown).collect();
        let counts_lines = own_ends.iter().any(|(_, end)| matches!(end, OwnEnd::Lines(_)));
        let varies = match counts_lines {
            true => "Where the number of lines may vary, use `last_line` in place of `lines`.\n",
            false => "",
        };
        Ok(self.say(&format!(
            "The file says that a reply is one line. Where several came, the input has a reply of its own:\n{replies}{varies}"
        ))?)
    }

    /// Takes lines of a kind that are a part of an answer for answers, and says so.
    fn keep_answers(&mut self) -> Result<()> {
        let unasked = std::mem::take(&mut self.known.unasked);
        let (answered, unasked): (Vec<_>, Vec<_>) =
            unasked.into_iter().partition(|kind| self.known.is_answered(kind));
        self.known.unasked = unasked;
        for kind in answered {
            self.say(&format!(
                "  Lines such as `{}` are answers, too: `strip` does not take them out.\n",
                escape(&kind.example)
            ))?;
        }
        Ok(())
    }

    /// Sends an input, says what came, and returns whether it ended the connection. Then there is a new one.
    fn ends_connection(&mut self, link: &mut impl TimedLink, input: &[u8]) -> Result<bool> {
        if self.known.steps.first().is_some_and(|first| first.step == ResetDraft::Reconnect) {
            self.connect_as_reset(link)?;
        }
        let pause = Duration::from_millis(self.known.pause_ms).max(GREETING);
        let until = link.now() + pause;
        // A line that looks like those that came unasked in starts may be the answer.
        let came_alone: Vec<_> =
            self.known.unasked.iter().filter(|kind| kind.came_alone).cloned().collect();
        let heard = ask_beside(link, until, input, INPUT_WITHIN, &came_alone);
        let HeardBurst { bytes, is_closed, ended, .. } = match heard {
            Ok(heard) => heard,
            Err(error) => {
                self.say(&format!("  It could not be sent: {error}.\n"))?;
                return Ok(false);
            }
        };
        match bytes.as_slice() {
            [] => self.say("  Nothing came.\n")?,
            bytes => self.say(&format!("  Then came `{}`\n", self.known.shown(bytes)))?,
        }
        let shown = without_escapes(&bytes);
        self.tell_of_echoes(input, &shown)?;
        if !is_closed
            && !shown.trim_ascii().is_empty()
            && self.known.kind == DeviceKind::Console
            && prompt_of(&shown, &self.known.prompts).is_none()
        {
            self.say(&format!(
                "  It ends with none of the prompts, but with `{}`. If that is a prompt, too, `match` of [reply] and the \
                 [[output]] rules of the file need it; `<` goes back.\n",
                escape(last_line(&shown))
            ))?;
        }
        self.known.replies.insert(input.to_vec(), bytes.clone());
        self.known.took.insert(input.to_vec(), ended.saturating_sub(until));
        self.keep_answers()?;
        if is_closed {
            self.say(
                "  It ended the connection. In the file, its `reply` gets `closed = \"(closed)\"`: the output of an \
                 end.\n",
            )?;
            if let Err(error) = reopen_when_back(link) {
                self.say(&format!("  No new connection could be opened: {error}.\n"))?;
            }
        }
        Ok(is_closed)
    }
}

/// The input that a person typed, which must differ from those before.
fn read_input(answer: &str, known: &Known) -> Result<NamedInput, &'static str> {
    let (name, what) = answer.split_once('=').unwrap_or((answer, answer));
    let name = name.trim().to_owned();
    if answer == NOTHING {
        return Err("an input: a device is learned by what is sent");
    }
    if name.is_empty() || name.contains(is_hidden) {
        return Err("a name that can be seen");
    }
    if known.inputs.iter().any(|(before, _)| *before == name) {
        return Err("another name than those before");
    }
    let bytes = sent(what.trim(), known.is_text(), &known.line_end)?;
    if known.inputs.iter().any(|(_, before)| *before == bytes) {
        return Err("something else to send than the inputs before");
    }
    Ok((name, bytes))
}

/// The parts of an answer that look like inputs, with commas between them: `NAME=TEXT`, and beside such ones also `NAME`.
fn inputs_in(answer: &str) -> Vec<&str> {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_named = |part: &str| {
        part.split_once('=').is_some_and(|(name, what)| {
            let name = name.trim();
            !name.is_empty() && name.chars().all(is_name_char) && !what.trim().is_empty()
        })
    };
    let is_name = |part: &str| {
        let part = part.trim();
        part.starts_with(|c: char| c.is_ascii_alphabetic()) && part.chars().all(is_name_char)
    };
    let parts = split_before(answer, is_named);
    match parts.len() {
        0 | 1 => parts,
        _ => split_before(answer, |part| is_named(part) || is_name(part)),
    }
}

/// The parts of a text that commas before such parts make. A comma may also be a part of a text: `a=1, 2, b=3`.
fn split_before(text: &str, is_part: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(',') {
        if is_part(text[at + 1..].split(',').next().unwrap_or_default()) {
            parts.push(text[start..at].trim());
            start = at + 1;
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}
