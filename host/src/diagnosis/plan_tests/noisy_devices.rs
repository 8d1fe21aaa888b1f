//! Devices with faults of the line, slow answers and lines that nobody asked for.

use fastrand::Rng;

use super::*;

/// A device that flips a bit in a few replies.
fn garbling(every: u32) -> impl FnMut(&str, u32) -> Reaction {
    let mut lamp = lamp(true);
    let mut rng = Rng::with_seed(5);
    move |line, number| match (lamp(line, number).as_slice(), number % every == every / 2) {
        (&[(ms, reply)], true) => {
            let mut garbled = reply.to_vec();
            garbled[rng.usize(..reply.len() - 1)] ^= 1 << rng.u32(..7);
            vec![(ms, Vec::leak(garbled))]
        }
        (reaction, _) => reaction.to_vec(),
    }
}

#[test]
fn a_leak_of_the_reset_that_shows_rarely_is_no_noise() {
    let inputs = FILE.to_owned() + "\na = \"a\\n\"\nb = \"b\\n\"\nc = \"c\\n\"";
    for leaked in [b"mode=1\n", b"locked\n"] {
        // Two presses with no other input than a look between or after them show in the next word.
        let (mut presses, mut is_left) = (0, false);
        let device = move |line: &str, _| {
            is_left = if line == "reset" { presses >= 2 } else { is_left };
            presses = match line {
                "look" => presses,
                "press" => presses + 1,
                _ => 0,
            };
            match line {
                "reset" => Vec::new(),
                "press" => vec![(1, &b"ok\n"[..])],
                "look" if is_left => vec![(1, &leaked[..])],
                "look" => vec![(1, &b"mode=0\n"[..])],
                _ => vec![(1, &b"fine\n"[..])],
            }
        };
        let report = checked_while(&inputs, device, |_| true);
        let found = &report.findings[0];
        assert!(
            found.kind == FindingKind::ResetLeaves && found.is_wrong(),
            "{:#?}",
            report.findings
        );
    }
}

#[test]
fn an_odd_answer_that_is_always_the_same_is_not_called_garbled() {
    let mut lamp = lamp(true);
    let report = checked(move |line, number| match (lamp(line, number).as_slice(), number % 29) {
        ([(ms, b"off\n")], 7) => vec![(*ms, b"ofd\n")],
        (reaction, _) => reaction.to_vec(),
    });
    let is_change = |finding: &Finding| finding.kind == FindingKind::ChangingOutput;
    assert!(report.findings.iter().all(is_change), "{:#?}", report.findings);
    assert!(!report.findings.is_empty());
}

#[test]
fn replies_of_a_stated_length_may_be_no_text() {
    let text = FILE.replace("lines = 1", "length = 4");
    let mut lamp = lamp(true);
    let device = move |line: &str, number| match lamp(line, number).as_slice() {
        [] => Vec::new(),
        [(_, b"on\n")] => vec![(1, &b"\x14\x90\x91\x10"[..])],
        _ => vec![(1, &b"\x14\x80\x81\x10"[..])],
    };
    let report = checked_while(&text, device, |_| true);
    assert_eq!((report.findings, report.is_cut_short), (Vec::new(), false));
}

#[test]
fn garbled_answers_are_noise_and_no_fault_of_the_reset_and_no_field() {
    for every in [41, 97, 173] {
        let report = checked(garbling(every));
        let [Finding { kind: FindingKind::Garbled, text, change: None, .. }] = &report.findings[..]
        else {
            panic!("1 in {every}: {:#?}", report.findings);
        };
        assert!(text.contains(" garbled. ") && text.contains("write `noise = 0.0"), "{text}");
        assert!(!report.findings[0].is_wrong());
    }
}

/// A lock with a code, which now and then gives one answer of its own for another.
fn lying(seed: u64, every: u32) -> impl FnMut(&str, u32) -> Reaction {
    const ANSWERS: [&[u8]; 4] = [b"ok\n", b"locked\n", b"open\n", b"beep\n"];
    let (mut rng, mut typed) = (Rng::with_seed(seed), 0);
    move |line, _| {
        let (next, answer) = match (line, typed) {
            ("reset", _) => {
                typed = 0;
                return Vec::new();
            }
            ("look", 3) => (3, 2),
            ("look", _) => (typed, 1),
            ("a", 0) => (1, 0),
            ("b", 1) => (2, 0),
            ("press", 2) => (3, 2),
            (_, 3) => (0, 1),
            _ => (0, 3),
        };
        typed = next;
        let is_lie = rng.u32(..every) == 0;
        vec![(1, ANSWERS[if is_lie { rng.usize(..4) } else { answer }])]
    }
}

