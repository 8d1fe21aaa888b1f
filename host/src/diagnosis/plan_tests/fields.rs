//! Fields of answers that change by themselves, in the answers to several inputs.

use super::*;

/// The inputs of a lock.
const LOCK: &str = "good = \"good\\n\"\nbad = \"bad\\n\"\nopen = \"open\\n\"\nstate = \"state\\n\"";

/// A device file with these inputs.
fn with_inputs(inputs: &str) -> String {
    let (head, _) = FILE.split_once("look =").expect("inputs");
    head.to_owned() + inputs
}

/// A lock, without the fields in its answers.
fn lock() -> impl FnMut(&str) -> &'static str {
    let (mut is_unlocked, mut is_open) = (false, false);
    move |line| {
        is_unlocked = line == "good" || is_unlocked && !["bad", "reset"].contains(&line);
        is_open = line != "reset" && (is_open || line == "open" && is_unlocked);
        match line {
            "reset" => "",
            "bad" => "wrong",
            "open" if !is_unlocked => "denied",
            "state" if is_open => "open",
            "state" => "closed",
            _ => "ok",
        }
    }
}

/// The lock, which says how warm it is with each answer. While it is closed, it tells no other warmth than the first.
fn warm_lock() -> impl FnMut(&str, u32) -> Reaction {
    let mut lock = lock();
    move |line, number| {
        let warmth = 200 + number * number / 7 % 40;
        let (text, warmth) = match lock(line) {
            "" => return Vec::new(),
            "closed" => ("closed", 214),
            text => (text, warmth),
        };
        said(format!("{text} T:{}.{}\n", warmth / 10, warmth % 10))
    }
}

fn said(text: String) -> Reaction {
    vec![(1, &*Vec::leak(text.into_bytes()))]
}

/// The rules that a check proposes.
fn rules(report: &Checked) -> Vec<&str> {
    let changes = report.findings.iter().filter_map(|finding| finding.change.as_ref());
    let rules = changes.map(|change| match change {
        Change::Replace(rule) => &*rule.pattern,
        other => panic!("{other:?}"),
    });
    rules.collect()
}

fn wrong(report: &Checked) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| finding.is_wrong()).collect()
}

#[test]
fn one_rule_takes_a_field_out_of_the_answers_to_all_inputs() {
    let text = with_inputs(LOCK);
    let report = checked_while(&text, warm_lock(), |_| true);
    let [found] = &wrong(&report)[..] else { panic!("{:#?}", report.findings) };
    assert_eq!(rules(&report), [r"( T:)[\d.,:]+"]);
    for part in
        ["`good` is answered `ok T:2", "`bad` is answered `wrong T:2", "is answered `denied T:2"]
    {
        assert!(found.text.contains(part), "{part}: {}", found.text);
    }
    assert!(found.text.contains("It fits answers to `state`, too."), "{}", found.text);
    assert_eq!(found.text.matches("[[replace]]").count(), 1, "{}", found.text);

    let mended = mended_by(&text, found);
    assert_eq!(mended.matches("[[replace]]").count(), 1, "{mended}");
    let device = DeviceFile::parse(Path::new("lock.toml"), &mended).expect("a device file");
    assert_eq!(device.name_output(b"closed T:21.4\n"), r"closed T:#\n");
    let report = checked_while(&mended, warm_lock(), |_| true);
    assert_eq!(wrong(&report), Vec::<&Finding>::new());
}

/// A field that drifts: it is the same in several answers one after the other.
#[test]
fn a_field_that_drifts_is_taken_out_by_one_rule() {
    for seed in 0..5 {
        let (mut lock, mut rng, mut warmth) = (lock(), fastrand::Rng::with_seed(seed), 214);
        let device = move |line: &str, _| {
            warmth = (warmth + rng.u32(..3) - 1).clamp(150, 299);
            match lock(line) {
                "" => Vec::new(),
                text => said(format!("{text} T:{}.{}\n", warmth / 10, warmth % 10)),
            }
        };
        let report = checked_while(&with_inputs(LOCK), device, |_| true);
        assert_eq!(wrong(&report).len(), 1, "{seed}: {:#?}", report.findings);
        assert_eq!(rules(&report), [r"( T:)[\d.,:]+"], "{seed}");
    }
}

