//! A learner whose program crashes when a byte comes on UART1, the letter of the crash. For the test of what the host
//! hears of it.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965evb::{learn, start_watched};
use mealybug_adapters::Link;
use mealybug_devices::doomed::Doomed;
use mealybug_learner::NoAnswers;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 8 * 1024;

/// Its device has one input, so it computes for no time at all.
const WATCHDOG_MS: u32 = 8000;

lm3s6965evb::handle_faults!();

#[entry]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let [host, mut device] = start_watched(WATCHDOG_MS);
    let letter = move || device.read_until(0).ok().flatten();
    learn(host, Doomed::new(letter, fault), NoAnswers, MEMORY)
}

/// Takes a HardFault.
fn fault() {
    // SAFETY: it only reads, and never returns: an address that is not aligned is a fault of this instruction.
    unsafe { core::arch::asm!("ldrd r0, r1, [r2]", in("r2") 1, out("r0") _, out("r1") _) };
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    mealybug_faults::panicked(info)
}
