//! Replies that go on after their end, at each state.

use super::*;

/// Checks the lamp with these keys in `[reply]`, where more comes after the replies to some inputs.
fn found(keys: &str, inputs: &[&str], more: &'static [u8], at: u64) -> Vec<Finding> {
    let mut lamp = lamp(true);
    let text = FILE.replace("lines = 1", &format!("lines = 1\n{keys}"));
    let answer = |line: &str, number| {
        let mut reaction = lamp(line, number);
        if inputs.contains(&line) {
            reaction.push((at, more));
        }
        reaction
    };
    checked_while(&text, answer, |_| true).findings
}

#[test]
fn what_a_file_expects_after_a_reply_asks_for_no_longer_time_out() {
    for late in ["output", "drop", "reply"] {
        let keys = format!("within_ms = 100\nsettle_ms = 200\nlate = \"{late}\"");
        assert_eq!(found(&keys, &["press"], b"done\n", 150), [], "{late}");
    }
}

#[test]
fn a_reply_that_goes_on_is_found_whatever_the_time_out() {
    for (within, at) in [(60, 90), (60, 110), (100, 150), (200, 190)] {
        let findings = found(&format!("within_ms = {within}"), &["press"], b"done\n", at);
        let goes_on = findings.iter().find(|finding| finding.kind == FindingKind::LateBytes);
        let goes_on = goes_on.unwrap_or_else(|| panic!("{within} {at}: {findings:?}"));
        assert!(goes_on.is_wrong() && goes_on.text.contains("the reply to `press` goes on"));
        let longer = Change::Longer { key: CountKey::Lines, input: Some(1), count: 2 };
        for finding in &findings {
            assert!(
                finding.change.as_ref().is_none_or(|it| *it == longer),
                "{within} {at}: {findings:?}"
            );
        }
    }
}

#[test]
fn replies_that_all_go_on_have_more_lines() {
    let findings = found("", &["look", "press"], b"OK\n", 40);
    let goes_on = findings.iter().find(|finding| finding.kind == FindingKind::LateBytes);
    assert!(
        goes_on.is_some_and(|it| it.text.contains("replies to all inputs go on")),
        "{findings:?}"
    );
    assert!(findings.iter().all(|finding| finding.change.is_none()), "{findings:?}");
    let alone = FILE.replace("press = \"press\\n\"", "");
    let answer = |line: &str, _| match line {
        "reset" => Vec::new(),
        _ => vec![(1, &b"lamp\n"[..]), (40, b"OK\n")],
    };
    let findings = checked_while(&alone, answer, |_| true).findings;
    let goes_on = findings.iter().find(|finding| finding.kind == FindingKind::LateBytes);
    assert!(goes_on.is_some_and(|it| it.text.contains("`look` goes on")), "{findings:?}");
}

/// Which word fails first is chance, and what a reply leaves comes after the replies to other inputs, too.
#[test]
fn words_that_fail_as_replies_go_on_are_counted_once_and_blame_no_other_input() {
    let names = ["aa", "bb", "cc", "dd"];
    let inputs: Vec<_> = names.iter().map(|name| format!("{name} = \"{name}\\n\"\n")).collect();
    let (head, _) = FILE.split_once("look").expect("inputs");
    let file =
        format!("{head}{}", inputs.concat()).replace("lines = 1", "lines = 1\nwithin_ms = 100");
    for go_on in [&["aa"][..], &["bb"], &["cc"], &["dd"], &["aa", "bb"], &["cc", "aa"]] {
        let answer = |line: &str, _| match line {
            "reset" => Vec::new(),
            line if go_on.contains(&line) => vec![(1, &b"A\n"[..]), (40, b"more\n")],
            _ => vec![(1, &b"ok\n"[..])],
        };
        let report = checked_while(&file, answer, |_| true);
        let (findings, faults) = (&report.findings, &report.evidence.faults);
        let late: Vec<_> = findings.iter().filter(|it| it.kind == FindingKind::LateBytes).collect();
        assert_eq!(late.len(), go_on.len(), "{go_on:?}: {findings:#?}");
        assert!(!findings.iter().any(|it| it.kind.is_fault()), "{findings:#?}");
        let failed: u32 = faults.iter().map(|failed| failed.count()).sum();
        let told = format!("bytes came late in {failed} of {} words", report.evidence.words());
        let times = late.iter().filter(|it| it.text.contains(&told)).count();
        assert!(failed > 9 && times == 1, "{told}: {findings:#?}");
    }
}

