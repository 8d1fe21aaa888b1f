//! The learner on Nordic's nRF52840 DK as a task beside others, on embassy: it learns the device at UARTE1 by the rules of the
//! host's device file, while the pin D3 blinks.
#![no_std]
#![no_main]

mod board;

use embassy_executor::Spawner;
use embassy_nrf::buffered_uarte::BufferedUarte;
use embassy_nrf::gpio::Output;
use embassy_time::{Delay, Instant, Timer};
use mealybug_learner::adapters::asynchronous::{Conversation, Link, Streamed};
use mealybug_learner::adapters::embedded_hal::digital::PinState;
use mealybug_learner::adapters::{NamedPin, halt};
use mealybug_learner::asynchronous::Target;

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let Some(board) = board::start(PinState::High) else { halt() };
    let [lamp, _] = board.outputs;
    match blink(lamp) {
        Ok(task) => spawner.spawn(task),
        Err(_) => halt(),
    }
    let reset = NamedPin { name: "reset", pin: board.reset, active: PinState::Low };
    let device = Conversation::with_pins(link(board.uart.into_line().uarte), (reset, board.named));
    Target::keeping(link(board.host.into_line().uarte), device, board::NAME, board.crashes)
        .run(board.memory)
        .await
}

/// Another task of the program. It feeds the watchdog: while a task never waits, no other one gets its turn.
#[embassy_executor::task]
async fn blink(mut lamp: Output<'static>) {
    loop {
        lamp.toggle();
        board::feed();
        Timer::after_millis(500).await;
    }
}

/// A serial port with a clock.
fn link(port: BufferedUarte<'static>) -> impl Link {
    Streamed::new(port, Delay, || Instant::now().as_millis())
}
