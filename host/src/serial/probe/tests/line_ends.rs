//! How line ends are compared: over new connections, and at serial ports.

use super::*;

/// What is found with `status` at this device, over a network or at a serial port, and what was done.
fn searched(
    has_baud: bool,
    react: impl FnMut(&LinkAct) -> Vec<(u64, &'static [u8])>,
) -> (TalkSearch, Vec<LinkAct>) {
    let mut link = FakeLink::new(react);
    link.has_baud = has_baud;
    let (deeds, mut link) = (link.deeds(), Some(link));
    let open = |_| Ok(link.take().expect("opened once"));
    let search = find_talk(&[], "status", &BAUDS[..1], open).expect("the port works");
    let deeds = deeds.borrow().iter().map(|(_, deed)| deed.clone()).collect();
    (search, deeds)
}

/// Whether a line is sent that is not empty and ends so.
fn is_line(act: &LinkAct, ends: &[&str]) -> bool {
    let LinkAct::Sent(bytes) = act else { return false };
    bytes.strip_prefix(b"status").is_some_and(|end| ends.iter().any(|it| it.as_bytes() == end))
}

#[test]
fn a_greeting_of_a_new_connection_is_no_answer_to_a_line() {
    for ends in [&["\r\n"][..], &LINE_ENDS] {
        let (search, _) = searched(false, |act| match act {
            LinkAct::Reopened => vec![(100, b"220 hello\r\n")],
            act if is_line(act, ends) => vec![(1, b"locked\r\n")],
            _ => Vec::new(),
        });
        let answers: Vec<_> = search.answers.iter().map(|answer| &*answer.answer).collect();
        assert!(answers.iter().all(|answer| *answer == b"locked\r\n"), "{answers:?}");
        let talk = search.talk.expect("it talks");
        assert_eq!((talk.line_end, talk.others), ("\r\n", Vec::new()), "{ends:?}");
    }
}

#[test]
fn each_other_line_end_has_a_connection_of_its_own() {
    // A lone `\n` is the last thing that a connection takes.
    let mut is_jammed = false;
    let (search, deeds) = searched(false, |act| match act {
        LinkAct::Reopened => {
            is_jammed = false;
            Vec::new()
        }
        act if is_line(act, &["\n"]) => {
            is_jammed = true;
            Vec::new()
        }
        act if is_line(act, &["\r", "\r\n"]) && !is_jammed => vec![(1, b"locked\r\n")],
        _ => Vec::new(),
    });
    assert_eq!(search.talk.expect("it talks").line_end, "\r\n");
    // The next line comes over a new one, too.
    let last = [LinkAct::Reopened, LinkAct::Sent(b"\r\n".to_vec())];
    assert!(deeds.ends_with(&last), "{deeds:?}");
}

#[test]
fn only_a_line_end_that_was_answered_is_taken_for_the_device_s_own() {
    let (search, _) = searched(false, |act| match is_line(act, &["\r"]) {
        true => vec![(1, b"locked\r\n")],
        false => Vec::new(),
    });
    assert_eq!(search.talk.expect("it talks").line_end, "\r");
}

#[test]
fn a_device_at_a_serial_port_gets_the_first_line_end_that_it_answers() {
    for (has_baud, line_end) in [(true, "\r"), (false, "\r\n")] {
        let (search, _) = searched(has_baud, |act| match is_line(act, &LINE_ENDS) {
            true => vec![(1, b"locked\r\n")],
            false => Vec::new(),
        });
        assert_eq!(search.talk.expect("it talks").line_end, line_end);
    }
}
