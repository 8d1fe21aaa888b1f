//! Lines on top of replies, in their place, and in resets.

use std::time::Duration;

use super::*;

/// Exchanges: the word, the reply, what came late, and the input before if it was silent.
fn kept(exchanges: &[(&[u32], &str, &str, Option<u32>)]) -> Vec<KeptExchange> {
    let pieces = |text: &str| match text {
        "" => Vec::new(),
        text => vec![(Duration::ZERO, text.as_bytes().to_vec())],
    };
    let mut all = Vec::new();
    for &(word, reply, late, awaited) in exchanges {
        let (reply, late) = (pieces(reply), pieces(late));
        let exchange = ObservedExchange { reply, late, ..ObservedExchange::default() };
        let word: Vec<_> = word.iter().copied().map(Input::new).collect();
        let rule = ReplySection::default();
        all.push(match word.is_empty() {
            true => KeptExchange::after_reset(all.last(), exchange, &rule),
            false => KeptExchange::new(word, exchange, awaited.map(Input::new), &rule),
        });
    }
    all
}

#[test]
fn a_line_that_comes_in_the_words_of_one_input_only_may_be_of_its_answer() {
    let follows = |lines: [&'static str; 4]| {
        let mut all: Vec<(&[u32], &str, &str, Option<u32>)> = Vec::new();
        for _ in 0..9 {
            all.extend([(&[0][..], "ok\r\n", "", None), (&[1], "no\r\n", "", None)]);
            all.extend([(&[2, 0][..], "ok\r\n", "", None), (&[2, 1], "no\r\n", "", None)]);
        }
        let [late, between, at_reset, other] = lines;
        all.extend([(&[2, 0][..], late, "", None), (&[2, 0], between, "", None)]);
        all.extend([(&[2, 1][..], "SENT 4\r\nno\r\n", "", None)]);
        all.extend([(&[][..], "", at_reset, None), (&[0], other, "", None)]);
        // What else was asked has nothing to do with it.
        all.extend([(&[1][..], "no\r\n", "", None); 300]);
        let found = unasked_lines(&kept(&all));
        let [line] = &found[..] else { panic!("{found:?}") };
        assert_eq!((&*line.pattern, line.is_of_its_answer), (r"SENT \d+\r?\n", false));
        line.follows
    };
    let after_2 = ["SENT 4\r\nok\r\n", "SENT 4\r\nok\r\n", "", "ok\r\n"];
    assert_eq!(follows(after_2), Some(2));
    let then_reset = ["SENT 4\r\nok\r\n", "SENT 4\r\nok\r\n", "SENT 4\r\n", "ok\r\n"];
    assert_eq!(follows(then_reset), Some(2));
    let anywhere = ["SENT 4\r\nok\r\n", "ok\r\n", "", "SENT 4\r\nok\r\n"];
    assert_eq!(follows(anywhere), None);
}

#[test]
fn a_line_of_the_usual_answer_to_an_input_is_of_that_input_though_another_is_rarer() {
    let mut all: Vec<(&[u32], &str, &str, Option<u32>)> = Vec::new();
    for _ in 0..9 {
        all.extend([(&[0][..], "busy\r\n", "", None), (&[1], "no\r\n", "", None)]);
        all.extend([(&[2][..], "ok\r\njoined\r\n", "", None)]);
    }
    for _ in 0..3 {
        all.extend([(&[2, 3][..], "ok\r\n", "", None), (&[2, 3, 0], "busy\r\n", "", None)]);
        all.extend([(&[2, 3, 1][..], "no\r\n", "", None)]);
    }
    all.extend([(&[2, 3, 0][..], "joined\r\nbusy\r\n", "", None)]);
    all.extend([(&[2, 3, 1][..], "joined\r\nno\r\n", "", None); 2]);
    let found = unasked_lines(&kept(&all));
    let [line] = &found[..] else { panic!("{found:?}") };
    assert_eq!((line.follows, line.is_of_its_answer), (Some(2), true));
}

