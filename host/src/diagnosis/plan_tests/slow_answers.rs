//! Checks of devices whose answers begin after `within_ms`.

use super::super::finding::{Change, Key};
use super::late_actions::checked_at;
use super::*;

/// A device file with this time, and a third input.
fn file(within_ms: u32) -> String {
    FILE.replace("lines = 1", &format!("lines = 1\nwithin_ms = {within_ms}"))
        + "\nhide = \"hide\\n\""
}

/// What a check proposes for times, and whether it says anything else that is wrong.
fn times(report: &Checked) -> (Vec<&Change>, bool) {
    let wrong = || report.findings.iter().filter(|it| it.is_wrong());
    let times = wrong().filter(|it| it.kind == FindingKind::ShortTimeOut);
    let is_alone = wrong().all(|it| it.kind == FindingKind::ShortTimeOut);
    (times.filter_map(|it| it.change.as_ref()).collect(), is_alone)
}

/// A lamp that does one thing after the other: what it takes for each, in ms.
fn busy_lamp(takes: fn(&str) -> u64) -> impl FnMut(&str, u32) -> Reaction {
    let mut is_on = false;
    move |line, _| {
        match line {
            "press" => is_on = !is_on,
            "reset" => is_on = false,
            _ => {}
        }
        let answer: &[u8] = match (line, is_on) {
            ("reset", _) => return Vec::new(),
            ("hide", _) => b"hidden\n",
            (_, true) => b"on\n",
            (_, false) => b"off\n",
        };
        vec![(takes(line), answer)]
    }
}

#[test]
fn a_device_that_is_slower_than_the_file_says_gets_more_time_and_no_other_advice() {
    for takes in [|_: &str| 150, |_: &str| 450, |_: &str| 1200] {
        let report = checked_while(&file(100), busy_lamp(takes), |_| true);
        let (changes, is_alone) = times(&report);
        let ms = u128::from(takes(""));
        let [Change::TimeOut { key: Key::Within, input: None, better }] = changes[..] else {
            panic!("{:#?}", report.findings);
        };
        assert!(better.as_millis() >= 2 * ms && is_alone, "{:#?}", report.findings);
        assert!(report.evidence.is_answered() && report.evidence.differences().is_empty());
    }
}

#[test]
fn one_slow_input_gets_a_time_of_its_own() {
    let takes = |line: &str| if line == "hide" { 700 } else { 5 };
    let report = checked_while(&file(100), busy_lamp(takes), |_| true);
    let (changes, is_alone) = times(&report);
    let [Change::TimeOut { key: Key::Within, input: Some(2), better }] = changes[..] else {
        panic!("{:#?}", report.findings);
    };
    assert!(better.as_millis() >= 1400 && is_alone, "{:#?}", report.findings);
}

#[test]
fn what_the_device_says_by_itself_is_no_slow_answer() {
    // After each reset it says the time, each second; `hide` is silent.
    let answer = |line: &str, _| -> Reaction {
        match line {
            "reset" => (1..60).map(|second| (1000 * second, &b"tick\n"[..])).collect(),
            "hide" => Vec::new(),
            _ => vec![(5, b"off\n")],
        }
    };
    let report = checked_while(&file(100), answer, |_| true);
    let (changes, _) = times(&report);
    assert_eq!(changes, Vec::<&Change>::new(), "{:#?}", report.findings);
}

/// Checks a device that answers `look` alone. Returns how many of the first words it waited for, too.
fn checked_mute(text: &str, words: u32) -> (Checked, usize) {
    let mut asked = Vec::new();
    let link = link_to(|line, _| match line {
        "look" => vec![(5, b"off\n")],
        _ => Vec::new(),
    });
    let report = checked_at(text, link, &mut |progress| {
        asked.push(progress.asked);
        progress.asked < words
    });
    // Each time that a silent input is waited for, there is a call for each piece of the time.
    let calls = |words: u32| asked.iter().filter(|it| **it == words).count();
    let waited = (1..words).filter(|words| calls(*words) > 3).count();
    (report, waited)
}

#[test]
fn silent_inputs_are_not_waited_for_in_vain_for_long() {
    let inputs: String = (0..20).map(|at| format!("\ni{at} = \"i{at}\\n\"")).collect();
    let (report, waited) = checked_mute(&(file(100) + &inputs), 24);
    assert_eq!(waited, 3, "{:#?}", report.findings);
    assert!(report.findings.iter().all(|it| !it.is_wrong()), "{:#?}", report.findings);
}

#[test]
fn an_input_that_waits_itself_is_not_waited_for() {
    let waits = file(100).replace("\"hide\\n\"", "{ wait_ms = 50 }");
    for (text, expected) in [(file(100), 2), (waits, 1)] {
        let (report, waited) = checked_mute(&text, 5);
        assert_eq!(waited, expected, "{text}: {:#?}", report.findings);
    }
}