#[test]
fn a_shorter_time_out_is_not_proposed_where_answers_are_missing() {
    for lost in [9, 17, 31] {
        let (mut lamp, mut replies) = (lamp(true), 0);
        let answer = move |line: &str, number| {
            let reaction = lamp(line, number);
            replies += u32::from(line != "reset");
            if line != "reset" && replies % lost == 0 { Vec::new() } else { reaction }
        };
        let findings = checked_while(FILE, answer, |_| true).findings;
        assert!(!findings.is_empty(), "1 of {lost}");
        for finding in &findings {
            assert_ne!(finding.kind, FindingKind::LongTimeOut, "1 of {lost}: {findings:?}");
        }
    }
}

/// A lamp with a lock: most of its replies have one line.
const LOCK: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n[reply]\nlines = 1\nwithin_ms = 1000\n\
                    [inputs]\nlook = \"look\\n\"\nhold = \"!\\n\"\nunlock = \"unlock\\n\"";

#[test]
fn a_reply_that_goes_on_at_once_is_said_at_once() {
    for (at, unlocked) in [(0, &b"unlocked\nok\n"[..]), (2, b"unlocked\n"), (9, b"unlocked\n")] {
        let answer = move |line: &str, _| match line {
            "look" => vec![(2, &b"locked\n"[..])],
            "unlock" if at == 0 => vec![(2, unlocked)],
            "unlock" => vec![(2, unlocked), (2 + at, b"ok\n")],
            _ => Vec::new(),
        };
        let mut stages = Vec::new();
        let report = checked_while(LOCK, answer, |progress| {
            stages.push(progress.stage);
            true
        });
        let [found] = &report.findings[..] else { panic!("{at}: {:#?}", report.findings) };
        assert_eq!(found.kind, FindingKind::LateBytes, "{at}: {found:?}");
        assert!(found.text.contains(r"`unlock` goes on after its end: `ok\n`"), "{}", found.text);
        let longer = Change::Longer { key: CountKey::Lines, input: Some(2), count: 2 };
        assert_eq!(found.change, Some(longer), "{at}: {}", found.text);
        assert!(report.is_cut_short && report.evidence.spent < Duration::from_secs(5));
        assert!(stages.iter().all(|stage| *stage == CheckStage::First), "{at}: {stages:?}");
    }
}

/// With more lines, the match would still end each reply too early.
#[test]
fn more_lines_are_not_proposed_where_a_match_ends_replies_too() {
    let text = LOCK.replace("lines = 1", "lines = 1\nmatch = 'locked\\n'");
    let answer = |line: &str, _| match line {
        "look" => vec![(2, &b"locked\n"[..])],
        "unlock" => vec![(2, &b"unlocked\nok\n"[..])],
        _ => Vec::new(),
    };
    let report = checked_while(&text, answer, |_| true);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert_eq!(found.kind, FindingKind::LateBytes, "{found:?}");
    assert_eq!(found.change, None, "{}", found.text);
}

/// Each reply ends with an empty line.
#[test]
fn replies_that_all_have_one_more_line_are_mended_at_once() {
    let answer = |line: &str, _| match line {
        "look" => vec![(2, &b"= locked\r\n\r\n"[..])],
        "unlock" => vec![(2, &b"= \r\n\r\n"[..])],
        "!" => vec![(2, &b"? no\r\n\r\n"[..])],
        _ => Vec::new(),
    };
    let report = checked_while(LOCK, answer, |_| true);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert!(found.text.contains("lines = 2 in [reply] takes all: each of 9 replies"), "{found:#?}");
    let report = checked_while(&mended_by(LOCK, found), answer, |_| true);
    assert!(!report.findings.iter().any(Finding::is_wrong), "{:#?}", report.findings);
}

