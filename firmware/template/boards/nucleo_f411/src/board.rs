//! ST's Nucleo-F411RE: an STM32F411 with 128 KiB of RAM.
//!
//! | pin | what |
//! |---|---|
//! | | USART2, to the host, at 115 200 baud: the serial port of the board's USB connector |
//! | D8, D2 | USART1, to the device |
//! | D7 | the device's reset line |
//! | D14, D15 | SDA and SCL of I2C1, with the weak pull-ups of the chip |
//! | D4, D6 | pins to the device |
//! | D9, D10 | pins from the device |
//! | D11, D12, A0, A1 | pins that a device file names |
//!
//! Interrupts take the received bytes, because each port holds only one, and send those that are to
//! be sent. The processor sleeps while it waits.

use core::panic::PanicInfo;

use cortex_m::peripheral::NVIC;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::singleton;
pub(crate) use cortex_m_rt::entry;
use cortex_m_rt::exception;
use mealybug_learner::adapters::embedded_hal::delay::DelayNs;
use mealybug_learner::adapters::embedded_hal::digital::{InputPin, OutputPin, PinState};
use mealybug_learner::adapters::embedded_hal::i2c::I2c;
use mealybug_learner::adapters::{
    self, BusLines, FreeBus, LineFault, Link, NamedPin, Offers, Ring, RingLink, Rings, Ticks, Uart,
};
use mealybug_learner::faults::{self, Countdown, Kept, Watched};
use stm32f4xx_hal::gpio::{self, AnyPin, Pull};
use stm32f4xx_hal::pac::usart1::RegisterBlock;
use stm32f4xx_hal::pac::{
    CorePeripherals, GPIOB, IWDG, Interrupt, Peripherals, USART1, USART2, interrupt,
};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;
use stm32f4xx_hal::serial::{RxListen, Serial};
use stm32f4xx_hal::watchdog::IndependentWatchdog;

/// The clock, from a PLL.
const HZ: u32 = 84_000_000;

/// The board's memory, and how much of it the stack needs at most: for calls, and for the target,
/// which lies on the stack.
const RAM_BYTES: usize = 128 * 1024;
const STACK_BYTES: usize = 16 * 1024;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 96 * 1024;

const _: () = assert!(LEARNER_BYTES + STACK_BYTES <= RAM_BYTES);

/// The bytes between the interrupts of the ports and the program.
static HOST: Rings<512, 256> = Rings::new();
static DEVICE: Rings<512, 64> = Rings::new();
static TICKS: Ticks = Ticks::new();

/// How long a program may leave its watchdog without food. A learner whose memory is nearly full computes for minutes between
/// two symbols.
const WATCHDOG_MS: u32 = 300_000;

/// The chip's own watchdog waits this long for an interrupt that feeds it; it could wait for 32 s.
const HELD_BACK_MS: u32 = 20_000;

static FED: Countdown = Countdown::new();

/// What the host calls the board.
pub(crate) const NAME: &str = "nucleo-f411re";

faults::handle_hard_faults!();
// The interrupt of a part of the chip that nobody uses.
faults::handle_watchdog!(WWDG);

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
    /// Pins that a device file names, as they are called on the board: open drains, pulled low when active.
    pub(crate) named: Named,
    /// Why the program ended before it last started.
    pub(crate) crashes: &'static Kept,
    /// The learner's memory.
    pub(crate) memory: &'static mut [u32],
}

/// Starts the board, with the reset line at this level; `None` if that was done before.
pub(crate) fn start(
    reset: PinState,
) -> Option<
    Board<impl Link, impl Link, impl OutputPin, impl InputPin, impl I2c, impl DelayNs, impl Offers>,
