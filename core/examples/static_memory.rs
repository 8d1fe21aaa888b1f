//! Learns in memory that is reserved when the program is linked, as firmware does: no allocator and,
//! but for `std::println!` and the lock, no `std`.
#![no_std]

extern crate std;

use core::error::Error;
use std::boxed::Box;
use std::println;
use std::sync::Mutex;

use mealybug_core::{EndReason, Input, Options, ServeError, Session, Sul, learn};

/// 4 KiB, in words.
const WORDS: usize = 1024;

// A board has no lock of `std`. There `cortex_m::singleton!` or `static_cell::ConstStaticCell` hands
// out the array once, as a `&'static mut`.
static MEMORY: Mutex<[u32; WORDS]> = Mutex::new([0; WORDS]);

fn main() -> Result<(), Box<dyn Error>> {
    let mut memory = MEMORY.lock()?;
    let (end, bytes) = learn_lock(&mut *memory, &mut Lock::default())?;
    println!("{end:?}: {bytes} bytes used of {}", size_of_val(&*memory));
    Ok(())
}

/// Learns the lock and says how many bytes that took. Needs `core` only.
fn learn_lock(
    memory: &mut [u32],
    lock: &mut Lock,
) -> Result<(EndReason, usize), ServeError<PinError>> {
    let mut session = Session::new(memory, 3, Options::new()).map_err(ServeError::Session)?;
    // With too little memory this is a `CapacityError`, and the session keeps its last hypothesis.
    let end = learn(&mut session, lock)?;
    Ok((end, session.progress().learner_bytes))
}

/// A combination lock with three keys on pins; 0, 2, 1 opens it.
#[derive(Default)]
struct Lock {
    right_keys: u8,
}

/// A pin could not be driven or read.
#[derive(Debug)]
struct PinError;

impl core::fmt::Display for PinError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("a pin failed")
    }
}

impl Error for PinError {}

impl Sul for Lock {
    type Error = PinError;

    fn reset(&mut self) -> Result<(), PinError> {
        self.right_keys = 0;
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], PinError> {
        self.right_keys = match (self.right_keys, input.index()) {
            (0, 0) => 1,
            (1, 2) => 2,
            (2, 1) => 3,
            (3, _) => 3,
            (_, key) => u8::from(key == 0),
        };
        Ok(if self.right_keys == 3 { b"open" } else { b"shut" })
    }
}
