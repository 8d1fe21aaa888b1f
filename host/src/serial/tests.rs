//! The device behind a fake line: what is done to it and when, and how its words are judged.

mod advice;
mod closed;
mod garbled;
mod late;
mod reconnect;
mod steps;
mod unfinished;

use std::io::ErrorKind;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use mealybug_core::{Input, Sul};

use super::fake::{FakeLink, LinkAct, Reaction};
use super::{LinkError, OpenError, Passed, SerialSul, TimedLink, Traced};
use crate::device::{ControlLine, DeviceFile};

const RESET: &str = "[[reset]]\nsteps = [{ send = \"reset\\r\" }]\nquiet_ms = 0\n";

fn device(text: &str) -> DeviceFile {
    DeviceFile::parse(Path::new("lock.toml"), text).expect("a device file")
}

/// A device with this file, and the usual reset.
fn sul<'d>(text: &str, react: impl FnMut(&LinkAct) -> Reaction + 'd) -> SerialSul<FakeLink<'d>> {
    SerialSul::new(FakeLink::new(react), device(&format!("{RESET}{text}"))).expect("a device")
}

/// Answers these bytes with this reaction, and nothing else.
fn answer(to: &'static str, reaction: Reaction) -> impl FnMut(&LinkAct) -> Reaction {
    answers([(to.as_bytes(), reaction)])
}

