//! The lines of a file that an error is about, with labels below them.

use std::ops::Range;

use miette::{LabeledSpan, SourceCode, SourceSpan};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{DIM, ErrorStyle, LABELS, LINK};
use crate::escape::{is_hidden, visible_lines};

/// This many lines are shown before and after a line with a label.
const CONTEXT: usize = 1;
const TAB: usize = 4;

/// A line of a file: where it starts, in bytes, and its text without what ends it.
struct SourceLine<'a> {
    start: usize,
    text: &'a str,
}

/// A label at its line.
struct Label {
    /// The index of the line that it starts in.
    line: usize,
    /// In columns of that line; nothing of it is in the next line.
    columns: Range<usize>,
    is_empty: bool,
    is_primary: bool,
    text: String,
    color: &'static str,
}

impl ErrorStyle {
    /// The lines with labels and those around them, in pieces where lines between them are left out.
    pub(super) fn snippets(&self, source: &dyn SourceCode, mut labels: Vec<LabeledSpan>) -> String {
        let Some((name, text)) = file(source).filter(|_| !labels.is_empty()) else {
            return String::new();
        };
        let lines = lines(&text);
        labels.sort_by_key(LabeledSpan::offset);
        let colors = LABELS.iter().cycle();
        let labels: Vec<_> =
            labels.iter().zip(colors).map(|(span, color)| label(&lines, span, color)).collect();
        let around = |label: &Label| {
            label.line.saturating_sub(CONTEXT)..(label.line + CONTEXT + 1).min(lines.len())
        };
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for label in &labels {
            let piece = around(label);
            match pieces.last_mut().filter(|last| piece.start <= last.end) {
                Some(last) => last.end = last.end.max(piece.end),
                None => pieces.push(piece),
            }
        }
        pieces.into_iter().map(|piece| self.snippet(&name, &lines, piece, &labels)).collect()
    }

    fn snippet(
        &self,
        name: &str,
        lines: &[SourceLine<'_>],
        piece: Range<usize>,
        all: &[Label],
    ) -> String {
        let signs = self.signs;
        let labels: Vec<_> = all.iter().filter(|label| piece.contains(&label.line)).collect();
        let number_width = piece.end.to_string().len();
        let blank = " ".repeat(number_width + 2);
        let first = labels.iter().find(|label| label.is_primary).unwrap_or(&labels[0]);
        let place = format!("{name}:{}:{}", first.line + 1, first.columns.start + 1);
        let place = self.paint(LINK, place.trim_start_matches(':'));
        let mut text = format!("{blank}{}{}[{place}]\n", signs.top, signs.line);
        for index in piece {
            let number = self.paint(DIM, &format!("{:number_width$}", index + 1));
            let line = format!(" {number} {} {}", signs.bar, without_tabs(lines[index].text));
            text += line.trim_end();
            text.push('\n');
            let here: Vec<_> = labels.iter().copied().filter(|label| label.line == index).collect();
            for below in self.below(&here) {
                text += &format!("{blank}{} {below}\n", signs.gap);
            }
        }
        let end: String = std::iter::repeat_n(signs.line, 4).collect();
        text + &format!("{blank}{}{end}\n", signs.bottom)
    }

    /// What stands below a line with these labels: they are underlined, and their texts hang below, the last one
    /// first, so that their stems do not cross.
    fn below(&self, labels: &[&Label]) -> Vec<String> {
        let signs = self.signs;
        let mut underlines = String::new();
        let mut column = 0;
        let mut stems = Vec::new();
        for label in labels {
            let start = label.columns.start.max(column);
            let end = label.columns.end.max(start + 1);
            let stem = (start + end) / 2;
            let sign = match label {
                Label { is_empty: true, .. } => signs.place,
                Label { text, .. } if text.is_empty() => signs.underline,
                _ => signs.stem,
            };
            let drawn: String =
                (start..end).map(|at| if at == stem { sign } else { signs.underline }).collect();
            underlines += &" ".repeat(start - column);
            underlines += &self.paint(label.color, &drawn);
            stems.push(stem);
            column = end;
        }
        let mut below = if labels.is_empty() { Vec::new() } else { vec![underlines] };
        for (last, label) in labels.iter().enumerate().rev() {
            let mut lead = String::new();
            let mut column = 0;
            for (label, &stem) in labels.iter().zip(&stems).take(last) {
                if label.text.is_empty() {
                    continue;
                }
                lead += &" ".repeat(stem - column);
                lead += &self.paint(label.color, &signs.bar.to_string());
                column = stem + 1;
            }
            lead += &" ".repeat(stems[last] - column);
            for (at, text) in label.text.lines().enumerate() {
                let hook = match at {
                    0 => format!("{}{}{} {text}", signs.bottom, signs.line, signs.line),
                    _ => format!("    {text}"),
                };
                below.push(format!("{lead}{}", self.paint(label.color, &hook)));
            }
        }
        below
    }
}

/// The name of a file and its text, in which other characters take the place of hidden ones.
fn file(source: &dyn SourceCode) -> Option<(String, String)> {
    let all = source.read_span(&SourceSpan::from(0..0), 0, usize::MAX).ok()?;
    let text = String::from_utf8_lossy(all.data()).chars().map(in_place).collect();
    Some((visible_lines(all.name().unwrap_or_default()).into_owned(), text))
}

/// A character that takes the place of a hidden one in a file. It has as many bytes, so that labels stay where
/// they are.
fn in_place(c: char) -> char {
    match (c, c.len_utf8()) {
        ('\n' | '\t', _) => c,
        ('\r', _) => ' ',
        _ if !is_hidden(c) => c,
        (_, 1) => '?',
        (_, 2) => '¿',
        _ => '\u{fffd}',
    }
}

/// The lines of a text; there is at least one.
fn lines(text: &str) -> Vec<SourceLine<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push(SourceLine { start, text: line.trim_end_matches('\n') });
        start += line.len();
    }
    if lines.is_empty() {
        lines.push(SourceLine { start, text: "" });
    }
    lines
}

/// A label is at the line where it starts. One behind the last line is at the end of that.
fn label(lines: &[SourceLine<'_>], span: &LabeledSpan, color: &'static str) -> Label {
    let line = lines.partition_point(|line| line.start <= span.offset()).saturating_sub(1);
    let SourceLine { start, text } = lines[line];
    let column = |offset: usize| {
        let at = offset.saturating_sub(start).min(text.len());
        without_tabs(&text[..text.floor_char_boundary(at)]).width()
    };
    Label {
        line,
        columns: column(span.offset())..column(span.offset() + span.len()),
        is_empty: span.is_empty(),
        is_primary: span.primary(),
        text: visible_lines(span.label().unwrap_or_default()).into_owned(),
        color,
    }
}

/// Blanks up to the next multiple of [`TAB`] columns in place of tabulators.
fn without_tabs(text: &str) -> String {
    let mut shown = String::new();
    let mut column = 0;
    for c in text.chars() {
        let width = if c == '\t' { TAB - column % TAB } else { c.width().unwrap_or(0) };
        match c {
            '\t' => shown.extend(std::iter::repeat_n(' ', width)),
            _ => shown.push(c),
        }
        column += width;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_in_the_place_of_a_hidden_one_has_its_length() {
        for c in (0..=0x2fff).filter_map(char::from_u32) {
            let shown = in_place(c);
            assert_eq!(shown.len_utf8(), c.len_utf8(), "{c:?}");
            assert!(!is_hidden(shown) || matches!(shown, '\n' | '\t'), "{c:?}");
        }
    }
}
