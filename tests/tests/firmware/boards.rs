//! The learner on the smaller boards, in QEMU. The device is in its program, and the only serial
//! port is for the host.

use std::path::Path;

use mealybug::machine::Machine;
use mealybug_tests::alone::{Alone, Kind, MICROBIT, SIFIVE_E};
use mealybug_tests::golden;
use mealybug_tests::learned::{assert_learned, target};
use mealybug_tests::tool::succeed;
use mealybug_tests::toy::toy;
use tempfile::TempDir;

/// Learns the device in a program and fetches the result a second time; both must equal `expected`.
fn learns(board: &Kind, program: &str, expected: &Machine) {
    if board.is_built(&format!("learning {program} on {board}"), program) {
        let board = board.start(program).expect("QEMU runs the learner");
        let folder = TempDir::new().expect("a folder");
        let results =
            ["first", "again"].map(|run| fetch(&board, &folder.path().join(run), expected));
        assert!(results[0] == results[1], "the result of the same run");
    }
}

/// Starts the run, or fetches its result. Returns the result after checking the model.
fn fetch(board: &Alone, out: &Path, expected: &Machine) -> Vec<u8> {
    succeed(&mut target(board.port(), out));
    assert_learned(expected, out);
    std::fs::read(out.join("result.postcard")).expect("it is written")
}

#[test]
fn the_motor_on_the_micro_bit() {
    learns(&MICROBIT, "learner", &golden("motor/golden.dot"));
}

/// The largest example that fits into its memory: see `figures.rs`.
#[test]
fn the_toy_on_the_micro_bit() {
    learns(&MICROBIT, "toy", &toy(32));
}

#[test]
fn the_boot_loader_on_the_sifive_e() {
    learns(&SIFIVE_E, "learner", &golden("boot-loader/golden.dot"));
}
