//! A learner whose program crashes once, in the way that a byte in its RAM says. For the test of what the host hears of it.
#![no_std]
#![no_main]

use mealybug_devices::doomed::{Doomed, once};
use riscv_rt::entry;
use sifive_e::{learn, start};

/// Where QEMU puts the byte.
const LETTER: *const u8 = 0x8000_3ffc as *const u8;

/// The program.
#[entry]
fn main() -> ! {
    let host = start();
    // SAFETY: RAM, of which the program uses nothing here.
    let letter = unsafe { LETTER.read_volatile() };
    learn(host, Doomed::new(once(letter, mealybug_faults::crashes()), fault))
}

/// Takes an exception: it stores where nothing is.
fn fault() {
    // SAFETY: the store is refused.
    unsafe { core::arch::asm!("sw zero, 0({})", in(reg) 0x40) };
}
