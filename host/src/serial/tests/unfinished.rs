//! Unasked lines that the end of a reset, the end of a wait or the next input cuts in two.

use std::cell::Cell;

use super::*;

const GPS: &str = "[[reset]]\nsteps = [{ send = \"R\" }]\nexpect = { match = 'READY\\r\\n', within_ms = 100 }\n\
                   [reply]\nlines = 1\nwithin_ms = 500\nstrip = ['\\$GP[^\\r\\n]*\\r\\n']\n\
                   [inputs]\na = \"a\"\nw = { wait_ms = 20 }\nlong = { wait_ms = 500 }\n";

/// A device that says this after a reset, and then after each input `a`, in turn.
fn gps<'d>(reset: Reaction, answers: Vec<Reaction>) -> SerialSul<FakeLink<'d>> {
    let mut at = 0;
    let link = FakeLink::new(move |deed: &LinkAct| match deed {
        LinkAct::Sent(bytes) if bytes == b"R" => {
            at = 0;
            reset.clone()
        }
        LinkAct::Sent(bytes) if bytes == b"a" => {
            at += 1;
            answers[at - 1].clone()
        }
        _ => Vec::new(),
    });
    SerialSul::new(link, device(GPS)).expect("a device")
}

fn ready() -> Reaction {
    vec![(1, b"READY\r\n")]
}

#[test]
fn a_line_that_the_end_of_a_reset_cuts_is_removed() {
    for reset in [
        vec![(1, &b"READY\r\n$GPGGA,0333"[..])],
        // The clock of the fake line stands still between the two.
        vec![(1, b"READY\r\n"), (1, b"$GPGGA,0333")],
    ] {
        let mut sul = gps(reset, vec![vec![(80, b"05.14,N*4D\r\n"), (90, b"A\r\n")]]);
        assert_eq!(word(&mut sul, &[0]), [r"A\r\n"]);
        sul.reset().expect("a reset");
        assert_eq!(sul.statistics().suspect_words, 0);
    }
}

#[test]
fn what_the_reset_leaves_is_no_fault_if_it_is_no_line() {
    let mut sul = gps(vec![(1, b"READY\r\n$")], vec![vec![(3, b"A\r\n")]]);
    assert_eq!(word(&mut sul, &[0]), [r"A\r\n"]);
    assert_eq!(word(&mut sul, &[2, 0]), ["(silence)", r"A\r\n"]);
    sul.reset().expect("a reset");
    sul.listen(Duration::from_secs(1)).expect("it listens");
    sul.reset().expect("a reset");
    assert_eq!(sul.statistics().suspect_words, 0);
}

#[test]
fn a_line_that_the_end_of_a_wait_cuts_is_removed() {
    let answers = || {
        vec![
            vec![(1, &b"A\r\n"[..]), (10, b"$GPGGA,0333")],
            vec![(80, b"05.14\r\n"), (90, b"B\r\n")],
        ]
    };
    let mut sul = gps(ready(), answers());
    assert_eq!(word(&mut sul, &[0, 1, 0]), [r"A\r\n", "(silence)", r"B\r\n"]);
    assert_eq!(word(&mut sul, &[0, 1, 1, 1, 0]).last().expect("an output"), r"B\r\n");
    // The wait goes on with it.
    let split = vec![vec![(1, &b"A\r\n"[..]), (10, b"$GPGGA,0333"), (30, b"05.14\r\nmore\r\n$GP")]];
    let mut sul = gps(ready(), split);
    assert_eq!(word(&mut sul, &[0, 1, 1]), [r"A\r\n", "(silence)", r"more\r\n"]);
    sul.reset().expect_err("`$GP` is left");
}

#[test]
fn a_line_that_the_next_input_cuts_is_not_late() {
    let answers = vec![vec![(1, &b"A\r\n$GPGGA,0333"[..])], vec![(5, b"05.14\r\nB\r\n")]];
    let mut sul = gps(ready(), answers);
    assert_eq!(word(&mut sul, &[0, 0]), [r"A\r\n", r"B\r\n"]);
    sul.reset().expect("a reset");
    assert_eq!(sul.statistics().suspect_words, 0);
}

