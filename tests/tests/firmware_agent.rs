//! The host learns through an agent in QEMU: the device is in another QEMU, or built into the agent.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use mealybug::machine::separate;
use mealybug_tests::board::{Board, Learner, all_built, connect, pass};
use mealybug_tests::learned::equals_golden;
use mealybug_tests::pty::{Pty, open_raw};
use mealybug_tests::{device_file, golden, model, tool};
use serde_json::Value;
use tempfile::TempDir;

/// The command that learns through the agent at this port; with a device file, if it has a name.
fn learn(port: &Path, name: Option<&str>) -> Command {
    let mut command = tool::mealybug();
    command.args(["learn", "--agent", "--port"]).arg(port);
    command.args(name.map(|name| device_file(name).join("device.toml")));
    command
}

/// Learns a device that is attached to the agent, with these options; it must equal its golden model.
fn learns(name: &str, options: &[&str]) {
    if all_built(&format!("learning {name} through an agent"), &["agent", name]) {
        let device = Board::start(name).expect("QEMU runs the device");
        let agent = Learner::start_program("agent").expect("QEMU runs the agent");
        connect(agent.device_port(), device.port()).expect("two ports");
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
    learns("motor", &[]);
}

/// Its lock-out makes each `wait` take 0.4 s.
#[test]
fn the_door_lock() {
    learns("door-lock", &["--tests-in-a-row", "20"]);
}

/// A device in the agent's own program, whose names come from there. Its time passes only as `wait`
/// says, so it can be asked as much as any.
#[test]
fn a_device_that_is_built_in() {
    if all_built("learning a device that is built into an agent", &["agent-door-lock"]) {
        let agent = Learner::start_program("agent-door-lock").expect("QEMU runs the agent");
        let mut command = learn(agent.host_port(), None);
        equals_golden("door-lock", command.args(["--tests", "wp:1"]))
            .unwrap_or_else(|error| panic!("{error}"));
        // With a device file it says that it needs none.
        let ended = learn(agent.host_port(), Some("door-lock")).output().expect("it starts");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(said.contains("its device is built into its program"), "{said}");
    }
}

/// The words that the session takes in do not depend on how many it has in flight.
#[test]
fn the_same_seed_asks_the_same_words_as_without_an_agent() {
    if !all_built("the words of an agent", &["agent", "motor"]) {
        return;
    }
    let device = Board::start("motor").expect("QEMU runs the device");
    let folder = TempDir::new().expect("a folder");
    let transcript = |mut command: Command, name: &str| {
        let out = folder.path().join(name);
        let ended = command.args(["--seed", "11", "--out"]).arg(&out).output().expect("it starts");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        fs::read_to_string(out.join("transcript.txt")).expect("it is written")
    };
    let alone = transcript(mealybug_tests::learned::learn("motor", device.port()), "alone");
    let agent = Learner::start_program("agent").expect("QEMU runs the agent");
    connect(agent.device_port(), device.port()).expect("two ports");
    let through = transcript(learn(agent.host_port(), Some("motor")), "through");
    assert!(alone.lines().count() > 500, "{} lines", alone.lines().count());
    assert!(alone == through, "other words, or in another order");
}

/// The line between host and agent loses one byte of a thousand, both ways.
#[test]
fn a_line_that_loses_bytes() {
    if !all_built("a line to an agent that loses bytes", &["agent-door-lock"]) {
        return;
    }
    let agent = Learner::start_program("agent-door-lock").expect("QEMU runs the agent");
    let line = Pty::open().expect("a pseudo-terminal");
    let far = open_raw(agent.host_port()).expect("the agent's port");
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
    let (to_host, to_agent) = (near(), near());
    thread::spawn(move || pass(from, to_host, lose()));
    thread::spawn(move || pass(to_agent, far, lose()));
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let ended = learn(line.path(), None).arg("--out").arg(&out).output().expect("it starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let learned = model(&out.join("model.dot"));
    assert_eq!(separate(&golden("door-lock/golden.dot"), &learned), Ok(None));
    let statistics = fs::read_to_string(out.join("statistics.json")).expect("it is written");
    let statistics: Value = serde_json::from_str(&statistics).expect("JSON");
    assert_eq!(statistics["contradictions"], 0, "no answer was taken for another");
    assert!(statistics["warnings"].to_string().contains("lost"), "{statistics:#}");
}

/// A line that outlives what is at its far end.
struct Socket {
    line: Pty,
    far: Arc<Mutex<Option<File>>>,
}

impl Socket {
    fn new() -> Self {
        let line = Pty::open().expect("a pseudo-terminal");
        let far = Arc::new(Mutex::new(None::<File>));
        let (mut from, to) = (line.device().try_clone().expect("it is open"), Arc::clone(&far));
        thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                if let Some(far) = &mut *to.lock().expect("nobody panicked") {
                    // It fails when the far end has just gone, and what is sent then is lost.
                    let _ = far.write_all(&buffer[..count]);
                }
            }
        });
        Self { line, far }
    }

    /// Puts something at the far end.
    fn plug(&self, port: &Path) {
        let far = open_raw(port).expect("a port");
        let (from, to) = (far.try_clone(), self.line.device().try_clone());
        *self.far.lock().expect("nobody panicked") = Some(far);
        let (from, to) = (from.expect("it is open"), to.expect("it is open"));
        thread::spawn(move || pass(from, to, |_| {}));
    }
}