#[test]
fn a_prompt_after_all_replies_takes_the_place_of_a_number_of_lines() {
    for at in [2, 9] {
        let prompted = move |text: &'static [u8]| match at {
            2 => vec![(2, &*Box::leak([text, b"> "].concat().into_boxed_slice()))],
            _ => vec![(2, text), (at, &b"> "[..])],
        };
        let mut is_locked = true;
        let answer = move |line: &str, _| match (line, is_locked) {
            ("look", true) => prompted(b"locked\r\n"),
            ("look", false) => prompted(b"open\r\n"),
            ("unlock", _) => {
                is_locked = false;
                prompted(b"ok\r\n")
            }
            (_, _) => {
                is_locked = true;
                if line == "reset" { Vec::new() } else { prompted(b"held\r\n") }
            }
        };
        let report = checked_while(LOCK, answer, |_| true);
        let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
        let text =
            r"write `match = '\r\n> $'` and `grace_ms = 0` into [reply], in place of each `lines`";
        assert!(found.text.contains(text), "{}", found.text);
        let report = checked_while(&mended_by(LOCK, found), answer, |_| true);
        assert_eq!(report.findings, []);
    }
}

/// The console shows its prompt at `\r`, and again at `\n`.
#[test]
fn a_prompt_that_comes_twice_is_a_matter_of_the_line_end() {
    let file = |end: &str| {
        let text = LOCK.replace("lines = 1", "match = '# $'\ngrace_ms = 0").replace("\\n\"", end);
        let text = text.replace("quiet_ms = 0", "quiet_ms = 30");
        text.replace("send = \"reset\\r\\n\"", "send = \"reset\\n\"")
    };
    let console = |again: Reaction| {
        let mut is_locked = true;
        move |line: &str, _| {
            let said: &[u8] = match (line, is_locked) {
                ("reset", _) => {
                    is_locked = true;
                    return Vec::new();
                }
                ("look", true) => b"locked\n# ",
                ("look", false) => b"open\n# ",
                (other, _) => {
                    is_locked = other != "unlock";
                    b"ok\n# "
                }
            };
            [vec![(2, said)], again.clone()].concat()
        }
    };
    for at in [3, 20] {
        let report = checked_while(&file("\\r\\n\""), console(vec![(at, b"# ")]), |_| true);
        let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
        let text = r"and 2 more, `# ` comes once more: the device takes `\r\n` for two line ends.";
        assert!(found.text.contains(text) && found.change.is_none(), "{}", found.text);
    }
    let report = checked_while(&file("\\n\""), console(Vec::new()), |_| true);
    assert_eq!(report.findings, []);
    // The prompt comes twice though one byte ends the inputs, or after one of them only.
    let is_doubled =
        |report: &Checked| report.findings.iter().any(|it| it.text.contains("two line ends"));
    let report = checked_while(&file("\\n\""), console(vec![(20, b"# ")]), |_| true);
    assert!(!is_doubled(&report), "{:#?}", report.findings);
    let mut all = console(vec![(20, b"# ")]);
    let one = |line: &str, number| {
        let mut said = all(line, number);
        said.truncate(if line == "look" { 2 } else { 1 });
        said
    };
    let report = checked_while(&file("\\r\\n\""), one, |_| true);
    assert!(!is_doubled(&report), "{:#?}", report.findings);
}

