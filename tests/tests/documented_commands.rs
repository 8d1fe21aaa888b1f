//! The commands in the documents are commands that the programs take, and those that need no device work.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use mealybug_tests::repository::root;
use mealybug_tests::tool::{mealybug, mealybug_bench, succeed};
use tempfile::TempDir;

/// Beside the pages in `docs`, from the root of the repository.
const DOCUMENTS: [&str; 7] = [
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "core/README.md",
    "firmware/README.md",
    "tests/bench/README.md",
    "tests/peers/README.md",
];

/// Commands that begin so need neither a device nor models of others.
const NEED_NOTHING: [&str; 7] = [
    "mealybug compile ",
    "mealybug demo",
    "mealybug diff ",
    "mealybug learn --model ",
    "mealybug ports",
    "mealybug show ",
    "mealybug-bench generate ",
];

fn documents() -> Vec<String> {
    let pages = fs::read_dir(root().join("docs")).expect("the pages");
    let pages =
        pages.map(|page| page.expect("an entry").file_name().to_string_lossy().into_owned());
    let pages = pages.filter(|page| page.ends_with(".md")).map(|page| format!("docs/{page}"));
    let mut documents: Vec<_> = DOCUMENTS.map(str::to_owned).into_iter().chain(pages).collect();
    documents.sort();
    documents
}

/// Calls `use_command` with each command in the documents' blocks of code, and says how many there are.
fn each_command(mut use_command: impl FnMut(&str)) -> usize {
    let mut count = 0;
    for document in documents() {
        for block in text_of(&document).split("```").skip(1).step_by(2) {
            for line in block.replace("\\\n", " ").lines() {
                let line = line.trim_start().trim_start_matches("$ ").trim_start_matches("- ");
                let line = line.trim_start_matches("run: ");
                let line = line.replacen("cargo run --release -p mealybug -- ", "mealybug ", 1);
                if line.starts_with("mealybug ") || line.starts_with("mealybug-bench ") {
                    // What comes after it, such as `jq`, may be missing.
                    use_command(line.split(" | ").next().unwrap_or_default());
                    count += 1;
                }
            }
        }
    }
    count
}

fn text_of(document: &str) -> String {
    fs::read_to_string(root().join(document)).expect(document)
}

/// Calls a command from a shell, without a terminal, in `folder`.
fn call(command: &str, folder: &Path) -> Output {
    let (program, arguments) = command.split_once(' ').expect("arguments");
    let program = program_named(program);
    // A name stands for its value. Ports of this machine are left alone.
    let arguments = arguments.replace('$', "").replace("/dev/", "dev/");
    let script = format!("{} {arguments}", program.get_program().display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(folder).stdin(Stdio::null());
    shell.output().expect("a shell")
}

fn program_named(name: &str) -> Command {
    if name == "mealybug" { mealybug() } else { mealybug_bench() }
}

/// Without their files commands end at once; what clap refuses it says so.
#[test]
fn every_command_is_understood() {
    let mut refused = String::new();
    let count = each_command(|command| {
        let folder = TempDir::new().expect("a folder");
        let output = call(command, folder.path());
        let complaint = String::from_utf8_lossy(&output.stderr);
        if complaint.lines().any(|line| line.starts_with("error: ")) {
            refused.push_str(&format!("{command}\n{complaint}\n"));
        }
    });
    assert!(refused.is_empty(), "{refused}");
    assert!(count > 80, "{count} commands");
}

#[test]
fn commands_without_a_device_work() {
    let folder = TempDir::new().expect("a folder");
    let lock = text_of("tests/devices/door-lock/golden.dot").replace("/open\"", "/opened\"");
    let models =
        ["broken.dot", "golden.dot", "lamp.dot", "lock.dot", "model.dot", "random-5-5-6.dot"];
    for name in models {
        fs::write(folder.path().join(name), &lock).expect("it is written");
    }
    let device = text_of("tests/devices/door-lock/device.toml");
    fs::write(folder.path().join("lock.toml"), &device).expect("it is written");
    let washer = text_of("tests/devices/washer/device.toml");
    fs::write(folder.path().join("washer.toml"), washer).expect("it is written");
    for run in ["mealybug-runs/lock-1", "lock-run", "new-run", "out"] {
        let mut learn = mealybug();
        learn.args(["learn", "--model", "golden.dot", "--projections", "per-output", "--out", run]);
        succeed(learn.current_dir(folder.path()));
    }
    let mut failed = String::new();
    let mut worked = BTreeSet::new();
    let mut called = BTreeSet::new();
    each_command(|command| {
        // Pages begin with the same run.
        if !called.insert(command.to_owned()) {
            return;
        }
        let Some(beginning) = NEED_NOTHING.iter().find(|begin| command.starts_with(**begin)) else {
            return;
        };
        // Graphviz may be missing, and only a target leaves a capture.
        if command.contains("--engine dot") || command.contains(" capture") {
            return;
        }
        let output = call(command, folder.path());
        // `diff` ends with 1 if models differ.
        let is_well = match output.status.code() {
            Some(0) => true,
            Some(1) => *beginning == "mealybug diff ",
            _ => false,
        };
        if is_well {
            worked.insert(beginning);
        } else {
            failed.push_str(&format!("{command}\n{}\n", String::from_utf8_lossy(&output.stderr)));
        }
    });
    assert!(failed.is_empty(), "{failed}");
    assert_eq!(worked.len(), NEED_NOTHING.len(), "{worked:?}");
}

/// Commands in sentences may lack arguments; their subcommands and options exist.
#[test]
fn every_command_in_a_sentence_exists() {
    let mut unknown = String::new();
    let mut count = 0;
    for document in documents() {
        let text = text_of(&document);
        let prose: String = text.split("```").step_by(2).collect();
        for span in prose.split('`').skip(1).step_by(2) {
            let mut words = span.split_whitespace();
            let Some(program @ ("mealybug" | "mealybug-bench")) = words.next() else { continue };
            let words: Vec<_> = words.collect();
            let is_subcommand = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase());
            let subcommands = words.iter().take_while(is_subcommand);
            let output =
                program_named(program).args(subcommands).arg("--help").output().expect("it starts");
            let help = String::from_utf8_lossy(&output.stdout);
            let is_known = |option: &str| {
                help.split(|c: char| c != '-' && !c.is_alphanumeric()).any(|word| word == option)
            };
            // An option of a program that is called is followed by a quotation mark.
            let options = words.iter().map(|word| word.trim_end_matches('\''));
            let options = options.filter(|word| word.starts_with("--"));
            for option in options.filter(|option| !is_known(option)) {
                unknown.push_str(&format!("{document}: `{span}`: {option}\n"));
            }
            if !output.status.success() {
                unknown.push_str(&format!("{document}: `{span}`\n"));
            }
            count += 1;
        }
    }
    assert!(unknown.is_empty(), "{unknown}");
    assert!(count > 40, "{count} commands");
}
