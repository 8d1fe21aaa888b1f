//! The Raspberry Pi Pico: an RP2040 with 264 KiB of RAM.
//!
//! | pin | what |
//! |---|---|
//! | USB | to the host, a serial port |
//! | GP0, GP1 | UART0, to a host that is not at USB, at 115 200 baud |
//! | GP4, GP5 | UART1, to the device |
//! | GP6 | the device's reset line |
//! | GP8, GP9 | SDA and SCL of I2C0, with the weak pull-ups of the chip |
//! | GP10, GP11 | pins to the device |
//! | GP12, GP13 | pins from the device |
//! | GP14 to GP22 | pins that a device file names |
//!
//! Interrupts move the bytes of all ports, and the processor sleeps while it waits.

mod usb;

use core::convert::Infallible;
use core::panic::PanicInfo;

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::singleton;
use cortex_m_rt::exception;
use mealybug_learner::adapters::embedded_hal::delay::DelayNs;
use mealybug_learner::adapters::embedded_hal::digital::{ErrorType, InputPin, OutputPin, PinState};
use mealybug_learner::adapters::embedded_hal::i2c::I2c;
use mealybug_learner::adapters::{
    self, BusLines, Buses, FreeBus, LineFault, Link, OpenDrainPin, Ring, RingLink, Rings, Uart,
};
use mealybug_learner::faults::{self, Countdown, Kept, Watched};
use rp2040_hal::clocks::init_clocks_and_plls;
pub(crate) use rp2040_hal::entry;
use rp2040_hal::fugit::{ExtU32, RateExtU32};
use rp2040_hal::gpio::{
    self, DynPinId, FunctionNull, FunctionSioOutput, OutputEnableOverride, Pin, Pins, PullDown,
    PullNone, PullUp,
};
use rp2040_hal::pac::uart0::RegisterBlock;
use rp2040_hal::pac::{
    CorePeripherals, IO_BANK0, Interrupt, NVIC, Peripherals, SIO, UART0, UART1, WATCHDOG, interrupt,
};
use rp2040_hal::uart::{DataBits, StopBits, UartConfig, UartPeripheral};
use rp2040_hal::usb::UsbBus;
use rp2040_hal::{Clock, I2C, Sio, Timer, Watchdog};

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

/// How long a program may leave its watchdog without food. A learner whose memory is nearly full computes for minutes between
/// two symbols.
const WATCHDOG_MS: u32 = 300_000;

/// The chip's own watchdog waits this long for an interrupt that feeds it: nearly as long as it can. It counts in steps of
/// half a microsecond.
const HELD_BACK_MS: u32 = 8000;
const HELD_BACK_STEPS: u32 = HELD_BACK_MS * 2000;

static FED: Countdown = Countdown::new();

/// What the host calls the board.
pub(crate) const NAME: &str = "pico";

faults::handle_hard_faults!();
// An interrupt that the chip has no use for.
faults::handle_watchdog!(SW0_IRQ);

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    faults::panicked(info)
}

/// What the board has for a program. Pins that the program does not use stay at rest.
#[allow(dead_code, reason = "few programs use everything")]
pub(crate) struct Board<Host, Uart, Out, In, Bus, Delay, Named> {
    /// The line to the host. Its use feeds the watchdog.
    pub(crate) host: Host,
    /// The line to the device. Its use feeds the watchdog, too.
    pub(crate) uart: Uart,
    /// The device's reset line.
    pub(crate) reset: Out,
    /// Pins to the device.
    pub(crate) outputs: [Out; 2],
    /// Pins from the device.
    pub(crate) inputs: [In; 2],
    /// The bus to the device.
    pub(crate) i2c: Bus,
    pub(crate) delay: Delay,
    /// Pins that a device file names, as they are called on the board: open drains, active low, to the device or from it.
    pub(crate) named: Named,
    /// Why the program ended before it last started.
    pub(crate) crashes: &'static Kept,
    /// The learner's memory.
    pub(crate) memory: &'static mut [u32],
}

