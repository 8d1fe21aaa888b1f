//! The learner on ST's Nucleo-F411RE: an STM32F411 with 128 KiB of RAM. The host is on USART2, the
//! serial port of the board's USB connector; the device is on USART1 (PA9 at D8, PA10 at D2).
//!
//! Interrupts take the received bytes, because each port holds only one, and send those that are to
//! be sent. The processor sleeps while it waits.
#![no_std]
#![no_main]

use cortex_m::peripheral::NVIC;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::{entry, exception};
use mealybug_adapters::{
    Board, Conversation, LineFault, Link, Ring, RingLink, Rings, Ticks, Uart, halt,
};
use mealybug_learner::Target;
use panic_halt as _;
use stm32f4xx_hal::pac::usart1::RegisterBlock;
use stm32f4xx_hal::pac::{CorePeripherals, Interrupt, Peripherals, USART1, USART2, interrupt};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;
use stm32f4xx_hal::serial::{RxListen, Serial};

/// The clock, from a PLL.
const HZ: u32 = 84_000_000;

/// The board's memory, and how much of it the stack needs at most: for calls, and for the target,
/// which lies on the stack.
const RAM_BYTES: usize = 128 * 1024;
const STACK_BYTES: usize = 16 * 1024;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 96 * 1024;

const _: () = assert!(LEARNER_BYTES + STACK_BYTES <= RAM_BYTES);

static HOST: Rings<512, 256> = Rings::new();
static DEVICE: Rings<512, 64> = Rings::new();
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
    let host: Serial<USART2> = board.USART2.serial((pins.pa2, pins.pa3), baud, &mut rcc).ok()?;
    let device: Serial<USART1> = board.USART1.serial((pins.pa9, pins.pa10), baud, &mut rcc).ok()?;
    host.split().1.listen();
    device.split().1.listen();
    for interrupt in [Interrupt::USART1, Interrupt::USART2] {
        // SAFETY: the types that the handlers share with the program are made for that.
        unsafe { NVIC::unmask(interrupt) };
    }
    let host = RingLink::new(Port(Interrupt::USART2), &HOST);
    Some((host, RingLink::new(Port(Interrupt::USART1), &DEVICE)))
}

/// A serial port, by its interrupt.
struct Port(Interrupt);

impl Board for Port {
    fn now_ms(&self) -> u64 {
        TICKS.now_ms()
    }

    fn interrupt_soon(&mut self) {
        NVIC::pend(self.0);
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

/// The registers of a port, for its interrupt.
struct Registers(&'static RegisterBlock);

impl Uart for Registers {
    fn receive<const SIZE: usize>(&mut self, received: &Ring<SIZE>) {
        loop {
            let status = self.0.sr().read();
            if status.rxne().bit_is_clear() && status.ore().bit_is_clear() {
                return;
            }
            // Reading the data after the status also clears the error flags.
            let [byte, _] = self.0.dr().read().dr().bits().to_le_bytes();
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
    }

    fn has_room(&mut self) -> bool {
        self.0.sr().read().txe().bit_is_set()
    }

    fn send(&mut self, byte: u8) {
        self.0.dr().write(|w| w.dr().set(byte.into()));
    }

    fn tell_of_room(&mut self, tell: bool) {
        self.0.cr1().modify(|_, w| w.txeie().bit(tell));
    }
}

#[interrupt]
fn USART1() {
    // SAFETY: the program no longer uses the port.
    DEVICE.serve(&mut Registers(unsafe { &*USART1::PTR }));
}

#[interrupt]
fn USART2() {
    // SAFETY: as above.
    HOST.serve(&mut Registers(unsafe { &*USART2::PTR }));
}

#[exception]
fn SysTick() {
    TICKS.tick();
}
