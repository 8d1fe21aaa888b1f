//! Devices that are checked: with a clock of their own, so that no test ever waits.

use std::path::Path;

use super::*;
use crate::device::Device;
use crate::serial::fake::{Deed, FakeLink, Reaction};

const FILE: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n\
                    [reply]\nlines = 1\n[inputs]\nlook = \"look\\n\"\npress = \"press\\n\"";

/// What the check finds of a device that answers lines so; the lines are counted.
fn checked(answer: impl FnMut(&str, u32) -> Reaction) -> Report {
    checked_while(answer, |_, _| true)
}

/// The same, while `go_on` says so.
fn checked_while(
    mut answer: impl FnMut(&str, u32) -> Reaction,
    go_on: impl FnMut(u32, u32) -> bool,
) -> Report {
    let mut lines = 0;
    let link = FakeLink::new(move |deed: &Deed| match deed {
        Deed::Sent(bytes) => {
            lines += 1;
            answer(std::str::from_utf8(bytes).expect("text").trim_end(), lines)
        }
        _ => Vec::new(),
    });
    let device = Device::parse(Path::new("lock.toml"), FILE).expect("a device file");
    let mut sul = SerialSul::new(Traced::new(link), device).expect("a device");
    check(&mut sul, 5, go_on).expect("the device stays")
}

/// A lamp whose switch is pressed; `resets` says whether a reset switches it off.
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
    assert_eq!((report.words, &report.findings[..]), (20, &[][..]));
    let answers: Vec<_> = report.answers.iter().flatten().collect();
    assert_eq!(answers, [r"off\n", r"on\n"]);
    assert_eq!(report.timings[0].wait.longest, Duration::from_millis(3));
}

#[test]
fn a_reset_that_leaves_something_is_found_with_what_it_leaves() {
    let report = checked(lamp(false));
    let Finding::ResetLeaves { answers, after } = &report.findings[0] else {
        panic!("{:?}", report.findings);
    };
    assert_eq!(answers.word, [Input::new(0)]);
    assert_ne!(after[0], after[1]);
}

#[test]
fn looking_into_a_finding_is_counted_and_can_be_ended() {
    let mut last = (0, 0);
    let whole = checked_while(lamp(false), |asked, total| {
        last = (asked, total);
        true
    });
    assert!(last.0 > 20 && last.0 < last.1 && whole.words <= last.1, "{last:?}");
    for end in [10, 20, 21] {
        let report = checked_while(lamp(false), |asked, _| asked < end);
        // Between two of its questions are at most three words.
        assert!(report.words < end + 3, "{} words, ended at {end}", report.words);
        assert_eq!(report.findings, []);
    }
}

#[test]
fn what_is_stored_for_good_is_found_too() {
    // From the first press on, whatever is done.
    let mut broken = false;
    let report = checked(move |line, _| {
        let was = broken;
        broken |= line == "press";
        match line {
            "reset" => Vec::new(),
            _ if was => vec![(1, b"broken\n")],
            _ => vec![(1, b"fine\n")],
        }
    });
    let found = matches!(&report.findings[..], [Finding::ResetLeaves { .. }, ..]);
    assert!(found, "{:?}", report.findings);
}

#[test]
fn a_counter_in_an_answer_is_pointed_at() {
    let answers: Vec<_> = (0..1000).map(|n| format!("up {n} s\n").leak().as_bytes()).collect();
    let report = checked(move |line, number| match line {
        "look" => vec![(1, answers[number as usize])],
        "press" => vec![(1, b"ok\n")],
        _ => Vec::new(),
    });
    // Once, though many words show it.
    let [Finding::Unstable { answers, varying: Some(varying) }] = &report.findings[..] else {
        panic!("{:?}", report.findings);
    };
    assert_eq!(answers.word, [Input::new(0)]);
    assert_eq!(varying.pattern, r"up \d+ s");
}

#[test]
fn words_that_fail_are_counted_and_others_still_asked() {
    let report = checked(|line, _| match line {
        "look" => vec![(1, b"one\ntwo\n")],
        "press" => vec![(1, b"ok\n")],
        _ => Vec::new(),
    });
    let faults: u32 = report
        .findings
        .iter()
        .map(|finding| match finding {
            Finding::Fault { message, count } if message.contains("4 bytes came after") => *count,
            other => panic!("{other:?}"),
        })
        .sum();
    assert_eq!(faults, 15, "each word, in each round: {:?}", report.findings);
    assert_eq!(report.timings[0].late, 15, "{:?}", report.timings[0]);
}
