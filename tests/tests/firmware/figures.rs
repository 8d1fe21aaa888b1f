//! How much of a board the learner takes: flash, static RAM, and the stack during a run. Also how
//! much the smallest board can learn.
//!
//! `tests/run size` keeps the output in `docs/measurements/firmware.txt`.

use std::path::Path;
use std::time::Duration;

use mealybug_tests::alone::{MICROBIT, SIFIVE_E};
use mealybug_tests::board::{EmulatedBoard, LOGGING_LEARNER, LearnerBoard, all_built, program};
use mealybug_tests::learned::{statistics, target};
use mealybug_tests::line::read_until;
use mealybug_tests::pty::open_raw;
use mealybug_tests::qemu::Qemu;
use mealybug_tests::tool::succeed;
use mealybug_tests::{device_file, model};
use object::read::elf::{ElfFile32, ProgramHeader};
use object::{LittleEndian, Object, ObjectSymbol};
use tempfile::TempDir;

/// Where the RAM begins, on ARM and on RISC-V boards.
const ARM_RAM: u32 = 0x2000_0000;
const RISC_V_RAM: u32 = 0x8000_0000;

/// What a program takes of its board, by the linker's layout.
struct Image {
    flash: u32,
    static_ram: u32,
    /// The lowest address of the stack, and the bytes that there are for it.
    stack: u32,
    free: usize,
}

impl Image {
    fn read(program: &Path, ram: u32) -> Self {
        let bytes = std::fs::read(program).expect("it is built");
        let elf = ElfFile32::<LittleEndian>::parse(&*bytes).expect("an ELF file");
        let parts = elf.elf_program_headers().iter();
        let find = |name: &str| {
            let mut symbols = elf.symbols();
            let is_it = |found: &str| found.trim_start_matches('_') == name;
            let symbol = symbols.find(|symbol| symbol.name().is_ok_and(is_it))?;
            Some(u32::try_from(symbol.address()).expect("32 bits"))
        };
        let symbol = |name: &str| find(name).expect(name);
        let (static_end, stack_start) = (symbol("sheap"), symbol("stack_start"));
        // The stack lies at one end of RAM or at the other.
        let stack = find("stack_end").unwrap_or(static_end);
        let static_start = if stack == ram { stack_start } else { ram };
        Self {
            flash: parts.map(|part| part.p_filesz(LittleEndian)).sum(),
            static_ram: static_end - static_start,
            stack,
            free: (stack_start - stack) as usize,
        }
    }

    /// Prints what the program takes. `free` is the memory of its stack after a run. QEMU's RAM is
    /// zero at first, so every other byte was written.
    fn print(&self, what: &str, free: &[u8], stack_limit: usize) {
        let untouched = free.iter().position(|&byte| byte != 0).expect("there is a stack");
        let stack = free.len() - untouched;
        println!("{what}: {} bytes of flash (at most {FLASH_BYTES})", self.flash);
        println!("{what}: {} bytes of static RAM", self.static_ram);
        println!(
            "{what}: {stack} bytes of stack at most (at most {stack_limit}; there are {})",
            self.free
        );
        assert!(self.flash <= FLASH_BYTES);
        assert!(stack <= stack_limit && stack_limit <= self.free);
    }
}

/// The most flash that the learner may take: with rules from the host, and with a device built in,
/// which leaves only the learner and its link.
const FLASH_BYTES: u32 = 48 * 1024;
const BUILT_IN_FLASH_BYTES: u32 = 32 * 1024;

#[test]
fn the_learner_on_lm3s6965evb() {
    measure("learner", "learner, lm3s6965evb, learning the motor");
}

/// Neither program can panic: it would not link.
#[test]
fn the_learner_with_its_log() {
    measure(LOGGING_LEARNER, "learner, lm3s6965evb, with defmt, learning the motor");
}

