//! Devices whose answers depend on how fast inputs follow each other, though they are stable at any one pace.

use super::late_actions::{
    Due, LAST_WORD, checked_at, checked_by_clock, do_what_is_due, time_of_trials,
};
use super::*;

/// Checks a lamp that `press` switches on after some ms, and off again after some more. A reset ends all that is due.
fn lamp_with_times(on_ms: u128, off_ms: u128) -> Checked {
    slow_lamp_with_times(FILE, 3, on_ms, off_ms)
}

/// The same with this device file and a lamp that takes this long for each answer.
fn slow_lamp_with_times(text: &str, answer_ms: u64, on_ms: u128, off_ms: u128) -> Checked {
    checked_by_clock(text, move |line, now, on: &mut bool, due: &mut Vec<Due>| {
        do_what_is_due(now, on, due);
        match line {
            "reset" => {
                (*on, *due) = (false, Vec::new());
                Vec::new()
            }
            "press" => {
                *due = vec![(now + on_ms, true), (now + on_ms + off_ms, false)];
                vec![(answer_ms, &b"ok\n"[..])]
            }
            _ if *on => vec![(answer_ms, b"on\n")],
            _ => vec![(answer_ms, b"off\n")],
        }
    })
}

fn text_of_the_only_finding(report: &Checked) -> &str {
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert_eq!((finding.kind, finding.is_wrong()), (FindingKind::ActsLate, false));
    assert!(finding.change.is_none(), "nobody knows which of the two it is");
    &finding.text
}

