//! The learner in one QEMU learns a device in another, and the host fetches what it learned.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;

use mealybug::device::{Device, Variables};
use mealybug::dot;
use mealybug::machine::{Machine, separate};
use mealybug::result_file;
use mealybug::simulate::Simulated;
use mealybug_core::{Action, Family, Options, Reply, Session, Sul};
use mealybug_tests::board::{Board, Learner, all_built, connect, pass};
use mealybug_tests::pty::{Pty, open_raw};
use mealybug_tests::{device_file, golden, model, tool};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// What the learner should say to the device: the words of a session in this process.
fn expected(model: &Machine, sent: impl Fn(&str) -> Vec<u8>, options: Options) -> Vec<u8> {
    let inputs = u32::try_from(model.inputs().len()).expect("few");
    let mut session = Session::new(vec![0; 12 << 10], inputs, options).expect("inputs");
    let mut device = Simulated::new(model);
    let mut bytes = Vec::new();
    let mut reply = Reply::Ready;
    loop {
        reply = match session.next(0, reply).expect("there is room") {
            Action::Reset => {
                bytes.push(0x18);
                device.reset().expect("infallible");
                Reply::Ready
            }
            Action::Input(input) => {
                bytes.extend(sent(model.input_name(input)));
                Reply::Output(device.step(input).expect("infallible"))
            }
            Action::Idle | Action::Hypothesis => Reply::Ready,
            Action::Done(_) => return bytes,
        };
    }
}

/// Learns a device on target: equals its golden model, and asked what the host asks.
fn learns(name: &str, options: &[&str], session: Options) {
    if !all_built(&format!("learning {name} on target"), &["learner", name]) {
        return;
    }
    let device = Board::start(name).expect("QEMU runs the device");
    let learner = Learner::start().expect("QEMU runs the learner");
    let heard = connect(learner.device_port(), device.port()).expect("two ports");
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let file = device_file(name).join("device.toml");
    let mut command = target(learner.host_port(), &out);
    let ended = command.arg(&file).args(options).output().expect("it starts");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{command:?}: {}: {said}", ended.status);
    println!("{}", String::from_utf8_lossy(&ended.stdout));

    let golden = golden(&format!("{name}/golden.dot"));
    let learned = model(&out.join("model.dot"));
    let difference = separate(&golden, &learned).expect("the same inputs");
    assert_eq!(difference, None, "{}", dot::write(&learned));

    let device = Device::load(&file).expect("it was read before");
    let sent = |name: &str| {
        let input = device.inputs.iter().find(|input| input.name == name);
        input.expect("the golden model has these inputs").sends(&Variables::default())
    };
    let expected = expected(&golden, sent, session);
    let heard = heard.lock().expect("a list");
    assert!(*heard == expected, "other words than on the host");
    let result = std::fs::read(out.join("result.postcard")).expect("it is written");
    let (run, _) = result_file::decode(&result).expect("a result");
    assert_eq!(run.options, session);

    // A host that comes when all is over gets the same.
    let again = folder.path().join("again");
    let mut command = target(learner.host_port(), &again);
    let ended = command.output().expect("it starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(std::fs::read(again.join("result.postcard")).expect("it is written"), result);
}

/// The command, with the learner at this port and a new folder for the results.
fn target(port: &Path, out: &Path) -> Command {
    let mut command = tool::mealybug();
    command.args(["target", "--port"]).arg(port).arg("--out").arg(out);
    command
}

#[test]
fn the_boot_loader() {
    learns("boot-loader", &[], Options::default());
}

/// With another seed, and L*: one component for all outputs.
#[test]
fn the_motor() {
    let session = Options { seed: 7, family: Family::Identity, ..Options::default() };
    learns("motor", &["--seed", "7", "--algorithm", "l-star"], session);
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
        let device = Board::start("motor").expect("QEMU runs the device");
        let learner = Learner::start().expect("QEMU runs the learner");
        connect(learner.device_port(), device.port()).expect("two ports");
        let folder = TempDir::new().expect("a folder");
        let mut command = target(learner.host_port(), &folder.path().join("out"));
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

#[test]
fn a_device_that_dies() {
    if all_built("a device that dies at a target", &["learner", "motor"]) {
        let mut running = Running::start();
        running.device = None;
        let (status, said, folder) = running.end();
        // In the midst of a word it only seems to say nothing, which may contradict what it said.
        let contradicts = said.contains("the device contradicts itself");
        let failed = said.contains("the device at the target failed");
        assert!(status == Some(5) && failed || status == Some(4) && contradicts, "{said}");
        assert!(folder.path().join("out/model.dot").is_file(), "the last hypothesis");
    }
}

#[test]
fn a_learner_that_dies() {
    if all_built("a target that dies", &["learner", "motor"]) {
        let mut running = Running::start();
        running.learner = None;
        let (status, said, folder) = running.end();
        assert_eq!(status, Some(5), "{said}");
        assert!(said.contains("the line to the target failed"), "{said}");
        assert!(folder.path().join("out/hypotheses/1.dot").is_file());
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
    thread::spawn(move || pass(from, to_host, lose()));
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
}

/// Its lock-out needs a clock at the learner, too: `wait` sends nothing.
#[test]
fn the_door_lock() {
    let session = Options { tests_in_a_row: 20, ..Options::default() };
    learns("door-lock", &["--tests-in-a-row", "20"], session);
}