#[test]
fn a_line_on_top_of_replies_and_after_them_is_found() {
    let found = unasked_lines(&kept(&[
        (&[0], "ok 1\r\n", "", None),
        (&[0], "!TEMP 23.1\r\nok 2\r\n", "", None),
        (&[0], "ok 3\r\n", "", None),
        // The reply ended with the line.
        (&[0], "!TEMP 23.1\r\n", "ok 4\r\n", None),
        (&[1], "", "", None),
        (&[1], "!TEMP 9.5\r\n", "", None),
        (&[0, 1], "", "", None),
        (&[0, 1], "", "!TEMP 23.4\r\n", None),
    ]));
    let [line] = &found[..] else { panic!("{found:?}") };
    assert_eq!(line.pattern, r"!TEMP \d+\.\d+\r?\n");
    assert_eq!(line.example, b"!TEMP 23.1");
    assert_eq!((line.inputs.len(), line.times), (2, 4));
}

#[test]
fn a_blank_line_before_each_is_taken_out_with_it() {
    let strip = |alone: &str| {
        let found = unasked_lines(&kept(&[
            (&[0], "\r\nok 1\r\n", "", None),
            (&[0], "\r\nRING\r\n\r\nok 2\r\n", "", None),
            (&[0], "\r\nok 3\r\n", "", None),
            (&[0], "\r\nok 4\r\n\r\nRING\r\n", "", None),
            (&[1], "", "", None),
            (&[1], alone, "", None),
            (&[0, 1], "", "", None),
            (&[0, 1], "", "\r\nRING\r\n", None),
        ]));
        let [line] = &found[..] else { panic!("{found:?}") };
        line.strip()
    };
    assert_eq!(strip("\r\nRING\r\n"), r"\r?\nRING\r?\n");
    // Not before each.
    assert_eq!(strip("RING\r\n"), r"RING\r?\n");
}

#[test]
fn lines_may_end_with_returns_alone() {
    let all = [
        (&[0][..], "\r", "", None),
        (&[0], "t100211\r", "\r", None),
        (&[0], "\r", "", None),
        (&[1], "V10\r", "", None),
        (&[1], "V10\rt100291\r", "", None),
        (&[1], "V10\r", "", None),
        (&[], "", "t100235\r", None),
    ];
    let found = unasked_lines(&kept(&all));
    let [line] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&*line.pattern, line.times), (r"t\d+\r", 3));
    assert_eq!(line.whole(), b"t100235\r");
    // Where any line ends with `\n`, a return ends none.
    let with = [&all[..], &[(&[2], "ok\r\n", "", None)]].concat();
    assert_eq!(unasked_lines(&kept(&with)), []);
}

#[test]
fn a_line_in_place_of_a_reply_is_found_where_that_comes_after_the_next_input() {
    let usual: &[(&[u32], &str, &str, Option<u32>)] = &[
        (&[0], "on\r\n", "", None),
        (&[0, 1], "ok\r\n", "", None),
        (&[1], "off\r\n", "", None),
        (&[1, 0], "no\r\n", "", None),
    ];
    let shifted: &[(&[u32], &str, &str, Option<u32>)] = &[
        (&[0], "#T 9\r\n", "", None),
        (&[0, 1], "on\r\n", "ok\r\n", None),
        (&[1], "#T 12\r\n", "", None),
        (&[1, 0], "off\r\n", "", None),
        // After a reset.
        (&[], "", "#T 13\r\n", None),
    ];
    let found = unasked_lines(&kept(&[usual, usual, shifted].concat()));
    let [line] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&*line.pattern, line.times), (r"#T \d+\r?\n", 3));
    assert_eq!(unasked_lines(&kept(&[usual, usual].concat())), []);
}

