//! Checks of fake devices with their own clock, so no test ever waits.

mod changed_for_good;
mod checksums;
mod connection_ends;
mod failed_resets;
mod fields;
mod goes_on;
mod idle;
mod lasting;
mod late_actions;
mod late_resets;
mod lost;
mod mended_files;
mod noisy_devices;
mod rests;
mod slow_answers;
mod slower_words;
mod stray_bytes;
mod streams;
mod unmet_after_words;

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use super::*;
use crate::device::DeviceFile;
use crate::serial::fake::{FakeLink, LinkAct, Reaction};
use crate::serial::{OpenError, SerialSul, TimedLink, Traced};

const FILE: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n\
                    [reply]\nlines = 1\n[inputs]\nlook = \"look\\n\"\npress = \"press\\n\"";

/// A link to a device that answers lines; it counts them from 1.
fn link_to<'d>(mut answer: impl FnMut(&str, u32) -> Reaction + 'd) -> FakeLink<'d> {
    let mut lines = 0;
    FakeLink::new(move |deed: &LinkAct| match deed {
        LinkAct::Sent(bytes) => {
            lines += 1;
            answer(std::str::from_utf8(bytes).expect("text").trim_end(), lines)
        }
        _ => Vec::new(),
    })
}

/// Checks a device that answers lines with `answer`, which also gets the number of the line.
fn checked(answer: impl FnMut(&str, u32) -> Reaction) -> Checked {
    checked_while(FILE, answer, |_| true)
}

/// The same with a device file, while `go_on` returns true.
fn checked_while(
    text: &str,
    answer: impl FnMut(&str, u32) -> Reaction,
    mut go_on: impl FnMut(&CheckProgress) -> bool,
) -> Checked {
    late_actions::checked_at(text, link_to(answer), &mut go_on)
}

/// A device file with what a finding proposes.
fn mended_by(text: &str, found: &Finding) -> String {
    let device = DeviceFile::parse(Path::new("lamp.toml"), text).expect("a device file");
    let mut file = EditableDeviceFile::new(device, text).expect("TOML");
    file.apply(found.change.as_ref().expect("a change"));
    file.text()
}

/// A lamp with a switch; `resets` says whether a reset switches the lamp off.
fn lamp(resets: bool) -> impl FnMut(&str, u32) -> Reaction {
    let mut on = false;
    move |line, _| {
        match line {
            "reset" => on &= !resets,
            "press" => on = !on,
            _ => {}
        }
        match line {
            "reset" => Vec::new(),
            _ if on => vec![(3, b"on\n")],
            _ => vec![(3, b"off\n")],
        }
    }
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    let report = checked(lamp(true));
    assert_eq!(report.findings, []);
    let answers = [0, 1].map(|input| report.evidence.first_answer(Input::new(input)));
    assert_eq!(answers, [Some(r"off\n"), Some(r"on\n")]);
    assert_eq!(report.evidence.timings()[0].wait.longest, Duration::from_millis(3));
}

#[test]
fn a_reset_that_leaves_something_is_found_with_what_it_leaves() {
    let report = checked(lamp(false));
    let Finding { kind: FindingKind::ResetLeaves, example: Some(example), text, .. } =
        &report.findings[0]
    else {
        panic!("{:?}", report.findings);
    };
    assert_eq!(example.word, [Input::new(0)]);
    assert!(text.contains("when `"), "{text}");
    assert!(report.findings[0].is_wrong());
}

#[test]
fn the_words_that_decide_an_answer_are_shortened() {
    let file = FILE.to_owned() + "\nstore = \"store\\n\"\nclear = \"clear\\n\"";
    let mut is_stored = false;
    let report = checked_while(
        &file,
        move |line, _| match line {
            "reset" => Vec::new(),
            "look" if is_stored => vec![(1, b"full\n")],
            "look" => vec![(1, b"empty\n")],
            "press" => vec![(1, b"beep\n")],
            line => {
                is_stored = line == "store";
                vec![(1, b"ok\n")]
            }
        },
        |_| true,
    );
    let text = &report.findings[0].text;
    for part in ["`empty\\n` as the first word of all", "`full\\n` when `store` had"] {
        assert!(text.contains(part), "{text}");
    }
}

