//! Makes PNG of SVG with librsvg, by running its program `rsvg-convert`.
//!
//! A library would add 40 crates to the tool.

use std::io;
use std::process::Command;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

use super::program::{ProgramFault, output};
use crate::duration_text;

/// The pixels of a PNG for one of SVG: text of 11 pixels is hard to read.
const ZOOM: &str = "2";

/// Why there is no PNG.
#[derive(Debug, Error, Diagnostic)]
pub enum PngError {
    /// The program cannot be started.
    #[error("cannot start `rsvg-convert`, which makes PNG")]
    #[diagnostic(help("install it (Debian package librsvg2-bin), or take --format svg"))]
    Start(#[source] io::Error),
    /// The time limit was reached and the program was killed.
    #[error("`rsvg-convert` has not made a PNG within {}", duration_text::text(.0.as_secs_f64()))]
    #[diagnostic(help("take --format svg, or show a --component, which is smaller"))]
    TooSlow(Duration),
    /// The program ended without a picture.
    #[error("`rsvg-convert` failed and made no PNG")]
    #[diagnostic(help(
        "a PNG has at most 32 767 pixels a side: take --format svg, or show a --component, which is smaller"
    ))]
    Failed,
}

/// Makes a PNG of a picture in SVG within a time limit, on white and with twice as many pixels a side.
///
/// # Errors
/// `rsvg-convert` is not installed, fails, or takes longer than `limit`.
pub fn png(svg: String, limit: Duration) -> Result<Vec<u8>, PngError> {
    let mut program = Command::new("rsvg-convert");
    program.args(["--format=png", "--background-color=white", "--zoom", ZOOM]);
    output(&mut program, svg, limit).map_err(|fault| match fault {
        ProgramFault::Start(error) => PngError::Start(error),
        ProgramFault::TooSlow => PngError::TooSlow(limit),
        ProgramFault::Failed => PngError::Failed,
    })
}
