//! Resets that take longer now and then, and a file that waits for none.

use fastrand::Rng;

use super::late_actions::checked_by_clock;
use super::*;

/// Resets take 200 ms, and one in five takes 500 ms; this waits for 300 ms.
const LOADER: &str = "[[reset]] # power\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 300\n[reply]\nlines = 1\n\
                      within_ms = 100\n[inputs]\nlook = \"look\\n\"\npress = \"press\\n\"";

/// Checks a device that says this at the end of a reset, and hears nothing before. One reset in five takes long.
fn checked_loader(text: &str, back: &'static [u8]) -> Checked {
    let mut rng = Rng::with_seed(5);
    checked_slow_loader(text, back, move || rng.u32(..5) == 0)
}

/// The same, where this tells of each reset whether it takes long.
fn checked_slow_loader(
    text: &str,
    back: &'static [u8],
    mut is_slow: impl FnMut() -> bool,
) -> Checked {
    let has_prompt = back.ends_with(b"> ");
    let said = move |with: &'static [u8]| match has_prompt {
        true => with,
        false => with.strip_suffix(b"> ").unwrap_or(with),
    };
    let mut deaf_until = 0;
    checked_by_clock(text, move |line, now, on, _| {
        if line == "reset" {
            *on = false;
            let takes = if is_slow() { 500 } else { 200 };
            deaf_until = now + u128::from(takes);
            return vec![(takes, back)];
        }
        match (now < deaf_until, line) {
            (true, _) => Vec::new(),
            (_, "press") => {
                *on = !*on;
                vec![(1, said(b"ok\n> "))]
            }
            _ => vec![(1, said(if *on { b"on\n> " } else { b"off\n> " }))],
        }
    })
}

#[test]
fn a_reset_that_is_over_late_now_and_then_gets_something_to_wait_for() {
    let report = checked_loader(LOADER, b"loader 2.1\r\n");
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert!(found.kind == FindingKind::LateReset && found.is_wrong(), "{found:#?}");
    let end = r"[[reset]] wait for it:
expect = { match = 'loader \d+\.\d+\r?\n', within_ms = 5000 }";
    assert!(found.text.ends_with(end), "{}", found.text);
    let mended = mended_by(LOADER, found);
    let kept = "[[reset]] # power\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 300\nexpect = { match = 'loader";
    assert!(mended.starts_with(kept), "{mended}");
    let report = checked_loader(&mended, b"loader 2.1\r\n");
    assert!(report.findings.iter().all(|it| !it.is_wrong()), "{:#?}", report.findings);
}

/// The reset's silence waits for the rest.
#[test]
fn what_follows_the_line_that_a_reset_waits_for_does_not_matter() {
    let text = LOADER.replace("lines = 1", "match = '> $'");
    let prompt = b"loader 2.1\r\n> ";
    let report = checked_loader(&text, prompt);
    let found = report.findings.iter().find(|it| it.kind == FindingKind::LateReset);
    let mended = mended_by(&text, found.expect("a late reset"));
    let report = checked_loader(&mended, prompt);
    assert!(report.findings.iter().all(|it| !it.is_wrong()), "{:#?}", report.findings);
}

/// It may have been held up by anything.
#[test]
fn one_late_reset_is_none_that_is_always_late() {
    for late in [5, 9, 20] {
        let mut resets = 0;
        let is_slow = || {
            resets += 1;
            resets == late
        };
        let report = checked_slow_loader(LOADER, b"loader 2.1\r\n", is_slow);
        let kinds: Vec<_> = report.findings.iter().map(|found| found.kind).collect();
        assert!(!kinds.contains(&FindingKind::LateReset), "{late}: {:#?}", report.findings);
    }
}

#[test]
fn what_is_also_an_answer_is_no_end_of_a_reset() {
    for back in [&b"off\n"[..], b""] {
        let report = checked_loader(LOADER, back);
        assert!(report.findings.iter().any(Finding::is_wrong));
        let kinds: Vec<_> = report.findings.iter().map(|found| found.kind).collect();
        assert!(!kinds.contains(&FindingKind::LateReset), "{kinds:?}");
    }
}