/// A word that changes nothing passes on what the word before it has left.
#[test]
fn a_word_that_changes_nothing_is_no_cause_of_what_a_reset_leaves() {
    for (on, off) in [("b", "d"), ("e", "c"), ("a", "c"), ("c", "b"), ("d", "a")] {
        let inputs =
            ["a", "b", "c", "d", "e", "f", "g"].map(|name| format!("\n{name} = \"{name}\\n\""));
        let file = FILE.to_owned() + &inputs.concat();
        let mut is_on = false;
        let report = checked_while(
            &file,
            move |line, _| {
                is_on = line == on || line != off && is_on;
                match line {
                    "reset" => Vec::new(),
                    "look" if is_on => vec![(1, b"full\n")],
                    "look" => vec![(1, b"empty\n")],
                    _ => vec![(1, b"ok\n")],
                }
            },
            |_| true,
        );
        let text = &report.findings[0].text;
        let by = |cause: &str| format!("when `{cause}` had been asked before the reset");
        assert!(text.contains(&format!("`full\\n` {}", by(on))), "{on} {off}: {text}");
        let is_first = text.contains("`empty\\n` as the first word of all");
        assert!(
            is_first || text.contains(&format!("`empty\\n` {}", by(off))),
            "{on} {off}: {text}"
        );
    }
}

#[test]
fn looking_into_a_finding_is_counted_and_can_be_ended() {
    let mut last = (0, 0);
    let whole = checked_while(FILE, lamp(false), |progress| {
        last = (progress.asked, progress.total);
        true
    });
    assert!(last.0 > 20 && last.0 < last.1 && whole.evidence.words() <= last.1, "{last:?}");
    for end in [10, 20, 21] {
        let report = checked_while(FILE, lamp(false), |progress| progress.asked < end);
        // At most three words lie between two calls of `go_on`.
        let words = report.evidence.words();
        assert!(words < end + 3, "{words} words, ended at {end}");
        // No trial has looked for the cause of the difference.
        assert!(!report.findings.iter().any(Finding::is_wrong), "{:?}", report.findings);
    }
}

#[test]
fn a_clock_that_a_reset_does_not_clear_is_not_reported_twice() {
    // How often it was pressed stays, and the light, too.
    let answers: Vec<_> = (0..2000).map(|n| format!("{n} times\n").leak().as_bytes()).collect();
    let (mut on, mut times) = (false, 0);
    let report = checked(move |line, _| match line {
        "look" if on => vec![(1, b"on\n")],
        "look" => vec![(1, b"off\n")],
        "press" => {
            on = !on;
            times += 1;
            vec![(1, answers[times])]
        }
        _ => Vec::new(),
    });
    let wrong: Vec<_> = report.findings.iter().filter(|finding| finding.is_wrong()).collect();
    let [Finding { kind: FindingKind::ResetLeaves, text, .. }] = wrong[..] else {
        panic!("{:?}", report.findings);
    };
    assert!(text.ends_with("check again when it is mended."), "{text}");
}

#[test]
fn a_counter_in_an_answer_is_pointed_at() {
    let answers: Vec<_> = (0..1000).map(|n| format!("up {n} s\n").leak().as_bytes()).collect();
    let report = checked(move |line, number| match line {
        "look" => vec![(1, answers[number as usize])],
        "press" => vec![(1, b"ok\n")],
        _ => Vec::new(),
    });
    // Reported once, though many words show it.
    let [Finding { kind: FindingKind::ChangingOutput, example, change, .. }] = &report.findings[..]
    else {
        panic!("{:?}", report.findings);
    };
    assert_eq!(example.as_ref().map(|it| &it.word[..]), Some(&[Input::new(0)][..]));
    let Some(Change::Replace(rule)) = change else { panic!("{change:?}") };
    assert_eq!((rule.pattern.as_str(), rule.with.as_str()), (r"(up )\d+( s)", "$1#$2"));
}

