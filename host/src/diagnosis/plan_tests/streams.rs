//! A device that goes on speaking after one of its inputs.

use super::late_actions::checked_at;
use super::*;

const METER: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nexpect = { match = 'ready\\n$', within_ms = 500 }\nquiet_ms = 0\n[reply]\nlines = 1\n\
                     within_ms = 200\n[inputs]\ngo = \"go\\n\"\nwatch = \"watch\\n\"\noff = \"off\\n\"\n";

/// Checks a meter: from `watch` on, it says one of these after the other every 80 ms, this number of times, until it is told
/// something else.
fn checked_meter(text: &str, values: [&'static [u8]; 2], times: u64) -> Checked {
    checked_speaker(text, values, times, |_| Vec::new())
}

/// The same with what comes after the answers to other inputs, too.
fn checked_speaker(
    text: &str,
    values: [&'static [u8]; 2],
    times: u64,
    also: impl Fn(&str) -> Reaction,
) -> Checked {
    let mut state = 0;
    checked_with(text, move |line| match line {
        "reset" => {
            state = 0;
            vec![(1, b"ready\n")]
        }
        "go" => {
            state = (state + 1) % 3;
            [vec![(1, &[b"ok 0\n", b"ok 1\n", b"ok 2\n"][state][..])], also(line)].concat()
        }
        "watch" => [vec![(1, &b"ok\n"[..])], said(values, times)].concat(),
        _ => [vec![(1, &b"ok\n"[..])], also(line)].concat(),
    })
}

/// One of these lines after the other every 80 ms, this number of times.
fn said(values: [&'static [u8]; 2], times: u64) -> Reaction {
    (1..=times).map(|n| (80 * n, values[usize::from(n % 3 == 0)])).collect()
}

/// Checks a device that stops what it is saying when it is reset, and at `off`.
fn checked_with(text: &str, mut answer: impl FnMut(&str) -> Reaction) -> Checked {
    let lost = Rc::new(Cell::new(false));
    let loses = Rc::clone(&lost);
    let mut link = link_to(move |line, _| {
        loses.set(matches!(line, "reset" | "off"));
        answer(line)
    });
    link.is_lost = lost;
    checked_at(text, link, &mut |_| true)
}

#[test]
fn what_comes_again_and_again_is_taken_out() {
    let meter = |text: &str| checked_meter(text, [b"v=401\n", b"v=39\n"], 300);
    let report = meter(METER);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert!(found.kind == FindingKind::Unasked && found.is_wrong(), "{found:#?}");
    let start = "after `watch` the device goes on speaking: ";
    assert!(found.text.starts_with(start), "{}", found.text);
    assert!(found.text.contains(r"strip = ['v=\d+\r?\n']"), "{}", found.text);
    let mended = mended_by(METER, found);
    let report = meter(&mended);
    assert!(report.findings.iter().all(|it| !it.is_wrong()), "{mended}\n{:#?}", report.findings);
}

#[test]
fn lines_of_one_kind_are_taken_out_once() {
    let said = |n: u64| (80 * n, &b"v=12\n"[..]);
    let also = move |line: &str| match line {
        "go" => (1..300).map(said).collect(),
        _ => Vec::new(),
    };
    let report = checked_speaker(METER, [b"v=401\n", b"v=39\n"], 300, also);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert!(found.text.starts_with("after `go` and `watch` the device goes on"), "{}", found.text);
    assert!(found.text.ends_with("Or leave `go` and `watch` out"), "{}", found.text);
    assert!(found.text.contains(r"strip = ['v=\d+\r?\n']"), "{}", found.text);
}

#[test]
fn a_few_lines_are_no_stream() {
    // One in the second half of the time, and one in the first.
    let rare: Vec<_> = (0..40).map(|n| 80 + 1500 * n).collect();
    let later: Vec<_> = [80].into_iter().chain((0..40).map(|n| 2100 + 100 * n)).collect();
    for times in [rare, later] {
        let also = |line: &str| match line {
            "go" => times.iter().map(|&ms| (ms, &b"v=12\n"[..])).collect(),
            _ => Vec::new(),
        };
        let report = checked_speaker(METER, [b"v=401\n", b"v=39\n"], 0, also);
        let is_stream =
            |it: &Finding| it.text.starts_with("after `go` the device goes on speaking");
        assert!(!report.findings.iter().any(is_stream), "{:#?}", report.findings);
    }
}

#[test]
fn what_is_an_answer_elsewhere_is_never_taken_out() {
    // In two pieces.
    let also = |line: &str| match line {
        "off" => vec![(2, &b"v="[..]), (3, b"40\n")],
        _ => Vec::new(),
    };
    let text =
        METER.replace("off = \"off\\n\"", "off = { text = \"off\\n\", reply = { lines = 2 } }");
    let report = checked_speaker(&text, [b"v=401\n", b"v=39\n"], 300, also);
    assert!(!report.findings.is_empty());
    for found in &report.findings {
        assert!(!matches!(found.change, Some(Change::Strip(_))), "{found:#?}");
    }
}

/// Bytes with a carriage return among them are no lines.
#[test]
fn frames_are_no_lines() {
    for go in [&b"ok 0\n"[..], b"ok"] {
        let text = METER
            .replace("lines = 1", "length = 2")
            .replace("match = 'ready\\n$'", "match = 'ready'");
        let report =
            checked_speaker(&text, [b"\x80\r\x01\x02", b"\x80\r\x01\x02"], 300, move |_| {
                vec![(2, go)]
            });
        for found in &report.findings {
            assert!(!matches!(found.change, Some(Change::Strip(_))), "{found:#?}");
        }
    }
}

#[test]
fn what_is_over_or_of_several_kinds_is_no_stream() {
    for (values, times) in [([&b"v=401\n"[..], b"v=39\n"], 2), ([b"v=401\n", b"on\n"], 300)] {
        let report = checked_meter(METER, values, times);
        let found = report.findings.iter().find(|it| it.is_wrong()).expect("a finding");
        assert_eq!(found.kind, FindingKind::LateBytes, "{:#?}", report.findings);
    }
}

/// Checks a device that goes on speaking after `watch`, and says `v=` in place of its next answer.
fn checked_with_values_in_place_of_answers() -> Checked {
    let mut watches = false;
    checked_with(METER, move |line| {
        let watched = std::mem::replace(&mut watches, line == "watch");
        match line {
            "reset" => vec![(1, &b"ready\n"[..])],
            "watch" => [vec![(1, &b"ok\n"[..])], said([b"v=401\n", b"v=39\n"], 300)].concat(),
            _ if watched => vec![(1, b"v=40\n"), (2, b"ok\n")],
            _ => vec![(1, b"ok\n")],
        }
    })
}

#[test]
fn what_comes_in_place_of_later_answers_is_taken_out() {
    let report = checked_with_values_in_place_of_answers();
    let found = report.findings.iter().find(|it| it.text.contains(" the device goes on speaking"));
    let found = found.unwrap_or_else(|| panic!("{:#?}", report.findings));
    assert_eq!(found.change, Some(Change::Strip(r"v=\d+\r?\n".to_owned())), "{}", found.text);
}

#[test]
fn what_the_input_itself_is_answered_with_is_never_taken_out() {
    let report = checked_with(METER, |line| match line {
        "reset" => vec![(1, &b"ready\n"[..])],
        "watch" => [vec![(1, &b"v=400\n"[..])], said([b"v=401\n", b"v=39\n"], 300)].concat(),
        _ => vec![(1, b"ok\n")],
    });
    assert!(!report.findings.is_empty());
    for found in &report.findings {
        assert!(!matches!(found.change, Some(Change::Strip(_))), "{found:#?}");
    }
}

#[test]
fn an_input_that_begins_a_stream_after_two_words_is_named_once() {
    let report = checked_with_values_in_place_of_answers();
    for found in &report.findings {
        assert!(!found.text.contains("`watch` and `watch`"), "{}", found.text);
    }
}

/// A display whose `page` is silent, and that says now and then which field was touched.
#[test]
fn a_frame_that_comes_now_and_then_after_a_silent_input_is_no_garbled_silence() {
    let text = METER.replace("lines = 1", "match = '\\xff\\xff$'").replace("watch", "page");
    let text = ["go", "page", "off"].into_iter().fold(text, |text, name| {
        text.replace(&format!("\"{name}\\n"), &format!("\"\\u0002{name}\\n"))
    });
    let mut asked = 0;
    let report = checked_with(&text, move |line| {
        let line = line.trim_start_matches('\x02');
        asked += u32::from(line == "page");
        match line {
            "reset" => vec![(1, &b"ready\n"[..])],
            "page" if asked % 31 == 7 => vec![(1, b"\x65\x01\x03\xff\xff")],
            "page" => Vec::new(),
            _ => vec![(1, b"\x71\x01\xff\xff")],
        }
    });
    let texts: Vec<_> = report.findings.iter().map(|found| found.text.as_str()).collect();
    assert!(!texts.iter().any(|text| text.contains("garbled")), "{texts:#?}");
    let part = "page`, which has no answer otherwise. If the device says that by itself, `strip`";
    assert!(texts.iter().any(|text| text.contains(part)), "{texts:#?}");
}
