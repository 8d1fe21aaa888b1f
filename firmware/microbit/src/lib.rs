//! The BBC micro:bit, version 1: an nRF51822 (Cortex-M0) with 16 KiB of RAM. Its only serial port
//! goes to the USB connector, so the device it learns is on its pins or in its program.
//!
//! An interrupt takes the received bytes: the port holds six, and the learner may be busy for
//! longer. The processor sleeps while there is nothing to do.
#![no_std]

mod edge;

use core::fmt;

use cortex_m::singleton;
use embedded_hal::delay::DelayNs;
use embedded_io::Write;
use mealybug_adapters::{Attached, LineFault, Link, Ring, Ticks, halt};
use mealybug_learner::Target;
use microbit::board::UartPins;
use microbit::hal::clocks::Clocks;
use microbit::hal::timer::Timer;
use microbit::hal::uart::{Baudrate, Parity, Uart};
pub use edge::probing;
use microbit::pac::{CLOCK, Interrupt, NVIC, TIMER0, UART0, interrupt};

/// Bytes that the port has received and nobody has read.
static RECEIVED: Ring<128> = Ring::new();

static TICKS: Ticks = Ticks::new();

/// The board's memory, and how much of it calls take at most.
const RAM_BYTES: usize = 16 * 1024;
const CALLS_BYTES: usize = 6656;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 8704;

/// The name of the board in messages.
pub const BOARD: &str = "microbit";

/// Learns a device as the host on the serial port demands.
pub fn learn<D: Attached>(host: Port, device: D) -> ! {
    let memory = singleton!(: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4]);
    // This function never returns, so this is its first call.
    let Some(memory) = memory else { halt() };
    learn_in(host, device, memory)
}

/// The same in less memory, for a device that takes more of it.
pub fn learn_in<D: Attached, const WORDS: usize>(
    host: Port,
    device: D,
    memory: &'static mut [u32; WORDS],
) -> ! {
    const {
        let rings = size_of::<Ring<128>>() + size_of::<Ticks>();
        let stack = size_of::<Target<Port, D>>() + CALLS_BYTES;
        assert!(
            4 * WORDS + rings + stack <= RAM_BYTES,
            "the learner does not fit into the board's memory"
        );
    }
    Target::new(host, device, BOARD).run(memory)
}

/// The serial port, at 115 200 baud, and a clock.
pub struct Port(Uart<UART0>);

impl Port {
    /// Starts the port and the clock.
    pub fn start(clock: CLOCK, timer: TIMER0, uart: UART0, pins: UartPins) -> Self {
        // Use the crystal: the oscillator that runs at first is too inexact for a serial port.
        Clocks::new(clock).enable_ext_hfosc();
        let mut timer = Timer::periodic(timer);
        timer.enable_interrupt();
        timer.start(Timer::<TIMER0>::TICKS_PER_SECOND / 1000);
        let uart = Uart::new(uart, pins.into(), Parity::EXCLUDED, Baudrate::BAUD115200);
        // SAFETY: the registers of the port, which exists.
        let port = unsafe { &*UART0::PTR };
        port.intenset.write(|w| w.rxdrdy().set().error().set());
        // The HAL sends a byte so that the port reports when the next one may follow. But it does
        // so before it starts the port, and QEMU ignores that byte. So send another zero: it ends
        // an empty frame, which all hosts drop.
        // SAFETY: all values can be sent.
        port.txd.write(|w| unsafe { w.bits(0) });
        for interrupt in [Interrupt::UART0, Interrupt::TIMER0] {
            // SAFETY: the types that the handlers share with the program are made for that.
            unsafe { NVIC::unmask(interrupt) };
        }
        Self(uart)
    }
}

impl Link for Port {
    fn now_ms(&self) -> u64 {
        TICKS.now_ms()
    }

    fn write(&mut self, bytes: &[u8]) {
        // It cannot fail.
        let _ = self.0.write_all(bytes);
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        RECEIVED.read_until(
            deadline_ms,
            || TICKS.now_ms(),
            || {
                cortex_m::interrupt::free(|_| {
                    if RECEIVED.is_empty() {
                        // `wfi` also returns for an interrupt that is held back.
                        cortex_m::asm::wfi();
                    }
                });
            },
        )
    }
}

/// Waits by counting cycles, at 16 MHz.
#[derive(Clone, Copy, Debug)]
pub struct Delay;

impl DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) {
        // A cycle takes 62.5 ns.
        cortex_m::asm::delay(ns / 62 + 1);
    }
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Port").finish_non_exhaustive()
    }
}

#[interrupt]
fn UART0() {
    // SAFETY: the program uses only those registers of the port that send.
    let port = unsafe { &*UART0::PTR };
    if port.events_error.read().bits() != 0 {
        port.events_error.reset();
        // The host's frames are repeated, whatever was wrong.
        RECEIVED.fail(LineFault::Overrun);
    }
    while port.events_rxdrdy.read().bits() != 0 {
        port.events_rxdrdy.reset();
        RECEIVED.push(port.rxd.read().rxd().bits());
    }
}

#[interrupt]
fn TIMER0() {
    // SAFETY: the program does not use the timer.
    let timer = unsafe { &*TIMER0::PTR };
    timer.events_compare[0].reset();
    TICKS.tick();
}
