//! What a section of a document says.

use std::fs;

use regex::Regex;

use crate::rows::root;

/// How much of a text a message shows before and after the place where it differs.
const SHOWN: usize = 60;

/// A section of a document, up to the next heading.
pub(crate) struct DocsSection {
    place: String,
    /// Its text, with a blank where there were several, or the end of a line.
    text: String,
}

impl DocsSection {
    /// The section with this heading, which begins with `##`.
    ///
    /// # Panics
    /// There is none.
    pub(crate) fn of(file: &str, heading: &str) -> Self {
        let text = fs::read_to_string(root().join(file)).expect("a document");
        Self::in_text(file, heading, &text)
    }

    fn in_text(file: &str, heading: &str, text: &str) -> Self {
        let mut lines = text.lines().skip_while(|line| *line != heading);
        assert!(lines.next().is_some(), "{file} has no section `{heading}`");
        let lines: Vec<_> = lines.take_while(|line| !line.starts_with("##")).collect();
        Self { place: format!("{file}, `{heading}`"), text: in_one_line(&lines.join("\n")) }
    }

    /// Checks that the section contains a text, wherever its lines end.
    ///
    /// # Panics
    /// It does not.
    pub(crate) fn says(&self, expected: &str) {
        let text = in_one_line(expected);
        if self.text.match_indices(&text).any(|(at, _)| self.is_whole(at, &text)) {
            return;
        }
        assert!(
            !self.text.contains(&text),
            "{} says this as a part of a longer number or table:\n{expected}\n",
            self.place
        );
        let ends: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
        let common = ends[ends.partition_point(|&end| self.text.contains(&text[..end])) - 1];
        let found = self.text.find(&text[..common]).expect("it is contained");
        panic!(
            "{} does not say what the committed rows give.\nexpected: … {}\n   found: … {}\nThe whole text is:\n{expected}\n",
            self.place,
            around(&text, common),
            around(&self.text, found + common),
        );
    }

    /// Whether the text at a place neither begins nor ends within a number, and ends no table before its last row.
    fn is_whole(&self, at: usize, text: &str) -> bool {
        let end = at + text.len();
        // `1 234.5`
        let numbers = Regex::new(r"\d{1,3}( \d{3})+\b(\.\d+)?|\d+(\.\d+)?").expect("a pattern");
        let is_within =
            |at| numbers.find_iter(&self.text).any(|it| it.start() < at && at < it.end());
        let is_table = text.starts_with('|') && text.ends_with('|');
        !(is_within(at) || is_within(end) || is_table && self.text[end..].starts_with(" |"))
    }
}

/// A table in Markdown, without its rule.
pub(crate) fn table_rows(rows: &[Vec<String>]) -> String {
    rows.iter().map(|cells| format!("| {} |\n", cells.join(" | "))).collect()
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text around a place.
fn around(text: &str, at: usize) -> String {
    let (before, after) = text.split_at(at);
    let before: Vec<_> = before.chars().rev().take(SHOWN).collect();
    before.into_iter().rev().chain(after.chars().take(SHOWN)).collect()
}

const EXAMPLE: &str = "\
## Other

| suite | mean |
|---|---|
| tls | 2.00 |

## Learners

| suite | mean |
|---|---|
| ssh | 0.87 |
| tls | 1.25 |

So it asks 0.87
to 1.25 times as much, 66 503 symbols in 2 12 of 40 times.

## More
";

#[test]
fn a_section_says_a_sentence_and_a_table_wherever_lines_end() {
    let section = DocsSection::in_text("a.md", "## Learners", EXAMPLE);
    section.says("it asks 0.87 to 1.25 times");
    section.says("| ssh | 0.87 |\n| tls | 1.25 |\n");
}

#[test]
#[should_panic(expected = "\
a.md, `## Learners` does not say what the committed rows give.
expected: … | suite | mean | |---|---| | ssh | 0.87 | | tls | 1.26 |
   found: … | suite | mean | |---|---| | ssh | 0.87 | | tls | 1.25 | So it asks 0.87 to 1.25 times as much, 66 503 symbols in
The whole text is:
| suite | mean |
|---|---|
| ssh | 0.87 |
| tls | 1.26 |
")]
fn another_number_is_told_with_its_place() {
    DocsSection::in_text("a.md", "## Learners", EXAMPLE)
        .says("| suite | mean |\n|---|---|\n| ssh | 0.87 |\n| tls | 1.26 |\n");
}

#[test]
fn a_part_of_a_number_or_of_a_table_is_not_what_is_said() {
    let section = DocsSection::in_text("a.md", "## Learners", EXAMPLE);
    for part in [
        "87 to 1.25 times",
        "it asks 0.8",
        "it asks 0",
        "as much, 66",
        "503 symbols",
        "| suite | mean | |---|---| | ssh | 0.87 |",
    ] {
        let says = std::panic::AssertUnwindSafe(|| section.says(part));
        let error = std::panic::catch_unwind(says).expect_err(part);
        let message = error.downcast_ref::<String>().expect("a message");
        assert!(
            message.starts_with("a.md, `## Learners` says this as a part of a longer"),
            "{message}"
        );
    }
    section.says("1.25 times");
    section.says("12 of 40");
}

#[test]
#[should_panic(expected = "a.md has no section `## None`")]
fn a_section_that_is_gone_is_told() {
    DocsSection::in_text("a.md", "## None", EXAMPLE);
}
