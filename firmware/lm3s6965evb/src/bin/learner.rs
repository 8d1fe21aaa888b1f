//! The learner: the host on UART0, the device on UART1.
//!
//! It links only if nothing in it can panic: the panic handler calls a function that does not
//! exist, and the optimiser removes the call only when it has shown that no panic is reachable.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965evb::{LEARNER_WATCHDOG_MS, learn, start_watched};
use mealybug_adapters::Conversation;
use mealybug_learner::NoAnswers;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 48 * 1024;

lm3s6965evb::handle_faults!();

#[entry]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let [host, device] = start_watched(LEARNER_WATCHDOG_MS);
    learn(host, Conversation::new(device), NoAnswers, MEMORY)
}

unsafe extern "C" {
    fn the_learner_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: there is no such function, so a program that gets here does not link.
    unsafe { the_learner_can_panic() }
}
