//! How much of the board the learner takes: flash, static RAM, and the stack during a run.
//!
//! `tests/run size` keeps what this prints in `docs/measurements/firmware.txt`.

use std::path::Path;
use std::time::{Duration, Instant};

use mealybug_tests::board::{Board, Learner, all_built, connect, program};
use mealybug_tests::{device_file, tool};
use object::read::elf::{ElfFile32, ProgramHeader};
use object::{LittleEndian, Object, ObjectSymbol};
use tempfile::TempDir;

/// Where the RAM begins.
const RAM: u32 = 0x2000_0000;

/// The most flash that the learner may take.
const FLASH_BYTES: u32 = 48 * 1024;

/// The most stack that it may take: what `learner.rs` leaves for the calls, and the target itself.
const STACK_BYTES: usize = 12 * 1024;

#[test]
fn the_learner_on_lm3s6965evb() {
    if !all_built("the size of the learner", &["learner", "motor"]) {
        return;
    }
    let bytes = std::fs::read(program("learner")).expect("it is built");
    let elf = ElfFile32::<LittleEndian>::parse(&*bytes).expect("an ELF file");
    let flash: u32 = elf.elf_program_headers().iter().map(|part| part.p_filesz(LittleEndian)).sum();
    let symbol = |name: &str| {
        let symbol = elf.symbols().find(|symbol| symbol.name() == Ok(name));
        u32::try_from(symbol.expect(name).address()).expect("32 bits")
    };
    let static_end = symbol("__sheap");
    let static_ram = static_end - RAM;
    let stack_start = symbol("_stack_start");

    let device = Board::start("motor").expect("QEMU runs the device");
    let mut learner = Learner::start().expect("QEMU runs the learner");
    connect(learner.device_port(), device.port()).expect("two ports");
    let folder = TempDir::new().expect("a folder");
    let mut command = tool::mealybug();
    command.args(["target", "--port"]).arg(learner.host_port());
    command.arg("--out").arg(folder.path().join("out")).arg(device_file("motor/device.toml"));
    let ended = command.output().expect("it starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let ram = dump(&mut learner, &folder.path().join("ram"), (stack_start - RAM) as usize);
    // QEMU's RAM is zero at first, so what is not zero was written.
    let free = &ram[static_ram as usize..];
    let untouched = free.iter().position(|&byte| byte != 0).expect("there is a stack");
    let stack = free.len() - untouched;

    println!("learner, lm3s6965evb: {flash} bytes of flash (at most {FLASH_BYTES})");
    println!("learner, lm3s6965evb: {static_ram} bytes of static RAM");
    println!(
        "learner, lm3s6965evb: {stack} bytes of stack at most, learning the motor \
         (at most {STACK_BYTES}; there are {})",
        free.len()
    );
    assert!(flash <= FLASH_BYTES);
    assert!(stack <= STACK_BYTES && STACK_BYTES <= free.len());
}

/// The memory of the board; QEMU does not tell when it has been written.
fn dump(learner: &mut Learner, file: &Path, len: usize) -> Vec<u8> {
    learner.dump_memory(file).expect("QEMU runs");
    let started = Instant::now();
    loop {
        let bytes = std::fs::read(file).unwrap_or_default();
        if bytes.len() >= len {
            return bytes;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "QEMU writes its memory");
        std::thread::sleep(Duration::from_millis(20));
    }
}