/// A line that ends like a prompt.
#[test]
fn a_second_line_is_no_prompt_that_comes_twice() {
    let text =
        LOCK.replace("lines = 1", "match = '\\r\\n$'\ngrace_ms = 0").replace("\\n\"", "\\r\\n\"");
    let answer = |line: &str, _| match line {
        "reset" => Vec::new(),
        _ => vec![(2, &b"locked\r\n"[..]), (20, b"OK\r\n")],
    };
    let report = checked_while(&text, answer, |_| true);
    let grace = |it: &Finding| matches!(it.change, Some(Change::TimeOut { key: Key::Grace, .. }));
    assert!(report.findings.iter().any(grace), "{:#?}", report.findings);
}

/// No number of lines fits all.
#[test]
fn replies_with_more_lines_or_fewer_get_no_number() {
    let mut locks = 0;
    let answer = move |line: &str, _| match line {
        "look" => vec![(2, &b"a\nb\n"[..])],
        "unlock" => vec![(2, &b"a\nb\nc\n"[..])],
        "!" => {
            locks += 1;
            vec![(2, [&b"a\nb\n"[..], b"a\n1\n2\n"][locks % 2])]
        }
        _ => Vec::new(),
    };
    let report = checked_while(LOCK, answer, |_| true);
    let late = report.findings.iter().filter(|it| it.kind == FindingKind::LateBytes);
    for found in late {
        let is_of_one = matches!(found.change, Some(Change::Longer { input: Some(0 | 2), .. }));
        assert!(found.change.is_none() || is_of_one, "{found:#?}");
    }
    assert!(report.is_cut_short, "{:#?}", report.findings);
}

#[test]
fn what_follows_a_reply_only_sometimes_or_in_other_words_ends_no_check() {
    for every in [2, 3] {
        let mut unlocks = 0;
        let answer = move |line: &str, _| match line {
            "look" => vec![(2, &b"locked\n"[..])],
            "unlock" => {
                unlocks += 1;
                let is_more = unlocks % every == 1;
                vec![(2, if is_more { &b"unlocked\nRING\n"[..] } else { b"unlocked\n" })]
            }
            _ => Vec::new(),
        };
        let mut last = CheckStage::First;
        let report = checked_while(LOCK, answer, |progress| {
            last = progress.stage;
            true
        });
        assert!(!report.is_cut_short && last > CheckStage::Explore, "{:#?}", report.findings);
    }
}

#[test]
fn an_answer_behind_an_echo_is_no_rest() {
    let mut lamp = lamp(true);
    let report = checked(move |line, number| {
        let mut reaction = lamp(line, number);
        match line {
            "look" => reaction.insert(0, (1, b"look\n")),
            "press" => reaction.insert(0, (1, b"press\n")),
            _ => {}
        }
        reaction
    });
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    assert_eq!(found.change, Some(Change::Echo), "{found:?}");
}

/// The last line comes in a read of its own.
#[test]
fn replies_that_all_go_on_for_a_while_are_named() {
    let mut lines = 0;
    let answer = move |line: &str, _| {
        lines += 1;
        let first = match line {
            "look" => &b"locked\n"[..],
            "unlock" => b"unlocked\n",
            "!" => b"held\n",
            _ => return Vec::new(),
        };
        vec![(2, first), (4, b"v 1\n"), (5 + lines * 17 % 60, b"OK\n")]
    };
    let report = checked_while(LOCK, answer, |_| true);
    assert!(report.is_cut_short);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    let text = "the replies to all inputs go on after their end";
    assert!(found.is_wrong() && found.text.starts_with(text), "{found:#?}");
}

/// What comes late after another input, each of the two times that it is asked alone, does not hide it.
#[test]
fn a_reply_that_goes_on_is_named_beside_another_that_may() {
    let answer = |line: &str, _| match line {
        "look" => vec![(2, &b"locked\n"[..]), (60, b"then\n")],
        "unlock" => vec![(2, &b"unlocked\nok\n"[..])],
        _ => Vec::new(),
    };
    let device = DeviceFile::parse(Path::new("lamp.toml"), LOCK).expect("a device file");
    let file = EditableDeviceFile::new(device.clone(), LOCK).expect("TOML");
    let inputs = device.inputs.iter().map(|input| input.name.clone()).collect();
    let mut sul = SerialSul::new(Traced::new(link_to(answer)), device).expect("a device");
    let words = vec![vec![Input::new(0)]];
    let setup = CheckSetup { inputs, file: Some(file), words, earlier_change: None, rounds: 5 };
    let report = check(&mut sul, setup, &mut |_| true).expect("the device stays");
    let is_named = |it: &Finding| it.kind == FindingKind::LateBytes && it.text.contains("`unlock`");
    assert!(report.findings.iter().any(is_named), "{:#?}", report.findings);
}

