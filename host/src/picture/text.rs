//! The size of text, and the limits that keep labels short.
//!
//! The reader's fonts are unknown, so the picture asks for a monospaced one. Its width follows from
//! the number of columns to within about 1 %.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::iter;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::export::{shown, wrapped};

/// The height of a line.
pub(super) const LINE: f64 = 14.0;

/// The width of a column in labels, rounded up.
const COLUMN: f64 = 6.75;

/// The maximum width of a name, in columns.
const MAX_NAME: usize = 26;
/// The maximum width of a name in a short label.
const MAX_SHORT_NAME: usize = 13;
/// The maximum width of a line of inputs, in columns.
const MAX_LINE: usize = 30;
/// The maximum number of lines in a label.
const MAX_LINES: usize = 8;
/// The maximum number of lines for inputs that were never asked. Fewer suffice, as all mean the
/// same.
const MAX_UNKNOWN_LINES: usize = 3;

/// The width of a line.
pub(super) fn width(line: &str) -> f64 {
    u16::try_from(line.width()).map_or(f64::from(u16::MAX), f64::from) * COLUMN
}

/// The shortened forms of names that would all become one if the middle of each were left out.
#[derive(Debug, Default)]
pub(super) struct ShortNames(HashMap<(usize, String), String>);

impl ShortNames {
    /// The forms of all names of a picture.
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let names: BTreeSet<_> = names.collect();
        let mut forms = HashMap::new();
        for columns in [MAX_NAME, MAX_SHORT_NAME] {
            let mut alike: BTreeMap<_, Vec<_>> = BTreeMap::new();
            for name in &names {
                alike.entry(shortened(name, columns)).or_default().push(*name);
            }
            let mut used: HashSet<_> = alike.keys().cloned().collect();
            for names in alike.into_values().filter(|names| names.len() > 1) {
                for (name, form) in names.iter().zip(parted_names(&names, columns)) {
                    let numbered = (1..).map(|number| numbered(name, number, columns));
                    let mut all = iter::once(form).chain(numbered);
                    let form = all.find(|form| used.insert(form.clone()));
                    let form = form.expect("there are more numbers than names");
                    forms.insert((columns, (*name).to_owned()), form);
                }
            }
        }
        Self(forms)
    }

    /// The form of a name that fits into `columns`.
    fn form(&self, name: &str, columns: usize) -> String {
        let known = self.0.get(&(columns, name.to_owned()));
        known.cloned().unwrap_or_else(|| shortened(name, columns))
    }
}

/// Shortens sorted names: the start, then the text from where a name differs from its most similar one. If two become equal,
/// all show two places instead: where the group first differs, and where the name differs from its most similar one.
fn parted_names(names: &[&str], columns: usize) -> Vec<String> {
    let [first, .., last] = names else { return Vec::new() };
    let same_in_all = same_start(first, last);
    let same = |at: usize| {
        // Names that are most alike stand next to each other.
        let others = [at.wrapping_sub(1), at + 1].map(|other| names.get(other));
        let same = others.into_iter().flatten().map(|other| same_start(names[at], other));
        same.max().unwrap_or(0)
    };
    let once: Vec<_> = (0..names.len()).map(|at| parted(names[at], same(at), columns)).collect();
    if once.iter().collect::<HashSet<_>>().len() == names.len() {
        return once;
    }
    let twice = |at: usize| {
        let (name, begin) = (names[at], columns / 2);
        let rest = part(name, same(at), columns - begin - 1);
        format!("{}…{rest}", part(name, same_in_all, begin))
    };
    (0..names.len()).map(twice).collect()
}

/// At most `columns` columns of that.
fn part(name: &str, same: usize, columns: usize) -> String {
    let name = from(name, same).replace(char::is_control, " ");
    taken(name.chars(), columns, |c| c.width().unwrap_or(0)).into_iter().collect()
}

