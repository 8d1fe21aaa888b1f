//! What a person may answer to a question.

use miette::{Report, Result};

/// What a person types for nothing, where Enter means something else.
pub(super) const NOTHING: &str = "-";
/// What a person types to take the last answer back.
pub(super) const BACK: &str = "<";

/// What is wanted where a pattern is none.
pub(super) const NO_PATTERN: &str =
    "a regular expression of bytes, without classes such as \\pL, between slashes";

/// Why a question has no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// The person takes the answer before it back.
    Back,
    /// The conversation ends here.
    Failed(Report),
}

impl From<Report> for Unanswered {
    fn from(report: Report) -> Self {
        Self::Failed(report)
    }
}

/// Reads the answer to a question for yes or no. Nothing is no.
pub(super) fn yes_or_no(answer: &str) -> Result<bool, &'static str> {
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(true),
        "n" | "no" | NOTHING => Ok(false),
        _ => Err("y or n"),
    }
}
