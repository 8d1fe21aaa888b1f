//! Two lines: that of the host is an option, that of the device is in the device file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use mealybug_devices::motor::Motor;
use mealybug_tests::device_file;
use mealybug_tests::learned::{assert_golden, target};
use mealybug_tests::pty::Pty;
use mealybug_tests::target::{InMemory, start, start_agent};
use mealybug_tests::tool::{mealybug, succeed, unwrapped};
use rustix::termios::tcgetattr;
use tempfile::TempDir;

/// The device file of the motor, with these lines in [port].
fn motor(folder: &Path, port: &str) -> PathBuf {
    let text = fs::read_to_string(device_file("motor/device.toml")).expect("it is there");
    let path = folder.join("motor.toml");
    fs::write(&path, format!("[port]\n{port}\n{text}")).expect("there is room");
    path
}

/// The command that learns the motor through the agent at this address.
fn learn(address: &str, out: &Path) -> Command {
    let mut command = mealybug();
    command.args(["learn", "--agent", "--port", address, "--out"]).arg(out);
    command
}

#[test]
fn an_agent_learns_a_device_at_another_rate_or_says_that_its_line_cannot() {
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let slow = motor(folder.path(), "baud = 9600\nformat = \"7E2\"\npath = \"/dev/none\"");
    let flexible = InMemory::<Motor>::conversation_of_any_line();
    let address = start_agent(flexible).expect("a port is free");
    succeed(learn(&address, &out("agent")).arg(&slow));
    assert_golden("motor", &out("agent"));

    for mut command in [
        learn(&start_agent(InMemory::<Motor>::conversation()).expect("one"), &out("a")),
        target(Path::new(&start(InMemory::<Motor>::conversation()).expect("one")), &out("t")),
    ] {
        let ended = command.arg(&slow).output().expect("it starts");
        let said = unwrapped(&String::from_utf8_lossy(&ended.stderr));
        assert_eq!(ended.status.code(), Some(1), "{said}");
        let refused = "refuses 9600 7E2 for the line to the device ([port]): the board cannot do \
                       that; its line is at 115200 8N1";
        assert!(said.contains(refused), "{said}");
    }
    assert!(!out("t").exists(), "a run that was refused leaves no folder");
}

/// The rate at which a command opens a port where nobody answers.
fn rate(mut command: Command) -> u32 {
    let pty = Pty::open().expect("a pseudo-terminal");
    let before = tcgetattr(pty.device()).expect("a terminal").output_speed();
    let command = command.arg("--port").arg(pty.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = command.spawn().expect("it starts");
    let until = Instant::now() + Duration::from_secs(60);
    let mut rate = before;
    while rate == before {
        assert!(Instant::now() < until, "it does not open the port");
        sleep(Duration::from_millis(5));
        rate = tcgetattr(pty.device()).expect("a terminal").output_speed();
    }
    running.kill().expect("no agent answers it");
    running.wait().expect("it was started");
    rate
}

#[test]
fn the_line_to_the_board_has_its_own_rate() {
    let folder = TempDir::new().expect("a folder");
    let slow = motor(folder.path(), "baud = 9600");
    for arguments in [&["learn", "--agent"][..], &["try", "--agent"], &["target"]] {
        let command = |baud: &[&str]| {
            let mut command = mealybug();
            command.args(arguments).arg(&slow).args(baud).current_dir(folder.path());
            command
        };
        assert_eq!(rate(command(&[])), 115_200, "{arguments:?}");
        assert_eq!(rate(command(&["--baud", "921600"])), 921_600, "{arguments:?}");
    }
}

#[test]
fn an_agent_is_not_at_the_port_of_the_device() {
    let folder = TempDir::new().expect("a folder");
    let file = motor(folder.path(), "path = \"/dev/none\"");
    let ended = mealybug().args(["learn", "--agent"]).arg(file).output().expect("it starts");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("nothing says at which serial port the agent is"), "{said}");
}
