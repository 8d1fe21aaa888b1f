//! Reads recorded bytes of a target; the recording may begin anywhere and may be damaged.

use mealybug_core::wire::frame::{DELIMITER, Decoder};
use mealybug_core::wire::message::{ATTEMPTS, Fault, Message};
use mealybug_core::wire::types;
use mealybug_core::{CapacityError, Contradiction};

use super::collector::{Collector, TargetEvent};
use super::crash::TargetCrash;
use super::error::DeviceFault;
use super::probes::offer_name;
use crate::escape::escape;
use crate::statistics::number;

/// The contents of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetCapture {
    /// All entries, in their order.
    pub entries: Vec<CaptureEntry>,
    /// The number of messages.
    pub messages: u64,
    /// The number of damaged or missing frames.
    pub lost: u64,
    /// The last complete hypothesis, in the format of a result.
    pub hypothesis: Option<Vec<u8>>,
    /// The last complete result.
    pub result: Option<Vec<u8>>,
}

/// An entry of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureEntry {
    /// The position of its first byte.
    pub at: usize,
    /// What it is.
    pub what: What,
}

/// The kinds of entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A message, or several that are shown as one.
    Said(String),
    /// A piece of the target's log, in its own encoding.
    Log(Vec<u8>),
    /// Something is damaged or missing.
    Lost(String),
}

/// Whether these bytes come from a target: at least one frame is complete and valid.
pub fn is_capture(bytes: &[u8]) -> bool {
    let mut decoder = Decoder::new();
    bytes.iter().any(|&byte| {
        let frame = decoder.push(byte);
        frame.is_some_and(|frame| frame.is_ok_and(|frame| frame.message::<Message<'_>>().is_ok()))
    })
}

/// What to do where a device was expected, and [a target](is_capture) speaks.
pub(crate) const TARGET_SPEAKS: &str = "a board with Mealybug's learner or agent speaks there. `mealybug target` talks to a learner; \
     `mealybug learn --agent` learns through an agent";

impl TargetCapture {
    /// Reads a capture.
    pub fn read(bytes: &[u8]) -> Self {
        let mut reading = Reading::default();
        let mut decoder = Decoder::new();
        let mut start = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            match decoder
                .push(byte)
                .map(|frame| frame.and_then(|it| Ok((it.missed, it.message()?))))
            {
                None => {}
                Some(Ok((missed, message))) => reading.message(start, missed, message),
                // A recording usually begins in the middle of a frame.
                Some(Err(_)) if start == 0 => reading.say_lost(0, "it begins within a frame"),
                Some(Err(error)) => {
                    reading.damaged += 1;
                    reading.say_lost(start, &format!("{error}: {} bytes", at - start));
                }
            }
            if byte == DELIMITER {
                start = at + 1;
            }
        }
        if start < bytes.len() {
            reading.say_lost(start, "it ends within a frame");
        }
        reading.finish()
    }
}

/// A capture that is being read.
#[derive(Default)]
struct Reading {
    capture: TargetCapture,
    collector: Collector,
    /// Damaged frames since the last undamaged one.
    damaged: u64,
    /// Messages that are shown as one, and the position of the first of them.
    open: Option<(usize, Several)>,
}

impl Reading {
    fn message(&mut self, at: usize, missed: u8, message: Message<'_>) {
        let damaged = std::mem::take(&mut self.damaged);
        let missing = u64::from(missed).saturating_sub(damaged);
        self.capture.lost += damaged + missing;
        if missing > 0 {
            let frames = if missing == 1 { "frame is" } else { "frames are" };
            let text = format!("{missing} {frames} missing, or the target has started anew");
            self.say_lost(at, &text);
        }
        self.capture.messages += 1;
        self.collect(message);
        if self.open.as_mut().is_some_and(|(_, several)| several.takes(&message)) {
            return;
        }
        self.close();
        match (message, Several::begin(&message)) {
            (_, Some(several)) => self.open = Some((at, several)),
            (Message::Log(piece), _) => self.push(at, What::Log(piece.to_vec())),
            _ => self.push(at, What::Said(text(&message))),
        }
    }

    /// Assembles hypotheses and results.
    fn collect(&mut self, message: Message<'_>) {
        // Pieces after the end belong to another run.
        if self.collector.result().is_some()
            && matches!(message, Message::Part { round: Some(_), .. })
        {
            self.collector = Collector::default();
        }
        if let Some(TargetEvent::Hypothesis(bytes)) = self.collector.take(message) {
            self.capture.hypothesis = Some(bytes);
        }
        if let Some(result) = self.collector.result() {
            self.capture.result = Some(result.to_vec());
        }
    }

    fn say_lost(&mut self, at: usize, text: &str) {
        self.close();
        self.push(at, What::Lost(text.to_owned()));
    }

    fn close(&mut self) {
        if let Some((at, several)) = self.open.take() {
            self.push(at, What::Said(several.text()));
        }
    }

    fn push(&mut self, at: usize, what: What) {
        self.capture.entries.push(CaptureEntry { at, what });
    }

    fn finish(mut self) -> TargetCapture {
        self.close();
        self.capture.lost += self.damaged;
        self.capture
    }
}

/// Messages that are shown as one.
enum Several {
    /// Pieces of a hypothesis, or of the result.
    Parts { round: Option<u64>, start: u32, end: u32, is_last: bool },
    /// Symbols of a word.
    Symbols(u64),
    /// Requests that were granted.
    Granted { first: u8, last: u8 },
}

impl Several {
    fn begin(message: &Message<'_>) -> Option<Self> {
        match *message {
            Message::Part { round, from: start, bytes, is_last } => {
                Some(Self::Parts { round, start, end: after(start, bytes), is_last })
            }
            Message::Symbol { .. } => Some(Self::Symbols(1)),
            Message::Answer { to, refusal: None } => Some(Self::Granted { first: to, last: to }),
            _ => None,
        }
    }

    /// Adds a message if it continues these; false if it does not.
    fn takes(&mut self, message: &Message<'_>) -> bool {
        match (self, message) {
            (
                Self::Parts { round, end, is_last, .. },
                Message::Part { round: of, from, bytes, is_last: ends },
            ) if round == of && end == from && !*is_last => {
                *end = after(*end, bytes);
                *is_last = *ends;
                true
            }
            (Self::Symbols(count), Message::Symbol { .. }) => {
                *count += 1;
                true
            }
            (Self::Granted { last, .. }, Message::Answer { to, refusal: None }) => {
                *last = *to;
                true
            }
            _ => false,
        }
    }

    fn text(&self) -> String {
        match *self {
            Self::Symbols(count) => format!("the word at which it failed: {count} symbols"),
            Self::Granted { first, last } if first == last => format!("request {first}: yes"),
            Self::Granted { first, last } => format!("requests {first} to {last}: yes"),
            Self::Parts { round, start, end, is_last } => {
                let what =
                    round.map_or("the result".to_owned(), |round| format!("hypothesis {round}"));
                match (start, is_last) {
                    (0, true) => format!("{what}, {} bytes", number(end)),
                    (_, true) => format!("{what}, from byte {} on", number(start)),
                    _ => format!("{what}, bytes {} to {}", number(start), number(end)),
                }
            }
        }
    }
}

fn after(start: u32, bytes: &[u8]) -> u32 {
    start.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX))
}