/// Answers each of these bytes with its reaction, and nothing else.
fn answers<const N: usize>(
    all: [(&'static [u8], Reaction); N],
) -> impl FnMut(&LinkAct) -> Reaction {
    move |deed| {
        let known = all.iter().find(|(to, _)| *deed == LinkAct::Sent(to.to_vec()));
        known.map_or_else(Vec::new, |(_, reaction)| reaction.clone())
    }
}

fn step<L: TimedLink>(sul: &mut SerialSul<L>, input: u32) -> Result<String, LinkError> {
    let output = sul.step(Input::new(input))?;
    Ok(String::from_utf8(output.to_vec()).expect("outputs are text"))
}

/// The outputs of a word from a reset on.
fn word(sul: &mut SerialSul<FakeLink<'_>>, inputs: &[u32]) -> Vec<String> {
    sul.reset().expect("a reset");
    inputs.iter().map(|input| step(sul, *input).expect("an output")).collect()
}

fn reconnections(sul: &SerialSul<FakeLink<'_>>) -> usize {
    sul.link().deeds().borrow().iter().filter(|(_, deed)| *deed == LinkAct::Reopened).count()
}

#[test]
fn an_input_is_sent_and_its_reply_named() {
    let text = "[reply]\nlines = 1\n[[output]]\nmatch = '^ERR (.*)\\n'\nname = \"error $1\"\n\
                [inputs]\na = \"a\\r\"\nb = \"b\\r\"";
    let mut sul = sul(text, |deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"a\r" => vec![(3, b"ERR"), (5, b" 7\n")],
        LinkAct::Sent(bytes) if bytes == b"b\r" => vec![(2, b"\xff\n")],
        _ => Vec::new(),
    });
    sul.reset().expect("a reset");
    assert_eq!(step(&mut sul, 0).expect("an output"), "error 7");
    assert_eq!(step(&mut sul, 1).expect("an output"), r"\xff\n");
    let spent = &sul.statistics().inputs;
    assert_eq!((spent[0].count, spent[0].total), (1, Duration::from_millis(5)));
    assert_eq!((spent[1].count, spent[1].longest), (1, Duration::from_millis(2)));
    assert_eq!(sul.statistics().resets[0].count, 1);
}

#[test]
fn silence_is_an_output_and_takes_the_patience_of_the_input() {
    let text = "[reply]\nlines = 1\nwithin_ms = 30\nsilent = \"-\"\n[inputs]\na = \"a\"\n\
                b = { text = \"b\", reply = { within_ms = 7 } }";
    let mut sul = sul(text, |_| Vec::new());
    assert_eq!(step(&mut sul, 0).expect("an output"), "-");
    assert_eq!(step(&mut sul, 1).expect("an output"), "-");
    let totals: Vec<_> = sul.statistics().inputs.iter().map(|spent| spent.total).collect();
    assert_eq!(totals, [30, 7].map(Duration::from_millis));
}

#[test]
fn waiting_sends_nothing_and_hears_what_comes() {
    let text = "[reply]\nlines = 1\n[inputs]\na = \"a\"\nwait = { wait_ms = 500 }";
    let mut sul = sul(text, answer("a", vec![(1, b"ok\n"), (400, b"NAK\nNAK\n")]));
    let deeds = sul.link().deeds();
    assert_eq!(step(&mut sul, 0).expect("an output"), r"ok\n");
    assert_eq!(step(&mut sul, 1).expect("an output"), r"NAK\nNAK\n");
    assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");
    assert_eq!(*deeds.borrow(), [(0, LinkAct::Sent(b"a".to_vec()))]);
    assert_eq!(sul.statistics().inputs[1].total, Duration::from_secs(1));
}

#[test]
fn a_line_is_an_input_and_may_be_a_pulse() {
    let text = "[port]\ndtr = true\n[reply]\nlines = 1\n[inputs]\n\
                boot = { dtr = false, rts = true, ms = 20 }\nstay = { dtr = false }";
    let mut sul = sul(text, |deed| match deed {
        LinkAct::Set(ControlLine::Dtr, false) => vec![(5, b"down\n")],
        _ => Vec::new(),
    });
    let deeds = sul.link().deeds();
    assert_eq!(step(&mut sul, 0).expect("an output"), r"down\n");
    assert_eq!(step(&mut sul, 1).expect("an output"), r"down\n");
    assert_eq!(
        *deeds.borrow(),
        [
            (0, LinkAct::Set(ControlLine::Dtr, true)),
            (0, LinkAct::Set(ControlLine::Dtr, false)),
            (0, LinkAct::Set(ControlLine::Rts, true)),
            (20, LinkAct::Set(ControlLine::Dtr, true)),
            (20, LinkAct::Set(ControlLine::Rts, false)),
            (20, LinkAct::Set(ControlLine::Dtr, false)),
        ]
    );
}

#[test]
fn a_port_without_lines_is_worth_one_warning() {
    let text = format!("[port]\ndtr = true\n{RESET}[inputs]\na = {{ dtr = false, ms = 1 }}");
    let mut link = FakeLink::new(|_: &LinkAct| Vec::new());
    link.has_lines = false;
    let mut sul = SerialSul::new(link, device(&text)).expect("a device");
    assert_eq!(step(&mut sul, 0).expect("an output"), "(silence)");
    assert_eq!(sul.warnings(), ["this port has no DTR: setting it does nothing"]);
}

#[test]
fn bytes_are_sent_one_by_one_when_the_device_is_slow() {
    let text =
        "[port]\nchar_delay_ms = 10\n[reply]\necho = true\nlines = 1\n[inputs]\na = \"ab\\r\"";
    let mut sul = sul(text, |deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"a" => vec![(2, b"a")],
        LinkAct::Sent(bytes) if bytes == b"b" => vec![(2, b"b")],
        LinkAct::Sent(bytes) if bytes == b"\r" => vec![(2, b"\r\n"), (12, b"ok\n")],
        _ => Vec::new(),
    });
    let deeds = sul.link().deeds();
    assert_eq!(step(&mut sul, 0).expect("an output"), r"ok\n");
    let times: Vec<_> = deeds.borrow().iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [0, 10, 20]);
}

