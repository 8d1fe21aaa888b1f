//! The learner of the motor controller. The program contains its rules, so the host needs no device
//! file. It keeps the answers, so its run goes on after a reset.
//!
//! It links only if nothing in it can panic: the panic handler calls a function that does not
//! exist, and the optimiser removes the call only when it has shown that no panic is reachable.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965evb::{KeptRam, LEARNER_WATCHDOG_MS, learn, start_watched};
use mealybug_adapters::Conversation;
use mealybug_learner::FlashAnswers;

/// The output of `mealybug compile device.toml --out device.rules`.
const RULES: &[u8] = include_bytes!("../../../../tests/devices/motor/device.rules");

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 24 * 1024;

lm3s6965evb::handle_faults!();

#[entry]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let [host, device] = start_watched(LEARNER_WATCHDOG_MS);
    let device = Conversation::with_rules(device, RULES);
    let answers = FlashAnswers::new(KeptRam, mealybug_faults::image_digest());
    learn(host, device, answers, MEMORY)
}

unsafe extern "C" {
    fn the_learner_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: there is no such function, so a program that gets here does not link.
    unsafe { the_learner_can_panic() }
}
