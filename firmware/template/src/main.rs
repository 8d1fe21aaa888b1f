//! The learner on the Raspberry Pi Pico: an RP2040 with 264 KiB of RAM. The host is on UART0 (GP0,
//! GP1); the device is on UART1 (GP4, GP5), and its reset line, low when active, on GP6.
//!
//! Interrupts move the bytes of both ports, and the processor sleeps while it waits.
#![no_std]
#![no_main]

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;
use mealybug_learner::Target;
use mealybug_learner::adapters::embedded_hal::digital::PinState;
use mealybug_learner::adapters::{
    Board, Conversation, LineFault, Link, NamedPin, NamedPins, Ring, RingLink, Rings, Uart, halt,
};
use panic_halt as _;
use rp2040_hal::clocks::init_clocks_and_plls;
use rp2040_hal::fugit::RateExtU32;
use rp2040_hal::gpio::{self, Pins};
use rp2040_hal::pac::uart0::RegisterBlock;
use rp2040_hal::pac::{CorePeripherals, Interrupt, NVIC, Peripherals, UART0, UART1, interrupt};
use rp2040_hal::uart::{DataBits, StopBits, UartConfig, UartPeripheral};
use rp2040_hal::{Clock, Sio, Timer, Watchdog, entry};

/// The second-stage boot loader: it runs before the program and makes the flash readable.
#[unsafe(link_section = ".boot2")]
#[used]
static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

/// The crystal.
const CRYSTAL_HZ: u32 = 12_000_000;

/// The board's contiguous memory, and how much of it the stack needs at most: for calls, and for
/// the target, which lies on the stack.
const RAM_BYTES: usize = 256 * 1024;
const STACK_BYTES: usize = 16 * 1024;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 224 * 1024;

const _: () = assert!(LEARNER_BYTES + STACK_BYTES <= RAM_BYTES);

/// The bytes between the interrupts of the ports and the program.
static HOST: Rings<512, 256> = Rings::new();
static DEVICE: Rings<512, 64> = Rings::new();

#[entry]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let Some((host, device, pins)) = start() else { halt() };
    Target::new(host, Conversation::with_pins(device, pins), "pico").run(MEMORY)
}

/// The serial ports for the host and the device, and the pins of the device; `None` if the clocks do
/// not start.
fn start() -> Option<(impl Link, impl Link, impl NamedPins)> {
    let mut board = Peripherals::take()?;
    let CorePeripherals { mut SYST, .. } = CorePeripherals::take()?;
    let clocks = init_clocks_and_plls(
        CRYSTAL_HZ,
        board.XOSC,
        board.CLOCKS,
        board.PLL_SYS,
        board.PLL_USB,
        &mut board.RESETS,
        &mut Watchdog::new(board.WATCHDOG),
    );
    let clocks = clocks.ok()?;
    let timer = Timer::new(board.TIMER, &mut board.RESETS, &clocks);
    let sio = Sio::new(board.SIO);
    let pins = Pins::new(board.IO_BANK0, board.PADS_BANK0, sio.gpio_bank0, &mut board.RESETS);
    let config = || UartConfig::new(115_200.Hz(), DataBits::Eight, None, StopBits::One);
    let hz = clocks.peripheral_clock.freq();

    let pins0 = (pins.gpio0.into_function(), pins.gpio1.into_function());
    let uart0 = UartPeripheral::new(board.UART0, pins0, &mut board.RESETS);
    uart0.enable(config(), hz).ok()?.enable_rx_interrupt();
    let host = RingLink::new(Port { timer, interrupt: Interrupt::UART0_IRQ }, &HOST);

    let pins1 = (pins.gpio4.into_function(), pins.gpio5.into_function());
    let uart1 = UartPeripheral::new(board.UART1, pins1, &mut board.RESETS);
    uart1.enable(config(), hz).ok()?.enable_rx_interrupt();
    let device = RingLink::new(Port { timer, interrupt: Interrupt::UART1_IRQ }, &DEVICE);
    for interrupt in [Interrupt::UART0_IRQ, Interrupt::UART1_IRQ] {
        // SAFETY: the handlers share only `Rings` with the program, which are made for that.
        unsafe { NVIC::unmask(interrupt) };
    }
    // Wakes a sleeper each millisecond, so that it looks at the time.
    SYST.set_clock_source(SystClkSource::Core);
    SYST.set_reload(clocks.system_clock.freq().to_Hz() / 1000 - 1);
    SYST.clear_current();
    SYST.enable_interrupt();
    SYST.enable_counter();

    let pin = pins.gpio6.into_push_pull_output_in_state(gpio::PinState::High);
    Some((host, device, NamedPin { name: "reset", pin, active: PinState::Low }))
}

/// A serial port, by its interrupt, and the clock.
struct Port {
    timer: Timer,
    interrupt: Interrupt,
}

impl Board for Port {
    fn now_ms(&self) -> u64 {
        self.timer.get_counter().ticks() / 1000
    }

    fn interrupt_soon(&mut self) {
        NVIC::pend(self.interrupt);
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
        let Self(port) = self;
        port.uarticr().write(|w| {
            w.rxic().clear_bit_by_one().rtic().clear_bit_by_one().txic().clear_bit_by_one()
        });
        while port.uartfr().read().rxfe().bit_is_clear() {
            let data = port.uartdr().read();
            if data.oe().bit_is_set() {
                received.fail(LineFault::Overrun);
            }
            // A break has a framing error, too.
            if data.be().bit_is_set() {
                received.fail(LineFault::Break);
            } else if data.fe().bit_is_set() {
                received.fail(LineFault::Framing);
            } else if data.pe().bit_is_set() {
                received.fail(LineFault::Parity);
            } else {
                received.push(data.data().bits());
            }
        }
    }

    fn has_room(&mut self) -> bool {
        self.0.uartfr().read().txff().bit_is_clear()
    }

    fn send(&mut self, byte: u8) {
        // SAFETY: all values can be sent.
        self.0.uartdr().write(|w| unsafe { w.data().bits(byte) });
    }

    fn tell_of_room(&mut self, tell: bool) {
        self.0.uartimsc().write(|w| w.rxim().set_bit().rtim().set_bit().txim().bit(tell));
    }
}

#[interrupt]
fn UART0_IRQ() {
    // SAFETY: the program no longer uses the port.
    HOST.serve(&mut Registers(unsafe { &*UART0::PTR }));
}

#[interrupt]
fn UART1_IRQ() {
    // SAFETY: as above.
    DEVICE.serve(&mut Registers(unsafe { &*UART1::PTR }));
}

#[exception]
fn SysTick() {}