#[test]
fn a_reply_without_end_is_an_error_that_shows_both_ends_of_it() {
    let long: &[u8] = &[b'.'; 5000];
    let mut sul = sul("[inputs]\na = \"a\"", answer("a", vec![(1, b"begin"), (2, long)]));
    let error = step(&mut sul, 0).expect_err("too long");
    let text = error.to_string();
    let start = "the reply to `a` has no end: more than 4096 bytes came, `begin.....";
    assert!(text.starts_with(start) && text.contains(" more bytes) …"), "{text}");
    assert!(error.is_worth_a_retry());
    sul.reset().expect("a reset clears the rest");
    assert_eq!(sul.statistics().inputs[0].count, 1);
}

#[test]
fn a_device_that_never_stops_holds_nobody() {
    let chatter: Reaction = (0..40_000).map(|at| (at, &b"."[..])).collect();
    let text = "[reply]\nmax_bytes = 100000\nmax_ms = 2000\n[inputs]\na = \"a\"\n\
                wait = { wait_ms = 50 }";
    let mut sul = sul(text, answer("a", chatter));
    let error = step(&mut sul, 0).expect_err("no end");
    assert!(error.to_string().contains("more than 2000 ms"), "{error}");
    assert_eq!(step(&mut sul, 1).map(|output| output.len()).expect("an output"), 50);
}

#[test]
fn a_number_without_an_input_is_an_error() {
    let mut sul = sul("[inputs]\na = \"a\"", |_| Vec::new());
    assert!(matches!(step(&mut sul, 1), Err(LinkError::NoSuchInput { index: 1 })));
}

#[test]
fn a_device_that_is_gone_is_told_from_a_port_that_fails() {
    for (kind, start) in [
        (ErrorKind::BrokenPipe, "the device disappeared while `a` was sent"),
        (ErrorKind::TimedOut, "the port failed while `a` was sent"),
    ] {
        let link = FakeLink::new(|_: &LinkAct| Vec::new());
        link.failing.set(Some(kind));
        let device = device(&format!("{RESET}[inputs]\na = \"a\""));
        let mut sul = SerialSul::new(link, device).expect("a device");
        let error = step(&mut sul, 0).expect_err("it failed");
        assert_eq!(error.to_string(), start);
        assert_eq!(error.is_worth_a_retry(), kind == ErrorKind::TimedOut);
    }
}

#[test]
fn a_device_that_is_gone_is_opened_again_by_the_next_reset() {
    let text = format!("[port]\ndtr = true\n{RESET}[reply]\nlines = 1\n[inputs]\na = \"a\"");
    let mut link = FakeLink::new(answer("a", vec![(1, b"one\ntwo\n")]));
    link.away.push_back(OpenError::Missing { path: "/dev/x".to_owned() });
    let (deeds, failing) = (link.deeds(), Rc::clone(&link.failing));
    let mut sul = SerialSul::new(link, device(&text)).expect("a device");
    assert!(step(&mut sul, 0).expect_err("bytes came late").is_worth_a_retry());
    failing.set(Some(ErrorKind::BrokenPipe));
    assert!(sul.reset().expect_err("gone").is_gone());
    let error = sul.reset().expect_err("not back yet");
    assert!(error.is_gone());
    assert_eq!(error.to_string(), "the device is not back: there is no port /dev/x");

    deeds.borrow_mut().clear();
    sul.reset().expect("it is back");
    let deeds: Vec<_> = deeds.borrow_mut().drain(..).map(|(_, deed)| deed).collect();
    assert_eq!(deeds[..2], [LinkAct::Reopened, LinkAct::Set(ControlLine::Dtr, true)]);
    assert!(deeds.contains(&LinkAct::Sent(b"reset\r".to_vec())));
    let error = step(&mut sul, 0).expect_err("it does what it did");
    assert!(error.to_string().starts_with("4 bytes"), "what came before is forgotten: {error}");
}

