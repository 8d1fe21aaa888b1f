//! New connections as steps of resets and inputs.

use super::*;

const RESET: &str = "[[reset]]\nsteps = [{ reconnect = true }]\n\
                     expect = { match = 'hello\\n$', within_ms = 50 }\nquiet_ms = 0\n";

/// A server that greets each client. It counts `add` within a connection and `keep` for ever, and ends the connection
/// at `quit`.
fn server(text: &str) -> SerialSul<FakeLink<'static>> {
    server_that_is_away(text, 0)
}

/// A server that greets each client, answers whatever it is sent with `reply`, and ends the connection.
fn ends_after(reply: Reaction) -> FakeLink<'static> {
    let is_closed = Rc::new(std::cell::Cell::new(false));
    let ending = Rc::clone(&is_closed);
    let mut link = FakeLink::new(move |deed| match deed {
        LinkAct::Reopened => vec![(1, b"hello\n")],
        LinkAct::Sent(_) => {
            ending.set(true);
            reply.clone()
        }
        _ => Vec::new(),
    });
    link.is_closed = is_closed;
    link
}

/// Cannot be reached the first times.
fn server_that_is_away(text: &str, times: usize) -> SerialSul<FakeLink<'static>> {
    let is_closed = Rc::new(std::cell::Cell::new(false));
    let ending = Rc::clone(&is_closed);
    let (mut added, mut kept) = (0, 0);
    let counts: [&[u8]; 4] = [b"0\n", b"1\n", b"2\n", b"3\n"];
    let mut link = FakeLink::new(move |deed| match deed {
        LinkAct::Reopened => {
            added = 0;
            vec![(1, b"hello\n")]
        }
        LinkAct::Sent(bytes) => match &bytes[..] {
            b"add" => {
                added += 1;
                vec![(1, counts[added])]
            }
            b"keep" => {
                kept += 1;
                vec![(1, counts[kept])]
            }
            _ => {
                ending.set(true);
                Vec::new()
            }
        },
        _ => Vec::new(),
    });
    link.is_closed = is_closed;
    let away = || OpenError::Refused { address: "there".to_owned() };
    link.away.extend(std::iter::repeat_with(away).take(times));
    let file = format!("{RESET}[reply]\nlines = 1\nwithin_ms = 50\n[inputs]\n{text}");
    SerialSul::new(link, device(&file)).expect("a device")
}

#[test]
fn each_reset_connects_anew_once_and_sets_the_lines_again() {
    let mut sul = server("add = \"add\"\n[port]\ndtr = false");
    for times in 1..4 {
        assert_eq!(word(&mut sul, &[0, 0]), [r"1\n", r"2\n"]);
        assert_eq!(reconnections(&sul), times);
    }
    let set = |deed: &LinkAct| *deed == LinkAct::Set(ControlLine::Dtr, false);
    assert_eq!(sul.link().deeds().borrow().iter().filter(|(_, deed)| set(deed)).count(), 4);
}

#[test]
fn after_an_end_of_the_connection_too_it_connects_once() {
    let mut sul = server("quit = { text = \"quit\", reply = { closed = \"end\" } }\nadd = \"add\"");
    for times in 1..4 {
        assert_eq!(word(&mut sul, &[1, 0, 1]), [r"1\n", "end", "end"]);
        assert_eq!(reconnections(&sul), times);
    }
}

#[test]
fn a_reply_that_the_end_of_the_connection_cuts_has_no_wrong_checksum() {
    let file = format!(
        "{RESET}[reply]\nlength = 4\nchecksum = \"sum8\"\n[inputs]\n\
         quit = {{ text = \"quit\", reply = {{ closed = \"end\" }} }}"
    );
    let mut sul = SerialSul::new(ends_after(vec![(1, b"+")]), device(&file)).expect("a device");
    assert_eq!(word(&mut sul, &[0, 0]), ["end", "end"]);
    // A whole reply is not cut off; with silence for its end, it is whole.
    for file in [file.clone(), file.replace("length = 4", "quiet_ms = 20")] {
        let replies = vec![(1, &b"ab"[..]), (1, b"cX")];
        let mut sul = SerialSul::new(ends_after(replies), device(&file)).expect("a device");
        sul.reset().expect("a reset");
        let error = step(&mut sul, 0).expect_err("the checksum is wrong");
        assert!(error.to_string().contains("sum8"), "{error}");
    }
}

#[test]
fn an_input_can_connect_anew_even_when_the_connection_has_ended() {
    let mut sul = server(
        "add = \"add\"\nkeep = \"keep\"\nagain = { reconnect = true }\n\
         quit = { text = \"quit\", reply = { closed = \"end\" } }",
    );
    let outputs = word(&mut sul, &[0, 1, 2, 0, 1, 3, 0, 2, 0, 1]);
    let [hello, end] = [r"hello\n", "end"];
    assert_eq!(outputs, [r"1\n", r"1\n", hello, r"1\n", r"2\n", end, end, hello, r"1\n", r"3\n"]);
}

#[test]
fn a_server_that_cannot_be_reached_is_waited_for() {
    let mut sul = server_that_is_away("add = \"add\"", 1);
    let error = sul.reset().expect_err("it is not there");
    assert_eq!(error.to_string(), "the device is not back: nothing listens at there");
    assert!(error.is_gone());
    assert_eq!(word(&mut sul, &[0]), [r"1\n"]);
    assert_eq!(reconnections(&sul), 1);
}

