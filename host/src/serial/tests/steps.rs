//! What is sent, in which steps and at which pace, and how the replies are read.

use super::*;

#[test]
fn an_input_of_several_steps_goes_on_when_it_hears_what_it_expects() {
    let text = r#"
        [reply]
        match = '(\$|Password:) $'
        grace_ms = 0
        within_ms = 1000
        [inputs.login]
        steps = [
            { send = "root\r" },
            { expect = { match = 'Password: $', within_ms = 50 } },
            { send = "secret\r" },
        ]
    "#;
    let mut logged_in = false;
    let mut sul = sul(text, move |deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"root\r" && logged_in => {
            vec![(5, b"root: not found\r\n$ ")]
        }
        LinkAct::Sent(bytes) if bytes == b"root\r" => vec![(5, b"Password: ")],
        LinkAct::Sent(bytes) if bytes == b"secret\r" => {
            logged_in = true;
            vec![(20, b"\r\nwelcome\r\n$ ")]
        }
        _ => Vec::new(),
    });
    let deeds = sul.link().deeds();
    assert_eq!(step(&mut sul, 0).expect("an output"), r"\r\nwelcome\r\n$ ");
    assert_eq!(step(&mut sul, 0).expect("an output"), r"root: not found\r\n$ ");
    let count = deeds.borrow().len();
    assert_eq!(count, 3, "the password is not sent to those who do not ask for it");
}

#[test]
fn an_expectation_has_a_patience_of_its_own() {
    let text = r#"
        [reply]
        lines = 1
        within_ms = 1000
        [inputs.go]
        steps = [
            { send = "a" },
            { expect = { match = '> $', within_ms = 50 } },
            { send = "b" },
        ]
    "#;
    let mut sul = sul(text, |_| Vec::new());
    assert_eq!(step(&mut sul, 0).expect("an output"), "(silence)");
    assert_eq!(sul.statistics().inputs[0].total, Duration::from_millis(50));
}

#[test]
fn a_wait_after_sending_hears_all_that_comes() {
    let text = "[reply]\nlines = 1\necho = true\n[inputs]\na = { send = \"ab\\r\", wait_ms = 100 }";
    let mut sul = sul(text, answer("ab\r", vec![(1, b"ab\r\none\n"), (90, b"two\n")]));
    assert_eq!(step(&mut sul, 0).expect("an output"), r"one\ntwo\n");
    assert_eq!(sul.statistics().inputs[0].total, Duration::from_millis(100));
}

