//! The ESP32-C3 (RV32IMC) with 400 KiB of RAM.
//!
//! | pin | what |
//! |---|---|
//! | GPIO21, GPIO20 | UART0, to the host, at 115 200 baud; most boards connect it to USB |
//! | GPIO4, GPIO5 | UART1, to the device |
//! | GPIO6 | the device's reset line |
//! | GPIO7, GPIO10 | SDA and SCL of I2C0, with the weak pull-ups of the chip |
//! | GPIO0, GPIO1 | pins to the device |
//! | GPIO3, GPIO18 | pins from the device |
//! | GPIO19 | a pin that a device file names |
//!
//! Interrupts move the bytes of both ports, and the processor sleeps while it waits.

use core::panic::PanicInfo;

use esp_hal::delay::Delay;
use esp_hal::gpio::{self, DriveMode, Input, InputConfig, Output, OutputConfig, Pull};
use esp_hal::handler;
use esp_hal::i2c::master;
use esp_hal::interrupt::{InterruptConfigurable, wait_for_interrupt};
pub(crate) use esp_hal::main as entry;
use esp_hal::peripherals::{SYSTIMER, TIMG0, UART0, UART1};
use esp_hal::riscv::interrupt;
use esp_hal::system::software_reset;
use esp_hal::time::{Duration, Instant};
use esp_hal::timer::PeriodicTimer;
use esp_hal::timer::systimer::SystemTimer;
use esp_hal::timer::timg::{MwdtStage, MwdtStageAction, TimerGroup};
use esp_hal::trapframe::TrapFrame;
use esp_hal::uart::{Config, RxConfig, Uart};
use mealybug_learner::adapters::Uart as _;
use mealybug_learner::adapters::embedded_hal::delay::DelayNs;
use mealybug_learner::adapters::embedded_hal::digital::{InputPin, OutputPin, PinState};
use mealybug_learner::adapters::embedded_hal::i2c::I2c;
use mealybug_learner::adapters::{self, LineFault, Link, NamedPin, Offers, Ring, RingLink, Rings};
use mealybug_learner::faults::{self, Kept, Watched};
use pac::uart0::RegisterBlock;

esp_bootloader_esp_idf::esp_app_desc!();

/// The memory that the HAL has for data, and how much of it the stack needs at most: for calls, and
/// for the target, which lies on the stack.
const RAM_BYTES: usize = 313 * 1024;
const STACK_BYTES: usize = 16 * 1024;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 256 * 1024;

const _: () = assert!(LEARNER_BYTES + STACK_BYTES <= RAM_BYTES);

/// How long a program may leave the watchdog without food. A learner whose memory is nearly full computes for minutes
/// between two symbols.
const WATCHDOG: Duration = Duration::from_secs(300);

/// Unlocks the registers of the watchdog.
const WATCHDOG_KEY: u32 = 0x50d8_3aa1;

/// The bytes between the interrupts of the ports and the program.
static HOST: Rings<512, 256> = Rings::new();
static DEVICE: Rings<512, 64> = Rings::new();

/// What the host calls the board.
pub(crate) const NAME: &str = "esp32c3";

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    faults::panicked(info, software_reset)
}

/// Called by the HAL at an exception, with what it has pushed on the stack.
#[unsafe(no_mangle)]
extern "C" fn ExceptionHandler(frame: &TrapFrame) -> ! {
    let sp = core::ptr::from_ref(frame).addr() as u32;
    // SAFETY: nothing runs after it.
    unsafe { faults::exception(sp, frame.ra as u32, 0..0, software_reset) }
}

