//! SiFive's HiFive1: an FE310 (RV32IMC) with 16 KiB of RAM. The host is on its serial port, and the device is in the
//! program.
//!
//! An interrupt moves the bytes of the port, and the processor sleeps while it waits.
#![no_std]

mod restart;

use core::panic::PanicInfo;

use hifive1::hal::DeviceResources;
use hifive1::hal::core::{CLINT, PLIC};
use hifive1::hal::e310x::interrupt::{ExternalInterrupt, Hart, Priority};
use hifive1::hal::e310x::{Uart0, uart0};
use hifive1::hal::prelude::*;
use hifive1::hal::serial::Serial;
use hifive1::{configure_clocks, pin};
use mealybug_adapters::{Attached, Ring, RingBoard, RingLink, Rings, Uart, halt};
use mealybug_faults::Kept;
use mealybug_learner::Target;
use restart::restart;
use riscv::register::mie;
use riscv::singleton;
use riscv_rt::external_interrupt;

/// The serial port, at 115 200 baud.
pub type Port = RingLink<PortBoard, RECEIVED, TO_SEND>;

const RECEIVED: usize = 64;
const TO_SEND: usize = 16;

/// The bytes between the port's interrupt and the program.
static RINGS: Rings<RECEIVED, TO_SEND> = Rings::new();

/// The memory for calls and for the target, which lies on the stack: `STACK` in `memory.x`.
const STACK_BYTES: usize = 7 * 1024;

/// How much of it calls take at most.
const CALLS_BYTES: usize = 6400;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 8704;

/// The frequency of the machine's timer.
const TIMER_HZ: u64 = 32_768;

mealybug_faults::handle_exceptions!(restart);

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    mealybug_faults::panicked(info, restart)
}

/// Starts the board, the guard of its stack, and its serial port. Call it once, before everything else.
pub fn start() -> Port {
    catch_exceptions();
    mealybug_faults::guard_stack();
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
    RingLink::new(PortBoard(()), &RINGS)
}

/// Learns a device as the host demands.
pub fn learn<D: Attached>(host: Port, device: D) -> ! {
    const {
        let target = size_of::<Target<Port, D, &Kept>>();
        assert!(target + CALLS_BYTES <= STACK_BYTES, "the target does not fit into the stack");
    }
    let memory = singleton!(: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4]);
    // The program begins once.
    let Some(memory) = memory else { halt() };
    Target::keeping(host, device, "sifive_e", mealybug_faults::crashes()).run(memory)
}

/// What the port needs of the board.
#[derive(Debug)]
pub struct PortBoard(());

impl RingBoard for PortBoard {
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
