//! What ends a line, and lines that come unasked.

use super::*;

#[test]
fn only_line_ends_end_lines() {
    // Kind, no port, baud rate, prompt, no other, line end, echo, reset, ready, no other step, inputs.
    let rest = "\n\nboot\n\n\nhelp\n\n";
    let (draft, shown) = asked(&format!("1\n\n\n\n\n!./relay\nx\n\\r\\n{rest}")).expect("a draft");
    assert_eq!(draft.inputs, [("help".to_owned(), b"help\r\n".to_vec())]);
    for refused in ["`!./relay`", "`x`"] {
        assert!(
            shown.contains(&format!(
                "{refused} is not accepted. Enter \\r, \\n, \\r\\n, or - for none."
            )),
            "{shown}"
        );
    }
}

#[test]
fn a_text_without_a_line_end_does_not_show_how_lines_end() {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&sent);
    let react = move |_, sent: &[u8]| {
        log.lock().expect("no test has failed").extend_from_slice(sent);
        (&b"ok\r\n"[..], false)
    };
    // Kind, port, two harmless lines, reset, ready, no other step, inputs.
    let (_, shown) = asked_at(true, react, "2\nx\n$$$\\c\nget\nreset\n\n\nhelp\n\n");
    assert!(
        shown.contains("`$$$\\c` is not accepted. Enter a whole line, without `\\c`"),
        "{shown}"
    );
    assert!(!sent.lock().expect("no test has failed").contains(&b'$'));
}

