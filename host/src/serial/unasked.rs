//! Lines that a device says without being asked, and hearing answers beside them.
//!
//! What comes once may be a greeting, or the text of a board that restarts when its port is opened. So a kind of line counts as
//! unasked if it comes again after a silence.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::time::Duration;

use regex::bytes::Regex;

use super::error::OpenError;
use super::hearing::{HeardBurst, QUIET, collect_and_send, hear};
use super::link::TimedLink;
use super::noise::is_text;
use super::unfinished::{clean_finished, unfinished};
use crate::escape::pattern;
use crate::line_kind::{beginning, line_pattern};

/// How long to listen before anything is sent...
const LISTEN: Duration = Duration::from_millis(1500);
/// ...and how much longer if text comes: it may come again.
const LISTEN_MORE: Duration = Duration::from_millis(2000);

/// A kind of lines that a device says unasked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnaskedKind {
    /// One of them, without its end.
    pub example: Vec<u8>,
    /// A pattern for all of them.
    pub pattern: String,
}

/// Listens before anything is sent, and returns the kinds of lines that come again. What cannot be read at one baud rate is
/// listened to at the next. `open` opens the port at a baud rate. Takes 1.5 s if nothing comes.
///
/// # Errors
/// The port cannot be opened, or fails.
pub fn find_unasked<L: TimedLink>(
    bauds: &[u32],
    mut open: impl FnMut(u32) -> Result<L, OpenError>,
) -> io::Result<Vec<UnaskedKind>> {
    for &baud in bauds {
        let mut link = open(baud).map_err(io::Error::other)?;
        let bursts = hear_bursts(&mut link)?;
        let found = kinds(&bursts);
        let is_read = bursts.iter().any(|burst| is_text(burst));
        if is_read || !found.is_empty() || bursts.is_empty() || !link.has_baud() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// What comes while nothing is sent, in pieces with silence between them.
fn hear_bursts(link: &mut impl TimedLink) -> io::Result<Vec<Vec<u8>>> {
    let mut bursts: Vec<Vec<u8>> = Vec::new();
    let mut until = link.now() + LISTEN;
    let latest = until + LISTEN_MORE;
    let (mut last, mut buffer) = (None, [0; 512]);
    while link.now() < until {
        let count = match link.read(&mut buffer, until) {
            // A new one is opened before something is sent.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            count => count?,
        };
        if count == 0 {
            break;
        }
        let now = link.now();
        if last.is_none_or(|last| now.saturating_sub(last) > QUIET) {
            bursts.push(Vec::new());
        }
        last = Some(now);
        if let Some(burst) = bursts.last_mut() {
            burst.extend_from_slice(&buffer[..count]);
            until = if is_text(burst) { latest } else { until };
        }
    }
    Ok(bursts)
}

/// The kinds of lines that came in several bursts.
fn kinds(bursts: &[Vec<u8>]) -> Vec<UnaskedKind> {
    // The bursts and the lines of each kind.
    let mut found = BTreeMap::<Vec<u8>, (BTreeSet<usize>, BTreeSet<&[u8]>)>::new();
    for (number, burst) in bursts.iter().enumerate() {
        let lines = burst.split_inclusive(|&byte| byte == b'\n').filter(|it| it.ends_with(b"\n"));
        for line in lines.map(<[u8]>::trim_ascii_end).filter(|it| !it.is_empty() && is_text(it)) {
            let kind = beginning(line).map(<[u8]>::to_vec);
            let kind = kind.unwrap_or_else(|| line_pattern(line).into_bytes());
            let (numbers, lines) = found.entry(kind).or_default();
            numbers.insert(number);
            lines.insert(line);
        }
    }
    let again = found.into_values().filter(|(numbers, _)| numbers.len() > 1);
    let kind = |lines: BTreeSet<&[u8]>| {
        let example = lines.first()?.to_vec();
        // A few lines do not show what else may differ.
        let pattern = match beginning(&example).filter(|_| lines.len() > 1) {
            Some(beginning) => pattern(beginning) + r"[^\r\n]*\r?\n",
            None => line_pattern(&example),
        };
        Some(UnaskedKind { example, pattern })
    };
    again.filter_map(|(_, lines)| kind(lines)).collect()
}

fn patterns(kinds: &[UnaskedKind]) -> Vec<Regex> {
    kinds.iter().filter_map(|kind| Regex::new(&kind.pattern).ok()).collect()
}

/// Sends bytes after a silence that lasts until this time, and returns what comes beside lines of these kinds: the first byte
/// within a time, the others until there is silence or the connection ends.
///
/// # Errors
/// The link failed.
pub fn ask_beside(
    link: &mut impl TimedLink,
    until: Duration,
    bytes: &[u8],
    within: Duration,
    kinds: &[UnaskedKind],
) -> io::Result<HeardBurst> {
    let before = collect_and_send(link, until, bytes)?;
    hear_after(link, &before, within, kinds)
}

/// What comes beside lines of these kinds: the first byte within this time, the others until there is silence or the
/// connection ends.
///
/// # Errors
/// The link failed.
pub fn hear_beside(
    link: &mut impl TimedLink,
    within: Duration,
    kinds: &[UnaskedKind],
) -> io::Result<HeardBurst> {
    hear_after(link, b"", within, kinds)
}

/// The same where `before` came before: the first half of a line may be among it.
fn hear_after(
    link: &mut impl TimedLink,
    before: &[u8],
    within: Duration,
    kinds: &[UnaskedKind],
) -> io::Result<HeardBurst> {
    if kinds.is_empty() {
        return hear(link, within);
    }
    let strip = patterns(kinds);
    let mut all = before[unfinished(&strip, before)..].to_vec();
    let end = link.now() + within;
    loop {
        let HeardBurst { bytes, is_closed } = hear(link, end.saturating_sub(link.now()))?;
        let is_silence = bytes.is_empty();
        all.extend(bytes);
        let bytes = clean_finished(&strip, &all);
        if !bytes.is_empty() || is_closed || is_silence || link.now() >= end {
            return Ok(HeardBurst { bytes, is_closed });
        }
    }
}
