//! Lines that a device says without being asked, and hearing answers beside them.
//!
//! What comes once may be a greeting, or the text of a board that restarts when its port is opened. So a kind of line counts as
//! unasked if it comes again after a silence.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::time::Duration;

use regex::bytes::{Regex, RegexBuilder};

use super::error::OpenError;
use super::hearing::{HeardBurst, QUIET, collect_and_send, hear};
use super::link::TimedLink;
use super::noise::is_text;
use super::strip::clean;
use super::unfinished::{clean_finished, unfinished};
use crate::escape::pattern;
use crate::line_kind::{LineEnd, beginning, kind_of, line_pattern};

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
    /// Whether one was heard while nothing was asked. Else what looks like one in a reply may be an answer.
    pub came_alone: bool,
}

impl UnaskedKind {
    /// The kind of these lines, which begin alike and end like this.
    pub(super) fn of(lines: &BTreeSet<&[u8]>, end: LineEnd, came_alone: bool) -> Option<Self> {
        let example = lines.first()?.to_vec();
        // A few lines do not show what else may differ.
        let pattern = match beginning(&example).filter(|_| lines.len() > 1) {
            Some(beginning) => pattern(beginning) + &end.rest_pattern(),
            None => line_pattern(&example) + end.pattern(),
        };
        Some(Self { example, pattern, came_alone })
    }

    /// Whether one is in these bytes.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        compiled(&self.whole_words()).is_some_and(|pattern| pattern.is_match(bytes))
    }

    /// The pattern for `strip`. If the plain pattern fits in one of these replies, this one does not begin within a word.
    pub fn strip<'r>(&self, mut replies: impl Iterator<Item = &'r Vec<u8>>) -> String {
        let plain = compiled(&self.pattern);
        match plain.is_some_and(|plain| replies.any(|reply| plain.is_match(reply))) {
            true => self.whole_words(),
            false => self.pattern.clone(),
        }
    }

    /// The pattern, with a word boundary before it if it begins with a letter or a digit.
    fn whole_words(&self) -> String {
        match self.example.first() {
            Some(first) if first.is_ascii_alphanumeric() => format!(r"\b{}", self.pattern),
            _ => self.pattern.clone(),
        }
    }
}

/// A pattern as in a device file.
fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).unicode(false).build().ok()
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
    let end = LineEnd::of(bursts.iter().map(Vec::as_slice));
    // The bursts and the lines of each kind.
    let mut found = BTreeMap::<Vec<u8>, (BTreeSet<usize>, BTreeSet<&[u8]>)>::new();
    for (number, burst) in bursts.iter().enumerate() {
        for line in lines_of(burst, end) {
            let (numbers, lines) = found.entry(kind_of(line)).or_default();
            numbers.insert(number);
            lines.insert(line);
        }
    }
    let again = found.into_values().filter(|(numbers, _)| numbers.len() > 1);
    again.filter_map(|(_, lines)| UnaskedKind::of(&lines, end, true)).collect()
}

/// The lines of text.
pub(super) fn lines_of(bytes: &[u8], end: LineEnd) -> impl Iterator<Item = &[u8]> {
    end.lines(bytes).filter(|line| is_text(line))
}

