//! The host learns the devices of `firmware/`, each in QEMU, over its serial port.

use mealybug_tests::board::{EmulatedBoard, all_built};
use mealybug_tests::learned::{equals_golden, learn};

/// Learns a device with these options; the result must be its golden model.
fn learns(name: &str, options: &[&str]) {
    if all_built(&format!("learning {name}"), &[name]) {
        let board = EmulatedBoard::start(name).expect("QEMU runs the device");
        let mut command = learn(name, board.port());
        equals_golden(name, command.args(options)).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn the_boot_loader() {
    learns("boot-loader", &["--tests", "wp:1"]);
}

#[test]
fn the_motor() {
    // An intermediate model lacks two states, which need both a fault and the emergency stop. A
    // suite for one more state does not reach them.
    learns("motor", &["--tests-in-a-row", "300"]);
}

/// Each `wait` takes 0.7 s because of the lock-out, so there are fewer tests. Everything that must
/// happen within the 0.6 s of the lock-out takes less than a tenth of that.
#[test]
fn the_door_lock() {
    learns("door-lock", &["--tests-in-a-row", "20"]);
}
