//! `[reply]`: how a reply ends, and what of it counts.

use std::time::Duration;

use regex::bytes::{Regex, RegexBuilder};

use super::checksum::Checksum;
use super::error::Fault;
use super::fields::{Field, Fields, Value, at_least_one};
use super::step::Expect;

/// How a reply ends, and what of it counts.
///
/// ```toml
/// [reply]
/// # The ends: whichever comes first. With none of them, quiet_ms = 50.
/// match = '> $'          # a pattern over what has come so far, or a list of them,
/// grace_ms = 20          #   and nothing more for so long
/// last_line = 'OK|ERROR|\+CME ERROR: .*'   # a whole line that is this
/// lines = 1              # so many line feeds
/// length = 4             # so many bytes; or { at = 2, size = 1, plus = 5 }: a length in the frame
/// quiet_ms = 50          # silence for so long after the last byte
/// # Patience
/// within_ms = 1000       # nothing came at all in this time: the output is `silent`
/// max_ms = 30000         # a reply that takes longer is an error,
/// max_bytes = 4096       #   and so is a longer one
/// settle_ms = 0          # after the end, nothing may come for so long
/// silent = "(silence)"
/// # What counts
/// echo = true            # the device repeats what is sent: take it away
/// strip = ['\r']         # removed before anything else is looked at
/// checksum = "crc16-modbus"                # at its end; it is checked and taken away
/// late = "error"         # what comes after the end: "error", "drop", "reply" or "output"
/// time = { fast = 0, slow = 1000 }         # the output also says how long it took
/// ```
///
/// All of it is optional. Some rules that are worth knowing:
///
/// - A reply that began and met none of its ends has ended after `within_ms` of silence, so a reply
///   is never waited for for ever, and a mode without the usual prompt can be learned.
/// - `grace_ms` is 20 unless the file says otherwise, because a prompt may be the beginning of more,
///   and because USB adapters hand over what they received in pieces, 16 ms apart. It is paid for
///   each input: where no reply holds the pattern before its end, `grace_ms = 0` is much faster.
/// - A line ends in a line feed, carriage returns before it do not count. Where it is a carriage
///   return alone, write `match = '\r$'`.
/// - `echo` is taken away when it is there. A password, which is not repeated, keeps its reply.
/// - The numbers of a length field are big-endian, unless they say `little_endian = true`, and `at`
///   counts from 0.
/// - A wrong checksum is a fault of the line, not an output: the word is asked again.
/// - Time is measured from the end of the input to the last byte that belongs to the reply.
///
/// An input may have a `reply` of its own. What it says about ends replaces all ends of `[reply]`;
/// what else it says replaces that one key.
#[derive(Clone, Debug)]
pub struct ReplyRule {
    /// It has ended when one of these matches what has come so far…
    pub patterns: Vec<Regex>,
    /// …and nothing more has come for so long.
    pub grace: Duration,
    /// It has ended when this matches: the pattern of `last_line` where a line ends.
    pub last_line: Option<Regex>,
    /// It has ended after so many line feeds.
    pub lines: Option<usize>,
    /// It has ended after so many bytes.
    pub length: Option<Length>,
    /// It has ended when nothing has come for so long after its last byte.
    pub quiet: Option<Duration>,
    /// How long to wait for its first byte.
    pub within: Duration,
    /// How long a reply may take.
    pub max: Duration,
    /// How many bytes a reply may have.
    pub max_bytes: usize,
    /// The silence that must follow its end.
    pub settle: Duration,
    /// The output when there is no reply.
    pub silent: String,
    /// Whether the device repeats what is sent.
    pub echo: bool,
    /// What is removed before anything else is looked at.
    pub strip: Vec<Regex>,
    /// What its last bytes must be.
    pub checksum: Option<Checksum>,
    /// What to do about bytes that come after the end.
    pub late: Late,
    /// Names for how long it took: each with the time from which on it holds, in this order.
    pub times: Vec<(Duration, String)>,
}

/// How long a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many bytes.
    Fixed(usize),
    /// The frame says it: the number of `size` bytes at `at`, and `plus` more.
    Field {
        /// The first byte of the number, counted from 0.
        at: usize,
        /// How many bytes it has, 1 to 4.
        size: usize,
        /// How many bytes the frame has that the number does not count.
        plus: usize,
        /// Whether its low byte comes first.
        little_endian: bool,
    },
}

/// What to do about bytes that come between the end of a reply and the next input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// They are an error: the reply was taken for finished too early, and the word is suspect.
    Error,
    /// They are thrown away and counted: the device speaks unasked, and that has no meaning.
    Drop,
    /// They are the beginning of the reply to the next input.
    Reply,
    /// They are a reply of their own, and the output of the next input tells of both.
    Output,
}

/// The end of a reply for which the file says none.
const QUIET: Duration = Duration::from_millis(50);