fn patterns(kinds: &[UnaskedKind]) -> Vec<Regex> {
    kinds.iter().filter_map(|kind| compiled(&kind.whole_words())).collect()
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
    let mut times = None;
    loop {
        let HeardBurst { bytes, began, ended, is_closed } =
            hear(link, end.saturating_sub(link.now()))?;
        let is_silence = bytes.is_empty();
        times = times.filter(|_| is_silence).or(Some((began, ended)));
        all.extend(bytes);
        let is_over = is_closed || is_silence || link.now() >= end;
        if is_over || !clean_finished(&strip, &all).is_empty() {
            // A silence has followed: what looks like the beginning of an unasked line belongs to the answer.
            let (began, ended) = times.unwrap_or((began, ended));
            let bytes = clean(&strip, &all).into_owned();
            return Ok(HeardBurst { bytes, began, ended, is_closed });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serial::fake::{FakeLink, LinkAct};

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    /// A link to a device that speaks unasked: the time in ms of each text, and the text.
    fn speaking(pieces: &[(u64, &'static [u8])]) -> FakeLink<'static> {
        let mut link = FakeLink::new(|_| Vec::new());
        pieces.iter().for_each(|&(after, bytes)| link.say(after, bytes));
        link
    }

    /// The patterns that listening at two baud rates finds, of which the second one is right.
    fn found(link: impl Fn(u32) -> FakeLink<'static>) -> Vec<String> {
        let found = find_unasked(&[9600, 115_200], |baud| Ok(link(baud))).expect("it works");
        found.into_iter().map(|kind| kind.pattern).collect()
    }

    #[test]
    fn what_comes_again_after_a_silence_is_unasked() {
        let greeting = [(100, &b"boot\r\n"[..]), (110, b"boot\r\n")];
        assert!(found(|_| speaking(&greeting)).is_empty(), "both lines came at once");
        let rare = [(1400, &b"T: 5\r\n"[..]), (2900, b"T: 7\r\n"), (3600, b"U: 1\r\n")];
        assert_eq!(found(|_| speaking(&rare)), [r"T: \d+\r?\n"]);
        let later = [(1600, &b"T: 5\r\n"[..]), (2900, b"T: 7\r\n")];
        assert!(found(|_| speaking(&later)).is_empty(), "it was silent at first");
        let fields = [(100, &b"!GPS,1\r\n"[..]), (1100, b"!GPS,2\r\n"), (2100, b"!GPS,,A\r\n")];
        assert_eq!(found(|_| speaking(&fields)), [r"!GPS[^\r\n]*\r?\n"]);
        let frames = [(100, &b"tx1,2\r"[..]), (1100, b"tx1,A\r"), (2100, b"z\r")];
        assert_eq!(found(|_| speaking(&frames)), [r"tx[^\r\n]*\r"]);
    }

    #[test]
    fn what_cannot_be_read_is_heard_at_the_next_baud_rate() {
        let text = [(100, &b"T: 5\r\n"[..]), (1100, b"T: 7\r\n")];
        let at_second = |baud| match baud {
            9600 => speaking(&[(100, b"\xfe\x80\xff"), (1100, b"\xfe\x80\xff")]),
            _ => speaking(&text),
        };
        assert_eq!(found(at_second), [r"T: \d+\r?\n"]);
        // Nothing came, it could be read, or there is no other baud rate: nobody waits a second time.
        let silent = |baud| speaking(if baud == 9600 { &[] } else { &text });
        let once = |baud| speaking(if baud == 9600 { &[(100, b"hello\r\n")] } else { &text });
        let without_baud = |baud| {
            let mut link = at_second(baud);
            link.has_baud = false;
            link
        };
        assert!(found(silent).is_empty());
        assert!(found(once).is_empty());
        assert!(found(without_baud).is_empty());
    }

    /// The kind of this line.
    fn kind(example: &[u8]) -> UnaskedKind {
        UnaskedKind {
            example: example.to_vec(),
            pattern: line_pattern(example) + r"\r?\n",
            came_alone: true,
        }
    }

    /// What a device answers that also says lines of this kind. `before` came before it was asked.
    fn answer(
        kind: &UnaskedKind,
        before: &'static [u8],
        answers: &[(u64, &'static [u8])],
    ) -> String {
        let mut link = FakeLink::new(|act| match act {
            LinkAct::Sent(_) => answers.to_vec(),
            _ => Vec::new(),
        });
        link.say(10, before);
        let heard = ask_beside(&mut link, ms(100), b"ask\n", ms(500), std::slice::from_ref(kind));
        String::from_utf8(heard.expect("it works").bytes).expect("text")
    }

    #[test]
    fn answers_are_heard_beside_unasked_lines() {
        let kind = kind(b"T: 5");
        assert_eq!(answer(&kind, b"T: 1\r\n", &[(10, b"T: 2\r\n"), (300, b"ok\r\n")]), "ok\r\n");
        assert_eq!(answer(&kind, b"x\r\nT:", &[(10, b" 2\r\nok\r\n")]), "ok\r\n", "cut in two");
        assert_eq!(answer(&kind, b"", &[(10, b"T: 2\r\n"), (600, b"ok\r\n")]), "", "too late");
        assert_eq!(answer(&kind, b"", &[(10, b"SET: 5\r\n")]), "SET: 5\r\n", "a part of a word");
    }

    #[test]
    fn the_times_of_an_answer_are_those_of_its_own_bytes() {
        let times = |kinds: &[UnaskedKind], pieces: &[(u64, &'static [u8])]| {
            let mut link = speaking(pieces);
            let heard = hear_beside(&mut link, ms(500), kinds).expect("it works");
            (heard.began, heard.ended)
        };
        let pieces: &[(u64, &[u8])] = &[(10, b"T: 2\r\n"), (300, b"ok"), (400, b"\r\n")];
        assert_eq!(times(&[kind(b"T: 5")], pieces), (ms(300), ms(400)));
        assert_eq!(times(&[], pieces), (ms(10), ms(10)));
        // What may go on as an unasked line counts only when a silence has followed.
        assert_eq!(times(&[kind(b"T: 5")], &[(100, b"T: ")]), (ms(100), ms(100)));
        assert_eq!(times(&[], &[]), (ms(500), ms(500)));
    }

    #[test]
    fn a_prompt_that_begins_like_an_unasked_line_is_heard() {
        assert_eq!(answer(&kind(b"dev 5 ok"), b"", &[(10, b"yes\r\ndev ")]), "yes\r\ndev ");
    }

    #[test]
    fn all_that_came_before_is_no_answer() {
        let mut link = FakeLink::new(|act| match act {
            LinkAct::Sent(_) => vec![(10, &b"ok\n"[..])],
            _ => Vec::new(),
        });
        link.read_time = Duration::from_micros(1);
        link.say(0, &[b'x'; 5000]);
        let heard = ask_beside(&mut link, Duration::ZERO, b"ask\n", ms(500), &[]);
        assert_eq!(heard.expect("it works").bytes, b"ok\n");
    }

    #[test]
    fn an_end_of_the_connection_ends_an_answer() {
        let mut link = speaking(&[(10, b"T: 5\r\n")]);
        link.is_closed.set(true);
        let heard = hear_beside(&mut link, ms(500), &[kind(b"T: 5")]).expect("it works");
        assert_eq!((heard.bytes.as_slice(), heard.is_closed), (&b""[..], true));
    }

    #[test]
    fn strip_spares_words_of_replies() {
        let kind = kind(b"T: 5");
        let [plain, whole] = [r"T: \d+\r?\n", r"\bT: \d+\r?\n"];
        assert_eq!(kind.strip([b"SET: 5\r\n".to_vec()].iter()), whole);
        assert_eq!(kind.strip([b"ok T: \r\n".to_vec()].iter()), plain);
    }
}
