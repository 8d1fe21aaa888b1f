//! Devices that answer before they have done what they were told.

use std::collections::BTreeSet;

use fastrand::Rng;

use super::*;
use crate::device::Pauses;

/// What a fake device is to do at some time, in ms.
pub(super) type Due = (u128, bool);

/// Switches the lamp as it was to be switched by now.
pub(super) fn do_what_is_due(now: u128, on: &mut bool, due: &mut Vec<Due>) {
    due.sort_unstable();
    due.retain(|(at, to)| {
        if *at <= now {
            *on = *to;
        }
        *at > now
    });
}

/// Checks a lamp that switches only some ms after `press` was answered, or after the reset.
fn lamp_that_acts_late(text: &str, press_ms: u128, reset_ms: u128) -> Checked {
    slow_lamp_that_acts_late(text, [press_ms, reset_ms], 3, |_| false)
}

/// The same with answers that take some ms. `is_wrong` says whether a line gets a wrong answer.
fn slow_lamp_that_acts_late(
    text: &str,
    delays: [u128; 2],
    answer_ms: u64,
    is_wrong: impl FnMut(&str) -> bool,
) -> Checked {
    checked_by_clock(text, late_lamp(delays, answer_ms, is_wrong))
}

/// Such a lamp.
fn late_lamp(
    [press_ms, reset_ms]: [u128; 2],
    answer_ms: u64,
    mut is_wrong: impl FnMut(&str) -> bool,
) -> impl FnMut(&str, u128, &mut bool, &mut Vec<Due>) -> Reaction {
    move |line, now, on, due| {
        do_what_is_due(now, on, due);
        let answer: &[u8] = match line {
            "reset" => {
                due.push((now + reset_ms, false));
                return Vec::new();
            }
            "press" => {
                due.push((now + press_ms, true));
                b"ok\n"
            }
            line if is_wrong(line) => b"pang\n",
            "ping" => b"pong\n",
            _ if *on => b"on\n",
            _ => b"off\n",
        };
        vec![(answer_ms, answer)]
    }
}

/// Checks a device that sees the time.
pub(super) fn checked_by_clock(
    text: &str,
    answer: impl FnMut(&str, u128, &mut bool, &mut Vec<Due>) -> Reaction,
) -> Checked {
    checked_by_clock_while(text, answer, |_| true)
}

/// The same while `go_on` returns true.
fn checked_by_clock_while(
    text: &str,
    mut answer: impl FnMut(&str, u128, &mut bool, &mut Vec<Due>) -> Reaction,
    mut go_on: impl FnMut(&CheckProgress) -> bool,
) -> Checked {
    let now: Rc<Cell<u128>> = Rc::default();
    let (mut on, mut due) = (false, Vec::new());
    let clock = Rc::clone(&now);
    let mut link = FakeLink::new(move |deed: &LinkAct| match deed {
        LinkAct::Sent(bytes) => {
            let line = std::str::from_utf8(bytes).expect("text").trim_end();
            answer(line, clock.get(), &mut on, &mut due)
        }
        _ => Vec::new(),
    });
    link.acted_ms = now;
    checked_at(text, link, &mut go_on)
}

/// Checks the device at a link while `go_on` returns true.
pub(super) fn checked_at(
    text: &str,
    link: impl TimedLink,
    go_on: &mut dyn FnMut(&CheckProgress) -> bool,
) -> Checked {
    checked_after(text, link, None, go_on)
}

/// The same after an earlier check that has seen something change for good.
pub(super) fn checked_after(
    text: &str,
    link: impl TimedLink,
    earlier_change: Option<LastingChange>,
    go_on: &mut dyn FnMut(&CheckProgress) -> bool,
) -> Checked {
    let device = DeviceFile::parse(Path::new("lamp.toml"), text).expect("a device file");
    let file = EditableDeviceFile::new(device.clone(), text).expect("TOML");
    let inputs = device.inputs.iter().map(|input| input.name.clone()).collect();
    let mut sul = SerialSul::new(Traced::new(link), device).expect("a device");
    let setup =
        CheckSetup { inputs, file: Some(file), words: Vec::new(), earlier_change, rounds: 5 };
    check(&mut sul, setup, go_on).expect("the device stays")
}

