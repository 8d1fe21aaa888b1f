//! Every program in `examples/` prints what its reader is to see.
//!
//! `cargo test` builds the programs as well; `cargo test --test examples` needs
//! `cargo build --examples` before it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Examples with lines of their output, in this order; `…` stands for anything.
const EXAMPLES: [(&str, &[&str]); 6] = [
    ("asynchronous", &["TestsPassed: 3 components"]),
    (
        "closure",
        &[
            "TestsPassed",
            "a component with 4 states",
            "  0 -> 0  look / off",
            "a component with 4 states",
            "  1 -> 2  press / on",
        ],
    ),
    (
        "growing_memory",
        &[
            "no room for … bytes are needed, 256 are there: … bytes",
            "TestsPassed: 16 components",
            "… bytes used of …",
        ],
    ),
    ("known_model", &["Refuted", "coin: clink, expected clink", "button: drink, expected click"]),
    ("lanes", &["1 at once: TestsPassed, 9 states in …", "4 at once: TestsPassed, 9 states in …"]),
    ("static_memory", &["TestsPassed: … bytes used of 4096"]),
];

#[test]
fn every_example_prints_what_it_should() {
    for (name, expected) in EXAMPLES {
        let output = Command::new(program(name)).output().expect("it can be started");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name}: {text}{output:?}");
        let mut lines = text.lines();
        for pattern in expected {
            assert!(lines.any(|line| matches(pattern, line)), "{name}: no `{pattern}` in\n{text}");
        }
    }
}

#[test]
fn every_example_is_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = fs::read_dir(folder).expect("there are examples");
    let found: BTreeSet<_> =
        files.map(|file| file.expect("it can be read").path()).filter_map(name_of).collect();
    assert_eq!(found, EXAMPLES.map(|(name, _)| name.to_owned()).into());
}

fn name_of(file: PathBuf) -> Option<String> {
    Some(file.file_stem()?.to_str()?.to_owned())
}

/// The program of an example, in the folder beside that of this test.
fn program(name: &str) -> PathBuf {
    let this = env::current_exe().expect("this program is a file");
    let profile = this.ancestors().nth(2).expect("it is in `deps` of the profile's folder");
    let program = profile.join("examples").join(name).with_extension(env::consts::EXE_EXTENSION);
    let source = format!("{}/examples/{name}.rs", env!("CARGO_MANIFEST_DIR"));
    let changed = |file: &Path| fs::metadata(file).and_then(|file| file.modified()).ok();
    assert!(
        changed(&program) >= changed(Path::new(&source)),
        "{name} is not built: run `cargo build -p mealybug-core --examples`"
    );
    program
}

/// Whether a line has the parts between the `…` of a pattern, from its start to its end.
fn matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    if !pattern.contains('…') {
        return rest.is_empty();
    }
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    pattern.ends_with('…') || rest.is_empty()
}
