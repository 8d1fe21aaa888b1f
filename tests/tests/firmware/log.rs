//! The log of the learner on a board, as its host shows and keeps it.

use std::path::{Path, PathBuf};
use std::process::Output;

use mealybug_tests::board::{EmulatedBoard, LOGGING_LEARNER, LearnerBoard, all_built, program};
use mealybug_tests::device_file;
use mealybug_tests::learned::target;
use mealybug_tests::tool::unwrapped;
use object::read::elf::ElfFile32;
use object::{LittleEndian, Object, ObjectSection};
use tempfile::TempDir;

/// The learner with its log, attached to a motor controller.
struct Logging {
    _device: EmulatedBoard,
    learner: LearnerBoard,
    folder: TempDir,
}

impl Logging {
    fn start() -> Self {
        let device = EmulatedBoard::start("motor").expect("QEMU runs the device");
        let learner = LearnerBoard::start_at(device.port(), LOGGING_LEARNER);
        let learner = learner.expect("QEMU runs the learner");
        Self { _device: device, learner, folder: TempDir::new().expect("a folder") }
    }

    /// Lets it learn with these options; the results go into a folder of this name.
    fn learn(&self, name: &str, options: &[&str]) -> (Output, String) {
        let mut command = target(self.learner.host_port(), &self.folder.path().join(name));
        command.args(["--again", "--tests-in-a-row", "3"]).args(options);
        let ended = command.arg(device_file("motor/device.toml")).output().expect("it starts");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        (ended, said)
    }

    /// The contents of a file in that folder, if it exists.
    fn kept(&self, file: &str) -> Option<Vec<u8>> {
        std::fs::read(self.folder.path().join(file)).ok()
    }
}

/// Makes a learner that logs other messages: this one, with other numbers for its messages.
fn of_another_program(folder: &Path) -> PathBuf {
    let mut bytes = std::fs::read(program(LOGGING_LEARNER)).expect("it is built");
    let elf = ElfFile32::<LittleEndian>::parse(&*bytes).expect("an ELF file");
    let section = |name| elf.section_by_name(name).expect(name);
    let defmt = u16::try_from(section(".defmt").index().0).expect("few sections");
    let (start, len) = section(".symtab").file_range().expect("it is in the file");
    let symbols =
        usize::try_from(start).expect("small")..usize::try_from(start + len).expect("small");
    for symbol in bytes[symbols].chunks_exact_mut(16) {
        if symbol[14..] == defmt.to_le_bytes() {
            symbol[6] = symbol[6].wrapping_add(1);
        }
    }
    let file = folder.join("another.elf");
    std::fs::write(&file, bytes).expect("the folder is there");
    file
}

#[test]
fn the_log_of_the_learner() {
    if !all_built("the log of the learner", &["learner", "motor", LOGGING_LEARNER]) {
        return;
    }
    let board = Logging::start();
    let path = |path: &Path| path.to_str().expect("text").to_owned();
    let (elf, plain) = (path(&program(LOGGING_LEARNER)), path(&program("learner")));

    let (ended, said) = board.learn("read", &["--elf", &elf]);
    assert!(ended.status.success(), "{said}");
    let log = String::from_utf8(board.kept("read/log.txt").expect("it is kept")).expect("text");
    for what in [
        "INFO   learning 8 inputs: PerOutput, RandomWp, seed 0, 3 tests in a row",
        "INFO   hypothesis 1: ",
        "INFO   the end: TestsPassed",
        "/firmware/learner/src/log.rs:",
    ] {
        assert!(log.contains(what), "no {what:?} in\n{log}");
    }
    for line in log.lines() {
        let (message, _) = line.rsplit_once("  (").expect("a place at its end");
        assert!(said.contains(&format!("target {message}")), "{line:?} is not in\n{said}");
        let time = line.trim_start().split(' ').next().map(str::parse::<f64>);
        assert!(time.is_some_and(|time| time.is_ok_and(|seconds| seconds > 0.0)), "{line}");
    }
    assert_eq!(board.kept("read/log.defmt"), None, "all of it was read");

    let (ended, said) = board.learn("json", &["--elf", &elf, "--json"]);
    assert!(ended.status.success(), "{said}");
    let events = String::from_utf8_lossy(&ended.stdout);
    let log = events.lines().filter(|line| line.contains(r#""event":"log""#));
    let levels = log.filter(|line| line.contains(r#""level":"info""#)).count();
    assert!(levels >= 4, "{events}");

    // Unreadable log messages are kept and do not end the run.
    let (ended, said) = board.learn("raw", &[]);
    assert!(ended.status.success(), "{said}");
    assert!(said.contains("--elf FILE shows what it says"), "{said}");
    let raw = board.kept("raw/log.defmt").expect("it is kept");
    assert!(raw.iter().filter(|&&byte| byte == 0).count() >= 4, "{raw:x?}");
    let another = of_another_program(board.folder.path());
    let (ended, said) = board.learn("another", &["--elf", &path(&another)]);
    assert!(ended.status.success(), "{said}");
    assert!(said.contains("the target logs something that its --elf does not know"), "{said}");
    let shown = String::from_utf8_lossy(&ended.stdout);
    assert!(shown.contains("messages of the target's log cannot be read"), "{shown}");
    assert!(board.kept("another/log.defmt").is_some());

    // An unsuitable file is an error before the device is asked anything.
    for (file, what) in [
        (plain, "does not log"),
        (path(&device_file("motor/device.toml")), "Unknown file magic"),
        ("/no/such.elf".to_owned(), "cannot read /no/such.elf"),
    ] {
        let (ended, said) = board.learn("none", &["--elf", &file]);
        assert_eq!(ended.status.code(), Some(1), "{said}");
        assert!(unwrapped(&said).contains(what), "{said}");
        assert!(!board.folder.path().join("none").exists());
    }
}
