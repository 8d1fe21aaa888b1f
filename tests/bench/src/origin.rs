//! Where rows come from: the version of the program that made them, and the limits of its runs.
//!
//! Rows of different versions are no seeds of one measurement, and a run that a limit ended says nothing of one with another
//! limit. So one table has rows of one version, and runs that were ended by the same limits. Runs that learned their model
//! may have had any limits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

/// The version of this program in its rows: that of the package, unless the build names another one, such as a commit.
pub(crate) const VERSION: &str = match option_env!("MEALYBUG_BENCH_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// What a version and limits are called that a row does not tell: older versions and other programs have no column for it.
const UNKNOWN: &str = "unknown";

/// Where a row comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowOrigin<'r> {
    /// The learner.
    pub(crate) algorithm: &'r str,
    /// The kind of tests.
    pub(crate) tests: &'r str,
    /// The version of the program, if it is known.
    pub(crate) version: Option<&'r str>,
    /// How the run ended.
    pub(crate) outcome: &'r str,
    /// The limits of the run, if they are known.
    pub(crate) limits: Option<&'r str>,
}

impl<'r> RowOrigin<'r> {
    /// The version of the program, in a word.
    pub(crate) fn version(self) -> &'r str {
        self.version.unwrap_or(UNKNOWN)
    }

    /// The limits of a run that was ended by one of them.
    pub(crate) fn ended_by(self) -> Option<&'r str> {
        let is_ended = matches!(self.outcome, "max-symbols" | "time-out");
        is_ended.then_some(self.limits.unwrap_or(UNKNOWN))
    }
}

/// A model, by its name, and what must not change while it has rows.
#[derive(Clone, Debug)]
pub(crate) struct MeasuredModel {
    /// Its suite and file.
    pub(crate) name: String,
    /// How many states the minimal machine has.
    pub(crate) states: u32,
}

/// Why rows cannot be in one table.
#[derive(Debug, Error, Diagnostic)]
pub enum MixedRows {
    /// They are of different versions.
    #[error("rows of {runs} in {} are of different versions of the program: {versions}", path.display())]
    #[diagnostic(help("put the rows of each version into a folder of its own"))]
    Versions {
        /// Which folder.
        path: PathBuf,
        /// The learner and kind of tests.
        runs: String,
        /// The versions.
        versions: String,
    },
    /// Different limits ended their runs.
    #[error("runs of {runs} in {} were ended by different limits: {limits}", path.display())]
    #[diagnostic(help(
        "put the rows of each into a folder of its own; or remove those with the outcomes max-symbols and time-out, and make these runs again"
    ))]
    Limits {
        /// Which folder.
        path: PathBuf,
        /// The learner and kind of tests.
        runs: String,
        /// The limits.
        limits: String,
    },
}

/// Checks that rows of the same learner and kind of tests can be in one table.
///
/// # Errors
/// They are of different versions, or different limits ended their runs.
pub(crate) fn check_alike<'r>(
    folder: &Path,
    rows: impl Iterator<Item = RowOrigin<'r>>,
) -> Result<(), MixedRows> {
    let mut found = BTreeMap::<_, [BTreeSet<&str>; 2]>::new();
    for origin in rows {
        let [versions, limits] = found.entry((origin.algorithm, origin.tests)).or_default();
        versions.insert(origin.version());
        limits.extend(origin.ended_by());
    }
    let listed = |found: BTreeSet<&str>| found.into_iter().collect::<Vec<_>>().join(", ");
    for ((algorithm, tests), [versions, limits]) in found {
        let runs = format!("{algorithm} with {tests}");
        let path = folder.to_owned();
        if versions.len() > 1 {
            return Err(MixedRows::Versions { path, runs, versions: listed(versions) });
        }
        if limits.len() > 1 {
            return Err(MixedRows::Limits { path, runs, limits: listed(limits) });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: RowOrigin<'_> = RowOrigin {
        algorithm: "l-star",
        tests: "w:1",
        version: None,
        outcome: "exact",
        limits: Some("--max-time 1s"),
    };

    fn complaint(rows: [RowOrigin<'_>; 2]) -> Option<String> {
        check_alike(Path::new("rows"), rows.into_iter()).err().map(|error| error.to_string())
    }

    #[test]
    fn versions_are_not_mixed_within_a_learner_and_kind_of_tests() {
        let new = RowOrigin { version: Some("2.0.0"), ..OLD };
        assert_eq!(complaint([OLD, RowOrigin { algorithm: "ol-star", ..new }]), None);
        assert_eq!(complaint([OLD, RowOrigin { tests: "w:2", ..new }]), None);
        let expected = "rows of l-star with w:1 in rows are of different versions of the program: 2.0.0, unknown";
        assert_eq!(complaint([OLD, new]), Some(expected.to_owned()));
    }

    #[test]
    fn limits_count_where_they_ended_runs() {
        let long = RowOrigin { outcome: "time-out", limits: Some("--max-time 1m"), ..OLD };
        assert_eq!(complaint([OLD, long]), None);
        let expected = "runs of l-star with w:1 in rows were ended by different limits: --max-time 1m, --max-time 1s";
        let short = RowOrigin { outcome: "max-symbols", ..OLD };
        assert_eq!(complaint([short, long]), Some(expected.to_owned()));
    }
}