#[test]
fn other_answers_now_and_then_are_no_proof_against_the_reset() {
    let inputs = FILE.to_owned() + "\na = \"a\\n\"\nb = \"b\\n\"";
    let seeds = [(33, 0..4), (75, 20..44), (150, 40..52), (300, 0..20)];
    for (every, seed) in seeds.into_iter().flat_map(|(every, all)| all.map(move |it| (every, it))) {
        let report = checked_while(&inputs, lying(seed, every), |_| true);
        let is_proof = |it: &Finding| it.kind == FindingKind::ResetLeaves && it.is_wrong();
        assert!(!report.findings.iter().any(is_proof), "{every} {seed}: {:#?}", report.findings);
    }
}

#[test]
fn a_garbled_first_answer_is_not_what_a_reset_leaves() {
    let mut lamp = lamp(true);
    let report = checked(move |line, number| match number {
        // The first line resets the device.
        2 => vec![(1, b"of\x66\x8a")],
        _ => lamp(line, number),
    });
    let mut kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    // Without its line end, the answer took `within_ms`.
    kinds.retain(|kind| *kind != FindingKind::LongTimeOut);
    assert_eq!(kinds, [FindingKind::Garbled], "{:#?}", report.findings);
}

#[test]
fn an_answer_that_is_rarely_late_is_a_matter_of_patience_and_not_of_the_reset() {
    let hasty = FILE.replace("lines = 1", "lines = 1\nwithin_ms = 60");
    for late in [2, 40, 111] {
        let mut lamp = lamp(true);
        let answer = move |line: &str, number| match lamp(line, number).as_slice() {
            [(_, text)] if number == late => vec![(300, *text)],
            reaction => reaction.to_vec(),
        };
        let report = checked_while(&hasty, answer, |_| true);
        let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
        let is_patience = |kind: &FindingKind| {
            matches!(kind, FindingKind::ShortTimeOut | FindingKind::LateBytes) || kind.is_fault()
        };
        assert!(kinds.iter().all(is_patience), "late is {late}: {:#?}", report.findings);
        assert!(!report.findings.iter().any(Finding::is_wrong), "{:#?}", report.findings);
    }
}

#[test]
fn a_silence_that_a_reset_leaves_is_found() {
    // Two presses without a look make it mute until it is pressed again.
    let mut is_mute = false;
    let report = checked(move |line, _| match line {
        "look" if is_mute => Vec::new(),
        "look" => vec![(1, b"fine\n")],
        "press" => {
            is_mute = !is_mute;
            vec![(1, b"ok\n")]
        }
        _ => Vec::new(),
    });
    let found = &report.findings[0];
    assert!(found.kind == FindingKind::ResetLeaves && found.is_wrong(), "{:#?}", report.findings);
}

#[test]
fn a_silence_that_lasted_over_many_resets_is_no_late_answer() {
    // It is mute for the first words, and never again.
    let device = |mute: u32| {
        move |line: &str, number: u32| match line {
            "reset" => Vec::new(),
            "press" if number < mute => Vec::new(),
            _ => vec![(1, &b"ok\n"[..])],
        }
    };
    let mut lines = 0;
    checked(|line, number| {
        lines = number;
        device(0)(line, number)
    });
    let report = checked(device(lines * 3 / 4));
    let wrong: Vec<_> = report.findings.iter().filter(|it| it.is_wrong()).collect();
    assert!(wrong.iter().any(|it| it.kind == FindingKind::ResetLeaves), "{:#?}", report.findings);
}

