//! Nordic's nRF52840 DK: an nRF52840 (Cortex-M4) with 256 KiB of RAM.
//!
//! | pin | what |
//! |---|---|
//! | P0.06, P0.08 | UARTE0, to the host, at 115 200 baud: the serial port of the board's USB connector |
//! | P1.02 (D1), P1.01 (D0) | UARTE1, to the device |
//! | P1.03 (D2) | the device's reset line |
//! | P0.26, P0.27 | SDA and SCL of I2C, with the weak pull-ups of the chip |
//! | P1.04 (D3), P1.05 (D4) | pins to the device |
//! | P1.06 (D5), P1.07 (D6) | pins from the device |
//! | D7 to D10: P1.08, P1.10 to P1.12 | pins that a device file names |

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, Ordering};
use core::task::Poll;

use cortex_m::singleton;
#[allow(unused_imports, reason = "a program on an executor begins otherwise")]
pub(crate) use cortex_m_rt::entry;
use embassy_futures::{block_on, poll_once};
use embassy_nrf::buffered_uarte::{self, BufferedUarte};
use embassy_nrf::config::HfclkSource;
use embassy_nrf::gpio::{Input, Level, Output, OutputDrive, Pull};
use embassy_nrf::interrupt::{self, InterruptExt};
use embassy_nrf::twim::{self, Twim};
use embassy_nrf::wdt::{self, WatchdogHandle};
use embassy_nrf::{bind_interrupts, pac, peripherals, uarte};
use embassy_time::{Delay, Duration, Instant, block_for};
use mealybug_learner::adapters::embedded_hal::digital::PinState;
use mealybug_learner::adapters::embedded_hal::i2c::{self, I2c};
use mealybug_learner::adapters::{LineFault, Link, NamedPin};
use mealybug_learner::faults::{self, Kept, Watched};

bind_interrupts!(struct Interrupts {
    UARTE0 => buffered_uarte::InterruptHandler<peripherals::UARTE0>;
    UARTE1 => DamagedCharacters, buffered_uarte::InterruptHandler<peripherals::UARTE1>;
    TWISPI0 => twim::InterruptHandler<peripherals::TWISPI0>;
});

/// The board's memory, and how much of it the stack needs at most: for calls, and for the target,
/// which lies on the stack.
const RAM_BYTES: usize = 256 * 1024;
const STACK_BYTES: usize = 16 * 1024;

/// The memory of the learner itself, and that of the ports for bytes that come or go.
const LEARNER_BYTES: usize = 224 * 1024;
const RECEIVE_BYTES: usize = 512;
const SEND_BYTES: usize = 256;

const _: () = assert!(LEARNER_BYTES + 2 * (RECEIVE_BYTES + SEND_BYTES) + STACK_BYTES <= RAM_BYTES);

/// The longest message on the bus that lies in flash.
const BUS_BYTES: usize = 64;

/// How long a program may leave the watchdog without food, in its ticks. A learner whose memory is nearly full computes for minutes
/// between two symbols.
const WATCHDOG_TICKS: u32 = 300 * 32_768;

/// What the host calls the board.
pub(crate) const NAME: &str = "nrf52840-dk";

faults::handle_hard_faults!();
faults::handle_watchdog!(WDT);

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

