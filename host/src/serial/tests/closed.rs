//! Connections that the device ends.

use std::cell::Cell;

use super::*;

/// A device with this `[reply]` and these inputs. It answers `look`; `quit` is answered by `bye` and ends the
/// connection, `crash` only ends it.
fn server(text: &str, bye: &'static [u8]) -> SerialSul<FakeLink<'static>> {
    let is_closed: Rc<Cell<bool>> = Rc::default();
    let ending = Rc::clone(&is_closed);
    let mut link = FakeLink::new(move |deed: &LinkAct| match deed {
        LinkAct::Sent(bytes) if bytes == b"look\n" => vec![(1, &b"here\n"[..])],
        LinkAct::Sent(bytes) if bytes == b"quit\n" || bytes == b"crash\n" => {
            ending.set(true);
            let says = if bytes == b"quit\n" { bye } else { b"" };
            if says.is_empty() { Vec::new() } else { vec![(1, says)] }
        }
        _ => Vec::new(),
    });
    link.is_closed = is_closed;
    let text = format!("{RESET}[reply]\nlines = 1\nwithin_ms = 50\n{text}\nlook = \"look\\n\"");
    SerialSul::new(link, device(&text)).expect("a device")
}

const ANY: &str = "closed = \"(closed)\"\n[inputs]\nquit = \"quit\\n\"\ncrash = \"crash\\n\"";
const QUIT: &str =
    "[inputs]\nquit = { text = \"quit\\n\", reply = { closed = \"gone\" } }\ncrash = \"crash\\n\"";
const NONE: &str = "[inputs]\nquit = \"quit\\n\"\ncrash = \"crash\\n\"";

const LOOK: u32 = 2;

#[test]
fn the_rest_of_a_word_after_the_end_of_the_connection_has_its_output() {
    for end in [0, 1] {
        let mut sul = server(ANY, b"");
        for times in 0..3 {
            let expected = [r"here\n", "(closed)", "(closed)", "(closed)"];
            assert_eq!(word(&mut sul, &[LOOK, end, LOOK, end]), expected);
            assert_eq!(reconnections(&sul), times, "only a reset connects anew");
        }
        assert_eq!(word(&mut sul, &[LOOK]), [r"here\n"]);
    }
}

#[test]
fn what_came_before_the_end_is_the_output_of_its_input() {
    for bye in [&b"bye\n"[..], b"bye"] {
        let mut sul = server(ANY, bye);
        let said = String::from_utf8_lossy(bye).replace('\n', r"\n");
        assert_eq!(word(&mut sul, &[0, LOOK]), [&said[..], "(closed)"]);
        // The end is noticed by the reset.
        assert_eq!(word(&mut sul, &[0]), [&said[..]]);
        assert_eq!(word(&mut sul, &[LOOK, 0]), [r"here\n", &said[..]]);
        assert_eq!(word(&mut sul, &[LOOK]), [r"here\n"]);
        assert_eq!((reconnections(&sul), sul.statistics().suspect_words), (3, 0));
    }
}

#[test]
fn only_the_inputs_that_say_so_may_end_the_connection() {
    let mut sul = server(QUIT, b"bye\n");
    assert_eq!(word(&mut sul, &[0, LOOK, 1]), [r"bye\n", "gone", "gone"]);
    sul.reset().expect("a reset");
    let error = step(&mut sul, 1).expect_err("a crash is none");
    assert!(matches!(error, LinkError::Gone { .. }), "{error}");
    assert_eq!(word(&mut sul, &[LOOK]), [r"here\n"]);
}

#[test]
fn without_the_setting_an_end_of_the_connection_is_an_error() {
    let mut sul = server(NONE, b"bye\n");
    assert_eq!(word(&mut sul, &[0]), [r"bye\n"]);
    let error = step(&mut sul, LOOK).expect_err("it is gone");
    assert!(matches!(error, LinkError::Gone { .. }), "{error}");
}

/// The end as the link shows it after this word.
fn end(text: &str, inputs: &[u32]) -> Option<(String, bool)> {
    let mut sul = server(text, b"bye\n");
    word(&mut sul, inputs);
    sul.ended().map(|end| (end.output.to_owned(), end.is_earlier))
}

#[test]
fn the_end_shows_with_the_output_of_what_follows() {
    let closed = |is_earlier| Some(("(closed)".to_owned(), is_earlier));
    assert_eq!(end(ANY, &[LOOK]), None);
    assert_eq!(end(ANY, &[LOOK, 1]), closed(false));
    assert_eq!(end(ANY, &[LOOK, 1, LOOK]), closed(false));
    // It had ended before `look`, or whatever comes after `quit`.
    assert_eq!(end(ANY, &[0, LOOK]), closed(true));
    assert_eq!(end(QUIT, &[0, LOOK]), Some(("gone".to_owned(), true)));
    let mut sul = server(ANY, b"bye\n");
    word(&mut sul, &[0, LOOK]);
    sul.reset().expect("a reset");
    assert_eq!(sul.ended(), None);
}

#[test]
fn an_end_says_nothing_of_other_inputs_that_name_it_otherwise() {
    const OTHER: &str = "closed = \"(closed)\"\n[inputs]\nquit = \"quit\\n\"\ncrash = { text = \"crash\\n\", reply = { \
                         closed = \"crashed\" } }";
    assert_eq!(end(OTHER, &[0, LOOK]), Some(("(closed)".to_owned(), false)));
    assert_eq!(end(OTHER, &[0, 1]), Some(("crashed".to_owned(), false)));
}

#[test]
fn bytes_after_the_last_reply_are_late_though_the_connection_ended() {
    let mut sul = server(ANY, b"bye\nand more\n");
    sul.reset().expect("a reset");
    let error = step(&mut sul, 0).expect_err("more came");
    assert!(matches!(error, LinkError::Late { .. }), "{error}");
}

#[test]
fn an_end_between_the_steps_of_an_input_is_its_output() {
    let steps = "closed = \"(closed)\"\n[inputs]\nquit = { steps = [{ send = \"quit\\n\", wait_ms = 5 }, { send = \
                 \"look\\n\" }] }\ncrash = \"crash\\n\"";
    let mut sul = server(steps, b"");
    assert_eq!(word(&mut sul, &[LOOK, 0, LOOK]), [r"here\n", "(closed)", "(closed)"]);
    assert_eq!(word(&mut sul, &[LOOK]), [r"here\n"]);
}