/// The board is without power for a moment: the new agent knows nothing, not even the device.
#[test]
fn an_agent_that_is_killed_and_comes_back() {
    if !all_built("an agent that is killed", &["agent", "motor"]) {
        return;
    }
    let device = Board::start("motor").expect("QEMU runs the device");
    let start = || {
        let agent = Learner::start_program("agent").expect("QEMU runs the agent");
        connect(agent.device_port(), device.port()).expect("two ports");
        agent
    };
    let socket = Socket::new();
    let agent = start();
    socket.plug(agent.host_port());
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let mut command = learn(socket.line.path(), Some("motor"));
    command.arg("--out").arg(&out).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut host = command.spawn().expect("it starts");
    let mut said = BufReader::new(host.stderr.take().expect("it is piped"));
    let mut line = String::new();
    while !line.contains("hypothesis 1:") {
        line.clear();
        assert_ne!(said.read_line(&mut line).expect("text"), 0, "it ended before a hypothesis");
    }
    drop(agent);
    let agent = start();
    socket.plug(agent.host_port());
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("text");
    assert!(host.wait().expect("it was started").success(), "{rest}");
    let learned = model(&out.join("model.dot"));
    assert_eq!(separate(&golden("motor/golden.dot"), &learned), Ok(None));
}

/// One that does not come back ends the run, which goes on with another.
#[test]
fn an_agent_that_is_killed_for_good() {
    if !all_built("an agent that dies", &["agent-door-lock"]) {
        return;
    }
    let agent = Learner::start_program("agent-door-lock").expect("QEMU runs the agent");
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    let mut command = learn(agent.host_port(), None);
    command.args(["--tests-in-a-row", "unlimited", "--absence", "100ms", "--out"]).arg(&out);
    let mut host = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut said = BufReader::new(host.stderr.take().expect("it is piped"));
    let mut line = String::new();
    while !line.contains("hypothesis 1:") {
        line.clear();
        assert_ne!(said.read_line(&mut line).expect("text"), 0, "it ended before a hypothesis");
    }
    drop(agent);
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("text");
    assert_eq!(host.wait().expect("it was started").code(), Some(5), "{rest}");
    assert!(rest.contains("the line to the agent failed"), "{rest}");

    let agent = Learner::start_program("agent-door-lock").expect("QEMU runs the agent");
    let mut command = tool::mealybug();
    command.args(["learn", "--resume"]).arg(&out).arg("--port").arg(agent.host_port());
    let ended = command.args(["--tests-in-a-row", "1000"]).output().expect("it starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let learned = model(&out.join("model.dot"));
    assert_eq!(separate(&golden("door-lock/golden.dot"), &learned), Ok(None));
}
