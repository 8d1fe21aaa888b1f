//! Compares what a device answers to lines with different ends.
//!
//! A device that wants `\r\n` may answer a line that ends with `\n` with an error, as it does any wrong line. Both answers
//! are readable, so a person must choose. What is proposed is an answer that an empty line does not get, too.
//!
//! Nothing is to be chosen where a device ignores a line end, or answers the same. Nor where it takes `\r\n` for two line
//! ends, and adds its answer to an empty line.

use std::io;
use std::sync::LazyLock;
use std::time::Duration;

use regex::bytes::Regex;

use super::{
    LINE_ENDS, LineAnswer, Talk, TalkSearch, connect_for_another_end, is_silence, without_echo,
    without_escapes,
};
use crate::serial::link::TimedLink;
use crate::serial::noise::is_readable;

const CRLF: &str = "\r\n";
const LF: &str = "\n";

impl TalkSearch {
    /// Sends the line with the ends that come after the one that the device answered, and chooses between the answers.
    pub(super) fn try_other_ends(
        &mut self,
        link: &mut impl TimedLink,
        line: &str,
        settle: Duration,
        talk: &mut Talk,
    ) -> io::Result<()> {
        let Talk { baud, line_end: first, pause, .. } = *talk;
        let known = essence(&talk.answer, line);
        let mut answers = vec![LineAnswer { baud, line_end: first, answer: talk.answer.clone() }];
        for line_end in LINE_ENDS.into_iter().skip_while(|end| *end != first).skip(1) {
            connect_for_another_end(link, settle)?;
            let mut heard = self.ask(link, baud, line, line_end, pause)?;
            if !is_silence(&heard, line) && essence(&heard, line) != known {
                // The line before, with another end, may still have been in the device's line buffer.
                heard = self.ask(link, baud, line, line_end, pause)?;
            }
            let answer = without_escapes(without_echo(&heard, line).1).into_owned();
            if !is_silence(&heard, line) && is_readable(&answer) {
                answers.push(LineAnswer { baud, line_end, answer });
            }
        }
        let tried = LINE_ENDS.len() - LINE_ENDS.iter().take_while(|end| **end != first).count();
        let is_known = |answer: &LineAnswer| essence(&answer.answer, line) == known;
        if answers.iter().all(is_known) {
            // Servers may take other ends for a command, but not for what follows it, such as a mail: they want their own.
            let own = [CRLF, LF].into_iter().find(|end| talk.answer.ends_with(end.as_bytes()));
            let own = own.filter(|own| answers.iter().any(|answer| answer.line_end == *own));
            talk.line_end = own.filter(|_| !link.has_baud()).unwrap_or(talk.line_end);
            if answers.len() == tried {
                return Ok(());
            }
        } else {
            self.choose(link, line, talk, answers)?;
        }
        // What other ends have left in the line buffer must not become a part of the next line.
        connect_for_another_end(link, settle)?;
        self.ask(link, baud, "", talk.line_end, pause).map(|_| ())
    }

    /// Chooses the first line end whose answer is not that to an empty line; `\r\n` before others.
    fn choose(
        &mut self,
        link: &mut impl TimedLink,
        line: &str,
        talk: &mut Talk,
        answers: Vec<LineAnswer>,
    ) -> io::Result<()> {
        let mut empties = Vec::new();
        for LineAnswer { line_end, .. } in &answers {
            // The first empty line ends what is in the line buffer.
            self.ask(link, talk.baud, "", line_end, talk.pause)?;
            empties.push(essence(&self.ask(link, talk.baud, "", line_end, talk.pause)?, line));
        }
        let known = essence(&talk.answer, line);
        // The answer to an empty line behind it; or its own end again, which may be what an empty line gets.
        let is_doubled = |said: &str| {
            let rest = said.strip_prefix(&known).and_then(|rest| rest.strip_prefix(' '));
            rest.is_some_and(|rest| {
                rest == empties[0] || known.strip_suffix(rest).is_some_and(ends_a_word)
            })
        };
        let mut others = Vec::new();
        for (answer, empty) in answers.into_iter().zip(&empties) {
            let said = essence(&answer.answer, line);
            if !is_doubled(&said) {
                others.push((said == *empty, answer.line_end != CRLF, said, answer));
            }
        }
        if others.iter().all(|(_, _, said, _)| *said == known) {
            return Ok(());
        }
        others.sort_by_key(|(is_unlikely, is_other, ..)| (*is_unlikely, *is_other));
        let mut others: Vec<_> = others.into_iter().map(|(.., answer)| answer).collect();
        LineAnswer { line_end: talk.line_end, answer: talk.answer, .. } = others.remove(0);
        talk.others = others;
        Ok(())
    }
}

/// Whether a text ends where a word may begin.
fn ends_a_word(text: &str) -> bool {
    text.is_empty() || text.ends_with(' ')
}

/// What of an answer stays the same from one time to the next: neither an echo of the line, nor blanks, nor numbers.
fn essence(answer: &[u8], line: &str) -> String {
    static NUMBER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("0x[0-9A-Fa-f]+|[0-9]+").expect("the pattern of a test"));
    let text = without_escapes(answer);
    let text = String::from_utf8_lossy(&text);
    let text = if line.is_empty() { text.into_owned() } else { text.replace(line, " ") };
    let text = NUMBER.replace_all(text.as_bytes(), &b"0"[..]);
    let words: Vec<_> =
        text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    String::from_utf8_lossy(&words.join(&b' ')).into_owned()
}
