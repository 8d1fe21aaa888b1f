//! Bytes after the end of a reply: never part of the next one unless the file says so.

use super::*;
use crate::device::Pauses;

const LINES: &str = "[reply]\nlines = 1\n[inputs]\na = \"a\"\nb = \"b\"";

#[test]
fn what_comes_with_the_reply_but_after_its_end_is_an_error_at_once() {
    let mut sul = sul(LINES, answer("a", vec![(1, b"one\ntwo\n")]));
    let error = step(&mut sul, 0).expect_err("two replies to one input");
    assert!(error.is_worth_a_retry());
    let message = r"4 bytes came after the reply to `a` (`one\n`) had ended: `two\n`";
    assert_eq!(error.to_string(), message);
    let LinkError::Late { help, .. } = error else { panic!("{error}") };
    assert!(help.contains("say a larger number"), "no wait helps where lines are counted: {help}");
    assert_eq!(sul.statistics().late_bytes, 4);
    sul.reset().expect("a reset");
    assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");

    let quiet = "[reply]\nquiet_ms = 3\nsettle_ms = 30\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut slow = super::sul(quiet, answer("a", vec![(1, b"one\n"), (9, b"two\n")]));
    let error = step(&mut slow, 0).expect_err("bytes came late");
    let LinkError::Late { help, .. } = error else { panic!("{error}") };
    assert!(help.contains("give it a longer `quiet_ms`") && !help.contains("match"), "{help}");
}

/// The key that the advice is about is that of the end which the reply has, and no other.
#[test]
fn the_advice_fits_the_end_of_the_reply() {
    let keys = ["lines", "frames", "length", "plus", "last_line", "match", "quiet_ms", "grace_ms"];
    for (end, advised) in [
        ("lines = 1", &["lines"][..]),
        ("length = 2", &["length"]),
        ("length = { at = 0, size = 1, plus = 1 }", &["frames", "plus"]),
        ("last_line = 'OK'", &["last_line"]),
        ("match = 'OK'\ngrace_ms = 2", &["match", "grace_ms"]),
        ("match = 'OK'\nquiet_ms = 2\ngrace_ms = 2", &["match", "quiet_ms", "grace_ms"]),
        ("quiet_ms = 2", &["quiet_ms"]),
    ] {
        let text = format!("[reply]\n{end}\nsettle_ms = 30\n[inputs]\na = \"a\"");
        let reply: &[u8] = if end.contains("at = 0") { b"\x01x" } else { b"OK\n" };
        let mut sul = sul(&text, answer("a", vec![(1, reply), (9, b"more\n")]));
        let LinkError::Late { help, .. } = step(&mut sul, 0).expect_err("more came") else {
            panic!("it came late: {end}")
        };
        let found: Vec<_> =
            keys.into_iter().filter(|key| help.contains(&format!("`{key}`"))).collect();
        assert_eq!(found, advised, "{end}: {help}");
    }
}

#[test]
fn where_a_time_ended_the_reply_the_advice_is_about_that_time() {
    for (end, input, advised) in [
        ("lines = 2\nquiet_ms = 5", "\"a\"", "`quiet_ms`"),
        ("lines = 2\nwithin_ms = 5", "\"a\"", "`within_ms`"),
        ("last_line = 'OK'\nwithin_ms = 5", "\"a\"", "`within_ms`"),
        ("lines = 1", "{ send = \"a\", wait_ms = 5 }", "`wait_ms`"),
        ("lines = 1", "{ send = \"a\", wait_ms = 0 }", "`wait_ms`"),
    ] {
        let text = format!("[reply]\n{end}\nsettle_ms = 30\n[inputs]\na = {input}");
        let mut sul = sul(&text, answer("a", vec![(1, b"one\n"), (9, b"two\n")]));
        // After a wait, the next input finds it.
        let result = step(&mut sul, 0).and_then(|_| {
            sul.listen(Duration::from_millis(20)).expect("it listens");
            step(&mut sul, 0)
        });
        let LinkError::Late { help, .. } = result.expect_err("more came") else {
            panic!("it came late: {end}")
        };
        let found: Vec<_> = ["lines", "last_line", "quiet_ms", "within_ms", "wait_ms"]
            .into_iter()
            .map(|key| format!("`{key}`"))
            .filter(|key| help.contains(key))
            .collect();
        assert_eq!(found, [advised], "{end}: {help}");
    }
}

