//! Resets that take longer now and then than the file waits for.

use fastrand::Rng;

use super::late_actions::checked_by_clock;
use super::*;

const LOADER: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nexpect = { match = 'ready\\n$', within_ms = 300 }  # soon\n\
                      quiet_ms = 0\n[reply]\nlines = 1\nwithin_ms = 100\n[inputs]\nlook = \"look\\n\"\npress = \"press\\n\"\n";

/// Checks a device whose resets take 200 ms, but for one in twelve.
fn checked_loader(text: &str, slow: &Reaction) -> Checked {
    let mut rng = Rng::with_seed(7);
    checked_resets(text, slow, move || rng.u32(..12) == 0)
}

/// The same where `is_slow` says which resets are slow.
fn checked_resets(text: &str, slow: &Reaction, mut is_slow: impl FnMut() -> bool) -> Checked {
    checked_by_clock(text, move |line, _, on, _| match line {
        "reset" => {
            *on = false;
            if is_slow() { slow.clone() } else { vec![(200, b"ready\n")] }
        }
        "press" => {
            *on = !*on;
            vec![(1, b"ok\n")]
        }
        _ => vec![(1, if *on { b"on\n" } else { b"off\n" })],
    })
}

#[test]
fn a_reset_that_takes_longer_now_and_then_gets_more_time() {
    let slow = vec![(100, &b"fsck\n"[..]), (900, b"ready\n")];
    let report = checked_loader(LOADER, &slow);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert!(found.kind == FindingKind::SlowReset && found.is_wrong(), "{found:#?}");
    assert!(found.text.starts_with("`within_ms` = 300 in the `expect`"), "{}", found.text);
    let mended = mended_by(LOADER, found);
    let kept = LOADER.replace("within_ms = 300 }", "within_ms = 1800 }");
    assert_eq!(mended, kept);
    let report = checked_loader(&mended, &slow);
    assert!(report.findings.iter().all(|it| !it.is_wrong()), "{:#?}", report.findings);
}

#[test]
fn one_slow_reset_may_be_chance() {
    let mut resets = 0;
    let report = checked_resets(LOADER, &vec![(900, b"ready\n")], || {
        resets += 1;
        resets == 20
    });
    let of_kind = |kind| report.findings.iter().find(|it| it.kind == kind);
    let slow = of_kind(FindingKind::SlowReset).unwrap_or_else(|| panic!("{:#?}", report.findings));
    assert!(!slow.is_wrong(), "{slow:#?}");
    assert!(of_kind(FindingKind::ResetFault).is_some(), "{:#?}", report.findings);
}

/// Another wait is too short.
#[test]
fn what_a_step_waits_for_is_not_what_comes_late_at_the_end() {
    let steps =
        "steps = [{ send = \"reset\\n\" }, { expect = { match = 'boot\\n', within_ms = 300 } }]";
    let text = LOADER.replace("steps = [{ send = \"reset\\n\" }]", steps);
    assert_ne!(text, LOADER);
    let mut rng = Rng::with_seed(7);
    let report = checked_by_clock(&text, move |line, _, _, _| match line {
        "reset" if rng.u32(..12) == 0 => vec![(600, b"boot\n"), (900, b"ready\n")],
        "reset" => vec![(100, b"boot\n"), (200, b"ready\n")],
        _ => vec![(1, b"ok\n")],
    });
    let kinds: Vec<_> = report.findings.iter().map(|it| it.kind).collect();
    assert!(kinds.contains(&FindingKind::ResetFault), "{:#?}", report.findings);
    assert!(!kinds.contains(&FindingKind::SlowReset), "{:#?}", report.findings);
}

#[test]
fn a_reset_that_does_not_say_it_later_is_not_slow() {
    for slow in [Vec::new(), vec![(400, &b"error\n"[..])], vec![(250, b"ready\n")]] {
        let report = checked_loader(LOADER, &slow);
        let kinds: Vec<_> = report.findings.iter().map(|found| found.kind).collect();
        assert!(!kinds.contains(&FindingKind::SlowReset), "{:#?}", report.findings);
    }
}

