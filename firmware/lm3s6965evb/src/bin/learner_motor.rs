//! The learner of the motor controller. The program contains its rules, so the host needs no device
//! file.
//!
//! It links only if nothing in it can panic: the panic handler calls a function that does not
//! exist, and the optimiser removes the call only when it has shown that no panic is reachable.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965evb::{Port, RING_BYTES, start};
use mealybug_adapters::Conversation;
use mealybug_learner::Target;

/// The board's memory, and how much of it the stack needs at most: for calls, and for the target,
/// which lies on the stack.
const RAM_BYTES: usize = 64 * 1024;
const STACK_BYTES: usize = size_of::<Target<Port, Conversation<Port>>>() + 7936;

/// The output of `mealybug compile device.toml --out device.rules`.
const RULES: &[u8] = include_bytes!("../../../../tests/devices/motor/device.rules");

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 48 * 1024;

const _: () = assert!(
    LEARNER_BYTES + RING_BYTES + mealybug_log::RAM_BYTES + STACK_BYTES <= RAM_BYTES,
    "the learner does not fit into the board's memory"
);

#[entry]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let [host, device] = start();
    Target::new(host, Conversation::with_rules(device, RULES), "lm3s6965evb").run(MEMORY)
}

unsafe extern "C" {
    fn the_learner_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: there is no such function, so a program that gets here does not link.
    unsafe { the_learner_can_panic() }
}