impl Default for ReplyRule {
    fn default() -> Self {
        Self {
            patterns: Vec::new(),
            grace: Duration::from_millis(20),
            last_line: None,
            lines: None,
            length: None,
            quiet: Some(QUIET),
            within: Duration::from_secs(1),
            max: Duration::from_secs(30),
            max_bytes: 4096,
            settle: Duration::ZERO,
            silent: "(silence)".to_owned(),
            echo: false,
            strip: Vec::new(),
            checksum: None,
            late: Late::Error,
            times: Vec::new(),
        }
    }
}

impl ReplyRule {
    /// Reads `[reply]`, or the `reply` of an input, which completes what `base` says.
    pub(super) fn read(mut fields: Fields<'_>, base: Option<&Self>) -> Result<Self, Fault> {
        let base = base.cloned().unwrap_or_default();
        let patterns = fields.field("match").map(|field| read_patterns(&field)).transpose()?;
        let last_line = fields.field("last_line").map(|field| read_line(&field)).transpose()?;
        let lines = fields.field("lines").map(|field| a_reply_of(&field)).transpose()?;
        let (length, quiet) = (fields.take("length")?, fields.take("quiet_ms")?);
        let has_end = patterns.is_some()
            || last_line.is_some()
            || lines.is_some()
            || length.is_some()
            || quiet.is_some();
        let ends = if has_end {
            let patterns = patterns.unwrap_or_default();
            Self { patterns, last_line, lines, length, quiet, ..base.clone() }
        } else {
            base.clone()
        };
        let rule = Self {
            grace: fields.take("grace_ms")?.unwrap_or(base.grace),
            within: fields.take("within_ms")?.unwrap_or(base.within),
            max: fields.take("max_ms")?.unwrap_or(base.max),
            max_bytes: fields.take("max_bytes")?.unwrap_or(base.max_bytes),
            settle: fields.take("settle_ms")?.unwrap_or(base.settle),
            silent: fields.take::<&str>("silent")?.map_or(base.silent, str::to_owned),
            echo: fields.take("echo")?.unwrap_or(base.echo),
            strip: fields.take("strip")?.unwrap_or(base.strip),
            checksum: match fields.field("checksum") {
                Some(field) if <&str>::read(&field) == Ok("none") => None,
                Some(field) => Some(Checksum::read(&field)?),
                None => base.checksum,
            },
            late: fields.take("late")?.unwrap_or(base.late),
            times: match fields.field("time") {
                Some(field) => read_times(&field)?,
                None => base.times,
            },
            ..ends
        };
        fields.finish()?;
        Ok(rule)
    }

    /// Whether there is an end that the reply itself shows, beside silence.
    pub fn has_end(&self) -> bool {
        !self.patterns.is_empty()
            || self.last_line.is_some()
            || self.lines.is_some()
            || self.length.is_some()
    }

    /// The rule for a reply that also ends when `expect` is met, and has its patience.
    pub(crate) fn expecting(&self, expect: &Expect) -> Self {
        let mut rule = Self { within: expect.within, ..self.clone() };
        rule.patterns.push(expect.pattern.clone());
        rule
    }
}

/// One pattern or a list of them.
fn read_patterns(field: &Field<'_>) -> Result<Vec<Regex>, Fault> {
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

/// A pattern for a whole line as one for a text that ends with such a line.
fn read_line(field: &Field<'_>) -> Result<Regex, Fault> {
    // Alone it must have a meaning, too: `)(` has none.
    let pattern = Regex::read(field)?;
    let line = format!(r"(?:\A|[\r\n])(?:{pattern})\r*\n\z");
    RegexBuilder::new(&line)
        .unicode(false)
        .build()
        .map_err(|error| field.fault("`last_line` is not a pattern for a line", error.to_string()))
}

fn read_times(field: &Field<'_>) -> Result<Vec<(Duration, String)>, Fault> {
    let mut times = Vec::new();
    for field in field.table_called("`time`")?.rest() {
        times.push((Duration::read(&field)?, field.key.to_owned()));
    }
    times.sort();
    match times.first() {
        Some((Duration::ZERO, _)) => Ok(times),
        _ => Err(field
            .fault("`time` must have a name for the shortest times", "nothing begins at 0 ms")
            .help("write it like { fast = 0, slow = 1000 }: slow is from one second on")),
    }
}

fn a_reply_of(field: &Field<'_>) -> Result<usize, Fault> {
    at_least_one(field).map_err(|fault| {
        fault.help(
            "for an input that is not answered, give a short `within_ms`: it is how long that is \
             watched",
        )
    })
}

impl<'t> Value<'t> for Length {
    fn read(field: &Field<'t>) -> Result<Self, Fault> {
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
    fn read(field: &Field<'t>) -> Result<Self, Fault> {
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
