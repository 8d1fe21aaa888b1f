//! The learner on ST's Nucleo-F411RE: an STM32F411 with 128 KiB of RAM. The host is on USART2, the
//! serial port of the board's USB connector; the device is on USART1 (PA9 at D8, PA10 at D2).
//!
//! An interrupt takes the received bytes, because each port holds only one.
#![no_std]
#![no_main]

use cortex_m::peripheral::NVIC;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::{entry, exception};
use embedded_hal_nb::nb::block;
use embedded_hal_nb::serial::Write;
use mealybug_adapters::{Conversation, LineFault, Link, Ring, Ticks, halt};
use mealybug_learner::Target;
use panic_halt as _;
use stm32f4xx_hal::pac::usart1::RegisterBlock;
use stm32f4xx_hal::pac::{CorePeripherals, Interrupt, Peripherals, USART1, USART2, interrupt};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;
use stm32f4xx_hal::serial::{Instance, RxListen, Serial, Tx};

/// The clock, from a PLL.
const HZ: u32 = 84_000_000;

/// The board's memory, and how much of it the stack needs at most: for calls, and for the target,
/// which lies on the stack.
const RAM_BYTES: usize = 128 * 1024;
const STACK_BYTES: usize = 16 * 1024;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 96 * 1024;

const _: () = assert!(LEARNER_BYTES + STACK_BYTES <= RAM_BYTES);

/// Bytes that a port has received and nobody has read.
type Received = Ring<512>;

static HOST: Received = Ring::new();
static DEVICE: Received = Ring::new();
static TICKS: Ticks = Ticks::new();

#[entry]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let Some((host, device)) = start() else { halt() };
    Target::new(host, Conversation::new(device), "nucleo-f411re").run(MEMORY)
}

/// The ports for the host and the device.
fn start() -> Option<(impl Link, impl Link)> {
    let board = Peripherals::take()?;
    let CorePeripherals { mut SYST, .. } = CorePeripherals::take()?;
    let mut rcc = board.RCC.freeze(Config::hsi().sysclk(HZ.Hz()));
    SYST.set_clock_source(SystClkSource::Core);
    SYST.set_reload(HZ / 1000 - 1);
    SYST.clear_current();
    SYST.enable_interrupt();
    SYST.enable_counter();

    let pins = board.GPIOA.split(&mut rcc);
    let baud = 115_200.bps();
    let host = board.USART2.serial((pins.pa2, pins.pa3), baud, &mut rcc).ok()?;
    let device = board.USART1.serial((pins.pa9, pins.pa10), baud, &mut rcc).ok()?;
    let ports = (Port::new(host, &HOST), Port::new(device, &DEVICE));
    for interrupt in [Interrupt::USART1, Interrupt::USART2] {
        // SAFETY: the types that the handlers share with the program are made for that.
        unsafe { NVIC::unmask(interrupt) };
    }
    Some(ports)
}

/// A serial port.
struct Port<U: Instance> {
    transmitter: Tx<U>,
    received: &'static Received,
}

impl<U: Instance> Port<U> {
    fn new(serial: Serial<U>, received: &'static Received) -> Self {
        let (transmitter, mut receiver) = serial.split();
        receiver.listen();
        Self { transmitter, received }
    }
}

impl<U: Instance> Link for Port<U> {
    fn now_ms(&self) -> u64 {
        TICKS.now_ms()
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            // It cannot fail.
            let _ = block!(self.transmitter.write(byte));
        }
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        // An interrupt just before the sleep does not end it, but the next millisecond's interrupt
        // does.
        self.received.read_until(deadline_ms, || TICKS.now_ms(), cortex_m::asm::wfi)
    }
}

/// Moves the received byte into the queue. Runs in the interrupt.
fn receive(port: &RegisterBlock, received: &Received) {
    let status = port.sr().read();
    // Reading the data after the status also clears the error flags.
    let data = port.dr().read().dr().bits();
    let [byte, _] = data.to_le_bytes();
    if status.fe().bit_is_set() || status.nf().bit_is_set() {
        received.fail(LineFault::Framing);
    } else if status.pe().bit_is_set() {
        received.fail(LineFault::Parity);
    } else if status.rxne().bit_is_set() {
        received.push(byte);
    }
    if status.ore().bit_is_set() {
        received.fail(LineFault::Overrun);
    }
}

#[interrupt]
fn USART1() {
    // SAFETY: the program uses only those registers of the port that send.
    receive(unsafe { &*USART1::PTR }, &DEVICE);
}

#[interrupt]
fn USART2() {
    // SAFETY: as above.
    receive(unsafe { &*USART2::PTR }, &HOST);
}

#[exception]
fn SysTick() {
    TICKS.tick();
}
