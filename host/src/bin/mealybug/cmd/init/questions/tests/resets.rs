//! Resets that are tried again: what two starts of a device have in common, and what changes.

use super::*;

/// A device at a serial port that says these texts, one after the other, to a line, and `ok` to other lines.
fn says_in_turn(
    line: &'static [u8],
    texts: impl IntoIterator<Item = &'static [u8]> + Clone,
) -> impl FnMut(Duration, &[u8]) -> VirtualReply {
    let mut texts = Vec::from_iter(texts).into_iter().cycle();
    move |_, sent| match sent.trim_ascii_end() == line {
        true => (texts.next().expect("there are some"), false),
        false => (b"ok\r\n", false),
    }
}

/// What the steps of the reset wait for.
fn waits(draft: &Draft) -> Vec<String> {
    draft.reset.iter().map(|(_, ready)| ready.pattern()).collect()
}

#[test]
fn a_pattern_that_no_device_file_may_have_is_refused() {
    // Kind, port, harmless line, reset, two patterns, no other step, inputs.
    let answers = "2\nx\nget\nreset\n/boo\\pL+/\n/boo\\w+/\n\nhelp\n\n";
    let (draft, shown) = asked_at(true, says_in_turn(b"reset", [&b"booted\r\n"[..]]), answers);
    assert!(shown.contains(r"`/boo\pL+/` is not accepted"), "{shown}");
    assert_eq!(waits(&draft), [r"boo\w+"]);
}

#[test]
fn what_a_start_says_after_a_key_is_waited_for_but_no_prompt() {
    for (said, ready) in [
        (&b"\r\nGrbl 1.1h ['$' for help]\r\n"[..], r"Grbl \d+\.\d+h \['\$' for help\]\r\n$"),
        (b"^C\r\n# ", "$"),
    ] {
        // Kind, port, harmless line, reset, ready, no other step, inputs.
        let react = move |_, sent: &[u8]| match sent {
            b"\x18" => (said, false),
            _ => (&b"ok\r\n"[..], false),
        };
        let (draft, shown) = asked_at(true, react, "2\nx\nget\n\\x18\n\n\nhelp\n\n");
        assert_eq!(waits(&draft), [ready], "{shown}");
    }
}

#[test]
fn the_whole_reset_comes_before_each_input_over_a_network() {
    let connections = Arc::new(AtomicU32::new(0));
    let connected = Arc::clone(&connections);
    let mut known_to = 0;
    let react = move |_, sent: &[u8]| {
        let connection = connected.load(Ordering::Relaxed);
        match sent.trim_ascii_end() {
            b"hello" => {
                known_to = connection;
                (&b"connect\n"[..], false)
            }
            _ if known_to == connection => (&b"success\n"[..], false),
            _ => (&b"huh?\n"[..], false),
        }
    };
    let (has_baud, coming, is_closed) = (false, Vec::new(), false);
    let (now, react) = (Duration::ZERO, Box::new(react));
    let device = VirtualDevice { now, has_baud, react, coming, is_closed, connections };
    // Kind, port, harmless line, steps and what comes, no other step, inputs.
    let (draft, shown) =
        asked_of(device, "2\ntcp:desk:1\nhello\nreconnect\n\nhello\n\n\nadd\ndel\n\n");
    assert_eq!(shown.matches(r"Then came `success\n`").count(), 2, "{shown}");
    // Nobody waits for a server that says nothing.
    assert!(draft.text("x").contains("{ reconnect = true },"), "{}", draft.text("x"));
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
    let (draft, shown) = asked_at(true, says_in_turn(b"next", texts), answers);
    assert_eq!(waits(&draft), [r"BOOT\r?\n", r"USER\r\n$"], "{shown}");
}

/// A text of a start that says why it starts: only the first line is always the same.
const REASONS: [&[u8]; 2] = [b"ROM v1\r\nboot: POWERON\r\n", b"ROM v1\r\nboot: SW_CPU\r\n"];

#[test]
fn lines_that_begin_alike_in_two_starts_are_not_called_unasked() {
    let jammed: [&[u8]; 2] = [b"LOCK 1.0\r\ndoor closed\r\n", b"LOCK 1.0\r\ndoor jammed\r\n"];
    for (texts, ready, common) in
        [(REASONS, r"boot: POWERON\r\n$", "ROM v1"), (jammed, r"door closed\r\n$", "LOCK 1.0")]
    {
        let answers = "2\nx\nget\nreset\n\n\nhelp\n\n";
        let (draft, shown) = asked_at(true, says_in_turn(b"reset", texts), answers);
        let said =
            format!("works only once, or what comes changes. Only `{common}` came both times.");
        assert!(shown.contains(&said), "{shown}");
        assert_eq!((waits(&draft), draft.unasked), (vec![ready.to_owned()], Vec::new()));
    }
}