/// How many characters at the beginning of two names are the same.
fn same_start(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// A long name with its beginning, and what comes from the character on where it differs from others.
fn parted(name: &str, same: usize, columns: usize) -> String {
    let begin = part(name, 0, columns / 3);
    let rest = columns - begin.width() - 1;
    format!("{begin}…{}", shortened(from(name, same), rest))
}

/// What comes from two characters before character `same`.
fn from(name: &str, same: usize) -> &str {
    let at = name.char_indices().nth(same.saturating_sub(2)).map_or(0, |(at, _)| at);
    &name[at..]
}

/// A long name with a number.
fn numbered(name: &str, number: usize, columns: usize) -> String {
    let number = format!("#{number}");
    format!("{}{number}", shortened(name, columns.saturating_sub(number.len()).max(4)))
}

/// The lines of a label: each output with its inputs.
pub(super) fn label(groups: &[(Vec<&str>, &str)], names: &ShortNames) -> Vec<String> {
    let mut lines = Vec::new();
    for (inputs, output) in groups {
        let inputs: Vec<_> = inputs.iter().map(|name| names.form(name, MAX_NAME)).collect();
        let inputs: Vec<_> = inputs.iter().map(String::as_str).collect();
        lines.extend(wrapped(&inputs, MAX_LINE));
        let output = names.form(shown(output), MAX_NAME);
        let last = lines.last_mut().expect("each output has an input");
        if last.width() + output.width() + 3 <= MAX_LINE.max(MAX_NAME) + 8 {
            last.push_str(" / ");
            last.push_str(&output);
        } else {
            lines.push(format!("/ {output}"));
        }
    }
    if lines.len() > MAX_LINES {
        let more = lines.len() - (MAX_LINES - 1);
        lines.truncate(MAX_LINES - 1);
        lines.push(format!("… {more} lines more"));
    }
    lines
}

/// A label of two short lines: the input and the output, or how many there are.
pub(super) fn short_label(groups: &[(Vec<&str>, &str)], names: &ShortNames) -> Vec<String> {
    let inputs: Vec<_> = groups.iter().flat_map(|(inputs, _)| inputs).collect();
    let input = match &inputs[..] {
        [] => return Vec::new(),
        [only] => names.form(only, MAX_SHORT_NAME),
        several => format!("{} inputs", several.len()),
    };
    let output = match groups {
        [(_, only)] => format!("/ {}", names.form(shown(only), MAX_SHORT_NAME)),
        several => format!("/ {} outputs", several.len()),
    };
    vec![input, output]
}

/// The lines that list the inputs never asked in a state; `of` is the number of all inputs.
pub(super) fn unknown(names: &[&str], of: usize) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    if names.len() == of && of > 1 {
        return vec![format!("? all {of} inputs")];
    }
    let names: Vec<_> = names.iter().map(|name| shortened(name, MAX_NAME)).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let mut lines = wrapped(&names, MAX_LINE - 2);
    lines[0].insert_str(0, "? ");
    if lines.len() > MAX_UNKNOWN_LINES {
        lines.truncate(MAX_UNKNOWN_LINES);
        let said: usize = lines.iter().map(|line| line.matches(',').count()).sum();
        lines.push(format!("… {} more", names.len().saturating_sub(said)));
    }
    lines
}

/// The name of a state.
pub(super) fn name(name: &str) -> String {
    shortened(name, MAX_NAME)
}

/// A name on one line, with its middle left out if it is long.
fn shortened(name: &str, columns: usize) -> String {
    let name = name.replace(char::is_control, " ");
    if name.width() <= columns {
        return name;
    }
    let width = |c: &char| c.width().unwrap_or(0);
    let head = taken(name.chars(), columns * 2 / 3, width);
    let tail = taken(name.chars().rev(), columns / 3 - 1, width);
    head.into_iter().chain(['…']).chain(tail.into_iter().rev()).collect()
}