/// A message in a few words.
fn text(message: &Message<'_>) -> String {
    match message {
        Message::Hello { protocol, board, phase, memory_bytes, .. } => format!(
            "hello: {}, protocol {protocol}, {phase:?}, {} bytes of memory",
            escape(board),
            number(*memory_bytes)
        ),
        Message::Answer { to, refusal: Some(refusal) } => format!("request {to}: no, {refusal:?}"),
        Message::Progress(progress) => {
            let purpose = match progress.purpose {
                types::Purpose::Learning => "learning",
                types::Purpose::Testing => "testing",
            };
            let symbols = number(progress.learning.symbols + progress.testing.symbols);
            let rounds = progress.rounds;
            format!("{purpose}, {rounds} hypotheses, {} rows, {symbols} symbols", progress.rows)
        }
        Message::Retry { error, sent, attempts } => format!(
            "{}, after {sent} symbols; asking the word again ({attempts} of {})",
            DeviceFault(*error),
            ATTEMPTS - 1
        ),
        Message::Ended(None) => "the run is over".to_owned(),
        Message::Ended(Some(fault)) => format!("the run is over: {}", fault_text(fault)),
        Message::Name { input, name } => format!("input {input} is `{}`", escape(name)),
        Message::Opened { session, inputs, .. } => {
            format!("session {session} is open, of {inputs} inputs")
        }
        Message::Output(name) => format!("the output `{}`", escape(name)),
        Message::Outputs(outputs) => format!("{} outputs", outputs.len()),
        Message::Failed(error) => format!("the session is over: {}", DeviceFault(*error)),
        Message::Rules(0) => "it has no rules".to_owned(),
        Message::Rules(digest) => format!("its rules have the digest {digest:08x}"),
        Message::Offer { kind, name } => format!("it offers the {}", offer_name(*kind, name)),
        Message::Crash(bytes) => match TargetCrash::read(bytes) {
            None => "its program did not crash".to_owned(),
            Some(crash) => format!("its program started anew: {crash}"),
        },
        // These are shown in other ways.
        Message::Part { .. }
        | Message::Symbol { .. }
        | Message::Answer { refusal: None, .. }
        | Message::Log(_) => String::new(),
    }
}

