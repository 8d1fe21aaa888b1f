//! The BBC micro:bit, version 1: an nRF51822 (Cortex-M0) with 16 KiB of RAM. Its only serial port
//! goes to the USB connector, so the device it learns is on its pins or in its program.
//!
//! An interrupt takes the received bytes, as the port holds six and the learner may be busy for
//! longer, and sends those that are to be sent. The processor sleeps while there is nothing to do.
//!
//! Learners have [`handle_faults!`].
#![no_std]

mod edge;

use cortex_m::singleton;
pub use edge::{EdgeProbing, probing};
use embedded_hal::delay::DelayNs;
use mealybug_adapters::{Attached, LineFault, Ring, RingBoard, RingLink, Rings, Ticks, Uart, halt};
use mealybug_faults::{Countdown, Kept, Watched};
use mealybug_learner::Target;
use microbit::board::UartPins;
use microbit::hal::clocks::Clocks;
use microbit::hal::timer::Timer;
use microbit::hal::uart::{Baudrate, Pins};
use microbit::hal::wdt::Watchdog;
use microbit::hal::wdt::count::One;
use microbit::pac::uart0::RegisterBlock;
use microbit::pac::{CLOCK, Interrupt, NVIC, TIMER0, UART0, WDT, interrupt};

/// The serial port, at 115 200 baud, and a clock.
pub type Port = RingLink<PortBoard, RECEIVED, TO_SEND>;

/// The serial port, whose use feeds the watchdog.
pub type FedPort = Watched<Port, fn()>;

const RECEIVED: usize = 64;
const TO_SEND: usize = 16;

static RINGS: Rings<RECEIVED, TO_SEND> = Rings::new();

static TICKS: Ticks = Ticks::new();

static FED: Countdown = Countdown::new();

/// How long a learner may leave its watchdog without food: with so little memory it computes for seconds between two symbols.
pub const WATCHDOG_MS: u32 = 300_000;

/// The chip's own watchdog waits this long for an interrupt that feeds it, in its ticks: 10 s.
const HELD_BACK_TICKS: u32 = 10 * 32_768;

/// The memory for calls and for the target, which lies on the stack: `STACK` in `memory.x`.
const STACK_BYTES: usize = 6224;

/// How much of it calls take at most.
const CALLS_BYTES: usize = 5472;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 9880;

/// The name of the board in messages.
pub const BOARD: &str = "microbit";

/// Defines the handlers of a learner, which keep its crashes: of HardFaults, and of the watchdog.
#[macro_export]
macro_rules! handle_faults {
    () => {
        ::mealybug_faults::handle_hard_faults!();
        // An interrupt that the chip has no use for.
        ::mealybug_faults::handle_watchdog!(SWI0);
    };
}

/// Learns a device as the host demands.
pub fn learn<D: Attached>(watchdog: WDT, host: Port, device: D) -> ! {
    learn_watched(watchdog, WATCHDOG_MS, host, device)
}

/// The same with another time for the watchdog.
pub fn learn_watched<D: Attached>(watchdog: WDT, watchdog_ms: u32, host: Port, device: D) -> ! {
    const {
        let target = size_of::<Target<FedPort, D, &Kept>>();
        assert!(target + CALLS_BYTES <= STACK_BYTES, "the target does not fit into the stack");
    }
    let memory = singleton!(: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4]);
    // This function never returns, so this is its first call.
    let Some(memory) = memory else { halt() };
    let host = watched(watchdog, watchdog_ms, host);
    Target::keeping(host, device, BOARD, mealybug_faults::crashes()).run(memory)
}

/// Starts the watchdog, which the use of the port feeds, for a program with [`handle_faults!`].
pub fn watched(watchdog: WDT, watchdog_ms: u32, host: Port) -> FedPort {
    FED.start(watchdog_ms);
    // It may run already: it goes on over resets by the program.
    if let Ok(mut watchdog) = Watchdog::try_new(watchdog) {
        watchdog.set_lfosc_ticks(HELD_BACK_TICKS);
        watchdog.activate::<One>();
    }
    // SAFETY: the handler shares nothing with the program.
    unsafe { NVIC::unmask(Interrupt::SWI0) };
    Watched::new(host, || FED.feed())
}