#[test]
fn after_a_last_line_the_advice_is_about_it() {
    let text = "[reply]\nlast_line = 'OK'\n[inputs]\na = \"a\"";
    let mut sul = sul(text, answer("a", vec![(1, b"OK\nmore\n")]));
    let LinkError::Late { help, .. } = step(&mut sul, 0).expect_err("more came") else {
        panic!("it came late")
    };
    assert!(help.contains("let `last_line` fit only the last line"), "{help}");
    assert!(!help.contains("quiet_ms"), "{help}");
}

#[test]
fn late_bytes_are_never_the_next_reply() {
    let mut sul = sul(LINES, answer("a", vec![(1, b"one\n"), (1, b"two\n")]));
    assert_eq!(step(&mut sul, 0).expect("an output"), r"one\n");
    let error = step(&mut sul, 1).expect_err("bytes came late");
    assert!(error.is_worth_a_retry());
    assert_eq!(
        error.to_string(),
        r"4 bytes came after the reply to `a` (`one\n`) had ended, before `b` was sent: `two\n`"
    );
    assert_eq!(sul.statistics().late_bytes, 4);
    assert_eq!(sul.statistics().inputs[1].count, 0, "nothing was sent");
    sul.reset().expect("a reset");
    assert_eq!(sul.statistics().suspect_words, 0, "it had no answers");
    assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");
}

#[test]
fn what_comes_late_may_be_of_an_input_before_the_last_one() {
    let text = "[reply]\nlines = 1\nwithin_ms = 5\nsettle_ms = 30\n[inputs]\na = \"a\"\nb = \"b\"";
    let help = |word: &[u32]| {
        let late = answers([
            (&b"a"[..], vec![(1, &b"zero\n"[..])]),
            (b"b", vec![(1, b"one\n"), (9, b"two\n")]),
        ]);
        let mut sul = sul(text, late);
        let (last, before) = word.split_last().expect("an input");
        before.iter().for_each(|&input| drop(step(&mut sul, input).expect("an output")));
        let LinkError::Late { help, .. } = step(&mut sul, *last).expect_err("it came late") else {
            panic!("it came late")
        };
        help
    };
    assert!(
        help(&[0, 1])
            .contains(". If an earlier input says it so late, `mealybug check` finds out which. Where the device speaks unasked, see ")
    );
    assert!(
        help(&[1]).ends_with(
            ". Where the device speaks unasked, see \"Late bytes\" in docs/device-file.md"
        )
    );
}

#[test]
fn what_comes_late_may_be_the_answer_to_an_input_that_got_none() {
    let text = "[reply]\nlines = 1\nwithin_ms = 5\nsettle_ms = 30\n[inputs]\na = \"a\"\nb = \"b\"\nwait = { wait_ms = 1 }\n\
                c = \"c\"\nd = \"d\"";
    let help = |word: &[u32]| {
        let mut sul = sul(text, |deed| match deed {
            LinkAct::Sent(bytes) if bytes == b"b" => vec![(1, b"one\n"), (9, b"two\n")],
            LinkAct::Sent(bytes) if bytes == b"d" => vec![(1, b"fine\n")],
            _ => Vec::new(),
        });
        let (last, before) = word.split_last().expect("an input");
        before.iter().for_each(|&input| drop(step(&mut sul, input).expect("an output")));
        let error = step(&mut sul, *last).expect_err("it came late");
        let LinkError::Late { help, .. } = error else { panic!("{error}") };
        help
    };
    let text = help(&[0, 1]);
    let start = "`a` was not answered before it: if its answer came now, raise `within_ms`, for `a` at least. Otherwise, more came than \
                 `lines` counts: say a larger number, for this input at least. Where the device speaks unasked, see ";
    assert!(text.starts_with(start), "{text}");
    // Of two the nearer one; time that passes does not matter.
    for (word, silent) in [(&[0, 3, 1][..], "c"), (&[3, 0, 1], "a"), (&[0, 2, 1], "a")] {
        let text = help(word);
        assert!(text.starts_with(&format!("`{silent}` was not answered")), "{text}");
    }
    for word in [&[1][..], &[2, 1], &[0, 4, 1]] {
        let text = help(word);
        assert!(text.starts_with("more came than `lines` counts"), "{text}");
    }
}