#[test]
fn a_reply_that_is_nothing_but_a_clock_keeps_its_text() {
    let answers: Vec<_> =
        (0..1000).map(|n| format!("v1 up {} ms\n", n * 7).leak().as_bytes()).collect();
    let report = checked(move |line, number| match line {
        "reset" => Vec::new(),
        _ => vec![(1, answers[number as usize])],
    });
    let device = DeviceFile::parse(Path::new("lock.toml"), FILE).expect("a device file");
    let mut file = EditableDeviceFile::new(device, FILE).expect("TOML");
    for finding in &report.findings {
        file.apply(finding.change.as_ref().expect("a change for each"));
    }
    let better = DeviceFile::parse(Path::new("lock.toml"), &file.text()).expect("a device file");
    assert_eq!(better.name_output(b"v1 up 17 ms\n"), r"v1 up # ms\n");
    assert_ne!(better.name_output(b"v1 up 17 ms\n"), better.name_output(b"v2 up 17 ms\n"));
}

#[test]
fn words_that_lead_further_find_slow_answers_before_a_time_out_is_made_shorter() {
    let mut presses = 0;
    let patient = FILE.replace("lines = 1", "lines = 1\nwithin_ms = 4000");
    let answer = move |line: &str, _| -> Reaction {
        presses = if line == "press" { presses + 1 } else { 0 };
        match line {
            "press" if presses > 3 => vec![(355, b"done\n")],
            "press" => vec![(5, b"ok\n")],
            _ => Vec::new(),
        }
    };
    let report = checked_while(&patient, answer, |_| true);
    let better = report.findings.iter().find_map(|finding| match &finding.change {
        Some(Change::TimeOut { better, .. }) => Some(better.as_millis()),
        _ => None,
    });
    assert!(better.is_none_or(|better| better > 355), "{:?}", report.findings);
    assert_eq!(report.evidence.timings()[1].wait.longest, Duration::from_millis(355));
}

#[test]
fn words_that_lead_further_may_take_longer_than_the_file_allows() {
    let slow = FILE.replace("lines = 1", "quiet_ms = 500") + "\n[word]\nmax_ms = 5000";
    let report = checked_while(&slow, lamp(true), |_| true);
    let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::LongTimeOut], "{:?}", report.findings);
    assert!(report.evidence.words() > 20, "{}", report.evidence.words());
}

#[test]
fn words_that_fail_are_counted_and_others_still_asked() {
    let mut looks = 0;
    let report = checked(|line, _| match line {
        "look" => {
            looks += 1;
            vec![(1, if looks % 2 == 1 { &b"one\ntwo\n"[..] } else { b"one\n" })]
        }
        "press" => vec![(1, b"ok\n")],
        _ => Vec::new(),
    });
    let faults: u32 = report.evidence.faults.iter().map(|failed| failed.count()).sum();
    // `look` alone, three words that explore, and in each round at least `look` again.
    assert!(faults >= 9, "{faults} in {} words: {:?}", report.evidence.words(), report.findings);
    let is_fault = |finding: &Finding| {
        finding.kind == FindingKind::LateFault && finding.text.contains("4 bytes came after")
    };
    assert!(report.findings.iter().all(is_fault), "{:?}", report.findings);
    assert_eq!(report.evidence.timings()[0].late, faults, "{:?}", report.evidence.timings()[0]);
}