#[test]
fn the_beginning_of_a_line_that_does_not_follow_is_late() {
    let half = || vec![(1, &b"A\r\n$GPGGA"[..])];
    let mut sul = gps(ready(), vec![half(), vec![(5, b"\rB\r\n")]]);
    word(&mut sul, &[0]);
    let error = step(&mut sul, 0).expect_err("no line is made of it").to_string();
    let message =
        r"6 bytes came after the reply to `a` (`A\r\n`) had ended, before `a` was sent: `$GPGGA`";
    assert_eq!(error, message);

    let mut sul = gps(ready(), vec![half()]);
    word(&mut sul, &[0]);
    step(&mut sul, 2).expect_err("nothing follows");

    let mut sul = gps(ready(), vec![half()]);
    word(&mut sul, &[0]);
    sul.reset().expect_err("nothing follows, the second time neither");
    assert_eq!(sul.statistics().suspect_words, 1);
}

#[test]
fn a_reply_that_ends_like_the_beginning_of_a_line_is_not_cut() {
    for end in ["match = '\\$$'", "quiet_ms = 50"] {
        let text = format!(
            "[reply]\n{end}\nstrip = ['\\$GP[^\\r\\n]*\\r\\n']\n[inputs]\na = \"a\"\n\
             w = {{ wait_ms = 500 }}\nwatch = {{ send = \"a\", wait_ms = 500 }}"
        );
        let mut sul = sul(&text, answer("a", vec![(1, b"ok\r\n$")]));
        for (input, output) in [(0, r"ok\r\n$"), (2, r"ok\r\n$"), (1, "(silence)")] {
            assert_eq!(word(&mut sul, &[input]), [output]);
        }
    }
}

#[test]
fn a_reply_that_ends_a_line_at_the_end_of_a_wait_is_not_cut() {
    let text = "[reply]\nlast_line = 'OK'\nstrip = ['\\r\\nRING\\r\\n']\n[inputs]\nwatch = { send = \"a\", wait_ms = 500 }";
    for at in [1, 310, 490] {
        let mut sul = sul(text, answer("a", vec![(at, b"\r\nNO CARRIER\r\n")]));
        assert_eq!(word(&mut sul, &[0]), [r"\r\nNO CARRIER\r\n"], "{at}");
        sul.reset().expect("a reset");
        assert_eq!(sul.statistics().suspect_words, 0, "{at}");
    }
}

#[test]
fn the_end_of_the_connection_ends_a_line() {
    let text = "[reply]\nlines = 1\nclosed = \"end\"\nstrip = ['\\$GP[^\\r\\n]*\\r\\n']\n[inputs]\n\
                watch = { send = \"a\", wait_ms = 500 }";
    let closed = Rc::<Cell<bool>>::default();
    let mut link = FakeLink::new(|act| match act {
        LinkAct::Sent(bytes) if bytes == b"a" => {
            closed.set(true);
            vec![(490, &b"bye\r\n$"[..])]
        }
        _ => Vec::new(),
    });
    link.is_closed = Rc::clone(&closed);
    let mut sul = SerialSul::new(link, device(&format!("{RESET}{text}"))).expect("a device");
    assert_eq!(word(&mut sul, &[0]), [r"bye\r\n$"]);
}

#[test]
fn what_a_reset_leaves_is_as_old_as_its_last_byte() {
    let text = "[[reset]]\nsteps = [{ send = \"R\" }]\nexpect = { match = 'ready', within_ms = 100 }\nquiet_ms = 500\n\
                [reply]\nlines = 1\nstrip = ['\\n!T\\d\\n']\n[inputs]\na = \"a\"";
    let link = FakeLink::new(answers([(b"R", vec![(1, b"ready\n")]), (b"a", vec![(1, b"!T1\n")])]));
    let mut sul = SerialSul::new(link, device(text)).expect("a device");
    assert_eq!(word(&mut sul, &[0, 0]), [r"!T1\n", r"!T1\n"]);
}

