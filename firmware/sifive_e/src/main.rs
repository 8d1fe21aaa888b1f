//! The learner on SiFive's HiFive1: an FE310 (RV32IMC) with 16 KiB of RAM. The host is on its
//! serial port, and the device, a boot loader, is in this program.
#![no_std]
#![no_main]

use hifive1::hal::DeviceResources;
use hifive1::hal::core::CLINT;
use hifive1::hal::prelude::*;
use hifive1::hal::serial::Serial;
use hifive1::{configure_clocks, pin};
use mealybug_adapters::{Link, Polled, halt};
use mealybug_devices::BuiltIn;
use mealybug_devices::boot_loader::BootLoader;
use mealybug_learner::Target;
use panic_halt as _;
use riscv::singleton;
use riscv_rt::entry;

/// The board's memory, and how much of it calls take at most.
const RAM_BYTES: usize = 16 * 1024;
const CALLS_BYTES: usize = 6656;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 8704;

/// The frequency of the machine's timer.
const TIMER_HZ: u64 = 32_768;

/// Starts the board.
#[entry]
fn main() -> ! {
    let Some(DeviceResources { peripherals, pins, .. }) = DeviceResources::take() else { halt() };
    let clocks = configure_clocks(peripherals.PRCI, peripherals.AONCLK, 320.mhz().into());
    let pins = (pin!(pins, uart0_tx).into_iof0(), pin!(pins, uart0_rx).into_iof0());
    let serial = Serial::new(peripherals.UART0, pins, 115_200.bps(), clocks);
    let (transmitter, receiver) = serial.split();
    let now_ms = || CLINT::mtimer().mtime.read() * 1000 / TIMER_HZ;
    learn(Polled::new(receiver, transmitter, now_ms))
}

/// Learns as the host demands.
fn learn<L: Link>(host: L) -> ! {
    const {
        let stack = size_of::<Target<L, BuiltIn<BootLoader>>>() + CALLS_BYTES;
        assert!(LEARNER_BYTES + stack <= RAM_BYTES, "the learner does not fit into the memory");
    }
    let memory = singleton!(: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4]);
    // The program begins once.
    let Some(memory) = memory else { halt() };
    Target::new(host, BuiltIn::<BootLoader>::default(), "sifive_e").run(memory)
}
