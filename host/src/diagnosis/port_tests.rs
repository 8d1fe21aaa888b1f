//! What is found by what is counted at a port during a run.

use std::path::Path;

use mealybug_core::Sul;
use mealybug_core::wire::frame::Encoder;
use mealybug_core::wire::message::{Message, PROTOCOL, Phase};

use super::*;
use crate::serial::SerialSul;
use crate::serial::fake::{FakeLink, LinkAct, Reaction};

/// Text, as it arrives at a wrong baud rate.
const NOISE: &[u8] = b"\xf8\x00\xe0x\x80\xfe\x00";

/// The device of a file, which answers the bytes that are sent. Its reset sends `reset`.
fn device(
    text: &str,
    mut answer: impl FnMut(&[u8]) -> Reaction + 'static,
) -> SerialSul<FakeLink<'static>> {
    let text = format!("[[reset]]\nsteps = [{{ send = \"reset\" }}]\nquiet_ms = 5\n{text}");
    let link = FakeLink::new(move |deed: &LinkAct| match deed {
        LinkAct::Sent(bytes) => answer(bytes),
        _ => Vec::new(),
    });
    let device = DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file");
    SerialSul::new(link, device).expect("a device")
}

/// Answers each input by `reaction`, and the reset by nothing.
fn always(reaction: Reaction) -> impl FnMut(&[u8]) -> Reaction {
    move |bytes| if bytes == b"reset" { Vec::new() } else { reaction.clone() }
}

/// A diagnosis of the device's port.
fn diagnosis(sul: &SerialSul<FakeLink<'_>>) -> Diagnosis {
    let names: Vec<_> = sul.device().inputs.iter().map(|input| input.name.clone()).collect();
    Diagnosis::new(&names, true)
}

/// Resets the device and asks an input, `times` times; then resets it once more.
fn ask(sul: &mut SerialSul<FakeLink<'_>>, input: u32, times: u32) {
    for _ in 0..times {
        sul.reset().expect("a reset");
        sul.step(Input::new(input)).expect("an output");
    }
    sul.reset().expect("a reset");
}

/// Asks an input `times` times, and returns what is found.
fn found(
    mut sul: SerialSul<FakeLink<'static>>,
    input: u32,
    times: u32,
) -> Vec<(FindingKind, String)> {
    let mut diagnosis = diagnosis(&sul);
    ask(&mut sul, input, times);
    diagnosis.port(sul.statistics());
    let taken = diagnosis.take(&AnswerTree::default());
    let taken: Vec<_> = taken.iter().map(|it| (it.kind, it.text.clone())).collect();
    // The same is said of one of several boards.
    let of_port = of_port(sul.device(), sul.statistics()).into_iter();
    assert_eq!(taken, of_port.map(|it| (it.kind, it.text)).collect::<Vec<_>>());
    taken
}

/// A frame of a board with our learner, whose name is most of it: so most of its bytes are text.
fn target_frame() -> Vec<u8> {
    let hello = Message::Hello {
        protocol: PROTOCOL,
        board: b"a board with a long name",
        phase: Phase::Idle,
        memory_bytes: 1,
        is_ready: false,
    };
    Encoder::new().encode(&hello).expect("it is short").to_vec()
}

#[test]
fn inputs_that_are_never_answered_or_by_noise_are_found() {
    let text = "[reply]\nquiet_ms = 1\n[inputs]\na = \"help\\r\"\nb = { hex = \"0103\" }";
    let asked = |input, reaction, times| {
        let mut all = found(device(text, always(reaction)), input, times);
        assert!(all.len() <= 1, "{all:?}");
        all.pop()
    };
    let (kind, text) = asked(0, Vec::new(), 10).expect("a finding");
    assert_eq!(kind, FindingKind::NoAnswer);
    assert!(
        text.starts_with("not one of 10 inputs was answered. Are port and `baud` right"),
        "{text}"
    );
    assert_eq!(asked(0, Vec::new(), 9), None);
    let (kind, text) = asked(0, vec![(1, NOISE)], 10).expect("a finding");
    assert_eq!(kind, FindingKind::Noise);
    assert!(text.ends_with("are `baud` and `format` those of the device?"), "{text}");
    assert_eq!(asked(0, vec![(1, NOISE)], 9), None);
    let frame: &'static [u8] = target_frame().leak();
    let (kind, text) = asked(0, vec![(1, frame)], 10).expect("a finding");
    assert_eq!(kind, FindingKind::Noise);
    assert!(text.contains("learner or agent speaks there. `mealybug target`"), "{text}");
    let damaged: &'static [u8] = frame[1..].to_vec().leak();
    let found = asked(0, vec![(1, damaged)], 10);
    assert!(found.is_none_or(|(_, text)| !text.contains("mealybug target")));
    assert_eq!(asked(1, vec![(1, NOISE)], 10), None, "binary frames are no noise");
    assert_eq!(asked(0, vec![(1, b"fine\r\n")], 10), None);
}

