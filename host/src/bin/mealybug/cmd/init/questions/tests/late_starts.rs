//! Resets after which the first text comes late: of a device that starts for so long, or of one that was ready before.

use super::*;

/// What is said 1.6 s after a reset.
const LATE: &[u8] = b"\x1f\x1f\x1f\x1fapp\r\n";

/// The draft, what was shown and the number of resets, for a device with these answers to `reset`, to `get` before the text comes,
/// and to `get` later.
fn started(
    [reset, before, later]: [&'static [u8]; 3],
    (has_baud, port): (bool, &str),
) -> (Draft, String, u32) {
    let resets = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&resets);
    let mut reset_at = None;
    let react = move |now: Duration, sent: &[u8]| {
        let said = match sent.trim_ascii_end() {
            b"reset" => {
                reset_at = Some(now);
                counted.fetch_add(1, Ordering::Relaxed);
                reset
            }
            b"get" if reset_at.is_some_and(|at| now < at + Duration::from_millis(1600)) => before,
            _ => later,
        };
        (said, false)
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let answers = format!("2\n{port}\nget\nreset\n\n\nhelp\n\n");
    let (draft, shown) = asked_at(has_baud, react, &answers);
    (draft, shown, resets.load(Ordering::Relaxed))
}

const SERIAL: (bool, &str) = (true, "x");

#[test]
fn a_boot_loader_that_is_ready_before_a_late_text_is_not_waited_for() {
    let (draft, shown, resets) = started([LATE, b"\x1ewhat?\r\n", b"ok\r\n"], SERIAL);
    for said in [
        "  Then came `app\\r\\n` after 1.6 s\n  Nothing came for 1.6 s.",
        "`get` is sent 100 ms after it",
        "It answered `what?\\r\\n`: it is ready before it says that. Enter waits for nothing.",
        "or a /PATTERN/ [-]: ",
    ] {
        assert!(shown.contains(said), "`{said}` is not in:\n{shown}");
    }
    assert!(draft.reset[0].1.is_empty(), "{shown}");
    // Once as a step, once with the line after it, once without it, and once with the whole reset.
    assert_eq!(resets, 4, "{shown}");
}

#[test]
fn an_answer_that_is_what_the_device_says_at_its_start_tells_nothing() {
    // It is deaf until it says that, which takes less time than at first.
    let (draft, shown, _) = started([LATE, b"\x1eapp\r\n", b"app\r\n"], SERIAL);
    assert!(
        shown.contains("The device may have been ready before that, as a boot loader is"),
        "{shown}"
    );
    assert!(!shown.contains("it is ready before it says that"), "{shown}");
    assert_eq!(draft.reset[0].1.pattern(), r"app\r\n$", "{shown}");
}

#[test]
fn a_device_that_starts_for_long_is_waited_for() {
    let silent: [&[u8]; 3] = [LATE, b"", b"ok\r\n"];
    // It repeats what is sent, and does not answer.
    let echoing: [&[u8]; 3] = [LATE, b"\x1eget\r\n\x1f\x1f\x1fapp\r\n", b"get\r\nok\r\n"];
    for said in [silent, echoing] {
        let (draft, shown, _) = started(said, SERIAL);
        assert!(
            shown.contains("No answer came: the device seems to be ready only when"),
            "{shown}"
        );
        assert_eq!(draft.reset[0].1.pattern(), r"app\r\n$", "{shown}");
    }
}

#[test]
fn where_no_line_tells_the_person_decides() {
    // A server may refuse what comes before its greeting.
    let refusing: [&[u8]; 3] = [LATE, b"\x1ewhat?\r\n", b"ok\r\n"];
    let (draft, shown, resets) = started(refusing, (false, "tcp:desk:1"));
    assert!(
        shown.contains("The device may have been ready before that, as a boot loader is"),
        "{shown}"
    );
    assert_eq!(draft.reset[0].1.pattern(), r"app\r\n$", "{shown}");
    assert_eq!(resets, 2, "{shown}");
    // One that takes bytes.
    let react = |_, _: &[u8]| (&b"\x1f\x1fapp\r\n"[..], false);
    let (draft, shown) = asked_at(true, react, "4\nx\n\n\n01\n\n\na=02\n\n\n");
    assert!(shown.contains("Enter takes what is in brackets."), "{shown}");
    assert_eq!(draft.reset[0].1.pattern(), r"app\r\n$", "{shown}");
}

#[test]
fn a_text_that_comes_as_soon_as_an_answer_is_not_late() {
    for said in [&b"\x1fapp\r\n"[..], b"boot\r\n\x1f\x1f\x1fapp\r\n"] {
        let (draft, shown, resets) = started([said, b"\x1ewhat?\r\n", b"ok\r\n"], SERIAL);
        assert!(!shown.contains("Nothing came") && !shown.contains("ready before"), "{shown}");
        assert_eq!((draft.reset[0].1.is_empty(), resets), (false, 2), "{shown}");
    }
}