#[test]
fn lines_in_resets_count_but_for_those_that_each_reset_says() {
    let said = |pieces: &[&str]| {
        let rule = ReplySection::default();
        let mut all = kept(&[(&[0], "ok\r\n", "", None), (&[0], "ok\r\n", "RX 5\r\n", None)]);
        for text in pieces {
            let late = vec![(Duration::ZERO, text.as_bytes().to_vec())];
            let exchange = ObservedExchange { late, ..ObservedExchange::default() };
            all.push(KeptExchange::reset(all.last(), exchange, &rule));
        }
        unasked_lines(&all).into_iter().map(|line| line.pattern).collect::<Vec<_>>()
    };
    let boot = "BOOT 7\r\nready\r\n";
    let beside = ["BOOT 7\r\nRX 1\r\nready\r\n", "BOOT 7\r\nready\r\nRX 2\r\n"];
    assert_eq!(said(&[boot, boot, beside[0], boot, beside[1]]), [r"RX \d+\r?\n"]);
    assert!(said(&[boot; 5]).is_empty(), "each reset says that");
    // No pattern fits what each reset says: one for all three lines would.
    let (alike, others) = ("RX boot\r\n", ["RX boot\r\nRX 1 A\r\n", "RX 2\r\nRX boot\r\n"]);
    assert!(said(&[alike, alike, others[0], alike, others[1]]).is_empty());
}

#[test]
fn a_line_before_a_frame_is_found() {
    let frame = "\u{11}\u{3}AB";
    let with = format!("T=3.5C\r\n{frame}");
    let of = |input: u32, text: &str| kept(&[(&[input], text, "", None)]);
    let all = [
        of(0, frame),
        of(0, frame),
        of(0, &with),
        of(1, frame),
        of(1, frame),
        of(1, &with),
        of(0, &with),
    ];
    let found = unasked_lines(&all.concat());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].pattern, r"T=\d+\.\d+C\r?\n");
}

#[test]
fn the_lines_that_a_receiver_says_each_second_are_a_pattern_for_each_kind() {
    let burst = |second: u32, sum: &str| {
        format!(
            "$GPGGA,0{second}.1,{},N*{sum}\r\n$GPVTG,0.00,T*32\r\n",
            if sum == "AE" { "E" } else { "" }
        )
    };
    let with = |sum, answer: &str| burst(3, sum) + answer;
    let (one, two, three) = (with("4D", "$ok,1\r\n"), with("30", "$on,2\r\n"), with("AE", ""));
    let found = unasked_lines(&kept(&[
        (&[0], "$ok,1\r\n", "", None),
        (&[0], "$ok,1\r\n", "", None),
        (&[0], "$ok,1\r\n", "", None),
        (&[0], &one, "", None),
        (&[1], "$on,2\r\n", "", None),
        (&[1], "$on,2\r\n", "", None),
        (&[1], &two, "", None),
        (&[], "", &three, None),
    ]));
    let patterns: BTreeSet<_> = found.iter().map(|line| &*line.pattern).collect();
    let expected = [r"\$GPGGA[^\r\n]*\r?\n", r"\$GPVTG,\d+\.\d+,T\*[0-9A-Fa-f]+\r?\n"];
    assert_eq!(patterns, BTreeSet::from(expected), "{found:#?}");
}

#[test]
fn other_replies_and_late_answers_are_none() {
    // A reset that leaves something: `busy` comes instead of what belongs there.
    let instead: &[(&[u32], &str, &str, Option<u32>)] = &[
        (&[0], "ok\r\n", "", None),
        (&[0], "busy\r\n", "", None),
        (&[1], "", "", None),
        (&[1], "busy\r\n", "", None),
        (&[2], "on\r\n", "", None),
        (&[2], "busy\r\n", "", None),
    ];
    // The answer to input 0 comes after the next one.
    let late: &[(&[u32], &str, &str, Option<u32>)] = &[
        (&[0, 1], "done\r\n", "", Some(0)),
        (&[0, 1], "", "", Some(0)),
        (&[0, 2], "done\r\non\r\n", "", Some(0)),
        (&[0, 2], "on\r\n", "", Some(0)),
        (&[0, 3], "off\r\n", "done\r\n", Some(0)),
    ];
    for exchanges in [instead, late] {
        assert_eq!(unasked_lines(&kept(exchanges)), []);
    }
}
