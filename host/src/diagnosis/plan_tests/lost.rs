//! Devices that stop answering for good while the check takes its last words.

use std::ops::Range;

use super::*;

/// How many lines a whole check of the lamp sends, and how many of them in its last step.
fn lines_of_check(text: &str) -> (u32, u32) {
    let (lines, before): (Rc<Cell<u32>>, Rc<Cell<u32>>) = Default::default();
    let mut lamp = speaking_lamp();
    let answer = |line: &str, number| {
        lines.set(number);
        lamp(line, number)
    };
    let report = checked_while(text, answer, |progress| {
        if progress.stage == CheckStage::Compare && before.get() == 0 {
            before.set(lines.get());
        }
        true
    });
    assert_eq!(report.findings, [], "{text}");
    (lines.get(), lines.get() - before.get())
}

/// A lamp that says when it is reset.
fn speaking_lamp() -> impl FnMut(&str, u32) -> Reaction {
    let mut lamp = lamp(true);
    move |line, number| match line {
        "reset" => [lamp(line, number), vec![(3, b"ready\n")]].concat(),
        _ => lamp(line, number),
    }
}

/// Checks a lamp that hangs from this line on.
fn checked_until(text: &str, last: u32) -> Checked {
    let mut lamp = speaking_lamp();
    let answer = move |line: &str, number| {
        if number > last { Vec::new() } else { lamp(line, number) }
    };
    checked_while(text, answer, |_| true)
}

#[test]
fn a_device_that_hangs_in_the_last_step_is_lost() {
    let expect = "expect = { match = 'ready\\n', within_ms = 300 }";
    for text in [FILE.replace("quiet_ms = 0", expect), FILE.replace("quiet_ms = 0", "quiet_ms = 9")]
    {
        let (all, in_last_step) = lines_of_check(&text);
        assert!(in_last_step > 10, "{in_last_step}");
        for last in all - in_last_step..all - 1 {
            let report = checked_until(&text, last);
            let first =
                report.findings.first().unwrap_or_else(|| panic!("{last} of {all}: {text}"));
            assert_eq!((first.kind, first.is_wrong()), (FindingKind::Fault, true), "{first:#?}");
            let says = [
                "no reset has worked since the word `",
                "the device has stopped answering: `look`",
            ];
            assert!(
                says.iter().any(|it| first.text.starts_with(it)),
                "{last} of {all}: {first:#?}"
            );
            assert!(report.is_cut_short || first.text.contains("stopped"), "{last} of {all}");
        }
    }
}

#[test]
fn a_device_that_hears_no_reset_for_some_seconds_is_not_lost() {
    let text = FILE.replace("quiet_ms = 0", "expect = { match = 'ready\\n', within_ms = 100 }");
    let mut words = Vec::new();
    for (deaf, is_lost) in [(5, false), (60, false), (9999, true)] {
        let mut lamp = speaking_lamp();
        let answer = |line: &str, number| {
            if (100..100 + deaf).contains(&number) { Vec::new() } else { lamp(line, number) }
        };
        let report = checked_while(&text, answer, |_| true);
        let says = |it: &Finding| it.text.starts_with("no reset has worked since the word `");
        assert_eq!(report.findings.iter().any(says), is_lost, "{deaf}: {:#?}", report.findings);
        words.push(report.evidence.words());
    }
    assert!(words[1] < words[0] + 20, "resets of a busy device begin no words: {words:?}");
}

#[test]
fn a_device_is_lost_if_no_reset_works_for_ten_seconds() {
    let text = FILE.replace("quiet_ms = 0", "expect = { match = 'ready\\n', within_ms = 1000 }");
    // Each takes a second. The first five are those of words.
    for (deaf, is_lost) in [(14, false), (15, true)] {
        let (mut lamp, mut resets) = (speaking_lamp(), 0);
        let answer = |line: &str, number| {
            resets += u32::from(line == "reset" && number >= 100);
            if (1..=deaf).contains(&resets) { Vec::new() } else { lamp(line, number) }
        };
        let report = checked_while(&text, answer, |_| true);
        let says = |it: &Finding| it.text.starts_with("no reset has worked since the word `");
        assert_eq!(report.findings.iter().any(says), is_lost, "{deaf}: {:#?}", report.findings);
    }
}

