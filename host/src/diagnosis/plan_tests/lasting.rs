//! What a reset does not undo, though it shows late, or only after some words.

use fastrand::Rng;

use super::late_actions::checked_by_clock;
use super::*;

const SERVER: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n[reply]\nlines = 1\n[inputs]\n\
                      auth = \"auth\\n\"\nget = \"get\\n\"\nset20 = \"20\\n\"\nset30 = \"30\\n\"";

/// Checks a server with a variable that survives its reset; one in five changes of it comes 400 ms late.
fn checked_server(seed: u64) -> Checked {
    let mut rng = Rng::with_seed(seed);
    let (mut is_open, mut value) = (false, "20");
    let mut due: Vec<(u128, &str)> = Vec::new();
    checked_by_clock(SERVER, move |line, now, _, _| {
        for (_, new) in due.extract_if(.., |(at, _)| *at <= now) {
            value = new;
        }
        match line {
            "reset" => {
                is_open = false;
                Vec::new()
            }
            "auth" => {
                is_open = true;
                vec![(1, &b"OK\n"[..])]
            }
            "get" if value == "20" => vec![(1, b"20\n")],
            "get" => vec![(1, b"30\n")],
            _ if !is_open => vec![(1, b"no\n")],
            new => {
                let late = if rng.u32(..5) == 0 { 400 } else { 0 };
                due.push((now + late, if new == "20" { "20" } else { "30" }));
                vec![(1, b"OK\n")]
            }
        }
    })
}

#[test]
fn a_reset_that_leaves_something_is_named_though_it_shows_late() {
    let mut in_spells = 0;
    for seed in 0..6 {
        let report = checked_server(seed);
        let first = &report.findings[0];
        assert_eq!(first.kind, FindingKind::ResetLeaves, "{seed}: {first:#?}");
        // Either a word before the reset decides the answer, or the answers come in spells.
        let is_shown = first.text.starts_with("the reset leaves something behind");
        in_spells += u32::from(!is_shown);
        assert!(first.is_wrong(), "{seed}: {first:#?}");
        assert!(is_shown || names_both_causes(first), "{seed}: {first:#?}");
    }
    assert!(in_spells > 0);
}

/// Whether this says that a reset, or the device itself, makes answers come in spells.
fn names_both_causes(finding: &Finding) -> bool {
    let parts =
        ["stays changed for a while", ". Either the reset", "or the device changes by itself"];
    parts.iter().all(|part| finding.text.contains(part))
}

#[test]
fn a_device_that_changes_by_itself_for_a_while_has_no_wrong_reset() {
    for period in [3000, 7000] {
        let report = checked_by_clock(FILE, move |line, now, on, _| {
            match line {
                "reset" => *on = false,
                "press" => *on = !*on,
                _ => {}
            }
            match line {
                "reset" => Vec::new(),
                "press" => vec![(1, &b"ok\n"[..])],
                _ if now % period < period / 10 => vec![(20, b"busy\n")],
                _ => vec![(20, b"ready\n")],
            }
        });
        let first = report.findings.first();
        assert!(first.is_some_and(names_both_causes), "{period}: {:#?}", report.findings);
    }
}

#[test]
fn a_rare_answer_may_be_what_a_reset_leaves() {
    let mut rng = Rng::with_seed(3);
    let report = checked(move |line, _| match line {
        "reset" => Vec::new(),
        _ if rng.u32(..40) == 0 => vec![(1, &b"busy\n"[..])],
        _ => vec![(1, b"ok\n")],
    });
    let is_rare = |it: &&Finding| it.text.contains("One of these is rare");
    let text = &report
        .findings
        .iter()
        .find(is_rare)
        .unwrap_or_else(|| panic!("{:#?}", report.findings))
        .text;
    assert!(text.contains("or what a reset leaves of the words before it"), "{text}");
}

/// What a reset leaves has few values. A field has many, and the words before one of them are not asked again.
#[test]
fn the_words_before_each_value_of_a_field_are_not_asked_again() {
    let mut asked = Vec::new();
    for values in [2, 60] {
        let mut rng = Rng::with_seed(1);
        let (mut first, mut last) = (u32::MAX, 0);
        let answer = |line: &str, _| match line {
            "reset" => Vec::new(),
            "press" => vec![(1, &b"ok\n"[..])],
            _ => vec![(1, &*format!("at {}\n", rng.u32(10..10 + values)).into_bytes().leak())],
        };
        checked_while(FILE, answer, |progress| {
            if progress.stage == CheckStage::Compare {
                (first, last) = (first.min(progress.asked), last.max(progress.asked));
            }
            true
        });
        asked.push(last - first);
    }
    assert!(asked[0] > asked[1] + 40, "{asked:?}");
}

#[test]
fn words_that_only_toggle_something_do_not_decide() {
    const TOGGLE: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n[reply]\nlines = 1\n[inputs]\n\
                          look = \"look\\n\"\na = \"a\\n\"\nb = \"b\\n\"\ntoggle = \"toggle\\n\"";
    let mut times = 0;
    let report = checked_while(
        TOGGLE,
        move |line, _| match line {
            "reset" => Vec::new(),
            "look" => vec![(1, [&b"off\n"[..], b"on\n"][times % 2])],
            line => {
                times += usize::from(line == "toggle");
                vec![(1, b"ok\n")]
            }
        },
        |_| true,
    );
    let first = &report.findings[0];
    assert!(first.kind == FindingKind::ResetLeaves && first.is_wrong(), "{first:#?}");
    let end = "but not each time: it takes several words before the reset";
    assert!(first.text.contains(end), "{}", first.text);
}