#[test]
fn what_a_reset_waits_for_is_listened_for_five_seconds() {
    for (ms, is_heard) in [(5200, true), (5400, false)] {
        let mut resets = 0;
        let report = checked_resets(LOADER, &vec![(ms, b"ready\n")], || {
            resets += 1;
            resets == 20
        });
        let kinds: Vec<_> = report.findings.iter().map(|it| it.kind).collect();
        assert_eq!(kinds.contains(&FindingKind::SlowReset), is_heard, "{ms}: {kinds:?}");
    }
}

#[test]
fn four_resets_that_fail_are_listened_after() {
    let mut resets = 0;
    let report = checked_resets(LOADER, &Vec::new(), || {
        resets += 1;
        resets % 4 == 0
    });
    assert_eq!(report.evidence.failed_resets_heard, 4);
}

/// A lock that is deaf for so long after three wrong codes in a row, but for what is no answer.
fn checked_lock(text: &str, deaf_ms: u128) -> Checked {
    let (mut wrong, mut deaf_until) = (0, 0);
    checked_by_clock(text, move |line, now, on, _| {
        let is_right = line == "press";
        match line {
            _ if now < deaf_until => return vec![(7, b"T=20\n")],
            "reset" => (*on, wrong) = (false, 0),
            _ if is_right => (*on, wrong) = (true, 0),
            _ => wrong += 1,
        }
        if wrong == 3 {
            (wrong, deaf_until) = (0, now + deaf_ms);
        }
        match line {
            "reset" => vec![(20, b"ready\n")],
            _ if is_right => vec![(1, b"open\n")],
            _ => vec![(1, if *on { b"closed\n" } else { b"wrong\n" })],
        }
    })
}

#[test]
fn a_reset_that_works_when_it_is_done_again_gets_tries() {
    let text = LOADER.replace("lines = 1", "lines = 1\nstrip = ['T=\\d+\\n']");
    let report = checked_lock(&text, 6000);
    let again = report.findings.iter().find(|it| it.kind == FindingKind::FailedReset);
    let again = again.unwrap_or_else(|| panic!("{:#?}", report.findings));
    assert!(again.is_wrong(), "{again:#?}");
    let failed = |report: &Checked| {
        report.findings.iter().any(|it| it.text.contains("come back from a reset"))
    };
    assert!(!failed(&report), "{:#?}", report.findings);
    let mended = mended_by(&text, again);
    assert!(mended.contains("\ntries = "), "{mended}");
    let report = checked_lock(&mended, 6000);
    let kinds: Vec<_> = report.findings.iter().map(|it| it.kind).collect();
    assert!(
        !kinds.contains(&FindingKind::FailedReset) && !failed(&report),
        "{:#?}",
        report.findings
    );
    // A reset that is always heard.
    let report = checked_lock(&text, 0);
    assert!(report.findings.iter().all(|it| it.kind != FindingKind::FailedReset));
}

/// It answers a restart at once, and hears nothing while it starts.
#[test]
fn the_input_after_which_resets_fail_is_named() {
    let text = format!("{LOADER}boot = \"boot\\n\"\n");
    let mut deaf_until = 0;
    let report = checked_by_clock(&text, move |line, now, on, _| match line {
        _ if now < deaf_until => Vec::new(),
        "reset" => {
            *on = false;
            vec![(20, &b"ready\n"[..])]
        }
        "boot" => {
            deaf_until = now + 700;
            vec![(1, b"ok\n")]
        }
        "press" => {
            *on = !*on;
            vec![(1, b"ok\n")]
        }
        _ => vec![(1, if *on { b"on\n" } else { b"off\n" })],
    });
    let found = report.findings.iter().find(|it| it.kind == FindingKind::FailedReset);
    let found = found.unwrap_or_else(|| panic!("{:#?}", report.findings));
    assert!(
        found.text.contains("`boot` was in the word before each reset that failed"),
        "{}",
        found.text
    );
    assert!(found.is_wrong() && found.change.is_none(), "{found:#?}");
    // To its end it would ask 169.
    assert!(report.is_cut_short && report.evidence.words() < 100, "{}", report.evidence.words());
}
