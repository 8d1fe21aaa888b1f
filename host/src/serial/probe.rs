//! Finds out how a device talks, by sending it one line at several baud rates and with several line
//! ends.
//!
//! A baud rate is judged by readable text: at a wrong one, two of three bytes are not text, and a
//! long answer is never text by chance. What was sent at wrong baud rates or with wrong line ends
//! may still be in the device's line buffer. Therefore each line that was answered is sent again,
//! and only the second answer counts.
//!
//! A device may ignore lines that follow each other too closely. Its second answer then does not come, and the line is
//! sent again after longer and longer pauses. So far each line followed 150 ms of silence. The last step sends a line right
//! after an answer, as a run does.

use std::borrow::Cow;
use std::io::{self, ErrorKind};
use std::sync::LazyLock;
use std::time::Duration;

use regex::bytes::Regex;

use super::drawn_line::without_drawn;
use super::error::OpenError;
use super::link::TimedLink;
use super::noise::is_text;
use super::reconnect::{BACK_WITHIN, when_back};
use crate::draft::{ESCAPES, Echo};

/// The baud rates to try, the most common ones first.
pub const BAUDS: [u32; 8] = [115_200, 9600, 57_600, 38_400, 19_200, 230_400, 460_800, 921_600];
/// The line ends to try.
const LINE_ENDS: [&str; 3] = ["\r", "\n", "\r\n"];

/// How long a board takes that restarts when its port is opened...
const RESTART: Duration = Duration::from_secs(2);
/// ...and so many baud rates are tried with such boards in mind, if nothing else helped.
const RESTARTING: usize = 3;
/// How long to wait for the first byte of an answer.
const WITHIN: Duration = Duration::from_millis(500);
/// The silence that ends an answer.
const QUIET: Duration = Duration::from_millis(150);
/// How long an answer may take.
const AT_MOST: Duration = Duration::from_secs(2);
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
    /// What ends a line.
    pub line_end: &'static str,
    /// How the device repeats what is sent; `None` if an empty line was sent, which cannot tell.
    pub echo: Option<Echo>,
    /// Whether escape sequences of terminals came with the answer.
    pub has_escapes: bool,
    /// Its answer to the line, without the echo and without escape sequences.
    pub answer: Vec<u8>,
    /// The silence that it needs before a line; zero if a line may follow an answer at once.
    pub pause: Duration,
}

/// What came of sending a line in several ways.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TalkSearch {
    /// How the device talks, if it answered twice in the same way.
    pub talk: Option<Talk>,
    /// How many lines were sent.
    pub lines: usize,
    /// All readable answers.
    pub answers: Vec<LineAnswer>,
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

/// What came from a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeardBurst {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the device ended the connection then.
    pub is_closed: bool,
}

