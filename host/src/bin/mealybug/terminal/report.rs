//! Errors as people see them: a message, a place in a file, advice. Hidden characters of all of them are
//! escaped, whatever the files and devices hold that they quote.

use std::error::Error;
use std::fmt;

use mealybug::error_style;
use mealybug::escape::{is_hidden, visible_lines};
use miette::{
    Diagnostic, LabeledSpan, MietteHandler, NamedSource, ReportHandler, SourceCode, SourceSpan,
};

/// From here on, errors are shown like this.
pub(crate) fn show_reports() {
    let style = error_style::style();
    let handler = move || Box::new(Handler(style().build())) as Box<dyn ReportHandler>;
    // It fails if there is one already.
    let _ = miette::set_hook(Box::new(move |_| handler()));
}

/// Shows errors as miette does.
struct Handler(MietteHandler);

impl ReportHandler for Handler {
    fn debug(&self, error: &dyn Diagnostic, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(&Visible::of(error), f)
    }
}

/// A copy of an error without hidden characters.
#[derive(Debug)]
struct Visible {
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
    cause: Option<Box<Self>>,
    is_diagnostic: bool,
}

impl Visible {
    fn of(error: &dyn Diagnostic) -> Self {
        let cause = error.diagnostic_source().map(Self::of);
        let cause = cause.or_else(|| error.source().map(Self::of_error)).map(Box::new);
        let label = |label: LabeledSpan| {
            let text = label.label().map(|text| visible_lines(text).into_owned());
            match label.primary() {
                true => LabeledSpan::new_primary_with_span(text, *label.inner()),
                false => LabeledSpan::new_with_span(text, *label.inner()),
            }
        };
        Self {
            message: visible_lines(&error.to_string()).into_owned(),
            help: error.help().map(|help| visible_lines(&help.to_string()).into_owned()),
            source: error.source_code().and_then(source),
            labels: error.labels().map(|labels| labels.map(label).collect()).unwrap_or_default(),
            cause,
            is_diagnostic: true,
        }
    }

    fn of_error(error: &(dyn Error + 'static)) -> Self {
        Self {
            message: visible_lines(&error.to_string()).into_owned(),
            help: None,
            source: None,
            labels: Vec::new(),
            cause: error.source().map(Self::of_error).map(Box::new),
            is_diagnostic: false,
        }
    }
}

/// The whole file that an error quotes.
fn source(code: &dyn SourceCode) -> Option<NamedSource<String>> {
    let all = code.read_span(&SourceSpan::from(0..0), 0, usize::MAX).ok()?;
    let text: String = String::from_utf8_lossy(all.data()).chars().map(in_place).collect();
    let name = visible_lines(all.name().unwrap_or_default());
    Some(NamedSource::new(name, text))
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

impl fmt::Display for Visible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Visible {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

impl Diagnostic for Visible {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }

    fn diagnostic_source(&self) -> Option<&dyn Diagnostic> {
        self.cause.as_deref().filter(|cause| cause.is_diagnostic).map(|cause| cause as _)
    }
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
