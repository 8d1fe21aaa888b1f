//! Devices in memory that talk in several ways.

mod line_ends;

use std::cell::{Cell, RefCell};
use std::io::ErrorKind;
use std::rc::Rc;

use super::super::fake::{FakeLink, LinkAct};
use super::*;
use crate::device::ControlLine;
use crate::serial::{find_unasked, hear};

/// What `send` answers to a complete line at 9600 baud; at others, what is sent and received is
/// garbled.
fn found(line: &str, line_end: &'static str, has_echo: bool, reply: &'static [u8]) -> Option<Talk> {
    let buffered = Rc::new(RefCell::new(Vec::new()));
    find_talk(&[], line, &BAUDS, |baud| {
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
    find_talk(&[], "help", &BAUDS[..1], |_| {
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
    let search = find_talk(&[], "help", &BAUDS[..1], |_| Ok(link.take().expect("opened once")));
    let search = search.expect("the port works");
    // The last two have the other line ends.
    assert_eq!((search.talk.map(|talk| talk.pause), search.lines), (Some(Duration::ZERO), 8));
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
    let talk = find_talk(&[], "quit", &BAUDS, |_| {
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
    collect_and_send(&mut link, Duration::ZERO, b"stat\n").expect("a new connection");
    let heard = hear(&mut link, ANSWER_WITHIN).expect("an answer");
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
        let (has_escapes, others) = (false, Vec::new());
        let expected = Talk { baud: 9600, line_end, echo, has_escapes, answer, pause, others };
        assert_eq!(talk, Some(expected));
    }
}

#[test]
fn an_answer_that_begins_with_the_line_is_no_echo() {
    for answer in [&b"boot: app0\r\n"[..], b"boot = 5\r\n", b"boot app0\r\n"] {
        assert_eq!(without_echo(answer, "boot"), (Echo::None, answer));
    }
    assert_eq!(without_echo(b"V1013\r", "V"), (Echo::None, &b"V1013\r"[..]));
    assert_eq!(without_echo(b"V\r1013\r", "V"), (Echo::Plain, &b"\r1013\r"[..]));
    for rest in [&b"\r\nboot: app0\r\n"[..], b"app0\r\n", b" \r\napp0\r\n", b"> ", b""] {
        assert_eq!(without_echo(&[b"boot", rest].concat(), "boot"), (Echo::Plain, rest));
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
    let talk = find_talk(&[], "help", &BAUDS, |baud| {
        let mut link = FakeLink::new(|_: &LinkAct| Vec::new());
        link.has_baud = false;
        opened.push((baud, link.deeds()));
        Ok(link)
    });
    assert_eq!(talk.expect("the port works").talk, None);
    let first_sent: Vec<_> =
        opened.iter().map(|(baud, deeds)| (*baud, deeds.borrow()[0].0)).collect();
    let [quiet, restart] = [QUIET, RESTART].map(|time| (BAUDS[0], time.as_millis()));
    // In the end, a line without an end.
    assert_eq!(first_sent, [quiet, restart, quiet]);
}

#[test]
fn a_server_that_a_wrong_line_end_jams_is_asked_with_the_next_one_over_a_new_connection() {
    // A lone `\r` waits for its `\n`, for ever.
    let mut is_jammed = false;
    let mut link = FakeLink::new(move |act: &LinkAct| match act {
        LinkAct::Reopened => {
            is_jammed = false;
            Vec::new()
        }
        LinkAct::Sent(bytes) if bytes.ends_with(b"\r\n") && !is_jammed => {
            vec![(1, &b"FOUND 1\r\n"[..])]
        }
        LinkAct::Sent(_) => {
            is_jammed = true;
            Vec::new()
        }
        _ => Vec::new(),
    });
    link.has_baud = false;
    let mut link = Some(link);
    let search = find_talk(&[], "stats", &BAUDS, |_| Ok(link.take().expect("opened once")));
    let talk = search.expect("the port works").talk.expect("it talks");
    assert_eq!((talk.line_end, &*talk.answer), ("\r\n", &b"FOUND 1\r\n"[..]));
}

/// How a server talks that answers `status`. `connected` is told the number of each connection after the first, and may end it,
/// or let all that is sent fail.
fn served(connected: impl Fn(u32, &Cell<bool>, &Cell<Option<ErrorKind>>) + 'static) -> Talk {
    let (is_closed, failing) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(None)));
    let (ends, fails) = (Rc::clone(&is_closed), Rc::clone(&failing));
    let mut connections = 1;
    let mut link = FakeLink::new(move |act: &LinkAct| match act {
        LinkAct::Reopened => {
            connections += 1;
            connected(connections, &ends, &fails);
            Vec::new()
        }
        LinkAct::Sent(bytes) if bytes.len() > 2 => vec![(1, &b"locked\r\n"[..])],
        _ => Vec::new(),
    });
    (link.has_baud, link.is_closed, link.failing) = (false, is_closed, failing);
    let mut link = Some(link);
    let search = find_talk(&[], "status", &BAUDS, |_| Ok(link.take().expect("opened once")));
    search.expect("the port works").talk.expect("it talks")
}

#[test]
fn a_bridge_that_notices_late_that_a_connection_has_ended_is_asked_again() {
    let talk = served(|number, is_closed, _| is_closed.set(number == 2));
    assert_eq!(talk.line_end, "\r\n");
}

#[test]
fn how_a_server_talks_is_known_where_it_takes_no_more_connections() {
    let talk = served(|number, _, failing| {
        failing.set((number > 2).then_some(ErrorKind::BrokenPipe));
    });
    assert_eq!((talk.line_end, &*talk.answer), ("\r", &b"locked\r\n"[..]));
}

#[test]
fn a_server_that_takes_several_line_ends_is_sent_its_own() {
    for (own, answer) in [("\n", &b"success\n"[..]), ("\r\n", b"+OK\r\n"), ("\r", b"ok\r")] {
        let mut link = FakeLink::new(move |act: &LinkAct| match act {
            LinkAct::Sent(bytes) if bytes.len() > 2 => vec![(1, answer)],
            _ => Vec::new(),
        });
        link.has_baud = false;
        let mut link = Some(link);
        let search = find_talk(&[], "hello", &BAUDS, |_| Ok(link.take().expect("opened once")));
        assert_eq!(search.expect("the port works").talk.expect("it talks").line_end, own);
    }
}

/// How a device talks that splits what is sent into lines in its own way.
fn found_at(mut lines: impl FnMut(&mut Vec<u8>) -> &'static [u8]) -> Talk {
    let mut buffered = Vec::new();
    let mut link = Some(FakeLink::new(move |act| match act {
        LinkAct::Sent(bytes) => {
            let mut said = Vec::new();
            for byte in bytes {
                buffered.push(*byte);
                said.push((1, lines(&mut buffered)));
            }
            said.retain(|(_, bytes)| !bytes.is_empty());
            said
        }
        _ => Vec::new(),
    }));
    let search = find_talk(&[], "help", &BAUDS[..1], |_| Ok(link.take().expect("opened once")));
    search.expect("the port works").talk.expect("it talks")
}

/// The other line ends of a talk, and what is answered to them.
fn others(talk: &Talk) -> Vec<(&'static str, &[u8])> {
    talk.others.iter().map(|other| (other.line_end, &*other.answer)).collect()
}

#[test]
fn a_line_end_that_gets_only_an_error_is_not_the_likely_one() {
    // `\n` ends a line, which is an error without `\r` before it.
    let talk = found_at(|buffered| match buffered.ends_with(b"\n") {
        false => b"",
        true => match std::mem::take(buffered).as_slice() {
            b"help\r\n" => b"open, close\r\n",
            _ => b"invalid_param\r\n",
        },
    });
    assert_eq!((talk.line_end, &*talk.answer), ("\r\n", &b"open, close\r\n"[..]));
    assert_eq!(others(&talk), [("\n", &b"invalid_param\r\n"[..])]);
    // `\r` ends a line, and `\n` belongs to the next one.
    let talk = found_at(|buffered| match buffered.ends_with(b"\r") {
        false => b"",
        true => match std::mem::take(buffered).as_slice() {
            b"help\r" => b"open, close\r\n> ",
            b"\r" => b"\r\n> ",
            _ => b"what?\r\n> ",
        },
    });
    assert_eq!((talk.line_end, others(&talk)), ("\r", vec![("\r\n", &b"what?\r\n> "[..])]));
}

/// What is found at a device that takes a line without an end, with what it has `buffered` before. It compares what it has
/// with its commands as soon as it was sent, and forgets it then.
fn found_without_end(
    commands: &'static [(&'static str, &'static [u8])],
    forgets: fn(&[u8]) -> bool,
) -> (TalkSearch, Vec<String>) {
    let sent = Rc::new(RefCell::new(Vec::new()));
    let buffered = Rc::new(RefCell::new(Vec::new()));
    let search = find_talk(&[], "*IDN?", &BAUDS[..2], |baud| {
        let (sent, buffered) = (Rc::clone(&sent), Rc::clone(&buffered));
        Ok(FakeLink::new(move |act: &LinkAct| {
            let LinkAct::Sent(bytes) = act else { return Vec::new() };
            sent.borrow_mut().push(format!("{baud} {}", bytes.escape_ascii()));
            if baud != 9600 {
                return Vec::new();
            }
            let mut buffered = buffered.borrow_mut();
            buffered.extend_from_slice(bytes);
            let fits = |(line, _): &&(&str, &[u8])| line.as_bytes() == &**buffered;
            let answer = commands.iter().find(fits).map(|(_, answer)| *answer);
            if answer.is_some() || forgets(&buffered) {
                buffered.clear();
            }
            answer.map(|answer| (5, answer)).into_iter().collect()
        }))
    });
    let sent = sent.borrow().clone();
    (search.expect("the port works"), sent)
}

#[test]
fn a_line_without_an_end_is_the_last_try() {
    let (search, sent) = found_without_end(&[("*IDN?", b"KORAD KA3005P")], |_| true);
    let talk = search.talk.expect("it talks");
    assert_eq!((talk.line_end, &*talk.answer), ("", &b"KORAD KA3005P"[..]));
    assert_eq!((talk.baud, talk.others, talk.echo), (9600, Vec::new(), Some(Echo::None)));
    // Each baud rate was tried with each line end, and once more for boards that restart.
    let first = sent.iter().position(|sent| sent.ends_with('?')).expect("a line without an end");
    assert_eq!(first, 2 * 2 * LINE_ENDS.len());
    // Nothing is a line at a device that answers another end.
    let (search, sent) =
        found_without_end(&[("*IDN?\r\n", b"ACME 1234\n")], |sent| sent.ends_with(b"\n"));
    assert_eq!(search.talk.expect("it talks").line_end, "\r\n");
    assert!(!sent.iter().any(|sent| sent.ends_with('?')), "{sent:?}");
}

#[test]
fn what_is_left_of_a_line_does_not_spoil_one_without_an_end() {
    // A line end stays in the buffer until the next line.
    let forgets: fn(&[u8]) -> bool = |buffered| buffered.ends_with(b"?") || buffered.len() > 64;
    let (search, _) = found_without_end(&[("*IDN?", b"KORAD KA3005P")], forgets);
    assert_eq!(search.talk.map(|talk| talk.line_end), Some(""));
    // Nor does what is left of this one spoil the next line.
    let (search, sent) = found_without_end(&[], |sent| sent.ends_with(b"\n"));
    assert_eq!((search.talk, &**sent.last().expect("lines")), (None, "9600 \\r\\n"));
}

#[test]
fn a_device_that_takes_two_line_ends_for_two_lines_tells_them_not_apart() {
    let talk = found_at(|buffered| match buffered.ends_with(b"\r") || buffered.ends_with(b"\n") {
        false => b"",
        true => match std::mem::take(buffered).len() {
            1 => b"?\r\n> ",
            _ => b"open, close\r\n> ",
        },
    });
    assert_eq!((talk.line_end, others(&talk)), ("\r", Vec::new()));
    // A number changes from one answer to the next.
    let mut numbers =
        [&b"disk 0xb8e\r\n> "[..], b"disk 0x1f\r\n> ", b"disk 12\r\n> "].into_iter().cycle();
    let talk =
        found_at(move |buffered| match buffered.ends_with(b"\r") || buffered.ends_with(b"\n") {
            false => b"",
            true => match std::mem::take(buffered).len() {
                1 => b"?\r\n> ",
                _ => numbers.next().expect("they go on"),
            },
        });
    assert_eq!((talk.line_end, others(&talk)), ("\r", Vec::new()));
    // An empty line gets the prompt alone after another line, and more after an empty one.
    let mut was_empty = false;
    let talk = found_at(|buffered| match buffered.ends_with(b"\r") || buffered.ends_with(b"\n") {
        false => b"",
        true => {
            let is_empty = std::mem::take(buffered).len() == 1;
            let is_second = std::mem::replace(&mut was_empty, is_empty) && is_empty;
            match (is_empty, is_second) {
                (false, _) => b"open, close\r\n> ",
                (true, false) => b"> ",
                (true, true) => b"?\r\n> ",
            }
        }
    });
    assert_eq!((talk.line_end, others(&talk)), ("\r", Vec::new()));
}

#[test]
fn what_a_device_says_unasked_is_no_answer() {
    let open = |says_unasked: bool| {
        move |baud| {
            let mut link = FakeLink::new(move |act: &LinkAct| match act {
                LinkAct::Sent(bytes) if baud == 9600 && bytes.ends_with(b"\r") => {
                    vec![(9, b"open, close\r\n")]
                }
                _ => Vec::new(),
            });
            for second in (0..30).filter(|_| says_unasked) {
                let said: [&[u8]; 2] = match baud {
                    9600 => [b"$GPGGA,1,A,", b"0*4D\r\n$GPVTG,0*32\r\n"],
                    _ => [b"\xf8\x00>x", b"\x80\xfe\x00"],
                };
                link.say(second * 1000 + 290, said[0]);
                link.say(second * 1000 + 310, said[1]);
                if baud == 9600 {
                    link.say(second * 1000 + 320, b"$GPGGA,,B,7*4E\r\n");
                }
            }
            Ok(link)
        }
    };
    let unasked = find_unasked(&BAUDS[..2], open(true)).expect("the port works");
    let patterns: Vec<_> = unasked.iter().map(|kind| &*kind.pattern).collect();
    let vtg = r"\$GPVTG,\d+\*[0-9A-Fa-f]+\r?\n";
    assert_eq!(patterns, [r"\$GPGGA[^\r\n]*\r?\n", vtg]);
    assert_eq!(find_unasked(&BAUDS, open(false)).expect("the port works"), []);
    let noisy = find_talk(&unasked, "help", &BAUDS[..2], open(true));
    let quiet = find_talk(&[], "help", &BAUDS[..2], open(false)).expect("the port works");
    let TalkSearch { talk, answers, .. } = noisy.expect("the port works");
    assert_eq!(talk, quiet.talk);
    assert!(!answers.is_empty() && answers.iter().all(|it| it.answer == b"open, close\r\n"));
}

#[test]
fn a_greeting_is_not_said_unasked() {
    let unasked = find_unasked(&BAUDS[..1], |_| {
        let mut link = FakeLink::new(|_: &LinkAct| Vec::new());
        link.say(100, b"boot 1\r\nboot 2\r\n");
        link.say(700, b"ready\r\n");
        Ok(link)
    });
    assert_eq!(unasked.expect("the port works"), []);
}