#[test]
fn a_silence_that_must_follow_a_reply_finds_what_is_late() {
    let text = "[reply]\nlines = 1\nwithin_ms = 10\nsettle_ms = 30\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut slow = sul(text, answer("a", vec![(15, b"one\n")]));
    let error = step(&mut slow, 0).expect_err("it came after 10 ms");
    let message = r"4 bytes came after the wait for the reply to `a` had ended: `one\n`";
    assert_eq!(error.to_string(), message);
    let LinkError::Late { help, .. } = error else { panic!("{error}") };
    assert!(help.contains("raise `within_ms`"), "{help}");

    let mut twice = sul(text, answer("b", vec![(5, b"one\n"), (34, b"two\n")]));
    assert_eq!(step(&mut twice, 0).expect("an output"), "(silence)");
    assert_eq!(twice.link().now(), Duration::from_millis(30), "10 of these 30 ms were silent");
    step(&mut twice, 1).expect_err("the second line came 29 ms after the first");
    let mut later = sul(text, answer("b", vec![(5, b"one\n"), (36, b"two\n")]));
    assert_eq!(step(&mut later, 1).expect("an output"), r"one\n");
    assert_eq!(later.link().now(), Duration::from_millis(35));
}

#[test]
fn patience_grows_with_a_late_reply_and_shrinks_without() {
    let text = "[reply]\nlines = 1\nwithin_ms = 10\nsettle_ms = 30\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut slow = sul(text, answer("a", vec![(15, b"one\n")]));
    for _ in 0..2 {
        step(&mut slow, 0).expect_err("it came after 10 ms");
        slow.reset().expect("a reset");
        for _ in 0..99 {
            assert_eq!(step(&mut slow, 0).expect("20 ms are enough"), r"one\n");
            slow.reset().expect("a reset");
        }
    }
}

/// The words without the pause are compared with those with it.
#[test]
fn patience_does_not_grow_in_a_pause_that_is_tried() {
    let text = "[reply]\nlines = 1\nwithin_ms = 10\n[inputs]\na = \"a\"";
    let mut slow = sul(text, answer("a", vec![(15, b"one\n")]));
    let (time, after_inputs) = (Duration::from_millis(30), [0].into());
    slow.pause(&Pauses { time, after_reset: false, after_inputs });
    step(&mut slow, 0).expect_err("it came after 10 ms");
    slow.pause(&Pauses::default());
    slow.reset().expect("a reset");
    assert_eq!(step(&mut slow, 0).expect("an output"), "(silence)");
}

#[test]
fn patience_does_not_grow_where_no_reply_ended_by_a_time() {
    let text = "[reply]\nlines = 1\nwithin_ms = 10\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut sul = sul(text, answer("a", vec![(1, b"one\n"), (1, b"two\n")]));
    for _ in 0..3 {
        assert_eq!(step(&mut sul, 0).expect("an output"), r"one\n");
        step(&mut sul, 1).expect_err("a line came late");
        sul.reset().expect("a reset");
    }
    let before = sul.link().now();
    assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");
    assert_eq!(sul.link().now() - before, Duration::from_millis(10));
}

