//! Tries the bytes that fuzzing found: see `mealybug_tests::fuzz`.

use std::fs;
use std::path::Path;

use mealybug_tests::fuzz::TARGETS;

#[test]
fn whatever_was_found_before() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (name, target) in TARGETS {
        target(&[]);
        let folder =
            fs::read_dir(corpus.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let files: Vec<_> = folder.map(|entry| entry.expect("a file").path()).collect();
        assert!(files.len() > 5, "there is hardly anything for {name}");
        for file in files {
            // So that the output of a panic names the file.
            println!("{}", file.display());
            target(&fs::read(file).expect("a file"));
        }
    }
}