/// The pauses that a check proposes, and the file with them.
fn proposed(text: &str, report: &Checked) -> (Pauses, String) {
    let [Finding { kind: FindingKind::ActsLate, change: Some(change), .. }] = &report.findings[..]
    else {
        panic!("{:#?}", report.findings);
    };
    let device = DeviceFile::parse(Path::new("lamp.toml"), text).expect("a device file");
    let mut file = EditableDeviceFile::new(device, text).expect("TOML");
    file.apply(change);
    let Change::Pause(pauses) = change else { panic!("{change:?}") };
    (pauses.clone(), file.text())
}

#[test]
fn an_input_that_acts_after_its_answer_gets_a_pause() {
    let report = lamp_that_acts_late(FILE, 150, 0);
    let (pauses, better) = proposed(FILE, &report);
    let text = &report.findings[0].text;
    assert!(text.starts_with("`press` acts only after the answer."), "{text}");
    let ms = pauses.time.as_millis();
    assert!(!pauses.after_reset && (150..=400).contains(&ms), "{pauses:?}");
    let own = format!("press = {{ text = \"press\\n\", reply = {{ settle_ms = {ms} }} }}");
    assert!(better.contains(&own), "{better}");
    let report = lamp_that_acts_late(&better, 150, 0);
    assert_eq!(report.findings, [], "{better}");
}

#[test]
fn a_reset_that_acts_after_a_while_gets_a_pause() {
    let report = lamp_that_acts_late(FILE, 0, 300);
    let (pauses, better) = proposed(FILE, &report);
    let text = &report.findings[0].text;
    assert!(text.starts_with("the reset acts only after a while."), "{text}");
    assert!(pauses.after_reset && pauses.after_inputs.is_empty(), "{pauses:?}");
    assert!(better.contains("quiet_ms = 750"), "{better}");
    assert_eq!(lamp_that_acts_late(&better, 0, 300).findings, [], "{better}");
}

#[test]
fn pauses_are_no_remedy_for_devices_that_answer_at_random_or_that_a_reset_does_not_reach() {
    let kinds = |report: &Checked| -> Vec<_> { report.findings.iter().map(|it| it.kind).collect() };
    assert_eq!(kinds(&checked(lamp(false))), [FindingKind::ResetLeaves]);
    for seed in 0..8 {
        let mut rng = Rng::with_seed(seed);
        let report = checked(move |line, _| match line {
            "reset" => Vec::new(),
            "look" if rng.u32(..3) == 0 => vec![(1, &b"on\n"[..])],
            "look" => vec![(1, b"off\n")],
            _ => vec![(1, b"ok\n")],
        });
        assert!(!kinds(&report).contains(&FindingKind::ActsLate), "{:#?}", report.findings);
    }
    // A clock that no pause stops.
    let report = checked_by_clock(FILE, |line, now, _, _| match line {
        "reset" => Vec::new(),
        _ if now / 700 % 2 == 0 => vec![(1, &b"tick\n"[..])],
        _ => vec![(1, b"tock\n")],
    });
    assert!(!kinds(&report).contains(&FindingKind::ActsLate), "{:#?}", report.findings);
}

/// What a check proposes for a file, if it proposes pauses.
fn proposed_pauses(report: &Checked) -> Option<&Pauses> {
    report.findings.iter().find_map(|it| match &it.change {
        Some(Change::Pause(pauses)) => Some(pauses),
        _ => None,
    })
}

/// Whether no answers differ in a check of the file with these pauses.
fn is_mended(text: &str, pauses: &Pauses, check_again: impl Fn(&str) -> Checked) -> bool {
    let device = DeviceFile::parse(Path::new("lamp.toml"), text).expect("a device file");
    let mut file = EditableDeviceFile::new(device, text).expect("TOML");
    file.apply(&Change::Pause(pauses.clone()));
    let is_other = |it: &Finding| {
        matches!(
            it.kind,
            FindingKind::ActsLate | FindingKind::ResetLeaves | FindingKind::ChangingOutput
        )
    };
    !check_again(&file.text()).findings.iter().any(is_other)
}

const PING: &str = "\nping = \"ping\\n\"";