#[test]
fn binary_replies_that_meet_a_pattern_of_bytes_are_no_noise() {
    let answer: Reaction = vec![(1, b"\x01\x80\xff\xff")];
    for (end, is_noise) in [(r"\xff\xff$", false), (r"(?s)..$", true), (r"\x7e$", true)] {
        let text = format!("[reply]\nmatch = '{end}'\nwithin_ms = 5\n[inputs]\na = \"page\\r\"");
        let all = found(device(&text, always(answer.clone())), 0, 10);
        let has_noise = all.iter().any(|(kind, _)| *kind == FindingKind::Noise);
        assert_eq!(has_noise, is_noise, "{end}: {all:?}");
    }
}

#[test]
fn a_device_that_only_resets_answer_has_another_line_end() {
    let text = "[reply]\nquiet_ms = 1\n[inputs]\na = \"help\"";
    let greeting: Reaction = vec![(1, b"hello\r\n")];
    let sul = device(text, move |bytes| match bytes {
        b"reset" => greeting.clone(),
        _ => Vec::new(),
    });
    let [(FindingKind::NoAnswer, text)] = &found(sul, 0, 10)[..] else { panic!("no finding") };
    assert!(
        text.contains("Resets are answered: do the inputs end as the device wants it"),
        "{text}"
    );
}

#[test]
fn ends_that_are_never_met_and_echoes_are_found() {
    let text = "[reply]\nmatch = '# $'\nwithin_ms = 5\n[inputs]\na = \"ls\\r\"";
    let listed = || device(text, always(vec![(1, b"ls\r\nfile\r\n$ ")]));
    assert_eq!(found(listed(), 0, 9), []);
    let expected = [
        (
            FindingKind::WrongEnd,
            "no reply at all met its `match`, `last_line`, `lines` or `length`: silence ended each, \
             such as `ls\\r\\nfile\\r\\n$ `, and took `within_ms`. `mealybug try` shows how replies end",
        ),
        (
            FindingKind::Echo,
            "all of 10 replies begin with what was sent: `echo = true` in [reply] takes that away",
        ),
    ];
    assert_eq!(found(listed(), 0, 10), expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn few_garbled_echoes_hide_no_echo() {
    let text = "[reply]\nmatch = '# $'\nwithin_ms = 5\n[inputs]\na = \"list\\r\"";
    let echoed = |odd: &'static [u8], every: u32, times| {
        let mut asked = 0;
        let sul = device(text, move |bytes| {
            if bytes == b"list\r" {
                asked += 1;
            }
            let is_odd = bytes == b"list\r" && asked % every == 0;
            vec![(1, if is_odd { odd } else { b"list\r\nfile\r\n# " })]
        });
        found(sul, 0, times).into_iter().find(|(kind, _)| *kind == FindingKind::Echo)
    };
    let text = "38 of 40 replies begin with what was sent, and 2 with a garbled copy of it: `echo = true` in \
                [reply] takes that away, and a word with such a fault is asked again";
    assert_eq!(echoed(b"lst\r\n?\r\n# ", 20, 40), Some((FindingKind::Echo, text.to_owned())));
    assert_eq!(echoed(b"lst\r\n?\r\n# ", 10, 40), None, "they are not rare");
    assert_eq!(echoed(b"no\r\n# ", 20, 40), None, "that is no echo");
}

#[test]
fn late_bytes_are_found_at_once_and_counted_until_the_end() {
    let text = "[reply]\nlines = 1\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut has_more = false;
    let mut sul = device(text, move |bytes| {
        if bytes != b"a" {
            return Vec::new();
        }
        has_more = !has_more;
        if has_more { vec![(1, &b"one\n"[..]), (1, b"two\n")] } else { vec![(1, b"one\n")] }
    });
    let mut diagnosis = diagnosis(&sul);
    let mut told = Vec::new();
    for _ in 0..3 {
        ask(&mut sul, 0, 1);
        diagnosis.port(sul.statistics());
        let taken = diagnosis.take(&AnswerTree::default());
        told.extend(taken.iter().map(|it| (it.kind, it.text.clone())));
    }
    let [(FindingKind::LateBytes, text)] = &told[..] else { panic!("{told:?}") };
    assert!(text.starts_with("1 word was asked again"), "{text}");
    let [at_the_end] = &diagnosis.findings()[..] else { panic!("{:?}", diagnosis.findings()) };
    assert!(at_the_end.text.starts_with("3 words were asked again"), "{}", at_the_end.text);
}

#[test]
fn what_a_later_answer_contradicts_does_not_stand() {
    let text = "[reply]\nquiet_ms = 1\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut sul = device(text, |bytes| match bytes {
        b"b" => vec![(1, b"ok")],
        _ => Vec::new(),
    });
    let mut diagnosis = diagnosis(&sul);
    ask(&mut sul, 0, 10);
    diagnosis.port(sul.statistics());
    assert_eq!(diagnosis.take(&AnswerTree::default()).len(), 1);
    assert_eq!(diagnosis.findings()[0].kind, FindingKind::NoAnswer);
    ask(&mut sul, 1, 1);
    diagnosis.port(sul.statistics());
    assert_eq!(diagnosis.findings(), []);
}
