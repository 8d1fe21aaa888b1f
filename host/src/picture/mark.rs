//! How transitions look.

/// Which of two compared machines has a state or a transition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Mark {
    /// Both, or there is only one machine.
    #[default]
    Both,
    /// Only the first one.
    First,
    /// Only the second one.
    Second,
}

impl Mark {
    /// What stands before a line of text, so that the difference does not depend on colours.
    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Both => "",
            Self::First => "− ",
            Self::Second => "+ ",
        }
    }

    /// Its class in the style sheet.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Both => "",
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// How a line looks. Lines that look the same may merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct LineStyle {
    /// Whether the target is a guess.
    pub(super) is_open: bool,
    pub(super) mark: Mark,
}
