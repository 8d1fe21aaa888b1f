//! The learner on SiFive's HiFive1: an FE310 (RV32IMC) with 16 KiB of RAM. The host is on its
//! serial port, and the device, a boot loader, is in this program.
//!
//! An interrupt moves the bytes of the port, and the processor sleeps while it waits.
#![no_std]
#![no_main]

use hifive1::hal::DeviceResources;
use hifive1::hal::core::{CLINT, PLIC};
use hifive1::hal::e310x::interrupt::{ExternalInterrupt, Hart, Priority};
use hifive1::hal::e310x::{Uart0, uart0};
use hifive1::hal::prelude::*;
use hifive1::hal::serial::Serial;
use hifive1::{configure_clocks, pin};
use mealybug_adapters::{Link, Ring, RingBoard, RingLink, Rings, Uart, halt};
use mealybug_devices::BuiltIn;
use mealybug_devices::boot_loader::BootLoader;
use mealybug_learner::Target;
use panic_halt as _;
use riscv::register::mie;
use riscv::singleton;
use riscv_rt::{entry, external_interrupt};

/// The board's memory, and how much of it calls take at most.
const RAM_BYTES: usize = 16 * 1024;
const CALLS_BYTES: usize = 6656;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 8704;

/// The bytes between the port's interrupt and the program.
static RINGS: Rings<64, 16> = Rings::new();

/// The frequency of the machine's timer.
const TIMER_HZ: u64 = 32_768;

/// Starts the board.
#[entry]
fn main() -> ! {
    let Some(DeviceResources { peripherals, pins, .. }) = DeviceResources::take() else { halt() };
    let clocks = configure_clocks(peripherals.PRCI, peripherals.AONCLK, 320.mhz().into());
    let pins = (pin!(pins, uart0_tx).into_iof0(), pin!(pins, uart0_rx).into_iof0());
    Serial::new(peripherals.UART0, pins, 115_200.bps(), clocks).listen();
    // SAFETY: the handler shares only `Rings` with the program, which are made for that.
    unsafe {
        PLIC::priorities().set_priority(ExternalInterrupt::UART0, Priority::P1);
        PLIC::ctx(Hart::H0).enables().enable(ExternalInterrupt::UART0);
        PLIC::ctx(Hart::H0).threshold().set_threshold(Priority::P0);
        mie::set_mext();
        riscv::interrupt::enable();
    }
    learn(RingLink::new(Port(()), &RINGS))
}

/// What the port needs of the board.
struct Port(());

impl RingBoard for Port {
    fn now_ms(&self) -> u64 {
        CLINT::mtimer().mtime.read() * 1000 / TIMER_HZ
    }

    fn interrupt_soon(&mut self) {
        UartRegisters::new().tell_of_room(true);
    }

    fn sleep_unless(&self, is_ready: impl FnOnce() -> bool, until_ms: u64) {
        riscv::interrupt::free(|| {
            if !is_ready() {
                let until = until_ms.saturating_mul(TIMER_HZ) / 1000 + 1;
                CLINT::mtimer().mtimecmp(Hart::H0).write(until);
                // The timer only ends `wfi`, which also returns for an interrupt that is held back.
                // SAFETY: the timer's interrupt is off again before it could be served.
                unsafe { mie::set_mtimer() };
                riscv::asm::wfi();
                // SAFETY: as above.
                unsafe { mie::clear_mtimer() };
            }
        });
    }
}

/// The registers of the port.
struct UartRegisters(&'static uart0::RegisterBlock);

impl UartRegisters {
    fn new() -> Self {
        // SAFETY: the program only switches an interrupt on, and the handler has the rest.
        Self(unsafe { &*Uart0::PTR })
    }
}

impl Uart for UartRegisters {
    fn receive<const SIZE: usize>(&mut self, received: &Ring<SIZE>) {
        // The port does not tell when it loses a byte.
        loop {
            let data = self.0.rxdata().read();
            if data.empty().bit_is_set() {
                return;
            }
            received.push(data.data().bits());
        }
    }

    fn has_room(&mut self) -> bool {
        self.0.txdata().read().full().bit_is_clear()
    }

    fn send(&mut self, byte: u8) {
        // SAFETY: all values can be sent.
        self.0.txdata().write(|w| unsafe { w.data().bits(byte) });
    }

    fn tell_of_room(&mut self, tell: bool) {
        self.0.ie().write(|w| w.rxwm().bit(true).txwm().bit(tell));
    }
}

#[external_interrupt(ExternalInterrupt::UART0)]
fn uart0_interrupt() {
    RINGS.serve(&mut UartRegisters::new());
}

/// Learns as the host demands.
fn learn<L: Link>(host: L) -> ! {
    const {
        let stack = size_of::<Target<L, BuiltIn<BootLoader>>>() + CALLS_BYTES;
        assert!(LEARNER_BYTES + stack <= RAM_BYTES, "the learner does not fit into the memory");
    }
    let memory = singleton!(: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4]);
    // The program begins once.
    let Some(memory) = memory else { halt() };
    Target::new(host, BuiltIn::<BootLoader>::default(), "sifive_e").run(memory)
}
