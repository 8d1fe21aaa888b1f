//! Finds out how a device talks, by sending it one line at several baud rates and with several line
//! ends.
//!
//! A baud rate is judged by readable text: at a wrong one, two of three bytes are not text, and a
//! long answer is never text by chance. What was sent at wrong baud rates or with wrong line ends
//! may still be in the device's line buffer. Therefore each line that was answered is sent again,
//! and only the second answer counts.
//! A device may answer a line that ends otherwise with an error. So the other line ends are tried, too.
//!
//! Some devices, such as a Korad KA3005P, take lines without an end. This is tried last, where nothing was readable, since it
//! takes ten seconds more. What was sent before may still be in the device's buffer, so that a line without an answer is sent
//! once more. If there is no answer again, a line end follows: the next line must not begin with this one.
//!
//! A device may ignore lines that follow each other too closely. Its second answer then does not come, and the line is
//! sent again after longer and longer pauses. So far each line followed 150 ms of silence. The last step sends a line right
//! after an answer, as a run does.
//!
//! Some devices speak unasked. [`find_unasked`](super::find_unasked) listens to them first, and such lines count for nothing.

mod line_ends;

use std::borrow::Cow;
use std::io;
use std::sync::LazyLock;
use std::time::Duration;

use regex::bytes::Regex;

use super::drawn_line::without_drawn;
use super::error::OpenError;
use super::hearing::{
    HeardBurst, QUIET, collect_and_send, connect_anew, has_ended, hear_bytes, hear_greeting,
};
use super::link::TimedLink;
use super::noise::is_readable;
use super::reconnect::{BACK_WITHIN, when_back};
use super::unasked::{UnaskedKind, ask_beside};
use crate::draft::{ESCAPES, Echo};
/// The baud rates to try, the most common ones first.
pub const BAUDS: [u32; 8] = [115_200, 9600, 57_600, 38_400, 19_200, 230_400, 460_800, 921_600];
/// The line ends to try.
pub const LINE_ENDS: [&str; 3] = ["\r", "\n", "\r\n"];
/// How a line ends that a device takes without an end.
const NO_END: &str = "";

/// How long a board takes that restarts when its port is opened...
const RESTART: Duration = Duration::from_secs(2);
/// ...and so many baud rates are tried with such boards in mind, if nothing else helped.
const RESTARTING: usize = 3;
/// How long to wait for the first byte of an answer.
pub const ANSWER_WITHIN: Duration = Duration::from_millis(500);
/// The pauses before a line to try if the second answer does not come.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(3)];
/// A pause is needed if this many lines in a row, each sent right after an answer, are lost.
const LOST: usize = 2;
/// An answer with this many bytes of text is never text by chance.
const SURE: usize = 8;

/// How a device talks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Talk {
    /// Bits per second.
    pub baud: u32,
    /// What ends a line; empty if nothing does.
    pub line_end: &'static str,
    /// How the device repeats what is sent; `None` if an empty line was sent, which cannot tell.
    pub echo: Option<Echo>,
    /// Whether escape sequences of terminals came with the answer.
    pub has_escapes: bool,
    /// Its answer to the line, without the echo and without escape sequences.
    pub answer: Vec<u8>,
    /// The silence that it needs before a line; zero if a line may follow an answer at once.
    pub pause: Duration,
    /// What it answers to lines with other ends, if it tells them apart. Then `line_end` is only the most likely one.
    pub others: Vec<LineAnswer>,
}

/// What came of sending a line in several ways.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TalkSearch {
    /// How the device talks, if it answered twice in the same way.
    pub talk: Option<Talk>,
    /// How many lines were sent.
    pub lines: usize,
    /// After how many of them only the line came back.
    pub echoes: usize,
    /// All readable answers.
    pub answers: Vec<LineAnswer>,
    /// What the device says unasked. It counts for nothing.
    unasked: Vec<UnaskedKind>,
}

/// A readable answer to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineAnswer {
    /// Bits per second.
    pub baud: u32,
    /// What ended the line.
    pub line_end: &'static str,
    /// The answer, without the echo and without escape sequences.
    pub answer: Vec<u8>,
}

