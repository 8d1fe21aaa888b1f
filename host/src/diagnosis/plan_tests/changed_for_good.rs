//! Devices that something changes for good, whatever the reset does.

use super::late_actions::checked_after;
use super::*;

const STORE: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n[reply]\nlines = 1\n[inputs]\n\
                     get = \"get\\n\"\nnoop = \"noop\\n\"\nset = \"set\\n\"";

/// A store of one value, which `set` sets for good.
fn store(is_set: &mut bool) -> impl FnMut(&str, u32) -> Reaction + '_ {
    move |line, _| {
        *is_set |= line == "set";
        match line {
            "reset" => Vec::new(),
            "get" if *is_set => vec![(1, b"7\n")],
            "get" => vec![(1, b"5\n")],
            _ => vec![(1, b"ok\n")],
        }
    }
}

#[test]
fn what_is_stored_for_good_is_found() {
    // Changes at the first press, and for ever.
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
    let [Finding { kind: FindingKind::ResetLeaves, text, .. }, ..] = &report.findings[..] else {
        panic!("{:?}", report.findings);
    };
    assert!(text.contains("`fine\\n` at first, and `broken\\n` ever since"), "{text}");
}

#[test]
fn an_answer_that_comes_once_in_the_life_of_a_device_is_found_far_from_the_reset() {
    // Every seventh press in a row has its own answer, and one of these comes only once.
    let answers: Vec<_> = (0..7).map(|n| format!("{n}\n").leak().as_bytes()).collect();
    let (mut presses, mut is_spent) = (0, false);
    let report = checked(move |line, _| {
        presses = if line == "press" { presses + 1 } else { 0 };
        match (line, presses) {
            ("reset", _) => Vec::new(),
            (_, 5) if !std::mem::replace(&mut is_spent, true) => vec![(1, b"safe\n")],
            _ => vec![(1, answers[presses % 7])],
        }
    });
    let found: Vec<_> = report.findings.iter().map(|finding| &finding.text[..36]).collect();
    assert_eq!(found, ["the reset does not reach everything."], "{:?}", report.findings);
}

#[test]
fn a_number_that_counts_an_input_over_resets_is_told_of() {
    let mut jobs = 0;
    let answers: Vec<_> = (0..2000).map(|n| format!("job {n}\n").leak().as_bytes()).collect();
    let report = checked(move |line, _| match line {
        "reset" => Vec::new(),
        "press" => {
            jobs += 1;
            vec![(1, answers[jobs])]
        }
        _ => vec![(1, b"ok\n")],
    });
    let first = &report.findings[0];
    assert_eq!(first.kind, FindingKind::ChangingOutput, "{first:#?}");
    let said = "The number goes up by one each time `press` is sent, over all resets.";
    assert!(first.text.contains(said), "{}", first.text);
}

#[test]
fn the_inputs_that_may_have_changed_the_device_are_named() {
    let report = checked_while(STORE, store(&mut false), |_| true);
    let text = &report.findings[0].text;
    assert!(text.contains("`get` is answered `5\\n` at first, and `7\\n` ever since."), "{text}");
    // Each was sent once before `get` was asked again.
    let named =
        "`noop` and `set` were first sent in between: one of them has changed it most likely.";
    assert!(text.contains(named), "{text}");
}

#[test]
fn a_later_check_finds_what_has_changed_until_it_is_back() {
    let mut is_set = false;
    let check = |is_set: &mut bool, earlier: Option<LastingChange>| {
        checked_after(STORE, link_to(store(is_set)), earlier, &mut |_| true)
    };
    let change = check(&mut is_set, None).lasting_change.expect("a change");
    let get = vec![Input::new(0)];
    let (before, since) = ("5\\n".to_owned(), "7\\n".to_owned());
    assert_eq!(change, LastingChange { word: get, before, since, is_certain: false });

    // Nobody who does not know the change finds it.
    let report = check(&mut is_set, None);
    assert!(!report.findings.iter().any(Finding::is_wrong), "{:#?}", report.findings);
    assert_eq!(report.lasting_change, None);
    let change = LastingChange { is_certain: true, ..change };
    let report = check(&mut is_set, Some(change.clone()));
    let first = &report.findings[0];
    assert_eq!((first.kind, first.is_wrong()), (FindingKind::ResetLeaves, false), "{first:#?}");
    let said = "is answered `7\\n`, and was answered `5\\n` at first in an earlier check or run of this device, or of";
    assert!(first.text.contains(said), "{}", first.text);
    assert_eq!((report.lasting_change.as_ref(), report.is_undone), (Some(&change), false));

    // The device was mended, or is another one.
    for now in [&b"5\n"[..], b"9\n"] {
        let link = link_to(move |line, _| match line {
            "reset" => Vec::new(),
            "get" => vec![(1, now)],
            _ => vec![(1, b"ok\n")],
        });
        let report = checked_after(STORE, link, Some(change.clone()), &mut |_| true);
        assert!(!report.findings.iter().any(|it| it.kind == FindingKind::ResetLeaves));
        assert_eq!((report.lasting_change, report.is_undone), (None, true));
    }
    // The word was not answered.
    let link = link_to(|line, _| if line == "noop" { vec![(1, &b"ok\n"[..])] } else { Vec::new() });
    let longer = LastingChange { word: vec![Input::new(1), Input::new(0)], ..change };
    let report = checked_after(STORE, link, Some(longer), &mut |progress| progress.asked < 2);
    assert_eq!((report.lasting_change, report.is_undone), (None, false));
}

/// What a better file explains has not changed the device.
#[test]
fn a_first_reply_that_was_cut_is_no_change() {
    let mut is_first = true;
    let report = checked(move |line, _| match line {
        "look" if std::mem::take(&mut is_first) => vec![(1, &b"o\n"[..]), (300, b"n\n")],
        "look" | "press" => vec![(1, b"on\n")],
        _ => Vec::new(),
    });
    let is_said = report.findings.iter().any(|it| it.kind == FindingKind::ResetLeaves);
    assert_eq!(report.lasting_change.is_some(), is_said, "{:#?}", report.findings);
}