const TWO_METHODS: &str = r#"
    [[reset]]
    steps = [{ send = "\u0003", wait_ms = 10 }, { send = "reset\r" }]
    expect = { match = '> $', within_ms = 100 }
    quiet_ms = 5
    [[reset]]
    steps = [{ dtr = false, wait_ms = 50 }, { dtr = true }]
    expect = { match = '> $', within_ms = 1000 }
    quiet_ms = 5
    [inputs]
    a = "a"
"#;

fn two_methods<'d>(react: impl FnMut(&LinkAct) -> Reaction + 'd) -> SerialSul<FakeLink<'d>> {
    SerialSul::new(FakeLink::new(react), device(TWO_METHODS)).expect("a device")
}

#[test]
fn the_first_method_that_works_is_the_last_one_tried() {
    let mut sul = two_methods(answer("reset\r", vec![(20, b"hello\n"), (30, b"> ")]));
    let deeds = sul.link().deeds();
    sul.reset().expect("a reset");
    let counts: Vec<_> = sul.statistics().resets.iter().map(|spent| spent.count).collect();
    assert_eq!(counts, [1, 0]);
    assert_eq!(sul.statistics().resets[0].total, Duration::from_millis(10 + 30 + 5));
    let last = deeds.borrow().last().cloned();
    assert_eq!(last, Some((45, LinkAct::ClearedReceived)));
}

#[test]
fn the_prompt_from_before_the_last_act_does_not_count() {
    // Ctrl-C brings a prompt; `reset` brings nothing.
    let mut sul = two_methods(|deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"\x03" => vec![(1, b"> ")],
        LinkAct::Set(ControlLine::Dtr, true) => vec![(7, b"> ")],
        _ => Vec::new(),
    });
    sul.reset().expect("a reset");
    let counts: Vec<_> = sul.statistics().resets.iter().map(|spent| spent.count).collect();
    assert_eq!(counts, [1, 1]);
}

#[test]
fn a_prompt_that_goes_on_is_not_the_end_of_a_reset() {
    let mut sul = two_methods(answer("reset\r", vec![(1, b"> "), (4, b"boot\n"), (90, b"> ")]));
    sul.reset().expect("a reset");
    assert_eq!(sul.statistics().resets[0].total, Duration::from_millis(10 + 90 + 5));
}

#[test]
fn when_no_method_works_the_error_tells_of_each() {
    let mut sul = two_methods(|deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"reset\r" => vec![(1, b"what?\r\n")],
        _ => Vec::new(),
    });
    let error = sul.reset().expect_err("nothing works");
    assert_eq!(
        error.to_string(),
        "the device did not come back from a reset\n\
         [[reset]] 1: no match for `> $` within 100 ms; what came: `what?\\r\\n`\n\
         [[reset]] 2: no match for `> $` within 1000 ms; nothing came"
    );
}

#[test]
fn a_device_that_does_not_fall_silent_is_not_back() {
    let chatter: Reaction = (0..4000).map(|at| (at, &b"> "[..])).collect();
    let mut sul = two_methods(answer("reset\r", chatter));
    let error = sul.reset().expect_err("it talks and talks");
    assert!(
        error
            .to_string()
            .contains("1: it did not fall silent within 100 ms: the last byte came after 10"),
        "{error}"
    );
}

#[test]
fn a_step_may_wait_for_a_word() {
    let text = r#"
        [[reset]]
        steps = [
            { send = "reset\r" },
            { expect = { match = 'any key', within_ms = 5000 } },
            { hex = "20" },
        ]
        expect = { match = '=> $', within_ms = 100 }
        [reply]
        strip = ['\x1b\[m']
        [inputs]
        a = "a"
    "#;
    let link = FakeLink::new(|deed: &LinkAct| match deed {
        LinkAct::Sent(bytes) if bytes == b"reset\r" => vec![(3000, b"Hit an\x1b[my key: 3")],
        LinkAct::Sent(bytes) if bytes == b" " => vec![(50, b"=\x1b[m> \x1b[m")],
        _ => Vec::new(),
    });
    let deeds = link.deeds();
    let mut sul = SerialSul::new(link, device(text)).expect("a device");
    sul.reset().expect("a reset");
    let is_sent = |(_, deed): &&(u128, LinkAct)| matches!(deed, LinkAct::Sent(_));
    let sent: Vec<_> = deeds.borrow().iter().filter(is_sent).cloned().collect();
    assert_eq!(
        sent,
        [(0, LinkAct::Sent(b"reset\r".to_vec())), (3000, LinkAct::Sent(b" ".to_vec()))]
    );
    assert_eq!(sul.statistics().resets[0].total, Duration::from_millis(3070));
}

