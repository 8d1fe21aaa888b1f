//! Signals that end a run.

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::device::DEVICE_FILE;
use super::workplace::{LAMP, SimulatedPort, Workplace, wait_for_length};

/// A run whose reset is a command that takes a second.
struct SlowRun {
    place: Workplace,
    child: Child,
    _device: SimulatedPort,
}

impl SlowRun {
    /// Starts a run that takes the signal as this option of `env` says, whatever these tests were started with, and
    /// waits until the first reset has begun.
    fn start(signal: &str) -> Self {
        Self::start_with(signal, 1)
    }

    /// The same with a reset that takes this many seconds.
    fn start_with(signal: &str, seconds: u32) -> Self {
        let command =
            format!("steps = [{{ run = 'echo x >>begun; sleep {seconds}; echo x >>done' }}, ");
        let file = DEVICE_FILE.replacen("steps = [", &command, 1);
        let place = Workplace::new(&[("lamp.dot", LAMP), ("lamp.toml", &file)]);
        let device = SimulatedPort::start(&place, &["lamp.dot"]);
        let run = format!(
            "exec env {signal} '{}' learn --trust --port {} lamp.toml --out run",
            crate::PROGRAM,
            device.port
        );
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &run])
            .current_dir(place.path(""))
            .env("XDG_DATA_HOME", place.path("data"));
        let child = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let run = Self { place, child, _device: device };
        run.wait_for("begun", 1);
        run
    }

    /// How many commands have begun, or are done.
    fn count(&self, file: &str) -> usize {
        std::fs::read_to_string(self.place.path(file)).unwrap_or_default().lines().count()
    }

    fn wait_for(&self, file: &str, count: usize) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.count(file) < count {
            assert!(Instant::now() < deadline, "nothing more in {file}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    /// Waits until the run ends, and checks that no command was broken off and all was written.
    fn ended(mut self) {
        assert_eq!(self.child.wait().expect("it is ours").code(), Some(130));
        assert_eq!(self.count("begun"), self.count("done"), "a reset was broken off");
        assert_eq!(self.place.statistics("run")["why"], "interrupted");
    }
}

#[test]
fn a_signal_lets_a_reset_finish() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let run = SlowRun::start("--default-signal=HUP");
        run.send(signal);
        run.ended();
    }
}

#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    // As `timeout` sends it.
    let run = SlowRun::start("--default-signal=HUP");
    run.send(Signal::TERM);
    run.send(Signal::TERM);
    run.ended();
}

#[test]
fn a_second_signal_ends_a_run_at_once() {
    let mut run = SlowRun::start_with("--default-signal=HUP", 5);
    run.send(Signal::INT);
    let deadline = Instant::now() + Duration::from_secs(60);
    let ended = loop {
        thread::sleep(Duration::from_millis(300));
        // It is no child any more once it has ended.
        if let Some(ended) = run.child.try_wait().expect("it is ours") {
            break ended;
        }
        run.send(Signal::INT);
        assert!(Instant::now() < deadline, "it goes on");
    };
    assert_eq!(ended.code(), Some(130));
    assert!(!run.place.path("run/statistics.json").exists(), "it has waited for the reset");
}

#[test]
fn a_run_that_shall_outlive_its_terminal_does() {
    // As nohup does.
    let run = SlowRun::start("--ignore-signal=HUP");
    run.send(Signal::HUP);
    run.wait_for("begun", 3);
    run.send(Signal::INT);
    run.ended();
}

#[test]
fn a_difference_decides_though_the_tests_are_interrupted() {
    let other = LAMP.replacen("hold / nothing", "hold / off", 1);
    let place = Workplace::new(&[("lamp.dot", LAMP), ("other.dot", &other)]);
    let said = place.path("said");
    let test = ["test", "lamp.dot", "--model", "other.dot", "--keep-going"];
    let mut command = place.command(&[&test[..], &["--tests-in-a-row", "unlimited"]].concat());
    let mut child =
        command.stdout(File::create(&said).expect("a file")).spawn().expect("it starts");
    wait_for_length(&said, 1, &mut child);
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    assert_eq!(child.wait().expect("it is ours").code(), Some(1));
    let said = std::fs::read_to_string(said).expect("a file");
    assert!(said.starts_with("DIFFERENT") && said.contains("it was interrupted"), "{said}");
}
