//! The steps of the reset. Each is tried at once.

mod start;
mod trying;

use std::time::Duration;

use mealybug::draft::{DevicePrompt, Ends, ReadyText, ResetDraft};
use mealybug::escape::{escape, hex_pairs, pattern};
use miette::Result;

use super::{Questions, Topic};
use crate::cmd::init::answers::{NO_PATTERN, NOTHING, Unanswered};
use crate::cmd::init::bytes::{last_line_and_prompt, prompt, prompt_of, sent, typed_pattern};
use crate::cmd::init::known::{Known, TakenStep};

/// How long to wait for the first byte after a reset.
const RESET_WITHIN: Duration = Duration::from_secs(3);

impl Questions<'_> {
    /// Asks for the steps of the reset, and tries each at the port if it can be opened.
    pub(super) fn reset(&mut self) -> Result<(), Unanswered> {
        let mut link = self.link();
        let before = self.known.steps.clone();
        // The steps that led the device to where it is.
        let mut taken = Vec::new();
        while let Some(mut step) = self.one_step()? {
            let (mut came_twice, mut is_ready_before) = (None, false);
            let heard = match &mut link {
                Some(link) => {
                    self.take_remaining(link, &taken)?;
                    let heard;
                    (step, heard) = self.try_first(link, step)?;
                    taken = self.known.reset_steps();
                    taken.push(step.clone());
                    if let Some(heard) = &heard {
                        self.say(&heard.shown(&self.known))?;
                        self.tell_of_numbers_in_prompts(&heard.bytes())?;
                        is_ready_before = self.is_ready_before(link, &taken, heard)?;
                        if !self.known.is_text() {
                            came_twice = self.try_twice(link, &taken, &heard.bytes())?;
                        }
                    }
                    heard.map(|heard| heard.bytes())
                }
                None => {
                    if matches!(step, ResetDraft::Run(_)) {
                        self.say("  It is not run now: there is no port to listen at.\n")?;
                    }
                    None
                }
            };
            match self.ready(&step, heard.as_deref(), came_twice.as_deref(), is_ready_before) {
                Ok(ready) => self.known.steps.push(TakenStep { step, ready, heard }),
                Err(Unanswered::Back) => {
                    let typed = self.known.typed(&step);
                    self.say(&format!("  Taken back: step `{typed}`.\n"))?;
                }
                Err(failed) => return Err(failed),
            }
        }
        match &mut link {
            Some(link) if self.known.steps != before || !taken.is_empty() => {
                Ok(self.try_again(link)?)
            }
            _ => Ok(()),
        }
    }

    /// Asks for a step; `None` if there are no more.
    fn one_step(&mut self) -> Result<Option<ResetDraft>, Unanswered> {
        let (is_text, has_lines) = (self.known.is_text(), self.known.has_baud);
        let read = |answer: &str, known: &Known| match answer.strip_prefix('!') {
            _ if answer == NOTHING => Err("a step: without a reset nothing can be learned"),
            Some("") => Err("a command after the exclamation mark"),
            Some(command) => Ok(ResetDraft::Run(command.to_owned())),
            None if answer == "dtr" && has_lines => Ok(ResetDraft::Dtr),
            None if answer == "reconnect" => Ok(ResetDraft::Reconnect),
            None => sent(answer, is_text, &known.line_end).map(ResetDraft::Send),
        };
        let what = if is_text { "a line to send" } else { "bytes to send in hex" };
        let without_sending = match has_lines {
            true => "`dtr` for a pulse on DTR, `reconnect` for a new connection",
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
        self.one_of_several(Topic::Reset, (&question, default), "Another step of the reset", read)
    }

    /// Lets a prompt be one with any number where what was heard ends with another number, and says so.
    fn tell_of_numbers_in_prompts(&mut self, heard: &[u8]) -> Result<()> {
        for at in 0..self.known.prompts.len() {
            let before = &self.known.prompts[at];
            let Some(any) = before.with_numbers_of(heard) else { continue };
            let text = format!(
                "  The prompt `{}` has other numbers now: the file has the pattern `{}` for it.\n",
                before.typed(),
                any.typed()
            );
            self.say(&text)?;
            self.known.prompts[at] = any;
        }
        Ok(())
    }

    /// What the device says after a step of a reset, from what was heard then.
    pub(super) fn ready(
        &mut self,
        step: &ResetDraft,
        heard: Option<&[u8]>,
        came_twice: Option<&[u8]>,
        is_ready_before: bool,
    ) -> Result<ReadyText, Unanswered> {
        let is_text = self.known.is_text();
        let default = self.proposed(step, heard, came_twice, is_ready_before)?;
        let question = match is_text {
            true => {
                "The last text of the device after that\n  The whole text, a part of it that never changes, or a /PATTERN/"
            }
            false => "The bytes that come after that, in hex",
        };
        let mut refused = None;
        loop {
            let ready = self.until(question, &default, |answer| match answer {
                NOTHING => Ok(ReadyText::Ends(Vec::new())),
                answer => match typed_pattern(answer).filter(|_| is_text) {
                    Some(pattern) => Some(ReadyText::Matches(pattern.to_owned()))
                        .filter(ReadyText::is_valid)
                        .ok_or(NO_PATTERN),
                    None => sent(answer, is_text, "").map(ReadyText::Ends),
                },
            })?;
            let Some(heard) = heard else { return Ok(ready) };
            // What did not come now may come later, and more behind it. With a prompt behind it, it is over only there.
            let ready = match ready {
                ReadyText::Ends(part) if is_text && !heard.ends_with(&part) => {
                    let prompts = self.known.end_prompts();
                    let prompt = prompt_of(heard, &prompts);
                    ReadyText::Matches(up_to_prompt(&pattern(&part), prompt))
                }
                ready => ready,
            };
            if ready.is_met(heard) || refused.as_ref() == Some(&ready) {
                return Ok(ready);
            }
            let what = match heard {
                [] => "Nothing came".to_owned(),
                heard => format!("`{}` does not fit that", self.known.shown(heard)),
            };
            self.say(&format!(
                "  {what}: a reset that waits for it would fail. Enter what came (- for nothing), or the same again to insist.\n"
            ))?;
            refused = Some(ready);
        }
    }

    /// What Enter stands for as the text after a step: of bytes, only what came twice; nothing where the device is ready before.
    fn proposed(
        &mut self,
        step: &ResetDraft,
        heard: Option<&[u8]>,
        came_twice: Option<&[u8]>,
        is_ready_before: bool,
    ) -> Result<String> {
        let is_text = self.known.is_text();
        let mut default = match self.known.ends() {
            // A step that could not be tried at the port was not answered.
            Ends::Prompts(prompts) if !self.known.opens => {
                prompts.first().map(DevicePrompt::typed).unwrap_or_default()
            }
            _ => NOTHING.to_owned(),
        };
        if let Some(heard) = heard {
            let seconds = RESET_WITHIN.as_secs();
            if heard.is_empty() {
                self.say(&format!("  Nothing came within {seconds} s.\n"))?;
                default = NOTHING.to_owned();
            } else {
                let said = self.known.after_echo(step, heard);
                default = match is_text {
                    _ if is_ready_before => NOTHING.to_owned(),
                    true if said.trim_ascii().is_empty() => NOTHING.to_owned(),
                    true => escape(last_line_and_prompt(said, &self.known.end_prompts())),
                    false => came_twice.map_or_else(|| NOTHING.to_owned(), hex_pairs),
                };
            }
        }
        // A whole line is no prompt: `Grbl 1.1h ['$' for help]` after Ctrl-X is said by a start.
        if is_text && is_key(step) && heard.is_none_or(|heard| !prompt(heard).is_empty()) {
            default = NOTHING.to_owned();
            self.say(
                "  After a key alone, many devices show the prompt of the mode that they are in: a reset that waits for \
                 this one would fail in another mode. Enter waits for no text.\n",
            )?;
        }
        Ok(default)
    }
}

/// Whether a step is a key without a line, such as Ctrl-C, which breaks off what the device does.
fn is_key(step: &ResetDraft) -> bool {
    matches!(step, ResetDraft::Send(bytes) if matches!(**bytes, [key] if key.is_ascii_control()))
}

/// A pattern with what may come between it and the prompt with which the device then waits, if it has one.
fn up_to_prompt(text: &str, prompt: Option<&DevicePrompt>) -> String {
    match prompt {
        Some(prompt) => format!("{text}(?s:.*){}$", prompt.pattern()),
        None => text.to_owned(),
    }
}
