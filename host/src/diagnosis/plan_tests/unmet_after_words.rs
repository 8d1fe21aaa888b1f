//! Replies that meet their end after some words only.

use super::*;

const LAST_LINE: &str = "[[reset]]\nsteps = [{ send = \"reset\\n\" }]\nquiet_ms = 0\n\
                         [reply]\nlast_line = 'ok'\nwithin_ms = 300\n\
                         [inputs]\nlook = \"look\\n\"\npress = \"press\\n\"";

/// A lamp that ends its answers with `ok`, but with `fine` when it looks on. `is_lost` says of which lines the end is lost.
fn lamp_with_two_ends(is_lost: fn(u32) -> bool) -> impl FnMut(&str, u32) -> Reaction {
    let mut on = false;
    move |line, number| {
        on = line == "press" && !on || line == "look" && on;
        match line {
            "reset" => Vec::new(),
            "look" if on => vec![(3, b"on\nfine\n")],
            _ if is_lost(number) => vec![(3, b"off\n")],
            "look" => vec![(3, b"off\nok\n")],
            _ => vec![(3, b"ok\n")],
        }
    }
}

/// What is said of replies that meet no end after some words.
fn said(text: &str, device: impl FnMut(&str, u32) -> Reaction) -> Option<String> {
    let found = checked_while(text, device, |_| true).findings;
    let is_unmet = |it: &Finding| it.kind == FindingKind::UnmetEnd;
    found.into_iter().find(is_unmet).map(|finding| finding.text)
}

#[test]
fn a_reply_that_silence_ends_in_one_state_is_named() {
    let text = said(LAST_LINE, lamp_with_two_ends(|_| false)).expect("it is named");
    let begins = "after `press look` no reply to `look` met an end that the file names, though other replies to it did: each time";
    assert!(text.starts_with(begins) && text.contains(r"`on\nfine\n` after 300 ms."), "{text}");
}

/// A lamp with echo that does not answer `look` when it is on.
#[test]
fn silence_after_an_echo_is_not_named() {
    let mut on = false;
    let device = move |line: &str, _| {
        on = line == "press" && !on || line == "look" && on;
        let reply: &[u8] = match line {
            "reset" => return Vec::new(),
            "look" if on => b"look\n",
            "look" => b"look\noff\nok\n",
            _ => b"press\nok\n",
        };
        vec![(3, reply)]
    };
    let text = LAST_LINE.replace("within_ms", "echo = true\nquiet_ms = 150\nwithin_ms");
    assert_eq!(said(&text, device), None);
}

#[test]
fn a_short_silence_and_a_lost_end_are_not_named() {
    let quiet = LAST_LINE.replace("within_ms", "quiet_ms = 40\nwithin_ms");
    assert_eq!(said(&quiet, lamp_with_two_ends(|_| false)), None, "a short silence is cheap");
    let lock = LAST_LINE.replace("'ok'", "'ok|fine'");
    assert_eq!(said(&lock, lamp_with_two_ends(|number| number % 9 == 5)), None);
    let wait = LAST_LINE.replace("\"look\\n\"", "{ send = \"look\\n\", wait_ms = 400 }");
    assert_eq!(said(&wait, lamp_with_two_ends(|_| false)), None, "its clock ends it");
}