/// Sends `line` at the baud rates and returns how the device talks, if it answers readable text at
/// one of them. `open` opens the port at a baud rate. A port without one is tried at the first only.
/// Takes half a minute at most.
///
/// # Errors
/// The port cannot be opened, or fails.
pub fn find_talk<L: TimedLink>(
    line: &str,
    bauds: &[u32],
    mut open: impl FnMut(u32) -> Result<L, OpenError>,
) -> io::Result<TalkSearch> {
    let mut search = TalkSearch::default();
    for (settle, bauds) in [(QUIET, bauds), (RESTART, &bauds[..bauds.len().min(RESTARTING)])] {
        for &baud in bauds {
            // A device that an answer has restarted may still be away.
            let may_be_away = search.lines > 0;
            let opened = when_back(BACK_WITHIN, |_| may_be_away, || open(baud));
            let mut link = opened.map_err(io::Error::other)?;
            if let Some(talk) = search.talk_at(&mut link, baud, line, settle)? {
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
    ) -> io::Result<Option<Talk>> {
        // A greeting or what is left of it must not count as an answer.
        let until = link.now() + settle;
        link.collect(until, &mut Vec::new())?;
        for line_end in LINE_ENDS {
            let mut ask = |search: &mut Self, pause| search.ask(link, baud, line, line_end, pause);
            // Pauses take long: they are tried once at each baud rate, after its first readable answer.
            let is_answer = |answer: &LineAnswer| answer.baud == baud;
            let is_first = !self.answers.iter().any(is_answer);
            if is_silence(&ask(self, Duration::ZERO)?, line) {
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
            if is_text(&shown) && !shown.trim_ascii().is_empty() {
                let echo = (!line.is_empty()).then_some(echo);
                let has_escapes = shown.len() < answer.len();
                let answer = shown.into_owned();
                let mut talk = Talk { baud, line_end, echo, has_escapes, answer, pause };
                if pause.is_zero() && self.needs_pause(link, line, line_end, second.len())? {
                    talk.pause = QUIET;
                }
                if !link.has_baud() {
                    talk.line_end = self.network_line_end(link, line, &talk)?;
                }
                return Ok(Some(talk));
            }
        }
        Ok(None)
    }

    /// The line end for a server that talks like this: that of its own lines, if it answers the same then. Some take other
    /// ends for a command, but not for what follows it, such as a mail.
    fn network_line_end(
        &mut self,
        link: &mut impl TimedLink,
        line: &str,
        talk: &Talk,
    ) -> io::Result<&'static str> {
        const CRLF: &str = "\r\n";
        let &Talk { baud, line_end, ref answer, pause, .. } = talk;
        if line_end == CRLF || !answer.ends_with(CRLF.as_bytes()) {
            return Ok(line_end);
        }
        let heard = self.ask(link, baud, line, CRLF, pause)?;
        let is_same = *without_escapes(without_echo(&heard, line).1) == *answer;
        Ok(if is_same { CRLF } else { line_end })
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
        let answer = without_escapes(without_echo(&bytes, line).1);
        if is_text(&answer) && !answer.trim_ascii().is_empty() {
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
        send_after(link, until, bytes)?;
        self.lines += 1;
        let heard = hear_bytes(link, WITHIN, len)?;
        if heard.is_closed {
            connect_anew(link)?;
        }
        Ok(heard)
    }
}

/// Whether nothing came but the echo of the line.
fn is_silence(answer: &[u8], line: &str) -> bool {
    without_echo(answer, line).1.trim_ascii().is_empty()
}

/// Opens a new connection, and hears the greeting.
fn connect_anew(link: &mut impl TimedLink) -> io::Result<()> {
    reopen_when_back(link)?;
    let until = link.now() + QUIET;
    link.collect(until, &mut Vec::new())
}

/// Opens a new connection; a device that is away is waited for.
///
/// # Errors
/// The device has not come back within 3 s.
pub fn reopen_when_back(link: &mut impl TimedLink) -> io::Result<()> {
    when_back(BACK_WITHIN, |_| true, || link.reopen()).map_err(io::Error::other)
}

/// Sends bytes after a silence that lasts until this time. A connection that has ended by then is opened again first.
///
/// # Errors
/// The link failed.
pub fn send_after(link: &mut impl TimedLink, until: Duration, bytes: &[u8]) -> io::Result<()> {
    match link.collect(until, &mut Vec::new()).and_then(|()| link.write(bytes)) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            connect_anew(link)?;
            link.write(bytes)
        }
        sent => sent,
    }
}

/// What comes: the first byte within this time, the others until there is silence or the connection ends.
///
/// # Errors
/// The link failed.
pub fn hear(link: &mut impl TimedLink, within: Duration) -> io::Result<HeardBurst> {
    hear_bytes(link, within, usize::MAX)
}

/// Like [`hear`], but ends as soon as `len` bytes have come.
fn hear_bytes(link: &mut impl TimedLink, within: Duration, len: usize) -> io::Result<HeardBurst> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 512]);
    let end = link.now() + within.max(AT_MOST);
    let mut until = link.now() + within;
    loop {
        let count = match link.read(&mut buffer, until) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                return Ok(HeardBurst { bytes, is_closed: true });
            }
            count => count?,
        };
        bytes.extend_from_slice(&buffer[..count]);
        if count == 0 || bytes.len() >= len || link.now() > end {
            return Ok(HeardBurst { bytes, is_closed: false });
        }
        until = link.now() + QUIET;
    }
}

/// Bytes without the escape sequences of terminals: colours, cursor movements.
pub fn without_escapes(bytes: &[u8]) -> Cow<'_, [u8]> {
    static SEQUENCE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(ESCAPES).expect("the pattern of a test"));
    SEQUENCE.replace_all(bytes, &b""[..])
}