fn fault_text(fault: &Fault) -> String {
    match fault {
        Fault::Capacity(error) => CapacityError::from(*error).to_string(),
        Fault::Contradiction(error) => Contradiction::from(*error).to_string(),
        Fault::Device { error, sent, .. } => {
            format!("the device failed: {}, after {sent} symbols", DeviceFault(*error))
        }
    }
}

#[cfg(test)]
mod tests {
    use mealybug_core::wire::frame::Encoder;

    use super::*;

    /// A short run, frame by frame, as it arrives on the line.
    fn frames() -> Vec<Vec<u8>> {
        let part = |round, from, bytes, is_last| Message::Part { round, from, bytes, is_last };
        let mut encoder = Encoder::new();
        [
            Message::Answer { to: 7, refusal: None },
            Message::Log(b"\x01\x02\0"),
            part(Some(1), 0, b"abc", false),
            part(Some(1), 3, b"de", true),
            Message::Ended(None),
            part(None, 0, b"uvw", false),
            part(None, 3, b"xyz", true),
        ]
        .iter()
        .map(|message| encoder.encode(message).expect("it is short").to_vec())
        .collect()
    }

    fn said(text: &str) -> What {
        What::Said(text.to_owned())
    }

    fn lost(text: &str) -> What {
        What::Lost(text.to_owned())
    }

    #[test]
    fn a_whole_run_is_listed_with_what_is_in_it() {
        let bytes = frames().concat();
        assert!(is_capture(&bytes));
        let TargetCapture { entries, messages, lost, hypothesis, result } =
            TargetCapture::read(&bytes);
        assert_eq!((messages, lost), (7, 0));
        assert_eq!(hypothesis.as_deref(), Some(&b"abcde"[..]));
        assert_eq!(result.as_deref(), Some(&b"uvwxyz"[..]));
        let listed: Vec<_> = entries.iter().map(|entry| entry.what.clone()).collect();
        let log = What::Log(b"\x01\x02\0".to_vec());
        let [answer, first, end, result] =
            ["request 7: yes", "hypothesis 1, 5 bytes", "the run is over", "the result, 6 bytes"]
                .map(said);
        assert_eq!(listed, [answer, log, first, end, result]);
        assert_eq!(entries[1].at, frames()[0].len());
    }

    #[test]
    fn what_is_damaged_or_missing_is_told_and_counted_once() {
        let mut frames = frames();
        frames[1][2] ^= 0x40;
        frames.remove(3);
        let bytes = frames.concat();
        // Begins in the middle of the first frame, and ends in the middle of the last.
        let capture = TargetCapture::read(&bytes[2..bytes.len() - 3]);
        assert_eq!((capture.messages, capture.lost), (3, 2), "{capture:?}");
        let listed: Vec<_> = capture.entries.into_iter().map(|entry| entry.what).collect();
        let expected = [
            lost("it begins within a frame"),
            lost("a frame was damaged: 9 bytes"),
            said("hypothesis 1, bytes 0 to 3"),
            lost("1 frame is missing, or the target has started anew"),
            said("the run is over"),
            said("the result, bytes 0 to 3"),
            lost("it ends within a frame"),
        ];
        assert_eq!(listed, expected);
        assert_eq!((capture.hypothesis, capture.result), (None, None));
    }

    #[test]
    fn a_second_run_follows_the_first() {
        let mut encoder = Encoder::new();
        let mut bytes = frames().concat();
        for (round, piece) in [(Some(1), b"k"), (None, b"m")] {
            let part = Message::Part { round, from: 0, bytes: piece, is_last: true };
            bytes.extend_from_slice(encoder.encode(&part).expect("it is short"));
        }
        let capture = TargetCapture::read(&bytes);
        assert_eq!(capture.hypothesis.as_deref(), Some(&b"k"[..]));
        assert_eq!(capture.result.as_deref(), Some(&b"m"[..]));
    }

    #[test]
    fn other_files_are_no_captures() {
        for bytes in [&b""[..], b"digraph g { a -> b }", &[0; 100], b"MEALYBUG\x01\0\0\0"] {
            assert!(!is_capture(bytes));
        }
    }
}