#[test]
fn an_input_that_acts_late_is_found_though_the_reset_ends_it() {
    let report = lamp_with_times(200, 1_000_000);
    let text = text_of_the_only_finding(&report);
    for part in [
        "the last input of `press look` is answered `off\\n`, but `on\\n` when 250 ms pass after the answer to `press`",
        "(125 ms are too short)",
        "settle_ms = 500 in its `reply`",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// Checks a lamp that hears nothing for some ms after its reset.
fn checked_deaf_lamp(text: &str, ms: u128) -> Checked {
    let mut since = 0;
    checked_by_clock(text, move |line, now, on, _| {
        match line {
            "reset" => {
                (*on, since) = (false, now);
                return Vec::new();
            }
            _ if now < since + ms => return Vec::new(),
            "press" => *on = true,
            _ => {}
        }
        vec![(3, if *on { &b"on\n"[..] } else { b"off\n" })]
    })
}

/// Where replies may go on after a reset, a pause there shows nothing of the reset.
#[test]
fn a_reset_is_not_blamed_where_replies_may_be_late() {
    let text = FILE.replace("lines = 1", "lines = 1\nlate = \"output\"");
    let report = checked_deaf_lamp(&text, 100);
    assert!(!report.findings.iter().any(|it| it.text.contains("the reset is over")));
}

#[test]
fn a_reset_that_takes_a_while_is_found_though_no_answer_differs() {
    for (ms, enough) in [(40, 62.5), (100, 125.0), (700, 1000.0)] {
        let report = checked_deaf_lamp(FILE, ms);
        let late = report.findings.iter().find(|it| it.kind == FindingKind::ActsLate);
        let text = &late.unwrap_or_else(|| panic!("{ms}: {:#?}", report.findings)).text;
        let answers = "is answered `(silence)`, but `off\\n` when";
        let after = format!("when {enough:.0} ms pass after the reset");
        let remedy = format!("quiet_ms = {} in [[reset]] gives it the time", enough * 2.0);
        assert!(
            text.contains(answers) && text.contains(&after) && text.contains(&remedy),
            "{text}"
        );
    }
}

#[test]
fn a_time_out_of_the_device_is_found() {
    let report = lamp_with_times(0, 300);
    let text = text_of_the_only_finding(&report);
    assert!(text.contains("is answered `on\\n`, but `off\\n` when 500 ms pass after"), "{text}");
    assert!(text.contains("{ wait_ms = 1000 }"), "{text}");
}

#[test]
fn a_time_that_no_pause_reaches_is_not_found() {
    assert_eq!(lamp_with_times(0, 60_000).findings, []);
}

#[test]
fn an_input_that_acts_late_is_found_though_time_runs_out() {
    let text = FILE.replace("lines = 1", "lines = 1\nwithin_ms = 5000");
    for answer_ms in [3, 300, 1000, 1500] {
        let on_ms = u128::from(answer_ms) + 200;
        let report = slow_lamp_with_times(&text, answer_ms, on_ms, 1_000_000);
        let is_found = report.findings.iter().any(|it| it.kind == FindingKind::ActsLate);
        assert!(is_found, "{answer_ms} ms: {:#?}", report.findings);
    }
}

#[test]
fn an_input_that_acts_almost_a_second_later_is_found() {
    let report = lamp_with_times(800, 1_000_000);
    assert!(text_of_the_only_finding(&report).contains("`on\\n` when 1000 ms pass after"));
}

#[test]
fn an_input_that_acts_late_in_one_state_only_is_found() {
    let file = FILE.replace("look = ", "join = \"join\\n\"\nlook = ");
    let report = checked_by_clock(&file, |line, now, is_joined, due: &mut Vec<Due>| {
        do_what_is_due(now, is_joined, due);
        match line {
            "reset" => {
                (*is_joined, *due) = (false, Vec::new());
                return Vec::new();
            }
            "join" => *is_joined = true,
            "press" if *is_joined && due.is_empty() => due.push((now + 800, false)),
            "look" if *is_joined => return vec![(3, &b"joined\n"[..])],
            "look" => return vec![(3, b"alone\n")],
            _ => {}
        }
        vec![(3, b"ok\n")]
    });
    let late =
        report.findings.iter().find(|it| it.kind == FindingKind::ActsLate).expect("a finding");
    assert!(late.text.contains("`join press look`"), "{}", late.text);
}

/// A lamp that no reset reaches: each `press` toggles it, and each word finds what the one before has left.
#[test]
fn what_outlives_resets_is_no_late_action() {
    let report = checked_by_clock(FILE, |line, _, on: &mut bool, due: &mut Vec<Due>| {
        due.clear();
        match line {
            "reset" => Vec::new(),
            "press" => {
                *on = !*on;
                vec![(3, &b"ok\n"[..])]
            }
            _ if *on => vec![(3, b"on\n")],
            _ => vec![(3, b"off\n")],
        }
    });
    assert!(
        report.findings.iter().all(|it| it.kind != FindingKind::ActsLate),
        "{:?}",
        report.findings
    );
}

#[test]
fn slower_words_are_not_asked_for_long() {
    let [took, _] = time_of_trials(4000, [0, 0], |_| false);
    assert!((50..60 + LAST_WORD.as_secs()).contains(&took.as_secs()), "{took:?}");
}

/// A link to a device that answers lines. Where a reset `stops` it, what it was about to say then does not come.
fn resettable(
    mut answer: impl FnMut(&str) -> Reaction + 'static,
    stops: bool,
) -> FakeLink<'static> {
    let is_lost = Rc::<Cell<bool>>::default();
    let loses = Rc::clone(&is_lost);
    let mut link = link_to(move |line, _| {
        loses.set(loses.get() || stops && line == "reset");
        answer(line)
    });
    link.is_lost = is_lost;
    link
}

/// A lamp that says so long after `press` that it has switched on. A reset switches it off, and stops that or not.
fn slow_switch(ms: u64, stops: bool) -> FakeLink<'static> {
    let mut is_on = false;
    let answer = move |line: &str| match (line, is_on) {
        ("reset", _) => {
            is_on = false;
            Vec::new()
        }
        ("press", false) => {
            is_on = true;
            vec![(3, &b"ok\n"[..]), (ms, b"switched on\n")]
        }
        ("press", true) => vec![(3, &b"ok\n"[..])],
        (_, true) => vec![(3, &b"on\n"[..])],
        (_, false) => vec![(3, &b"off\n"[..])],
    };
    resettable(answer, stops)
}

