//! The learner, with a washing machine at the edge connector: its button at pin 0, its lid switch
//! at pin 1, its reset at pin 2, and its two lamps at pins 8 and 12.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use embedded_hal::digital::PinState;
use mealybug_adapters::{Drive, Entry, Pins, Probed, ResetPin, halt};
use microbit::Board;
use microbit::hal::gpio::Level;
use microbit_v1::{Delay, learn, start};
// It links only if nothing can panic.
use panic_never as _;

microbit_v1::handle_faults!();

static INPUTS: [Entry<Drive>; 3] = [
    Entry::new("press", Drive::Pulse { pin: 0, width_us: 1000 }),
    Entry::new("open", Drive::Levels(0b10)),
    Entry::new("close", Drive::Levels(0b00)),
];

static NAMES: [(&str, &str); 3] = [("0b00", "off"), ("0b01", "washing"), ("0b10", "spinning")];

#[entry]
fn main() -> ! {
    let Some(Board { CLOCK, TIMER0, UART0, WDT, uart, edge, .. }) = Board::take() else { halt() };
    let button = edge.e00.into_push_pull_output(Level::Low).degrade();
    let lid = edge.e01.into_push_pull_output(Level::Low).degrade();
    let lamps =
        [edge.e08.into_floating_input().degrade(), edge.e12.into_floating_input().degrade()];
    let reset = ResetPin {
        pin: edge.e02.into_push_pull_output(Level::High),
        active: PinState::Low,
        hold_ms: 1,
        wait_ms: 1,
    };
    let pins = Pins::new([button, lid], lamps, 0b00, 100);
    let device = Probed::new(&INPUTS, pins, reset, Delay).with_names(&NAMES);
    learn(WDT, start(CLOCK, TIMER0, UART0, uart), device)
}
