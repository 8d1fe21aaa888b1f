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

use esp_hal::Blocking;
use esp_hal::delay::Delay;
use esp_hal::gpio::{self, DriveMode, Input, InputConfig, Output, OutputConfig, Pull};
use esp_hal::i2c::master;
pub(crate) use esp_hal::main as entry;
use esp_hal::time::Instant;
use esp_hal::uart::{Config, RxError, Uart};
use mealybug_learner::adapters::embedded_hal::delay::DelayNs;
use mealybug_learner::adapters::embedded_hal::digital::{InputPin, OutputPin, PinState};
use mealybug_learner::adapters::embedded_hal::i2c::I2c;
use mealybug_learner::adapters::{LineFault, Link, NamedPin, NamedPins};

esp_bootloader_esp_idf::esp_app_desc!();

/// The memory that the HAL has for data, and how much of it the stack needs at most: for calls, and
/// for the target, which lies on the stack.
const RAM_BYTES: usize = 313 * 1024;
const STACK_BYTES: usize = 16 * 1024;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 256 * 1024;

const _: () = assert!(LEARNER_BYTES + STACK_BYTES <= RAM_BYTES);

/// What the host calls the board.
pub(crate) const NAME: &str = "esp32c3";

/// What the board has for a program. Pins that the program does not use stay at rest.
#[allow(dead_code, reason = "few programs use everything")]
pub(crate) struct Board<Host, Uart, Out, In, Bus, Delay, Named> {
    /// The line to the host.
    pub(crate) host: Host,
    /// The line to the device.
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
    /// The learner's memory.
    pub(crate) memory: &'static mut [u32],
}

/// Starts the board, with the reset line at this level; call it once. `None` if a port does not start.
pub(crate) fn start(
    reset: PinState,
) -> Option<
    Board<
        impl Link,
        impl Link,
        impl OutputPin,
        impl InputPin,
        impl I2c,
        impl DelayNs,
        impl NamedPins,
    >,
> {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let board = esp_hal::init(esp_hal::Config::default());
    let host = Uart::new(board.UART0, Config::default()).ok()?;
    let uart = Uart::new(board.UART1, Config::default()).ok()?;
    let i2c = master::I2c::new(board.I2C0, master::Config::default()).ok()?;
    let reset = match reset {
        PinState::Low => gpio::Level::Low,
        PinState::High => gpio::Level::High,
    };
    let push_pull = OutputConfig::default();
    let open_drain = push_pull.with_drive_mode(DriveMode::OpenDrain);
    let input = InputConfig::default().with_pull(Pull::Up);
    Some(Board {
        host: Port(host.with_tx(board.GPIO21).with_rx(board.GPIO20)),
        uart: Port(uart.with_tx(board.GPIO4).with_rx(board.GPIO5)),
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
        // SAFETY: the HAL's `init` panics when it is called again.
        memory: unsafe { (&raw mut MEMORY).as_mut() }?,
    })
}

/// What an error of the port means.
fn fault(error: RxError) -> LineFault {
    match error {
        RxError::FrameFormatViolated | RxError::GlitchOccurred => LineFault::Framing,
        RxError::ParityMismatch => LineFault::Parity,
        _ => LineFault::Overrun,
    }
}

/// A serial port at 115 200 baud, which holds 128 bytes each way.
struct Port(Uart<'static, Blocking>);

impl Link for Port {
    fn now_ms(&self) -> u64 {
        Instant::now().duration_since_epoch().as_millis()
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        while !bytes.is_empty() {
            // Bytes that cannot be sent are lost; their frame, or the device, will show that.
            let Ok(sent) = self.0.write(bytes) else { return };
            bytes = bytes.get(sent..).unwrap_or(&[]);
        }
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        loop {
            let mut byte = [0];
            if self.0.read_buffered(&mut byte).map_err(fault)? > 0 {
                let [byte] = byte;
                return Ok(Some(byte));
            }
            if deadline_ms == 0 || self.now_ms() >= deadline_ms {
                return Ok(None);
            }
        }
    }
}