fn measure(name: &str, what: &str) {
    if !all_built(&format!("the size of {name}"), &[name, "motor"]) {
        return;
    }
    let device = EmulatedBoard::start("motor").expect("QEMU runs the device");
    let mut learner = LearnerBoard::start_at(device.port(), name).expect("QEMU runs the learner");
    let folder = TempDir::new().expect("a folder");
    let mut command = target(learner.host_port(), &folder.path().join("out"));
    succeed(command.arg(device_file("motor/device.toml")));
    let image = Image::read(&program(name), ARM_RAM);
    let free = learner.memory(image.stack, image.free).expect("QEMU runs");
    // What `learner.rs` leaves for calls, and the target itself.
    image.print(what, &free, 12 * 1024);
}

#[test]
fn the_learner_and_its_link() {
    if !all_built("the size of the learner and its link", &["learner-built-in"]) {
        return;
    }
    let Image { flash, .. } = Image::read(&program("learner-built-in"), ARM_RAM);
    println!(
        "learner, lm3s6965evb, with its link only and the door lock built in: {flash} bytes of flash \
         (at most {BUILT_IN_FLASH_BYTES})"
    );
    assert!(flash <= BUILT_IN_FLASH_BYTES);
}

/// The output of a program, in a QEMU whose clock counts instructions.
fn output_of(name: &str) -> String {
    let program = program(name);
    let program = program.to_str().expect("a path in UTF-8");
    let board = ["-machine", "lm3s6965evb", "-icount", "shift=8", "-serial", "pty"];
    let mut qemu = Qemu::start(&[&board[..], &["-kernel", program]].concat()).expect("it starts");
    let port = open_raw(&qemu.port().expect("a port")).expect("it opens");
    qemu.go_on().expect("QEMU runs");
    let said = read_until(&port, &["end\n"], Duration::from_secs(60)).expect("it ends");
    String::from_utf8(said).expect("text")
}

#[test]
fn instructions_are_the_same_in_each_run() {
    if !all_built("instructions a symbol", &["instructions"]) {
        return;
    }
    let said = output_of("instructions");
    let lines: Vec<_> = said.lines().filter(|line| line.starts_with("toy example")).collect();
    lines.iter().for_each(|line| println!("learner, lm3s6965evb: {line}"));
    assert_eq!(lines.len(), 4, "{said}");
    assert!(lines.iter().all(|line| line.ends_with("Ok(TestsPassed)")), "{said}");
    assert_eq!(output_of("instructions"), said);
}

#[test]
fn memory_is_copied_moved_filled_and_compared() {
    if all_built("the functions for memory", &["memory-functions"]) {
        let said = output_of("memory-functions");
        assert_eq!(said, "move: right\ncopy: right\nfill: right\ncompare: right\nend\n");
    }
}

/// The number of states of the largest example of the paper that fits into this many bytes of
/// learner memory. Tests of `firmware/devices` check both numbers with the learner as boards have
/// it.
const LARGEST_TOY: (u32, u64) = (90, 9880);

#[test]
fn the_toy_on_the_micro_bit() {
    if !MICROBIT.is_built("the size of the toy example", "toy") {
        return;
    }
    let mut board = MICROBIT.start("toy").expect("QEMU runs it");
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("out");
    succeed(&mut target(board.port(), &out));
    let states = model(&out.join("model.dot")).states();
    let bytes = statistics(&out)["memory_bytes"].as_u64().expect("a number");
    assert_eq!((states, bytes), LARGEST_TOY, "the largest is built in");

    let image = Image::read(&MICROBIT.program("toy"), ARM_RAM);
    let free = board.memory(image.stack, image.free).expect("QEMU runs");
    image.print("learner, microbit, with the toy example built in", &free, 6000);
    println!(
        "learner, microbit: the toy example up to n = {} ({states} states) fits into its {bytes} bytes",
        states / 2
    );
}

#[test]
fn the_learner_on_sifive_e() {
    if !SIFIVE_E.is_built("the size of the learner on RISC-V", "learner") {
        return;
    }
    let mut board = SIFIVE_E.start("learner").expect("QEMU runs it");
    let folder = TempDir::new().expect("a folder");
    succeed(&mut target(board.port(), &folder.path().join("out")));
    let image = Image::read(&SIFIVE_E.program("learner"), RISC_V_RAM);
    let free = board.memory(image.stack, image.free).expect("QEMU runs");
    image.print("learner, sifive_e, with the boot loader built in", &free, 7 * 1024);
}