/// A clock that ticks seldom in one line, and in another the times that the device took, now two and now three of them.
#[test]
fn each_line_of_an_answer_has_a_rule() {
    let text = with_inputs(LOCK).replace("lines = 1", "last_line = 'took .*'");
    let device = || {
        let (mut lock, mut rng) = (lock(), fastrand::Rng::with_seed(1));
        move |line: &str, number: u32| match lock(line) {
            "" => Vec::new(),
            text => {
                let took = ["0.00", " + 0.00"].map(|it| format!("{it}{}", rng.u32(..3))).concat();
                let more = if rng.bool() { " + 0.001" } else { "" };
                said(format!("{text}\nclock {} s\ntook ({took}{more} secs)\n", number / 40))
            }
        }
    };
    let report = checked_while(&text, device(), |_| true);
    let found = wrong(&report);
    assert_eq!(
        rules(&report),
        [r"(clock )\d+( s)", r"(took \()[-+/.,:\d ]+(secs\))"],
        "{found:#?}"
    );
    let mended = found.iter().fold(text, |text, finding| mended_by(&text, finding));
    let report = checked_while(&mended, device(), |_| true);
    assert_eq!(wrong(&report), Vec::<&Finding>::new());
}

/// A field is judged without the clock that stands in another line of the same answers.
#[test]
fn a_field_that_tells_states_apart_is_kept_where_another_line_has_a_clock() {
    let text = with_inputs(LOCK).replace("lines = 1", "lines = 2");
    let (mut lock, mut rng) = (lock(), fastrand::Rng::with_seed(1));
    let device = move |line: &str, number: u32| {
        let said_by_lock = lock(line);
        let volts = if said_by_lock == "open" { 12 } else { 5 };
        match (line, said_by_lock) {
            ("reset", _) => Vec::new(),
            ("state", _) => said(format!("{volts}.{} V\nclock {number} s\n", rng.u32(..10))),
            (_, text) => said(format!("{text}\n.\n")),
        }
    };
    let report = checked_while(&text, device, |_| true);
    let rules = rules(&report);
    assert!(rules.contains(&r"(clock )\d+( s)"), "{:#?}", report.findings);
    for rule in rules {
        let regex = regex::bytes::Regex::new(rule).expect("a regex");
        assert_ne!(
            regex.replace_all(b"12.3 V\nclock 5 s\n", &b"$1#$2"[..]),
            regex.replace_all(b"5.1 V\nclock 5 s\n", &b"$1#$2"[..]),
            "{rule}"
        );
    }
}

/// A lock with a voltmeter and a clock in its prompt, which the [[output]] rule leaves out. `volts` is shown with its state.
fn checked_with_prompt(volts: impl Fn(&str) -> u32) -> (String, Checked) {
    let rule = r"
[[output]]
match = '(?s)^(?<text>.*)\n\[ *\d+\.\d+\] > $'
name = '${text}'
[inputs]";
    let end = "match = '> $'\ngrace_ms = 0";
    let text = with_inputs(LOCK).replace("lines = 1", end).replace("[inputs]", rule);
    let (mut lock, mut rng) = (lock(), fastrand::Rng::with_seed(1));
    let device = |line: &str, number: u32| match lock(line) {
        "" => Vec::new(),
        state @ ("open" | "closed") => {
            said(format!("VM {}.{} V\n[  {number}.1] > ", volts(state), rng.u32(..3)))
        }
        text => said(format!("{text}\n[  {number}.1] > ")),
    };
    let report = checked_while(&text, device, |_| true);
    (text, report)
}

#[test]
fn what_outputs_leave_out_is_no_field_of_theirs() {
    let (text, report) = checked_with_prompt(|_| 24);
    assert_eq!(rules(&report), [r"(VM )[\d.,:]+( V)"], "{:#?}", report.findings);
    let [found] = &wrong(&report)[..] else { panic!("{:#?}", report.findings) };
    let device = DeviceFile::parse(Path::new("lock.toml"), &mended_by(&text, found));
    assert_eq!(device.expect("a device file").name_output(b"VM 24.1 V\n[  7.1] > "), "VM # V");
}