#[test]
fn an_end_of_the_connection_after_the_last_reply_fails_no_reset_that_connects_anew() {
    let mut sul = server("add = \"add\"");
    for times in 1..4 {
        assert_eq!(word(&mut sul, &[0, 0]), [r"1\n", r"2\n"]);
        sul.link().is_closed.set(true);
        assert_eq!(reconnections(&sul), times);
    }
    let error = step(&mut sul, 0).expect_err("it has ended");
    assert_eq!(error.to_string(), "the device disappeared while `add` was to be sent");
}

#[test]
fn what_came_before_the_end_of_the_connection_makes_the_last_reply_suspect() {
    let mut replies = [b"one\n", b"two\n"].into_iter();
    let mut link = FakeLink::new(move |deed| match deed {
        LinkAct::Reopened => vec![(1, b"hello\n")],
        LinkAct::Sent(_) => vec![(1, replies.next().expect("a reply")), (1, b"more\n")],
        _ => Vec::new(),
    });
    let is_closed = Rc::new(std::cell::Cell::new(false));
    link.is_closed = Rc::clone(&is_closed);
    let file = format!("{RESET}[reply]\nlines = 1\nwithin_ms = 50\n[inputs]\na = \"a\"");
    let mut sul = SerialSul::new(link, device(&file)).expect("a device");
    assert_eq!(word(&mut sul, &[0]), [r"one\n"]);
    is_closed.set(true);
    let error = sul.reset().expect_err("it says something else when it is asked again").to_string();
    assert!(error.contains(r"`more\n` came after its end, and it was asked again"), "{error}");
}

#[test]
fn the_same_bytes_before_each_end_of_the_connection_make_the_reply_suspect() {
    let link = ends_after(vec![(1, b"bye\n"), (1, b"more\n")]);
    let file = format!("{RESET}[reply]\nlines = 1\nwithin_ms = 50\n[inputs]\nquit = \"quit\"");
    let mut sul = SerialSul::new(link, device(&file)).expect("a device");
    assert_eq!(word(&mut sul, &[0]), [r"bye\n"]);
    let error = sul.reset().expect_err("more came again");
    assert!(matches!(error, LinkError::Suspect { .. }), "{error}");
}

#[test]
fn a_step_of_a_reset_may_end_the_connection_before_a_new_one() {
    let is_closed = Rc::new(std::cell::Cell::new(false));
    let ending = Rc::clone(&is_closed);
    let mut link = FakeLink::new(move |deed| match deed {
        LinkAct::Reopened => vec![(1, b"hello\n")],
        LinkAct::Sent(bytes) if bytes == b"off" => {
            ending.set(true);
            vec![(1, b"bye\n")]
        }
        LinkAct::Sent(_) => vec![(1, b"yes\n")],
        _ => Vec::new(),
    });
    link.is_closed = is_closed;
    // It takes a moment until the device is there again.
    link.away.push_back(OpenError::Missing { path: "/dev/x".to_owned() });
    let deeds = link.deeds();
    // What a command does is not left out, and not broken off.
    let folder = tempfile::tempdir().expect("a folder");
    let cycled = folder.path().join("cycled");
    let steps = format!(
        "[{{ send = \"off\" }}, {{ wait_ms = 50 }}, {{ run = \"sleep 0.05; touch '{}'\" }}, {{ reconnect = true }}, {{ send = \"on\" }}]",
        cycled.display()
    );
    let file = format!(
        "[[reset]]\nsteps = {steps}\nexpect = {{ match = 'yes\\n$', within_ms = 50 }}\nquiet_ms = 0\n\
         [reply]\nlines = 1\nwithin_ms = 50\n[inputs]\na = \"a\""
    );
    let mut sul = SerialSul::new(link, device(&file)).expect("a device");
    assert_eq!(word(&mut sul, &[0, 0]), [r"yes\n", r"yes\n"]);
    assert_eq!(reconnections(&sul), 1);
    assert!(cycled.is_file());
    let sent = |deed: &LinkAct| matches!(deed, LinkAct::Sent(bytes) if bytes == b"on");
    assert_eq!(deeds.borrow().iter().filter(|(_, deed)| sent(deed)).count(), 1);
}

/// The device has ended the connection before the reset begins: a command that comes first is done all the same.
#[test]
fn a_command_is_done_though_the_connection_has_ended() {
    let link = ends_after(vec![(1, b"bye\n")]);
    let folder = tempfile::tempdir().expect("a folder");
    let count = folder.path().join("count");
    let file = format!(
        "[[reset]]\nsteps = [{{ run = \"echo >> '{}'\" }}, {{ reconnect = true }}]\n\
         expect = {{ match = 'hello\\n$', within_ms = 50 }}\nquiet_ms = 0\n\
         [reply]\nlines = 1\nwithin_ms = 50\n[inputs]\nquit = \"quit\"",
        count.display()
    );
    let mut sul = SerialSul::new(link, device(&file)).expect("a device");
    for times in 1..4 {
        assert_eq!(word(&mut sul, &[0]), [r"bye\n"]);
        let done = std::fs::read_to_string(&count).expect("it was done");
        assert_eq!(done.len(), times);
    }
}
