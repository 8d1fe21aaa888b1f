//! The last line of replies that have several lines, where it tells that they are over.

use mealybug::escape;

/// The most words that last lines may begin with.
const WORDS: usize = 6;

/// A pattern for the last lines of these answers: `ACK( .*)?|OK`. `None` unless an answer of several lines ends with a line
/// that begins with the same word as that of another answer, and no such word begins a line before the last one.
pub(super) fn last_line_pattern<'a>(answers: impl Iterator<Item = &'a Vec<u8>>) -> Option<String> {
    let answers = answers.filter_map(|answer| std::str::from_utf8(answer).ok());
    let answers: Vec<Vec<&str>> = answers
        .filter(|answer| answer.ends_with('\n'))
        .map(|answer| answer.trim_end().lines().collect())
        .collect();
    let word = |line: &str| line.split(' ').next().unwrap_or(line).to_owned();
    let last = |answer: &Vec<&str>| answer.last().map(|line| word(line));
    let mut words: Vec<_> = answers.iter().filter_map(last).collect();
    let is_told = |answer: &Vec<&str>| {
        let same = words.iter().filter(|word| last(answer).as_ref() == Some(word)).count();
        answer.len() > 1 && same > 1
    };
    if !answers.iter().any(is_told) {
        return None;
    }
    words.sort();
    words.dedup();
    let mut before = answers.iter().flat_map(|answer| &answer[..answer.len() - 1]);
    if words.len() > WORDS || before.any(|line| words.contains(&word(line))) {
        return None;
    }
    let patterns = words.iter().map(|word| {
        let mut lines = answers.iter().filter_map(|answer| answer.last());
        let is_alone = lines.all(|line| line == word || !line.starts_with(&format!("{word} ")));
        escape::pattern(word.as_bytes()) + if is_alone { "" } else { "( .*)?" }
    });
    Some(patterns.collect::<Vec<_>>().join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(answers: &[&str]) -> Option<String> {
        let answers: Vec<_> = answers.iter().map(|answer| answer.as_bytes().to_vec()).collect();
        last_line_pattern(answers.iter())
    }

    #[test]
    fn a_word_that_ends_answers_of_one_line_and_of_several_is_their_end() {
        let player = ["OK\n", "volume: 5\nstate: stop\nOK\n", "ACK [5@0] {} unknown\n"];
        assert_eq!(found(&player).as_deref(), Some("ACK( .*)?|OK"));
        let mail = ["250 fine\r\n", "250-SIZE 9\r\n250-HELP\r\n250 DSN\r\n", "221 bye\r\n"];
        assert_eq!(found(&mail).as_deref(), Some("221( .*)?|250( .*)?"));
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
        ] {
            assert_eq!(found(answers), None, "{answers:?}");
        }
    }
}