#[test]
fn a_command_of_the_shell_may_be_an_input() {
    let text = "[reply]\nwithin_ms = 5\n[inputs]\nyes = { run = \"true\" }\n\
                no = { run = \"echo why >&2; exit 1\" }";
    let mut sul = sul(text, |_| Vec::new());
    assert_eq!(step(&mut sul, 0).expect("an output"), "(silence)");
    let error = step(&mut sul, 1).expect_err("it fails");
    assert!(error.is_worth_a_retry());
    let message =
        "the input `no` could not be given: `echo why >&2; exit 1` failed: exit status: 1: why";
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_break_is_an_input() {
    let text = "[inputs]\nstop = { break_ms = 250 }";
    let mut sul = sul(text, |deed| match deed {
        LinkAct::Set(ControlLine::Break, false) => vec![(2, b"break!")],
        _ => Vec::new(),
    });
    let deeds = sul.link().deeds();
    assert_eq!(step(&mut sul, 0).expect("an output"), "break!");
    let set = |level| LinkAct::Set(ControlLine::Break, level);
    assert_eq!(*deeds.borrow(), [(0, set(true)), (250, set(false))]);
}

/// Everything that was sent.
fn sent(deeds: &[(u128, LinkAct)]) -> Vec<(u128, String)> {
    let sent = deeds.iter().filter_map(|(at, deed)| match deed {
        LinkAct::Sent(bytes) => Some((*at, crate::escape::escape(bytes))),
        _ => None,
    });
    sent.collect()
}

#[test]
fn lines_are_sent_with_pauses_between_them() {
    let text = "[port]\nline_delay_ms = 30\n[reply]\nwithin_ms = 5\n[inputs]\n\
                a = \"one\\r\\ntwo\\rthree\\n\\n\"\nb = \"b\"";
    let mut sul = sul(text, |_| Vec::new());
    let deeds = sul.link().deeds();
    step(&mut sul, 0).expect("an output");
    step(&mut sul, 1).expect("an output");
    let expected = [(0, r"one\r\n"), (30, r"two\r"), (60, r"three\n"), (90, r"\n"), (95, "b")];
    assert_eq!(sent(&deeds.borrow()), expected.map(|(at, text)| (at, text.to_owned())));
}

#[test]
fn numbers_start_anew_with_each_reset_and_frames_are_complete() {
    let text = r#"
        [frame]
        hex = "1b ${seq} ${length:u16} 0e ${data} ${xor8}"
        [reply]
        within_ms = 5
        [inputs]
        sign_on = { hex = "01" }
        raw = { hex = "ff", frame = false }
        block = { steps = [{ hex = "13 00" }, { hex = "14" }] }
    "#;
    let mut sul = sul(text, |_| Vec::new());
    let deeds = sul.link().deeds();
    for _ in 0..2 {
        sul.reset().expect("a reset");
        for input in [0, 1, 2, 0] {
            step(&mut sul, input).expect("an output");
        }
    }
    let sent: Vec<_> = sent(&deeds.borrow()).into_iter().map(|(_, text)| text).collect();
    let word = [
        r"reset\r",
        r"\x1b\x00\x00\x01\x0e\x01\x15",
        r"\xff",
        r"\x1b\x01\x00\x02\x0e\x13\x00\x05",
        r"\x1b\x02\x00\x01\x0e\x14\x02",
        r"\x1b\x03\x00\x01\x0e\x01\x16",
    ];
    assert_eq!(sent, [word, word].concat());
}

#[test]
fn what_a_reply_held_is_sent_back_until_the_next_reset() {
    let text = r#"
        [captures]
        nonce = { match = 'NONCE (\w+)', before = "none" }
        [reply]
        lines = 1
        within_ms = 5
        [inputs]
        get = "get\r"
        unlock = "unlock ${nonce} ${$}{nonce}\r"
    "#;
    let mut sul = sul(text, answer("get\r", vec![(1, b"NONCE 1234\n")]));
    let deeds = sul.link().deeds();
    for input in [1, 0, 1] {
        step(&mut sul, input).expect("an output");
    }
    sul.reset().expect("a reset");
    step(&mut sul, 1).expect("an output");
    let sent: Vec<_> = sent(&deeds.borrow()).into_iter().map(|(_, text)| text).collect();
    let before = r"unlock none ${nonce}\r";
    assert_eq!(sent, [before, r"get\r", r"unlock 1234 ${nonce}\r", r"reset\r", before]);
}

#[test]
fn a_checksum_is_checked_and_taken_away() {
    let text = "[reply]\nlength = 3\nchecksum = \"xor8\"\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut sul = sul(text, |deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"a" => vec![(1, &[b'x', b'y', b'x' ^ b'y'])],
        LinkAct::Sent(bytes) if bytes == b"b" => vec![(1, b"xyz")],
        _ => Vec::new(),
    });
    assert_eq!(step(&mut sul, 0).expect("an output"), "xy");
    let error = step(&mut sul, 1).expect_err("z is wrong");
    assert!(error.is_worth_a_retry());
    assert_eq!(error.to_string(), "the xor8 of the reply to `b` is wrong or missing: `xyz`");
}

#[test]
fn a_checksum_in_hex_digits_is_checked_and_taken_away() {
    let text = r"[reply]
        lines = 1
        checksum = { sum = 'xor8', match = '\$(?<data>.*)\*(?<digits>..)' }
        [inputs]
        a = 'a'
        b = 'b'";
    let mut sul = sul(text, |deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"a" => vec![(1, b"$xy*01\n")],
        LinkAct::Sent(bytes) if bytes == b"b" => vec![(1, b"$xz*01\n")],
        _ => Vec::new(),
    });
    assert_eq!(step(&mut sul, 0).expect("an output"), r"$xy*\n");
    let error = step(&mut sul, 1).expect_err("z is wrong");
    assert!(error.is_worth_a_retry());
    let said = r"the xor8 of the reply to `b` is wrong or missing: `$xz*01\n`";
    assert_eq!(error.to_string(), said);
}

#[test]
fn the_time_a_reply_takes_may_be_part_of_the_output() {
    let text = "[reply]\nmatch = 'k$'\ngrace_ms = 40\ntime = { slow = 100, fast = 0 }\n\
                [inputs]\na = \"a\"\nb = \"b\"\nc = \"c\"";
    let mut sul = sul(text, |deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"a" => vec![(99, b"ok")],
        LinkAct::Sent(bytes) if bytes == b"b" => vec![(1, b"o"), (100, b"k")],
        _ => Vec::new(),
    });
    assert_eq!(step(&mut sul, 0).expect("an output"), "ok (fast)", "the grace does not count");
    assert_eq!(step(&mut sul, 1).expect("an output"), "ok (slow)");
    assert_eq!(step(&mut sul, 2).expect("an output"), "(silence)");
}