#[test]
fn a_line_without_end_does_not_stop_a_reset() {
    let text = "[reply]\nlines = 1\nlate = \"drop\"\nstrip = ['\\.*READY\\n']\n[inputs]\na = \"a\"";
    let mut link = FakeLink::new(answer("a", vec![(1, b"ok\n")]));
    (1..3000).for_each(|at| link.say(at * 10, b"."));
    let mut sul = SerialSul::new(link, device(&format!("{RESET}{text}"))).expect("a device");
    sul.reset().expect("a reset");
    step(&mut sul, 0).expect("an answer");
    let started = sul.link().now();
    sul.reset().expect("a reset");
    assert!(
        sul.link().now() - started < Duration::from_secs(5),
        "{:?}",
        sul.link().now() - started
    );
}

#[test]
fn a_new_connection_begins_with_no_line() {
    let text = "[[reset]]\nsteps = [{ send = \"R\" }]\n[reply]\nlines = 1\nstrip = ['\\$GP[^\\r\\n]*\\r\\n']\n[inputs]\na = \"a\"\n\
                r = { steps = [{ reconnect = true }, { send = \"b\" }] }";
    let link =
        FakeLink::new(answers([(b"a", vec![(1, b"ok\r\n$GP")]), (b"b", vec![(1, b"GA\r\n")])]));
    let mut sul = SerialSul::new(link, device(text)).expect("a device");
    assert_eq!(word(&mut sul, &[0, 1]), [r"ok\r\n", r"GA\r\n"]);
}

/// The mark at the end of a frame is also how the contents of an event begin.
#[test]
fn stuffed_frames_are_no_beginnings_of_lines() {
    let text = "[frame]\nstuffing = \"slip\"\n[[reset]]\nsteps = [{ send = \"R\" }]\n\
                [reply]\nstrip = ['\\xc0EVENT']\n[inputs]\na = \"a\"\nwatch = { send = \"b\", wait_ms = 500 }";
    let link = FakeLink::new(answers([
        (b"R", vec![(1, b"\xc0ready\xc0")]),
        (b"\xc0a\xc0", vec![(1, b"\xc0ok\xc0\xc0\xdb\xdcEVENT\xc0")]),
        (b"\xc0b\xc0", vec![(490, b"\xc0on\xc0")]),
    ]));
    let mut sul = SerialSul::new(link, device(text)).expect("a device");
    assert_eq!(word(&mut sul, &[0, 0, 1, 0]), ["ok", "ok", "on", "ok"]);
    sul.reset().expect("a reset");
    assert_eq!(sul.statistics().suspect_words, 0);
}

#[test]
fn the_beginning_of_a_line_that_does_not_follow_is_what_late_says() {
    for (late, second) in
        [("drop", r"\rB\r\n"), ("output", r"$GPGGA + \rB\r\n"), ("reply", r"$GPGGA\rB\r\n")]
    {
        let text = format!(
            "[reply]\nlines = 1\nlate = \"{late}\"\nstrip = ['\\$GP[^\\r\\n]*\\r\\n']\n[inputs]\na = \"a\"\nb = \"b\""
        );
        let mut sul = sul(&text, |act| match act {
            LinkAct::Sent(bytes) if bytes == b"a" => vec![(1, &b"A\r\n$GPGGA"[..])],
            // No end of a line that `strip` takes out.
            LinkAct::Sent(bytes) if bytes == b"b" => vec![(5, &b"\rB\r\n"[..])],
            _ => Vec::new(),
        });
        assert_eq!(word(&mut sul, &[0, 1]), [r"A\r\n", second], "{late}");
    }
}
