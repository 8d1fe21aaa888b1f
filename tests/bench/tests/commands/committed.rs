//! The tables and pictures in docs/benchmarks: each is what the rows beside it give.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workplace::Workplace;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder with one of these endings, by their names.
fn files(folder: &Path, endings: &[&str]) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let wanted = names.filter(|name| endings.iter().any(|ending| name.ends_with(ending)));
    let read = |name: String| {
        let text = fs::read_to_string(folder.join(&name)).expect("text");
        (name, text)
    };
    wanted.map(read).collect()
}

/// Makes the tables and pictures of `docs/benchmarks/FOLDER` in another place, and compares those that are committed.
/// Returns how many these are.
fn compare(folder: &str, calls: &[&[&str]]) -> usize {
    let committed = root().join("docs/benchmarks").join(folder);
    let rows = files(&committed, &[".csv"]);
    assert!(!rows.is_empty(), "{}", committed.display());
    let place = Workplace::new(&[]);
    fs::create_dir(place.path("rows")).expect("a folder");
    for (name, text) in rows {
        fs::write(place.path("rows").join(name), text).expect("a file");
    }
    for options in calls {
        place.call(&[&["summary", "rows"], *options].concat()).ended(0);
    }
    let made = place.files("rows");
    let committed = files(&committed, &[".txt", ".svg"]);
    for (name, text) in &committed {
        assert!(
            made.get(name) == Some(text),
            "docs/benchmarks/{folder}{name} is not what its rows give: `mealybug-bench summary docs/benchmarks/{folder}` \
             with each of {calls:?} makes it again"
        );
    }
    committed.len()
}

#[test]
fn the_tables_and_pictures_of_learners_are_those_of_their_rows() {
    assert_eq!(compare("", &[&[]]), 8);
}

#[test]
fn the_tables_and_pictures_of_verdicts_are_those_of_their_rows() {
    assert_eq!(compare("verdicts/", &[&[]]), 3);
}

#[test]
fn the_tables_of_older_models_are_those_of_their_rows() {
    let lists =
        ["versions", "unrelated"].map(|list| root().join(format!("tests/peers/{list}.csv")));
    let lists = lists.each_ref().map(|list| list.to_str().expect("a name"));
    let calls = lists.map(|list| ["--pairs", list]);
    assert_eq!(compare("versions/mealybug/", &[&calls[0], &calls[1]]), 2);
}