#[test]
fn words_that_rarely_fail_and_then_work_are_a_note() {
    let text = FILE.replace("lines = 1", "length = 2\nchecksum = \"sum8\"");
    type Failing = Box<dyn FnMut(&str, u32) -> bool>;
    let faults = |mut fails: Failing| {
        let mut on = false;
        let device = move |line: &str, number| {
            on = line == "press" && !on;
            match line {
                "reset" => Vec::new(),
                _ if fails(line, number) => vec![(1, &b"AB"[..])],
                _ if on => vec![(1, &b"AA"[..])],
                _ => vec![(1, &b"BB"[..])],
            }
        };
        let report = checked_while(&text, device, |_| true);
        let mut faults: Vec<_> = report.findings.into_iter().collect();
        faults.retain(|finding| finding.kind == FindingKind::Fault);
        faults
    };
    let rare = faults(Box::new(|_, number| number % 97 == 48));
    let is_note = |it: &Finding| !it.is_wrong() && it.text.contains(" few enough for a run: ");
    assert!(rare.iter().all(is_note) && !rare.is_empty(), "{rare:#?}");
    let frequent = faults(Box::new(|_, number| number % 11 == 5));
    assert!(frequent.iter().all(Finding::is_wrong) && !frequent.is_empty(), "{frequent:#?}");
    // Far from the reset, one answer always fails.
    let mut presses = 0;
    let always = faults(Box::new(move |line, _| {
        presses = if line == "press" { presses + 1 } else { 0 };
        presses == 4
    }));
    assert!(always.iter().all(Finding::is_wrong) && !always.is_empty(), "{always:#?}");
}

#[test]
fn no_shorter_time_out_is_proposed_by_a_check_that_was_ended() {
    let patient = FILE.replace("lines = 1", "quiet_ms = 500");
    let report = checked_while(&patient, lamp(true), |progress| progress.asked < 30);
    assert_eq!(report.findings, []);
    let whole = checked_while(&patient, lamp(true), |_| true);
    assert_eq!(whole.findings[0].kind, FindingKind::LongTimeOut);
}

