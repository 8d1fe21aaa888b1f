//! What goes wrong while a target learns, and what its host says of it: as the host's own learner does,
//! wherever the same can happen to it.

use std::fmt::Write;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::sync::Arc;
use std::thread;

use mealybug::machine::separate;
use mealybug_tests::board::{Board, Heard, Learner, all_built, connect, pass};
use mealybug_tests::pty::{Pty, open_raw};
use mealybug_tests::simulated::Simulated;
use mealybug_tests::{device_file, golden, model, tool};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// The command, with the learner at this port and a new folder for the results.
fn target(port: &Path, out: &Path) -> Command {
    let mut command = tool::mealybug();
    command.args(["target", "--port"]).arg(port).arg("--out").arg(out);
    command
}

/// What a command says to people, on both streams.
fn said(ended: &Output) -> String {
    [&ended.stdout[..], &ended.stderr].map(String::from_utf8_lossy).concat()
}

fn statistics(out: &Path) -> Value {
    let text = fs::read_to_string(out.join("statistics.json")).expect("it is written");
    serde_json::from_str(&text).expect("JSON")
}

/// All the same, until three times the first of eight inputs has come: then each of the next two
/// inputs leads to a state of its own, where each input has an answer of its own.
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

#[test]
fn the_memory_is_full() {
    if !all_built("the memory of a target is full", &["learner"]) {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("deep.dot"), deep()).expect("there is room");
    let device =
        Simulated::start(&path("deep.dot"), &path("deep.toml"), &[]).expect("it is played");
    let learner = Learner::start().expect("QEMU runs the learner");
    connect(learner.device_port(), device.port()).expect("two ports");
    let ended = target(learner.host_port(), &path("out")).arg(path("deep.toml")).output();
    let ended = ended.expect("it starts");
    let said = said(&ended);
    assert_eq!(ended.status.code(), Some(3), "{said}");
    let reason = "NOT converged: the target has 49 152 bytes of memory, and ";
    assert!(said.contains(reason), "{said}");
    assert_eq!(model(&path("out/model.dot")).states(), 1, "the last hypothesis");

    let mut command = tool::mealybug();
    command.args(["learn", "--memory", "48K", "--model"]).arg(path("deep.dot"));
    let ended = command.arg("--out").arg(path("host")).output().expect("it starts");
    assert_eq!(ended.status.code(), Some(3), "{}", self::said(&ended));
    let [target, host] = ["out", "host"].map(|name| statistics(&path(name)));
    for what in ["converged", "why", "rounds", "hypotheses", "outputs"] {
        assert_eq!(target[what], host[what], "{what}");
    }
}

/// One answer of fifty is wrong. The host asks again, a target has no room to remember what it asked.
#[test]
fn a_device_that_contradicts_itself() {
    if !all_built("a device at a target that contradicts itself", &["learner"]) {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let golden = device_file("motor/golden.dot");
    let device = Simulated::start(&golden, &path("motor.toml"), &["--fault", "wrong:0.02"]);
    let device = device.expect("it is played");
    let learner = Learner::start().expect("QEMU runs the learner");
    connect(learner.device_port(), device.port()).expect("two ports");
    let mut command = target(learner.host_port(), &path("out"));
    let ended = command.arg("--json").arg(path("motor.toml")).output().expect("it starts");
    let text = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(4), "{text}");
    assert!(text.contains("the device contradicts itself: it answered "), "{text}");
    assert!(text.contains("does each [[reset]] really bring it to the same state"), "{text}");
    let events = String::from_utf8(ended.stdout).expect("text");
    let events: Vec<Value> =
        events.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kinds: Vec<_> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"start"), Some(&"end")), "{kinds:?}");
    let last = events.last().expect("there are some");
    assert_eq!((&last["converged"], &last["why"]), (&false.into(), &"contradiction".into()));
    assert_eq!(events[0]["command"], "target");
    assert_eq!(events[0]["inputs"].as_array().map(Vec::len), Some(8));
}

/// A learner that learns the motor, and goes on testing until something happens.
struct Running {
    device: Option<Board>,
    learner: Option<Learner>,
    host: Child,
    said: BufReader<ChildStderr>,
    folder: TempDir,
}

impl Running {
    /// Starts all of it and waits for the first hypothesis.
    fn start() -> Self {
        Self::start_at(None)
    }

    /// The same, with a line between the learner and its host.
    fn start_at(line: Option<&Pty>) -> Self {
        let device = Board::start("motor").expect("QEMU runs the device");
        let learner = Learner::start().expect("QEMU runs the learner");
        connect(learner.device_port(), device.port()).expect("two ports");
        let folder = TempDir::new().expect("a folder");
        if let Some(line) = line {
            attach(line, &learner);
        }
        let port = line.map_or(learner.host_port(), Pty::path);
        let mut command = target(port, &folder.path().join("out"));
        command.args(["--tests-in-a-row", "unlimited"]).arg(device_file("motor/device.toml"));
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut host = command.spawn().expect("it starts");
        let mut said = BufReader::new(host.stderr.take().expect("it is piped"));
        let mut line = String::new();
        while !line.contains("hypothesis") {
            line.clear();
            assert_ne!(said.read_line(&mut line).expect("text"), 0, "it ended before a hypothesis");
        }
        Self { device: Some(device), learner: Some(learner), host, said, folder }
    }