/// The board with what this chip has.
type Nrf52840 = Board<
    Watched<Port, fn()>,
    Watched<Port, fn()>,
    Output<'static>,
    Input<'static>,
    Bus,
    Delay,
    [NamedPin<Output<'static>>; 4],
>;

/// Starts the board, with the reset line at this level; `None` if that was done before.
pub(crate) fn start(reset: PinState) -> Option<Nrf52840> {
    faults::guard_stack();
    let mut config = embassy_nrf::config::Config::default();
    // The oscillator that runs at first is too inexact for a serial port.
    config.hfclk_source = HfclkSource::ExternalXtal;
    let board = embassy_nrf::init(config);
    let mut watchdog = wdt::Config::default();
    watchdog.timeout_ticks = WATCHDOG_TICKS;
    // A boot loader may have started it with other settings, which nothing can change; it is fed all the same.
    let _ = wdt::Watchdog::try_new::<_, 1>(board.WDT, watchdog);
    // SAFETY: the handler shares nothing with the program.
    unsafe { interrupt::WDT.enable() };
    let host = BufferedUarte::new(
        board.UARTE0,
        board.TIMER0,
        board.PPI_CH0,
        board.PPI_CH1,
        board.PPI_GROUP0,
        board.P0_08,
        board.P0_06,
        Interrupts,
        uarte::Config::default(),
        singleton!(: [u8; RECEIVE_BYTES] = [0; RECEIVE_BYTES])?,
        singleton!(: [u8; SEND_BYTES] = [0; SEND_BYTES])?,
    );
    let uart = BufferedUarte::new(
        board.UARTE1,
        board.TIMER1,
        board.PPI_CH2,
        board.PPI_CH3,
        board.PPI_GROUP1,
        board.P1_01,
        board.P1_02,
        Interrupts,
        uarte::Config::default(),
        singleton!(: [u8; RECEIVE_BYTES] = [0; RECEIVE_BYTES])?,
        singleton!(: [u8; SEND_BYTES] = [0; SEND_BYTES])?,
    );
    let mut bus = twim::Config::default();
    (bus.sda_pullup, bus.scl_pullup) = (true, true);
    let buffer = singleton!(: [u8; BUS_BYTES] = [0; BUS_BYTES])?;
    let open_drain = OutputDrive::Standard0Disconnect1;
    Some(Board {
        host: Watched::new(Port { uarte: host, damaged: None, place: 0 }, feed),
        uart: Watched::new(Port { uarte: uart, damaged: Some(&DAMAGED), place: 0 }, feed),
        reset: Output::new(
            board.P1_03,
            match reset {
                PinState::Low => Level::Low,
                PinState::High => Level::High,
            },
            OutputDrive::Standard,
        ),
        outputs: [
            Output::new(board.P1_04, Level::Low, OutputDrive::Standard),
            Output::new(board.P1_05, Level::Low, OutputDrive::Standard),
        ],
        inputs: [Input::new(board.P1_06, Pull::Up), Input::new(board.P1_07, Pull::Up)],
        i2c: Bus(Twim::new(board.TWISPI0, Interrupts, board.P0_26, board.P0_27, bus, buffer)),
        delay: Delay,
        named: [
            named("D7", Output::new(board.P1_08, Level::High, open_drain)),
            named("D8", Output::new(board.P1_10, Level::High, open_drain)),
            named("D9", Output::new(board.P1_11, Level::High, open_drain)),
            named("D10", Output::new(board.P1_12, Level::High, open_drain)),
        ],
        crashes: faults::crashes(),
        memory: singleton!(: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4])?,
    })
}

/// Begins the time of the watchdog anew.
pub(crate) fn feed() {
    // SAFETY: of the handles there is no other. To feed the watchdog does no harm.
    unsafe { WatchdogHandle::steal::<peripherals::WDT>(0) }.pet();
}

fn named(name: &'static str, pin: Output<'static>) -> NamedPin<Output<'static>> {
    NamedPin { name, pin, active: PinState::Low }
}

/// How long a transfer on the bus may take: 64 bytes each way take 12 ms, and a device may stretch the clock.
const TRANSFER: Duration = Duration::from_millis(100);