#[test]
fn a_line_in_place_of_a_reply_is_found_though_its_number_changes() {
    let temperatures: Vec<_> =
        (0..1000).map(|n| format!("#TEMP {}.{}\n", 20 + n % 40, n % 10)).collect();
    let temperatures: Vec<&'static [u8]> =
        temperatures.into_iter().map(|text| &*Vec::leak(text.into_bytes())).collect();
    for is_constant in [false, true] {
        let mut lamp = lamp(true);
        let mut link = link_to({
            let temperatures = temperatures.clone();
            move |line, number| {
                let mut reaction = lamp(line, number);
                if number % 23 == 7 {
                    let said =
                        if is_constant { b"#ALIVE\n" } else { temperatures[number as usize] };
                    // After a reset, or before the answer, which is late then.
                    let after = if line == "reset" { 5 } else { 1 };
                    reaction.insert(0, (after, said));
                }
                reaction
            }
        });
        // It says that when nothing is asked, too.
        for (number, &temperature) in (0..).zip(&temperatures[..200]) {
            link.say(number * 5000, if is_constant { b"#ALIVE\n" } else { temperature });
        }
        let report = late_actions::checked_at(FILE, link, &mut |_| true);
        let found = &report.findings[0];
        assert_eq!(found.kind, FindingKind::Unasked, "{:#?}", report.findings);
        let pattern = if is_constant { r"#ALIVE\r?\n" } else { r"#TEMP \d+\.\d+\r?\n" };
        assert_eq!(found.change, Some(Change::Strip(pattern.to_owned())));
        let wrong: Vec<_> = report.findings.iter().skip(1).filter(|it| it.is_wrong()).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

#[test]
fn another_prompt_at_which_slow_replies_end_is_proposed() {
    let text = FILE.replace("lines = 1", "match = 'db> $'\nwithin_ms = 100");
    let report = checked_while(
        &text,
        |line, _| match line {
            "look" => vec![(1, &b"ok\ndb> "[..])],
            "press" => vec![(1, b"\n   ...> ")],
            _ => Vec::new(),
        },
        |_| true,
    );
    let mut findings = report.findings.iter();
    let unmet = findings.find(|it| it.kind == FindingKind::UnmetEnd).expect("a finding");
    let better = r"(?:db> $)|   \.\.\.> $";
    assert_eq!(unmet.change, Some(Change::Match(better.to_owned())), "{}", unmet.text);
}

#[test]
fn answers_that_are_no_text_end_a_check_early_and_are_said_first() {
    let text = FILE.replace("lines = 1", "quiet_ms = 20");
    let noise: Vec<&'static [u8]> =
        (0..=250).map(|n| &*Vec::leak(vec![0xf8, 0, n, 0x80, 0xfe, n ^ 0x55, 0x06])).collect();
    let report = checked_while(
        &text,
        move |line, number| match line {
            "reset" => Vec::new(),
            _ => vec![(1, noise[number as usize % 250])],
        },
        |_| true,
    );
    let first = &report.findings[0];
    assert_eq!(first.kind, FindingKind::Noise, "{:#?}", report.findings);
    assert!(first.is_wrong() && report.is_cut_short, "{}", first.text);
    let words = report.evidence.words();
    assert!(words < 50, "{words}");
}

#[test]
fn a_reply_that_goes_on_after_its_end_is_found() {
    let mut lamp = lamp(true);
    let report = checked(move |line, number| {
        let mut reaction = lamp(line, number);
        if line == "press" {
            reaction.push((90, b"done\n"));
        }
        reaction
    });
    let mut findings = report.findings.iter();
    let late = findings.find(|it| it.kind == FindingKind::LateBytes).expect("a finding");
    assert!(late.is_wrong(), "{}", late.text);
    let begins = "the reply to `press` goes on after its end: `done\\n` came up to 90 ms";
    assert!(late.text.starts_with(begins), "{}", late.text);
}

#[test]
fn one_late_reply_is_no_proof_that_grace_is_needed() {
    let text = FILE.replace("lines = 1", "match = '> $'\ngrace_ms = 0\nwithin_ms = 60");
    let mut lamp = lamp(true);
    let device = move |line: &str, number| match lamp(line, number).as_slice() {
        [] => Vec::new(),
        // The prompt of a late reply comes before the next one.
        [_] if number == 60 => vec![(3, &b"off\n> "[..]), (3, b"> ")],
        [(_, b"on\n")] => vec![(3, &b"on\n> "[..])],
        _ => vec![(3, &b"off\n> "[..])],
    };
    let report = checked_while(&text, device, |_| true);
    let wrong: Vec<_> = report.findings.iter().filter(|it| it.is_wrong()).collect();
    let is_grace = |it: &&&Finding| it.kind == FindingKind::ShortTimeOut;
    assert_eq!(wrong.iter().filter(is_grace).count(), 0, "{wrong:#?}");
}

#[test]
fn a_pause_within_a_reply_that_outlasts_the_patience_is_no_fault_of_the_reset() {
    let text = FILE.replace("lines = 1", "lines = 1\nwithin_ms = 60")
        + "\nsend = { text = \"send\\n\", reply = { last_line = 'sent|busy' } }";
    let device = |line: &str, _: u32| match line {
        "reset" => Vec::new(),
        "send" => vec![(1, &b"ok\n"[..]), (110, b"sent\n")],
        _ => vec![(1, &b"ok\n"[..])],
    };
    let report = checked_while(&text, device, |_| true);
    let wrong: Vec<_> = report.findings.iter().filter(|it| it.is_wrong()).collect();
    let kinds: Vec<_> = wrong.iter().map(|it| it.kind).collect();
    assert!(kinds.contains(&FindingKind::ShortTimeOut), "{wrong:#?}");
    assert!(!kinds.contains(&FindingKind::ResetLeaves), "{wrong:#?}");
    assert!(!kinds.contains(&FindingKind::Unasked), "{wrong:#?}");
}

#[test]
fn what_comes_in_some_waits_only_asks_for_no_within_ms() {
    let text = FILE.replace(
        "[inputs]",
        "within_ms = 100\n[[output]]\nmatch = 'o(?:n|ff)'\nname = \"$0\"\n[inputs]",
    ) + "\nwait = { wait_ms = 1000 }";
    let mut lamp = lamp(true);
    let mut link = link_to(move |line, number| lamp(line, number));
    (0..900).for_each(|number| link.say(number * 3000, b"#"));
    let report = late_actions::checked_at(&text, link, &mut |_| true);
    assert!(report.evidence.timings()[2].count > 5, "{:?}", report.evidence.timings());
    let says = |part: &str| report.findings.iter().any(|it| it.text.contains(part));
    assert!(says("nothing came in the `wait_ms` of the last input of"), "{:#?}", report.findings);
    assert!(!says("Then a longer `within_ms` helps"), "{:#?}", report.findings);
}

#[test]
fn an_interrupted_check_proposes_no_longer_time_out_where_no_answer_was_lost() {
    let text = FILE.replace("lines = 1", "lines = 1\nwithin_ms = 100");
    let slow = |line: &str, _: u32| match line {
        "reset" => Vec::new(),
        _ => vec![(70, &b"ok\n"[..])],
    };
    let is_margin = |it: &Finding| it.kind == FindingKind::ShortTimeOut;
    let report = checked_while(&text, slow, |progress| progress.asked < 10);
    assert!(!report.findings.iter().any(is_margin), "{:#?}", report.findings);
    let whole = checked_while(&text, slow, |_| true);
    assert!(whole.findings.iter().any(is_margin), "{:#?}", whole.findings);
}
