//! Devices whose replies have more lines in some states than in others.

use super::*;

/// A modem that joins, in a second line, only when it has its keys.
fn modem() -> impl FnMut(&str, u32) -> Reaction {
    let (mut has_keys, mut is_paused) = (false, false);
    move |line, _| {
        match line {
            "reset" => (has_keys, is_paused) = (false, false),
            "keys" => has_keys = true,
            "pause" => is_paused = true,
            _ => {}
        }
        match line {
            "reset" => Vec::new(),
            "join" if is_paused => vec![(3, &b"paused\n"[..])],
            "join" if has_keys => vec![(3, b"ok\n"), (150, b"accepted\n")],
            "join" => vec![(3, b"no keys\n")],
            _ => vec![(3, b"ok\n")],
        }
    }
}

const MODEM: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n[reply]\nlines = 1\n[inputs]\n\
                     join = \"join\\n\"\npause = \"pause\\n\"\nkeys = \"keys\\n\"\n";

#[test]
fn a_reply_that_goes_on_in_some_states_is_found_and_mended() {
    let report = checked_while(MODEM, modem(), |_| true);
    let mut wrong = report.findings.iter().filter(|it| it.kind == FindingKind::LateBytes);
    let found = wrong.next().unwrap_or_else(|| panic!("{:#?}", report.findings));
    let start =
        "the reply to `join` goes on after its end in some states: after `keys join`, `accepted";
    assert!(found.text.starts_with(start) && wrong.next().is_none(), "{:#?}", report.findings);
    let better = mended_by(MODEM, found);
    assert!(better.contains("reply = { quiet_ms = 400 }"), "{better}");
    let report = checked_while(&better, modem(), |_| true);
    assert_eq!(report.findings, [], "{better}");
}

/// At the third input in a row a server says more than its one line.
#[test]
fn as_many_lines_as_before_are_not_proposed() {
    let mut presses = 0;
    let report = checked(move |line, _| {
        presses = if line == "press" { presses + 1 } else { 0 };
        match (line, presses) {
            ("reset", _) => Vec::new(),
            (_, 3) => vec![(1, &b"no\nbye\n"[..])],
            _ => vec![(1, b"no\n")],
        }
    });
    let late: Vec<_> =
        report.findings.iter().filter(|it| it.kind == FindingKind::LateBytes).collect();
    let [finding] = late[..] else { panic!("{:#?}", report.findings) };
    assert!(!finding.text.contains("lines = 1"), "{}", finding.text);
    let change = finding.change.as_ref();
    assert!(!change.is_some_and(|change| matches!(change, Change::Longer { .. })), "{change:?}");
}

/// A modem that joins, opens and sends. It says `ok` at once, and `sent` this number of ms after the input.
fn sending_modem(ms: u64) -> impl FnMut(&str, u32) -> Reaction {
    let (mut modem, mut is_joined, mut is_open) = (modem(), false, false);
    move |line, number| {
        let reaction = modem(line, number);
        match line {
            "reset" => {
                (is_joined, is_open) = (false, false);
                return vec![(300, b"ready\n")];
            }
            "join" => is_joined |= reaction.len() > 1,
            "open" if is_joined => is_open = true,
            "send" if is_open => return vec![(3, b"ok\n"), (ms, b"sent\n")],
            "open" | "send" => return vec![(3, b"no network\n")],
            _ => {}
        }
        reaction
    }
}

