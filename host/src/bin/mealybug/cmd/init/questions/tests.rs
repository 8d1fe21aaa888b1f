//! Drafts from answers that a person types, with no device at the port or with one that lives in memory.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use mealybug::device::{ControlLine, DeviceFile, ReplyLength};
use mealybug::draft::{Ends, OwnEnd, ResetDraft};

use super::*;

mod echoes;
mod frames;
mod inputs;
mod late_starts;
mod lines;
mod prompts;
mod resets;

/// The draft that these lines make, and what was shown.
fn asked(answers: &str) -> Result<(Draft, String)> {
    asked_with(None, answers)
}

/// The same with a port that is given.
fn asked_with(given: Option<GivenPort>, answers: &str) -> Result<(Draft, String)> {
    let mut shown = Vec::new();
    let mut answers = answers.as_bytes();
    let open = |port: &str, _| Err(OpenError::Missing { path: port.to_owned() });
    let draft = Questions::new(&mut answers, &mut shown, &open, given).ask()?;
    Ok((draft, String::from_utf8(shown).expect("text")))
}

/// What a device says to what it is sent at a time, and whether it ends the connection then. What stands behind [`PAUSE`] comes
/// later.
type VirtualReply = (&'static [u8], bool);

/// A pause of [`PAUSE_TIME`] in what a device says.
const PAUSE: u8 = 0x1f;
const PAUSE_TIME: Duration = Duration::from_millis(400);
/// At the beginning of what a device says: what was still to come does not come any more.
const BREAK_OFF: u8 = 0x1e;

type VirtualReaction = dyn FnMut(Duration, &[u8]) -> VirtualReply + Send;

/// A device in memory, whose clock runs only while somebody waits for it.
struct VirtualDevice {
    now: Duration,
    has_baud: bool,
    react: Box<VirtualReaction>,
    coming: Vec<u8>,
    is_closed: bool,
    /// How many connections there were; shared with the test.
    connections: Arc<AtomicU32>,
}

impl VirtualDevice {
    fn new(
        has_baud: bool,
        react: impl FnMut(Duration, &[u8]) -> VirtualReply + Send + 'static,
    ) -> Self {
        Self {
            now: Duration::ZERO,
            has_baud,
            react: Box::new(react),
            coming: Vec::new(),
            is_closed: false,
            connections: Arc::default(),
        }
    }
}

/// A connection to it. All of them lead to the same one.
struct VirtualLink(Arc<Mutex<VirtualDevice>>);

impl VirtualLink {
    fn device(&self) -> MutexGuard<'_, VirtualDevice> {
        self.0.lock().expect("no test has failed")
    }
}

