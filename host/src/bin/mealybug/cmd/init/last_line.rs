//! The last line of replies that have several lines, where it tells that they are over.

use std::collections::BTreeSet;

use mealybug::draft::OwnEnd;
use mealybug::escape;

/// The most words that last lines may begin with.
const WORDS: usize = 6;
/// What ends the first word of a line: `ok`, `ACK [5@0]`, `error:2`.
const SEPARATORS: [char; 2] = [' ', ':'];
/// Stands for a number in a word, which may be another one tomorrow. A digit is no special character of patterns.
const ANY_NUMBER: char = '0';

/// A pattern for the last lines of the answers to what was sent: `ACK( .*)?|OK`.
///
/// `None` unless an answer of several lines and another answer, whose lines before the last are others, end with lines that
/// begin with the same word. The words at the end of other answers must look like this one: an answer of one line may be a
/// value, which is another one tomorrow. No such word may begin a line before the last one.
pub(super) fn last_line_pattern<'a>(
    answers: impl Iterator<Item = (&'a Vec<u8>, &'a Vec<u8>)>,
) -> Option<String> {
    let answers: Vec<Vec<&str>> =
        answers.filter_map(|(sent, answer)| lines_of(sent, answer)).collect();
    let ends: Vec<_> = answers.iter().filter_map(|lines| lines.split_last()).collect();
    let is_told = |&(last, before): &(&&str, &[&str])| {
        let ends_another =
            |other: &(&&str, &[&str])| word(other.0) == word(last) && other.1 != before;
        !before.is_empty() && ends.iter().any(ends_another)
    };
    let told: Vec<_> =
        ends.iter().filter(|end| is_told(end)).map(|end| shape(word(end.0))).collect();
    let mut words: Vec<_> = ends.iter().map(|(last, _)| any_number(word(last))).collect();
    words.sort_unstable();
    words.dedup();
    let mut before = ends.iter().flat_map(|(_, before)| *before);
    if !told.is_empty() || ends.iter().any(|(last, before)| announces_code(before, last)) {
        let code = codes_of(&ends);
        if code.is_some() {
            return code;
        }
    }
    if told.is_empty()
        || words.len() > WORDS
        || ends.iter().any(|(last, _)| !told.contains(&shape(word(last))))
        || before.any(|line| words.contains(&any_number(word(line))))
    {
        return None;
    }
    let patterns = words.iter().map(|first| {
        let own = ends.iter().filter(|(last, _)| any_number(word(last)) == *first);
        let follows: BTreeSet<char> =
            own.filter_map(|(last, _)| last[word(last).len()..].chars().next()).collect();
        let follows = match Vec::from_iter(follows)[..] {
            [] => String::new(),
            [one] => format!("({one}.*)?"),
            _ => format!("([{}].*)?", SEPARATORS.iter().collect::<String>()),
        };
        escape::pattern(first.as_bytes()).replace(ANY_NUMBER, r"\d+") + &follows
    });
    Some(patterns.collect::<Vec<_>>().join("|"))
}

/// A pattern for the last lines of answers, where each is a numbered reply: `250 ok`.
pub(super) fn code_pattern<'a>(
    answers: impl Iterator<Item = (&'a Vec<u8>, &'a Vec<u8>)>,
) -> Option<String> {
    let answers: Vec<Vec<&str>> =
        answers.filter_map(|(sent, answer)| lines_of(sent, answer)).collect();
    codes_of(&answers.iter().filter_map(|lines| lines.split_last()).collect::<Vec<_>>())
}

/// A pattern for numbered replies, where each answer ends with one and has none before: other numbers will come, too.
fn codes_of(ends: &[(&&str, &[&str])]) -> Option<String> {
    let are_codes = ends.iter().all(|(last, before)| {
        is_code(word(last)) && !before.iter().any(|line| is_code(word(line)))
    });
    (are_codes && !ends.is_empty()).then(|| r"\d\d\d( .*)?".to_owned())
}

