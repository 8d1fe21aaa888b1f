//! Programs on a board that crash, and what their hosts hear of it.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use mealybug_tests::alone::{Kind, MICROBIT, SIFIVE_E};
use mealybug_tests::board::{self, LearnerBoard, all_built};
use mealybug_tests::learned::{statistics, target};
use mealybug_tests::tool::{Running, succeed};
use tempfile::TempDir;

/// `crashes` built with the feature `defmt`, so that it logs.
const LOGGING: &str = "../../defmt/thumbv7m-none-eabi/release/crashes";

/// A text without white space: messages have lines of the terminal's width.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn assert_has(text: &str, parts: &[&str]) {
    let all = squeezed(text);
    parts.iter().for_each(|part| assert!(all.contains(&squeezed(part)), "no {part:?} in\n{text}"));
}

/// Has a program crash while it learns: a byte at its device's port says how. The host that watches must hear it, and no
/// later one.
fn crash(program: &str, letter: u8, log: &[&str], heard: &[&str]) {
    let what = format!("a program that crashes ({})", char::from(letter));
    if !all_built(&what, &[program]) {
        return;
    }
    let board = LearnerBoard::start(program).expect("QEMU runs the learner");
    let folder = TempDir::new().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let run = |out: &Path, tests: &str| {
        let mut command = target(board.host_port(), out);
        command.args(["--tests-in-a-row", tests]);
        command
    };
    let mut watching = run(&out("watching"), "unlimited");
    if !log.is_empty() {
        watching.arg("--elf").arg(board::program(program));
    }
    let host = Running::until(&mut watching, "hypothesis");
    let mut port = OpenOptions::new().write(true).open(board.device_port()).expect("a port");
    port.write_all(&[letter]).expect("it is open");
    let (status, said) = host.end();
    assert_eq!(status, Some(5), "{said}");
    assert_has(&said, &["the target has started anew, and its run is lost: "]);
    assert_has(&said, log);
    assert_has(&said, heard);
    hears_nothing(board.host_port(), &folder);
}

/// No later host hears of a crash of which one has heard.
fn hears_nothing(port: &Path, folder: &TempDir) {
    let later = folder.path().join("later");
    succeed(target(port, &later).args(["--tests-in-a-row", "3", "--again"]));
    assert_eq!(statistics(&later)["warnings"].to_string(), "[]", "it is forgotten");
}

/// A program that crashes while no host watches.
#[test]
fn a_crash_that_nobody_watches() {
    if !all_built("a crash that nobody watches", &["crashes"]) {
        return;
    }
    let board = LearnerBoard::start("crashes").expect("QEMU runs the learner");
    let folder = TempDir::new().expect("a folder");
    let mut port = OpenOptions::new().write(true).open(board.device_port()).expect("a port");
    let first = folder.path().join("first");
    succeed(target(board.host_port(), &first).args(["--tests-in-a-row", "3"]));
    let mut watching = target(board.host_port(), &folder.path().join("watching"));
    let host =
        Running::until(watching.args(["--tests-in-a-row", "unlimited", "--again"]), "hypothesis");
    // It leaves the run alone.
    host.kill();
    port.write_all(b"p").expect("it is open");
    std::thread::sleep(std::time::Duration::from_secs(2));
    let next = folder.path().join("next");
    succeed(target(board.host_port(), &next).args(["--tests-in-a-row", "3"]));
    let warnings = statistics(&next)["warnings"].to_string();
    assert_has(&warnings, &["the target has started anew: ", "its program panicked in "]);
    hears_nothing(board.host_port(), &folder);
}

/// The same for a board with one port, whose program crashes by itself: `letter`, at this address of its RAM, says how.
fn crash_alone(kind: &Kind, letter: u8, address: u32, heard: &[&str]) {
    let what = format!("a program that crashes on {kind} ({})", char::from(letter));
    if !kind.is_built(&what, "crashes") {
        return;
    }
    let byte = format!("loader,addr={address},data={letter},data-len=1");
    let board = kind.start_with("crashes", &["-device", &byte]).expect("QEMU runs the learner");
    let folder = TempDir::new().expect("a folder");
    let mut watching = target(board.port(), &folder.path().join("watching"));
    watching.args(["--tests-in-a-row", "unlimited"]);
    let (status, said) = Running::until(&mut watching, "hypothesis").end();
    assert_eq!(status, Some(5), "{said}");
    assert_has(&said, &["the target has started anew, and its run is lost: "]);
    assert_has(&said, heard);
    hears_nothing(board.port(), &folder);
}

#[test]
fn a_panic() {
    crash("crashes", b'p', &[], &["its program panicked in devices/src/doomed.rs:"]);
}

#[test]
fn a_fault() {
    let reason = "it accessed an address that is not aligned";
    crash("crashes", b'f', &[], &["a HardFault at 0x", reason, "`addr2line -fipe ELF 0x"]);
}

/// The stack would go on below RAM, where QEMU ignores what is written: only the guard is in its way.
#[test]
fn a_stack_that_overflows() {
    crash(
        "crashes",
        b'o',
        &[],
        &["its stack overflowed; the last calls were from 0x", "more room in memory.x"],
    );
}

#[test]
fn a_program_that_hangs() {
    crash("crashes", b'h', &[], &["its program did not feed the watchdog while it was at 0x"]);
}

/// It learns for longer than its watchdog waits.
#[test]
fn a_program_that_feeds_its_watchdog() {
    if !all_built("a program that feeds its watchdog", &["crashes"]) {
        return;
    }
    let board = LearnerBoard::start_slow("crashes").expect("QEMU runs the learner");
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    succeed(target(board.host_port(), &out).args(["--tests-in-a-row", "20000"]));
    assert_eq!(statistics(&out)["warnings"].to_string(), "[]");
}

/// Where [`crash_alone`] has a program of each board look.
const MICROBIT_LETTER: u32 = 0x2000_3ffc;
const SIFIVE_E_LETTER: u32 = 0x8000_3ffc;

#[test]
fn a_panic_of_the_micro_bit() {
    let place = "its program panicked in devices/src/doomed.rs:";
    crash_alone(&MICROBIT, b'p', MICROBIT_LETTER, &[place]);
}

#[test]
fn a_fault_of_the_micro_bit() {
    crash_alone(&MICROBIT, b'f', MICROBIT_LETTER, &["a HardFault at 0x"]);
}

#[test]
fn a_program_of_the_micro_bit_that_hangs() {
    let place = "its program did not feed the watchdog while it was at 0x";
    crash_alone(&MICROBIT, b'h', MICROBIT_LETTER, &[place]);
}

#[test]
fn a_panic_of_the_sifive_e() {
    let place = "its program panicked in devices/src/doomed.rs:";
    crash_alone(&SIFIVE_E, b'p', SIFIVE_E_LETTER, &[place]);
}

#[test]
fn an_exception_of_the_sifive_e() {
    crash_alone(&SIFIVE_E, b'f', SIFIVE_E_LETTER, &["exception 7 at 0x"]);
}

#[test]
fn a_stack_of_the_sifive_e_that_overflows() {
    let calls = "its stack overflowed; the last calls were from 0x";
    crash_alone(&SIFIVE_E, b'o', SIFIVE_E_LETTER, &[calls]);
}

#[test]
fn the_log_says_it_too() {
    let log = ["started anew: the program panicked in", "doomed.rs"];
    crash(LOGGING, b'p', &log, &["its program panicked in"]);
}
