//! Echoes that are not what was sent.

use super::*;
use crate::store::Garbled;

const CONSOLE: &str = "[reply]\nmatch = '> $'\ngrace_ms = 0\nwithin_ms = 100\necho = true\n\
                       [[output]]\nmatch = '^(.*)\\r\\n> $'\nname = \"$1\"\n\
                       [inputs]\nopen = \"open\\r\"\nclose = \"close\\r\"";

/// A console that gives these answers, one after the other.
fn console(answers: &'static [&'static [u8]]) -> SerialSul<FakeLink<'static>> {
    let mut answers = answers.iter();
    sul(CONSOLE, move |deed| match deed {
        LinkAct::Sent(bytes) if bytes != b"reset\r" => {
            vec![(1, *answers.next().expect("an answer is left"))]
        }
        _ => Vec::new(),
    })
}

fn echo_error<L: TimedLink>(sul: &mut SerialSul<L>, input: u32) -> (String, String) {
    match step(sul, input).expect_err("it is no echo") {
        LinkError::Echo { received, output, .. } => (received, output),
        error => panic!("{error}"),
    }
}

#[test]
fn what_is_nearly_the_echo_is_a_fault_of_the_line() {
    let mut sul = console(&[
        b"opan\r\nok\r\n> ",
        b"oppen\r\nno such command: oppen\r\n> ",
        b"pen\r\nok\r\n> ",
        b"openn\r\nno such command: openn\r\n> ",
        b"close",
    ]);
    let mut odd = |input| echo_error(&mut sul, input);
    let pair = |received: &str, output: &str| (received.to_owned(), output.to_owned());
    assert_eq!(odd(0), pair(r"opan\r", "ok"));
    assert_eq!(odd(0), pair("oppen", "no such command: oppen"));
    assert_eq!(odd(0), pair(r"pen\r\n", "ok"));
    assert_eq!(odd(0), pair("openn", "no such command: openn"));
    assert_eq!(odd(1), pair("close", "(silence)"), "the line end was lost");
    let mut sul = console(&[b"opan\r\nok\r\n> "]);
    let error = step(&mut sul, 0).expect_err("it is no echo");
    assert!(error.is_worth_a_retry());
    assert_eq!(error.garbled(), Garbled::Answered(Some(b"ok")));
    assert_eq!(error.to_string(), r"what came back of `open` is not what was sent: `opan\r`");
}

#[test]
fn an_odd_echo_that_comes_twice_is_how_the_device_repeats_it() {
    const ODD: &[u8] = b"op en\r\nok\r\n> ";
    let mut sul = console(&[ODD, b"clse\r\nok\r\n> ", ODD, ODD, ODD, b"close\r\nok\r\n> "]);
    echo_error(&mut sul, 0);
    echo_error(&mut sul, 1);
    echo_error(&mut sul, 0);
    for _ in 0..2 {
        assert_eq!(step(&mut sul, 0).expect("an output"), r"op en\r\nok\r\n> ");
    }
    assert_eq!(step(&mut sul, 1).expect("an output"), "ok");
}

#[test]
fn what_is_not_repeated_has_no_odd_echo() {
    let mut sul = console(&[b"\r\nPassword: > ", b"> ", b"refused> ", b"\r\n> "]);
    for output in [r"\r\nPassword: > ", "> ", "refused> ", ""] {
        assert_eq!(step(&mut sul, 0).expect("an output"), output);
    }
}
