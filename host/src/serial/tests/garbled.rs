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

#[test]
fn a_blank_may_be_shown_for_the_line_end() {
    let mut sul = console(&[b"open  ok\r\n> "]);
    assert_eq!(step(&mut sul, 0).expect("an output"), "  ok");
}

/// A garbled answer is no answer of its word, and the others are looked after as ever.
#[test]
fn a_word_with_a_garbled_answer_is_asked_again_where_something_came_after_it() {
    let asked_after = |second: &'static [&'static [u8]]| {
        let mut answers = [&b"opan\r\nok\r\n> "[..], b"close\r\nok\r\n> "]
            .into_iter()
            .chain(second.iter().copied());
        let mut asked = 0;
        let mut sul = sul(CONSOLE, move |deed| match deed {
            LinkAct::Sent(bytes) if bytes != b"reset\r" => {
                asked += 1;
                let answer: Reaction = vec![(1, answers.next().expect("an answer is left"))];
                let late: Reaction = if asked == 2 { vec![(1, b"more\r\n> ")] } else { vec![] };
                [answer, late].concat()
            }
            _ => Vec::new(),
        });
        sul.reset().expect("a reset");
        echo_error(&mut sul, 0);
        assert_eq!(step(&mut sul, 1).expect("an output"), "ok");
        assert!(sul.is_followed());
        (sul.reset(), sul.statistics().suspect_words)
    };
    let (same, suspect) = asked_after(&[b"open\r\nok\r\n> ", b"close\r\nok\r\n> "]);
    same.expect("it answers as before");
    assert_eq!(suspect, 1);
    let (other, _) = asked_after(&[b"open\r\nok\r\n> ", b"close\r\nbusy\r\n> "]);
    let LinkError::Suspect { word, inputs, why, .. } = other.expect_err("another answer") else {
        panic!("another error")
    };
    assert_eq!((word.as_str(), &*inputs), ("`open close`", &[0, 1][..]));
    assert!(why.ends_with("the reply to `close` was then `busy`, not `ok`"), "{why}");
}

#[test]
fn a_wrong_checksum_right_after_a_reset_makes_the_reset_doubtful() {
    let text = "[reply]\nquiet_ms = 5\nchecksum = \"sum8\"\n[inputs]\nread = \"r\"";
    let mut replies = [&b"\r\nMETER BL 1.2"[..], b"wrong"].into_iter();
    let mut sul = sul(text, move |deed| match deed {
        LinkAct::Sent(bytes) if bytes == b"r" => vec![(1, replies.next().expect("a reply"))],
        _ => Vec::new(),
    });
    let mut help = || {
        let error = step(&mut sul, 0).expect_err("a wrong checksum");
        miette::Diagnostic::help(&error).expect("what to do").to_string()
    };
    let first = help();
    assert!(first.starts_with("this is the first reply after a reset."), "{first}");
    assert!(first.contains("`quiet_ms`. Else: is `checksum` in [reply] right"), "{first}");
    // The answer to the first input counts as one, even though it was lost.
    assert_eq!(help().find("is `checksum` in [reply] right"), Some(0));
}
