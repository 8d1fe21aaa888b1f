//! A device whose program crashes, for tests of what its host hears of it.

use core::hint::black_box;

use mealybug_adapters::{Attached, Crashes};
use mealybug_core::wire::crash::MAX_CRASH;
use mealybug_core::wire::message::DeviceError;
use mealybug_core::{Input, Sul};

/// The reset at which the program crashes.
const LAST_RESET: u32 = 30;

/// A device with one input, in a program that crashes when the device was reset often enough. A program that started after
/// a crash goes on for ever.
#[derive(Debug)]
pub struct Doomed {
    /// How it crashes: `p` for a panic, `f` for a fault, `o` for a stack that overflows.
    letter: u8,
    fault: fn(),
    resets: u32,
}

impl Doomed {
    /// A device that crashes as the letter says; `fault` takes a fault of the processor.
    pub fn new(letter: u8, crashes: impl Crashes, fault: fn()) -> Self {
        let has_crashed = !crashes.last(&mut [0; MAX_CRASH]).is_empty();
        Self { letter: if has_crashed { 0 } else { letter }, fault, resets: 0 }
    }
}

impl Sul for Doomed {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        self.resets = self.resets.saturating_add(1);
        if self.resets == LAST_RESET {
            match self.letter {
                b'p' => panic!("as it was told"),
                b'f' => (self.fault)(),
                b'o' => {
                    black_box(recurse(0));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn step(&mut self, _: Input) -> Result<&[u8], DeviceError> {
        Ok(b"goes on")
    }
}

impl Attached for Doomed {
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
    if depth == u32::MAX { 0 } else { recurse(depth.saturating_add(1)).wrapping_add(frame[0]) }
}