#[test]
fn patience_does_not_grow_where_a_reply_goes_on_without_any_wait() {
    let text = "[reply]\nlines = 1\nwithin_ms = 10\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut sul = sul(text, answer("a", vec![(1, b"one\ntwo\n")]));
    for _ in 0..2 {
        step(&mut sul, 0).expect_err("two lines");
        sul.reset().expect("a reset");
    }
    for _ in 0..3 {
        let before = sul.link().now();
        assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");
        assert_eq!(sul.link().now() - before, Duration::from_millis(10));
        step(&mut sul, 0).expect_err("two lines");
        sul.reset().expect("a reset");
    }
}

/// More may have come since the input before was answered late, so patience grows. If more comes again, patience did not help.
#[test]
fn patience_grows_once_where_more_comes_with_the_end_of_a_reply_after_silence() {
    let text = "[reply]\nlines = 1\nwithin_ms = 10\n[inputs]\na = \"a\"\nb = \"b\"";
    for (alone, answer) in [(Vec::new(), "(silence)"), (vec![(1, &b"one\n"[..])], r"one\n")] {
        let mut has_b = false;
        let mut sul = sul(text, move |deed: &LinkAct| match deed {
            LinkAct::Sent(bytes) if bytes == b"a" => match has_b {
                true => vec![(1, &b"one\ntwo\n"[..])],
                false => alone.clone(),
            },
            deed => {
                has_b = *deed == LinkAct::Sent(b"b".to_vec());
                Vec::new()
            }
        });
        let mut waits = Vec::new();
        for _ in 0..6 {
            assert_eq!(step(&mut sul, 0).expect("an output"), answer);
            sul.reset().expect("a reset");
            let before = sul.link().now();
            assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");
            waits.push((sul.link().now() - before).as_millis());
            step(&mut sul, 0).expect_err("two lines");
            sul.reset().expect("a reset");
        }
        assert_eq!(waits, [10, 20, 20, 20, 20, 20], "{answer}");
    }
}

#[test]
fn late_bytes_are_dropped_and_counted_when_the_file_says_so() {
    let text = "[reply]\nlines = 1\nlate = \"drop\"\n[inputs]\na = \"a\"\nb = \"b\"";
    let ring: &[u8] = &[b'R'; 700];
    let reaction: Reaction = vec![(1, b"one\nRING\n"), (1, ring)];
    let mut sul = sul(text, answer("a", reaction));
    assert_eq!(step(&mut sul, 0).expect("an output"), r"one\n");
    assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");
    assert_eq!(sul.statistics().late_bytes, 705);
    assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");
    assert_eq!(sul.statistics().late_bytes, 705, "they are counted once");
}

#[test]
fn what_strip_removes_is_never_late() {
    let text = "[reply]\nlines = 1\nstrip = ['RING\\n']\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut sul = sul(text, answer("a", vec![(1, b"RING\none\nRING\n"), (1, b"RING\n")]));
    assert_eq!(step(&mut sul, 0).expect("an output"), r"one\n");
    assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");
}

#[test]
fn what_comes_unasked_may_be_part_of_the_next_output() {
    let reaction = || -> Reaction { vec![(1, b"one\nRING\n")] };
    for (late, outputs) in [
        ("reply", [r"RING\none\nRING\n", r"RING\n"]),
        ("output", [r"a ring + one", r"a ring + (silence)"]),
    ] {
        let names = "[[output]]\nmatch = '^RING\\n$'\nname = \"a ring\"\n\
                     [[output]]\nmatch = '^one\\n$'\nname = \"one\"\n";
        let names = if late == "output" { names } else { "" };
        let text =
            format!("{names}[reply]\nlines = 1\nlate = \"{late}\"\n[inputs]\na = \"a\"\nb = \"b\"");
        let mut sul = sul(&text, answer("a", reaction()));
        let first = step(&mut sul, 0).expect("an output");
        assert_eq!(first, if late == "output" { "one" } else { r"one\n" });
        let second = step(&mut sul, 0).expect("an output");
        assert_eq!(second, outputs[0].replace(r"one\nRING\n", r"one\n"));
        assert_eq!(step(&mut sul, 1).expect("an output"), outputs[1]);
        assert_eq!(step(&mut sul, 1).expect("an output"), "(silence)");
    }
}

