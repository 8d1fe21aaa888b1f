//! Files of words: one word per line, names of inputs separated by blanks (see [`word`]).
//!
//! Empty lines are ignored, and so is everything after a tabulator. A line that begins with `#` and a blank, or is `#`
//! alone, is a comment; an input whose name begins with `#` is written in quotes.
//! The transcript of a run has the answers there, so it can be read as a file of words.

use mealybug_core::Input;
use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

use crate::learned_components::output_name;
use crate::store::{AnswerTree, NodeId};
use crate::word::{self, UnknownInput};

/// A file of words names an input that does not exist.
#[derive(Debug, Error, Diagnostic)]
#[error("{unknown}")]
#[diagnostic(help("{}", advice(unknown)))]
pub struct WordsError {
    /// Not a source: what it says is all that there is to say.
    unknown: UnknownInput,
    #[source_code]
    text: NamedSource<String>,
    #[label("no input")]
    place: SourceSpan,
}

fn advice(unknown: &UnknownInput) -> String {
    if unknown.text.starts_with('#') {
        return "a comment has a blank after its `#`".to_owned();
    }
    unknown.help().map(|help| help.to_string()).unwrap_or_default()
}

/// Reads the words in `text`; `name` is the name of the file.
///
/// # Errors
/// A word names an input that does not exist.
pub fn parse(
    name: &str,
    text: &str,
    inputs: &[String],
) -> Result<Vec<Vec<Input>>, Box<WordsError>> {
    let mut words = Vec::new();
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.split('\t').next().unwrap_or_default().trim();
        if !line.is_empty() && !is_comment(line) {
            words.push(word::parse(line, inputs).map_err(|unknown| {
                let at = whole.find(&unknown.text).unwrap_or(0);
                let place = (start + at, unknown.text.len()).into();
                let text = NamedSource::new(name, text.to_owned());
                Box::new(WordsError { unknown, text, place })
            })?);
        }
        start += whole.len();
    }
    Ok(words)
}

fn is_comment(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Writes what a device was asked and answered: each word once, in the order in which they were
/// asked, without words that are beginnings of others; then the contradictions.
pub fn transcript(tree: &AnswerTree, inputs: &[String]) -> String {
    let mut text =
        String::from("# Each line is a word and, after a tabulator, the answers to it.\n");
    let mut is_believed = vec![true];
    let mut contested = Vec::new();
    for node in tree.nodes() {
        let (before, _) = tree.origin(node);
        let believed = is_believed[before.index()] && tree.is_believed(node);
        is_believed.push(believed);
        let goes_on = tree.answers(node).any(|(_, next)| tree.was_said(next));
        if believed && tree.was_said(node) && !goes_on {
            let answers = tree.path(node);
            let answers = answers.iter().map(|&node| word::quote(&output_name(tree.output(node))));
            text.push_str(&word::format(&tree.word(node), inputs));
            text.push('\t');
            text.push_str(&answers.collect::<Vec<_>>().join(" "));
            text.push('\n');
        }
        if believed && tree.alternatives(node).count() > 1 {
            contested.push(node);
        }
    }
    if !contested.is_empty() {
        text.push_str("\n# Words whose last input was answered otherwise, too, and how often:\n");
    }
    for node in contested {
        text.push_str(&contradiction(tree, node, inputs));
    }
    text
}

fn contradiction(tree: &AnswerTree, node: NodeId, inputs: &[String]) -> String {
    let answers = tree.alternatives(node);
    let answers = answers.map(|(output, votes)| {
        let output = word::quote(&output_name(output));
        format!("{output} x{votes}")
    });
    let word = word::format(&tree.word(node), inputs);
    format!("{word}\t{}\n", answers.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["press", "hold it"].map(str::to_owned).into()
    }

    #[test]
    fn words_are_lines_and_answers_are_not_read() {
        let text = "# a comment\n\npress hold it\r\n  press press\tpress on\nhold it";
        let words = parse("words.txt", text, &names()).expect("they are inputs");
        let [press, hold] = [0, 1].map(Input::new);
        assert_eq!(words, [vec![press, hold], vec![press, press], vec![hold]]);
    }

    #[test]
    fn what_is_no_input_is_pointed_at() {
        let text = "press\nhold it prass\n";
        let error = parse("words.txt", text, &names()).expect_err("a slip");
        assert_eq!(error.to_string(), "there is no input `prass`: did you mean `press`?");
        assert_eq!(&text[error.place.offset()..][..error.place.len()], "prass");
    }

    /// An input such as `#1` of a telephone is no comment.
    #[test]
    fn an_input_may_begin_as_a_comment_does() {
        let names = ["#1", "# 2", "#", "press"].map(str::to_owned);
        let mut tree = AnswerTree::default();
        for input in (0..4).map(Input::new) {
            tree.observe(NodeId::ROOT, input, b"beep", 0);
        }
        let text = transcript(&tree, &names);
        assert!(text.ends_with("'#1'\tbeep\n'# 2'\tbeep\n'#'\tbeep\npress\tbeep\n"), "{text}");
        let words = parse("transcript.txt", &text, &names).expect("it is one");
        assert_eq!(words, [0, 1, 2, 3].map(|input| vec![Input::new(input)]));
        let words = parse("words.txt", "#1 press\n# 2\n#\n  # press\n", &names);
        assert_eq!(words.expect("a word"), [[0, 3].map(Input::new)]);
        let error = parse("words.txt", "press\n#3\n", &names).expect_err("no input");
        assert!(error.to_string().starts_with("there is no input `#3`"), "{error}");
        let help = error.help().map(|help| help.to_string());
        assert_eq!(help.as_deref(), Some("a comment has a blank after its `#`"));
    }

    #[test]
    fn a_transcript_is_a_file_of_words() {
        let [press, hold] = [0, 1].map(Input::new);
        let mut tree = AnswerTree::default();
        let wrong = tree.observe(NodeId::ROOT, press, b"off", 0).node;
        tree.observe(wrong, hold, b"lost", 0);
        let on = tree.observe(NodeId::ROOT, press, b"on", 0).node;
        tree.observe(NodeId::ROOT, press, b"on", 0);
        tree.observe(on, press, b"is off", 0);
        tree.observe(NodeId::ROOT, hold, b"\xff", 0);
        let text = transcript(&tree, &names());
        let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let expected = ["press press\ton 'is off'", "'hold it'\t\\xff", "", "press\ton x2, off x1"];
        assert_eq!(lines, expected);
        let words = parse("transcript.txt", &text, &names()).expect("it is one");
        assert_eq!(words, [vec![press, press], vec![hold], vec![press]]);
    }
}
