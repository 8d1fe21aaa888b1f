//! `[reply]`: how a reply ends, and which part of it counts.

use std::time::Duration;

use regex::bytes::{Regex, RegexBuilder};

use super::error::FileFault;
use super::fields::{Fields, TomlField, Value, at_least_one, named_from};
use super::reply_checksum::ReplyChecksum;
use super::step::Expect;
use super::stuffing::Stuffing;
use crate::escape::visible;

/// How a reply ends, and which part of it counts.
///
/// ```toml
/// [reply]
/// # The ends: whichever comes first. With none of them, quiet_ms = 50.
/// match = '> $'          # a pattern for everything received so far, or a list of patterns,
/// grace_ms = 20          #   if nothing more comes for this long
/// last_line = 'OK|ERROR|\+CME ERROR: .*'   # a complete line that matches this
/// lines = 1              # this number of line feeds
/// length = 4             # bytes; or { at = 2, size = 1, plus = 5 }: a length field in the frame
/// quiet_ms = 50          # this much silence after the last byte
/// # Patience
/// within_ms = 1000       # if nothing comes within this time, the output is `silent`
/// max_ms = 30000         # a reply that takes longer is an error,
/// max_bytes = 4096       #   and so is a reply with more bytes
/// settle_ms = 0          # how long the line must stay silent after the end
/// silent = "(silence)"
/// closed = "(closed)"    # the output when the connection ends; otherwise an error
/// # What counts
/// echo = true            # the device repeats what is sent: remove that
/// strip = ['\r']         # removed before anything else is checked
/// checksum = "crc16-modbus"                # its last bytes, or hex digits: checked and removed
/// late = "error"         # for bytes after the end: "error", "drop", "reply" or "output"
/// line_errors = "error"  # framing errors, parity errors and breaks that a board sees: "error" or "output"
/// time = { fast = 0, slow = 1000 }         # adds to the output how long it took
/// ```
///
/// All keys are optional. Some rules to know:
///
/// - A reply that began and met none of its ends is over after `within_ms` of silence. So the wait
///   for a reply always ends, and a mode without the usual prompt can be learned.
/// - `grace_ms` defaults to 20: more text may follow a prompt, and USB adapters deliver what they
///   received in pieces 16 ms apart. The grace delays every input. If the pattern never matches
///   before the end of a reply, `grace_ms = 0` is much faster.
/// - A line ends in a line feed; carriage returns before it are ignored. For a device that ends its
///   lines in a carriage return alone, write `match = '\r$'`.
/// - `echo` is removed only if it is there: the reply to a password, which is not repeated, is
///   kept. What is nearly the echo is a fault of the line: the word is asked again.
/// - A length field is big-endian unless it has `little_endian = true`; `at` counts from 0.
/// - Where `[frame]` has `stuffing`, a reply is what its frames contain, and ends after the first of them unless it names
///   an end, such as `frames = 2`. Other ends are looked for between frames.
/// - A length field ends a reply after one frame, or with `frames = 2` after two.
/// - A wrong checksum is a fault of the line, not an output: the word is asked again. Where frames are told apart, the last
///   bytes of each are its checksum.
/// - Time is measured from the end of the input to the last byte of the reply.
///
/// An input may have its own `reply`. If it names an end, it replaces all ends of `[reply]`; any
/// other key replaces only the same key.
#[derive(Clone, Debug)]
pub struct ReplySection {
    /// The reply ends when one of these matches everything received so far…
    pub patterns: Vec<Regex>,
    /// …and nothing more comes for this long.
    pub grace: Duration,
    /// The reply ends when this matches: `last_line` as a pattern for the end of the text.
    pub last_line: Option<Regex>,
    /// The reply ends after this number of line feeds.
    pub lines: Option<usize>,
    /// The reply ends after this number of bytes.
    pub length: Option<ReplyLength>,
    /// The reply ends after this number of frames, which `stuffing` or a length field tells apart.
    pub frames: Option<usize>,
    /// The reply ends after this much silence.
    pub quiet: Option<Duration>,
    /// How long to wait for the first byte.
    pub within: Duration,
    /// How long a reply may take.
    pub max: Duration,
    /// The largest number of bytes of a reply.
    pub max_bytes: usize,
    /// How long the line must stay silent after the end.
    pub settle: Duration,
    /// The output when there is no reply.
    pub silent: String,
    /// The output when the connection ends, for this input and the rest of the word; `None`: that is
    /// an error.
    pub closed: Option<String>,
    /// How frames are told apart, from `[frame]`: the reply is what they contain.
    pub stuffing: Option<Stuffing>,
    /// Whether the device repeats what is sent.
    pub echo: bool,
    /// Patterns whose matches are removed before anything else is checked.
    pub strip: Vec<Regex>,
    /// The checksum of the reply.
    pub checksum: Option<ReplyChecksum>,
    /// What to do with bytes that come after the end.
    pub late: Late,
    /// What an error on the line is. Only a board sees them.
    pub line_errors: LineErrors,
    /// Names for durations of the reply: each with the time from which it holds, in this order.
    pub times: Vec<(Duration, String)>,
}