impl TimedLink for VirtualLink {
    fn now(&self) -> Duration {
        self.device().now
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        let mut device = self.device();
        if device.coming.is_empty() {
            if device.is_closed {
                return Err(ErrorKind::BrokenPipe.into());
            }
            device.now = device.now.max(until);
        }
        while device.coming.first() == Some(&PAUSE) {
            let end = device.now + PAUSE_TIME;
            if until < end {
                device.now = device.now.max(until);
                return Ok(0);
            }
            device.now = end;
            device.coming.remove(0);
        }
        let ready = device.coming.iter().position(|byte| *byte == PAUSE);
        let count = ready.unwrap_or(device.coming.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&device.coming[..count]);
        device.coming.drain(..count);
        Ok(count)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut device = self.device();
        if device.is_closed {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let now = device.now;
        let (said, ends) = (device.react)(now, bytes);
        if said.first() == Some(&BREAK_OFF) {
            device.coming.clear();
        }
        device.coming.extend(said.iter().filter(|byte| **byte != BREAK_OFF));
        device.is_closed = ends;
        Ok(())
    }

    fn set(&mut self, _: ControlLine, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_received()
    }

    fn clear_received(&mut self) -> io::Result<()> {
        self.device().coming.clear();
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        let mut device = self.device();
        device.is_closed = false;
        device.connections.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn has_baud(&self) -> bool {
        self.device().has_baud
    }
}

/// The draft that these lines make with this device at every port, and what was shown.
fn asked_at(
    has_baud: bool,
    react: impl FnMut(Duration, &[u8]) -> VirtualReply + Send + 'static,
    answers: &str,
) -> (Draft, String) {
    asked_of(VirtualDevice::new(has_baud, react), answers)
}

/// The same at a serial port, with lines of this many columns at most.
fn asked_in_columns(
    columns: usize,
    react: impl FnMut(Duration, &[u8]) -> VirtualReply + Send + 'static,
    answers: &str,
) -> (Draft, String) {
    asked_of_in_columns(VirtualDevice::new(true, react), columns, answers)
}

/// The same of this device.
fn asked_of(device: VirtualDevice, answers: &str) -> (Draft, String) {
    asked_of_in_columns(device, usize::MAX, answers)
}

fn asked_of_in_columns(device: VirtualDevice, columns: usize, answers: &str) -> (Draft, String) {
    let device = Arc::new(Mutex::new(device));
    let open = |_: &str, _| {
        let mut link = VirtualLink(Arc::clone(&device));
        link.reopen()?;
        Ok(Box::new(link) as Box<dyn TimedLink + Send>)
    };
    let (mut answers, mut shown) = (answers.as_bytes(), Vec::new());
    let questions = Questions::new(&mut answers, &mut shown, &open, None);
    let draft = questions.in_columns(columns).ask().expect("a draft");
    (draft, String::from_utf8(shown).expect("text"))
}

#[test]
fn a_console_whose_port_is_not_there_is_described_by_answers() {
    let answers = "1\n/dev/ttyX\n\n9600\nready> \n\n\n\nboot\n\n\nhelp\n open = open 1234, 5\n\n";
    let (draft, _) = asked(answers).expect("a draft");
    let expected = Draft {
        ends: Ends::Prompts(vec!["ready> ".into()]),
        port: Some("/dev/ttyX".to_owned()),
        baud: Some(9600),
        pause_ms: 0,
        echo: Echo::Plain,
        has_escapes: false,
        is_hex: false,
        unasked: Vec::new(),
        names_prompt: false,
        reset: vec![(ResetDraft::Send(b"boot\r".to_vec()), b"ready> ".to_vec().into())],
        inputs: vec![
            ("help".to_owned(), b"help\r".to_vec()),
            ("open".to_owned(), b"open 1234, 5\r".to_vec()),
        ],
        closing: Vec::new(),
        own_ends: Vec::new(),
        shorter_within: None,
        checksum: None,
    };
    assert_eq!(draft, expected);
}

#[test]
fn a_control_character_alone_is_sent_without_a_line_end() {
    let answers = "1\n\n\n\n\n\n\n\\x03\n\n\nstop=\\x04\nboth=\\x03stop\npin=1234\\c\n-\n";
    let (draft, _) = asked(answers).expect("a draft");
    assert_eq!(draft.reset[0].0, ResetDraft::Send(b"\x03".to_vec()));
    assert_eq!(draft.inputs[0].1, b"\x04");
    assert_eq!(draft.inputs[1].1, b"\x03stop\r");
    assert_eq!(draft.inputs[2].1, b"1234");
}

#[test]
fn a_line_may_have_no_end_but_not_be_empty() {
    let (draft, shown) =
        asked("1\n\n\n\n\n-\n\nreset\n-\n\n\\c\nstop=\nhelp\n\n").expect("a draft");
    assert_eq!(draft.reset, [(ResetDraft::Send(b"reset".to_vec()), Vec::new().into())]);
    assert_eq!(draft.inputs, [("help".to_owned(), b"help".to_vec())]);
    for refused in ["`\\c`", "`stop=`"] {
        let said = format!("{refused} is not accepted. Enter something to send.");
        assert!(shown.contains(&said), "`{said}` is not in:\n{shown}");
    }
}

#[test]
fn a_given_port_that_is_not_there_stays_given_until_the_person_keeps_it() {
    let given = GivenPort { port: "/dev/ttyX".to_owned(), source: "--port" };
    let answers = "1\n<\n4\n\n\n8\n!power cycle\n06 ff\n\nread=01 03 00\n\ncrc16-modbus\n";
    let (draft, shown) = asked_with(Some(given), answers).expect("a draft");
    assert_eq!(
        (draft.port.as_deref(), draft.ends),
        (Some("/dev/ttyX"), Ends::Length(ReplyLength::Fixed(8)))
    );
    assert_eq!(shown.matches("The port is /dev/ttyX, as --port says.").count(), 2, "{shown}");
}

#[test]
fn what_makes_no_sense_is_asked_again() {
    let answers = "6\n5\n\nfast\n9600\n0\n\nxx\ndtr\n\n\na=7\n=7f\na=7f\na=00\nb=00\n\n\n";
    let (draft, shown) = asked(answers).expect("a draft");
    assert_eq!(draft.inputs, [("a".to_owned(), vec![0x7f]), ("b".to_owned(), vec![0])]);
    for said in [
        "`6` is not accepted. Enter a number from 1 to 5",
        "`fast` is not accepted",
        "`xx` is not accepted. Enter pairs",
        "`a=7` is not accepted. Enter pairs",
        "Enter a name that can be seen",
        "`a=00` is not accepted. Enter another name than those before",
    ] {
        assert!(shown.contains(said), "`{said}` is not in:\n{shown}");
    }
    let error = asked("1\n").expect_err("the answers end");
    assert!(error.to_string().contains("not answered to the end"), "{error}");
}

#[test]
fn several_prompts_and_a_reset_without_an_answer_can_be_said() {
    let answers = "1\n\n\n> \nconfig# \n\n\n\n\nboot\n-\n\nhelp\n\n";
    let (draft, shown) = asked(answers).expect("a draft");
    assert!(draft.names_prompt && shown.contains("such as `ok config#`, where"), "{shown}");
    assert_eq!(draft.ends, Ends::Prompts(["> ", "config# "].map(DevicePrompt::from).to_vec()));
    assert_eq!(draft.reset, [(ResetDraft::Send(b"boot\r".to_vec()), Vec::new().into())]);
}

#[test]
fn a_reset_may_have_several_steps_and_a_tcp_port_has_neither_baud_rate_nor_dtr() {
    let answers =
        "4\ntcp:127.0.0.1:1\n\n\ndtr\n18\n06\n!power cycle\n-\nreconnect\n-\n\na=01\n\n\n";
    let (draft, shown) = asked(answers).expect("a draft");
    assert_eq!(draft.baud, None);
    let [send, run] = [ResetDraft::Send(vec![0x18]), ResetDraft::Run("power cycle".to_owned())];
    let connect = ResetDraft::Reconnect;
    assert_eq!(
        draft.reset,
        [(send, vec![6].into()), (run, Vec::new().into()), (connect, Vec::new().into())]
    );
    assert!(!shown.contains("Baud") && !shown.contains("DTR"), "{shown}");
    assert!(shown.contains("`dtr` is not accepted"), "{shown}");
}

#[test]
fn the_last_step_and_the_last_input_can_be_taken_back() {
    let answers =
        "1\n\n\n> \n\n\n\nbot\n-\n<\nboot\n-\nerase\n-\nstop\n<\n<\n\nhelp\n<\nhelp\nopen\n<\n\n";
    let (draft, shown) = asked(answers).expect("a draft");
    assert_eq!(draft.reset, [(ResetDraft::Send(b"boot\r".to_vec()), Vec::new().into())]);
    assert_eq!(draft.inputs, [("help".to_owned(), b"help\r".to_vec())]);
    let taken: Vec<_> = shown.lines().filter_map(|line| line.split_once("Taken back: ")).collect();
    let taken: Vec<_> = taken.into_iter().map(|(_, what)| what).collect();
    // `stop` was taken back before its answer.
    let expected = ["bot", "stop", "erase"].map(|step| format!("step `{step}`."));
    assert_eq!(taken[..3], expected);
    assert_eq!(taken[3..], ["input `help`.", "input `open`."]);
}

#[test]
fn what_is_taken_back_goes_over_the_borders_of_the_lists() {
    let answers = "1\n/dev/ttyX\n\n9600\n> \n$ \n\ny\n\n\nboot\n-\n\nhelp\n";
    let back = "<\n".repeat(12);
    let again = "2\n/dev/ttyY\n\n19200\n\n\nreset\n-\n\nread\n\n";
    let (draft, shown) = asked(&format!("{answers}{back}<\n{again}")).expect("a draft");
    let taken = [
        "input `help`",
        "no other step",
        "step `boot`",
        "echo `y`",
        "line end `\\r`",
        "prompts in outputs `y`",
        "no other prompt",
        "prompt `$ `",
        "prompt `> `",
        "baud rate `9600`",
        "port `/dev/ttyX`",
        "kind `1`",
    ];
    let said: Vec<_> = shown.split("Taken back: ").skip(1).collect();
    assert_eq!(said.len(), taken.len(), "{shown}");
    for (said, taken) in said.iter().zip(taken) {
        assert!(said.starts_with(&format!("{taken}.\n")), "{taken}: {said}");
    }
    assert_eq!(shown.matches("There is no answer to take back").count(), 1, "{shown}");
    let expected = asked(again).expect("the same draft").0;
    assert_eq!(draft, expected);
    assert_eq!((draft.port.as_deref(), draft.baud), (Some("/dev/ttyY"), Some(19200)));
}

#[test]
fn a_port_that_cannot_be_opened_is_asked_for_again() {
    let rest = "9600\n> \n\n\n\nboot\n\n\nhelp\n\n";
    let ported = |ports: &str| {
        let (draft, shown) = asked(&format!("1\n{ports}{rest}")).expect("a draft");
        assert!(shown.contains("That did not work: there is no port /dev/ttyX"), "{shown}");
        assert!(shown.contains("is the device plugged in"), "{shown}");
        draft.port
    };
    // Enter keeps it, another one may not be there either, and it may be left open.
    assert_eq!(ported("/dev/ttyX\n\n").as_deref(), Some("/dev/ttyX"));
    assert_eq!(ported("/dev/ttyX\n/dev/ttyY\n/dev/ttyY\n").as_deref(), Some("/dev/ttyY"));
    assert_eq!(ported("/dev/ttyX\n-\n"), None);
}

#[test]
fn a_text_that_did_not_come_after_the_reset_is_asked_for_again() {
    let ready = |answers: &[u8], heard: &[u8]| {
        let (mut answers, mut shown) = (answers, Vec::new());
        let open = |port: &str, _| Err(OpenError::Missing { path: port.to_owned() });
        let mut questions = Questions::new(&mut answers, &mut shown, &open, None);
        let step = ResetDraft::Send(b"boot\r".to_vec());
        let ready = questions.ready(&step, Some(heard), None, false).expect("an answer").pattern();
        let shown = String::from_utf8(shown).expect("text");
        (ready, shown.matches("that waits for it would fail").count())
    };
    let heard = b"^C\r\n?\r\n* ";
    let pattern = |pattern: &str, times| (pattern.to_owned(), times);
    assert_eq!(ready(b"\n", heard), pattern(r"\* $", 0));
    assert_eq!(ready(b"-\n", heard), pattern("$", 0));
    assert_eq!(ready(b"boot\n* \n", heard), pattern(r"\* $", 1));
    assert_eq!(ready(b"boot\nboot2\nboot2\n", heard), pattern("boot2", 2));
    assert_eq!(ready(b"boot\n\n", b""), pattern("$", 1));
    // A part of what came, and patterns: one that fits, one that does not, and one that is none.
    let greeting = b"OK Pleased to meet you, process 22695\n";
    assert_eq!(ready(b"OK Pleased\n", greeting), pattern("OK Pleased", 0));
    assert_eq!(ready(b"/process [0-9]+\\n$/\n", greeting), pattern(r"process [0-9]+\n$", 0));
    assert_eq!(ready(b"/^process/\nOK\n", greeting), pattern("OK", 1));
    assert_eq!(ready(b"/(/\nOK\n", greeting), pattern("OK", 0));
}

#[test]
fn a_device_that_needs_a_pause_is_found_out() {
    let mut last = None;
    let react = move |now: Duration, _: &[u8]| {
        let is_early = last.is_some_and(|last| now < last + Duration::from_millis(800));
        last = Some(now);
        (if is_early { &b""[..] } else { b"what?\r\n> " }, false)
    };
    // Kind, port, harmless line, prompt, no other, reset, ready, no other step, inputs.
    let (draft, shown) = asked_at(true, react, "1\nx\n\n\n\nboot\n\n\nhelp\n\n");
    assert!(shown.contains("It needs a pause of 1000 ms before each line"), "{shown}");
    assert_eq!(draft.pause_ms, 1000);
    // The reset was tried after a pause, too.
    assert!(shown.contains("Then came `what?"), "{shown}");
    let text = draft.text("lock.toml");
    let device = DeviceFile::parse("lock.toml".as_ref(), &text).expect("a device file");
    assert_eq!(device.inputs[0].reply.settle, Duration::from_secs(1));
}

#[test]
fn the_text_of_a_start_may_come_in_pieces() {
    let react = |_, sent: &[u8]| {
        let boots = sent == b"AT+RST\r";
        (if boots { &b"OK\r\n\x1fboot: 3\r\n\x1fready\r\n"[..] } else { b"OK\r\n" }, false)
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let answers = |ready| format!("2\nx\n\nAT+RST\n{ready}\n\nhelp\n\n");
    for (ready, expected) in [("", "ready\r\n"), ("ready", "ready"), ("set\nset", "set")] {
        let (draft, shown) = asked_at(true, react, &answers(ready));
        let came = "Then came\n    at once: `OK\\r\\n`\n    after 0.6 s: `boot: 3\\r\\n`\n    after 1.1 s: `ready\\r\\n`\n";
        assert!(shown.contains(came), "{shown}");
        let [(_, ready)] = &draft.reset[..] else { panic!("{shown}") };
        let is_end = expected.ends_with('\n');
        let text = ready.pattern();
        assert!(text.starts_with(expected.trim_end()) && text.ends_with('$') == is_end, "{text}");
    }
}

#[test]
fn a_start_that_begins_a_while_after_the_answer_is_heard() {
    let react = |_, sent: &[u8]| {
        let boots = sent == b"AT+CFUN=1,1\r";
        let said = &b"OK\r\n\x1f\x1f\x1f\x1f\x1f\x1fRDY\r\n"[..];
        (if boots { said } else { b"OK\r\n" }, false)
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let (draft, shown) = asked_at(true, react, "2\nx\n\nAT+CFUN=1,1\n\n\nhelp\n\n");
    assert!(shown.contains("at once: `OK\\r\\n`\n    after 2.5 s: `RDY\\r\\n`\n"), "{shown}");
    assert_eq!(draft.reset[0].1.pattern(), r"RDY\r\n$", "{shown}");
}

#[test]
fn a_greeting_with_a_number_that_changes_is_any_number() {
    let mut process = 22_694;
    let react = move |_, sent: &[u8]| {
        process += u32::from(sent == b"boot\n");
        let greeting = format!("OK Pleased to meet you, process {process}\n");
        let said: &[u8] = if sent == b"boot\n" { greeting.leak().as_bytes() } else { b"OK\n" };
        (said, false)
    };
    // Kind, port, harmless line, reset, ready, no other step, the first input, no other.
    let (draft, shown) = asked_at(false, react, "2\ntcp:desk:1\nNOP\nboot\n\n\n\n\n");
    assert!(!shown.contains("only once"), "{shown}");
    let said = "came other numbers: `OK Pleased to meet you, process 22696\\n`. The reset waits for `OK Pleased to meet you, process \\d+\\n$`";
    assert!(shown.contains(said), "{shown}");
    let expect = r"expect = { match = 'OK Pleased to meet you, process \d+\n$', within_ms = 5000 }";
    assert!(draft.text("gpg.toml").contains(expect), "{shown}");
    // Enter stood for the harmless line. It ends as the device's own lines do.
    assert_eq!(draft.inputs, [("NOP".to_owned(), b"NOP\n".to_vec())]);
}

#[test]
fn a_device_that_answered_only_once_is_not_called_silent() {
    let mut has_answered = false;
    let react = move |_, sent: &[u8]| {
        let answers = sent == b"help\n" && !has_answered;
        has_answered |= answers;
        (if answers { &b"what?\r\n$ "[..] } else { b"" }, false)
    };
    // Kind, port, harmless line, baud rate, prompt, no other, line end, echo, pause, reset, ready, no other step, inputs.
    let answers = "1\nx\n\n\n\n\n\nn\n5000\nboot\n-\n\nhelp\n\n";
    let (draft, shown) = asked_at(true, react, answers);
    for part in [
        "The device answered 1 of 37 lines, but no way of asking twice:",
        "    `help\\n` at 115200 baud: `what?\\r\\n$ `",
        "Another line end (\\r, \\n, \\r\\n) or a longer pause",
    ] {
        assert!(shown.contains(part), "`{part}` is not in:\n{shown}");
    }
    assert!(!shown.contains("No readable answer"), "{shown}");
    // What it said once is proposed.
    assert_eq!(draft.ends, Ends::Prompts(vec!["$ ".into()]));
    assert_eq!(draft.inputs, [("help".to_owned(), b"help\n".to_vec())]);
    assert_eq!(draft.pause_ms, 5000);
}

#[test]
fn a_reply_of_several_lines_is_its_own_where_the_file_says_one() {
    let react = |_, sent: &[u8]| match sent {
        b"list\r\n" => (&b"BEGIN LIST UPS\r\nUPS one\r\nEND LIST UPS\r\n"[..], false),
        b"scan\r\n" => (&b"one\r\ntwo\r\n"[..], false),
        b"get\r\n" => (&b"VALUE k 0 5\r\nhello\r\nEND\r\n"[..], false),
        _ => (&b"OK\r\n"[..], false),
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    for (inputs, own, is_varying) in [
        ("set\nget", "reply = { lines = 3 }", true),
        ("set\nlist", "reply = { last_line = 'END LIST UPS' }", false),
        ("set\nscan\nlist", "reply = { last_line = 'END LIST UPS' }", true),
    ] {
        let answers = format!("2\ntcp:desk:1\nversion\n\n\n\n{inputs}\n\n");
        let (draft, shown) = asked_at(false, react, &answers);
        assert_eq!(shown.matches(&format!(": `{own}`\n")).count(), 1, "{shown}");
        let varies = "Where the number of lines may vary, use `last_line`";
        assert_eq!(shown.contains(varies), is_varying, "{shown}");
        let text = draft.text("cache.toml");
        assert!(text.contains(&format!(r#"t\r\n", {own} }}"#)), "{text}");
        let device = DeviceFile::parse(Path::new("cache.toml"), &text).expect("a device file");
        let [set, others @ ..] = &device.inputs[..] else { panic!("{text}") };
        assert_eq!(set.reply.lines, Some(1));
        assert_eq!(others.iter().any(|other| other.reply.lines.is_some()), is_varying);
    }
}

#[test]
fn replies_whose_last_line_tells_their_end_end_with_it() {
    let react = |_, sent: &[u8]| match sent {
        b"status\r\n" => (&b"volume: 5\r\nstate: stop\r\nOK\r\n"[..], false),
        b"fly\r\n" => (&b"ACK unknown command\r\n"[..], false),
        _ => (&b"OK\r\n"[..], false),
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let (draft, shown) = asked_at(false, react, "2\ntcp:desk:1\nping\n\n\n\nstatus\nplay\nfly\n\n");
    assert_eq!(draft.ends, Ends::LastLine("ACK( .*)?|OK".to_owned()));
    assert!(shown.contains("A reply ends with a line that fits `ACK( .*)?|OK`"), "{shown}");
    let text = draft.text("player.toml");
    let device = DeviceFile::parse(Path::new("player.toml"), &text).expect("a device file");
    let rule = &device.inputs[0].reply;
    assert!(rule.lines.is_none() && rule.last_line.is_some(), "{text}");
}

#[test]
fn an_input_that_ends_the_connection_is_noticed_and_said() {
    let react = |_, sent: &[u8]| match sent {
        b"QUIT\r\n" => (&b"+OK bye\r\n"[..], true),
        _ => (&b"+OK\r\n"[..], false),
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs; the first `quit` is another one.
    let answers =
        "2\ntcp:desk:110\nNOOP\n\n\n\nquit=QUIT\n<\nquit=NOOP\nend=QUIT\nleave=QUIT\nstat=STAT\n\n";
    let (draft, shown) = asked_at(false, react, answers);
    assert_eq!(draft.closing, ["end"]);
    let refused =
        "`leave=QUIT` is not accepted. Enter something else to send than the inputs before.";
    assert!(shown.contains(refused), "{shown}");
    assert_eq!(shown.matches("It ended the connection").count(), 2, "{shown}");
    // What follows is asked over a new connection.
    assert!(shown.contains("Then came `+OK\\r\\n`\nAnother input [-]: The reset"), "{shown}");
    let text = draft.text("pop.toml");
    assert!(
        text.contains("end = { text = \"QUIT\\r\\n\", reply = { closed = \"(closed)\" } }"),
        "{text}"
    );
    // At a serial port no input is sent before its time.
    let answers = "2\nx\nNOOP\nreset\n\n\nend=QUIT\n\n";
    let (draft, shown) = asked_at(true, react, answers);
    assert!(draft.closing.is_empty() && !shown.contains("is sent once"), "{shown}");
}

#[test]
fn a_command_of_the_reset_is_run_and_only_what_the_device_says_is_to_be_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("runs");
    let react = |_, _: &[u8]| (&b"what?\r\n> "[..], false);
    // Kind, port, harmless line, prompt, no other, reset, ready, no other step, inputs.
    let answers = format!("1\nx\n\n\n\n!echo >> {}\n\n\n\n\n", file.display());
    let (draft, shown) = asked_at(true, react, &answers);
    assert!(shown.contains("Nothing came within 3 s"), "{shown}");
    assert!(draft.reset[0].1.is_empty(), "{shown}");
    // Once as a step, and once with the whole reset.
    assert_eq!(std::fs::read_to_string(file).expect("the command was run"), "\n\n");
    let (draft, shown) = asked_at(true, react, "1\nx\n\n\n\n!echo no relay >&2; false\n\n\n\n\n");
    assert!(shown.contains("exit status: 1: no relay. A reset with it would fail."), "{shown}");
    assert!(draft.reset[0].1.is_empty(), "{shown}");
}

#[test]
fn after_steps_are_taken_back_the_remaining_ones_are_taken_again() {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&sent);
    let react = move |_, sent: &[u8]| {
        log.lock().expect("no test has failed").push(sent.escape_ascii().to_string());
        (&b"OK\n"[..], false)
    };
    // Kind, port, no harmless line, baud rate, line end, echo; steps and what comes; two are taken back; inputs.
    let steps = "boot\n\nuser\n\npass\n\n<\n<\nguest\n\n\nhelp\n\n";
    let (_, shown) = asked_at(true, react, &format!("2\nx\n-\n\n\n\n{steps}"));
    let sent = sent.lock().expect("no test has failed").join(" ");
    let expected = "boot user pass boot guest boot guest".replace(' ', "\\n ") + "\\n";
    assert_eq!(sent, expected, "{shown}");
    assert!(shown.contains("The steps before it are taken again first: `boot`\n"), "{shown}");
}

#[test]
fn the_prompt_after_a_key_alone_is_not_offered_as_what_to_wait_for() {
    let react = |_, sent: &[u8]| match sent {
        b"\x03" => (&b"^C\r\n# "[..], false),
        _ => (&b"what?\r\n# "[..], false),
    };
    // Kind, port, harmless line, prompt, no other, steps and what comes, no other step, inputs.
    let (draft, shown) = asked_at(true, react, "1\nx\n\n\n\n\\x03\n\nend\n\n\n\n\n");
    let ready: Vec<_> = draft.reset.iter().map(|(_, ready)| ready.pattern()).collect();
    assert_eq!(ready, ["$", r"what\?\r\n# $"], "{shown}");
}
