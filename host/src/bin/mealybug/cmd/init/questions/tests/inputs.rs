//! Inputs: several in one line.

use super::*;

/// The names of the inputs that these lines make, what the first one sends, and what was shown.
fn inputs_of(typed: &str) -> (Vec<String>, String, String) {
    // Kind, no port, baud rate, line end, echo, reset, ready, no other step, inputs.
    let (draft, shown) = asked(&format!("2\n\n\n\n\nreset\n\n\n{typed}\n\n")).expect("a draft");
    let sent = draft.inputs[0].1.escape_ascii().to_string();
    (draft.inputs.into_iter().map(|(name, _)| name).collect(), sent, shown)
}

#[test]
fn several_inputs_in_one_line_are_asked_about() {
    let line = "helo=HELO x, ehlo=EHLO x,quit = QUIT";
    let asked = "Are these 3 inputs: `helo`, `ehlo`, `quit`? (y or n) [y]: ";
    let (names, sent, shown) = inputs_of(&format!("{line}\n"));
    assert!(shown.contains(asked), "{shown}");
    assert_eq!((names.join(" "), &*sent), ("helo ehlo quit".to_owned(), "HELO x\\n"));
    let (names, sent, _) = inputs_of(&format!("{line}\nn"));
    assert_eq!(
        (names.join(" "), &*sent),
        ("helo".to_owned(), "HELO x, ehlo=EHLO x,quit = QUIT\\n")
    );
    let (names, _, shown) = inputs_of(&format!("{line}\n<\nstat"));
    assert!(shown.contains(&format!("Taken back: input `{line}`.")), "{shown}");
    assert_eq!(names, ["stat"]);
    let (names, _, shown) = inputs_of("a=A, b=B, a=C\n");
    assert!(shown.contains("`a=C` is not accepted. Enter another name"), "{shown}");
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn a_comma_in_what_is_sent_is_not_asked_about() {
    for line in ["set=1, 2, 3", "set=SET a, b c=5", "set=1,=2", "set=1,b="] {
        let (names, _, shown) = inputs_of(line);
        assert_eq!(
            (names.join(" "), shown.contains("Are these")),
            ("set".to_owned(), false),
            "{line}"
        );
    }
    let (names, sent, _) = inputs_of("set=1, 2, off=0\n");
    assert_eq!((names.join(" "), &*sent), ("set off".to_owned(), "1, 2\\n"));
    let (names, sent, _) = inputs_of("put=PUT 1, 2, undo, off=0, stop\n");
    assert_eq!((names.join(" "), &*sent), ("put undo off stop".to_owned(), "PUT 1, 2\\n"));
    let (names, _, shown) = inputs_of("set=SET a, b\n");
    assert!(!shown.contains("Are these") && names == ["set"], "{shown}");
    let (names, _, shown) = inputs_of("help, off=0\n");
    assert!(shown.contains("Are these 2 inputs: `help`, `off`?"), "{shown}");
    assert_eq!(names, ["help", "off"]);
}

/// `a` and `b` are answered at once, `slow` after a pause, and other inputs are not.
fn answers_some(_: Duration, sent: &[u8]) -> VirtualReply {
    let said: &[u8] = match sent.trim_ascii_end() {
        b"get" | b"a" | b"b" | b"c" => b"ok\r\n",
        b"slow" => b"\x1fok\r\n",
        _ => b"",
    };
    (said, false)
}

#[test]
fn where_answers_are_fast_and_others_silent_a_shorter_wait_is_proposed() {
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let proposed_of = |react: fn(Duration, &[u8]) -> VirtualReply, inputs: &str| {
        let answers = format!("2\ntcp:desk:1\nget\n\n\n\n{inputs}\n\n");
        let (draft, _) = asked_at(false, react, &answers);
        let text = draft.text("x");
        DeviceFile::parse("x".as_ref(), &text).expect("a device file");
        text.lines().find(|line| line.contains("may be enough")).map(str::to_owned)
    };
    let proposed = |inputs| proposed_of(answers_some, inputs);
    let line = "# 2 inputs were not answered, and 3 were, within 1 ms. within_ms = 100 may be enough, and makes";
    assert_eq!(proposed("a\nb\nc\nq\nr").as_deref(), Some(line));
    // No silence, a slow answer, few answers.
    for inputs in ["a\nb\nc", "a\nb\nc\nslow\nq", "a\nb\nq\nr"] {
        assert_eq!(proposed(inputs), None, "{inputs}");
    }
    // Its echo alone is no answer.
    let echoing = |_, sent: &[u8]| match sent.trim_ascii_end() {
        b"q" => (&b"q\r\n"[..], false),
        b"a" => (&b"a\r\nok\r\n"[..], false),
        b"b" => (&b"b\r\nok\r\n"[..], false),
        b"c" => (&b"c\r\nok\r\n"[..], false),
        _ => (&b"get\r\nok\r\n"[..], false),
    };
    let one = "# 1 input was not answered, and 3 were";
    assert!(proposed_of(echoing, "a\nb\nc\nq").is_some_and(|line| line.starts_with(one)));
}

#[test]
fn what_inputs_stored_is_told_of_where_the_reset_is_only_a_new_connection() {
    let said = "The reset is only a new connection, so what the inputs stored in the device just now may still be there";
    for (port, steps, is_told) in [
        ("tcp:desk:1", "reconnect\n\n", true),
        ("tcp:desk:1", "reconnect\n\nFLUSHALL\n\n", false),
        // No input is sent there.
        ("x", "reconnect\n\n", false),
    ] {
        // Kind, port, harmless line, steps and what comes, no other step, inputs.
        let answers = format!("2\n{port}\nPING\n{steps}\nset=SET k v\n\n");
        let (_, shown) = asked_at(port == "x", |_, _: &[u8]| (&b"+OK\r\n"[..], false), &answers);
        assert_eq!(shown.contains(said), is_told, "{shown}");
    }
}

#[test]
fn bytes_may_be_typed_as_escapes() {
    // Kind, no port, baud rate, no length, reset, ready, no other step, inputs, checksum.
    let answers = "4\n\n\n\n\\x7e\\xff\n\\x06\\r\n\nread=\\x01\\x03\nwrite=01 \\x06\n\n\n";
    let (draft, shown) = asked(answers).expect("a draft");
    let reset = ResetDraft::Send(vec![0x7e, 0xff]);
    assert_eq!(draft.reset, [(reset, vec![0x06, b'\r'].into())], "{shown}");
    assert_eq!(draft.inputs[0].1, [1, 3]);
    assert_eq!(draft.inputs[1].1, [1, 6]);
}

#[test]
fn a_placeholder_is_sent_as_it_stands_and_the_person_is_told_once() {
    let told = |typed: &str| {
        let (draft, shown) = asked(&format!("{typed}\n\n")).expect("a draft");
        (draft.text("x"), shown.matches("as docs/device-file.md says at [captures]").count())
    };
    // Kind, no port, baud rate, line end, echo, reset, ready, no other step, inputs.
    let lines = "2\n\n\n\n\nreset\n\n\n";
    let (text, times) = told(&format!("{lines}help\ncas=cas k ${{cas}}\nset=set ${{n}}"));
    assert_eq!(times, 1);
    assert!(text.contains(r#"cas = "cas k ${$}{cas}\n""#), "{text}");
    assert_eq!(told(&format!("{lines}help\nprice=5$ {{a}}")).1, 0);
    // Bytes are written in hex digits, where it stands for itself.
    let (text, times) = told("4\n\n\n\n01\n\n\nsend=24 7b\n");
    assert_eq!(times, 0, "{text}");
    assert!(text.contains("24 7b"), "{text}");
}