/// The length of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyLength {
    /// This number of bytes.
    Fixed(usize),
    /// A length field in the reply: the number of `size` bytes at `at`, plus `plus`.
    Field {
        /// The position of the number, counted from 0.
        at: usize,
        /// The size of the number, 1 to 4 bytes.
        size: usize,
        /// The number of bytes of the reply that the number does not count.
        plus: usize,
        /// Whether the low byte comes first.
        little_endian: bool,
    },
}

/// What to do with bytes that come between the end of a reply and the next input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// Fail: the reply was probably taken for finished too early, and the word is suspect.
    Error,
    /// Drop and count them: the device speaks unasked, and what it says has no meaning.
    Drop,
    /// Take them as the beginning of the reply to the next input.
    Reply,
    /// Take them as a reply of their own; the output of the next input names both.
    Output,
}

/// What a framing error, a parity error or a break in a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineErrors {
    /// An error: the word is asked again.
    Error,
    /// The output: `(framing error)`, `(parity error)`, `(break)`.
    Output,
}

/// The silence that ends a reply if the file names no end.
const QUIET: Duration = Duration::from_millis(50);

impl Default for ReplySection {
    fn default() -> Self {
        Self {
            patterns: Vec::new(),
            grace: Duration::from_millis(20),
            last_line: None,
            lines: None,
            length: None,
            frames: None,
            quiet: Some(QUIET),
            within: Duration::from_secs(1),
            max: Duration::from_secs(30),
            max_bytes: 4096,
            settle: Duration::ZERO,
            silent: "(silence)".to_owned(),
            closed: None,
            stuffing: None,
            echo: false,
            strip: Vec::new(),
            checksum: None,
            late: Late::Error,
            line_errors: LineErrors::Error,
            times: Vec::new(),
        }
    }
}

impl ReplySection {
    /// The rule without `[reply]`: where frames are told apart, one of them is a reply.
    pub(crate) fn usual(stuffing: Option<Stuffing>) -> Self {
        match stuffing {
            Some(_) => Self { stuffing, frames: Some(1), quiet: None, ..Self::default() },
            None => Self::default(),
        }
    }