#[test]
fn only_the_first_act_of_a_reset_discards_what_was_not_sent() {
    let text = "[[reset]]\nsteps = [{ send = \"a\" }, { send = \"b\" }]\nquiet_ms = 0\n[inputs]\nc = \"c\"";
    let mut sul = SerialSul::new(FakeLink::new(|_| Vec::new()), device(text)).expect("a device");
    sul.reset().expect("a reset");
    let deeds: Vec<_> = sul.link().deeds().borrow().iter().map(|(_, deed)| deed.clone()).collect();
    let [a, b] = [b"a", b"b"].map(|byte| LinkAct::Sent(byte.to_vec()));
    let later = LinkAct::ClearedReceived;
    assert_eq!(deeds, [LinkAct::Cleared, a, later.clone(), b, later]);
}

#[test]
fn a_reset_that_misses_its_text_shows_what_it_was_compared_with() {
    let text = "[[reset]]\nsteps = [{ send = \"r\" }]\n\
                expect = { match = 'ready\\r\\n$', within_ms = 100 }\n\
                [reply]\nstrip = ['\\r', '\\x1b\\[m']\n[inputs]\na = \"a\"";
    let link = FakeLink::new(answer("r", vec![(1, b"\x1b[mready\r\n")]));
    let mut sul = SerialSul::new(link, device(text)).expect("a device");
    let error = sul.reset().expect_err("there is no carriage return").to_string();
    let came = r"what came, after `strip`: `ready\n`; without `strip` it fits";
    assert!(error.ends_with(came), "{error}");
}

#[test]
fn what_is_listened_for_is_late_all_the_same() {
    let text = "[reply]\nlines = 1\n[inputs]\na = \"a\"";
    let mut sul = sul(text, answer("a", vec![(1, b"one\n"), (90, b"two\n")]));
    step(&mut sul, 0).expect("an output");
    assert_eq!(sul.listen(Duration::from_millis(50)).expect("it listens"), b"");
    assert_eq!(sul.listen(Duration::from_millis(50)).expect("it listens"), b"two\n");
    let error = step(&mut sul, 0).expect_err("it came late");
    assert!(error.to_string().starts_with("4 bytes came after the reply to `a`"), "{error}");
}

#[test]
fn a_trace_has_all_that_passes_and_when() {
    let text = format!("{RESET}[reply]\nlines = 1\n[inputs]\na = \"a\"");
    let link = FakeLink::new(answer("a", vec![(3, b"o"), (5, b"k\n")]));
    let mut sul = SerialSul::new(Traced::new(link), device(&text)).expect("a device");
    sul.reset().expect("a reset");
    step(&mut sul, 0).expect("an output");
    let passed: Vec<_> = sul.link().take();
    let passed: Vec<_> =
        passed.into_iter().map(|event| (event.at.as_millis(), event.what)).collect();
    let bytes = |bytes: &[u8]| bytes.to_vec();
    let expected = [
        (0, Passed::Sent(bytes(b"reset\r"))),
        (0, Passed::Sent(bytes(b"a"))),
        (3, Passed::Received(bytes(b"o"))),
        (5, Passed::Received(bytes(b"k\n"))),
    ];
    assert_eq!(passed, expected);
    assert!(sul.link().take().is_empty(), "taken once");
}
