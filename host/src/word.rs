//! Words as people write them: names of inputs, separated by blanks.
//!
//! Names may contain blanks (`setenv a 1`). The longest name that fits is taken, and a name may
//! stand in single or double quotes. So `a b` is the input `a b` if there is one, and `'a' b` is
//! always two inputs.

use mealybug_core::Input;
use miette::Diagnostic;
use thiserror::Error;

/// A text names an input that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("there is no input `{text}`{}", did_you_mean(nearest.as_deref()))]
#[diagnostic(help("the inputs are {known}"))]
pub struct UnknownInput {
    /// The part of the text that is not a name.
    pub text: String,
    /// The most similar name, if one is similar enough.
    pub nearest: Option<String>,
    known: String,
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

/// The least similarity of a name that is suggested.
const LIKENESS: f64 = 0.7;

/// How many names to list.
const LISTED: usize = 20;

/// Reads a word.
///
/// ```
/// use mealybug::word;
///
/// let names = ["help", "setenv a 1"].map(str::to_owned);
/// let inputs = word::parse("help setenv a 1 'help'", &names)?;
/// assert_eq!(word::format(&inputs, &names), "help 'setenv a 1' help");
/// # Ok::<(), word::UnknownInput>(())
/// ```
///
/// # Errors
/// The text names an input that does not exist.
pub fn parse(text: &str, names: &[String]) -> Result<Vec<Input>, UnknownInput> {
    let mut word = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (index, len) =
            quoted(rest, names).or_else(|| longest(rest, names)).ok_or_else(|| {
                let text = rest.split_whitespace().next().unwrap_or(rest);
                UnknownInput::new(text, names)
            })?;
        word.push(index);
        rest = rest[len..].trim_start();
    }
    Ok(word)
}

/// Writes a word so that [`parse`] reads it.
pub fn format(word: &[Input], names: &[String]) -> String {
    let written = |quote: fn(&str) -> String| {
        let names = word.iter().map(|input| match names.get(input.index() as usize) {
            Some(name) => quote(name),
            None => format!("?{}", input.index()),
        });
        names.collect::<Vec<_>>().join(" ")
    };
    let text = written(quote);
    // Adjacent names may read as one longer name.
    if parse(&text, names).as_deref() == Ok(word) { text } else { written(in_quotes) }
}

/// Writes a name as it can stand in a word, with quotes if necessary. A `#` would begin a comment in a
/// [file of words](crate::words).
pub fn quote(name: &str) -> String {
    let is_plain = !name.is_empty()
        && !name.starts_with('#')
        && !name.contains(|c: char| c.is_whitespace() || "'\"".contains(c));
    if is_plain { name.to_owned() } else { in_quotes(name) }
}

fn in_quotes(name: &str) -> String {
    if name.contains('\'') { format!("\"{name}\"") } else { format!("'{name}'") }
}

impl UnknownInput {
    /// The error for a `text` that is not one of `names`.
    pub fn new(text: &str, names: &[String]) -> Self {
        let nearest = nearest(text, names).cloned();
        let mut known: Vec<_> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
        if names.len() > LISTED {
            known.push(format!("{} more", names.len() - LISTED));
        }
        Self { text: text.to_owned(), nearest, known: known.join(", ") }
    }
}

/// The name that is most similar to `text`, if one is similar enough.
pub(crate) fn nearest<'n>(text: &str, names: &'n [String]) -> Option<&'n String> {
    names
        .iter()
        .map(|name| (strsim::jaro_winkler(name, text), name))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .filter(|(likeness, _)| *likeness > LIKENESS)
        .map(|(_, name)| name)
}

/// The input whose quoted name begins `text`, and the length of the quoted name.
fn quoted(text: &str, names: &[String]) -> Option<(Input, usize)> {
    let quote = text.chars().next().filter(|quote| "'\"".contains(*quote))?;
    let fits = |name: &str| {
        let rest = text[1..].strip_prefix(name)?.strip_prefix(quote)?;
        ends(rest).then_some(name.len() + 2)
    };
    find(names, fits)
}

/// The input with the longest name that begins `text`, and the length of the name.
fn longest(text: &str, names: &[String]) -> Option<(Input, usize)> {
    find(names, |name| {
        let rest = text.strip_prefix(name).filter(|_| !name.is_empty())?;
        ends(rest).then_some(name.len())
    })
}

fn ends(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(char::is_whitespace)
}

/// The input with the longest name that fits, and that length.
fn find(names: &[String], fits: impl Fn(&str) -> Option<usize>) -> Option<(Input, usize)> {
    let fitting = (0..).zip(names).filter_map(|(at, name)| Some((Input::new(at), fits(name)?)));
    fitting.max_by_key(|(_, len)| *len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_with_blanks_and_quotes_come_back() {
        let names = names(&["a", "b", "a b", "", "it's", "'a'", "say \"x\"", " ", "é"]);
        for first in 0..9 {
            for second in 0..9 {
                let word = [first, second].map(Input::new);
                let text = format(&word, &names);
                assert_eq!(parse(&text, &names).as_deref(), Ok(&word[..]), "{text}");
            }
        }
    }

    #[test]
    fn the_longest_name_is_meant() {
        let names = names(&["a", "b", "a b"]);
        let numbers = |text| {
            let word = parse(text, &names).expect("a word");
            word.iter().map(|input| input.index()).collect::<Vec<_>>()
        };
        assert_eq!(numbers(" a b  a  b "), [2, 0, 1]);
        assert_eq!(numbers("'a' b"), [0, 1]);
        assert!(numbers("").is_empty());
    }

    #[test]
    fn what_is_no_input_is_told_with_the_nearest() {
        let names = names(&["open", "close"]);
        let error = parse("open clsoe open", &names).expect_err("a slip");
        assert_eq!(error.to_string(), "there is no input `clsoe`: did you mean `close`?");
        let error = parse("xyzzy", &names).expect_err("nothing like it");
        assert_eq!((error.text.as_str(), error.nearest), ("xyzzy", None));
        assert!(parse("openclose", &names).is_err());
    }
}