    /// Reads `[reply]`, or the `reply` of an input, on top of `base`.
    pub(super) fn read(mut fields: Fields<'_>, base: &Self) -> Result<Self, FileFault> {
        let patterns = fields.field("match").map(|field| read_patterns(&field)).transpose()?;
        let last_line = fields.field("last_line").map(|field| read_line(&field)).transpose()?;
        let lines = fields.field("lines").map(|field| a_reply_of(&field)).transpose()?;
        let (length, quiet) = (fields.take("length")?, fields.take("quiet_ms")?);
        let tells_apart =
            base.stuffing.is_some() || matches!(length, Some(ReplyLength::Field { .. }));
        let frames = fields.field("frames").map(|field| a_number_of_frames(&field, tells_apart));
        let frames = frames.transpose()?;
        let has_end = patterns.is_some()
            || last_line.is_some()
            || lines.is_some()
            || length.is_some()
            || frames.is_some()
            || quiet.is_some();
        let ends = if has_end {
            let patterns = patterns.unwrap_or_default();
            Self { patterns, last_line, lines, length, frames, quiet, ..base.clone() }
        } else {
            base.clone()
        };
        let rule = Self {
            grace: fields.take("grace_ms")?.unwrap_or(base.grace),
            within: fields.take("within_ms")?.unwrap_or(base.within),
            max: fields.take("max_ms")?.unwrap_or(base.max),
            max_bytes: fields.take("max_bytes")?.unwrap_or(base.max_bytes),
            settle: fields.take("settle_ms")?.unwrap_or(base.settle),
            silent: fields
                .take::<&str>("silent")?
                .map_or_else(|| base.silent.clone(), |text| visible(text).into()),
            closed: match fields.take::<&str>("closed")? {
                Some(text) => Some(visible(text).into()),
                None => base.closed.clone(),
            },
            echo: fields.take("echo")?.unwrap_or(base.echo),
            strip: fields.take("strip")?.unwrap_or_else(|| base.strip.clone()),
            checksum: match fields.field("checksum") {
                Some(field) if <&str>::read(&field) == Ok("none") => None,
                Some(field) => Some(ReplyChecksum::read(&field)?),
                None => base.checksum.clone(),
            },
            late: fields.take("late")?.unwrap_or(base.late),
            line_errors: fields.take("line_errors")?.unwrap_or(base.line_errors),
            times: match fields.field("time") {
                Some(field) => read_times(&field)?,
                None => base.times.clone(),
            },
            ..ends
        };
        fields.finish()?;
        Ok(rule)
    }

    /// The length field that tells frames apart.
    pub(crate) fn frame_length(&self) -> Option<ReplyLength> {
        let is_field = |length: &ReplyLength| matches!(length, ReplyLength::Field { .. });
        self.length.filter(is_field).filter(|_| self.stuffing.is_none())
    }

    /// Whether a reply can end by what it contains, not only by silence.
    pub fn has_end(&self) -> bool {
        self.end_keys().next().is_some()
    }

    /// The silence that ends a reply which has begun and meets no other end.
    pub fn silence(&self) -> Duration {
        self.quiet.unwrap_or(self.within)
    }

    /// The keys of the device file that say by what it contains a reply can end.
    pub fn end_keys(&self) -> impl Iterator<Item = &'static str> {
        let keys = [
            ("match", !self.patterns.is_empty()),
            ("last_line", self.last_line.is_some()),
            ("lines", self.lines.is_some()),
            ("length", self.length.is_some()),
            ("frames", self.frames.is_some()),
        ];
        keys.into_iter().filter_map(|(key, is_given)| is_given.then_some(key))
    }

    /// The rule for a device that needs so many times as long.
    pub(crate) fn with_patience(&self, times: u32) -> Self {
        Self {
            grace: self.grace * times,
            quiet: self.quiet.map(|quiet| quiet * times),
            within: self.within * times,
            max: self.max * times,
            ..self.clone()
        }
    }

    /// This rule with `expect` as another end, and with its time-out.
    pub(crate) fn expecting(&self, expect: &Expect) -> Self {
        let mut rule = Self { within: expect.within, ..self.clone() };
        rule.patterns.push(expect.pattern.clone());
        rule
    }
}

