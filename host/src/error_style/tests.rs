use miette::{LabeledSpan, NamedSource, Report, miette};

use super::*;

fn in_file(message: &str, help: &str, text: &str, labels: Vec<LabeledSpan>) -> Report {
    miette!(labels = labels, help = help, "{message}")
        .with_source_code(NamedSource::new("lock.toml", text.to_owned()))
}

fn plain(report: &Report) -> String {
    ErrorStyle::plain(60).render(report.as_ref())
}

fn at(label: &str, offset: usize, len: usize) -> LabeledSpan {
    LabeledSpan::new(Some(label.to_owned()), offset, len)
}

#[test]
fn causes_stand_below_the_error_and_its_file_after_them() {
    let cause = in_file("there is no `b`", "name\n  one", "a\tb", vec![at("here", 2, 1)]);
    let report = cause.wrap_err("the device file is wrong").wrap_err("nothing\nwas learned");
    let shown = "  × nothing
  │ was learned
  ├─▶ the device file is wrong
  ╰─▶ there is no `b`
   ╭─[lock.toml:1:5]
 1 │ a   b
   ·     ┬
   ·     ╰── here
   ╰────
  help: name
          one
";
    assert_eq!(plain(&report), shown);
}

#[test]
fn labels_of_a_line_hang_below_it_and_lines_far_apart_are_pieces() {
    let text = "one two\n2\n3\n4\n5\n6\n7\n8\n";
    let labels = vec![at("last", 21, 0), at("second\nof two lines", 4, 3), at("first", 0, 3)];
    let shown = "  × wrong
   ╭─[lock.toml:1:1]
 1 │ one two
   · ─┬─ ─┬─
   ·  │   ╰── second
   ·  │       of two lines
   ·  ╰── first
 2 │ 2
   ╰────
   ╭─[lock.toml:8:2]
 7 │ 7
 8 │ 8
   ·  ▲
   ·  ╰── last
   ╰────
  help: mend it
";
    assert_eq!(plain(&in_file("wrong", "mend it", text, labels)), shown);
}

#[test]
fn a_label_of_several_lines_is_at_its_first_one_and_a_label_may_have_no_text() {
    let labels = vec![LabeledSpan::new(None, 1, 1), at("all of it", 3, 100)];
    let shown = "  × wrong
   ╭─[lock.toml:1:2]
 1 │ abcdef
   ·  ─ ─┬─
   ·     ╰── all of it
 2 │ ghi
   ╰────
  help: mend it
";
    assert_eq!(plain(&in_file("wrong", "mend it", "abcdef\nghi", labels)), shown);
    let labels = || vec![at("empty", 7, 3)];
    let empty = plain(&in_file("wrong", "mend it", "", labels()));
    assert!(empty.contains("[lock.toml:1:1]\n 1 │\n   · ┬\n   · ╰── empty\n"), "{empty}");
    let none = plain(&in_file("wrong", "mend it", "text", Vec::new()));
    assert_eq!(none, "  × wrong\n  help: mend it\n");
}

#[test]
fn lines_are_broken_at_blanks_and_words_only_if_they_are_too_long() {
    let command = "mealybug learn --device lock.toml --max-symbols 100000";
    let report = miette!(help = format!("try {command}\n{}", "é".repeat(60)), "wrong");
    let shown = format!(
        "  × wrong\n  help: try mealybug learn --device lock.toml\n        --max-symbols 100000\n        {}\n        {}\n",
        "é".repeat(50),
        "é".repeat(10)
    );
    assert_eq!(plain(&report), shown);
    assert!(
        ErrorStyle::plain(0).render(report.as_ref()).contains("\n        --max-symbols 100000\n")
    );
}

#[test]
fn hidden_characters_are_escaped_everywhere() {
    let labels = vec![at("la\x1bbel", 5, 1)];
    let text = plain(&in_file("mess\x1b[2Jage", "he\rlp", "a\x1b\u{202e}b\r\n", labels));
    let shown = "  × mess\\x1b[2Jage
   ╭─[lock.toml:1:4]
 1 │ a?\u{fffd}b
   ·    ┬
   ·    ╰── la\\x1bbel
   ╰────
  help: he\\rlp
";
    assert_eq!(text, shown);
}

#[test]
fn colours_and_ascii_change_nothing_else() {
    let report = in_file("wrong", "mend it", "abc", vec![at("here", 1, 1)]).wrap_err("outer");
    let colored = ErrorStyle { has_colors: true, ..ErrorStyle::plain(60) }.render(report.as_ref());
    assert!(colored.contains("\x1b[36m"), "{colored:?}");
    let mut shown = String::new();
    for (at, part) in colored.split("\x1b[").enumerate() {
        shown += if at == 0 { part } else { part.split_once('m').expect("a colour ends").1 };
    }
    assert_eq!(shown, plain(&report));
    let ascii = ErrorStyle { signs: &ASCII, ..ErrorStyle::plain(60) }.render(report.as_ref());
    assert!(ascii.is_ascii(), "{ascii}");
    assert_eq!(ascii.chars().count(), shown.chars().count());
}
