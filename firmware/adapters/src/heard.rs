//! The text that came from a device, the part of it that counts, and the state of the automata.

use heapless::Vec;
use mealybug_core::wire::rule::{MAX_REPLY, Span};

use crate::automaton::START;
use crate::rules::Rules;

/// Text as it comes from a device.
///
/// Bytes of `skip` are dropped at once. The `strip` patterns and the echo need the whole text, so
/// with either of them each byte makes us look at the text again. Replies are short enough for
/// that.
#[derive(Debug)]
pub(crate) struct Heard {
    /// All bytes that came; unused when all of them count.
    raw: Bytes,
    /// The bytes that count, with the echo in front.
    body: Bytes,
    echo: Option<EchoedText>,
    echo_len: usize,
    watch: Watch,
    ends: u16,
    line: u16,
    lines: u32,
}

/// The bytes of a reply.
type Bytes = Vec<u8, MAX_REPLY>;

/// The automata that watch a text; an empty span is no automaton.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    pub(crate) ends: Span,
    pub(crate) line: Span,
}

/// The text that the device echoes, and whether a line end follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EchoedText {
    pub(crate) text: Span,
    pub(crate) has_line_end: bool,
}

/// There is no more room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeardFull;

impl Heard {
    /// Before any byte came.
    pub(crate) const fn new() -> Self {
        const SPAN: Span = Span { start: 0, len: 0 };
        Self {
            raw: Vec::new(),
            body: Vec::new(),
            echo: None,
            echo_len: 0,
            watch: Watch { ends: SPAN, line: SPAN },
            ends: START,
            line: START,
            lines: 0,
        }
    }

    /// Forgets everything that came. From now on `watch` and `echo` apply.
    pub(crate) fn begin(&mut self, watch: Watch, echo: Option<EchoedText>) {
        self.raw.clear();
        self.body.clear();
        self.watch = watch;
        self.echo = echo;
        self.judge_anew();
    }

    /// Takes a byte.
    pub(crate) fn push(&mut self, rules: &Rules, byte: u8) -> Result<(), HeardFull> {
        if rules.skips(byte) {
            return Ok(());
        }
        if !rules.has_strips() && self.echo.is_none() {
            self.body.push(byte).map_err(|_| HeardFull)?;
            self.judge(rules, byte);
            return Ok(());
        }
        self.raw.push(byte).map_err(|_| HeardFull)?;
        self.body.clear();
        // It fits: both have the same room.
        let _ = self.body.extend_from_slice(&self.raw);
        let len = rules.clean(&mut self.body);
        self.body.truncate(len);
        self.judge_anew();
        self.echo_len = self.echo.map_or(0, |echo| echo.len(rules, self.body.as_slice()));
        for at in self.echo_len..self.body.len() {
            let byte = self.body.as_slice().get(at).copied();
            self.judge(rules, byte.unwrap_or_default());
        }
        Ok(())
    }

    /// Makes room by forgetting the oldest bytes. Where all bytes count, the automata have already
    /// seen those.
    pub(crate) fn make_room(&mut self) {
        forget_half(&mut self.raw);
        forget_half(&mut self.body);
    }

    /// Nothing more comes, so a text that is only the beginning of the echo was not an echo.
    pub(crate) fn expire(&mut self, rules: &Rules) {
        if self.echo.is_some_and(|echo| echo.may_follow(rules, self.body.as_slice())) {
            self.echo_len = 0;
        }
    }

    /// The bytes that count, without the echo.
    pub(crate) fn body(&self) -> &[u8] {
        self.body.as_slice().get(self.echo_len..).unwrap_or_default()
    }

    /// Whether the text ends as the watched pattern demands.
    pub(crate) fn has_end(&self, rules: &Rules) -> bool {
        rules.automaton(self.watch.ends).accepts(self.ends)
    }

    /// Whether the text contains the last line that is watched for.
    pub(crate) fn has_line(&self, rules: &Rules) -> bool {
        rules.automaton(self.watch.line).accepts(self.line)
    }

    /// The number of line feeds in the text.
    pub(crate) fn lines(&self) -> u32 {
        self.lines
    }

    fn judge_anew(&mut self) {
        self.echo_len = 0;
        self.ends = START;
        self.line = START;
        self.lines = 0;
    }

    fn judge(&mut self, rules: &Rules, byte: u8) {
        self.ends = rules.automaton(self.watch.ends).next(self.ends, byte);
        self.line = rules.automaton(self.watch.line).next(self.line, byte);
        self.lines += u32::from(byte == b'\n');
    }
}

impl EchoedText {
    /// Whether `text` is a proper prefix of the echo.
    fn may_follow(self, rules: &Rules, text: &[u8]) -> bool {
        let echo = rules.text(self.text);
        text.len() < echo.len() && echo.starts_with(text)
    }

    /// How much of `text` is the echo: all of it while it may still become one.
    fn len(self, rules: &Rules, text: &[u8]) -> usize {
        if self.may_follow(rules, text) {
            return text.len();
        }
        let Some(rest) = text.strip_prefix(rules.text(self.text)) else { return 0 };
        let mut rest = rest;
        if self.has_line_end {
            rest = rest.strip_prefix(b"\r").unwrap_or(rest);
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        text.len() - rest.len()
    }
}

/// Forgets the older half of the bytes.
fn forget_half(bytes: &mut Bytes) {
    let half = bytes.len() / 2;
    for at in half..bytes.len() {
        let byte = bytes.get(at).copied().unwrap_or_default();
        if let Some(place) = bytes.get_mut(at - half) {
            *place = byte;
        }
    }
    bytes.truncate(bytes.len() - half);
}