/// Checks lamps of which `press`, or the reset, acts after each of these delays, in ms. What is proposed names only that, is
/// long enough, and mends the file.
fn check_proposals(delays: impl Iterator<Item = u128> + Clone, of_reset: bool) {
    let (mut wrong, mut proposals) = (Vec::new(), 0);
    for ping in ["", PING] {
        let text = FILE.to_owned() + ping;
        for delay in delays.clone() {
            for answer_ms in [3, 40, 120] {
                let times = if of_reset { [0, delay] } else { [delay, 0] };
                let lamp = |text: &str| slow_lamp_that_acts_late(text, times, answer_ms, |_| false);
                let report = lamp(&text);
                let Some(pauses) = proposed_pauses(&report) else { continue };
                proposals += 1;
                let inputs = if of_reset { BTreeSet::new() } else { [1].into() };
                let is_right = pauses.after_reset == of_reset && pauses.after_inputs == inputs;
                // `press` acts so long after it was sent, and a pause begins after its answer.
                let answered = if of_reset { 0 } else { u128::from(answer_ms) };
                let is_enough = pauses.time.as_millis() + answered >= delay;
                if !is_right || !is_enough || !is_mended(&text, pauses, lamp) {
                    wrong.push((ping, delay, answer_ms, pauses.clone()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(proposals >= 80, "{proposals}");
}

#[test]
fn proposed_pauses_are_long_enough_whatever_the_delay() {
    check_proposals((20..1000).step_by(35).chain((1000..2000).step_by(235)), false);
}

#[test]
fn proposed_pauses_after_the_reset_are_long_enough_whatever_the_delay() {
    check_proposals((20..1000).step_by(35), true);
}

#[test]
fn no_other_input_is_named_where_answers_are_wrong_at_times() {
    let text = FILE.to_owned() + PING;
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let is_wrong = move |line: &str| line == "ping" && rng.u32(..40) == 0;
        let report = slow_lamp_that_acts_late(&text, [150, 0], 3, is_wrong);
        let Some(pauses) = proposed_pauses(&report) else { continue };
        assert_eq!((pauses.after_reset, &pauses.after_inputs), (false, &[1].into()), "{seed}");
    }
}

#[test]
fn a_longer_settle_stays() {
    let own = "press = { text = \"press\\n\", reply = { settle_ms = 2000 } }";
    let texts = [
        FILE.replace("press = \"press\\n\"", own),
        FILE.replace("lines = 1", "lines = 1\nsettle_ms = 2000"),
    ];
    for text in texts {
        let device = DeviceFile::parse(Path::new("lamp.toml"), &text).expect("a device file");
        let mut file = EditableDeviceFile::new(device, &text).expect("TOML");
        let time = Duration::from_millis(400);
        file.apply(&Change::Pause(Pauses { time, after_reset: false, after_inputs: [1].into() }));
        assert!(!file.text().contains("settle_ms = 400"), "{}", file.text());
    }
}

#[test]
fn where_replies_may_go_on_late_no_reset_is_said_to_act_late() {
    for late in ["output", "reply"] {
        let text = FILE.replace("lines = 1", &format!("lines = 1\nlate = \"{late}\""));
        let report = checked_by_clock(&text, |line, _, _, _| match line {
            "reset" => Vec::new(),
            "press" => vec![(3, &b"ok\n"[..]), (150, b"done\n")],
            _ => vec![(3, b"off\n")],
        });
        let is_late = |it: &Finding| it.kind == FindingKind::ActsLate;
        assert!(!report.findings.iter().any(is_late), "{late}: {:#?}", report.findings);
    }
}

/// How many words have shown that the proposed pauses help, as the finding says.
fn proved_words(report: &Checked) -> Option<usize> {
    let found = report.findings.iter().find(|it| matches!(it.change, Some(Change::Pause(_))))?;
    let (_, end) = found.text.split_once("With this, ")?;
    end.split(' ').next()?.parse().ok()
}

#[test]
fn an_input_and_the_reset_get_a_pause_where_both_act_late() {
    for text in [FILE.to_owned(), FILE.to_owned() + PING] {
        let lamp = |text: &str| lamp_that_acts_late(text, 150, 60);
        let report = lamp(&text);
        let pauses = proposed_pauses(&report).unwrap_or_else(|| panic!("{:#?}", report.findings));
        assert!(pauses.after_reset && pauses.after_inputs == [1].into(), "{pauses:?}");
        assert!(is_mended(&text, pauses, lamp), "{pauses:?}");
    }
}

#[test]
fn pauses_that_a_file_has_stay_while_others_are_tried() {
    let own = "press = { text = \"press\\n\", reply = { settle_ms = 400 } }";
    let text = FILE.replace("press = \"press\\n\"", own);
    let report = lamp_that_acts_late(&text, 300, 300);
    let pauses = proposed_pauses(&report).unwrap_or_else(|| panic!("{:#?}", report.findings));
    assert!(pauses.after_reset && pauses.after_inputs.is_empty(), "{pauses:?}");
}

#[test]
fn an_input_whose_reply_goes_on_late_gets_a_pause_and_not_the_reset() {
    for at in [10, 50] {
        let text = FILE.replace("lines = 1", "lines = 1\nlate = \"output\"");
        let report = checked_by_clock(&text, |line, _, _, _| match line {
            "reset" => Vec::new(),
            "press" => vec![(3, &b"ok\n"[..]), (at, b"done\n")],
            _ => vec![(3, b"off\n")],
        });
        let pauses = proposed_pauses(&report).unwrap_or_else(|| panic!("{:#?}", report.findings));
        assert!(!pauses.after_reset && pauses.after_inputs == [1].into(), "{at}: {pauses:?}");
    }
}

#[test]
fn answers_that_come_too_late_for_a_time_out_get_no_pause() {
    // It is busy for a while after `press`.
    let text = FILE.replace("lines = 1", "lines = 1\nwithin_ms = 100");
    let mut pressed = 0;
    let report = checked_by_clock(&text, move |line, now, _, _| match line {
        "reset" => Vec::new(),
        "press" => {
            pressed = now;
            vec![(3, &b"ok\n"[..])]
        }
        _ if now < pressed + 300 => vec![(400, b"off\n")],
        _ => vec![(3, b"off\n")],
    });
    assert_eq!(proposed_pauses(&report), None);
    assert!(report.findings.iter().any(|it| it.kind == FindingKind::ShortTimeOut));
}

#[test]
fn pauses_are_proposed_only_when_words_have_shown_that_they_help() {
    let ended = |end| {
        let lamp = late_lamp([150, 0], 3, |_| false);
        checked_by_clock_while(FILE, lamp, |progress| progress.asked < end)
    };
    let whole = ended(u32::MAX);
    let asked = whole.evidence.words();
    assert!(proved_words(&whole) > Some(1), "{:#?}", whole.findings);
    for end in asked.saturating_sub(80)..asked {
        let report = ended(end);
        assert_ne!(proved_words(&report), Some(0), "{end}: {:#?}", report.findings);
    }
}

/// How much longer the last word of a trial may take.
pub(super) const LAST_WORD: Duration = Duration::from_secs(10);

/// How long looking for the reason of a difference and asking slower words take, and how long they take at most, as a check
/// says before.
pub(super) fn time_of_trials(
    answer_ms: u64,
    delays: [u128; 2],
    is_wrong: impl FnMut(&str) -> bool,
) -> [Duration; 2] {
    let text = FILE.replace("lines = 1", "lines = 1\nwithin_ms = 9000") + PING;
    let (mut began, mut at_most) = (None, Duration::ZERO);
    let now: Rc<Cell<u128>> = Rc::default();
    let mut lamp = late_lamp(delays, answer_ms, is_wrong);
    let clock = Rc::clone(&now);
    let device = move |line: &str, now, on: &mut bool, due: &mut Vec<Due>| {
        clock.set(now);
        lamp(line, now, on, due)
    };
    checked_by_clock_while(&text, device, |progress| {
        match progress.stage {
            CheckStage::First | CheckStage::Explore | CheckStage::Repeat => {
                at_most = progress.trials + progress.left;
            }
            CheckStage::Compare => {
                assert_eq!(progress.trials, Duration::ZERO, "told twice");
                began.get_or_insert(now.get());
            }
        }
        true
    });
    let took = now.get() - began.expect("a trial");
    [Duration::from_millis(u64::try_from(took).expect("a time")), at_most]
}

#[test]
fn trials_take_no_longer_than_a_check_says() {
    for answer_ms in [300, 1500] {
        for (delays, every) in [([0, 400], u32::MAX), ([0, 900], u32::MAX), ([0, 0], 3)] {
            let mut rng = Rng::with_seed(1);
            let is_wrong = move |_: &str| rng.u32(..every) == 0;
            let [took, at_most] = time_of_trials(answer_ms, delays, is_wrong);
            assert!(took <= at_most + LAST_WORD, "{answer_ms} {delays:?}: {took:?}, {at_most:?}");
        }
    }
}

#[test]
fn answers_that_chance_decides_get_no_pauses() {
    for every in [5, 6] {
        for seed in 30..70 {
            let mut rng = Rng::with_seed(seed);
            let is_wrong = move |line: &str| line == "look" && rng.u32(..every) == 0;
            let report = slow_lamp_that_acts_late(FILE, [0, 0], 3, is_wrong);
            assert_eq!(proposed_pauses(&report), None, "one of {every}, {seed}");
        }
    }
}