    /// Waits for the end of the command: its status, and what it said.
    fn end(mut self) -> (Option<i32>, String, TempDir) {
        let mut said = String::new();
        self.said.read_to_string(&mut said).expect("text");
        (self.host.wait().expect("it was started").code(), said, self.folder)
    }
}

/// Learns the motor to the end.
fn learns_the_motor(port: &Path, out: &Path) {
    let mut command = target(port, out);
    let ended = command.arg(device_file("motor/device.toml")).output().expect("it starts");
    assert!(ended.status.success(), "{}", said(&ended));
    assert_eq!(separate(&golden("motor/golden.dot"), &model(&out.join("model.dot"))), Ok(None));
}

#[test]
fn a_device_that_dies_and_comes_back() {
    if all_built("a device that dies at a target", &["learner", "motor"]) {
        let mut running = Running::start();
        running.device = None;
        let learner = running.learner.take().expect("it runs");
        let (status, said, folder) = running.end();
        assert_eq!(status, Some(5), "{said}");
        assert!(said.contains("the device at the target failed"), "{said}");
        assert!(folder.path().join("out/model.dot").is_file(), "the last hypothesis");

        let device = Board::start("motor").expect("QEMU runs the device");
        connect(learner.device_port(), device.port()).expect("two ports");
        learns_the_motor(learner.host_port(), &folder.path().join("again"));
    }
}

/// Its line is a pseudo-terminal that stays, as a board's port does that is reset.
#[test]
fn a_learner_that_dies_and_comes_back() {
    if all_built("a target that dies", &["learner", "motor"]) {
        let line = Pty::open().expect("a pseudo-terminal");
        let mut running = Running::start_at(Some(&line));
        let again = Learner::start().expect("QEMU runs the learner");
        running.learner = None;
        attach(&line, &again);
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
        learns_the_motor(line.path(), &folder.path().join("again"));
    }
}

/// Passes on what a learner and its host say over a line.
fn attach(line: &Pty, learner: &Learner) {
    let far = || open_raw(learner.host_port()).expect("the learner's port");
    let near = || line.device().try_clone().expect("it is open");
    let (from_far, to_near, from_near, to_far) = (far(), near(), near(), far());
    thread::spawn(move || pass(from_far, to_near, |_| {}));
    thread::spawn(move || pass(from_near, to_far, |_| {}));
}

#[test]
fn a_learner_that_is_gone() {
    if all_built("a target that is gone", &["learner", "motor"]) {
        let mut running = Running::start();
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
        let running = Running::start();
        let host = Pid::from_child(&running.host);
        kill_process(host, Signal::INT).expect("it runs");
        let (status, said, folder) = running.end();
        assert_eq!(status, Some(130), "{said}");
        assert!(folder.path().join("out/model.dot").is_file());
    }
}

/// The line between host and target loses one byte of a thousand, both ways.
#[test]
fn a_line_that_loses_bytes() {
    if !all_built("a line to a target that loses bytes", &["learner", "boot-loader"]) {
        return;
    }
    let device = Board::start("boot-loader").expect("QEMU runs the device");
    let learner = Learner::start().expect("QEMU runs the learner");
    connect(learner.device_port(), device.port()).expect("two ports");
    let line = Pty::open().expect("a pseudo-terminal");
    let far = open_raw(learner.host_port()).expect("the learner's port");
    let near = || line.device().try_clone().expect("it is open");
    let from = far.try_clone().expect("it is open");
    let lose = || {
        let mut seen = 0;
        move |bytes: &mut Vec<u8>| {
            bytes.retain(|_| {
                seen += 1;
                seen % 1000 != 0
            });
        }
    };
    let (to_host, to_target) = (near(), near());
    let came = Heard::default();
    let (heard, mut lose_some) = (Arc::clone(&came), lose());
    thread::spawn(move || {
        pass(from, to_host, |bytes| {
            lose_some(bytes);
            heard.lock().expect("nobody panicked").extend(&*bytes);
        });
    });
    thread::spawn(move || pass(to_target, far, lose()));
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let mut command = target(line.path(), &out);
    let ended = command.arg(device_file("boot-loader/device.toml")).output().expect("it starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let learned = model(&out.join("model.dot"));
    assert_eq!(separate(&golden("boot-loader/golden.dot"), &learned), Ok(None));
    let statistics = std::fs::read_to_string(out.join("statistics.json")).expect("it is written");
    assert!(statistics.contains("frames of the target were lost"), "{statistics}");

    // What came on the line says the same, from the middle of a frame on.
    let capture = folder.path().join("capture");
    std::fs::write(&capture, &came.lock().expect("a list")[3..]).expect("there is room");
    let show = |file: &Path, options: &[&str]| {
        let shown = tool::mealybug().arg("show").arg(file).args(options).output();
        let shown = shown.expect("it starts");
        assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
        String::from_utf8(shown.stdout).expect("text")
    };
    let shown = show(&capture, &[]);
    for what in
        ["hypothesis 1, ", "LOST: a frame was damaged", "the run is over", "this is the result:"]
    {
        assert!(shown.contains(what), "no {what:?} in\n{shown}");
    }
    let dot = ["--format", "dot"];
    assert_eq!(show(&capture, &dot), show(&out.join("result.postcard"), &dot));
}