#[test]
fn what_an_input_says_later_is_never_taken_out() {
    for ms in [50, 300, 800] {
        let report = checked_at(FILE, slow_switch(ms, false), &mut |_| true);
        let is_unasked = |it: &Finding| it.kind == FindingKind::Unasked;
        assert!(!report.findings.iter().any(is_unasked), "{ms}: {:#?}", report.findings);
        let named = "the reply to `press` goes on after its end";
        let names = |it: &Finding| it.kind == FindingKind::LateBytes && it.text.contains(named);
        assert!(report.findings.iter().any(names), "{ms}: {:#?}", report.findings);
    }
}

#[test]
fn an_input_that_says_later_what_it_has_done_is_found() {
    for (ms, quiet) in [(300, 750), (800, 2000)] {
        let report = checked_at(FILE, slow_switch(ms, true), &mut |_| true);
        let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
        let start = "the reply to `press` goes on after its end in some states: after `press`, `switched on\\n` came";
        assert!(found.text.starts_with(start), "{}", found.text);
        let better = mended_by(FILE, found);
        assert!(better.contains(&format!("quiet_ms = {quiet}")), "{better}");
        let report = checked_at(&better, slow_switch(ms, true), &mut |_| true);
        assert_eq!(report.findings, [], "{better}");
    }
}

/// The third `press` says later what it has done: the pauses after two `look` are as long as one after `press`.
#[test]
fn the_input_is_named_whose_text_comes_late() {
    let mut pressed = 0;
    let answer = move |line: &str| match line {
        "reset" => {
            pressed = 0;
            Vec::new()
        }
        "press" => {
            pressed += 1;
            let late = (pressed == 3).then_some((800, &b"switched on\n"[..]));
            [(3, &b"ok\n"[..])].into_iter().chain(late).collect()
        }
        _ => {
            let counts: [&[u8]; 4] = [b"zero\n", b"one\n", b"two\n", b"three\n"];
            vec![(3, counts[pressed.min(3)])]
        }
    };
    let link = resettable(answer, true);
    let report = checked_at(FILE, link, &mut |_| true);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    let start = "the reply to `press` goes on after its end in some states: after `press press press`, `switched on";
    assert!(found.text.starts_with(start), "{}", found.text);
}

/// The lamp says that, but never by itself.
#[test]
fn a_line_that_never_comes_by_itself_may_be_a_late_part_of_an_answer() {
    let link = idle::lamp_with_lines_on_top();
    let report = checked_at(FILE, link, &mut |_| true);
    let found = &report.findings.iter().find(|it| it.kind == FindingKind::Unasked);
    let finding @ Finding { text, change, .. } = found.expect("a line on top");
    // Its answers are not stable, whatever it is.
    assert!(finding.is_wrong() && change.is_none(), "{text}");
    let part = "and never while nothing was asked: it may be a late part of the answer to";
    assert!(text.contains(part), "{text}");
}

/// A server that closes a connection on which nothing is asked.
#[test]
fn an_end_of_the_connection_ends_listening_and_not_the_check() {
    let link = slow_switch(300, false);
    let (is_closed, mut compared) = (Rc::clone(&link.is_closed), 0);
    let report = checked_at(FILE, link, &mut |progress| {
        let compares = progress.stage == CheckStage::Compare;
        is_closed.set(is_closed.get() || compares && compared == 0);
        compared += u32::from(compares);
        true
    });
    assert!(compared > 1 && !report.is_cut_short, "{compared}: {:#?}", report.findings);
}

/// The input before and after `press` is the same: a pause after both shows what `press` says late, and not what they do.
#[test]
fn an_input_around_the_one_that_acts_late_is_not_named() {
    let mut has_key = false;
    let answer = move |line: &str| match line {
        "reset" => {
            has_key = false;
            Vec::new()
        }
        "press" if has_key => vec![(3, &b"ok\n"[..]), (250, b"accepted\n")],
        "press" => vec![(3, &b"no key\n"[..])],
        _ => {
            has_key = true;
            vec![(3, &b"set\n"[..])]
        }
    };
    let link = resettable(answer, true);
    let report = checked_at(FILE, link, &mut |_| true);
    let says = |text| report.findings.iter().any(|it| it.text.contains(text));
    assert!(says("`press`") && !says("Perhaps `look` acts"), "{:#?}", report.findings);
}

