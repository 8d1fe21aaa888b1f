//! Devices whose echo can be switched.

use super::*;

/// What is shown with a device whose echo `ATE0` and `ATE1` switch, and that has one at first or not.
fn shown_with(has_echo: bool, has_baud: bool, answers: &str) -> String {
    let mut has_echo = has_echo;
    let react = move |_, sent: &[u8]| {
        let echo = if has_echo { sent } else { b"" };
        let said = [echo, b"OK\r\n>"].concat();
        match sent {
            b"ATE0\r" => has_echo = false,
            b"ATE1\r" | b"ATZ\r" => has_echo = true,
            _ => {}
        }
        (&*said.leak(), false)
    };
    asked_at(has_baud, react, answers).1
}

const NO_ECHO_NOW: &str = "Here the device does not repeat what was sent, and before it did.";
const ECHO_NOW: &str = "Here the device repeats what was sent, and before it did not";

#[test]
fn an_echo_in_some_replies_only_is_told_once() {
    // Kind, port, harmless line, prompt, no other, reset, ready, no other step, inputs.
    let inputs = "1\ntcp:desk:1\nAT\n\n\nreconnect\n\n\nATE0\nATI\nATDP\n\n";
    let shown = shown_with(true, false, inputs);
    assert!(shown.contains("with echo") && shown.matches(NO_ECHO_NOW).count() == 1, "{shown}");
    let inputs = "1\ntcp:desk:1\nAT\n\n\nreconnect\n\n\nATE1\nATI\nATDP\n\n";
    let shown = shown_with(false, false, inputs);
    assert!(shown.contains("without echo") && shown.matches(ECHO_NOW).count() == 1, "{shown}");
    // At a serial port, the reset shows it when it is tried again.
    let steps = "1\nx\nAT\n\n\nATZ\n\nATE0\n\n\nATI\n\n";
    let shown = shown_with(true, true, steps);
    assert_eq!(shown.matches(NO_ECHO_NOW).count(), 1, "{shown}");
    let shown = shown_with(true, true, "1\nx\nAT\n\n\nATZ\n\n\nATI\n\n");
    assert!(!shown.contains(NO_ECHO_NOW) && !shown.contains(ECHO_NOW), "{shown}");
}

#[test]
fn silence_says_nothing_of_the_echo() {
    let react = |_, sent: &[u8]| match sent {
        b"mute\r" => (&b""[..], false),
        _ => (&*[sent, b"OK\r\n>"].concat().leak(), false),
    };
    // Kind, port, harmless line, prompt, no other, reset, ready, no other step, inputs.
    let answers = "1\ntcp:desk:1\nAT\n\n\nreconnect\n\n\nmute\nATI\n\n";
    let (_, shown) = asked_at(false, react, answers);
    assert!(shown.contains("with echo") && shown.contains("Nothing came."), "{shown}");
    assert!(!shown.contains(NO_ECHO_NOW), "{shown}");
}

#[test]
fn a_device_that_only_repeats_what_is_sent_is_told_from_a_silent_one() {
    let react = |_, sent: &[u8]| (&*sent.to_vec().leak(), false);
    // Kind, port, harmless line, baud rate, prompt, no other, line end, echo, pause, reset, ready, no other step, inputs.
    let answers = "1\nx\nAT\n\n\n\n\ny\n\nATZ\n-\n\nATI\n\n";
    let (_, shown) = asked_at(true, react, answers);
    assert!(shown.contains(" lines, only what was sent came back."), "{shown}");
    assert!(!shown.contains("No readable answer"), "{shown}");
}