/// Sends `line` at the baud rates and returns how the device talks, if it answers readable text at
/// one of them. `unasked` are the lines that come unasked: they are no answers. `open` opens the port at a baud rate. A port
/// without one is tried at the first only. Takes 45 s at most.
///
/// # Errors
/// The port cannot be opened, or fails.
pub fn find_talk<L: TimedLink>(
    unasked: &[UnaskedKind],
    line: &str,
    bauds: &[u32],
    mut open: impl FnMut(u32) -> Result<L, OpenError>,
) -> io::Result<TalkSearch> {
    let mut search = TalkSearch { unasked: unasked.to_vec(), ..TalkSearch::default() };
    let restarting = &bauds[..bauds.len().min(RESTARTING)];
    for (settle, bauds, line_ends) in [
        (QUIET, bauds, &LINE_ENDS[..]),
        (RESTART, restarting, &LINE_ENDS),
        (QUIET, bauds, &[NO_END]),
    ] {
        if line_ends == [NO_END] && (line.is_empty() || !search.answers.is_empty()) {
            break;
        }
        for &baud in bauds {
            // A device that an answer has restarted may still be away.
            let may_be_away = search.lines > 0;
            let opened = when_back(BACK_WITHIN, |_| may_be_away, || open(baud));
            let mut link = opened.map_err(io::Error::other)?;
            if let Some(talk) = search.talk_at(&mut link, baud, line, settle, line_ends)? {
                let is_sure = talk.answer.len() >= SURE;
                let best = search.talk.as_ref();
                if is_sure || best.is_none_or(|best| best.answer.len() < talk.answer.len()) {
                    search.talk = Some(talk);
                }
                if is_sure {
                    return Ok(search);
                }
            }
            if !link.has_baud() {
                break;
            }
        }
        if search.talk.is_some() {
            break;
        }
    }
    Ok(search)
}