const SENDING_MODEM: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nexpect = { match = 'ready\\n$', within_ms = 2000 }\n[reply]\nlines = 1\n[inputs]\n\
                             join = { text = \"join\\n\", reply = { quiet_ms = 400 } }\npause = \"pause\\n\"\n\
                             keys = \"keys\\n\"\nopen = \"open\\n\"\nsend = \"send\\n\"\n";

/// The wait for the second line of `join` hears that of `send`, too.
#[test]
fn a_late_line_is_that_of_the_input_after_which_it_comes() {
    for ms in [60, 100, 180] {
        let report = checked_while(SENDING_MODEM, sending_modem(ms), |_| true);
        let [found] = &report.findings[..] else { panic!("{ms}: {:#?}", report.findings) };
        let start = "the reply to `send` goes on after its end in some states: after `";
        assert!(found.text.starts_with(start), "{ms}: {:#?}", report.findings);
        let better = mended_by(SENDING_MODEM, found);
        let report = checked_while(&better, sending_modem(ms), |_| true);
        assert_eq!(report.findings, [], "{ms}: {better}");
    }
}

#[test]
fn what_comes_by_itself_is_no_rest_of_a_reply() {
    // It says something in each word that is long enough, whatever was asked.
    for every in [5, 9, 14] {
        let mut modem = modem();
        let report = checked_while(
            MODEM,
            move |line, number| {
                let mut reaction =
                    if line == "join" { vec![(3, &b"ok\n"[..])] } else { modem(line, number) };
                if number % every == 0 {
                    reaction.push((100, b"!RING\n"));
                }
                reaction
            },
            |_| true,
        );
        let blamed = report.findings.iter().find(|it| it.text.contains("in some states"));
        assert!(blamed.is_none(), "{:#?}", report.findings);
    }
}

/// A modem with a PIN, which may be wrong three times. It says later that it is open.
fn modem_with_pin() -> impl FnMut(&str, u32) -> Reaction {
    let (mut is_ready, mut is_attached, mut is_open, mut tries) = (false, false, false, 3);
    move |line, _| {
        let refused = vec![(3, &b"refused\n"[..])];
        match line {
            "reset" => {
                (is_ready, is_attached, is_open, tries) = (false, false, false, 3);
                vec![(300, b"ready\n")]
            }
            "pin" if !is_ready && tries > 0 => {
                (is_ready, tries) = (true, 3);
                vec![(3, b"ok\n"), (60, b"ready\n")]
            }
            "wrong" if !is_ready && tries > 0 => {
                tries -= 1;
                vec![(3, if tries > 0 { b"wrong\n" } else { b"locked\n" })]
            }
            "attach" if is_ready => {
                is_attached = true;
                vec![(3, b"ok\n")]
            }
            "open" if is_attached && !is_open => {
                is_open = true;
                vec![(3, b"ok\n"), (180, b"opened\n")]
            }
            "send" if is_open => vec![(3, b"sent\n")],
            _ => refused,
        }
    }
}

/// The wait for the second line of `pin` hears it, too.
#[test]
fn a_late_line_in_the_reply_to_the_next_input_is_not_that_of_this_input() {
    let file = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nexpect = { match = 'ready\\n$', within_ms = 2000 }\n[reply]\n\
                lines = 1\n[inputs]\npin = { text = \"pin\\n\", reply = { quiet_ms = 200 } }\nwrong = \"wrong\\n\"\n\
                attach = \"attach\\n\"\nopen = \"open\\n\"\nsend = \"send\\n\"\n";
    let report = checked_while(file, modem_with_pin(), |_| true);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    let start = "the reply to `open` goes on after its end in some states: after `";
    assert!(found.text.starts_with(start), "{}", found.text);
    let better = mended_by(file, found);
    let report = checked_while(&better, modem_with_pin(), |_| true);
    assert_eq!(report.findings, [], "{better}");
}

/// A player that tells what it plays in a line of its own before `OK`, to those who have logged in.
fn player() -> impl FnMut(&str, u32) -> Reaction {
    let mut may = false;
    move |line, _| {
        let reply: &[u8] = match (line, may) {
            ("reset", _) => {
                may = false;
                return Vec::new();
            }
            ("login", _) => {
                may = true;
                b"OK\n"
            }
            ("song", true) => b"title: one\nOK\n",
            ("song", false) => b"ACK {song} not allowed\n",
            (_, true) => b"OK\n",
            (_, false) => b"ACK {stop} not allowed\n",
        };
        vec![(3, reply)]
    }
}

#[test]
fn the_line_that_all_replies_end_with_takes_the_place_of_one_line() {
    let file = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n[reply]\nlines = 1\n[inputs]\n\
                song = \"song\\n\"\nstop = \"stop\\n\"\nlogin = \"login\\n\"\n";
    let report = checked_while(file, player(), |_| true);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    let part = r"If that belongs to it, write `last_line = 'OK|ACK \{.*'` into [reply], in place of each `lines`";
    assert!(found.text.contains(part), "{}", found.text);
    let better = mended_by(file, found);
    let report = checked_while(&better, player(), |_| true);
    assert_eq!(report.findings, [], "{better}");
}

/// A robot that can be started. `answer` also says whether it was.
fn robot_with(answer: impl Fn(&str, bool) -> Reaction) -> impl FnMut(&str, u32) -> Reaction {
    let mut is_started = false;
    move |line, _| {
        match line {
            "start" => is_started = true,
            "reset" => is_started = false,
            _ => {}
        }
        if line == "reset" { Vec::new() } else { answer(line, is_started) }
    }
}

/// A robot that says nothing before it is started, and then tells two bytes.
fn robot() -> impl FnMut(&str, u32) -> Reaction {
    robot_with(|line, is_started| match line {
        "query" if is_started => vec![(9, b"\x02\x01")],
        "charge" => vec![(9, b"\x05")],
        _ => Vec::new(),
    })
}

const ROBOT: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n[reply]\nlength = 1\nwithin_ms = 1000\n\
                     [inputs]\nstart = \"start\\n\"\nsafe = \"safe\\n\"\ndock = \"dock\\n\"\ncharge = \"charge\\n\"\n\
                     query = \"query\\n\"\n";

#[test]
fn a_reply_that_is_longer_than_its_length_after_silence_ends_the_check() {
    let report = checked_while(ROBOT, robot(), |_| true);
    let [found] = &report.findings[..] else { panic!("{:#?}", report.findings) };
    for part in [
        "the reply to `query` goes on after its end in some states: after `",
        r"start query`, `\x01` came",
        "length = 2 in the `reply` of `query` takes all",
    ] {
        assert!(found.text.contains(part), "{found:#?}");
    }
    assert!(
        report.is_cut_short && report.evidence.spent < Duration::from_secs(90),
        "{:?} {}",
        report.evidence.spent,
        report.is_cut_short
    );
    let better = mended_by(ROBOT, found);
    assert!(better.contains("query = { text = \"query\\n\", reply = { length = 2 } }"), "{better}");
    let report = checked_while(&better, robot(), |_| true);
    assert!(!report.findings.iter().any(Finding::is_wrong), "{:#?}", report.findings);
}

/// What comes with the reply to `charge` is the answer to the input before it.
#[test]
fn a_slow_answer_before_another_is_no_rest_of_that_one() {
    let mut robot = robot();
    let slow = move |line: &str, number| match line {
        // At the time at which the answer to `charge` comes.
        "safe" => vec![(1009, &b"\x07"[..])],
        "query" => Vec::new(),
        _ => robot(line, number),
    };
    let report = checked_while(ROBOT, slow, |_| true);
    let blamed = report.findings.iter().find(|it| it.kind == FindingKind::LateBytes);
    assert!(blamed.is_none(), "{:#?}", report.findings);
}

/// A second frame has a checksum of its own.
#[test]
fn a_reply_with_a_checksum_is_not_made_longer() {
    let mut modem = modem();
    let frames = move |line: &str, number| {
        let frame = |(ms, text): (u64, &[u8])| match text {
            b"ok\n" => (ms, &b"\x01\x02\x03"[..]),
            b"accepted\n" => (ms, &b"\x04\x05\x09"[..]),
            b"paused\n" => (ms, &b"\x02\x02\x04"[..]),
            _ => (ms, &b"\x07\x01\x08"[..]),
        };
        modem(line, number).into_iter().map(frame).collect()
    };
    let text = MODEM.replace("lines = 1", "length = 3\nchecksum = 'sum8'");
    let report = checked_while(&text, frames, |_| true);
    let found = report.findings.iter().find(|it| it.kind == FindingKind::LateBytes);
    let found = found.unwrap_or_else(|| panic!("{:#?}", report.findings));
    assert_eq!(found.change, None);
    assert!(found.text.contains("with checksum = \"none\""), "{}", found.text);
}

/// Checks a robot with this device file.
fn robot_checked(text: &str, answer: impl Fn(&str, bool) -> Reaction) -> Checked {
    checked_while(text, robot_with(answer), |_| true)
}

/// The numbers of bytes that a check proposes.
fn lengths(report: &Checked) -> Vec<usize> {
    let length = |it: &Finding| match it.change {
        Some(Change::Longer { key: CountKey::Length, count, .. }) => Some(count),
        _ => None,
    };
    report.findings.iter().filter_map(length).collect()
}

#[test]
fn a_length_counts_neither_echoes_nor_what_is_stripped() {
    let echo = ROBOT.replace("length = 1", "length = 1\necho = true");
    for is_always in [false, true] {
        let report = robot_checked(&echo, |line, is_started| match line {
            "query" if is_started || is_always => vec![(2, b"query\n\x02\x01")],
            "query" => vec![(2, b"query\n")],
            "start" => vec![(2, b"start\n")],
            "safe" => vec![(2, b"safe\n")],
            "dock" => vec![(2, b"dock\n")],
            _ => vec![(2, b"charge\n\x05")],
        });
        assert_eq!(lengths(&report), [2], "{is_always}: {:#?}", report.findings);
    }
    let strip = ROBOT.replace("length = 1", "length = 1\nstrip = ['\\x00']");
    let report = robot_checked(&strip, |line, is_started| match line {
        "query" if is_started => vec![(2, b"\x00\x02\x01")],
        "charge" => vec![(2, b"\x00\x05")],
        _ => Vec::new(),
    });
    assert_eq!(lengths(&report), [2], "{:#?}", report.findings);
}

#[test]
fn no_length_is_proposed_that_some_replies_do_not_have() {
    // A byte refuses what is asked before it is started.
    let report = robot_checked(ROBOT, |line, is_started| match line {
        "query" if is_started => vec![(2, b"\x02\x01")],
        "query" => vec![(2, b"\x15")],
        "charge" => vec![(2, b"\x05")],
        _ => Vec::new(),
    });
    assert!(report.findings.iter().any(|it| it.kind == FindingKind::LateBytes));
    assert_eq!(lengths(&report), [0; 0], "{:#?}", report.findings);
    // The rest comes in two pieces.
    let report = robot_checked(ROBOT, |line, is_started| match line {
        "query" if is_started => vec![(2, &b"\x02\x01"[..]), (20, b"\x07")],
        "charge" => vec![(2, b"\x05")],
        _ => Vec::new(),
    });
    assert!(lengths(&report).iter().all(|length| *length == 3), "{:#?}", report.findings);
}

#[test]
fn all_that_comes_in_a_wait_belongs_to_its_output() {
    let wait = "query = { send = \"query\\n\", wait_ms = 500 }";
    let text = ROBOT.replace("query = \"query\\n\"", wait);
    for before in [&b"\x03\x01"[..], b""] {
        let report = robot_checked(&text, |line, is_started| match line {
            "query" if is_started => vec![(2, &b"\x02\x01"[..])],
            "query" if !before.is_empty() => vec![(2, &b"\x03\x01"[..])],
            "charge" => vec![(2, b"\x05")],
            _ => Vec::new(),
        });
        let wrong: Vec<_> = report.findings.iter().filter(|it| it.is_wrong()).collect();
        assert!(wrong.is_empty() && !report.is_cut_short, "{wrong:#?}");
    }
}

/// A greeting that comes long after the reset.
#[test]
fn what_a_reset_says_late_is_no_rest_of_a_reply() {
    for at in [50, 150, 400, 900, 1500] {
        let answer = move |line: &str, _| match line {
            "reset" => vec![(at, &b"ready\n"[..])],
            "look" => vec![(3, &b"dark\n"[..])],
            _ => vec![(3, &b"ok\n"[..])],
        };
        let report = checked_while(FILE, answer, |_| true);
        let blamed = report.findings.iter().find(|it| it.text.contains("in some states"));
        assert!(blamed.is_none(), "{at}: {:#?}", report.findings);
        assert!(!report.findings.is_empty(), "{at}");
        let all = report.findings.iter().find(|it| it.text.contains("replies to all inputs"));
        let remedy = "If the reset says it so late, let [[reset]] `expect` it";
        assert!(all.is_none_or(|it| it.text.contains(remedy)), "{at}: {all:#?}");
    }
}
