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
    assert!(shown.contains("`$$$\\c` is not accepted. Enter a whole line"), "{shown}");
    assert!(!sent.lock().expect("no test has failed").contains(&b'$'));
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
    assert!(shown.contains(named) && shown.contains("write `last_line = 'ok'`"), "{shown}");
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
