//! A learner whose program crashes when a byte comes on UART1, the letter of the crash. For the test of what the host
//! hears of it.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965evb::{learn, start_watched};
use mealybug_adapters::{Attached, Link};
use mealybug_core::wire::message::DeviceError;
use mealybug_core::{Input, Sul};
use mealybug_learner::NoAnswers;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 8 * 1024;

/// Its device has one input, so it computes for no time at all.
const WATCHDOG_MS: u32 = 8000;

lm3s6965evb::handle_faults!();

#[entry]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let [host, device] = start_watched(WATCHDOG_MS);
    learn(host, Fatal(device), NoAnswers, MEMORY)
}

/// A device that answers its input, or crashes if a byte has come.
struct Fatal<L>(L);

impl<L: Link> Sul for Fatal<L> {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn step(&mut self, _: Input) -> Result<&[u8], DeviceError> {
        match self.0.read_until(0)? {
            Some(b'p') => panic!("as it was told"),
            Some(b'f') => {
                // SAFETY: it only reads, and never returns: an address that is not aligned is a fault of this
                // instruction.
                unsafe {
                    core::arch::asm!("ldrd r0, r1, [r2]", in("r2") 1, out("r0") _, out("r1") _);
                };
            }
            Some(b'o') => {
                black_box(recurse(0));
            }
            Some(b'h') => loop {
                core::hint::spin_loop();
            },
            _ => {}
        }
        Ok(b"goes on")
    }
}

impl<L: Link> Attached for Fatal<L> {
    fn inputs(&self) -> u32 {
        1
    }

    fn input_name(&self, _: Input) -> &[u8] {
        b"go on"
    }
}

/// Takes more stack than there is.
#[inline(never)]
fn recurse(depth: u32) -> u32 {
    let frame = black_box([depth; 16]);
    if depth == u32::MAX { 0 } else { recurse(depth + 1).wrapping_add(frame[0]) }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    mealybug_faults::panicked(info)
}
