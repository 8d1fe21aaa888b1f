//! Faults while a target learns. The messages of its host must be those of the host's own learner
//! wherever that can have the same fault.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Output;

use mealybug::events::Event;
use mealybug_tests::board::{EmulatedBoard, LearnerBoard, all_built};
use mealybug_tests::cable::{Socket, connect, lossy};
use mealybug_tests::learned::{assert_golden, statistics, target};
use mealybug_tests::simulated::SimulateCommand;
use mealybug_tests::tool::{Running, succeed, unwrapped};
use mealybug_tests::{device_file, model, tool};
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

/// The output of a command on both streams.
fn said(ended: &Output) -> String {
    [&ended.stdout[..], &ended.stderr].map(String::from_utf8_lossy).concat()
}

/// A machine whose states answer alike until the first of eight inputs has come three times. Then
/// each of the next two inputs leads to a state of its own, with its own answer to each input.
fn deep() -> String {
    let mut dot = "digraph deep {\n".to_owned();
    let mut edge = |from: &str, to: &str, input: usize, output: &str| {
        writeln!(dot, "{from} -> {to} [label=\"i{input} / {output}\"];").expect("a string");
    };
    for input in 0..8 {
        let next = |to: &'static str| if input == 0 { to } else { "a" };
        edge("a", next("b"), input, "no");
        edge("b", next("c"), input, "no");
        edge("c", next("d"), input, "no");
        edge("d", &format!("d{input}"), input, "no");
        for second in 0..8 {
            edge(&format!("d{input}"), &format!("e{input}{second}"), second, "no");
            for third in 0..8 {
                let output = format!("the_answer_to_{input}{second}{third}");
                edge(&format!("e{input}{second}"), "a", third, &output);
            }
        }
    }
    dot + "}\n"
}

/// The learner computes for two minutes of the board's time before it says so, and its watchdog waits.
#[test]
fn the_memory_is_full() {
    if !all_built("the memory of a target is full", &["learner"]) {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("deep.dot"), deep()).expect("there is room");
    let device =
        SimulateCommand::start(&path("deep.dot"), &path("deep.toml"), &[]).expect("it is played");
    let learner = LearnerBoard::start_slow("learner").expect("QEMU runs the learner");
    connect(learner.device_port(), device.port()).expect("both ports are there");
    let ended = target(learner.host_port(), &path("out")).arg(path("deep.toml")).output();
    let ended = ended.expect("it starts");
    let said = said(&ended);
    assert_eq!(ended.status.code(), Some(3), "{said}");
    let reason = "NOT converged: the target has 49 152 bytes of memory, and ";
    assert!(said.contains(reason), "{said}");
    assert_eq!(model(&path("out/model.dot")).states(), 1, "the last hypothesis");

    let mut command = tool::mealybug();
    command
        .args(["learn", "--algorithm", "ol-star", "--memory", "48K", "--model"])
        .arg(path("deep.dot"));
    let ended = command.arg("--out").arg(path("host")).output().expect("it starts");
    assert_eq!(ended.status.code(), Some(3), "{}", self::said(&ended));
    let [target, host] = ["out", "host"].map(|name| statistics(&path(name)));
    for what in ["converged", "why", "rounds", "hypotheses", "outputs"] {
        assert_eq!(target[what], host[what], "{what}");
    }
}

/// One answer in fifty is wrong. The host asks again; a target has no memory for what it has asked.
#[test]
fn a_device_that_contradicts_itself() {
    if !all_built("a device at a target that contradicts itself", &["learner"]) {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let golden = device_file("motor/golden.dot");
    let device = SimulateCommand::start(&golden, &path("motor.toml"), &["--fault", "wrong:0.02"]);
    let device = device.expect("it is played");
    let learner = LearnerBoard::start_at(device.port(), "learner").expect("QEMU runs the learner");
    let mut command = target(learner.host_port(), &path("out"));
    let ended = command.arg("--json").arg(path("motor.toml")).output().expect("it starts");
    let text = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(4), "{text}");
    let text = unwrapped(&text);
    let (before, now) = text
        .split_once("the device contradicts itself: it answered `")
        .and_then(|(_, answers)| answers.split_once("` now, at"))
        .and_then(|(answers, _)| answers.split_once("` before and `"))
        .unwrap_or_else(|| panic!("{text}"));
    let outputs = fs::read_to_string(&golden).expect("it is there");
    for output in [before, now] {
        assert!(outputs.contains(&format!("/{output}\"")), "{output:?} is no output of {golden:?}");
    }
    assert_ne!(before, now);
    assert!(text.contains("does each [[reset]] really bring it to the same state"), "{text}");
    let events = String::from_utf8(ended.stdout).expect("text");
    let events: Vec<Value> =
        events.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for event in &events {
        let typed = Event::deserialize(event).unwrap_or_else(|error| panic!("{error}: {event}"));
        assert_eq!(&serde_json::to_value(typed).expect("JSON"), event);
    }
    let kinds: Vec<_> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"start"), Some(&"end")), "{kinds:?}");
    let last = events.last().expect("there are some");
    assert_eq!((&last["converged"], &last["why"]), (&false.into(), &"contradiction".into()));
    assert_eq!(events[0]["command"], "target");
    assert_eq!(events[0]["inputs"].as_array().map(Vec::len), Some(8));
}

/// A learner that learns the motor, and continues testing until something happens.
struct TestingLearner {
    device: Option<EmulatedBoard>,
    learner: Option<LearnerBoard>,
    host: Running,
    folder: TempDir,
}

impl TestingLearner {
    /// Starts everything and waits for the first hypothesis.
    fn start() -> Self {
        Self::start_at(None)
    }

