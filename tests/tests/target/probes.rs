//! A device file with `[probe]`, learned by a target and through an agent whose hardware is in memory.

use std::cell::Cell;
use std::convert::Infallible;
use std::fs;
use std::process::Command;
use std::sync::{Arc, Mutex};

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{ErrorType, InputPin, OutputPin, PinState};
use mealybug_adapters::{Attached, NamedPin, Probing, SensedPin};
use mealybug_devices::boot_loader::BootLoader;
use mealybug_tests::learned::assert_golden;
use mealybug_tests::target::{start, start_agent};
use mealybug_tests::tool::{self, succeed};
use mealybug_tests::{device_file, target::InMemory};
use tempfile::TempDir;

/// The washing machine of `tests/devices/washer/golden.dot`: the levels of its pins, and its lamps.
#[derive(Default)]
struct Washer {
    levels: [bool; 3],
    lamps: u32,
}

/// A pin of the machine: to it go button, lid and reset, from it come two lamps.
#[derive(Clone)]
struct Wire(Arc<Mutex<Washer>>, usize);

impl ErrorType for Wire {
    type Error = Infallible;
}

impl OutputPin for Wire {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.set_state(PinState::Low)
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        self.set_state(PinState::High)
    }

    fn set_state(&mut self, level: PinState) -> Result<(), Infallible> {
        let mut washer = self.0.lock().expect("nobody panicked");
        let before = washer.levels;
        washer.levels[self.1] = level == PinState::High;
        let [button, lid, reset] = washer.levels;
        if !reset || lid {
            washer.lamps = 0;
        } else if button && !before[0] {
            washer.lamps = (washer.lamps + 1) % 3;
        }
        Ok(())
    }
}

impl InputPin for Wire {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        Ok(self.0.lock().expect("nobody panicked").lamps >> self.1 & 1 == 1)
    }

    fn is_low(&mut self) -> Result<bool, Infallible> {
        self.is_high().map(|is_high| !is_high)
    }
}

/// Counts the time that passes.
#[derive(Default)]
struct Clock(Cell<u64>);

impl DelayNs for Clock {
    fn delay_ns(&mut self, ns: u32) {
        self.0.set(self.0.get() + u64::from(ns));
    }
}

/// A board with the machine at its pins.
fn board() -> impl Attached + Send {
    let washer = Arc::new(Mutex::new(Washer::default()));
    let wire = |at| Wire(Arc::clone(&washer), at);
    let (low, high) = (PinState::Low, PinState::High);
    let to = [("button", high), ("lid", high), ("reset", low)];
    let mut at = 0..;
    let to = to.map(|(name, active)| NamedPin { name, pin: wire(at.next().unwrap_or(0)), active });
    let mut at = 0..;
    let from = ["washing", "spinning"];
    let from = from.map(|name| SensedPin { name, pin: wire(at.next().unwrap_or(0)), active: high });
    Probing::new((to, from), Clock::default())
}

fn command(arguments: &[&str], file: &std::path::Path) -> Command {
    let mut command = tool::mealybug();
    command.args(arguments).arg("--trust").arg(file);
    command
}

/// What a command that fails says, in one line.
fn failure(command: &mut Command) -> (Option<i32>, String) {
    let ended = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    (ended.status.code(), tool::unwrapped(&said))
}

#[test]
fn a_target_and_an_agent_learn_by_the_same_file() {
    let file = device_file("washer/device.toml");
    let target = start(board()).expect("a socket");
    let agent = start_agent(board()).expect("a socket");
    for arguments in [&["target", "--port", &target][..], &["learn", "--agent", "--port", &agent]] {
        let folder = TempDir::new().expect("a folder");
        let out = folder.path().join("out");
        succeed(command(arguments, &file).args(["--tests", "wp:1", "--out"]).arg(&out));
        assert_golden("washer", &out);
    }
}

#[test]
fn what_the_board_does_not_offer_is_named_with_what_it_offers() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("washer.toml");
    let text = fs::read_to_string(device_file("washer/device.toml")).expect("a device file");
    let target = start(board()).expect("a socket");
    let agent = start_agent(board()).expect("a socket");
    for (right, wrong, what) in [
        ("sense = [\"spinning\"", "sense = [\"spining\"", "sensed pin `spining`"),
        ("pin = \"button\"", "i2c = \"main\", address = 1, read = 1 } #", "I2C bus `main`"),
    ] {
        let text = text.replace(right, wrong);
        fs::write(&file, &text).expect("a file");
        for arguments in
            [&["target", "--port", &target][..], &["learn", "--agent", "--port", &agent]]
        {
            let out = folder.path().join("out");
            let (_, said) = failure(command(arguments, &file).arg("--out").arg(out));
            assert!(said.contains(&format!("the board offers no {what}")), "{said}");
            let offers = "its program offers pin to the device `button`, pin to the device `lid`, \
                          pin to the device `reset`, sensed pin `washing`, sensed pin `spinning`";
            assert!(said.contains(offers), "{said}");
        }
    }
}

#[test]
fn a_line_has_no_probes_and_probes_have_no_line() {
    let folder = TempDir::new().expect("a folder");
    let line = start(InMemory::<BootLoader>::conversation()).expect("a socket");
    let probes = start(board()).expect("a socket");
    for (port, file, why) in [
        (line, "washer/device.toml", "its program has a line to the device and no probes"),
        (probes, "motor/device.toml", "its program probes the device and has no line to it"),
    ] {
        let mut command = command(&["target", "--port", &port], &device_file(file));
        let (_, said) = failure(command.arg("--out").arg(folder.path().join("out")));
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_probed_device_needs_a_board() {
    let file = device_file("washer/device.toml");
    let (status, said) = failure(&mut command(&["learn", "--port", "tcp:127.0.0.1:1"], &file));
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("has no serial line: it needs a board that probes it"), "{said}");
    assert!(said.contains("mealybug target --port PORT"), "{said}");
}