#[test]
fn a_reset_that_fails_once_in_the_last_step_is_counted() {
    let text = FILE.replace("quiet_ms = 0", "expect = { match = 'ready\\n', within_ms = 300 }");
    let (all, in_last_step) = lines_of_check(&text);
    let mut counted = 0;
    for failing in all - in_last_step + 1..all {
        let mut lamp = speaking_lamp();
        let answer = |line: &str, number| {
            let reaction = lamp(line, number);
            if number == failing && line == "reset" { Vec::new() } else { reaction }
        };
        let report = checked_while(&text, answer, |_| true);
        let is_fault = |it: &&Finding| it.kind.is_fault();
        let fault = report.findings.iter().find(is_fault);
        counted += u32::from(fault.is_some());
        assert!(
            fault.is_none_or(|it| !it.is_wrong() && it.text.contains("all worked")),
            "{fault:?}"
        );
    }
    assert!(counted > 4, "{counted}");
}

#[test]
fn a_reset_that_fails_twice_in_the_last_step_is_counted_twice() {
    let text = FILE.replace("quiet_ms = 0", "expect = { match = 'ready\\n', within_ms = 300 }");
    let (all, in_last_step) = lines_of_check(&text);
    let mut most = 0;
    for first in all - in_last_step + 1..all {
        let (mut lamp, mut lost) = (speaking_lamp(), 0);
        let answer = |line: &str, number| {
            let reaction = lamp(line, number);
            let is_lost = line == "reset" && (first..=first + 1).contains(&number);
            lost += u32::from(is_lost);
            if is_lost { Vec::new() } else { reaction }
        };
        let report = checked_while(&text, answer, |_| true);
        let counted = report.evidence.faults.iter().map(|failed| failed.count()).sum();
        assert!(counted <= lost, "{counted} of {lost} from {first} on: {:#?}", report.findings);
        most = most.max(counted);
    }
    assert_eq!(most, 2);
}

/// Checks a lamp that answers with frames, and with broken ones to these lines. Returns how many lines it got.
fn checked_with_broken_frames(broken: Range<u32>) -> (Checked, u32) {
    let text = FILE.replace("lines = 1", "length = 4\nwithin_ms = 50\nchecksum = 'sum8'");
    let (mut lamp, lines) = (lamp(true), Rc::<Cell<u32>>::default());
    let last = Rc::clone(&lines);
    let answer = move |line: &str, number| {
        lines.set(number);
        let frame = |(ms, it): (u64, &[u8])| match it {
            _ if broken.contains(&number) => (ms, &b"\x01\x01\x01\xff"[..]),
            b"on\n" => (ms, &b"\x01\x01\x01\x03"[..]),
            _ => (ms, &b"\x01\x01\x02\x04"[..]),
        };
        lamp(line, number).into_iter().map(frame).collect()
    };
    let report = checked_while(&text, answer, |_| true);
    (report, last.get())
}

#[test]
fn a_device_that_answers_with_broken_frames_has_not_stopped_answering() {
    let (_, all) = checked_with_broken_frames(0..0);
    for first in all - 10..all - 1 {
        let (report, _) = checked_with_broken_frames(first..u32::MAX);
        let fault = report.findings.iter().find(|it| it.kind == FindingKind::Fault);
        let fault = fault.unwrap_or_else(|| panic!("{first} of {all}: {:#?}", report.findings));
        assert!(!fault.text.contains("stopped answering"), "{first} of {all}: {fault:#?}");
    }
}

#[test]
fn a_word_that_fails_twice_in_the_last_step_is_counted() {
    let (report, all) = checked_with_broken_frames(0..0);
    assert_eq!(report.findings, []);
    for first in all - 10..all - 2 {
        let (report, _) = checked_with_broken_frames(first..first + 7);
        let fault = report.findings.iter().find(|it| it.kind == FindingKind::Fault);
        assert!(fault.is_some_and(|it| it.is_wrong()), "{first} of {all}: {:#?}", report.findings);
    }
}