#[test]
fn a_field_is_judged_by_outputs_without_what_they_leave_out() {
    let (_, report) = checked_with_prompt(|state| if state == "open" { 12 } else { 5 });
    for rule in rules(&report) {
        assert!(!rule.starts_with(r"(VM )[\d"), "{rule}");
    }
    let [found] = &wrong(&report)[..] else { panic!("{:#?}", report.findings) };
    assert!(found.text.contains("What changes"), "{}", found.text);
}

/// A rule without which the [[output]] rules would not fit any more is not proposed.
#[test]
fn a_field_that_output_rules_fit_is_theirs_to_leave_out() {
    let rule = "[[output]]\nmatch = '^(\\w+) T:([\\d.]+)\\n$'\nname = '${1} at ${2}'\n[inputs]";
    let text = with_inputs(LOCK).replace("[inputs]", rule);
    let report = checked_while(&text, warm_lock(), |_| true);
    assert_eq!(rules(&report), [""; 0], "{:#?}", report.findings);
    assert!(!wrong(&report).is_empty());
    for found in wrong(&report) {
        assert!(
            found.text.contains("let their patterns or their `name` leave it out"),
            "{}",
            found.text
        );
    }
}

#[test]
fn two_fields_that_have_nothing_to_do_with_each_other_stay_two() {
    for [one, other] in [["uptime: ", "tries: "], ["x", "number "], ["count: ", "amount: "]] {
        let report = checked(move |line, number| match line {
            "reset" => Vec::new(),
            "look" => said(format!("{one}{}\n", number * 7)),
            _ => said(format!("{other}{}\n", number * number / 3)),
        });
        assert_eq!(wrong(&report).len(), 2, "{:#?}", report.findings);
        let mut rules = rules(&report);
        rules.sort_unstable();
        let mut expected = [one, other].map(|name| format!(r"({name})\d+"));
        expected.sort_unstable();
        assert_eq!(rules, expected);
    }
}

/// The answers to `good` and to `bad` hold a counter. In the answer to `state`, the same text leads a number that tells whether the
/// lock is open.
#[test]
fn a_number_that_tells_states_apart_stays_though_its_name_is_that_of_a_field() {
    let mut lock = lock();
    let device = move |line: &str, number: u32| match lock(line) {
        "" => Vec::new(),
        "closed" => said("state n=1\n".to_owned()),
        "open" => said("state n=2\n".to_owned()),
        text if line == "open" => said(format!("{text}\n")),
        text => said(format!("{text} n={}\n", number * 3)),
    };
    let report = checked_while(&with_inputs(LOCK), device, |_| true);
    let mut rules = rules(&report);
    rules.sort_unstable();
    assert_eq!(rules, [r"(ok n=)\d+", r"(wrong n=)\d+"], "{:#?}", report.findings);
}

/// What a meter shows when it is high or low, with its noise.
type Show<'s> = &'s dyn Fn(bool, u32) -> String;

/// A meter that shows what it measures: a low value, or a high one after each second `press`. It varies by 0, 1 and 2.
fn meter(show: impl Fn(bool, u32) -> String) -> impl FnMut(&str, u32) -> Reaction {
    let mut is_high = false;
    move |line, number| {
        is_high = line != "reset" && (is_high != (line == "press"));
        match line {
            "reset" => Vec::new(),
            "press" => said("ok\n".repeat(show(is_high, 0).lines().count())),
            _ => said(show(is_high, number * number / 3 % 3)),
        }
    }
}

