//! What a test needs on the machine that runs it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Something that a test needs.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// A program in `PATH`, or the absolute path of a file.
    pub what: &'static str,
    /// The Debian package that contains it.
    pub package: &'static str,
}

/// Whether everything is there; if not, prints on standard error that `test` is skipped, and why.
///
/// # Panics
/// Something is missing and the variable `CI` is `true`: no test is skipped there.
pub fn all_there(test: &str, needs: &[Need]) -> bool {
    let missing: Vec<_> = needs.iter().filter(|need| find(need.what).is_none()).collect();
    for Need { what, package } in &missing {
        skip(test, &format!("there is no {what} (Debian package {package})"));
    }
    missing.is_empty()
}

/// Prints on standard error that `test` is skipped, and why.
///
/// # Panics
/// The variable `CI` is `true`: no test is skipped there.
pub fn skip(test: &str, why: &str) {
    let message = format!("{test} skipped: {why}");
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{message}");
    // Not `eprintln`: cargo hides its output when a test passes.
    writeln!(io::stderr(), "{message}").expect("standard error is open");
}

fn find(what: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(what));
    if Path::new(what).is_absolute() { Some(what.into()) } else { places.find(|p| p.is_file()) }
        .filter(|file| file.is_file())
}