#[test]
fn a_word_has_a_longest_duration() {
    let text = "[word]\nmax_ms = 25\n[reply]\nwithin_ms = 10\n[inputs]\na = \"a\"";
    let mut sul = sul(text, |_| Vec::new());
    for _ in 0..2 {
        sul.reset().expect("a reset");
        step(&mut sul, 0).expect("an output");
        step(&mut sul, 0).expect("an output");
        let error = step(&mut sul, 0).expect_err("30 ms are over");
        assert!(error.is_worth_a_retry());
        assert_eq!(error.to_string(), "`a a a` took longer than 25 ms");
    }
}

#[test]
fn a_method_is_tried_as_often_as_the_file_says() {
    let text = "[[reset]]\nsteps = [{ send = \"r\" }]\ntries = 3\n\
                expect = { match = 'ok', within_ms = 10 }\nquiet_ms = 0\n[inputs]\na = \"a\"";
    let mut count = 0;
    let link = FakeLink::new(move |deed: &LinkAct| match deed {
        LinkAct::Sent(bytes) if bytes == b"r" => {
            count += 1;
            if count % 3 == 0 { vec![(1, &b"ok"[..])] } else { Vec::new() }
        }
        _ => Vec::new(),
    });
    let mut sul = SerialSul::new(link, device(text)).expect("a device");
    sul.reset().expect("the third time");
    let spent = sul.statistics().resets[0];
    assert_eq!((spent.count, spent.failed), (3, 2));
    assert_eq!(spent.total, Duration::from_millis(21));
}

#[test]
fn a_reset_that_has_worked_before_tells_what_was_done_since() {
    let text = "[[reset]]\nsteps = [{ send = \"r\" }]\n\
                expect = { match = 'ok', within_ms = 10 }\nquiet_ms = 0\n\
                [reply]\nwithin_ms = 5\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut left = 2;
    let link = FakeLink::new(move |deed: &LinkAct| match deed {
        LinkAct::Sent(bytes) if bytes == b"r" && left > 0 => {
            left -= 1;
            vec![(1, &b"ok"[..])]
        }
        _ => Vec::new(),
    });
    let mut sul = SerialSul::new(link, device(text)).expect("a device");
    sul.reset().expect("a reset");
    sul.reset().expect("a reset");
    for input in [0, 1, 1] {
        step(&mut sul, input).expect("an output");
    }
    let error = sul.reset().expect_err("it is broken").to_string();
    let start = "the device did not come back from a reset, though it did 2 times; the word before it was `a b b`\n";
    assert!(error.starts_with(start), "{error}");
}

#[test]
fn frames_are_stuffed_both_ways() {
    let text = "[frame]\nstuffing = \"hdlc\"\ntext = \"${data}${xor8:u8}\"\n[reply]\nchecksum = \"xor8\"\n\
                [inputs]\na = { hex = \"7e\" }\nb = { hex = \"01\" }";
    let mut sul = sul(text, |deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"\x7e\x7d\x5e\x7d\x5e\x7e" => {
            vec![(3, b"\x7e\x7d\x5d"), (5, b"\x7d\x5d\x7e\x7e")]
        }
        LinkAct::Sent(bytes) if bytes == b"\x7e\x01\x01\x7e" => vec![(2, b"\x7eabc")],
        _ => Vec::new(),
    });
    assert_eq!(step(&mut sul, 0).expect("an output"), "}");
    let error = step(&mut sul, 1).expect_err("a frame without its end");
    assert!(error.is_worth_a_retry(), "{error}");
    assert_eq!(error.to_string(), "the reply to `b` is not a frame: it has no end, `abc`");
}

#[test]
fn a_reset_that_fails_names_the_word_before_it_if_there_was_one() {
    let text = "[[reset]]\nsteps = [{ send = \"R\" }]\nexpect = { match = 'ok', within_ms = 50 }\n[inputs]\na = \"a\"";
    let failed = |word: &[u32]| {
        let mut resets = 0;
        let link = FakeLink::new(|act| {
            resets += u32::from(*act == LinkAct::Sent(b"R".to_vec()));
            match act {
                LinkAct::Sent(bytes) if bytes == b"R" && resets < 3 => vec![(1, b"ok")],
                _ => Vec::new(),
            }
        });
        let mut sul = SerialSul::new(link, device(text)).expect("a device");
        (0..2).for_each(|_| sul.reset().expect("a reset"));
        word.iter().for_each(|&input| drop(step(&mut sul, input).expect("an output")));
        sul.reset().expect_err("it is broken").to_string()
    };
    assert!(failed(&[]).contains(", though it did 2 times"));
    assert!(!failed(&[]).contains("the word before it"));
    assert!(failed(&[0]).contains("2 times; the word before it was `a`"), "{}", failed(&[0]));
}
