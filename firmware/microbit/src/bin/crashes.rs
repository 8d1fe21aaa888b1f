//! A learner whose program crashes once, in the way that a byte in its RAM says. For the test of what the host hears of it.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use mealybug_adapters::halt;
use mealybug_devices::doomed::{Doomed, once};
use microbit::Board;
use microbit_v1::{learn_watched, start};

microbit_v1::handle_faults!();

/// Its device has one input, so it computes for no time at all.
const WATCHDOG_MS: u32 = 8000;

/// Where QEMU puts the byte.
const LETTER: *const u8 = 0x2000_3ffc as *const u8;

#[entry]
fn main() -> ! {
    let Some(Board { CLOCK, TIMER0, UART0, WDT, uart, .. }) = Board::take() else { halt() };
    // SAFETY: RAM, of which the program uses nothing here.
    let letter = unsafe { LETTER.read_volatile() };
    let device = Doomed::new(once(letter, mealybug_faults::crashes()), fault);
    learn_watched(WDT, WATCHDOG_MS, start(CLOCK, TIMER0, UART0, uart), device)
}

/// Takes a HardFault: it reads a word from an address that is not aligned.
fn fault() {
    // SAFETY: it only reads.
    unsafe { core::arch::asm!("ldr {0}, [{0}]", inout(reg) 1 => _) };
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    mealybug_faults::panicked(info)
}