    /// The same, with a line between the learner and its host.
    fn start_at(line: Option<&Socket>) -> Self {
        let device = EmulatedBoard::start("motor").expect("QEMU runs the device");
        let learner =
            LearnerBoard::start_at(device.port(), "learner").expect("QEMU runs the learner");
        let folder = TempDir::new().expect("a folder");
        if let Some(line) = line {
            line.plug(learner.host_port()).expect("the learner's port");
        }
        let port = line.map_or(learner.host_port(), Socket::port);
        let mut command = target(port, &folder.path().join("out"));
        command.args(["--tests-in-a-row", "unlimited"]).arg(device_file("motor/device.toml"));
        let host = Running::until(&mut command, "hypothesis");
        Self { device: Some(device), learner: Some(learner), host, folder }
    }

    /// Waits for the command to end; returns its status and output.
    fn end(self) -> (Option<i32>, String, TempDir) {
        let (status, said) = self.host.end();
        (status, said, self.folder)
    }
}

/// Learns the motor completely.
fn learns_the_motor(port: &Path, out: &Path) {
    let options = ["--again", "--tests-in-a-row", "300"];
    succeed(target(port, out).args(options).arg(device_file("motor/device.toml")));
    assert_golden("motor", out);
}

#[test]
fn a_device_that_dies_and_comes_back() {
    if all_built("a device that dies at a target", &["learner", "motor"]) {
        let mut running = TestingLearner::start();
        running.device = None;
        let learner = running.learner.take().expect("it runs");
        let (status, said, folder) = running.end();
        assert_eq!(status, Some(5), "{said}");
        assert!(said.contains("the device at the target failed"), "{said}");
        assert!(folder.path().join("out/model.dot").is_file(), "the last hypothesis");

        let device = EmulatedBoard::start("motor").expect("QEMU runs the device");
        connect(learner.device_port(), device.port()).expect("two ports");
        learns_the_motor(learner.host_port(), &folder.path().join("again"));
    }
}

/// The learner's line is a pseudo-terminal that stays, like the port of a board that resets.
#[test]
fn a_learner_that_dies_and_comes_back() {
    if all_built("a target that dies", &["learner", "motor"]) {
        let line = Socket::new().expect("a pseudo-terminal");
        let mut running = TestingLearner::start_at(Some(&line));
        let again = LearnerBoard::start("learner").expect("QEMU runs the learner");
        running.learner = None;
        line.plug(again.host_port()).expect("the learner's port");
        let device = running.device.take().expect("it runs");
        let (status, said, folder) = running.end();
        assert_eq!(status, Some(5), "{said}");
        assert!(said.contains("the target has started anew, and its run is lost"), "{said}");
        assert!(said.contains("What was learned so far is in"), "{said}");
        let out = folder.path().join("out");
        for file in ["model.dot", "hypotheses/1.dot", "report.html", "device.toml"] {
            assert!(out.join(file).is_file(), "{file}");
        }
        let statistics = statistics(&out);
        assert_eq!(statistics["why"], "target-lost");
        assert_eq!(statistics["reason"], "the target was lost from view");

        connect(again.device_port(), device.port()).expect("two ports");
        learns_the_motor(line.port(), &folder.path().join("again"));
    }
}

#[test]
fn a_learner_that_is_gone() {
    if all_built("a target that is gone", &["learner", "motor"]) {
        let mut running = TestingLearner::start();
        running.learner = None;
        let (status, said, folder) = running.end();
        assert_eq!(status, Some(5), "{said}");
        assert!(said.contains("the line to the target failed"), "{said}");
        assert!(folder.path().join("out/model.dot").is_file(), "the last hypothesis");
    }
}

#[test]
fn ctrl_c_stops_the_learner_and_fetches_what_it_has() {
    if all_built("Ctrl-C while a target learns", &["learner", "motor"]) {
        let running = TestingLearner::start();
        running.host.interrupt();
        let (status, said, folder) = running.end();
        assert_eq!(status, Some(130), "{said}");
        assert!(folder.path().join("out/model.dot").is_file());
    }
}

/// The line between host and target loses one byte in a thousand, both ways.
#[test]
fn a_line_that_loses_bytes() {
    if !all_built("a line to a target that loses bytes", &["learner", "boot-loader"]) {
        return;
    }
    let device = EmulatedBoard::start("boot-loader").expect("QEMU runs the device");
    let learner = LearnerBoard::start_at(device.port(), "learner").expect("QEMU runs the learner");
    let (line, came) = lossy(learner.host_port()).expect("two ports");
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    succeed(target(line.path(), &out).arg(device_file("boot-loader/device.toml")));
    assert_golden("boot-loader", &out);
    let warnings = statistics(&out)["warnings"].to_string();
    assert!(warnings.contains("frames of the target were lost"), "{warnings}");

    // The bytes on the line give the same result, even from the middle of a frame on.
    let capture = folder.path().join("capture");
    std::fs::write(&capture, &came.lock().expect("a list")[3..]).expect("there is room");
    let show = |file: &Path, options: &[&str]| {
        let shown = succeed(tool::mealybug().arg("show").arg(file).args(options));
        String::from_utf8(shown.stdout).expect("text")
    };
    let shown = show(&capture, &[]);
    for what in
        ["hypothesis 1, ", "LOST: a frame was damaged", "the run is over", "this is the result:"]
    {
        assert!(shown.contains(what), "no {what:?} in\n{shown}");
    }
    // A line has whole replies; the host adds the names.
    let dot = ["--format", "dot"];
    let named = show(&capture, &dot).replace(r"\\r\\n>%20", "");
    assert_eq!(named, show(&out.join("result.postcard"), &dot));
}