/// A reader acknowledges `look`, and says 2.1 s later what it has found.
#[test]
fn the_rest_of_a_reply_after_seconds_is_told_from_an_act() {
    let text =
        FILE.replace("lines = 1", "quiet_ms = 50\nwithin_ms = 1000") + "\nmute = \"mute\\n\"";
    let answer = |line: &str| match line {
        "look" => vec![(4, &b"ack\n"[..]), (2104, b"none\n")],
        "press" => vec![(4, &b"ok\n"[..])],
        _ => Vec::new(),
    };
    let report = checked_at(&text, resettable(answer, true), &mut |_| true);
    let late = report.findings.iter().filter(|it| it.kind == FindingKind::ActsLate);
    let texts: Vec<_> = late.map(|it| it.text.as_str()).collect();
    let [text] = texts[..] else { panic!("{:#?}", report.findings) };
    for part in
        ["The rest of the reply to `look` comes 2.", "`none\\n`", "or a `quiet_ms` above that"]
    {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("settle_ms"), "{text}");
}

/// The boot loader starts an application when nothing has come for 0.8 s after an input. The line that this one says is taken out.
#[test]
fn a_line_that_is_taken_out_is_no_rest_of_a_reply() {
    let text = FILE.replace("lines = 1", "lines = 1\nstrip = ['app\\r?\\n']");
    let clock: Rc<Cell<u128>> = Rc::default();
    let (now, mut since, mut is_app) = (Rc::clone(&clock), 0, false);
    let answer = move |line: &str| -> Reaction {
        let now = now.get();
        is_app = line != "reset" && (is_app || now > since + 800);
        since = now;
        match line {
            "reset" => {
                since = now + 1_000_000;
                Vec::new()
            }
            _ if is_app => vec![(900, &b"app\n"[..])],
            "look" => vec![(3, b"sync\n"), (850, b"app\n")],
            _ => vec![(3, b"ok\n"), (850, b"app\n")],
        }
    };
    let mut link = resettable(answer, true);
    link.acted_ms = clock;
    let report = checked_at(&text, link, &mut |_| true);
    let late = report.findings.iter().find(|it| it.kind == FindingKind::ActsLate);
    let text = &late.unwrap_or_else(|| panic!("{:#?}", report.findings)).text;
    assert!(text.contains("a time-out of the device ran out"), "{text}");
}

/// Checks a loader whose second `press` has this answer, and starts an application that is deaf until it says so, 350 ms later.
fn checked_loader(to_start: &'static [u8]) -> Checked {
    let text = FILE.replace("lines = 1", "lines = 1\nwithin_ms = 200");
    let clock: Rc<Cell<u128>> = Rc::default();
    let (now, mut is_pressed, mut starts_at) = (Rc::clone(&clock), false, u128::MAX);
    let answer = move |line: &str| -> Reaction {
        let (now, is_starting) = (now.get(), starts_at < u128::MAX);
        match line {
            "reset" => (is_pressed, starts_at) = (false, u128::MAX),
            _ if now >= starts_at => return vec![(3, b"?\n")],
            _ if is_starting => {}
            "press" if is_pressed => {
                starts_at = now + 350;
                return vec![(3, to_start), (350, b"app\n")];
            }
            "press" => {
                is_pressed = true;
                return vec![(3, b"ok\n")];
            }
            _ => return vec![(3, b"loader\n")],
        }
        Vec::new()
    };
    let mut link = resettable(answer, true);
    link.acted_ms = clock;
    checked_at(&text, link, &mut |_| true)
}

/// What `press` says by itself is the answer to no other input.
#[test]
fn what_an_input_says_late_makes_no_other_input_slow() {
    let report = checked_loader(b"ok\n");
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert!(found.text.contains("after `press press`, `app\\n` came"), "{}", found.text);
    assert_eq!(found.kind, FindingKind::LateBytes);
    let report = checked_loader(b"");
    let is_slow = |it: &Finding| it.kind == FindingKind::ShortTimeOut;
    assert!(report.findings.iter().any(is_slow), "{:#?}", report.findings);
}