#[test]
fn a_connection_that_may_end_is_no_fault_and_no_silence() {
    let text = FILE.replace("[inputs]", "closed = \"(closed)\"\n[inputs]");
    let is_closed: Rc<Cell<bool>> = Rc::default();
    let ending = Rc::clone(&is_closed);
    let mut link = FakeLink::new(move |deed: &LinkAct| match deed {
        LinkAct::Sent(bytes) if bytes == b"look\n" => vec![(1, &b"here\n"[..])],
        LinkAct::Sent(bytes) if bytes == b"press\n" => {
            ending.set(true);
            Vec::new()
        }
        _ => Vec::new(),
    });
    link.is_closed = is_closed;
    let device = DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file");
    let file = EditableDeviceFile::new(device.clone(), &text).expect("TOML");
    let inputs = device.inputs.iter().map(|input| input.name.clone()).collect();
    let mut sul = SerialSul::new(Traced::new(link), device).expect("a device");
    let setup =
        CheckSetup { inputs, file: Some(file), words: Vec::new(), earlier_change: None, rounds: 5 };
    let report = check(&mut sul, setup, &mut |_| true).expect("the device stays");
    assert_eq!(report.findings, []);
    assert_eq!(report.evidence.first_answer(Input::new(1)), Some("(closed)"));
    assert_eq!(report.evidence.timings()[1].silences, 0);
}

#[test]
fn a_device_that_never_answers_is_found_and_baud_is_named_only_where_there_is_one() {
    for has_baud in [true, false] {
        let device = DeviceFile::parse(Path::new("lock.toml"), FILE).expect("a device file");
        let file = EditableDeviceFile::new(device.clone(), FILE).expect("TOML");
        let mut link = FakeLink::new(|_: &LinkAct| Vec::new());
        link.has_baud = has_baud;
        let inputs = device.inputs.iter().map(|input| input.name.clone()).collect();
        let mut sul = SerialSul::new(Traced::new(link), device).expect("a device");
        let setup = CheckSetup {
            inputs,
            file: Some(file),
            words: Vec::new(),
            earlier_change: None,
            rounds: 5,
        };
        let mut silent = 0;
        let report = check(&mut sul, setup, &mut |progress: &CheckProgress| {
            silent += u32::from(progress.stage > CheckStage::First && !progress.is_answered);
            true
        });
        let report = report.expect("the device stays");
        let [Finding { kind: FindingKind::NoAnswer, text, .. }] = &report.findings[..] else {
            panic!("{:?}", report.findings);
        };
        assert_eq!(text.contains("baud"), has_baud, "{text}");
        // 30 s of silence, at 1 s an input, are enough.
        assert!(silent > 0 && sul.link().now() < Duration::from_secs(60), "{:?}", sul.link().now());
    }
}

/// A lamp that says how warm it is, each second or so. One of its inputs is never answered.
fn warm_lamp() -> FakeLink<'static> {
    let mut lamp = lamp(true);
    let mut link = link_to(move |line, number| match line {
        "mute" => Vec::new(),
        _ => lamp(line, number),
    });
    for number in 0..900 {
        let temperature: &[u8] = if number % 2 == 0 { b"!TEMP 21.5\n" } else { b"!TEMP 9.25\n" };
        link.say(number * 1009, temperature);
    }
    link
}

