//! Unasked lines that the end of a reset, the end of a wait or the next input cuts in two.

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
