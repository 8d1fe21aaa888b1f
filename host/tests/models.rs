//! Reads every model in the folder `MEALYBUG_MODELS`, writes it, reads it again, and draws it.

use std::fs;
use std::path::{Path, PathBuf};

use mealybug::dot;
use mealybug::machine::{differences, separate};
use mealybug::picture;
use mealybug_core::Mealy;

#[test]
fn all_models_are_read_and_survive_being_written() {
    let Some(folder) = std::env::var_os("MEALYBUG_MODELS") else {
        println!("skipped: MEALYBUG_MODELS does not name a folder of models");
        return;
    };
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files);
    assert!(!files.is_empty(), "no model found in {}", folder.display());
    files.sort();
    let (mut states, mut drawn) = (0, 0);
    for file in &files {
        let text = fs::read_to_string(file).expect("a readable file");
        let model = dot::read(&file.to_string_lossy(), &text)
            .unwrap_or_else(|error| panic!("{:?}", miette::Report::new(*error)));
        let again = dot::read("again", &dot::write(&model)).expect("what was written can be read");
        assert_eq!(again.initial(), model.initial(), "{}", file.display());
        assert!(again.named_transitions().eq(model.named_transitions()), "{}", file.display());
        let minimal = model.minimise();
        assert!(minimal.states() <= model.states());
        assert_eq!(separate(&model, &minimal), Ok(None), "{}", file.display());
        assert!(differences(&model, &minimal, 1).is_empty(), "{}", file.display());
        if let Some(svg) = picture::svg(&minimal, None) {
            drawn += 1;
            roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{file:?}: {error}"));
        }
        states += minimal.states();
    }
    println!("{} models with {states} states, minimal; {drawn} of them drawn", files.len());
}

/// Collects all DOT files in a folder and its subfolders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "dot") {
            files.push(path);
        }
    }
}
