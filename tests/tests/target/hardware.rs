//! The step `hardware`, with a board behind a pseudo-terminal and a script in the place of probe-rs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use mealybug_devices::door_lock::DoorLock;
use mealybug_devices::motor::Motor;
use mealybug_tests::hardware::{Program, WiredBoard, check, read};
use mealybug_tests::pty::Pty;
use mealybug_tests::target::{InMemory, start_agent_at, start_at};
use tempfile::TempDir;

/// A folder with images, and a probe-rs that notes what it is told.
struct Bench(TempDir);

impl Bench {
    fn new() -> Self {
        let bench = Self(TempDir::new().expect("a folder"));
        for program in ["learner", "agent"] {
            fs::write(bench.path(&format!("pico-{program}.elf")), "").expect("it is written");
        }
        bench.probe_rs("");
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A probe-rs that ends with this line.
    fn probe_rs(&self, end: &str) {
        let script = format!("#!/bin/sh\necho \"$@\" >>{}\n{end}\n", self.path("told").display());
        fs::write(self.path("probe-rs"), script).expect("it is written");
        let runs = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path("probe-rs"), runs).expect("it is ours");
    }

    fn check(&self, board: &WiredBoard) -> Result<(), String> {
        let out = TempDir::new_in(self.0.path()).expect("a folder");
        check(board, &self.path("probe-rs"), self.0.path(), &out.path().join("out"))
    }
}

/// The boards in a file with this text.
fn boards(bench: &Bench, text: &str) -> Result<Vec<WiredBoard>, String> {
    fs::write(bench.path("hardware.toml"), text).expect("it is written");
    read(&bench.path("hardware.toml"))
}

/// A Pico at this port, in a file as docs/hardware.md shows it.
fn pico(bench: &Bench, serial: &Path, device: &str) -> WiredBoard {
    let text = include_str!("../../../docs/hardware.md");
    let start = text.find("[[board]]").expect("an example");
    let len = text[start..].find("```").expect("its end");
    let mut boards = boards(bench, &text[start..start + len]).expect("the example is right");
    let mut board = boards.remove(0);
    assert_eq!((&*board.board, &*board.chip), ("pico", "RP2040"));
    board.serial = serial.to_str().expect("a plain path").to_owned();
    board.device = device.into();
    board
}

#[test]
fn a_board_is_flashed_and_learns_its_device() {
    let (bench, port) = (Bench::new(), Pty::open().expect("a pseudo-terminal"));
    let mut board = pico(&bench, port.path(), "motor");
    board.probe = Some("2e8a:000c:E661".to_owned());
    start_at(port, InMemory::<Motor>::conversation());
    bench.check(&board).expect("the model is right");
    let image = bench.path("pico-learner.elf");
    let told = fs::read_to_string(bench.path("told")).expect("it was called");
    let probe = "--chip RP2040 --probe 2e8a:000c:E661";
    assert_eq!(told, format!("download {probe} {}\nreset {probe}\n", image.display()));

    // Again, without a probe that is named, and with another device at the board than the file says.
    (board.probe, board.device) = (None, "door-lock".into());
    let error = bench.check(&board).expect_err("it is another device");
    assert!(error.contains("are the wires where"), "{error}");
    let told = fs::read_to_string(bench.path("told")).expect("it was called");
    assert!(told.ends_with("\nreset --chip RP2040\n"), "{told}");
}

#[test]
fn an_agent_asks_its_device_and_another_model_is_told_apart() {
    let (bench, port) = (Bench::new(), Pty::open().expect("a pseudo-terminal"));
    let device = bench.path("device");
    fs::create_dir(&device).expect("a folder");
    for (from, to) in [("door-lock/device.toml", "device.toml"), ("motor/golden.dot", "golden.dot")]
    {
        fs::copy(mealybug_tests::device_file(from), device.join(to)).expect("it is copied");
    }
    let mut board = pico(&bench, port.path(), "door-lock");
    board.program = Program::Agent;
    start_agent_at(port, InMemory::<DoorLock>::conversation());
    bench.check(&board).expect("the model is right");
    board.device = device;
    let error = bench.check(&board).expect_err("it is another model");
    assert!(error.contains("the device is another one"), "{error}");
}

#[test]
fn what_is_missing_is_named() {
    let bench = Bench::new();
    let mut board = pico(&bench, Path::new("usb-that-nobody-has"), "motor");
    bench.probe_rs("echo no probe was found >&2; exit 1");
    let error = bench.check(&board).expect_err("there is no probe");
    assert!(error.contains("no probe was found") && error.contains("probe-rs list"), "{error}");
    fs::remove_file(bench.path("probe-rs")).expect("it is there");
    let error = bench.check(&board).expect_err("there is no probe-rs");
    assert!(error.contains("is probe-rs installed"), "{error}");
    board.board = "nucleo_f411".to_owned();
    let error = bench.check(&board).expect_err("there is no image");
    assert!(error.ends_with("nucleo_f411-learner.elf: dist/firmware nucleo_f411"), "{error}");
}

#[test]
fn a_wrong_file_is_refused() {
    let bench = Bench::new();
    let refused = |text| boards(&bench, text).expect_err("it is refused");
    assert!(read(&bench.path("none.toml")).expect_err("there is none").contains("none.toml"));
    assert!(refused("board = []").ends_with("it lists no board"));
    assert!(refused("[[board]]\nbord = \"pico\"").contains("bord"));
    assert!(refused("[[board]]\nprogram = \"motor\"").contains("`learner` or `agent`"));
}
