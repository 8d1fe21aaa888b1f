//! `[reply]`: how a reply ends, and what of it counts.

use std::time::Duration;

use regex::bytes::Regex;

use super::error::Fault;
use super::fields::{Field, Fields, Value};

/// How a reply ends, and what of it counts.
///
/// ```toml
/// [reply]
/// # The ends: whichever comes first. With none of them, quiet_ms = 50.
/// match = '> $'          # a pattern over what has come so far,
/// grace_ms = 20          #   and nothing more for so long
/// lines = 1              # so many line feeds
/// length = 4             # so many bytes; or { at = 2, size = 1, plus = 5 }: a length in the frame
/// quiet_ms = 50          # silence for so long after the last byte
/// # Patience
/// within_ms = 1000       # nothing came at all in this time: the output is `silent`
/// max_ms = 30000         # a reply that takes longer is an error,
/// max_bytes = 4096       #   and so is a longer one
/// silent = "(silence)"
/// # What counts
/// echo = true            # the device repeats what is sent: take it away
/// strip = ['\r']         # removed before anything else is looked at
/// late = "error"         # what comes after the end: "error", or "drop" (a modem's RING)
/// ```
///
/// All of it is optional. Some rules that are worth knowing:
///
/// - A reply that began and met none of its ends has ended after `within_ms` of silence, so a reply
///   is never waited for for ever, and a mode without the usual prompt can be learned.
/// - `grace_ms` is 20 unless the file says otherwise, because a prompt may be the beginning of more,
///   and because USB adapters hand over what they received in pieces, 16 ms apart. It is paid for
///   each input: where no reply holds the pattern before its end, `grace_ms = 0` is much faster.
/// - A line end is a line feed. Where it is a carriage return alone, write `match = '\r$'`.
/// - `echo` is taken away when it is there. A password, which is not repeated, keeps its reply.
/// - The numbers of a length field are big-endian, and `at` counts from 0.
///
/// An input may have a `reply` of its own. What it says about ends replaces all ends of `[reply]`;
/// what else it says replaces that one key.
#[derive(Clone, Debug)]
pub struct ReplyRule {
    /// It has ended when this matches what has come so far…
    pub pattern: Option<Regex>,
    /// …and nothing more has come for so long.
    pub grace: Duration,
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
    /// The output when there is no reply.
    pub silent: String,
    /// Whether the device repeats what is sent.
    pub echo: bool,
    /// What is removed before anything else is looked at.
    pub strip: Vec<Regex>,
    /// What to do about bytes that come after the end.
    pub late: Late,
}

/// How long a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many bytes.
    Fixed(usize),
    /// The frame says it: the big-endian number of `size` bytes at `at`, and `plus` more.
    Field {
        /// The first byte of the number, counted from 0.
        at: usize,
        /// How many bytes it has, 1 to 4.
        size: usize,
        /// How many bytes the frame has that the number does not count.
        plus: usize,
    },
}

/// What to do about bytes that come between the end of a reply and the next input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// They are an error: the reply was taken for finished too early, and the word is suspect.
    Error,
    /// They are thrown away and counted: the device speaks unasked, and that has no meaning.
    Drop,
}

/// The end of a reply for which the file says none.
const QUIET: Duration = Duration::from_millis(50);

impl Default for ReplyRule {
    fn default() -> Self {
        Self {
            pattern: None,
            grace: Duration::from_millis(20),
            lines: None,
            length: None,
            quiet: Some(QUIET),
            within: Duration::from_secs(1),
            max: Duration::from_secs(30),
            max_bytes: 4096,
            silent: "(silence)".to_owned(),
            echo: false,
            strip: Vec::new(),
            late: Late::Error,
        }
    }
}

impl ReplyRule {
    /// Reads `[reply]`, or the `reply` of an input, which completes what `base` says.
    pub(super) fn read(mut fields: Fields<'_>, base: Option<&Self>) -> Result<Self, Fault> {
        let base = base.cloned().unwrap_or_default();
        let (pattern, lines) = (fields.take("match")?, fields.field("lines"));
        let lines = lines.map(|field| at_least_one(&field)).transpose()?;
        let (length, quiet) = (fields.take("length")?, fields.take("quiet_ms")?);
        let has_end = pattern.is_some() || lines.is_some() || length.is_some() || quiet.is_some();
        let ends = if has_end {
            Self { pattern, lines, length, quiet, ..base.clone() }
        } else {
            base.clone()
        };
        let rule = Self {
            grace: fields.take("grace_ms")?.unwrap_or(base.grace),
            within: fields.take("within_ms")?.unwrap_or(base.within),
            max: fields.take("max_ms")?.unwrap_or(base.max),
            max_bytes: fields.take("max_bytes")?.unwrap_or(base.max_bytes),
            silent: fields.take::<&str>("silent")?.map_or(base.silent, str::to_owned),
            echo: fields.take("echo")?.unwrap_or(base.echo),
            strip: fields.take("strip")?.unwrap_or(base.strip),
            late: fields.take("late")?.unwrap_or(base.late),
            ..ends
        };
        fields.finish()?;
        Ok(rule)
    }
}

fn at_least_one(field: &Field<'_>) -> Result<usize, Fault> {
    match usize::read(field)? {
        0 => Err(field.fault("a reply of nothing cannot be waited for", "zero").help(
            "for an input that is not answered, give a short `within_ms`: it is how long that is \
             watched",
        )),
        number => Ok(number),
    }
}

impl<'t> Value<'t> for Length {
    fn read(field: &Field<'t>) -> Result<Self, Fault> {
        let Ok(mut fields) = field.table() else {
            return at_least_one(field).map(Self::Fixed);
        };
        let at = fields.require("at")?;
        let size = fields.require("size")?;
        let plus = fields.take("plus")?.unwrap_or(0);
        fields.finish()?;
        if !(1..=4).contains(&size) {
            return Err(field.fault("a length field has 1 to 4 bytes", format!("{size} here")));
        }
        Ok(Self::Field { at, size, plus })
    }
}

impl<'t> Value<'t> for Late {
    fn read(field: &Field<'t>) -> Result<Self, Fault> {
        match <&str>::read(field)? {
            "error" => Ok(Self::Error),
            "drop" => Ok(Self::Drop),
            other => Err(field
                .fault(format!("`{other}` is nothing to do about late bytes"), "unknown")
                .help("one of `error`, `drop`")),
        }
    }
}