/// Starts the board, with the reset line at this level; `None` if the clocks do not start.
pub(crate) fn start(
    reset: PinState,
) -> Option<
    Board<impl Link, impl Link, impl OutputPin, impl InputPin, impl I2c, impl DelayNs, impl Buses>,
> {
    faults::guard_stack();
    let mut board = Peripherals::take()?;
    let CorePeripherals { mut SYST, .. } = CorePeripherals::take()?;
    let mut watchdog = Watchdog::new(board.WATCHDOG);
    let clocks = init_clocks_and_plls(
        CRYSTAL_HZ,
        board.XOSC,
        board.CLOCKS,
        board.PLL_SYS,
        board.PLL_USB,
        &mut board.RESETS,
        &mut watchdog,
    );
    let clocks = clocks.ok()?;
    let delay = Timer::new(board.TIMER, &mut board.RESETS, &clocks);
    let sio = Sio::new(board.SIO);
    let pins = Pins::new(board.IO_BANK0, board.PADS_BANK0, sio.gpio_bank0, &mut board.RESETS);
    let config = || UartConfig::new(115_200.Hz(), DataBits::Eight, None, StopBits::One);
    let hz = clocks.peripheral_clock.freq();

    // A line that nobody drives is at rest: high.
    let received = pins.gpio1.into_pull_type::<PullUp>().into_function();
    let pins0 = (pins.gpio0.into_function(), received);
    let uart0 = UartPeripheral::new(board.UART0, pins0, &mut board.RESETS);
    uart0.enable(config(), hz).ok()?.enable_rx_interrupt();
    let host = RingLink::new(Port { timer: delay, interrupt: Interrupt::UART0_IRQ }, &HOST);

    let received = pins.gpio5.into_pull_type::<PullUp>().into_function();
    let pins1 = (pins.gpio4.into_function(), received);
    let uart1 = UartPeripheral::new(board.UART1, pins1, &mut board.RESETS);
    uart1.enable(config(), hz).ok()?.enable_rx_interrupt();
    let uart = RingLink::new(Port { timer: delay, interrupt: Interrupt::UART1_IRQ }, &DEVICE);
    usb::start(UsbBus::new(
        board.USBCTRL_REGS,
        board.USBCTRL_DPRAM,
        clocks.usb_clock,
        true,
        &mut board.RESETS,
    ))?;
    for interrupt in
        [Interrupt::UART0_IRQ, Interrupt::UART1_IRQ, Interrupt::USBCTRL_IRQ, Interrupt::SW0_IRQ]
    {
        // SAFETY: the handlers share only `Rings` with the program, which are made for that.
        unsafe { NVIC::unmask(interrupt) };
    }
    FED.start(WATCHDOG_MS);
    watchdog.start(HELD_BACK_MS.millis());
    // Wakes a sleeper each millisecond, so that it looks at the time.
    SYST.set_clock_source(SystClkSource::Core);
    SYST.set_reload(clocks.system_clock.freq().to_Hz() / 1000 - 1);
    SYST.clear_current();
    SYST.enable_interrupt();
    SYST.enable_counter();

    let (sda, scl) = (pins.gpio8.reconfigure(), pins.gpio9.reconfigure());
    let hz = clocks.system_clock.freq();
    let i2c = I2C::i2c0(board.I2C0, sda, scl, 100.kHz(), &mut board.RESETS, hz);

    Some(Board {
        host: Watched::new(host, || FED.feed()),
        uart: Watched::new(uart, || FED.feed()),
        reset: pins.gpio6.into_push_pull_output_in_state(level(reset)).into_dyn_pin(),
        outputs: [
            pins.gpio10.into_push_pull_output().into_dyn_pin(),
            pins.gpio11.into_push_pull_output().into_dyn_pin(),
        ],
        inputs: [
            pins.gpio12.into_pull_up_input().into_dyn_pin(),
            pins.gpio13.into_pull_up_input().into_dyn_pin(),
        ],
        i2c: FreeBus::new(i2c, I2c0Lines, delay),
        delay,
        named: [
            named("GP14", pins.gpio14.into_dyn_pin())?,
            named("GP15", pins.gpio15.into_dyn_pin())?,
            named("GP16", pins.gpio16.into_dyn_pin())?,
            named("GP17", pins.gpio17.into_dyn_pin())?,
            named("GP18", pins.gpio18.into_dyn_pin())?,
            named("GP19", pins.gpio19.into_dyn_pin())?,
            named("GP20", pins.gpio20.into_dyn_pin())?,
            named("GP21", pins.gpio21.into_dyn_pin())?,
            named("GP22", pins.gpio22.into_dyn_pin())?,
        ],
        crashes: faults::crashes(),
        memory: singleton!(: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4])?,
    })
}

