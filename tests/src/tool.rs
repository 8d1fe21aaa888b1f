//! The `mealybug` command, as a user runs it.

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The command, built from the sources as they are now.
///
/// Cargo hands a test the path of a binary only within one package, and would leave an older one
/// where it is; so this builds it, which takes no time when it is up to date.
///
/// # Panics
/// When it does not build.
pub fn mealybug() -> Command {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    Command::new(BUILT.get_or_init(|| build().expect("mealybug builds")))
}

fn build() -> io::Result<PathBuf> {
    // Of the whole workspace, as the tests are: otherwise its dependencies have other features.
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--bin", "mealybug"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()?;
    if !built.success() {
        return Err(io::Error::other(format!("cargo build: {built}")));
    }
    // This test is target/debug/deps/NAME-HASH, the command target/debug/mealybug.
    let test = std::env::current_exe()?;
    let folder = test.parent().and_then(|deps| deps.parent());
    folder.map(|folder| folder.join("mealybug")).ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_starts() {
        assert!(super::mealybug().arg("--version").status().unwrap().success());
    }
}
