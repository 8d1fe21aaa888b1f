//! A device whose program crashes, for tests of what its host hears of it.

use core::hint::{black_box, spin_loop};

use mealybug_adapters::{Attached, Crashes};
use mealybug_core::wire::crash::MAX_CRASH;
use mealybug_core::wire::message::DeviceError;
use mealybug_core::{Input, Sul};

/// The input at which [`once`] has a program crash.
const LAST_INPUT: u32 = 30;

/// A device with one input. At each, it asks for a letter that says how its program crashes: `p` for a panic, `f` for a fault,
/// `o` for a stack that overflows, `h` for a program that hangs.
#[derive(Debug)]
pub struct Doomed<F> {
    letter: F,
    fault: fn(),
}

impl<F: FnMut() -> Option<u8>> Doomed<F> {
    /// `fault` takes a fault of the processor.
    pub const fn new(letter: F, fault: fn()) -> Self {
        Self { letter, fault }
    }
}

/// Has a program crash as this letter says, once enough was asked. A program that started after a crash goes on for ever.
pub fn once(letter: u8, crashes: impl Crashes) -> impl FnMut() -> Option<u8> {
    let has_crashed = !crashes.last(&mut [0; MAX_CRASH]).is_empty();
    let mut asked = 0_u32;
    move || {
        asked = asked.saturating_add(1);
        (asked == LAST_INPUT && !has_crashed).then_some(letter)
    }
}

impl<F: FnMut() -> Option<u8>> Sul for Doomed<F> {
    type Error = DeviceError;

    fn reset(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn step(&mut self, _: Input) -> Result<&[u8], DeviceError> {
        match (self.letter)() {
            Some(b'p') => panic!("as it was told"),
            Some(b'f') => (self.fault)(),
            Some(b'o') => {
                black_box(recurse(0));
            }
            Some(b'h') => loop {
                spin_loop();
            },
            _ => {}
        }
        Ok(b"goes on")
    }
}

impl<F: FnMut() -> Option<u8>> Attached for Doomed<F> {
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