/// Reads one pattern or a list of patterns.
fn read_patterns(field: &TomlField<'_>) -> Result<Vec<Regex>, FileFault> {
    if field.is_text() {
        return Ok(vec![Regex::read(field)?]);
    }
    let patterns = Vec::read(field).map_err(|fault| match field.elements() {
        Ok(_) => fault,
        Err(_) => field.expected("a pattern or a list of patterns"),
    })?;
    if patterns.is_empty() {
        return Err(field.fault("there is no pattern", "an empty list"));
    }
    Ok(patterns)
}

/// Turns a pattern for a whole line into one for a text that ends in such a line.
fn read_line(field: &TomlField<'_>) -> Result<Regex, FileFault> {
    // The pattern must be valid by itself, which `)(` is not.
    let pattern = Regex::read(field)?;
    let line = format!(r"(?:\A|[\r\n])(?:{pattern})\r*\n\z");
    RegexBuilder::new(&line)
        .unicode(false)
        .build()
        .map_err(|error| field.fault("`last_line` is not a pattern for a line", error.to_string()))
}

fn read_times(field: &TomlField<'_>) -> Result<Vec<(Duration, String)>, FileFault> {
    let help = "write it like { fast = 0, slow = 1000 }: slow is from one second on";
    named_from(field, "the shortest times", "nothing begins at 0 ms", help)
}

fn a_number_of_frames(field: &TomlField<'_>, tells_apart: bool) -> Result<usize, FileFault> {
    if !tells_apart {
        return Err(field
            .fault(
                "`frames` needs to know where a frame ends",
                "there is no `length` with a field beside it, and no `stuffing` in [frame]",
            )
            .help(
                "say where a frame has its length, such as length = { at = 2, size = 1, plus = 5 }, or how frames are \
                 told apart, such as\n[frame]\nstuffing = \"slip\"",
            ));
    }
    a_reply_of(field)
}

fn a_reply_of(field: &TomlField<'_>) -> Result<usize, FileFault> {
    usize::read(field)?;
    at_least_one(field).map_err(|fault| {
        fault.help(
            "for an input that is not answered, leave this out and give a short `within_ms`: it is how long that is \
             watched",
        )
    })
}

impl ReplyLength {
    /// The length of a frame that begins with `bytes`, once it is known.
    pub(crate) fn of(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Fixed(length) => Some(length),
            Self::Field { at, size, plus, little_endian } => {
                let field = bytes.get(at..at.checked_add(size)?)?;
                let append = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
                let number = if little_endian {
                    field.iter().rev().fold(0, append)
                } else {
                    field.iter().fold(0, append)
                };
                usize::try_from(number).ok()?.checked_add(plus)
            }
        }
    }
}

impl<'t> Value<'t> for ReplyLength {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        let Ok(mut fields) = field.table() else {
            return a_reply_of(field).map(Self::Fixed);
        };
        let at = fields.require("at")?;
        let size = fields.require("size")?;
        let plus = fields.take("plus")?.unwrap_or(0);
        let little_endian = fields.take("little_endian")?.unwrap_or(false);
        fields.finish()?;
        if !(1..=4).contains(&size) {
            return Err(field.fault("a length field has 1 to 4 bytes", format!("{size} here")));
        }
        Ok(Self::Field { at, size, plus, little_endian })
    }
}

impl<'t> Value<'t> for Late {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        match <&str>::read(field)? {
            "error" => Ok(Self::Error),
            "drop" => Ok(Self::Drop),
            "reply" => Ok(Self::Reply),
            "output" => Ok(Self::Output),
            other => Err(field
                .fault(format!("`{other}` is nothing to do about late bytes"), "unknown")
                .help("one of `error`, `drop`, `reply`, `output`")),
        }
    }
}

impl<'t> Value<'t> for LineErrors {
    fn read(field: &TomlField<'t>) -> Result<Self, FileFault> {
        match <&str>::read(field)? {
            "error" => Ok(Self::Error),
            "output" => Ok(Self::Output),
            other => Err(field
                .fault(format!("`{other}` is nothing that a line error can be"), "unknown")
                .help("one of `error`, `output`")),
        }
    }
}