/// How the device repeats the line, and its answer without that.
fn without_echo<'a>(answer: &'a [u8], line: &str) -> (Echo, &'a [u8]) {
    if let Some(rest) = answer.strip_prefix(line.as_bytes()).filter(|_| !line.is_empty()) {
        return (Echo::Plain, rest);
    }
    match without_drawn(answer, line) {
        Some(rest) => (Echo::Drawn, rest),
        None => (Echo::None, answer),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use super::super::fake::{FakeLink, LinkAct};
    use super::*;
    use crate::device::ControlLine;

    /// What `send` answers to a complete line at 9600 baud; at others, what is sent and received is
    /// garbled.
    fn found(
        line: &str,
        line_end: &'static str,
        has_echo: bool,
        reply: &'static [u8],
    ) -> Option<Talk> {
        let buffered = Rc::new(RefCell::new(Vec::new()));
        find_talk(line, &BAUDS, |baud| {
            let buffered = Rc::clone(&buffered);
            Ok(FakeLink::new(move |act: &LinkAct| {
                let LinkAct::Sent(bytes) = act else { return Vec::new() };
                if baud != 9600 {
                    buffered.borrow_mut().extend_from_slice(b"\xfe");
                    return vec![(2, b"\xf8\x00>x\x80\xfe\x00" as &[u8])];
                }
                let mut buffered = buffered.borrow_mut();
                buffered.extend_from_slice(bytes);
                let echo: &'static [u8] = if has_echo { bytes.clone().leak() } else { b"" };
                let mut said = match buffered.ends_with(line_end.as_bytes()) {
                    false => vec![(1, echo)],
                    true => {
                        let line = std::mem::take(&mut *buffered);
                        let is_bad = line.contains(&0xfe);
                        vec![(1, echo), (5, if is_bad { b"\r\n?\xfe\r\n> " } else { reply })]
                    }
                };
                said.retain(|(_, bytes)| !bytes.is_empty());
                said
            }))
        })
        .expect("the port works")
        .talk
    }

    /// A line to a device that ignores what comes too soon after the last answer.
    struct ThrottledLink(FakeLink<'static>, Duration, Rc<Cell<Option<Duration>>>);

    impl TimedLink for ThrottledLink {
        fn now(&self) -> Duration {
            self.0.now()
        }

        fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
            self.0.read(buffer, until)
        }

        fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
            let now = self.now();
            if self.2.get().is_some_and(|last| now < last + self.1) {
                return Ok(());
            }
            self.2.set(Some(now));
            self.0.write(bytes)
        }

        fn set(&mut self, line: ControlLine, level: bool) -> io::Result<()> {
            self.0.set(line, level)
        }

        fn clear(&mut self) -> io::Result<()> {
            self.0.clear()
        }

        fn clear_received(&mut self) -> io::Result<()> {
            self.0.clear_received()
        }

        fn reopen(&mut self) -> Result<(), OpenError> {
            self.0.reopen()
        }
    }

    /// What is found at a device that ignores lines for this time after one that it took.
    fn found_throttled(ms: u64) -> TalkSearch {
        find_talk("help", &BAUDS[..1], |_| {
            let link = FakeLink::new(|act| match act {
                LinkAct::Sent(_) => vec![(5, &b"open, close\r\n> "[..])],
                _ => Vec::new(),
            });
            Ok(ThrottledLink(link, Duration::from_millis(ms), Rc::default()))
        })
        .expect("the port works")
    }

    #[test]
    fn the_pause_that_a_device_needs_is_found() {
        for (throttle, pause) in [(0, 0), (100, 150), (400, 500), (900, 1000), (2500, 3000)] {
            let talk = found_throttled(throttle).talk.expect("it talks");
            assert_eq!(talk.pause, Duration::from_millis(pause), "{throttle} ms");
            assert_eq!((talk.line_end, &*talk.answer), ("\r", &b"open, close\r\n> "[..]));
        }
    }

    #[test]
    fn one_line_that_is_lost_needs_no_pause() {
        let mut lines = 0;
        let link = FakeLink::new(move |act| match act {
            LinkAct::Sent(_) => {
                lines += 1;
                // The first line that follows an answer at once.
                if lines == 4 { Vec::new() } else { vec![(5, &b"open, close\r\n> "[..])] }
            }
            _ => Vec::new(),
        });
        let mut link = Some(link);
        let search = find_talk("help", &BAUDS[..1], |_| Ok(link.take().expect("opened once")));
        let search = search.expect("the port works");
        assert_eq!((search.talk.map(|talk| talk.pause), search.lines), (Some(Duration::ZERO), 6));
    }

    #[test]
    fn what_a_device_answered_is_kept_where_it_does_not_tell_how_it_talks() {
        let search = found_throttled(3_600_000);
        let answer = b"open, close\r\n> ".to_vec();
        let answer = LineAnswer { baud: BAUDS[0], line_end: "\r", answer };
        // It answered once each time the port was opened.
        assert_eq!((search.talk, search.answers), (None, vec![answer.clone(), answer]));
        assert_eq!(search.lines, 11);
    }

    #[test]
    fn a_connection_that_the_device_ends_is_opened_again() {
        let talk = find_talk("quit", &BAUDS, |_| {
            let is_closed = Rc::new(Cell::new(false));
            let ends = Rc::clone(&is_closed);
            let mut link = FakeLink::new(move |act: &LinkAct| match act {
                LinkAct::Sent(bytes) if bytes.ends_with(b"\n") => {
                    ends.set(true);
                    vec![(1, &b"+OK good bye\r\n"[..])]
                }
                _ => Vec::new(),
            });
            (link.has_baud, link.is_closed) = (false, is_closed);
            Ok(link)
        });
        let talk = talk.expect("the port works").talk.expect("it talks");
        // It takes `\n`, and ends its own lines with `\r\n`.
        assert_eq!((talk.line_end, &*talk.answer), ("\r\n", &b"+OK good bye\r\n"[..]));
    }

    #[test]
    fn a_connection_that_has_ended_meanwhile_is_opened_again_before_bytes_are_sent() {
        let mut link = FakeLink::new(|deed| match deed {
            LinkAct::Reopened => vec![(1, b"hello\n")],
            LinkAct::Sent(_) => vec![(1, b"fine\n")],
            _ => Vec::new(),
        });
        link.is_closed.set(true);
        send_after(&mut link, Duration::ZERO, b"stat\n").expect("a new connection");
        let heard = hear(&mut link, WITHIN).expect("an answer");
        assert_eq!(heard.bytes, b"fine\n");
    }

    #[test]
    fn baud_rate_line_end_echo_and_answer_are_found() {
        let cases: [(_, _, _, &[u8]); 4] = [
            ("help", "\r", Some(Echo::Plain), b"\nopen, close\r\n> "),
            ("*IDN?", "\n", Some(Echo::None), b"ACME,1\n"),
            ("AT", "\r", Some(Echo::None), b"\r\nOK\r\n"),
            ("", "\n", None, b"$ "),
        ];
        for (line, line_end, echo, reply) in cases {
            let has_echo = echo == Some(Echo::Plain);
            let talk = found(line, line_end, has_echo, reply);
            // The line end is repeated, too.
            let answer = [if has_echo { line_end.as_bytes() } else { b"" }, reply].concat();
            let pause = Duration::ZERO;
            let expected = Talk { baud: 9600, line_end, echo, has_escapes: false, answer, pause };
            assert_eq!(talk, Some(expected));
        }
    }

    #[test]
    fn an_echo_that_is_drawn_and_colours_are_found() {
        let reply = b"h\x1b[K\x1b[Dhelp\x1b[K\r\n\x1b[1mopen, close\x1b[m\r\n> ";
        let talk = found("help", "\r", false, reply).expect("it talks");
        assert_eq!((talk.echo, talk.has_escapes), (Some(Echo::Drawn), true));
        assert_eq!(talk.answer, b"open, close\r\n> ");
    }

    #[test]
    fn what_is_no_text_at_any_baud_rate_is_no_talk() {
        assert_eq!(found("help", "\r", false, b"\x01\x03\xff"), None);
        // A device that only repeats what is sent has not answered.
        assert_eq!(found("help", "\r", true, b""), None);
    }

    #[test]
    fn a_port_without_a_baud_rate_is_tried_at_one_and_a_board_may_restart_first() {
        let mut opened = Vec::new();
        let talk = find_talk("help", &BAUDS, |baud| {
            let mut link = FakeLink::new(|_: &LinkAct| Vec::new());
            link.has_baud = false;
            opened.push((baud, link.deeds()));
            Ok(link)
        });
        assert_eq!(talk.expect("the port works").talk, None);
        let first_sent: Vec<_> =
            opened.iter().map(|(baud, deeds)| (*baud, deeds.borrow()[0].0)).collect();
        let [quiet, restart] = [QUIET, RESTART].map(|time| (BAUDS[0], time.as_millis()));
        assert_eq!(first_sent, [quiet, restart]);
    }
}
