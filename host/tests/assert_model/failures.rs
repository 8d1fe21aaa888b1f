//! What the users of `assert_model!` see, in a process of their own: variables belong to all its tests.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mealybug::{Device, assert_model};

/// Where the tests that are called from here have their model.
const MODEL: &str = "MEALYBUG_TEST_MODEL";

/// Calls one of the ignored tests.
fn call(test: &str, model: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    command.env_remove("MEALYBUG_UPDATE").env_remove("CI").env(MODEL, model);
    command.envs(variables.iter().copied()).output().expect("it starts")
}

/// The model of a test that is called from here; none where all ignored tests are run, as `tests/run full` does.
fn given_model() -> Option<PathBuf> {
    env::var_os(MODEL).map(PathBuf::from)
}

fn toggle(is_on: &mut bool, input: &str) -> bool {
    *is_on ^= input == "press";
    *is_on
}

#[test]
#[ignore = "called by another test"]
fn lamp() {
    let Some(model) = given_model() else { return };
    assert_model!(model, Device::from_fn(["press", "look"], bool::default, toggle));
}

#[test]
#[ignore = "called by another test"]
fn panics() {
    let Some(model) = given_model() else { return };
    let up = |count: &mut u8, _| {
        assert!(*count < 2, "an assertion of the firmware");
        *count += 1;
        *count
    };
    assert_model!(model, Device::from_fn(["up"], u8::default, up));
}

#[test]
fn the_model_is_written_when_the_variable_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("lamp.dot");
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();

    let missing = call("failures::lamp", &model, &[]);
    assert!(!missing.status.success());
    let hint = "To write what the device does now: MEALYBUG_UPDATE=1 cargo test";
    assert!(said(&missing).contains(hint), "{}", said(&missing));
    // The place of the user's macro, not one in this library.
    assert!(said(&missing).contains("assert_model/failures.rs:"), "{}", said(&missing));

    let refused = call("failures::lamp", &model, &[("MEALYBUG_UPDATE", "1"), ("CI", "true")]);
    assert!(!refused.status.success() && !model.exists(), "{}", said(&refused));

    let written = call("failures::lamp", &model, &[("MEALYBUG_UPDATE", "1"), ("CI", "false")]);
    assert!(written.status.success() && model.exists(), "{}", said(&written));
    assert!(said(&written).contains("is written, 2 states"), "{}", said(&written));

    let passed = call("failures::lamp", &model, &[("CI", "true")]);
    assert!(passed.status.success(), "{}", said(&passed));
    let left = folder.path().read_dir().expect("a folder").count();
    assert_eq!(left, 1, "no files are left but the model");
}

#[test]
fn a_panic_of_the_device_comes_with_its_word() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("up.dot");
    let output = call("failures::panics", &model, &[("MEALYBUG_UPDATE", "1")]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("an assertion of the firmware"), "{said}");
    assert!(said.contains("the device panicked after a reset and `up up up`"), "{said}");
    assert!(!model.exists());
}
