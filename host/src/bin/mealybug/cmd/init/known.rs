//! What is known about a device so far.

mod ends;

use std::collections::BTreeMap;
use std::time::Duration;

use mealybug::device::ReplyLength;
use mealybug::diagnosis::shorter_within;
use mealybug::draft::{DevicePrompt, Draft, Echo, ReadyText, ResetDraft, ShorterWithin, WITHIN};
use mealybug::escape::{escape, excerpt, hex_pairs};
use mealybug::serial::{LineAnswer, Talk, UnaskedKind, after_echo};

use super::bytes::{is_modem, last_line};
use super::kind::DeviceKind;
pub(super) use ends::UnfitAnswer;

/// A shorter time to wait for an answer rests on this many answers at least.
const ANSWERS: usize = 3;

/// The answers of the person and of the device. A later question relies on the answers to those before it.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) kind: DeviceKind,
    pub(super) port: Option<String>,
    /// Whether the port could be opened.
    pub(super) opens: bool,
    pub(super) has_baud: bool,
    pub(super) talk: Option<Talk>,
    /// What the device answered, where that does not tell how it talks.
    pub(super) answers: Vec<LineAnswer>,
    pub(super) baud: Option<u32>,
    pub(super) prompts: Vec<DevicePrompt>,
    pub(super) names_prompt: bool,
    pub(super) length: Option<ReplyLength>,
    pub(super) line_end: String,
    pub(super) echo: Echo,
    /// The pause in ms that the device needs before each line.
    pub(super) pause_ms: u64,
    /// Whether escape sequences of terminals came.
    pub(super) has_escapes: bool,
    /// The lines that came unasked.
    pub(super) unasked: Vec<UnaskedKind>,
    /// The steps of the reset.
    pub(super) steps: Vec<TakenStep>,
    /// The line that does no harm, with which the device was tried.
    pub(super) harmless: Option<String>,
    /// Names, and what is sent.
    pub(super) inputs: Vec<(String, Vec<u8>)>,
    /// What was sent as an input, and what came then.
    pub(super) replies: BTreeMap<Vec<u8>, Vec<u8>>,
    /// How long it took until what came then was over.
    pub(super) took: BTreeMap<Vec<u8>, Duration>,
    /// The names of the inputs that ended the connection.
    pub(super) closing: Vec<String>,
    /// Whether the person was told that some replies have an echo and others have none.
    pub(super) has_told_of_echoes: bool,
    pub(super) checksum: Option<String>,
}

/// A step of the reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TakenStep {
    pub(super) step: ResetDraft,
    /// What the reset waits for after it.
    pub(super) ready: ReadyText,
    /// What the device said when the step was taken first; `None` if it could not be tried.
    pub(super) heard: Option<Vec<u8>>,
}

impl Known {
    /// What is known before the first question.
    pub(super) fn new() -> Self {
        Self {
            kind: DeviceKind::Console,
            port: None,
            opens: false,
            has_baud: true,
            talk: None,
            answers: Vec::new(),
            baud: None,
            prompts: Vec::new(),
            names_prompt: false,
            length: None,
            line_end: String::new(),
            echo: Echo::None,
            pause_ms: 0,
            has_escapes: false,
            unasked: Vec::new(),
            steps: Vec::new(),
            harmless: None,
            inputs: Vec::new(),
            replies: BTreeMap::new(),
            took: BTreeMap::new(),
            closing: Vec::new(),
            has_told_of_echoes: false,
            checksum: None,
        }
    }

    /// Whether the device takes lines of text.
    pub(super) fn is_text(&self) -> bool {
        !matches!(self.kind, DeviceKind::Frames | DeviceKind::Bytes)
    }

    /// Whether a device that was said to answer in lines answers as a modem does.
    pub(super) fn answers_as_a_modem(&self) -> bool {
        let talk = self.talk.as_ref();
        self.kind == DeviceKind::Lines && talk.is_some_and(|talk| is_modem(&talk.answer))
    }

    /// What the device answered to the line that does no harm.
    pub(super) fn replies_to_harmless(&self) -> impl Iterator<Item = &Vec<u8>> {
        let talked = self.talk.iter().map(|talk| &talk.answer);
        talked.chain(self.answers.iter().map(|answer| &answer.answer))
    }

    /// What the device's first answer ends with, if there is one and none ends with this prompt.
    pub(super) fn other_end(&self, prompt: &DevicePrompt) -> Option<Vec<u8>> {
        let first = self.replies_to_harmless().next()?;
        let is_met = self.replies_to_harmless().any(|answer| prompt.len_in(answer).is_some());
        (!is_met).then(|| last_line(first).to_vec())
    }