/// The HAL's own type of a level.
fn level(level: PinState) -> gpio::PinState {
    match level {
        PinState::Low => gpio::PinState::Low,
        PinState::High => gpio::PinState::High,
    }
}

fn named(
    name: &'static str,
    mut pin: Pin<DynPinId, FunctionNull, PullDown>,
) -> Option<OpenDrainPin<OpenDrain>> {
    pin.set_output_enable_override(OutputEnableOverride::Disable);
    let pin = OpenDrain(pin.into_pull_type().try_into_function().ok()?);
    Some(OpenDrainPin { name, pin })
}

/// A pin that pulls a line low, or lets it go and reads it. What it drives is always low.
struct OpenDrain(Pin<DynPinId, FunctionSioOutput, PullNone>);

impl ErrorType for OpenDrain {
    type Error = Infallible;
}

impl OutputPin for OpenDrain {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.0.set_output_enable_override(OutputEnableOverride::Normal);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        self.0.set_output_enable_override(OutputEnableOverride::Disable);
        Ok(())
    }
}

impl InputPin for OpenDrain {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        self.0.as_input().is_high()
    }

    fn is_low(&mut self) -> Result<bool, Infallible> {
        self.0.as_input().is_low()
    }
}

/// The lines of the bus, which its port has: they can be read all the same.
struct I2c0Lines;

const SDA: usize = 8;
const SCL: usize = 9;

impl BusLines for I2c0Lines {
    fn are_high(&mut self) -> bool {
        let both = 1 << SDA | 1 << SCL;
        // SAFETY: it only reads.
        unsafe { &*SIO::PTR }.gpio_in().read().bits() & both == both
    }

    fn hold_clock(&mut self, is_low: bool) {
        // SAFETY: nothing else writes this register any more.
        let control = unsafe { &*IO_BANK0::PTR }.gpio(SCL).gpio_ctrl();
        control.modify(|_, w| match is_low {
            true => w.outover().low().oeover().enable(),
            false => w.outover().normal().oeover().normal(),
        });
    }
}

/// A serial port, by its interrupt, and the clock.
struct Port {
    timer: Timer,
    interrupt: Interrupt,
}

impl adapters::RingBoard for Port {
    /// A program on the host may open the port at USB and not read, or sleep. The lines never wait for anybody.
    const PATIENCE_MS: u64 = 500;

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
struct UartRegisters(&'static RegisterBlock);

impl Uart for UartRegisters {
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
    serve_host();
}

#[interrupt]
fn USBCTRL_IRQ() {
    serve_host();
}

/// For both interrupts of the host's ports; neither interrupts the other.
fn serve_host() {
    // SAFETY: the program no longer uses the port.
    let uart = UartRegisters(unsafe { &*UART0::PTR });
    usb::with_host(uart, |ports| HOST.serve(ports));
}

#[interrupt]
fn UART1_IRQ() {
    // SAFETY: as above.
    DEVICE.serve(&mut UartRegisters(unsafe { &*UART1::PTR }));
}

#[exception]
fn SysTick() {
    if FED.tick() {
        // SAFETY: feeding the watchdog does no harm.
        unsafe { &*WATCHDOG::PTR }.load().write(|w| unsafe { w.bits(HELD_BACK_STEPS) });
    } else {
        NVIC::pend(Interrupt::SW0_IRQ);
    }
}
