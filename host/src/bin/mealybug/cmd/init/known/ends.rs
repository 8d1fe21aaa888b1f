//! How replies end, from all that was heard so far.

use std::collections::BTreeMap;

use mealybug::draft::{DevicePrompt, Echo, Ends, OwnEnd, ResetDraft, is_result};
use mealybug::escape::escape;

use super::{Known, TakenStep};
use crate::cmd::init::bytes::{last_line, prompt};
use crate::cmd::init::kind::DeviceKind;
use crate::cmd::init::last_line::{code_pattern, last_line_pattern, own_end, whole_word};

/// An answer that does not end as the file says that replies do.
#[derive(Debug)]
pub(in crate::cmd::init) struct UnfitAnswer {
    /// What was sent.
    pub(in crate::cmd::init) line: String,
    /// Its last line.
    pub(in crate::cmd::init) last: String,
    /// What the file says.
    pub(in crate::cmd::init) rule: &'static str,
    /// What fits this answer.
    pub(in crate::cmd::init) own_end: Option<OwnEnd>,
    /// What may fit all replies.
    pub(in crate::cmd::init) common_end: Option<OwnEnd>,
}

impl Known {
    /// How replies end.
    pub(in crate::cmd::init) fn ends(&self) -> Ends {
        match self.kind {
            DeviceKind::Console => Ends::Prompts(self.prompts.clone()),
            DeviceKind::Modem => self.ends_of_modem(),
            DeviceKind::Lines if self.answers_as_a_modem() => Ends::Result,
            DeviceKind::Lines => self.ends_of_lines(),
            DeviceKind::Frames | DeviceKind::Bytes => {
                self.length.map_or(Ends::Silence, Ends::Length)
            }
        }
    }

    /// The prompts with which replies end, if they end so.
    pub(in crate::cmd::init) fn end_prompts(&self) -> Vec<DevicePrompt> {
        match self.ends() {
            Ends::Prompts(prompts) => prompts,
            _ => Vec::new(),
        }
    }

    /// How replies end where the device was said to answer as a modem does: as those do that came, if none is that of a modem.
    fn ends_of_modem(&self) -> Ends {
        let seen = self.seen();
        if seen.is_empty() || seen.values().any(|answer| is_result(&last_text(answer))) {
            return Ends::Result;
        }
        if let Some(prompt) = self.prompt_of_lines(&seen) {
            return Ends::Prompts(vec![prompt]);
        }
        if let Some(pattern) = last_line_pattern(seen.iter()).or_else(|| code_pattern(seen.iter()))
        {
            return Ends::LastLine(pattern);
        }
        match seen.values().any(|answer| answer.ends_with(b"\n")) {
            true => Ends::Result,
            false => Ends::Silence,
        }
    }

    /// How replies end where the device was said to answer in lines.
    fn ends_of_lines(&self) -> Ends {
        let seen = self.seen();
        if let Some(prompt) = self.prompt_of_lines(&seen) {
            return Ends::Prompts(vec![prompt]);
        }
        if self.all_end_with_an_empty_line(&seen) {
            return Ends::EmptyLine;
        }
        if let Some(pattern) = last_line_pattern(seen.iter()) {
            return Ends::LastLine(pattern);
        }
        // A device that takes lines without an end is likely to answer so, too.
        let is_known = !seen.is_empty() || self.line_end.is_empty();
        match is_known && !seen.values().any(|answer| answer.contains(&b'\n')) {
            true => Ends::Silence,
            false => Ends::Line,
        }
    }

    /// The prompt that follows the lines of all answers. One that ended the connection has none.
    fn prompt_of_lines(&self, seen: &BTreeMap<Vec<u8>, Vec<u8>>) -> Option<DevicePrompt> {
        let closes = |sent: &Vec<u8>| {
            self.inputs.iter().any(|(name, bytes)| bytes == sent && self.closing.contains(name))
        };
        let open = || seen.iter().filter(|(sent, _)| !closes(sent)).map(|(_, answer)| answer);
        let has_lines = open().any(|answer| answer.iter().any(|byte| b"\r\n".contains(byte)));
        let first = open().next().map(|answer| prompt(answer)).filter(|_| has_lines)?;
        let text = std::str::from_utf8(first).ok().filter(|text| looks_like_a_prompt(text))?;
        open().all(|answer| prompt(answer) == first).then(|| text.into())
    }