#[test]
fn an_answer_that_begins_like_an_unasked_line_is_not_stripped() {
    // Of the second start, two lines begin alike.
    let texts: [&[u8]; 2] =
        [b"ROM v1\r\nboot: POWERON\r\n", b"ROM v1\r\nboot: SW_CPU\r\nboot: slow\r\n"];
    let react = || {
        let mut says = says_in_turn(b"reset", texts);
        move |now, sent: &[u8]| match sent.trim_ascii_end() {
            b"boot" | b"which" => (&b"boot: app0\r\n"[..], false),
            _ => says(now, sent),
        }
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let (draft, shown) = asked_at(false, react(), "2\ntcp:desk:1\nping\nreset\n\n\nping\nboot\n\n");
    assert_eq!(waits(&draft), [r"ROM v1\r?\n"], "{shown}");
    assert!(shown.contains("Then came `boot: app0\\r\\n`"), "{shown}");
    assert!(shown.contains("`boot: POWERON` are answers, too"), "{shown}");
    assert!(draft.unasked.is_empty(), "{shown}");
    // The answer to the harmless line tells, too.
    let (draft, shown) = asked_at(true, react(), "2\nx\nwhich\nreset\n\n\nping\n\n");
    assert!(draft.unasked.is_empty() && shown.contains("works only once"), "{shown}");
}

#[test]
fn the_echo_of_a_reset_is_nothing_to_wait_for() {
    let react = |texts: [&'static [u8]; 2]| {
        let mut says = says_in_turn(b"reset", texts);
        move |now, sent: &[u8]| match sent.trim_ascii_end() {
            b"help" => (&b"help\r\nok\r\n"[..], false),
            _ => says(now, sent),
        }
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let answers = "2\nx\nhelp\nreset\n\n\nhelp\n\n";
    let (draft, shown) =
        asked_at(true, react([b"reset\r\nWelcome\r\n", b"reset\r\nstill busy\r\n"]), answers);
    assert!(shown.contains("with echo"), "{shown}");
    assert!(shown.contains("works only once, or what comes changes. `<` goes"), "{shown}");
    assert_eq!(waits(&draft), [r"Welcome\r\n$"]);
    let (draft, shown) = asked_at(true, react([b"reset\r\n", b"reset\r\n"]), answers);
    assert_eq!(waits(&draft), ["$"], "{shown}");
}

#[test]
fn what_came_before_a_step_is_not_what_it_says() {
    // The device speaks before the command is run, and not again.
    let react = |_, sent: &[u8]| match sent.trim_ascii_end() {
        b"stop" => (&b"ok\r\n\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1fHOT\r\n"[..], false),
        _ => (&b"ok\r\n"[..], false),
    };
    // Kind, port, harmless line, steps and what comes, no other step, inputs.
    let (draft, shown) = asked_at(true, react, "2\nx\nget\nstop\n\n!true\n\n\nhelp\n\n");
    assert!(!shown.contains("HOT"), "{shown}");
    assert_eq!(waits(&draft), [r"ok\r\n$", "$"]);
}

#[test]
fn only_bytes_that_came_twice_are_proposed() {
    let answers = "4\nx\n\n\n01\n\n\na=02\n\n\n";
    let starts = |texts: [&'static [u8]; 2]| {
        let (draft, shown) = asked_at(true, says_in_turn(b"\x01", texts), answers);
        assert!(shown.contains("It is tried twice"), "{shown}");
        waits(&draft).remove(0)
    };
    assert_eq!(starts([b"\x06\x02", b"\x06\x02"]), r"\x06\x02$");
    assert_eq!(starts([b"\x91\xfeNFC 1\r\n", b"\xc2NFC 1\r\n"]), r"NFC 1\r\n$");
    assert_eq!(starts([b"\x91\x02", b"\xc2\x02"]), "$");
    // Of a long greeting, the last line: in the others a byte may be lost.
    assert_eq!(starts([b"ROM 1\r\nRAM ok\r\nready\r\n"; 2]), r"ready\r\n$");
}

#[test]
fn a_serial_port_that_a_step_ends_is_opened_again_by_the_next_step() {
    let react = |_, sent: &[u8]| match sent.trim_ascii_end() {
        b"q" => (&b"bye\r\n"[..], true),
        _ => (&b"ok\r\n> "[..], false),
    };
    // Kind, port, harmless line, prompt, no other, steps and what comes, no other step, inputs.
    let answers = "1\nx\n\n\n\nq\n\ngo\n\n\nhelp\n\n";
    let (draft, shown) = asked_at(true, react, answers);
    assert!(
        shown
            .contains("It ended the connection.\n  So `reconnect` is the next step, 1000 ms later"),
        "{shown}"
    );
    let steps: Vec<_> = draft.reset.iter().map(|(step, _)| step.clone()).collect();
    let [q, go] = [&b"q\r"[..], b"go\r"].map(|bytes| ResetDraft::Send(bytes.to_vec()));
    assert_eq!(steps, [q, ResetDraft::Reconnect, go]);
    let text = draft.text("fdisk.toml");
    assert!(
        text.contains(
            "{ send = \"q\\r\", wait_ms = 1000 },\n    { reconnect = true, wait_ms = 100 },\n"
        ),
        "{text}"
    );
    DeviceFile::parse("fdisk.toml".as_ref(), &text).expect("a device file");
}

#[test]
fn a_new_connection_is_a_step_at_a_serial_port_too() {
    let (draft, shown) = asked("1\nx\nx\n\n> \n\n\n\nreconnect\n> \n\nhelp\n\n").expect("a draft");
    assert!(
        shown.contains("`dtr` for a pulse on DTR, `reconnect` for a new connection, or"),
        "{shown}"
    );
    assert_eq!(draft.reset[0].0, ResetDraft::Reconnect);
}

#[test]
fn the_line_before_the_prompt_is_what_a_reset_waits_for() {
    let started: &[u8] = b"\r\r\rELM327 v1.5\r\r>";
    let react = |starts: [&'static [u8]; 2]| {
        let mut says = says_in_turn(b"ATZ", starts);
        move |now, sent: &[u8]| match sent.trim_ascii_end() {
            b"ATI" => (&b"ELM327 v1.5\r\r>"[..], false),
            _ => says(now, sent),
        }
    };
    // Kind, port, harmless line, prompt, no other, reset, ready, no other step, inputs.
    let answers = |ready: &str| format!("1\nx\nATI\n\n\nATZ\n{ready}\n\nATI\n\n");
    let (draft, shown) = asked_at(true, react([started; 2]), &answers(""));
    assert_eq!(waits(&draft), [r"ELM327 v\d+\.\d+\r\r>$"], "{shown}");
    // A part of it is followed by the prompt.
    let (draft, shown) = asked_at(true, react([started; 2]), &answers("ELM327"));
    assert_eq!(waits(&draft), [r"ELM327(?s:.*)>$"], "{shown}");
    // A device that is awakened shows the prompt alone.
    let (_, shown) = asked_at(true, react([started, b"\r\r>"]), &answers(""));
    assert!(shown.contains("came `\\r\\r>`: it works only once, or what comes changes"), "{shown}");
    // What comes unasked comes before the prompt, or behind it.
    let starts: [&[u8]; 2] =
        [b"ELM327\r\nrx 1 BEEF\r\n>", b"rx 2 DDDE\r\nELM327\r\nrx 3 FCCD\r\n>"];
    let (draft, shown) = asked_at(true, react(starts), &answers(""));
    assert_eq!(waits(&draft), [r"ELM327\r?\n(?s:.*)>$"], "{shown}");
}

#[test]
fn a_reset_is_tried_again_after_each_change() {
    // What changes: the number, the place of `mac`, the place of `TWO`, and then nothing, or a line that all had.
    let begins: [&[u8]; 4] = [
        b"NIL\r\nONE\r\nTWO\r\nmac 5\r\n",
        b"NIL\r\nONE\r\nTWO\r\nmac 7\r\n",
        b"mac 1\r\nNIL\r\nONE\r\nTWO\r\n",
        b"TWO x\r\nNIL\r\nONE\r\n",
    ];
    let after = |last: &'static [u8]| {
        let texts = begins.into_iter().chain([last]);
        let answers = "2\nx\nget\nreset\n\n\nhelp\n\n";
        let (draft, shown) = asked_at(true, says_in_turn(b"reset", texts), answers);
        (waits(&draft).remove(0), shown)
    };
    let (ready, shown) = after(begins[3]);
    assert_eq!(
        (ready.as_str(), shown.matches("The reset was tried").count()),
        (r"ONE\r?\n", 3),
        "{shown}"
    );
    let (_, shown) = after(b"door jammed\r\n");
    assert!(shown.contains("came `door jammed\\r\\n`: it works only once"), "{shown}");
    let (ready, shown) = after(b"ONE x\r\nNIL\r\n");
    assert!(
        shown.contains("The reset was tried 4 times, and something else came each time"),
        "{shown}"
    );
    assert_eq!(ready, r"NIL\r?\n");
}

#[test]
fn frames_that_look_like_text_are_no_lines() {
    for [first, other] in
        [[&b"ONE\r\nmac 5 AB\r\n"[..], b"mac 1 CD\r\nONE\r\n"], [b"LOCK 5\r\n", b"LOCK 7\r\n"]]
    {
        // It is tried twice before what it says is asked for.
        let says = says_in_turn(b"\x01", [first, first, other]);
        let (draft, shown) = asked_at(true, says, "4\nx\n\n\n01\n\n\na=02\n\n\n");
        assert!(shown.contains("it works only once"), "{shown}");
        assert!(draft.unasked.is_empty() && draft.reset[0].1.is_met(first), "{shown}");
    }
}

#[test]
fn a_reset_that_works_only_once_is_noticed() {
    for is_real in [false, true] {
        let mut is_there = true;
        let react = move |_, sent: &[u8]| {
            let deletes = sent == b"delete k\r" && std::mem::replace(&mut is_there, is_real);
            (if deletes { &b"DELETED\r\n> "[..] } else { b"NOT_FOUND\r\n> " }, false)
        };
        // Kind, port, harmless line, prompt, no other, reset, ready, no other step, inputs.
        let answers = "1\nx\n\n\n\ndelete k\nDELETED\\r\\n> \n\nhelp\n\n";
        let (_, shown) = asked_at(true, react, answers);
        let again = "The reset was tried again, and after `delete k` came `NOT_FOUND\\r\\n> `: it works only once";
        assert_eq!(shown.contains(again), !is_real, "{shown}");
    }
}

#[test]
fn lines_that_come_unasked_are_no_text_of_a_start() {
    let mut beacons = 0;
    let react = move |_, sent: &[u8]| {
        beacons += u32::from(sent == b"sys reset\r");
        // One comes alone, after 3.6 s of silence.
        let alone =
            if beacons == 2 { "\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1fmac_rx 3 FCCD\r\n" } else { "" };
        let key = beacons * 7919 + 0xA000;
        let said = format!("RN2483 1.0.5\r\nmac_rx {beacons} {key:X}\r\n{alone}");
        let said: &[u8] = if sent == b"sys reset\r" { said.leak().as_bytes() } else { b"ok\r\n" };
        (said, false)
    };
    // Kind, port, harmless line, reset, ready, no other step, inputs.
    let (draft, shown) = asked_at(true, react, "2\nx\nget\nsys reset\n\n\nhelp\n\n");
    for said in [
        "came other lines: `RN2483 1.0.5\\r\\nmac_rx 2 DDDE\\r\\n`. Lines such as `mac_rx 1 BEEF` come unasked",
        "The reset waits for `RN2483 1\\.0\\.5\\r?\\n` now",
    ] {
        assert!(shown.contains(said), "{said} is not in {shown}");
    }
    assert!(!shown.contains("only once"), "{shown}");
    assert_eq!(draft.unasked, [r"mac_rx[^\r\n]*\r?\n"]);
    assert_eq!(draft.reset[0].1.pattern(), r"RN2483 1\.0\.5\r?\n");
}

#[test]
fn a_reset_that_is_given_again_is_tried_twice_again() {
    let boots = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&boots);
    let react = move |_, sent: &[u8]| {
        counted.fetch_add(u32::from(sent == b"boot\r"), Ordering::Relaxed);
        (&b"ready\r\n"[..], false)
    };
    // Kind, port, harmless line, reset, ready, no other step, back to it, out with it, the same again, inputs.
    let answers = "2\nx\nget\nboot\n\n\n<\n<\nboot\n\n\nhelp\n\n";
    let (draft, shown) = asked_at(true, react, answers);
    assert_eq!(waits(&draft), [r"ready\r\n$"], "{shown}");
    assert_eq!(boots.load(Ordering::Relaxed), 4, "{shown}");
}