/// Whether a word is the number of a reply, as in SMTP and FTP (RFC 5321, section 4.2).
fn is_code(word: &str) -> bool {
    word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the first line of an answer says that a line with the same number ends it: `214-Commands:` and `214 End`.
fn announces_code(before: &[&str], last: &str) -> bool {
    let goes_on =
        |first: &&str| first.strip_prefix(word(last)).is_some_and(|rest| rest.starts_with('-'));
    before.first().is_some_and(goes_on)
}

/// The last line of an answer, if it is a word without digits: another time, `hum 40 %` may be `hum 41 %`.
pub(super) fn whole_word(answer: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(answer).ok()?;
    let text = text.strip_suffix('\n')?;
    let last = text.strip_suffix('\r').unwrap_or(text).rsplit('\n').next()?;
    let is_fixed = |c: char| !c.is_whitespace() && !c.is_control() && !c.is_numeric();
    (!last.is_empty() && last.chars().all(is_fixed)).then(|| last.to_owned())
}

/// How an answer of several lines ends; `None` if it has one line, or has not ended. It ends with its last line where its first
/// one announces that, as in `BEGIN LIST UPS` … `END LIST UPS`: another time, the lines between them may be more.
pub(super) fn own_end(answer: &[u8]) -> Option<OwnEnd> {
    let lines = answer.iter().filter(|byte| **byte == b'\n').count();
    if lines < 2 || !answer.ends_with(b"\n") {
        return None;
    }
    let text = std::str::from_utf8(answer).unwrap_or_default().trim_end();
    let ends = [text.lines().next(), text.lines().last()];
    let [first, last] = ends.map(|line| line.and_then(|line| line.split_once(' ')));
    // `fan on` and `led on` are two lines of a list.
    let is_end = |end: &str| end.to_ascii_lowercase().starts_with("end");
    let announces = first
        .zip(last)
        .is_some_and(|((begin, what), (end, of))| begin != end && is_end(end) && what == of);
    Some(match text.lines().last().filter(|_| announces) {
        Some(last) => OwnEnd::LastLine(last.to_owned()),
        None => OwnEnd::Lines(lines),
    })
}

/// The lines of an answer, without the echo; `None` if it has not ended, or is no text.
fn lines_of<'a>(sent: &[u8], answer: &'a [u8]) -> Option<Vec<&'a str>> {
    let sent = sent.trim_ascii_end();
    let echo = answer.strip_prefix(sent).filter(|_| !sent.is_empty());
    let rest = echo.filter(|rest| rest.starts_with(b"\r") || rest.starts_with(b"\n"));
    let text = std::str::from_utf8(rest.unwrap_or(answer)).ok()?;
    let is_ended = text.ends_with('\n');
    is_ended.then(|| text.trim_end().lines().skip_while(|line| line.is_empty()).collect())
}

/// The first word of a line, with the separators before it. Digits before a colon are no word: they may be a clock.
fn word(line: &str) -> &str {
    let ends_word = |&(at, separator): &(usize, char)| {
        let mut before = line[..at].chars();
        SEPARATORS.contains(&separator)
            && before.any(|character| match separator {
                ':' => !character.is_ascii_digit() && !SEPARATORS.contains(&character),
                _ => !SEPARATORS.contains(&character),
            })
    };
    line.char_indices().find(ends_word).map_or(line, |(at, _)| &line[..at])
}

/// A word with [`ANY_NUMBER`] in place of each number: `T=21` and `T=5` are one word.
fn any_number(word: &str) -> String {
    let mut any = String::new();
    for character in word.chars() {
        match character.is_ascii_digit() {
            false => any.push(character),
            true if any.ends_with(ANY_NUMBER) => {}
            true => any.push(ANY_NUMBER),
        }
    }
    any
}

