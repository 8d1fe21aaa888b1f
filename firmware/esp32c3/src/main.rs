//! The learner on the ESP32-C3 (RV32IMC) with 400 KiB of RAM. The host is on UART0 (GPIO21,
//! GPIO20), which most boards connect to USB; the device is on UART1 (GPIO4, GPIO5).
//!
//! Interrupts move the bytes of both ports, and the processor sleeps while it waits.
#![no_std]
#![no_main]

use esp_hal::interrupt::wait_for_interrupt;
use esp_hal::peripherals::{SYSTIMER, UART0, UART1};
use esp_hal::riscv::interrupt;
use esp_hal::time::{Duration, Instant};
use esp_hal::timer::PeriodicTimer;
use esp_hal::timer::systimer::SystemTimer;
use esp_hal::uart::{Config, RxConfig};
use esp_hal::{handler, main, uart};
use mealybug_adapters::{Board, Conversation, LineFault, Ring, RingLink, Rings, Uart, halt};
use mealybug_learner::Target;
use pac::uart0::RegisterBlock;
use panic_halt as _;

esp_bootloader_esp_idf::esp_app_desc!();

/// The memory that the HAL has for data, and how much of it the stack needs at most: for calls, and
/// for the target, which lies on the stack.
const RAM_BYTES: usize = 313 * 1024;
const STACK_BYTES: usize = 16 * 1024;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 256 * 1024;

const _: () = assert!(LEARNER_BYTES + STACK_BYTES <= RAM_BYTES);

/// The bytes between the interrupts of the ports and the program.
static HOST: Rings<512, 256> = Rings::new();
static DEVICE: Rings<512, 64> = Rings::new();

#[main]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let board = esp_hal::init(esp_hal::Config::default());
    // Half of what a port holds is time for the interrupt.
    let config = Config::default().with_rx(RxConfig::default().with_fifo_full_threshold(64));
    let host = uart::Uart::new(board.UART0, config);
    let device = uart::Uart::new(board.UART1, config);
    let (Ok(host), Ok(device)) = (host, device) else { halt() };
    let mut host = host.with_tx(board.GPIO21).with_rx(board.GPIO20);
    let mut device = device.with_tx(board.GPIO4).with_rx(board.GPIO5);
    host.set_interrupt_handler(serve_host);
    device.set_interrupt_handler(serve_device);
    Port(UART0::regs()).tell_of_room(false);
    Port(UART1::regs()).tell_of_room(false);
    // Wakes a sleeper, so that it looks at the time.
    let mut waker = PeriodicTimer::new(SystemTimer::new(board.SYSTIMER).alarm0);
    waker.set_interrupt_handler(wake);
    waker.listen();
    let Ok(()) = waker.start(Duration::from_millis(2)) else { halt() };
    let host = RingLink::new(Port(UART0::regs()), &HOST);
    let device = RingLink::new(Port(UART1::regs()), &DEVICE);
    // SAFETY: the program begins once.
    let Some(memory) = (unsafe { (&raw mut MEMORY).as_mut() }) else { halt() };
    Target::new(host, Conversation::new(device), "esp32c3").run(memory)
}

/// A serial port at 115 200 baud, by its registers.
struct Port(&'static RegisterBlock);

impl Board for Port {
    fn now_ms(&self) -> u64 {
        Instant::now().duration_since_epoch().as_millis()
    }

    fn interrupt_soon(&mut self) {
        self.tell_of_room(true);
    }

    fn sleep_unless(&self, is_ready: impl FnOnce() -> bool, _: u64) {
        interrupt::free(|| {
            if !is_ready() {
                // It also ends for an interrupt that is held back.
                wait_for_interrupt();
            }
        });
    }
}

impl Uart for Port {
    fn receive<const SIZE: usize>(&mut self, received: &Ring<SIZE>) {
        let Self(port) = self;
        let came = port.int_raw().read();
        // What is wrong comes behind all bytes that the port holds, and is not one of them.
        while port.status().read().rxfifo_cnt().bits() > 0 {
            received.push(port.fifo().read().rxfifo_rd_byte().bits());
        }
        if came.rxfifo_ovf().bit_is_set() {
            // What came since may be mixed up.
            port.conf0().modify(|_, w| w.rxfifo_rst().set_bit());
            port.conf0().modify(|_, w| w.rxfifo_rst().clear_bit());
            received.fail(LineFault::Overrun);
        }
        if came.brk_det().bit_is_set() {
            received.fail(LineFault::Break);
        } else if came.frm_err().bit_is_set() || came.glitch_det().bit_is_set() {
            received.fail(LineFault::Framing);
        } else if came.parity_err().bit_is_set() {
            received.fail(LineFault::Parity);
        }
        // SAFETY: it clears what was seen; what came since interrupts again.
        port.int_clr().write(|w| unsafe { w.bits(came.bits()) });
    }

    fn has_room(&mut self) -> bool {
        self.0.status().read().txfifo_cnt().bits() < FIFO_BYTES
    }

    fn send(&mut self, byte: u8) {
        // SAFETY: all values can be sent; the register has this name for both directions.
        self.0.fifo().write(|w| unsafe { w.rxfifo_rd_byte().bits(byte) });
    }

    fn tell_of_room(&mut self, tell: bool) {
        self.0.int_ena().write(|w| {
            w.rxfifo_full().set_bit().rxfifo_tout().set_bit().rxfifo_ovf().set_bit();
            w.brk_det().set_bit().frm_err().set_bit().glitch_det().set_bit().parity_err().set_bit();
            w.txfifo_empty().bit(tell)
        });
    }
}

/// The bytes that a port holds each way.
const FIFO_BYTES: u16 = 128;

#[handler]
fn serve_host() {
    HOST.serve(&mut Port(UART0::regs()));
}

#[handler]
fn serve_device() {
    DEVICE.serve(&mut Port(UART1::regs()));
}

#[handler]
fn wake() {
    SYSTIMER::regs().int_clr().write(|w| w.target(0).clear_bit_by_one());
}