/// What differs each time may be said by the device itself.
#[test]
fn other_lines_behind_a_reply_each_time_end_no_check() {
    let mut unlocks = 0;
    let answer = move |line: &str, _| match line {
        "look" => vec![(2, &b"locked\n"[..])],
        "unlock" => {
            unlocks += 1;
            vec![(2, [&b"unlocked\nring\n"[..], b"unlocked\nbusy\n"][unlocks % 2])]
        }
        _ => Vec::new(),
    };
    let mut last = CheckStage::First;
    let report = checked_while(LOCK, answer, |progress| {
        last = progress.stage;
        true
    });
    assert!(last > CheckStage::First, "{:#?}", report.findings);
}

/// A display whose replies have four bytes or more, and these at their end.
fn display_with_end(end: [&[u8]; 2], length: usize) -> Checked {
    let text = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n[reply]\nlength = 4\n\
                [inputs]\npage = \"page\\n\"\nvalue = \"value\\n\"\nset = \"set\\n\"";
    let (mut page, mut value) = (0, 0);
    let answer = |line: &str, _| {
        let data: &[u8] = match line {
            "reset" => {
                (page, value) = (0, 0);
                return Vec::new();
            }
            "page" => {
                page = 1 - page;
                if page == 0 { b"\x66\0" } else { b"\x66\x01" }
            }
            "set" if page == 0 => b"\x1a",
            "set" => {
                value = 1;
                b"\x01"
            }
            _ if value == 0 => b"\x71\0\0\0\0",
            _ => b"\x71\x01\0\0\0",
        };
        let reply = [data, end[usize::from(data.len() == 1)]].concat();
        vec![(1, &*Box::leak(reply.into_boxed_slice()))]
    };
    let text = text.replace("length = 4", &format!("length = {length}"));
    checked_while(&text, answer, |_| true)
}

#[test]
fn bytes_that_all_replies_end_with_take_the_place_of_a_length() {
    for (length, goes_on) in [(4, "the reply to `"), (2, "the replies to all inputs")] {
        let report = display_with_end([b"\xff\xff\xff"; 2], length);
        let late: Vec<_> =
            report.findings.iter().filter(|it| it.kind == FindingKind::LateBytes).collect();
        let [found] = &late[..] else { panic!("{length}: {:#?}", report.findings) };
        let change = Change::EndBytes(r"(?-u:\xff\xff\xff)$".to_owned());
        assert_eq!(found.change.as_ref(), Some(&change), "{}", found.text);
        for part in [goes_on, "into [reply], in place of each `length`"] {
            assert!(found.text.contains(part), "{}", found.text);
        }
    }
    // Other replies end otherwise.
    let report = display_with_end([b"\xff\xff\xff", b"\xff\xff\xfe"], 4);
    let is_end = |it: &Finding| matches!(it.change, Some(Change::EndBytes(_)));
    assert!(!report.findings.iter().any(is_end), "{:#?}", report.findings);
}

#[test]
fn a_rest_that_comes_in_several_pieces_is_counted_whole() {
    let text = LOCK.replace("lines = 1", "length = 2");
    let answer = |line: &str, _| match line {
        "reset" => Vec::new(),
        _ => vec![(2, &b"loc"[..]), (20, b"ked\n")],
    };
    let report = checked_while(&text, answer, |_| true);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    let longer = Change::Longer { key: CountKey::Length, input: None, count: 7 };
    assert_eq!(found.change, Some(longer), "{}", found.text);
}
