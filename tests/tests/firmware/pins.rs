//! The learner on a micro:bit in QEMU learns a device at its pins; this test plays the device.

use std::path::Path;
use std::process::Command;
use std::thread;

use mealybug_tests::alone::MICROBIT;
use mealybug_tests::device_file;
use mealybug_tests::learned::{assert_golden, learn, target};
use mealybug_tests::tool::succeed;
use mealybug_tests::wires::Sockets;
use tempfile::TempDir;

/// The processor's pins at the board's edge connector.
const BUTTON: u32 = 3;
const LID: u32 = 2;
const RESET: u32 = 1;
const LAMPS: [u32; 2] = [18, 20];

/// The washing machine of `tests/devices/washer/golden.dot`; it reacts to edges.
#[derive(Default)]
struct Washer {
    lamps: u32,
    button: bool,
}

impl Washer {
    /// The lamps' levels after its pins get these levels.
    fn see(&mut self, levels: u32) -> [(u32, bool); 2] {
        let [button, lid, reset] = [BUTTON, LID, RESET].map(|pin| levels >> pin & 1 == 1);
        if !reset || lid {
            self.lamps = 0;
        } else if button && !self.button {
            self.lamps = (self.lamps + 1) % 3;
        }
        self.button = button;
        [(LAMPS[0], self.lamps & 1 == 1), (LAMPS[1], self.lamps & 2 == 2)]
    }
}

/// Starts a program of the board with the washing machine at its pins, runs the command that `learn` makes of the
/// board's port and the folder for results, and compares what it learned.
fn learns(what: &str, program: &str, learn: impl Fn(&Path, &Path) -> Command) {
    if !MICROBIT.is_built(what, program) {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let sockets = Sockets::new(folder.path());
    let arguments = sockets.arguments();
    let arguments = arguments.each_ref().map(String::as_str);
    let mut board = MICROBIT.start_stopped(program, &arguments).expect("QEMU starts");
    let wires = sockets.connect().expect("QEMU listens");
    // Runs until the board is dropped.
    let played = thread::spawn(move || {
        let mut washer = Washer::default();
        wires.run(|levels| washer.see(levels))
    });
    let out = folder.path().join("out");
    let ended = succeed(learn(board.port(), &out).args(["--tests", "wp:1"]));
    board.assert_stack_left(program);
    drop(board);
    let error = played.join().expect("nobody panicked").expect_err("it plays until QEMU ends");
    println!("{error}, {}", String::from_utf8_lossy(&ended.stdout));
    assert_golden("washer", &out);
}

#[test]
fn a_washing_machine_on_pins() {
    learns("a device on pins", "pins", target);
}

/// The board's program only offers its pins: the device file says how to probe.
#[test]
fn a_washing_machine_that_a_device_file_describes() {
    learns("a device that is probed", "probes", |port, out| {
        let mut command = target(port, out);
        command.arg("--trust").arg(device_file("washer/device.toml"));
        command
    });
}

#[test]
fn the_same_file_with_an_agent() {
    learns("a device that an agent probes", "agent-probes", |port, out| {
        let mut command = learn("washer", port);
        command.arg("--agent").arg("--out").arg(out);
        command
    });
}
