//! A line-based device behind a pseudo-terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
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

impl Drop for LineDevice {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// What a device does with a line.
pub(crate) enum LineReaction {
    /// Answers this.
    Say(&'static str),
    /// Answers a text made for it.
    Tell(String),
    /// Answers the first text. Then it hears only a reset for this many milliseconds, and says the second text.
    SayLate(&'static str, &'static str, u64),
    /// Says nothing.
    Nothing,
    /// Breaks down.
    Die,
}

/// A device in a thread. Dropping it ends the device once its port is closed.
pub(crate) struct LineDevice {
    pub(crate) port: String,
    is_over: Arc<AtomicBool>,
}

/// A pseudo-terminal: its other side, and its path.
pub(crate) fn pseudo_terminal() -> (File, String) {
    // CLOEXEC, because a command that inherits the port would keep the device alive.
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).expect("a pseudo-terminal");
    grantpt(&master).expect("it is ours");
    unlockpt(&master).expect("it opens");
    let path = ptsname(&master, Vec::new()).expect("it has a name");
    (File::from(master), path.into_string().expect("a path in ASCII"))
}

impl LineDevice {
    /// Starts a device with this reaction to each line; lines are counted from 0.
    pub(crate) fn start(mut react: impl FnMut(&str, u32) -> LineReaction + Send + 'static) -> Self {
        let mut number = 0;
        Self::start_raw(b'\n', move |line| {
            number += 1;
            react(line, number - 1)
        })
    }

    /// Starts a device with this reaction to each line, which ends with `end`.
    pub(crate) fn start_raw(
        end: u8,
        mut react: impl FnMut(&str) -> LineReaction + Send + 'static,
    ) -> Self {
        let (mut master, port) = pseudo_terminal();
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        std::thread::spawn(move || {
            let mut lines = Vec::new();
            let mut late: Option<(Instant, &str)> = None;
            while !ends.load(Ordering::Relaxed) {
                if let Some((at, text)) = late {
                    let left = at.saturating_duration_since(Instant::now());
                    let time = Timespec::try_from(left).expect("a short time");
                    let mut heard = [PollFd::new(&master, PollFlags::IN)];
                    if poll(&mut heard, Some(&time)).expect("it can be polled") == 0 {
                        late = None;
                        if master.write_all(text.as_bytes()).is_err() {
                            return;
                        }
                    }
                }
                let mut byte = [0];
                // The port is closed; a command may open it again.
                if !matches!(master.read(&mut byte), Ok(1)) {
                    std::thread::sleep(Duration::from_millis(5));
                    continue;
                }
                if byte[0] != end {
                    lines.push(byte[0]);
                    continue;
                }
                let line = std::mem::take(&mut lines);
                if late.is_some() && line != b"reset" {
                    continue;
                }
                late = None;
                let answer = match react(&String::from_utf8_lossy(&line)) {
                    LineReaction::Say(answer) => answer.to_owned(),
                    LineReaction::Tell(answer) => answer,
                    LineReaction::SayLate(answer, text, ms) => {
                        late = Some((Instant::now() + Duration::from_millis(ms), text));
                        answer.to_owned()
                    }
                    LineReaction::Nothing => continue,
                    LineReaction::Die => return,
                };
                if master.write_all(answer.as_bytes()).is_err() {
                    return;
                }
            }
        });
        Self { port, is_over }
    }

    /// A lamp at the port with this name. After 60 lines it dies, and the name is gone.
    pub(crate) fn lamp_that_disappears(name: &Path) -> Self {
        let mut lamp = Self::lamp();
        // Remove the name first: another pseudo-terminal may soon have the same number.
        let gone = name.to_owned();
        let device = Self::start(move |line, number| {
            if number < 60 {
                return LineReaction::Say(lamp(line));
            }
            std::fs::remove_file(&gone).expect("a link");
            LineReaction::Die
        });
        std::os::unix::fs::symlink(&device.port, name).expect("a link");
        device
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
            return LineReaction::Say(lamp(line));
        }
        let _ = thinks.send(());
        LineReaction::Nothing
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