/// A device that answers `a` differently in each word: the first answer in the first word, and so
/// on.
fn by_word(answers: Vec<Reaction>) -> SerialSul<FakeLink<'static>> {
    let mut answers = answers.into_iter();
    sul(LINES, move |deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"a" => answers.next().expect("it is asked no more"),
        _ => Vec::new(),
    })
}

#[test]
fn a_word_with_bytes_after_its_end_is_asked_again() {
    let late = || vec![(1, &b"one\n"[..]), (1, b"two\n")];
    let mut sul = by_word(vec![late(), vec![(1, b"one\n")]]);
    step(&mut sul, 0).expect("an output");
    sul.reset().expect("a reset, after the same answer");
    let statistics = sul.statistics();
    assert_eq!((statistics.late_bytes, statistics.suspect_words), (4, 1));
    assert_eq!((statistics.inputs[0].count, statistics.resets[0].count), (2, 2));
}

#[test]
fn a_word_that_then_gets_other_answers_is_not_to_be_trusted() {
    let late = || vec![(1, &b"one\n"[..]), (1, b"two\n")];
    for (again, why) in [
        (vec![(1, &b"two\n"[..])], r"the reply to `a` was then `two\n`, not `one\n`"),
        (
            vec![(1, b"one\ntwo\n")],
            r"4 bytes came after the reply to `a` (`one\n`) had ended: `two\n`",
        ),
    ] {
        let mut sul = by_word(vec![late(), again]);
        step(&mut sul, 0).expect("an output");
        let error = sul.reset().expect_err("other answers");
        assert!(!error.is_worth_a_retry(), "the next word is not to blame");
        let message = r"the answers to `a` cannot be trusted: `two\n` came after its end, and it was asked again; ";
        assert_eq!(error.to_string(), format!("{message}{why}"));
        assert!(matches!(error, LinkError::Suspect { inputs, .. } if inputs == [0]));
        sul.reset().expect("the device is well");
    }
    // The same answer, followed by the same bytes.
    let mut sul = by_word(vec![late(), late()]);
    step(&mut sul, 0).expect("an output");
    let error = sul.reset().expect_err("bytes come after it again");
    let message = r"the answers to `a` cannot be trusted: 4 bytes came after the reply to `a` (`one\n`) had ended: `two\n`";
    assert_eq!(error.to_string(), message);
    let help = miette::Diagnostic::help(&error).map(|help| help.to_string()).unwrap_or_default();
    assert!(help.starts_with("more came than `lines` counts"), "{help}");
}

#[test]
fn before_the_first_reset_a_device_may_say_anything() {
    let mut link = FakeLink::new(|_: &LinkAct| Vec::new());
    link.say(0, b"boot\n");
    let device = device(&format!("{RESET}{LINES}"));
    let mut sul = SerialSul::new(link, device).expect("a device");
    sul.reset().expect("a reset");
    assert_eq!(sul.statistics().late_bytes, 0);
}

#[test]
fn a_late_frame_is_shown_without_its_checksum() {
    let text = "[reply]\nlength = { at = 0, size = 1, plus = 2 }\nchecksum = \"sum8@1\"\nlate = \"output\"\n\
                [inputs]\na = \"a\"\nb = \"b\"";
    // Two frames of one byte, behind its length; at first the checksum of the second is wrong.
    let mut is_right = false;
    let react = |act: &LinkAct| match act {
        LinkAct::Sent(bytes) if bytes == b"a" => {
            let event: &[u8] = if is_right { b"\x01ee" } else { b"\x01ed" };
            is_right = true;
            vec![(1, &b"\x01xx"[..]), (1, event)]
        }
        LinkAct::Sent(bytes) if bytes == b"b" => vec![(5, &b"\x01yy"[..])],
        _ => Vec::new(),
    };
    let mut sul = sul(text, react);
    assert_eq!(step(&mut sul, 0).expect("an output"), r"\x01x");
    let error = step(&mut sul, 1).expect_err("a wrong checksum");
    assert!(error.is_worth_a_retry(), "{error}");
    assert_eq!(word(&mut sul, &[0, 1]), [r"\x01x", r"\x01e + \x01y"]);
}