impl TalkSearch {
    /// How the device talks at one baud rate.
    fn talk_at(
        &mut self,
        link: &mut impl TimedLink,
        baud: u32,
        line: &str,
        settle: Duration,
        line_ends: &[&'static str],
    ) -> io::Result<Option<Talk>> {
        for (index, &line_end) in line_ends.iter().enumerate() {
            match index {
                0 => hear_greeting(link, settle)?,
                _ => connect_for_another_end(link, settle)?,
            }
            let mut ask = |search: &mut Self, pause| search.ask(link, baud, line, line_end, pause);
            // Pauses take long: they are tried once at each baud rate, after its first readable answer.
            let is_answer = |answer: &LineAnswer| answer.baud == baud;
            let is_first = !self.answers.iter().any(is_answer);
            let mut first = ask(self, Duration::ZERO)?;
            if line_end == NO_END && is_silence(&first, line) {
                first = ask(self, Duration::ZERO)?;
            }
            if is_silence(&first, line) {
                continue;
            }
            let second = ask(self, Duration::ZERO)?;
            let (pause, second) = match is_silence(&second, line) {
                true if is_first && self.answers.iter().any(is_answer) => {
                    match self.find_pause(line, ask)? {
                        Some(found) => found,
                        None => continue,
                    }
                }
                _ => (Duration::ZERO, second),
            };
            let (echo, answer) = without_echo(&second, line);
            let shown = without_escapes(answer);
            if is_readable(&shown) && !shown.trim_ascii().is_empty() {
                let echo = (!line.is_empty()).then_some(echo);
                let has_escapes = shown.len() < answer.len();
                let answer = shown.into_owned();
                let others = Vec::new();
                let mut talk = Talk { baud, line_end, echo, has_escapes, answer, pause, others };
                if pause.is_zero() && self.needs_pause(link, line, line_end, second.len())? {
                    talk.pause = QUIET;
                }
                if line_end == NO_END {
                    return Ok(Some(talk));
                }
                match self.try_other_ends(link, line, settle, &mut talk) {
                    // It takes no more connections for now. How it talks is known.
                    Err(error) if has_ended(&error) => {}
                    tried => tried?,
                }
                return Ok(Some(talk));
            }
        }
        if line_ends == [NO_END] {
            collect_and_send(link, link.now(), b"\r\n")?;
        }
        Ok(None)
    }

    /// The pause after which a device answers again that did not without one, and its answer then.
    fn find_pause(
        &mut self,
        line: &str,
        mut ask: impl FnMut(&mut Self, Duration) -> io::Result<Vec<u8>>,
    ) -> io::Result<Option<(Duration, Vec<u8>)>> {
        for pause in PAUSES {
            // The silence before it was longer, so that only the second answer tells of this pause.
            if is_silence(&ask(self, pause)?, line) {
                continue;
            }
            let answer = ask(self, pause)?;
            if is_silence(&answer, line) {
                continue;
            }
            // The device may just have started, or have missed one line.
            let is_needed = is_silence(&ask(self, Duration::ZERO)?, line);
            return Ok(Some((if is_needed { pause } else { Duration::ZERO }, answer)));
        }
        Ok(None)
    }

    /// Whether the device ignores a line that follows at once after an answer of `len` bytes. This is not found out where the
    /// length of its answer changes.
    fn needs_pause(
        &mut self,
        link: &mut impl TimedLink,
        line: &str,
        line_end: &str,
        len: usize,
    ) -> io::Result<bool> {
        let bytes = [line.as_bytes(), line_end.as_bytes()].concat();
        // What comes unasked would count.
        if !self.unasked.is_empty() {
            return Ok(false);
        }
        for _ in 0..LOST {
            let answer = self.send(link, link.now(), &bytes, len)?;
            if answer.is_closed || answer.bytes.len() < len {
                return Ok(false);
            }
            let next = self.send(link, link.now(), &bytes, usize::MAX)?;
            if next.is_closed || !is_silence(&next.bytes, line) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What the device says to the line after a pause. If it ends the connection, there is a new one afterwards.
    fn ask(
        &mut self,
        link: &mut impl TimedLink,
        baud: u32,
        line: &str,
        line_end: &'static str,
        pause: Duration,
    ) -> io::Result<Vec<u8>> {
        let until = link.now() + pause.saturating_sub(QUIET);
        let sent = [line.as_bytes(), line_end.as_bytes()].concat();
        let HeardBurst { bytes, .. } = self.send(link, until, &sent, usize::MAX)?;
        let (echo, answer) = without_echo(&bytes, line);
        let is_all = echo != Echo::None && answer.trim_ascii().is_empty();
        self.echoes += usize::from(is_all && !line.is_empty());
        let answer = without_escapes(answer);
        if is_readable(&answer) && !answer.trim_ascii().is_empty() {
            self.answers.push(LineAnswer { baud, line_end, answer: answer.into_owned() });
        }
        Ok(bytes)
    }

    /// Sends bytes after a silence until this time, and hears at most `len` bytes. If the device ends the connection, there is a
    /// new one afterwards.
    fn send(
        &mut self,
        link: &mut impl TimedLink,
        until: Duration,
        bytes: &[u8],
        len: usize,
    ) -> io::Result<HeardBurst> {
        self.lines += 1;
        let heard = match self.unasked.as_slice() {
            [] => {
                collect_and_send(link, until, bytes)?;
                hear_bytes(link, ANSWER_WITHIN, len)?
            }
            kinds => ask_beside(link, until, bytes, ANSWER_WITHIN, kinds)?,
        };
        if heard.is_closed {
            connect_anew(link, QUIET)?;
        }
        Ok(heard)
    }
}

/// Makes a new connection where that costs nothing, over a network: a server that has read a part of a line end may take nothing
/// any more.
fn connect_for_another_end(link: &mut impl TimedLink, settle: Duration) -> io::Result<()> {
    if link.has_baud() { Ok(()) } else { connect_anew(link, settle) }
}

/// Whether nothing came but the echo of the line.
fn is_silence(answer: &[u8], line: &str) -> bool {
    without_echo(answer, line).1.trim_ascii().is_empty()
}

/// Bytes without the escape sequences of terminals: colours, cursor movements.
pub fn without_escapes(bytes: &[u8]) -> Cow<'_, [u8]> {
    static SEQUENCE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(ESCAPES).expect("the pattern of a test"));
    SEQUENCE.replace_all(bytes, &b""[..])
}

/// An answer to a line, without its echo.
pub fn after_echo<'a>(answer: &'a [u8], line: &str) -> &'a [u8] {
    without_echo(answer, line).1
}

/// How the device repeats the line, and its answer without that.
fn without_echo<'a>(answer: &'a [u8], line: &str) -> (Echo, &'a [u8]) {
    let rest = answer.strip_prefix(line.as_bytes()).filter(|_| !line.is_empty());
    if let Some(rest) = rest.filter(|rest| !goes_on(line, rest)) {
        return (Echo::Plain, rest);
    }
    match without_drawn(answer, line) {
        Some(rest) => (Echo::Drawn, rest),
        None => (Echo::None, answer),
    }
}

/// Whether what follows a line's text is a part of the same line: `boot: app0` is an answer to `boot`, and no echo of it, and nor is
/// `V1013` one of `V`.
fn goes_on(line: &str, rest: &[u8]) -> bool {
    let next = rest.iter().find(|byte| **byte != b' ');
    let is_letter = line.len() == 1 && rest.first().is_some_and(u8::is_ascii_alphanumeric);
    matches!(rest, [b' ' | b':' | b'=', ..]) && next.is_some_and(u8::is_ascii_graphic) || is_letter
}

#[cfg(test)]
mod tests;
