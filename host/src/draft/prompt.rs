//! A prompt of a device: what ends its replies.

use regex::bytes::{Regex, RegexBuilder};

use super::changing_text::with_other_numbers;
use crate::escape::{escape, escaped, pattern};

/// A prompt of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DevicePrompt {
    /// This text.
    Text(String),
    /// What matches this pattern, such as a prompt with a number in it.
    Pattern(String),
}

impl From<&str> for DevicePrompt {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl DevicePrompt {
    /// A pattern for it.
    pub fn pattern(&self) -> String {
        match self {
            Self::Text(text) => pattern(text.as_bytes()),
            Self::Pattern(pattern) => alone(pattern),
        }
    }

    /// The same for a rule about text.
    pub(super) fn text_pattern(&self) -> String {
        match self {
            Self::Text(text) => escaped(text),
            Self::Pattern(pattern) => alone(pattern),
        }
    }

    /// The prompt without the blanks at its end.
    pub(super) fn trimmed(&self) -> Self {
        match self {
            Self::Text(text) => Self::Text(text.trim_end().to_owned()),
            Self::Pattern(pattern) => {
                let trimmed = pattern.trim_end_matches(' ');
                // The blank of `\ ` cannot be taken away.
                let is_whole = !trimmed.ends_with('\\');
                Self::Pattern(if is_whole { trimmed } else { pattern }.to_owned())
            }
        }
    }

    /// The prompt as a person types it.
    pub fn typed(&self) -> String {
        match self {
            Self::Text(text) => escape(text.as_bytes()),
            Self::Pattern(pattern) => format!("/{pattern}/"),
        }
    }

    /// Whether its pattern is one that a device file may have.
    pub fn is_valid(&self) -> bool {
        // The rules of the file put patterns around it that have groups with names.
        let is_nameless = |pattern: Regex| pattern.capture_names().flatten().next().is_none();
        let surrounded = format!(r"(?<prompt>{}|x)\s*$", self.text_pattern());
        self.at_end().is_ok_and(is_nameless) && Regex::new(&surrounded).is_ok()
    }

    /// The same with any number where `heard` ends with another one; `None` if `heard` ends with this prompt, or otherwise.
    pub fn with_numbers_of(&self, heard: &[u8]) -> Option<Self> {
        let Self::Text(text) = self else { return None };
        let is_other = self.len_in(heard).is_none();
        let pattern = with_other_numbers(text.as_bytes(), heard).filter(|_| is_other);
        pattern.map(Self::Pattern).filter(Self::is_valid)
    }

    /// How many bytes of an answer it takes at the end; `None` if the answer ends with something else.
    pub fn len_in(&self, answer: &[u8]) -> Option<usize> {
        self.at_end().ok()?.find(answer).map(|found| found.len())
    }

    fn at_end(&self) -> Result<Regex, regex::Error> {
        RegexBuilder::new(&format!("{}$", self.pattern())).unicode(false).build()
    }
}

/// A pattern that other patterns may surround.
fn alone(pattern: &str) -> String {
    if pattern.contains('|') { format!("(?:{pattern})") } else { pattern.to_owned() }
}
