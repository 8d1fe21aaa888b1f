//! The size of text, and the limits that keep labels short.
//!
//! The reader's fonts are unknown, so the picture asks for a monospaced one. Its width follows from
//! the number of columns to within about 1 %.

use unicode_width::UnicodeWidthStr;

use crate::export::{shown, wrapped};
use crate::short_names::{ShortNames, shortened};

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

/// The shortened forms of all names of a picture.
pub(super) fn short_names<'n>(names: impl Iterator<Item = &'n str>) -> ShortNames {
    ShortNames::new(names, &[MAX_NAME, MAX_SHORT_NAME])
}

/// The width of a line.
pub(super) fn width(line: &str) -> f64 {
    u16::try_from(line.width()).map_or(f64::from(u16::MAX), f64::from) * COLUMN
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

#[cfg(test)]
mod tests {
    use super::*;

    fn short_label(groups: &[(Vec<&str>, &str)]) -> Vec<String> {
        super::short_label(groups, &ShortNames::default())
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
