//! A line-based device behind a pseudo-terminal.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::workplace::{Called, Workplace};

/// The device file of a lamp with a button, or of what tests make of it.
pub(crate) const DEVICE_FILE: &str = r#"
[[reset]]
steps = [{ send = "reset\n" }]
expect = { match = 'ready\n$', within_ms = 2000 }
quiet_ms = 0

[reply]
lines = 1
within_ms = 500

[[output]]
match = '^(.*)\n$'
name = "$1"

[inputs]
press = "press\n"
hold = "hold\n"
"#;

/// What a device does with a line.
pub(crate) enum Reaction {
    /// Answers this.
    Say(&'static str),
    /// Says nothing.
    Nothing,
    /// Breaks down.
    Die,
}

/// A device in a thread; it ends when its port is closed.
pub(crate) struct LineDevice {
    pub(crate) port: String,
    _thread: JoinHandle<()>,
}

impl LineDevice {
    /// Starts a device with this reaction to each line; lines are counted from 0.
    pub(crate) fn start(mut react: impl FnMut(&str, u32) -> Reaction + Send + 'static) -> Self {
        // CLOEXEC, because a command that inherits the port would keep the device alive.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).expect("a pseudo-terminal");
        grantpt(&master).expect("it is ours");
        unlockpt(&master).expect("it opens");
        let port = ptsname(&master, Vec::new()).expect("it has a name");
        let port = port.into_string().expect("a path in ASCII");
        let mut master = File::from(master);
        let thread = std::thread::spawn(move || {
            let lines = BufReader::new(master.try_clone().expect("another handle")).lines();
            for (line, number) in lines.map_while(Result::ok).zip(0..) {
                let answer = match react(&line, number) {
                    Reaction::Say(answer) => answer,
                    Reaction::Nothing => continue,
                    Reaction::Die => return,
                };
                if master.write_all(answer.as_bytes()).is_err() {
                    return;
                }
            }
        });
        Self { port, _thread: thread }
    }

    /// A lamp: `press` switches it on and off, `hold` does nothing.
    pub(crate) fn lamp() -> impl FnMut(&str) -> &'static str + Send {
        let mut on = false;
        move |line| {
            match line {
                "reset" => on = false,
                "press" => on = !on,
                _ => {}
            }
            match line {
                "reset" => "ready\n",
                _ if on => "on\n",
                _ => "off\n",
            }
        }
    }
}

/// Calls the command with a lamp that answers `answers` lines and then takes long, as its device
/// file allows. Ctrl-C ends the command at once.
pub(crate) fn interrupt(arguments: &[&str], answers: u32) -> (Workplace, Called) {
    let mut lamp = LineDevice::lamp();
    let (thinks, wait_for_that) = mpsc::channel();
    let device = LineDevice::start(move |line, number| {
        if number < answers {
            return Reaction::Say(lamp(line));
        }
        let _ = thinks.send(());
        Reaction::Nothing
    });
    let patient = DEVICE_FILE.replace("within_ms = 500", "within_ms = 300_000");
    let patient = patient.replace("within_ms = 2000", "within_ms = 300_000");
    let place = Workplace::new(&[("lamp.toml", &patient)]);
    let mut command = place.command(arguments);
    command.args(["--port", &device.port, "lamp.toml"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_for_that.recv().expect("a line that it does not answer");
    let started = Instant::now();
    kill_process(Pid::from_child(&child), Signal::INT).expect("it is there");
    let called = Called::from(child.wait_with_output().expect("it ends")).ended(130);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    (place, called)
}