> {
    faults::guard_stack();
    let board = Peripherals::take()?;
    let CorePeripherals { mut SYST, .. } = CorePeripherals::take()?;
    let mut rcc = board.RCC.freeze(Config::hsi().sysclk(HZ.Hz()));
    FED.start(WATCHDOG_MS);
    let mut watchdog = IndependentWatchdog::new(board.IWDG);
    watchdog.stop_on_debug(&board.DBGMCU, true);
    watchdog.start(HELD_BACK_MS.millis());
    SYST.set_clock_source(SystClkSource::Core);
    SYST.set_reload(HZ / 1000 - 1);
    SYST.clear_current();
    SYST.enable_interrupt();
    SYST.enable_counter();

    let (a, b, c) =
        (board.GPIOA.split(&mut rcc), board.GPIOB.split(&mut rcc), board.GPIOC.split(&mut rcc));
    let baud = 115_200.bps();
    let host: Serial<USART2> = board.USART2.serial((a.pa2, a.pa3), baud, &mut rcc).ok()?;
    let device: Serial<USART1> = board.USART1.serial((a.pa9, a.pa10), baud, &mut rcc).ok()?;
    host.split().1.listen();
    device.split().1.listen();
    for interrupt in [Interrupt::USART1, Interrupt::USART2, Interrupt::WWDG] {
        // SAFETY: the types that the handlers share with the program are made for that.
        unsafe { NVIC::unmask(interrupt) };
    }
    let host = RingLink::new(Port(Interrupt::USART2), &HOST);
    let uart = RingLink::new(Port(Interrupt::USART1), &DEVICE);
    let reset = match reset {
        PinState::Low => gpio::PinState::Low,
        PinState::High => gpio::PinState::High,
    };
    let scl = b.pb8.into_alternate_open_drain().internal_resistor(Pull::Up);
    let sda = b.pb9.into_alternate_open_drain().internal_resistor(Pull::Up);
    Some(Board {
        host: Watched::new(host, || FED.feed()),
        uart: Watched::new(uart, || FED.feed()),
        reset: a.pa8.into_push_pull_output_in_state(reset).erase(),
        outputs: [b.pb5.into_push_pull_output().erase(), b.pb10.into_push_pull_output().erase()],
        inputs: [c.pc7.into_pull_up_input().erase(), b.pb6.into_pull_up_input().erase()],
        i2c: FreeBus::new(
            board.I2C1.i2c((scl, sda), 100.kHz(), &mut rcc),
            I2c1Lines,
            board.TIM2.delay_us(&mut rcc),
        ),
        delay: board.TIM5.delay_us(&mut rcc),
        named: [
            named("D11", a.pa7.into_open_drain_output_in_state(gpio::PinState::High).erase()),
            named("D12", a.pa6.into_open_drain_output_in_state(gpio::PinState::High).erase()),
            named("A0", a.pa0.into_open_drain_output_in_state(gpio::PinState::High).erase()),
            named("A1", a.pa1.into_open_drain_output_in_state(gpio::PinState::High).erase()),
        ],
        crashes: faults::crashes(),
        memory: singleton!(: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4])?,
    })
}

fn named(
    name: &'static str,
    pin: AnyPin<gpio::Output<gpio::OpenDrain>>,
) -> NamedPin<impl OutputPin> {
    NamedPin { name, pin, active: PinState::Low }
}

/// The lines of the bus, PB8 (SCL) and PB9 (SDA), which its port has: they can be read all the same.
struct I2c1Lines;

impl BusLines for I2c1Lines {
    fn are_high(&mut self) -> bool {
        // SAFETY: it only reads.
        let levels = unsafe { &*GPIOB::PTR }.idr().read();
        levels.idr8().bit_is_set() && levels.idr9().bit_is_set()
    }

    fn hold_clock(&mut self, is_low: bool) {
        // The pin is an open drain, and its own level is low.
        // SAFETY: nothing else writes this register any more.
        unsafe { &*GPIOB::PTR }.moder().modify(|_, w| match is_low {
            true => w.moder8().output(),
            false => w.moder8().alternate(),
        });
    }
}

/// A serial port, by its interrupt.
struct Port(Interrupt);

impl adapters::RingBoard for Port {
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
struct UartRegisters(&'static RegisterBlock);

impl Uart for UartRegisters {
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
    DEVICE.serve(&mut UartRegisters(unsafe { &*USART1::PTR }));
}

#[interrupt]
fn USART2() {
    // SAFETY: as above.
    HOST.serve(&mut UartRegisters(unsafe { &*USART2::PTR }));
}

#[exception]
fn SysTick() {
    /// Has the watchdog begin its time anew.
    const RELOAD: u16 = 0xaaaa;
    TICKS.tick();
    if FED.tick() {
        // SAFETY: feeding the watchdog does no harm.
        unsafe { &*IWDG::PTR }.kr().write(|w| unsafe { w.key().bits(RELOAD) });
    } else {
        NVIC::pend(Interrupt::WWDG);
    }
}