    /// Whether a line of a kind is a part of some answer. One that came while nothing was asked is none.
    pub(super) fn is_answered(&self, kind: &UnaskedKind) -> bool {
        let mut all = self.replies_to_harmless().chain(self.replies.values());
        !kind.came_alone && all.any(|answer| kind.is_in(answer))
    }

    /// What the device answered to the line that does no harm, if that is what is sent.
    pub(super) fn harmless_answer(&self, sent: &[u8]) -> Option<Vec<u8>> {
        let line = sent.strip_suffix(self.line_end.as_bytes())?;
        let talk = self.talk.as_ref().filter(|talk| talk.line_end == self.line_end)?;
        (self.harmless.as_deref()?.as_bytes() == line).then(|| talk.answer.clone())
    }

    /// Bytes as a person reads them: text, or hex where the device takes bytes.
    pub(super) fn shown(&self, bytes: &[u8]) -> String {
        if self.is_text() { excerpt(bytes) } else { hex_pairs(bytes) }
    }

    /// The steps of the reset, without what the device says after them.
    pub(super) fn reset_steps(&self) -> Vec<ResetDraft> {
        self.steps.iter().map(|taken| taken.step.clone()).collect()
    }

    /// What the device said after a step, without the echo of what was sent.
    pub(super) fn after_echo<'a>(&self, step: &ResetDraft, heard: &'a [u8]) -> &'a [u8] {
        let line = match step {
            ResetDraft::Send(bytes) if self.is_text() && self.echo != Echo::None => {
                bytes.strip_suffix(self.line_end.as_bytes()).unwrap_or(bytes)
            }
            _ => return heard,
        };
        std::str::from_utf8(line).map_or(heard, |line| after_echo(heard, line))
    }

    /// Whether the reply to this line has an echo where others have none, or none where others have one.
    pub(super) fn differs_in_echo(&self, sent: &[u8], heard: &[u8]) -> bool {
        let line = sent.strip_suffix(self.line_end.as_bytes()).unwrap_or(sent);
        // A key alone may be repeated in another way, as `^C`.
        let is_line = self.is_text() && line.len() > 1 && line.is_ascii();
        let echo = heard
            .strip_prefix(line)
            .filter(|rest| rest.starts_with(b"\r") || rest.starts_with(b"\n"));
        match self.echo {
            // Something may have come before the echo.
            Echo::Plain => {
                let has_echo = || heard.windows(line.len()).any(|part| part == line);
                is_line && !heard.trim_ascii().is_empty() && !has_echo()
            }
            Echo::None => is_line && echo.is_some_and(|rest| !rest.trim_ascii().is_empty()),
            Echo::Drawn => false,
        }
    }

    /// A step of the reset as a person types it.
    pub(super) fn typed(&self, step: &ResetDraft) -> String {
        match step {
            ResetDraft::Send(bytes) if self.is_text() => {
                escape(bytes.strip_suffix(self.line_end.as_bytes()).unwrap_or(bytes))
            }
            ResetDraft::Send(bytes) => hex_pairs(bytes),
            ResetDraft::Dtr => "dtr".to_owned(),
            ResetDraft::Reconnect => "reconnect".to_owned(),
            ResetDraft::Run(command) => format!("!{command}"),
        }
    }

    /// A shorter time to wait for an answer, where some inputs were not answered, and all others soon. An echo is no answer.
    fn shorter_within(&self) -> Option<ShorterWithin> {
        let is_answered = |(sent, _): &(&Vec<u8>, &Duration)| {
            let heard = &self.replies[*sent];
            let answer = self.after_echo(&ResetDraft::Send((*sent).clone()), heard);
            !answer.trim_ascii().is_empty()
        };
        let (answered, silent): (Vec<_>, Vec<_>) = self.took.iter().partition(is_answered);
        let slowest = answered.iter().map(|(_, took)| **took).max()?;
        let (answers, silences) = (answered.len(), silent.len());
        let within = shorter_within(WITHIN, slowest)?;
        (answers >= ANSWERS && silences > 0).then_some(ShorterWithin {
            within,
            answers,
            slowest,
            silences,
        })
    }

    /// All of it.
    pub(super) fn draft(&self) -> Draft {
        Draft {
            ends: self.ends(),
            names_prompt: self.names_prompt,
            port: self.port.clone(),
            baud: self.baud,
            pause_ms: self.pause_ms,
            echo: self.echo,
            has_escapes: self.has_escapes,
            is_hex: !self.is_text(),
            unasked: self.unasked.iter().map(|kind| kind.strip(self.replies.values())).collect(),
            reset: self
                .steps
                .iter()
                .map(|taken| (taken.step.clone(), taken.ready.clone()))
                .collect(),
            inputs: self.inputs.clone(),
            closing: self.closing.clone(),
            own_ends: self.own_ends(),
            shorter_within: self.shorter_within(),
            checksum: self.checksum.clone(),
        }
    }
}