    /// Whether all that was answered, to steps of the reset, too, ends with an empty line.
    fn all_end_with_an_empty_line(&self, seen: &BTreeMap<Vec<u8>, Vec<u8>>) -> bool {
        let sends = |step: &&TakenStep| matches!(step.step, ResetDraft::Send(_));
        let heard = self.steps.iter().filter(sends).filter_map(|step| step.heard.as_ref());
        let mut answers = seen.values().chain(heard.filter(|heard| !heard.is_empty())).peekable();
        let has_empty_line = |answer: &Vec<u8>| {
            let text = answer.strip_suffix(b"\n").unwrap_or_default();
            text.strip_suffix(b"\r").unwrap_or(text).ends_with(b"\n")
        };
        answers.peek().is_some() && answers.all(has_empty_line)
    }

    /// What was sent as a line, and what was answered.
    fn seen(&self) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let mut seen = self.replies.clone();
        if let Some(line) = &self.harmless {
            let sent = [line.as_bytes(), self.line_end.as_bytes()].concat();
            if let Some(answer) = self.harmless_answer(&sent) {
                seen.entry(sent).or_insert(answer);
            }
        }
        seen.retain(|_, answer| !answer.trim_ascii().is_empty());
        seen
    }

    /// The inputs whose replies have several lines, where a reply is one line.
    pub(in crate::cmd::init) fn own_ends(&self) -> Vec<(String, OwnEnd)> {
        if self.ends() != Ends::Line || self.echo != Echo::None {
            return Vec::new();
        }
        let open = self.inputs.iter().filter(|(name, _)| !self.closing.contains(name));
        let own =
            open.filter_map(|(name, sent)| Some((name.clone(), own_end(self.replies.get(sent)?)?)));
        own.collect()
    }

    /// An answer that does not end as the file says, where no input shows how replies end.
    pub(in crate::cmd::init) fn unfit_answer(&self) -> Option<UnfitAnswer> {
        let (line, answer, rule) = match self.ends() {
            Ends::Line if self.has_baud => {
                let answer = &self.talk.as_ref()?.answer;
                // An input has a reply of its own.
                let is_input =
                    self.inputs.iter().any(|(_, sent)| self.harmless_answer(sent).is_some());
                own_end(answer).filter(|_| !is_input)?;
                (self.harmless.clone()?, answer.clone(), "a reply is one line")
            }
            Ends::Result => {
                let seen = self.seen();
                if seen.values().any(|answer| is_result(&last_text(answer))) {
                    return None;
                }
                let mut ended = seen.into_iter().filter(|(_, answer)| answer.ends_with(b"\n"));
                let (sent, answer) = ended.next()?;
                let line = sent.strip_suffix(self.line_end.as_bytes()).unwrap_or(&sent);
                let rule = "a reply ends with `OK`, `ERROR` or another result of modems";
                (escape(line), answer, rule)
            }
            _ => return None,
        };
        let own_end = own_end(&answer);
        let one_line = (answer.ends_with(b"\n") && own_end.is_none()).then_some(OwnEnd::Lines(1));
        let common_end = whole_word(&answer).map(OwnEnd::LastLine).or(one_line);
        Some(UnfitAnswer { line, last: last_text(&answer), rule, own_end, common_end })
    }
}

/// Whether a text without a line end looks like a prompt, such as `ready> `, and not like the end of a value or of markup.
fn looks_like_a_prompt(text: &str) -> bool {
    let is_plain = !text.contains(|c: char| c.is_control() || c == '<');
    is_plain && text.trim_end().ends_with(['>', '#', '$', ':'])
}

/// The last line of an answer, without its line end.
fn last_text(answer: &[u8]) -> String {
    String::from_utf8_lossy(last_line(answer).trim_ascii_end()).into_owned()
}
