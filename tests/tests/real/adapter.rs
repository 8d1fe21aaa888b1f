//! The adapters that the documentation shows, written in another language than ours.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mealybug::machine::{Machine, separate};
use mealybug_tests::needs::{Need, all_there};
use mealybug_tests::tool::{mealybug, succeed};
use mealybug_tests::{golden, model};
use tempfile::TempDir;

const NEEDS: &[Need] = &[Need { what: "python3", package: "python3-minimal" }];

#[test]
fn the_programs_in_the_documentation_are_learned() {
    if !all_there("the adapters in docs/", NEEDS) {
        return;
    }
    let connections = include_str!("../../../docs/connections.md");
    let how_to = include_str!("../../../docs/device-adapter.md");
    for (docs, states, inputs) in [(connections, 2, "press look"), (how_to, 5, "1 2 enter close")] {
        let program = docs.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("lock.py"), program.unwrap()).unwrap();
        let run = mealybug()
            .args(["learn", "--adapter", "python3 lock.py", "--out", "run"])
            .args(["--tests-in-a-row", "300"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let model = model(&folder.path().join("run/model.dot"));
        assert_eq!((model.states(), model.inputs().join(" ")), (states, inputs.to_owned()));
    }
}

/// A file of the adapters that are there to be copied.
fn adapters(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/adapters").join(name)
}

/// The header and the parser in docs/own-tests.md, with all warnings, as C and as C++.
#[test]
fn the_parser_in_c_is_learned_and_tested() {
    let needs = |what, package| [Need { what, package }];
    if !all_there("the adapter in C", &needs("cc", "gcc")) {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let compile = |compiler: &str, arguments: &[&str]| {
        let mut command = Command::new(compiler);
        command.args(arguments).args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o", "parser"]);
        command.arg("-I").arg(adapters("")).arg(adapters("examples/parser.c"));
        succeed(command.current_dir(folder.path()));
    };
    if all_there("the adapter in C++", &needs("c++", "g++")) {
        compile("c++", &["-x", "c++", "-std=c++11"]);
    }
    compile("cc", &["-std=c99"]);
    let call = |arguments: &[&str]| {
        let mut command = mealybug();
        command.args(arguments).args(["--adapter", "./parser"]).current_dir(folder.path());
        command.output().expect("it starts")
    };
    let learned = call(&["learn", "--out", "run"]);
    assert!(learned.status.success(), "{}", String::from_utf8_lossy(&learned.stderr));
    let learned = model(&folder.path().join("run/model.dot"));
    // It is the parser in Rust, but for the names of its replies.
    assert_eq!(learned.states(), parser_in_rust().states());
    assert_eq!(learned.inputs(), ["O", "N", "F", "\\r", "?"]);
    let tested = call(&["test", "run/model.dot"]);
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stdout));
}

fn parser_in_rust() -> Machine {
    golden("../../host/tests/models/command-parser.dot")
}

/// The module for pytest and the lock in docs/own-tests.md.
#[test]
fn the_lock_in_python_is_compared_with_its_model() {
    if !all_there("the module for pytest", NEEDS) {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    fs::copy(adapters("mealybug_adapter.py"), file("mealybug_adapter.py")).expect("a copy");
    fs::copy(adapters("examples/test_lock.py"), file("test_lock.py")).expect("a copy");
    let call = |variables: &[(&str, &str)]| call_python(folder.path(), "test_lock", variables);
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();

    let missing = said(&call(&[]));
    assert!(missing.contains("there is no model ") && missing.contains("=1 pytest"), "{missing}");
    let refused = said(&call(&[("MEALYBUG_UPDATE", "1"), ("CI", "true")]));
    assert!(refused.contains("CI is set as well"), "{refused}");
    assert!(!file("models").exists());
    let written = call(&[("MEALYBUG_UPDATE", "1")]);
    assert!(written.status.success(), "{}", said(&written));
    let lock = model(&file("models/lock.dot"));
    assert_eq!((lock.states(), lock.inputs().join(" ")), (5, "ONE TWO ENTER CLOSE".to_owned()));
    let passed = call(&[("CI", "true")]);
    assert!(passed.status.success(), "{}", said(&passed));

    let text = fs::read_to_string(file("test_lock.py")).expect("a file");
    let changed = text.replace("typed == [Key.ONE, Key.TWO]", "typed == [Key.TWO]");
    assert_ne!(changed, text);
    fs::write(file("test_lock.py"), &changed).expect("a file");
    let failed = said(&call(&[]));
    assert!(failed.contains("DIFFERENT after a reset and `TWO ENTER`"), "{failed}");
    assert!(failed.contains("If the device is right: MEALYBUG_UPDATE=1 pytest"), "{failed}");
    let written = call(&[("MEALYBUG_UPDATE", "1")]);
    assert!(written.status.success(), "{}", said(&written));
    assert_ne!(separate(&model(&file("models/lock.dot")), &lock), Ok(None));

    // An error of the device is that of the test, and ends it at once.
    let broken = text.replace("if self.is_open:", "if self.is_opne:");
    fs::write(file("test_lock.py"), broken).expect("a file");
    let failed = said(&call(&[]));
    assert!(failed.contains("AttributeError") && failed.contains("in press"), "{failed}");
    let mut left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    left.retain(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name() != "__pycache__"));
    assert_eq!(left.len(), 3, "no files are left: {left:?}");
}

/// Calls the test in a module as pytest does.
fn call_python(folder: &Path, module: &str, variables: &[(&str, &str)]) -> Output {
    let program = mealybug().get_program().to_owned();
    let place = Path::new(&program).parent().expect("a folder");
    let mut path = OsString::from(place);
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let script = format!("import {module}; {module}.test_the_lock_does_what_its_model_says()");
    let mut python = Command::new("python3");
    python.args(["-c", &script]).current_dir(folder).env("PATH", path);
    python.env_remove("CI").env_remove("MEALYBUG_UPDATE").envs(variables.iter().copied());
    python.output().expect("it starts")
}
