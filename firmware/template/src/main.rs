//! The learner on the Raspberry Pi Pico: an RP2040 with 264 KiB of RAM. The host is on UART0 (GP0,
//! GP1); the device is on UART1 (GP4, GP5), and its reset line, low when active, on GP6.
#![no_std]
#![no_main]

use mealybug_learner::Target;
use mealybug_learner::adapters::embedded_hal::digital::PinState;
use mealybug_learner::adapters::{Conversation, Link, NamedPin, Offers, Polled, halt};
use panic_halt as _;
use rp2040_hal::clocks::init_clocks_and_plls;
use rp2040_hal::fugit::RateExtU32;
use rp2040_hal::gpio::{self, Pins};
use rp2040_hal::pac::Peripherals;
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

#[entry]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let Some((host, device, pins)) = start() else { halt() };
    Target::new(host, Conversation::with_pins(device, pins), "pico").run(MEMORY)
}

/// The serial ports for the host and the device, and the pins of the device; `None` if the clocks do
/// not start.
fn start() -> Option<(impl Link, impl Link, impl Offers)> {
    let mut board = Peripherals::take()?;
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
    let now_ms = move || timer.get_counter().ticks() / 1000;
    let sio = Sio::new(board.SIO);
    let pins = Pins::new(board.IO_BANK0, board.PADS_BANK0, sio.gpio_bank0, &mut board.RESETS);
    let config = || UartConfig::new(115_200.Hz(), DataBits::Eight, None, StopBits::One);
    let hz = clocks.peripheral_clock.freq();

    let pins0 = (pins.gpio0.into_function(), pins.gpio1.into_function());
    let uart0 = UartPeripheral::new(board.UART0, pins0, &mut board.RESETS);
    let (receiver, transmitter) = uart0.enable(config(), hz).ok()?.split();
    let host = Polled::new(receiver, transmitter, now_ms);

    let pins1 = (pins.gpio4.into_function(), pins.gpio5.into_function());
    let uart1 = UartPeripheral::new(board.UART1, pins1, &mut board.RESETS);
    let (receiver, transmitter) = uart1.enable(config(), hz).ok()?.split();
    let device = Polled::new(receiver, transmitter, now_ms);

    let pin = pins.gpio6.into_push_pull_output_in_state(gpio::PinState::High);
    Some((host, device, NamedPin { name: "reset", pin, active: PinState::Low }))
}