#[test]
fn a_device_without_line_ends_gets_lines_and_replies_without_them() {
    let react = |_, sent: &[u8]| match sent {
        b"*IDN?" => (&b"KORAD KA3005P V2.0"[..], false),
        b"STATUS?" => (&b"\x41"[..], false),
        _ => (&b""[..], false),
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let (draft, shown) = asked_at(true, react, "2\nx\n*IDN?\nOUT0\n\n\non=OUT1\n\n");
    let found =
        "At 115200 baud, a line without an end is answered, without echo: `KORAD KA3005P V2.0`";
    assert!(shown.contains(found), "{shown}");
    assert_eq!((&draft.ends, draft.own_ends.len()), (&Ends::Silence, 0));
    assert_eq!(draft.reset[0].0, ResetDraft::Send(b"OUT0".to_vec()));
    assert_eq!(draft.inputs, [("on".to_owned(), b"OUT1".to_vec())]);
    let text = draft.text("supply.toml");
    let device = DeviceFile::parse(Path::new("supply.toml"), &text).expect("a device file");
    assert!(device.inputs[0].reply.lines.is_none() && text.contains("\nquiet_ms = 50"), "{text}");
    // Without a port, no line end tells the same; a line end of an answer tells otherwise.
    let (draft, _) = asked("2\n\n\n-\nn\nOUT0\n\n\non=OUT1\n\n").expect("a draft");
    assert_eq!(draft.ends, Ends::Silence);
    let react = |_, sent: &[u8]| (if sent == b"V" { &b"5.0\n"[..] } else { b"" }, false);
    let (draft, _) = asked_at(true, react, "2\nx\nV\nOUT0\n\n\non=OUT1\n\n");
    assert_eq!(draft.ends, Ends::Line);
}

#[test]
fn an_end_that_the_file_does_not_describe_is_named() {
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let asked_kind_at = |has_baud: bool, kind: &str, input: &str| {
        let react = |_, sent: &[u8]| match sent.trim_ascii_end() {
            b"$" => (&b"[HLP:$$ $#]\r\nok\r\n"[..], false),
            _ => (&b"ok\r\n"[..], false),
        };
        let port = if has_baud { "x" } else { "tcp:desk:1" };
        asked_at(has_baud, react, &format!("{kind}\n{port}\n$\nreset\n\n\n{input}\n\n"))
    };
    let asked_kind = |kind: &str, input: &str| asked_kind_at(true, kind, input);
    let (_, shown) = asked_kind("2", "unlock=$X");
    let named = "The answer to `$` ended with `ok`, and the file says that a reply is one line.";
    assert!(shown.contains(named) && shown.contains(":\n  last_line = 'ok'\n"), "{shown}");
    assert!(shown.contains(":\n  reply = { lines = 2 }\n"), "{shown}");
    let (_, shown) = asked_kind("3", "unlock=$X");
    assert!(
        shown.contains("ended with `ok`, and the file says that a reply ends with `OK`"),
        "{shown}"
    );
    // Over a network the input was sent, and tells more.
    let (_, shown) = asked_kind_at(false, "2", "unlock=$X");
    assert!(!shown.contains("ended with `ok`, and"), "{shown}");
    // An input has a reply of its own.
    let (draft, shown) = asked_kind("2", "help=$");
    assert!(!shown.contains("ended with `ok`, and"), "{shown}");
    assert_eq!(draft.own_ends, [("help".to_owned(), OwnEnd::Lines(2))]);
}

#[test]
fn only_an_end_that_other_replies_may_have_is_proposed_for_them() {
    for (answer, own, common) in [
        (&b"temp 23.5\r\nhum 40 %\r\n"[..], "reply = { lines = 2 }", None),
        (b"v 1\r\n\r\n", "reply = { lines = 2 }", None),
        (b"v 1\r\ncan't\r\n", "reply = { lines = 2 }", Some("last_line = \"can't\"")),
        (b"BEGIN LIST\r\nEND LIST\r\n", "reply = { last_line = 'END LIST' }", None),
    ] {
        let react = move |_, sent: &[u8]| match sent.trim_ascii_end() {
            b"status" => (answer, false),
            _ => (&b"ok\r\n"[..], false),
        };
        // Kind, port, harmless line, reset, ready, no other step, inputs.
        let (_, shown) = asked_at(true, react, "2\nx\nstatus\nreset\n\n\nfan=F\n\n");
        assert!(shown.contains(&format!("write at that input:\n  {own}\n")), "{shown}");
        let lines: Vec<_> = shown.lines().filter(|line| line.starts_with("  last_line")).collect();
        assert_eq!(lines, Vec::from_iter(common.map(|line| format!("  {line}"))), "{shown}");
    }
}

#[test]
fn a_line_to_copy_is_not_broken() {
    let react = |_, sent: &[u8]| match sent.trim_ascii_end() {
        b"status" => (&b"BEGIN LIST OF UPS\r\nEND LIST OF UPS\r\n"[..], false),
        _ => (&b"ok\r\n"[..], false),
    };
    let columns = "  reply = { last_line = 'END LIST OF UPS' }".len();
    for (inputs, copied) in [
        ("fan=F", "\n  reply = { last_line = 'END LIST OF UPS' }\n"),
        ("status", "\n  `reply = { last_line = 'END LIST OF UPS' }`\n"),
    ] {
        // Kind, port, harmless line, reset, ready, no other step, inputs.
        let answers = format!("2\nx\nstatus\nreset\n\n\n{inputs}\n\n");
        let (_, shown) = asked_in_columns(columns + 2, react, &answers);
        assert!(shown.contains(copied), "{shown}");
    }
}

#[test]
fn a_server_with_numbered_replies_is_no_modem() {
    let react = |_, sent: &[u8]| match sent.trim_ascii_end() {
        b"HELP" => (&b"214-HELO\r\n214 End\r\n"[..], false),
        b"NOOP" => (&b"250 ok\r\n"[..], false),
        _ => (&b"500 what?\r\n"[..], false),
    };
    let ends = Ends::LastLine(r"\d\d\d( .*)?".to_owned());
    let unlike =
        "No reply so far ended with `OK`, `ERROR` or another result of modems. A reply ends";
    for (kind, port, harmless) in
        [("3", "x", "HELP"), ("3", "x", "NOOP"), ("3", "tcp:desk:25", "NOOP"), ("2", "x", "HELP")]
    {
        // Kind, port, harmless line, reset, ready, no other step, inputs.
        let answers = format!("{kind}\n{port}\n{harmless}\nRSET\n\n\nQUIT\n\n");
        let (draft, shown) = asked_at(port == "x", react, &answers);
        assert_eq!(draft.ends, ends, "{shown}");
        assert_eq!(shown.contains(unlike), kind == "3", "{shown}");
    }
    // One that answers as a modem at least once is one.
    let react = |_, sent: &[u8]| match sent.trim_ascii_end() {
        b"AT" => (&b"OK\r\n"[..], false),
        _ => (&b"250 ok\r\n"[..], false),
    };
    let (draft, shown) = asked_at(false, react, "3\ntcp:desk:25\nNOOP\n\n\n\nAT\n\n");
    assert!(draft.ends == Ends::Result && !shown.contains("modems"), "{shown}");
}

#[test]
fn where_no_reply_fits_a_modem_its_own_end_is_proposed() {
    for (answer, end) in [
        (&b"temp 23.5\r\n"[..], "  lines = 1\n"),
        (b"ok T:21.4\n", "  lines = 1\n"),
        (b"a 1\r\nb 2\r\n", "  reply = { lines = 2 }\n"),
        (b"done\r\n", "  last_line = 'done'\n"),
    ] {
        let react = move |_, _: &[u8]| (answer, false);
        // Kind, port, harmless line, reset, ready, no other step, inputs.
        let (_, shown) = asked_at(true, react, "3\nx\nAT\nreset\n\n\nfan=F\n\n");
        assert!(shown.contains("another result of modems.\nWhere"), "{shown}");
        assert!(shown.contains(end), "{shown}");
    }
}

/// An ELM327 adapter, without the echo: it ends lines with a carriage return, and shows a prompt.
fn adapter(_: Duration, sent: &[u8]) -> VirtualReply {
    let said: &[u8] = match sent.strip_suffix(b"\n").unwrap_or(sent) {
        line if !line.ends_with(b"\r") => b"",
        b"ATZ\r" => b"\r\rELM327 v1.5\r\r>",
        b"ATI\r" => b"ELM327 v1.5\r\r>",
        b"ATE0\r" => b"OK\r\r>",
        _ => b"?\r\r>",
    };
    (said, false)
}

#[test]
fn a_prompt_ends_the_replies_to_at_commands_of_a_device_that_is_no_modem() {
    for (kind, port, prompts) in
        [("1", "x", "\n\n"), ("2", "x", ""), ("3", "x", ""), ("3", "tcp:desk:1", "")]
    {
        // Kind, port, harmless line, prompts, reset, ready, no other step, inputs.
        let answers = format!("{kind}\n{port}\nATI\n{prompts}ATZ\n\n\nATE0\n\n");
        let (draft, shown) = asked_at(port == "x", adapter, &answers);
        assert_eq!(draft.ends, Ends::Prompts(vec![">".into()]), "{kind}: {shown}");
        assert_eq!(draft.reset[0].1.pattern(), r"ELM327 v\d+\.\d+\r\r>$", "{kind}: {shown}");
        let said = "No reply so far ended with `OK`, `ERROR` or another result of modems. Each answer so far ended with the prompt `>`: \
                    the file says so.\n";
        assert_eq!(shown.contains(said), kind == "3", "{shown}");
        let text = draft.text("elm.toml");
        let device = DeviceFile::parse("elm.toml".as_ref(), &text).expect("a device file");
        assert!(device.inputs[0].reply.last_line.is_none(), "{text}");
        assert_eq!(device.name_output(b"OK\r\r>"), "OK", "{text}");
    }
}

#[test]
fn replies_to_at_commands_without_a_line_end_end_with_silence() {
    for answer in [&b"done"[..], b"a\r\nT:21.4", b"done\r"] {
        // Kind, port, harmless line, reset, ready, no other step, inputs.
        let answers = "3\nx\nAT\nreset\n\n\nfan=F\n\n";
        let (draft, shown) = asked_at(true, move |_, _| (answer, false), answers);
        assert_eq!(draft.ends, Ends::Silence, "{shown}");
        assert!(shown.contains("another result of modems. A reply ends with silence"), "{shown}");
    }
}

#[test]
fn a_value_at_the_end_of_the_only_answer_is_no_end() {
    for (kind, port) in [("2", "x"), ("2", "tcp:desk:1"), ("3", "x"), ("3", "tcp:desk:1")] {
        let react = |_, _: &[u8]| (&b"ok T:21.4\n"[..], false);
        // Kind, port, harmless line, reset, ready, no other step, inputs.
        let answers = format!("{kind}\n{port}\nM105\nM999\n\n\nM105\n\n");
        let (draft, shown) = asked_at(port == "x", react, &answers);
        let ends = if kind == "2" { Ends::Line } else { Ends::Result };
        assert_eq!((&draft.ends, draft.own_ends.len()), (&ends, 0), "{shown}");
        assert_eq!(shown.contains("\n  lines = 1\n"), kind == "3", "{shown}");
    }
}

#[test]
fn unasked_lines_are_named_where_nothing_is_sent() {
    let react = |_, _: &[u8]| (&b"ok\r\n"[..], false);
    let device = VirtualDevice {
        now: Duration::ZERO,
        has_baud: true,
        react: Box::new(react),
        coming: b"T: 1\r\n\x1fT: 2\r\n".to_vec(),
        is_closed: false,
        connections: Arc::default(),
    };
    // Kind, port, no harmless line, baud rate, line end, echo, reset, ready, no other step, inputs.
    let (draft, shown) = asked_of(device, "2\nx\n-\n\n\n\nreset\n\n\nhelp\n\n");
    assert!(shown.contains("It speaks unasked: `T: 1`."), "{shown}");
    assert_eq!(draft.unasked, [r"T: \d+\r?\n"]);
}

#[test]
fn a_pause_of_more_than_32_bits_is_refused() {
    let mut has_answered = false;
    let react = move |_, sent: &[u8]| {
        let answers = sent == b"help\n" && !std::mem::replace(&mut has_answered, true);
        (if answers { &b"what?\r\n$ "[..] } else { b"" }, false)
    };
    // Kind, port, harmless line, baud rate, prompt, no other, line end, echo, pauses, reset, ready, no other step, inputs.
    let answers = "1\nx\n\n\n\n\n\nn\n80000000000\n5000\nboot\n-\n\nhelp\n\n";
    let (draft, shown) = asked_at(true, react, answers);
    assert!(shown.contains("`80000000000` is not accepted"), "{shown}");
    assert_eq!(draft.pause_ms, 5000);
}

#[test]
fn a_line_end_that_is_answered_with_an_error_is_not_taken_for_the_right_one() {
    let mut buffered = Vec::new();
    let react = move |_, sent: &[u8]| {
        buffered.extend_from_slice(sent);
        if !buffered.ends_with(b"\n") {
            return (&b""[..], false);
        }
        match std::mem::take(&mut buffered).as_slice() {
            b"sys get ver\r\n" | b"sys reset\r\n" => (&b"RN2483 1.0.4\r\n"[..], false),
            _ => (&b"invalid_param\r\n"[..], false),
        }
    };
    // Kind, port, harmless line, line end, reset, ready, no other step, inputs.
    let rest = "sys reset\n\n\n\n\n";
    let (draft, shown) = asked_at(true, react.clone(), &format!("2\nx\nsys get ver\n\n{rest}"));
    assert!(shown.contains("    `sys get ver\\n`: `invalid_param\\r\\n`"), "{shown}");
    assert!(
        shown.contains(
            "What ends a line that you send (\\r, \\n, \\r\\n, or - for none)? [\\r\\n]: "
        ),
        "{shown}"
    );
    assert!(shown.contains("Then came `RN2483"), "{shown}");
    assert_eq!(draft.inputs, [("sys get ver".to_owned(), b"sys get ver\r\n".to_vec())]);
    // The other one can be chosen.
    let answers = format!("2\nx\nsys get ver\n\\n\n{rest}");
    assert!(asked_at(true, react, &answers).1.contains("Then came `invalid_param"));
}

#[test]
fn replies_that_all_end_with_an_empty_line_end_there() {
    let react = |_, sent: &[u8]| match sent {
        b"name\n" => (&b"= GNU Go\n\n"[..], false),
        b"clear\n" => (&b"= \n\n"[..], false),
        b"reset\n" => (&b"? no\n"[..], false),
        _ => (&b""[..], false),
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let (draft, shown) = asked_at(true, react, "2\nx\nname\nclear\n\n\nboard=list\n\n");
    assert_eq!(draft.ends, Ends::EmptyLine);
    assert!(shown.contains("Each answer so far ended with an empty line"), "{shown}");
    let text = draft.text("go.toml");
    let device = DeviceFile::parse(Path::new("go.toml"), &text).expect("a device file");
    let rule = &device.inputs[0].reply;
    assert!(rule.has_end() && rule.lines.is_none(), "{text}");
    for (reply, name) in [(&b"= A1\nA2\n\n"[..], "= A1\\nA2"), (b"= x\r\n\r\n", "= x")] {
        assert!(rule.patterns[0].is_match(reply), "{text}");
        assert_eq!(device.name_output(reply), name);
    }
    // The answer to the reset has no such line.
    let (draft, _) = asked_at(true, react, "2\nx\nname\nreset\n\n\nboard=list\n\n");
    assert_eq!(draft.ends, Ends::Line);
}