#[test]
fn of_a_number_that_tells_states_apart_only_its_noise_is_taken_away() {
    let level = |is_high| if is_high { 5000 } else { 0 };
    let volts = |(value, sign): (u32, &str)| format!("{sign}{}.{:03}", value / 1000, value % 1000);
    let cases: [(Show<'_>, Option<&str>); 7] = [
        (
            &|high, noise| format!("V={}\n", volts((level(high) + noise, ""))),
            Some(r"(V=\d+\.\d\d)\d"),
        ),
        (
            &|high, noise| format!("{}\n", volts((level(high) + noise, ""))),
            Some(r"(?mR)^(\d+\.\d\d)\d$"),
        ),
        (&|high, noise| format!("n={} mV\n", level(high) + 100 + noise), Some(r"(n=\d*)\d( mV)")),
        // The noise changes the digits that tell the states apart.
        (&|high, noise| format!("V={}\n", volts((level(high) + 999 + noise, ""))), None),
        (&|high, noise| format!("n={} mV\n", level(high) + 99 + noise), None),
        (&|high, noise| format!("{}\n", level(high) + 99 + noise), None),
        (
            &|high, noise| {
                let sign = if noise == 1 && !high { "-" } else { "" };
                format!("t={noise}, V={}\n", volts((level(high) + noise, sign)))
            },
            None,
        ),
    ];
    for (show, expected) in cases {
        let report = checked(meter(show));
        let [found] = &wrong(&report)[..] else { panic!("{:#?}", report.findings) };
        assert_eq!(found.kind, FindingKind::ChangingOutput);
        let Some(expected) = expected else {
            assert!(found.text.contains("But it also tells answers apart: "), "{}", found.text);
            assert_eq!(found.change, None, "{}", found.text);
            continue;
        };
        assert_eq!(rules(&report), [expected]);
        let mended = mended_by(FILE, found);
        let device = DeviceFile::parse(Path::new("meter.toml"), &mended).expect("a device file");
        let named = |is_high, noise| device.name_output(show(is_high, noise).as_bytes());
        assert_eq!(named(false, 0), named(false, 2));
        assert_ne!(named(false, 0), named(true, 0));
    }
}

/// Both lines are numbers: what varies is the first, what tells the states apart the second.
#[test]
fn a_number_that_tells_states_apart_stays_beside_one_that_varies() {
    let two_lines = |high, noise: u32| format!("{}\n{}\n", 1000 + noise, if high { 7 } else { 3 });
    let one_line = |high, noise: u32| format!("V={} V={}\n", 99 + noise, if high { 7 } else { 3 });
    for (lines, show) in [("lines = 2", &two_lines as Show<'_>), ("lines = 1", &one_line)] {
        let file = FILE.replace("lines = 1", lines);
        let report = checked_while(&file, meter(show), |_| true);
        assert!(!report.findings.is_empty());
        for found in report.findings.iter().filter(|found| found.change.is_some()) {
            let mended = mended_by(&file, found);
            let device =
                DeviceFile::parse(Path::new("meter.toml"), &mended).expect("a device file");
            let [low, high] =
                [false, true].map(|is_high| device.name_output(show(is_high, 0).as_bytes()));
            assert_ne!(low, high, "{}", found.text);
        }
    }
}

/// It may be all that the device is asked for, so the user decides.
#[test]
fn a_line_that_is_nothing_but_a_number_is_shown_with_a_rule_and_stays() {
    let report = checked(meter(|_, noise| format!("{}\n", 98 + noise)));
    let [found] = &wrong(&report)[..] else { panic!("{:#?}", report.findings) };
    let text = &found.text;
    assert!(
        text.contains("What changes is a line that is a number, and nothing else: `"),
        "{text}"
    );
    assert!(text.ends_with("match = '(?mR)^\\d+$'\nwith = \"#\""), "{text}");
    assert_eq!(found.change, None);
}

/// The number of the session stands in the middle of all answers.
#[test]
fn the_same_rule_is_said_once() {
    let mut session = 0;
    let report = checked_while(
        &with_inputs(LOCK),
        move |line, _| {
            session += u32::from(line == "reset");
            match line {
                "reset" => Vec::new(),
                line => said(format!("did {line}: [child 1 (process {session}) ended]\n")),
            }
        },
        |_| true,
    );
    let [found] = &wrong(&report)[..] else { panic!("{:#?}", report.findings) };
    assert_eq!(rules(&report), [r"( 1 \(process )\d+(\) ended\])"]);
    assert_eq!(found.text.matches("is answered").count(), 3, "{}", found.text);
}