/// The bus. A transfer that takes longer than [`TRANSFER`], because a device holds a line low, is an error.
pub(crate) struct Bus(Twim<'static>);

impl i2c::ErrorType for Bus {
    type Error = twim::Error;
}

impl I2c for Bus {
    fn transaction(
        &mut self,
        address: u8,
        operations: &mut [i2c::Operation<'_>],
    ) -> Result<(), twim::Error> {
        self.0.blocking_transaction_timeout(address, operations, TRANSFER)
    }
}

/// The first damaged character on the line to the device that the program does not know of: its place, and above it
/// [`FRAMING`] or [`BREAK`]. 0 if there is none.
static DAMAGED: AtomicU32 = AtomicU32::new(0);
const FRAMING: u32 = 1 << 16;
const BREAK: u32 = 2 << 16;

/// The HAL counts the bytes that come up to twice the size of its buffer, and then from 0 on.
const PLACES: u32 = 1024;
const _: () = assert!(PLACES as usize == 2 * RECEIVE_BYTES);

/// Longer than a character at 115 200 baud.
const CHARACTER: Duration = Duration::from_micros(100);

/// Takes note of damaged characters before the HAL's handler drops their errors. It leaves overruns to the HAL. There is no
/// parity bit that could be wrong.
struct DamagedCharacters;

impl interrupt::typelevel::Handler<interrupt::typelevel::UARTE1> for DamagedCharacters {
    unsafe fn on_interrupt() {
        let port = pac::UARTE1;
        let mut errors = port.errorsrc().read();
        if !errors.framing() && !errors.break_() {
            return;
        }
        let what = if errors.break_() { BREAK } else { FRAMING };
        if !errors.overrun() {
            port.events_error().write_value(0);
        }
        errors.set_overrun(false);
        port.errorsrc().write_value(errors);
        // The HAL has TIMER1 count the bytes, and reads it by other registers.
        pac::TIMER1.tasks_capture(2).write_value(1);
        let place = pac::TIMER1.cc(2).read() % PLACES;
        match DAMAGED.load(Ordering::Relaxed) {
            0 => DAMAGED.store(what | place, Ordering::Relaxed),
            // A break begins as a character without a stop bit.
            before if what == BREAK => DAMAGED.store(BREAK | (before % PLACES), Ordering::Relaxed),
            _ => {}
        }
    }
}

/// A serial port. The HAL moves bytes to and from its memory, whatever the program does.
pub(crate) struct Port {
    pub(crate) uarte: BufferedUarte<'static>,
    /// Where damaged characters are noted.
    damaged: Option<&'static AtomicU32>,
    /// The place of the next byte.
    place: u32,
}

impl Port {
    /// The next damaged character, if it comes before the next byte. `is_empty`: there is no byte.
    fn damaged(&mut self, is_empty: bool) -> Option<LineFault> {
        let damaged = self.damaged?;
        let found = damaged.load(Ordering::Relaxed);
        let bytes_before = (found % PLACES + PLACES - self.place) % PLACES;
        let is_next = is_empty || bytes_before == 0 || bytes_before > PLACES / 2;
        if found == 0 || !is_next {
            return None;
        }
        // After this time it is known whether it is a break.
        block_for(CHARACTER);
        let is_break = damaged.swap(0, Ordering::Relaxed) >= BREAK;
        Some(if is_break { LineFault::Break } else { LineFault::Framing })
    }
}

impl Link for Port {
    fn now_ms(&self) -> u64 {
        Instant::now().as_millis()
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        while !bytes.is_empty() {
            // Bytes that cannot be sent are lost; their frame, or the device, will show that.
            let Ok(sent) = block_on(self.uarte.write(bytes)) else { return };
            bytes = bytes.get(sent..).unwrap_or(&[]);
        }
    }

    fn flush(&mut self) {
        // It cannot fail.
        let _ = block_on(self.uarte.flush());
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        loop {
            if let Some(fault) = self.damaged(false) {
                return Err(fault);
            }
            let mut byte = [0];
            match poll_once(self.uarte.read(&mut byte)) {
                Poll::Ready(Ok(_)) => {
                    self.place = (self.place + 1) % PLACES;
                    let [byte] = byte;
                    return Ok(Some(byte));
                }
                Poll::Ready(Err(_)) => return Err(LineFault::Overrun),
                Poll::Pending => {
                    if let Some(fault) = self.damaged(true) {
                        return Err(fault);
                    }
                    if deadline_ms == 0 || self.now_ms() >= deadline_ms {
                        return Ok(None);
                    }
                }
            }
        }
    }
}