/// Called when nobody has fed the watchdog.
#[handler]
fn expired() {
    faults::expired(software_reset)
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

/// Starts the board, with the reset line at this level; call it once. `None` if a port does not start.
pub(crate) fn start(
    reset: PinState,
) -> Option<
    Board<impl Link, impl Link, impl OutputPin, impl InputPin, impl I2c, impl DelayNs, impl Offers>,
> {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let board = esp_hal::init(esp_hal::Config::default());
    // Half of what a port holds is time for the interrupt.
    let config = Config::default().with_rx(RxConfig::default().with_fifo_full_threshold(64));
    let host = Uart::new(board.UART0, config).ok()?;
    let uart = Uart::new(board.UART1, config).ok()?;
    let mut host = host.with_tx(board.GPIO21).with_rx(board.GPIO20);
    let mut uart = uart.with_tx(board.GPIO4).with_rx(board.GPIO5);
    host.set_interrupt_handler(serve_host);
    uart.set_interrupt_handler(serve_device);
    // The HAL's drivers switch a port off when they are dropped. From here on, the ports are used by their registers.
    core::mem::forget((host, uart));
    Port(UART0::regs()).tell_of_room(false);
    Port(UART1::regs()).tell_of_room(false);
    // Wakes a sleeper, so that it looks at the time.
    let mut waker = PeriodicTimer::new(SystemTimer::new(board.SYSTIMER).alarm0);
    waker.set_interrupt_handler(wake);
    waker.listen();
    waker.start(Duration::from_millis(2)).ok()?;
    let mut watchdog = TimerGroup::new(board.TIMG0).wdt;
    watchdog.set_interrupt_handler(expired);
    TIMG0::regs().int_ena().modify(|_, w| w.wdt().set_bit());
    watchdog.enable();
    // Both stages have one prescaler, so they get the same time. The last call puts all settings into effect.
    watchdog.set_stage_action(MwdtStage::Stage0, MwdtStageAction::Interrupt);
    watchdog.set_stage_action(MwdtStage::Stage1, MwdtStageAction::ResetSystem);
    watchdog.set_timeout(MwdtStage::Stage0, WATCHDOG);
    watchdog.set_timeout(MwdtStage::Stage1, WATCHDOG);
    let i2c = master::I2c::new(board.I2C0, master::Config::default()).ok()?;
    let reset = match reset {
        PinState::Low => gpio::Level::Low,
        PinState::High => gpio::Level::High,
    };
    let push_pull = OutputConfig::default();
    let open_drain = push_pull.with_drive_mode(DriveMode::OpenDrain);
    let input = InputConfig::default().with_pull(Pull::Up);
    Some(Board {
        host: Watched::new(RingLink::new(Port(UART0::regs()), &HOST), feed),
        uart: Watched::new(RingLink::new(Port(UART1::regs()), &DEVICE), feed),
        reset: Output::new(board.GPIO6, reset, push_pull),
        outputs: [
            Output::new(board.GPIO0, gpio::Level::Low, push_pull),
            Output::new(board.GPIO1, gpio::Level::Low, push_pull),
        ],
        inputs: [Input::new(board.GPIO3, input), Input::new(board.GPIO18, input)],
        i2c: i2c.with_sda(board.GPIO7).with_scl(board.GPIO10),
        delay: Delay::new(),
        named: NamedPin {
            name: "GPIO19",
            pin: Output::new(board.GPIO19, gpio::Level::High, open_drain),
            active: PinState::Low,
        },
        crashes: faults::crashes(),
        // SAFETY: the HAL's `init` panics when it is called again.
        memory: unsafe { (&raw mut MEMORY).as_mut() }?,
    })
}

/// Begins the time of the watchdog anew, as the HAL does, whose driver can feed it for one line only.
fn feed() {
    let timer = TIMG0::regs();
    // SAFETY: all values can be written; this one unlocks the registers.
    timer.wdtwprotect().write(|w| unsafe { w.wdt_wkey().bits(WATCHDOG_KEY) });
    // SAFETY: any value feeds.
    timer.wdtfeed().write(|w| unsafe { w.bits(1) });
    // SAFETY: as above; this one locks the registers.
    timer.wdtwprotect().write(|w| unsafe { w.wdt_wkey().bits(0) });
}

/// A serial port at 115 200 baud, by its registers.
struct Port(&'static RegisterBlock);

impl adapters::RingBoard for Port {
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

    fn drain(&mut self) {
        while self.0.status().read().txfifo_cnt().bits() > 0 {}
        // The last byte leaves the memory a moment before its start bit, and meanwhile the port says that it is idle.
        Delay::new().delay_us(10);
        while self.0.fsm_status().read().st_utx_out().bits() > 0 {}
    }
}

impl adapters::Uart for Port {
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
