//! Resets that are tried again: what two starts of a device have in common, and what changes.

use super::*;

/// A device at a serial port that says these texts, one after the other, to a line, and `ok` to other lines.
fn says_in_turn(
    line: &'static [u8],
    texts: impl IntoIterator<Item = &'static [u8]> + Clone,
) -> impl FnMut(Duration, &[u8]) -> VirtualReply {
    let mut texts = Vec::from_iter(texts).into_iter().cycle();
    move |_, sent| match sent == line {
        true => (texts.next().expect("there are some"), false),
        false => (b"ok\r\n", false),
    }
}

/// What the steps of the reset wait for.
fn waits(draft: &Draft) -> Vec<String> {
    draft.reset.iter().map(|(_, ready)| ready.pattern()).collect()
}

#[test]
fn equal_steps_have_starts_of_their_own() {
    let texts: [&[u8]; 4] = [
        b"BOOT\r\nmac_rx 1 BEEF\r\n",
        b"USER\r\n",
        b"BOOT\r\nmac_rx 2 DDDE\r\nmac_rx 3 FCCD\r\n",
        b"USER\r\n",
    ];
    // Kind, port, harmless line, steps and what comes, no other step, inputs.
    let answers = "2\nx\nget\nnext\n\nnext\n\n\nhelp\n\n";
    let (draft, shown) = asked_at(true, says_in_turn(b"next\r", texts), answers);
    assert_eq!(waits(&draft), [r"BOOT\r?\n", r"USER\r\n$"], "{shown}");
}