/// Starts the port and the clock.
pub fn start(clock: CLOCK, timer: TIMER0, uart: UART0, pins: UartPins) -> Port {
    // Use the crystal: the oscillator that runs at first is too inexact for a serial port.
    Clocks::new(clock).enable_ext_hfosc();
    let mut timer = Timer::periodic(timer);
    timer.enable_interrupt();
    timer.start(Timer::<TIMER0>::TICKS_PER_SECOND / 1000);
    // Not by the HAL, which sends a byte before it starts the port.
    let Pins { txd, rxd, .. } = pins.into();
    // SAFETY: the pins' numbers.
    uart.pseltxd.write(|w| unsafe { w.bits(txd.pin().into()) });
    // SAFETY: as above.
    uart.pselrxd.write(|w| unsafe { w.bits(rxd.pin().into()) });
    uart.baudrate.write(|w| w.baudrate().variant(Baudrate::BAUD115200));
    uart.enable.write(|w| w.enable().enabled());
    // SAFETY: any value starts a task.
    uart.tasks_starttx.write(|w| unsafe { w.bits(1) });
    // SAFETY: as above.
    uart.tasks_startrx.write(|w| unsafe { w.bits(1) });
    uart.intenset.write(|w| w.rxdrdy().set().error().set());
    // The port reports room only after a byte. A zero ends an empty frame, which all hosts drop.
    // SAFETY: all values can be sent.
    uart.txd.write(|w| unsafe { w.bits(0) });
    for interrupt in [Interrupt::UART0, Interrupt::TIMER0] {
        // SAFETY: the types that the handlers share with the program are made for that.
        unsafe { NVIC::unmask(interrupt) };
    }
    RingLink::new(PortBoard(()), &RINGS)
}

/// What the port needs of the board.
#[derive(Debug)]
pub struct PortBoard(());

impl RingBoard for PortBoard {
    fn now_ms(&self) -> u64 {
        TICKS.now_ms()
    }

    fn interrupt_soon(&mut self) {
        NVIC::pend(Interrupt::UART0);
    }

    fn sleep_unless(&self, is_ready: impl FnOnce() -> bool, _: u64) {
        cortex_m::interrupt::free(|_| {
            if !is_ready() {
                // `wfi` also returns for an interrupt that is held back.
                cortex_m::asm::wfi();
            }
        });
    }
}

/// Waits by counting turns of a loop, at 16 MHz.
#[derive(Clone, Copy, Debug)]
pub struct Delay;

impl DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) {
        // `delay` counts turns of a loop of two instructions, which take a Cortex-M0 four cycles of 62.5 ns.
        cortex_m::asm::delay(ns.div_ceil(250));
    }
}

/// The port's registers, for its interrupt.
struct UartRegisters(&'static RegisterBlock);

impl Uart for UartRegisters {
    fn receive<const SIZE: usize>(&mut self, received: &Ring<SIZE>) {
        while self.0.events_rxdrdy.read().bits() != 0 {
            self.0.events_rxdrdy.reset();
            received.push(self.0.rxd.read().rxd().bits());
        }
        if self.0.events_error.read().bits() != 0 {
            self.0.events_error.reset();
            // The host's frames are repeated, whatever was wrong.
            received.fail(LineFault::Overrun);
        }
    }

    fn has_room(&mut self) -> bool {
        self.0.events_txdrdy.read().bits() != 0
    }

    fn send(&mut self, byte: u8) {
        self.0.events_txdrdy.reset();
        // SAFETY: all values can be sent.
        self.0.txd.write(|w| unsafe { w.bits(byte.into()) });
    }

    fn tell_of_room(&mut self, tell: bool) {
        if tell {
            self.0.intenset.write(|w| w.txdrdy().set());
        } else {
            self.0.intenclr.write(|w| w.txdrdy().clear());
        }
    }
}

#[interrupt]
fn UART0() {
    // SAFETY: the program no longer uses the port.
    RINGS.serve(&mut UartRegisters(unsafe { &*UART0::PTR }));
}

#[interrupt]
fn TIMER0() {
    // SAFETY: the program does not use the timer.
    let timer = unsafe { &*TIMER0::PTR };
    timer.events_compare[0].reset();
    TICKS.tick();
    if FED.tick() {
        // SAFETY: feeding the watchdog does no harm.
        unsafe { &*WDT::PTR }.rr[0].write(|w| w.rr().reload());
    } else {
        NVIC::pend(Interrupt::SWI0);
    }
}
