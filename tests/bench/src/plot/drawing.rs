//! What the pictures share: colours, letters, and drawing to a string.
//!
//! Text is placed by a guess of its width, since no fonts are looked for: the viewer has its own.

use plotters::backend::SVGBackend;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::style::{FontDesc, FontFamily, FontStyle, RGBColor, WHITE};

/// Drawing to a string.
pub(super) type Area<'s> = DrawingArea<SVGBackend<'s>, plotters::coord::Shift>;
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Dark in grey, too.
pub(super) const DARK: RGBColor = RGBColor(24, 74, 130);
/// Light in grey.
pub(super) const LIGHT: RGBColor = RGBColor(230, 140, 40);
pub(super) const GREY: RGBColor = RGBColor(200, 200, 200);

/// Whose a learner is, and whether it keeps answers in an observation tree or in a table: learners of a
/// kind have a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LearnerKind {
    Tree,
    Table,
    Peer,
}

impl LearnerKind {
    pub(super) fn of(algorithm: &str) -> Self {
        match algorithm.split(':').next() {
            Some("ol-sharp" | "l-sharp") => Self::Tree,
            Some("ol-star" | "l-star" | "decompose") => Self::Table,
            _ => Self::Peer,
        }
    }

    /// A contrast of at least 3.6 on white, and on a ground that is nearly black.
    pub(super) fn colour(self) -> RGBColor {
        match self {
            Self::Tree => RGBColor(200, 105, 10),
            Self::Table => RGBColor(45, 115, 200),
            Self::Peer => RGBColor(128, 128, 128),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tree => "Mealybug, tree",
            Self::Table => "Mealybug, table",
            Self::Peer => "other tools",
        }
    }
}

/// A picture of this size.
pub(super) fn svg(size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let drawn = area.fill(&WHITE).and_then(|()| draw(&area)).and_then(|()| area.present());
        drawn.expect("a string takes everything");
    }
    text
}

/// Letters of this size.
pub(super) fn font<'f>(size: u32) -> FontDesc<'f> {
    FontDesc::new(FontFamily::SansSerif, f64::from(size), FontStyle::Normal)
}

/// A power of ten in a few letters.
pub(super) fn short(value: f64) -> String {
    match value {
        1e9.. => format!("{}G", value / 1e9),
        1e6.. => format!("{}M", value / 1e6),
        1e3.. => format!("{}k", value / 1e3),
        _ => value.to_string(),
    }
}
