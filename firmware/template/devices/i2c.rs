//! A learner on a microcontroller. It learns the device on the board's I2C bus.
#![no_std]
#![no_main]

mod board;

use mealybug_learner::Target;
use mealybug_learner::adapters::embedded_hal::digital::PinState;
use mealybug_learner::adapters::{Access, Entry, Probed, Registers, ResetPin, halt};

/// The device's address.
const DEVICE: u8 = 0x48;

/// What the device is asked. The outputs are `ok`, the bytes of a read, and `nack`.
static INPUTS: [Entry<Access>; 4] = [
    Entry::new("start", Access::Write { address: DEVICE, bytes: &[0x01, 0x80] }),
    Entry::new("stop", Access::Write { address: DEVICE, bytes: &[0x01, 0x00] }),
    Entry::new("read the state", Access::Read { address: DEVICE, register: &[0x00], len: 2 }),
    Entry::wait("wait", 100),
];

/// The level that holds the device in reset.
const RESET: PinState = PinState::{{reset}};

#[board::entry]
fn main() -> ! {
    let Some(board) = board::start(!RESET) else { halt() };
    let reset = ResetPin { pin: board.reset, active: RESET, hold_ms: 1, wait_ms: 50 };
    let device = Probed::new(&INPUTS, Registers::new(board.i2c), reset, board.delay);
    Target::keeping(board.host, device, board::NAME, board.crashes).run(board.memory)
}