#[test]
fn unasked_frames_that_cannot_be_read_are_no_output() {
    let sum = "[reply]\nquiet_ms = 20\nchecksum = \"sum8@1\"\nlate = \"output\"";
    let slip = "[frame]\nstuffing = \"slip\"\n[reply]\nlate = \"output\"";
    let said = |text: &str, [a, b]: [&'static [u8]; 2], pieces: &[(u64, &'static [u8])], reply| {
        let text = format!("{text}\n[inputs]\na = \"a\"\nb = \"b\"");
        let mut sul = sul(&text, answers([(a, pieces.to_vec()), (b, vec![(5, reply)])]));
        step(&mut sul, 0).expect("an output");
        sul.listen(Duration::from_millis(500)).expect("it works");
        step(&mut sul, 1)
    };
    let sums: &[(u64, &[u8])] = &[(1, b"\x01xx"), (100, b"\x01ee"), (160, b"\x01ff")];
    let frames: [&[(u64, &[u8])]; 2] =
        [&[(1, b"\xc0ok\xc0"), (2, b"\xc0e\xdbx\xc0")], &[(1, b"\xc0ok\xc0"), (2, b"\xc0ev")]];
    let all = [
        said(sum, [b"a", b"b"], sums, &b"\x01yy"[..]),
        said(slip, [b"\xc0a\xc0", b"\xc0b\xc0"], frames[0], b"\xc0on\xc0"),
        said(slip, [b"\xc0a\xc0", b"\xc0b\xc0"], frames[1], b"ent\xc0\xc0on\xc0"),
    ];
    for error in all {
        let error = error.expect_err("no output");
        assert!(error.is_worth_a_retry(), "{error}");
        let LinkError::Late { help, .. } = error else { panic!("{error}") };
        assert!(help.starts_with("these are no whole frames with a right checksum"), "{help}");
    }
}

#[test]
fn the_time_of_a_reply_in_a_wait_is_that_of_its_last_byte() {
    let text = "[reply]\nlines = 1\ntime = { fast = 0, slow = 100 }\nstrip = ['\\r\\nRING\\r\\n']\n\
                [inputs]\nwatch = { send = \"a\", wait_ms = 500 }";
    for (at, name) in [(1, "fast"), (150, "slow")] {
        let mut sul = sul(text, answer("a", vec![(at, b"\r\nNO CARRIER\r\n")]));
        assert_eq!(word(&mut sul, &[0]), [format!(r"\r\nNO CARRIER\r\n ({name})")]);
    }
}

/// Twice, long ago, a line came unasked after `b`. Then the device gets slower than `within_ms` allows.
#[test]
fn what_came_late_long_ago_takes_no_patience() {
    let text = "[reply]\nlines = 1\nwithin_ms = 10\nsettle_ms = 30\n[inputs]\na = \"a\"\nb = \"b\"";
    let mut count = 0;
    let mut sul = sul(text, move |act: &LinkAct| match act {
        LinkAct::Sent(bytes) if bytes == b"b" => {
            count += 1;
            match count {
                ..=2 => vec![(1, &b"one\nRING\n"[..])],
                3..100 => vec![(1, &b"one\n"[..])],
                _ => vec![(15, &b"one\n"[..])],
            }
        }
        _ => Vec::new(),
    });
    let mut is_right = |_: &u32| {
        let answers = (step(&mut sul, 1), sul.reset());
        matches!(&answers, (Ok(one), Ok(())) if one.starts_with("one"))
    };
    assert_eq!((0..99).filter(&mut is_right).count(), 97);
    assert!((0..100).filter(is_right).count() >= 95);
}