#[test]
fn a_device_that_speaks_unasked_is_told_from_one_that_is_slow() {
    let text = FILE.replace("press =", "mute = \"mute\\n\"\npress =");
    let report = late_actions::checked_at(&text, warm_lamp(), &mut |_| true);
    let [unasked, others @ ..] = &report.findings[..] else { panic!("nothing is found") };
    assert_eq!(unasked.kind, FindingKind::Unasked, "{:#?}", report.findings);
    assert!(unasked.text.contains("a line like `!TEMP "), "{}", unasked.text);
    let kinds = [FindingKind::ShortTimeOut, FindingKind::ChangingOutput, FindingKind::ResetLeaves];
    assert!(!others.iter().any(|it| kinds.contains(&it.kind)), "{others:#?}");

    let device = DeviceFile::parse(Path::new("lock.toml"), &text).expect("a device file");
    let mut file = EditableDeviceFile::new(device, &text).expect("TOML");
    file.apply(unasked.change.as_ref().expect("a change"));
    assert!(file.text().contains(r"strip = ['!TEMP \d+\.\d+\r?\n']"), "{}", file.text());
    let report = late_actions::checked_at(&file.text(), warm_lamp(), &mut |_| true);
    let wrong: Vec<_> = report.findings.iter().filter(|it| it.is_wrong()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The number of the session leads each answer.
#[test]
fn a_field_in_all_replies_is_one_finding_with_one_rule() {
    let mut lamp = lamp(true);
    let mut session = 0;
    let report = checked(move |line, number| {
        session += u32::from(line == "reset");
        let reply = lamp(line, number);
        match &reply[..] {
            [(ms, text)] => {
                let text = std::str::from_utf8(text).expect("text").trim_end();
                let text = format!("[s{session}] {line}: {text}\n");
                vec![(*ms, &*Vec::leak(text.into_bytes()))]
            }
            _ => reply,
        }
    });
    let [Finding { change: Some(Change::Replace(rule)), .. }, ..] = &report.findings[..] else {
        panic!("{:#?}", report.findings);
    };
    assert_eq!((&*rule.pattern, &*rule.with), (r"(\[s)\d+(\] )", "$1#$2"));
}

#[test]
fn a_check_ends_where_no_reset_brings_the_device_back() {
    let text = FILE.replace("quiet_ms = 0", "expect = { match = 'ready', within_ms = 50 }");
    let (mut pressed, mut asked) = (0, 0);
    let device = move |line: &str, _| {
        if pressed < 2 {
            pressed = if line == "press" { pressed + 1 } else { 0 };
        }
        match line {
            _ if pressed == 2 => vec![(1, &b"LOCKED\n"[..])],
            "reset" => vec![(1, &b"ready\n"[..])],
            _ => vec![(1, &b"off\n"[..])],
        }
    };
    let report = checked_while(&text, device, |progress| {
        asked = progress.asked;
        true
    });
    let lost = &report.findings[0];
    let since = "no reset has worked since the word `";
    assert!(lost.text.starts_with(since) && lost.is_wrong(), "{:#?}", report.findings);
    assert!(lost.text.contains("press press`, so the check ended there"), "{}", lost.text);
    assert!(report.is_cut_short && asked < 20, "{asked} words");
}

#[test]
fn one_reply_that_does_not_meet_its_end_is_enough_for_a_check() {
    let text = FILE.replace("lines = 1", "match = '# $'\nwithin_ms = 5");
    let report = checked_while(&text, lamp(true), |progress| progress.stage == CheckStage::First);
    let unmet = report.findings.iter().find(|finding| finding.kind == FindingKind::WrongEnd);
    let text = &unmet.expect("a finding").text;
    assert!(text.contains("silence ended each, such as `off\\n`"), "{text}");
    assert!(unmet.is_some_and(Finding::is_wrong));
}

#[test]
fn no_shorter_time_out_is_proposed_where_no_reply_meets_its_end() {
    let text = FILE.replace("lines = 1", "match = '# $'");
    let report = checked_while(&text, lamp(true), |_| true);
    let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::WrongEnd], "{:?}", report.findings);
    assert!(report.is_cut_short && report.evidence.spent < Duration::from_secs(40));
}

/// An input that only waits, or one that ends the connection, has no end to meet.
#[test]
fn a_wait_does_not_hide_that_no_reply_meets_its_end() {
    let text = FILE.replace("lines = 1", "match = '# $'")
        + "\ntell = { send = \"look\\n\", wait_ms = 50 }";
    let report = checked_while(&text, lamp(true), |_| true);
    let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::WrongEnd], "{:?}", report.findings);
    assert!(report.is_cut_short && report.evidence.spent < Duration::from_secs(40));
}

