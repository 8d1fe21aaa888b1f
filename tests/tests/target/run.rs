//! The runs of a target, as its host sees them.

use std::fs;
use std::path::Path;
use std::process::Command;

use mealybug_adapters::Conversation;
use mealybug_devices::motor::Motor;
use mealybug_tests::learned::{assert_golden, target};
use mealybug_tests::target::{InMemory, start};
use mealybug_tests::tool::{Running, mealybug, succeed};
use mealybug_tests::{device_file, golden};
use tempfile::TempDir;

/// The command that lets the target at this address learn the motor, with its device file.
fn learn(address: &str, out: &Path) -> Command {
    let mut command = target(Path::new(address), out);
    command.arg(device_file("motor/device.toml"));
    command
}

/// What a command says that must end with this status.
fn ends(status: i32, command: &mut Command) -> String {
    let ended = command.output().expect("it starts");
    let said = [&ended.stdout[..], &ended.stderr].map(String::from_utf8_lossy).concat();
    assert_eq!(ended.status.code(), Some(status), "{said}");
    said
}

/// All files of a run call the outputs as the device file does, whoever started the run.
#[test]
fn outputs_have_their_names_whenever_the_host_comes() {
    let address = start(InMemory::<Motor>::conversation()).expect("a port is free");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let result = |name: &str| fs::read(out(name).join("result.postcard")).expect("it is written");
    succeed(&mut learn(&address, &out("first")));
    assert_golden("motor", &out("first"));
    succeed(mealybug().arg("diff").args([out("first"), device_file("motor/golden.dot")]));

    // Without the device file the replies are as they came.
    succeed(&mut target(Path::new(&address), &out("raw")));
    assert_ne!(result("raw"), result("first"));
    let golden = golden("motor/golden.dot");
    assert!(golden.outputs().iter().any(|output| output == "stopped"), "{:?}", golden.outputs());

    // The run is not repeated, and gets its names again.
    let said = ends(0, &mut learn(&address, &out("again")));
    assert!(said.contains("the result of the target's last run"), "{said}");
    assert_eq!(result("again"), result("first"));
    let said = ends(0, learn(&address, &out("anew")).args(["--again", "--seed", "9"]));
    assert!(!said.contains("last run"), "{said}");
    assert_ne!(result("anew"), result("first"));
    assert_golden("motor", &out("anew"));
}

#[test]
fn a_run_whose_host_was_killed_is_watched_with_names() {
    let address = start(InMemory::<Motor>::conversation()).expect("a port is free");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let mut first = learn(&address, &out("first"));
    let host = Running::until(first.args(["--tests-in-a-row", "unlimited"]), "hypothesis 1:");
    host.kill();

    let said = ends(3, learn(&address, &out("second")).args(["--max-time", "1s"]));
    assert!(said.contains("the target is learning"), "{said}");
    assert_golden("motor", &out("second"));
}

#[test]
fn a_run_by_another_device_file_is_not_taken_for_this_one() {
    let address = start(InMemory::<Motor>::conversation()).expect("a port is free");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let text = fs::read_to_string(device_file("motor/device.toml")).expect("it is there");
    let other = out("other.toml");
    fs::write(&other, text.replace("stop = \"stop\\r\"\n", "")).expect("there is room");
    let with_other = |out: &Path| {
        let mut command = target(Path::new(&address), out);
        command.arg(&other).args(["--tests-in-a-row", "unlimited"]);
        command
    };
    let host = Running::until(&mut with_other(&out("one")), "hypothesis 1:");
    host.kill();
    let said = ends(1, &mut learn(&address, &out("two")));
    assert!(said.contains("the target refuses a rule: it is learning"), "{said}");
    ends(3, with_other(&out("three")).args(["--max-time", "10ms"]));
    succeed(&mut learn(&address, &out("four")));
    assert_golden("motor", &out("four"));
}

/// The rules are in the program of the board; the device file names the outputs.
#[test]
fn a_program_with_rules_gets_names_from_the_device_file() {
    let rules = fs::read(device_file("motor/device.rules")).expect("mealybug compile wrote it");
    let device = Conversation::with_rules(InMemory::<Motor>::default(), &rules);
    let address = start(device).expect("a port is free");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    succeed(&mut target(Path::new(&address), &out("raw")));
    let said = ends(0, &mut learn(&address, &out("named")));
    assert!(said.contains("the result of the target's last run"), "{said}");
    assert_golden("motor", &out("named"));
}