/// What kinds of characters a word has. The digits count, as in codes of three: `250` looks like `221`, `OK` like `ACK`.
fn shape(word: &str) -> String {
    let mut shape: Vec<char> = Vec::new();
    for character in word.chars() {
        let kind = match character {
            '0'..='9' => '0',
            _ if character.is_uppercase() => 'A',
            _ if character.is_alphabetic() => 'a',
            _ => '.',
        };
        if kind == '0' || shape.last() != Some(&kind) {
            shape.push(kind);
        }
    }
    shape.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_several_lines_ends_with_what_its_first_line_announces() {
        let last = |line: &str| Some(OwnEnd::LastLine(line.to_owned()));
        let list = "BEGIN LIST UPS\nUPS dummy \"one\"\nEND LIST UPS\n";
        assert_eq!(own_end(list.as_bytes()), last("END LIST UPS"));
        assert_eq!(own_end(b"BEGIN x\r\nEND x\r\n"), last("END x"));
        assert_eq!(own_end(b"VALUE k 0 5\r\nhello\r\nEND\r\n"), Some(OwnEnd::Lines(3)));
        assert_eq!(own_end(b"UPS a on\nUPS b on\n"), Some(OwnEnd::Lines(2)));
        assert_eq!(own_end(b"a on\na on\n"), Some(OwnEnd::Lines(2)));
        assert_eq!(own_end(b"fan on\nled on\n"), Some(OwnEnd::Lines(2)));
        assert_eq!(own_end(b"\xff\n\xfe\n"), Some(OwnEnd::Lines(2)));
        for one in [&b"OK\n"[..], b"", b"a\nb\n> "] {
            assert_eq!(own_end(one), None);
        }
    }

    fn found(answers: &[&str]) -> Option<String> {
        found_with_echo(&answers.iter().map(|answer| ("?", *answer)).collect::<Vec<_>>())
    }

    fn found_with_echo(answers: &[(&str, &str)]) -> Option<String> {
        let bytes =
            |&(sent, answer): &(&str, &str)| (sent.as_bytes().to_vec(), answer.as_bytes().to_vec());
        let answers: Vec<_> = answers.iter().map(bytes).collect();
        last_line_pattern(answers.iter().map(|(sent, answer)| (sent, answer)))
    }

    #[test]
    fn a_word_that_ends_answers_of_one_line_and_of_several_is_their_end() {
        let player = ["OK\n", "volume: 5\nstate: stop\nOK\n", "ACK [5@0] {} unknown\n"];
        assert_eq!(found(&player).as_deref(), Some("ACK( .*)?|OK"));
        let mail = ["250 fine\r\n", "250-SIZE 9\r\n250-HELP\r\n250 DSN\r\n", "221 bye\r\n"];
        assert_eq!(found(&mail).as_deref(), Some(r"\d\d\d( .*)?"), "other numbers come, too");
        let machine = ["ok\r\n", "$0=10\r\n$1=25\r\nok\r\n", "error:2\r\n"];
        assert_eq!(found(&machine).as_deref(), Some("error(:.*)?|ok"));
        let both = ["OK\n", "a 1\nOK\n", "ERROR: no\n", "ERROR\n", "ERROR 5\n"];
        assert_eq!(found(&both).as_deref(), Some("ERROR([ :].*)?|OK"));
        let prompts = ["a\r\n:OK\r\n", "b\r\n:OK 5\r\n", "c\r\n:ERR: no\r\n"];
        assert_eq!(found(&prompts).as_deref(), Some(":ERR(:.*)?|:OK( .*)?"));
        let with_blank = [player[0], player[1], "\r\n"];
        assert_eq!(found(&with_blank).as_deref(), Some("OK"), "a blank line tells nothing");
    }

    #[test]
    fn a_number_in_a_last_line_may_be_any_number() {
        let heated = ["T=21.4\n", "fan on\nT=21.4\n", "T=22.0 up\n"];
        assert_eq!(found(&heated).as_deref(), Some(r"T=\d+\.\d+( .*)?"));
        assert_eq!(found(&["0 ok\n", "a\n0 ok\n", "1 no\n"]).as_deref(), Some(r"\d+( .*)?"));
        // A line before the last one would end the reply.
        assert_eq!(found(&["T=21\n", "T=5\nT=21\n"]), None);
        // What stands behind the word may change.
        assert_eq!(found(&["ok T:21.4\n", "a 1\nok T:21.5\n"]).as_deref(), Some("ok( .*)?"));
        assert_eq!(found(&["ok T:21.4\n"]), None);
    }

    #[test]
    fn numbered_replies_end_with_any_number() {
        let any = Some(r"\d\d\d( .*)?");
        assert_eq!(found(&["214-Commands:\r\n HELO\r\n214 End\r\n"]).as_deref(), any);
        assert_eq!(found(&["214-a\r\n214 b\r\n", "250 ok\r\n", "354 go on\r\n"]).as_deref(), any);
        for other in [
            // Answers of one line may be values; so may `200 ok`, a line within an answer.
            &["250 ok\r\n", "221 bye\r\n"][..],
            &["214-a\r\n200 b\r\n214 c\r\n"],
            &["214-a\r\n215 b\r\n"],
            &["214 a\r\n214 b\r\n"],
            &["214-a\r\n214 b\r\n", "25\r\n"],
            &["2145-a\r\n2145 b\r\n"],
        ] {
            assert_eq!(found(other), None, "{other:?}");
        }
        let codes = |answers: &[&str]| {
            let bytes = |text: &&str| (b"?".to_vec(), text.as_bytes().to_vec());
            let answers: Vec<_> = answers.iter().map(bytes).collect();
            code_pattern(answers.iter().map(|(sent, answer)| (sent, answer)))
        };
        assert_eq!(codes(&["250 ok\r\n", "221\r\n"]).as_deref(), any);
        assert_eq!((codes(&["250 ok\r\n", "ok\r\n"]), codes(&[])), (None, None));
    }

    #[test]
    fn only_a_word_without_digits_is_likely_to_end_other_answers() {
        for word in ["ok", "can't", "+OK", "END"] {
            assert_eq!(whole_word(format!("a 1\r\n{word}\r\n").as_bytes()).as_deref(), Some(word));
        }
        for other in ["hum 40 %\r\n", "v1\n", "v 1\r\n\r\n", "ok\r\n\r\n", "ok", "o k\n", ""] {
            assert_eq!(whole_word(other.as_bytes()), None, "{other:?}");
        }
    }

    #[test]
    fn an_echo_is_no_line() {
        let switch =
            [("on\n", "on\r\nok\r\n"), ("off\n", "off\r\nok\r\n"), ("temp\n", "temp\r\n25.0\r\n")];
        assert_eq!(found_with_echo(&switch), None);
        let both = [("on\n", "on\r\nok\r\n"), ("list\n", "list\r\na 1\r\nb 2\r\nok\r\n")];
        assert_eq!(found_with_echo(&both).as_deref(), Some("ok"));
    }

    #[test]
    fn lines_that_tell_no_end_are_none() {
        for answers in [
            &["OK\n", "on\n", ""][..],
            // The end of this answer ends no other one.
            &["VALUE k 5\nhello\nEND\n", "OK\n"],
            // Each line begins so.
            &["+OK\n", "+OK 2\n+OK 1\n"],
            &["+OK 1\r\n1 120\r\n.\r\n", "+OK 2\r\nhello\r\n.\r\n", "+OK\r\n"],
            // It has not ended.
            &["OK\n", "a\nOK"],
            // A value, and the time.
            &["OK\n", "volume: 5\nOK\n", "25.0\n"],
            &["OK\n", "volume: 5\nOK\n", "12:00:01\n"],
            &["a\n12:00:01\n", "b\n12:00:05\n", "c\n17:00:01\n"],
            // The same table twice.
            &["x 1\ny 2\n", "x 1\ny 2\n", "on\n"],
            // More words than errors have.
            &["OK\n", "a\nOK\n", "A\n", "B\n", "C\n", "D\n", "E\n", "F\n"],
        ] {
            assert_eq!(found(answers), None, "{answers:?}");
        }
    }
}