/// An answer that came fast once is not always so.
#[test]
fn the_time_of_the_file_is_never_shortened() {
    let mut hidden = 0;
    let answer = |line: &str, _| -> Reaction {
        hidden += u32::from(line == "hide");
        match (line, hidden) {
            ("reset", _) => Vec::new(),
            ("hide", 1) => vec![(700, b"hidden\n")],
            ("hide", 2) => vec![(5, b"hidden\n")],
            ("hide", _) => vec![(90, b"hidden\n")],
            _ => vec![(5, b"off\n")],
        }
    };
    let report = checked_while(&file(100), answer, |_| true);
    assert_eq!(report.evidence.timings()[2].silences, 0, "{:#?}", report.findings);
    assert!(report.evidence.differences().is_empty(), "{:#?}", report.findings);
}

#[test]
fn a_frame_that_comes_after_a_reset_is_no_late_answer() {
    let device = |line: &str, number: u32| -> Reaction {
        match line {
            "reset" => vec![(900, b"\xb5\x62\x01\x03")],
            "press" if !number.is_multiple_of(3) => vec![(700, b"\xb5\x62\x01\x03")],
            "look" => vec![(5, b"\xb5\x62\x05\x01")],
            _ => Vec::new(),
        }
    };
    let text = file(100).replace("lines = 1", "length = 4");
    let report = checked_while(&text, device, |_| true);
    assert_eq!(times(&report).0, Vec::<&Change>::new());
    let is_said = |it: &Finding| it.text.contains(r"But `\xb5b\x01\x03` came ");
    assert!(report.findings.iter().any(is_said), "{:#?}", report.findings);
}

/// A modem that starts again at each reset: it is deaf for a second, and then says that it is ready.
fn modem(said: &'static [(u64, &'static [u8])]) -> impl FnMut(&str, u32) -> Reaction {
    move |line, _| match line {
        "reset" => said.to_vec(),
        _ => Vec::new(),
    }
}

#[test]
fn what_comes_after_each_reset_and_ends_is_the_end_of_the_reset() {
    let ready: &[(u64, &[u8])] =
        &[(5, b"OK\r\n"), (1200, b"\r\nRDY 3\r\n"), (1700, b"\r\nSIM PIN\r\n")];
    let ok: &[(u64, &[u8])] = &[(5, b"OK\r\n"), (1200, b"RDY\r\n"), (1700, b"OK\r\n")];
    let prompt: &[(u64, &[u8])] = &[(900, b"booting\r\n"), (1500, b"> ")];
    let expects = |end: &str| {
        file(100)
            .replace("quiet_ms = 0", &format!("expect = {{ match = '{end}', within_ms = 900 }}"))
    };
    for (text, said, pattern) in [
        (expects(r"OK\r\n"), ready, r"SIM PIN\r?\n"),
        (expects(r"OK\r\n"), ok, r"RDY\r\nOK\r\n"),
        (file(100), prompt, "> "),
    ] {
        let report = checked_while(&text, modem(said), |_| true);
        let [finding] = &report.findings[..] else { panic!("{:#?}", report.findings) };
        assert_eq!(finding.change, Some(Change::Expect(pattern.to_owned())), "{}", finding.text);
        assert!(report.is_cut_short && report.evidence.words() < 9, "{}", finding.text);
    }
    // With more time, each input seems to be answered by it.
    let text = expects(r"OK\r\n").replace("within_ms = 100", "within_ms = 3000");
    let report =
        checked_while(&text.replace("lines = 1", "last_line = 'OK'"), modem(ready), |_| true);
    let kinds: Vec<_> = report.findings.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [FindingKind::LateReset], "{:#?}", report.findings);
}

#[test]
fn what_is_another_text_after_each_reset_is_not_its_end() {
    let mut resets = 0_usize;
    let answer = |line: &str, _| -> Reaction {
        resets += usize::from(line == "reset");
        let texts: [&[u8]; 4] = [b"cold\n", b"warm\n", b"door\n", b"mains\n"];
        if line == "reset" { vec![(1200, texts[resets % 4])] } else { Vec::new() }
    };
    let report = checked_while(&file(100), answer, |_| true);
    assert!(report.findings.iter().all(|it| it.kind != FindingKind::LateReset), "{report:#?}");
}

/// What it says a while after a reset, when nothing is sent, is learned as the end of a time.
#[test]
fn a_device_that_answers_before_has_not_to_be_waited_for() {
    let answer = |line: &str, _| -> Reaction {
        match line {
            "reset" => vec![(2000, b"time is over\n")],
            "press" => vec![(5, b"on\n")],
            _ => Vec::new(),
        }
    };
    let report = checked_while(&file(100), answer, |_| true);
    assert!(report.findings.iter().all(|it| it.kind != FindingKind::LateReset), "{report:#?}");
}
