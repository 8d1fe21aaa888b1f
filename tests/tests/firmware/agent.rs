//! The host learns through an agent in QEMU. The device is in another QEMU or built into the agent.

use std::fs;
use std::path::Path;
use std::process::Command;

use mealybug_tests::board::{EmulatedBoard, LearnerBoard, all_built};
use mealybug_tests::cable::{Socket, lossy};
use mealybug_tests::learned::{assert_golden, equals_golden, statistics};
use mealybug_tests::tool::{Running, succeed};
use mealybug_tests::{device_file, tool};
use tempfile::TempDir;

/// The command that learns through the agent at this port; with the device file of this name, if
/// any.
fn learn(port: &Path, name: Option<&str>) -> Command {
    let mut command = learn_alone(port, name);
    command.arg("--agent");
    command
}

/// The command that learns a device at a port, without an agent.
fn learn_alone(port: &Path, name: Option<&str>) -> Command {
    let mut command = tool::mealybug();
    command.args(["learn", "--port"]).arg(port);
    command.args(name.map(|name| device_file(name).join("device.toml")));
    command
}

/// Learns a device attached to the agent, with these options; the result must be its golden model.
fn learns(name: &str, options: &[&str]) {
    if all_built(&format!("learning {name} through an agent"), &["agent", name]) {
        let device = EmulatedBoard::start(name).expect("QEMU runs the device");
        let agent = LearnerBoard::start_at(device.port(), "agent").expect("QEMU runs the agent");
        let mut command = learn(agent.host_port(), Some(name));
        equals_golden(name, command.args(options)).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn the_boot_loader() {
    learns("boot-loader", &["--tests", "wp:1"]);
}

#[test]
fn the_motor() {
    learns("motor", &["--tests-in-a-row", "300"]);
}

/// Each `wait` takes 0.7 s because of the lock-out.
#[test]
fn the_door_lock() {
    learns("door-lock", &["--tests-in-a-row", "50"]);
}

/// A device in the agent's own program, which also names its inputs. Its time passes only by
/// `wait`, so the usual number of tests is possible.
#[test]
fn a_device_that_is_built_in() {
    if all_built("learning a device that is built into an agent", &["agent-door-lock"]) {
        let agent = LearnerBoard::start("agent-door-lock").expect("QEMU runs the agent");
        let mut command = learn(agent.host_port(), None);
        equals_golden("door-lock", command.args(["--algorithm", "ol-star", "--tests", "wp:1"]))
            .unwrap_or_else(|error| panic!("{error}"));
        // With a device file the command says that the agent needs none.
        let ended = learn(agent.host_port(), Some("door-lock")).output().expect("it starts");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(said.contains("its device is built into its program"), "{said}");
    }
}

/// The words that a session asks do not depend on how many are in flight. Those of this learner do not depend on how long they take
/// either, as on a busy machine.
#[test]
fn the_same_seed_asks_the_same_words_as_without_an_agent() {
    if !all_built("the words of an agent", &["agent", "motor"]) {
        return;
    }
    let device = EmulatedBoard::start("motor").expect("QEMU runs the device");
    let folder = TempDir::new().expect("a folder");
    let transcript = |mut command: Command, name: &str| {
        let out = folder.path().join(name);
        command.args(["--algorithm", "ol-star", "--tests", "random-wp", "--tests-in-a-row", "400"]);
        succeed(command.args(["--seed", "11", "--out"]).arg(&out));
        fs::read_to_string(out.join("transcript.txt")).expect("it is written")
    };
    let alone = transcript(learn_alone(device.port(), Some("motor")), "alone");
    let agent = LearnerBoard::start_at(device.port(), "agent").expect("QEMU runs the agent");
    let through = transcript(learn(agent.host_port(), Some("motor")), "through");
    assert!(alone.lines().count() > 500, "{} lines", alone.lines().count());
    assert!(alone == through, "other words, or in another order");
}

/// The line between host and agent loses one byte in a thousand, both ways.
#[test]
fn a_line_that_loses_bytes() {
    if !all_built("a line to an agent that loses bytes", &["agent-door-lock"]) {
        return;
    }
    let agent = LearnerBoard::start("agent-door-lock").expect("QEMU runs the agent");
    let (line, _) = lossy(agent.host_port()).expect("two ports");
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    succeed(learn(line.path(), None).arg("--out").arg(&out));
    assert_golden("door-lock", &out);
    let statistics = statistics(&out);
    assert_eq!(statistics["contradictions"], 0, "no answer was taken for another");
    assert!(statistics["warnings"].to_string().contains("lost"), "{statistics:#}");
}

/// The board loses power for a moment: the new agent knows nothing, not even the device.
#[test]
fn an_agent_that_is_killed_and_comes_back() {
    if !all_built("an agent that is killed", &["agent", "motor"]) {
        return;
    }
    let device = EmulatedBoard::start("motor").expect("QEMU runs the device");
    let start = || LearnerBoard::start_at(device.port(), "agent").expect("QEMU runs the agent");
    let socket = Socket::new().expect("a pseudo-terminal");
    let agent = start();
    socket.plug(agent.host_port()).expect("a port");
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let mut command = learn(socket.port(), Some("motor"));
    command.args(["--tests-in-a-row", "300", "--out"]).arg(&out);
    let host = Running::until(&mut command, "hypothesis 1:");
    drop(agent);
    let agent = start();
    socket.plug(agent.host_port()).expect("a port");
    let (status, said) = host.end();
    assert_eq!(status, Some(0), "{said}");
    assert_golden("motor", &out);
}

/// An agent that does not come back ends the run; another agent resumes it.
#[test]
fn an_agent_that_is_killed_for_good() {
    if !all_built("an agent that dies", &["agent-door-lock"]) {
        return;
    }
    let agent = LearnerBoard::start("agent-door-lock").expect("QEMU runs the agent");
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let mut command = learn(agent.host_port(), None);
    command.args(["--tests-in-a-row", "unlimited", "--absence", "100ms", "--out"]).arg(&out);
    let host = Running::until(&mut command, "hypothesis 1:");
    drop(agent);
    let (status, said) = host.end();
    assert_eq!(status, Some(5), "{said}");
    assert!(said.contains("the line to the agent failed"), "{said}");

    let agent = LearnerBoard::start("agent-door-lock").expect("QEMU runs the agent");
    let mut command = tool::mealybug();
    command.args(["learn", "--resume"]).arg(&out).arg("--port").arg(agent.host_port());
    succeed(command.args(["--tests-in-a-row", "1000"]));
    assert_golden("door-lock", &out);
}
