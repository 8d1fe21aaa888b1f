//! The learner on the smaller boards, in QEMU. The device is in its program, and the only serial
//! port is for the host.

use std::path::Path;

use mealybug::machine::Machine;
use mealybug_tests::alone::{Alone, Kind, MICROBIT, SIFIVE_E};
use mealybug_tests::cable::lossy;
use mealybug_tests::golden;
use mealybug_tests::learned::{assert_learned, target};
use mealybug_tests::tool::{Running, succeed};
use mealybug_tests::toy::toy;
use tempfile::TempDir;

/// Learns the device in a program and fetches the result a second time; both must equal `expected`.
fn learns(board: &Kind, program: &str, expected: &Machine) {
    if board.is_built(&format!("learning {program} on {board}"), program) {
        let mut board = board.start(program).expect("QEMU runs the learner");
        let folder = TempDir::new().expect("a folder");
        let results =
            ["first", "again"].map(|run| fetch(&board, &folder.path().join(run), expected));
        assert!(results[0] == results[1], "the result of the same run");
        board.assert_stack_left(program);
    }
}

/// Starts the run, or fetches its result. Returns the result after checking the model.
fn fetch(board: &Alone, out: &Path, expected: &Machine) -> Vec<u8> {
    fetch_at(board.port(), out, expected)
}

fn fetch_at(port: &Path, out: &Path, expected: &Machine) -> Vec<u8> {
    succeed(&mut target(port, out));
    assert_learned(expected, out);
    std::fs::read(out.join("result.postcard")).expect("it is written")
}

/// One byte in a thousand is lost on the line to the host, each way.
fn learns_over_a_lossy_line(board: &Kind, expected: &Machine) {
    if board.is_built(&format!("a lossy line to {board}"), "learner") {
        let board = board.start("learner").expect("QEMU runs the learner");
        let (line, _) = lossy(board.port()).expect("two ports");
        let folder = TempDir::new().expect("a folder");
        fetch_at(line.path(), &folder.path().join("out"), expected);
    }
}

/// The board is reset while it learns: its host says so, and the next run is a whole one.
fn is_reset(board: &Kind, expected: &Machine) {
    if board.is_built(&format!("a reset of {board}"), "learner") {
        let mut board = board.start("learner").expect("QEMU runs the learner");
        let folder = TempDir::new().expect("a folder");
        let mut command = target(board.port(), &folder.path().join("first"));
        let host = Running::until(command.args(["--tests-in-a-row", "unlimited"]), "hypothesis");
        board.reset().expect("QEMU runs");
        let (status, said) = host.end();
        assert_eq!(status, Some(5), "{said}");
        assert!(said.contains("the target has started anew, and its run is lost"), "{said}");
        fetch_at(board.port(), &folder.path().join("second"), expected);
    }
}

#[test]
fn a_lossy_line_to_the_micro_bit() {
    learns_over_a_lossy_line(&MICROBIT, &golden("motor/golden.dot"));
}

#[test]
fn a_lossy_line_to_the_sifive_e() {
    learns_over_a_lossy_line(&SIFIVE_E, &golden("boot-loader/golden.dot"));
}

#[test]
fn a_reset_of_the_micro_bit() {
    is_reset(&MICROBIT, &golden("motor/golden.dot"));
}

#[test]
fn a_reset_of_the_sifive_e() {
    is_reset(&SIFIVE_E, &golden("boot-loader/golden.dot"));
}

#[test]
fn the_motor_on_the_micro_bit() {
    learns(&MICROBIT, "learner", &golden("motor/golden.dot"));
}

/// The largest example that fits into its memory: see `figures.rs`.
#[test]
fn the_toy_on_the_micro_bit() {
    learns(&MICROBIT, "toy", &toy(45));
}

#[test]
fn the_boot_loader_on_the_sifive_e() {
    learns(&SIFIVE_E, "learner", &golden("boot-loader/golden.dot"));
}
