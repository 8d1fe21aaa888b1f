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
fn unasked_lines_are_named_where_nothing_is_sent() {
    let react = |_, _: &[u8]| (&b"ok\r\n"[..], false);
    let device = VirtualDevice {
        now: Duration::ZERO,
        has_baud: true,
        react: Box::new(react),
        coming: b"T: 1\r\n\x1fT: 2\r\n".to_vec(),
        is_closed: false,
    };
    // Kind, port, no harmless line, baud rate, line end, echo, reset, ready, no other step, inputs.
    let (draft, shown) = asked_of(device, "2\nx\n-\n\n\n\nreset\n\n\nhelp\n\n");
    assert!(shown.contains("It speaks unasked: `T: 1`."), "{shown}");
    assert_eq!(draft.unasked, [r"T: \d+\r?\n"]);
}