#[test]
fn outputs_that_are_all_one_and_inputs_that_never_matter_are_pointed_at() {
    let same = checked(|line, _| if line == "reset" { Vec::new() } else { vec![(1, b"\n")] });
    let kinds: Vec<_> = same.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::OneOutput], "{:?}", same.findings);
    let text = &same.findings[0].text;
    assert!(
        text.contains("Do `strip`, [[replace]] or [[output]] take away what differs?"),
        "{text}"
    );
    assert!(!same.findings.iter().any(Finding::is_wrong));
    let three = FILE.to_owned() + "\nmute = \"mute\\n\"\nidle = \"idle\\n\"";
    let mut lamp = lamp(true);
    let answer = move |line: &str, number| match line {
        "mute" => Vec::new(),
        "idle" => vec![(1, &b"idle\n"[..])],
        line => lamp(line, number),
    };
    let report = checked_while(&three, answer, |_| true);
    let texts: Vec<_> = report.findings.iter().map(|finding| finding.text.as_str()).collect();
    let [_, mute, idle] = texts[..] else { panic!("{texts:?}") };
    assert!(
        mute.starts_with("`mute` was never answered and changed nothing in any of 2 states"),
        "{mute}"
    );
    assert!(idle.starts_with("`idle` had the same answer in all of 2 states"), "{idle}");
}

#[test]
fn a_mode_that_no_input_leaves_is_pointed_at() {
    // After `data` the device takes a text, silently, until a line with a dot ends it. An answer to either takes `ms`.
    let found = |inputs: &str, ms: u64| {
        let (mut lamp, mut is_text) = (lamp(true), false);
        let answer = move |line: &str, number| match (line, is_text) {
            ("reset", _) => {
                is_text = false;
                lamp(line, number)
            }
            ("data", false) | (".", _) => {
                is_text = line == "data";
                vec![(ms, &b"ok\n"[..])]
            }
            (_, true) => Vec::new(),
            (line, false) => lamp(line, number),
        };
        let file = FILE.replace("lines = 1", "lines = 1\nwithin_ms = 100") + inputs;
        let report = checked_while(&file, answer, |_| true);
        assert!(!report.findings.iter().any(Finding::is_wrong), "{:?}", report.findings);
        let mut findings = report.findings.into_iter();
        findings.find(|it| it.kind == FindingKind::DeadState).map(|it| it.text)
    };
    let text = found("\ndata = \"data\\n\"", 1).expect("a finding");
    let start = "after `data` the device answers no input, and no input leaves this state. Does it";
    assert!(text.starts_with(start) && text.contains("a shorter `within_ms`"), "{text}");
    assert_eq!(found("\ndata = \"data\\n\"\nend = \".\\n\"", 1), None);
    let slow = found("\ndata = \"data\\n\"", 40).expect("a finding");
    assert!(
        !slow.contains("within_ms") && slow.ends_with("out the input that leads there"),
        "{slow}"
    );
}

#[test]
fn how_long_it_takes_is_known_after_the_first_words() {
    let mut said = Vec::new();
    let report = checked_while(FILE, lamp(true), |progress| {
        said.push(*progress);
        true
    });
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let first = said.iter().find(|it| it.stage == CheckStage::Explore).expect("it explores");
    let repeat = said.iter().find(|it| it.stage == CheckStage::Repeat).expect("it repeats");
    assert_eq!(first.asked, 2);
    assert!(first.total >= report.evidence.words() && first.left > repeat.left, "{first:?}");
    assert_eq!(repeat.total, report.evidence.words());
    // Four words, five times, with 0.2 s of listening after each; then a pause of 1 s at six places.
    assert_eq!(repeat.left.as_millis() / 1000, 10, "{repeat:?}");
    assert_eq!((repeat.left - repeat.exploring).as_millis() / 1000, 4, "{repeat:?}");
}