/// The longest run of characters that fits into a number of columns.
fn taken(
    characters: impl Iterator<Item = char>,
    room: usize,
    columns: impl Fn(&char) -> usize,
) -> Vec<char> {
    let mut used = 0;
    let fits = |c: &char| {
        used += columns(c);
        used <= room
    };
    characters.take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short_label(groups: &[(Vec<&str>, &str)]) -> Vec<String> {
        super::short_label(groups, &ShortNames::default())
    }

    #[test]
    fn long_names_that_differ_stay_different() {
        let page = |number: &str| format!("HTTP/1.1 200 OK{number}Connection: keep-alive, close");
        let mut names: Vec<_> = (0..5).map(|number| page(&format!(" page {number} "))).collect();
        // These differ in two places, and only in the second one from each other.
        names.extend((0..5).map(|number| {
            page(&format!(" list {} and {number} of them all ", "of all that there is".repeat(3)))
        }));
        names.push("short".to_owned());
        let short = ShortNames::new(names.iter().map(String::as_str));
        for columns in [MAX_NAME, MAX_SHORT_NAME] {
            let forms: BTreeSet<_> = names.iter().map(|name| short.form(name, columns)).collect();
            assert_eq!(forms.len(), names.len(), "{forms:?}");
            assert!(forms.iter().all(|form| form.width() <= columns), "{forms:?}");
        }
        let places = ["ab", "ac", "xb", "xc"].map(|it| {
            format!(
                "while it was read there was an error in {}: see the line number {} of the input",
                &it[..1],
                &it[1..]
            )
        });
        let short = ShortNames::new(places.iter().map(String::as_str));
        let forms = places.each_ref().map(|name| short.form(name, MAX_NAME));
        let both = [
            "n a: see the …r b of the i",
            "n a: see the …r c of the i",
            "n x: see the …r b of the i",
            "n x: see the …r c of the i",
        ];
        assert_eq!(forms, both);
        let two = [page(" page 1 "), page(" page 2 ")];
        let short = ShortNames::new(two.iter().map(String::as_str));
        assert_eq!(short.form(&two[1], MAX_NAME), "HTTP/1.1…e 2 Connect…lose");
    }

    #[test]
    fn inputs_of_one_output_share_it() {
        let lines = label(&[(vec!["a", "b"], "x"), (vec!["c"], "")], &ShortNames::default());
        assert_eq!(lines, ["a, b / x", "c / (empty)"]);
    }

    #[test]
    fn a_short_label_names_what_is_alone_and_counts_the_rest() {
        assert_eq!(short_label(&[]), [""; 0]);
        assert_eq!(short_label(&[(vec!["a"], "")]), ["a", "/ (empty)"]);
        assert_eq!(short_label(&[(vec!["a", "b"], "x")]), ["2 inputs", "/ x"]);
        assert_eq!(short_label(&[(vec!["a"], "x"), (vec!["b"], "y")]), ["2 inputs", "/ 2 outputs"]);
    }

    #[test]
    fn unknown_inputs_are_one_line_or_few() {
        let names: Vec<_> = (10..30).map(|number| format!("in{number}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        assert_eq!(unknown(&[], 3), [""; 0]);
        assert_eq!(unknown(&names[..1], 1), ["? in10"]);
        assert_eq!(unknown(&names[..2], 3), ["? in10, in11"]);
        assert_eq!(unknown(&names[..3], 3), ["? all 3 inputs"]);
        let lines = unknown(&names, 21);
        let expected = [
            "? in10, in11, in12, in13,",
            "in14, in15, in16, in17,",
            "in18, in19, in20, in21,",
            "… 8 more",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn nothing_grows_without_bound() {
        let long = "x".repeat(500);
        let names: Vec<_> = (0..300).map(|number| format!("input{number}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        for (inputs, output) in [(vec!["a"], &*long), (vec![&*long], "a"), (names, &*long)] {
            let groups = [(inputs, output)];
            let lines = label(&groups, &ShortNames::default());
            assert!(lines.len() <= MAX_LINES, "{lines:?}");
            assert!(lines.iter().all(|line| line.width() <= MAX_LINE + 8), "{lines:?}");
            let lines = short_label(&groups);
            assert_eq!(lines.len(), 2);
            assert!(lines.iter().all(|line| line.width() <= MAX_SHORT_NAME + 2), "{lines:?}");
        }
        let wide = shortened(&"開".repeat(100), MAX_NAME);
        assert!(wide.width() <= MAX_NAME && wide.contains('…'), "{wide}");
    }
}
