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
    for seed in 0..6 {
        let report = checked_server(seed);
        let first = &report.findings[0];
        let names_it = ["the reset leaves something", "the reset seems to leave something"];
        assert!(names_it.iter().any(|name| first.text.starts_with(name)), "{seed}: {first:#?}");
        assert!(first.is_wrong() && first.kind == FindingKind::ResetLeaves, "{first:#?}");
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
