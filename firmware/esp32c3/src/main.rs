//! The learner on the ESP32-C3 (RV32IMC) with 400 KiB of RAM. The host is on UART0 (GPIO21,
//! GPIO20), which most boards connect to USB; the device is on UART1 (GPIO4, GPIO5).
#![no_std]
#![no_main]

use esp_hal::time::Instant;
use esp_hal::uart::{Config, RxError, Uart};
use esp_hal::{Blocking, main};
use mealybug_adapters::{Conversation, LineFault, Link, halt};
use mealybug_learner::Target;
use panic_halt as _;

esp_bootloader_esp_idf::esp_app_desc!();

/// The memory that the HAL has for data, and how much of it the stack needs at most: for calls, and
/// for the target, which lies on the stack.
const RAM_BYTES: usize = 313 * 1024;
const STACK_BYTES: usize = 16 * 1024;

/// The memory of the learner itself.
const LEARNER_BYTES: usize = 256 * 1024;

const _: () = assert!(LEARNER_BYTES + STACK_BYTES <= RAM_BYTES);

#[main]
fn main() -> ! {
    static mut MEMORY: [u32; LEARNER_BYTES / 4] = [0; LEARNER_BYTES / 4];
    let board = esp_hal::init(esp_hal::Config::default());
    let host = Uart::new(board.UART0, Config::default());
    let device = Uart::new(board.UART1, Config::default());
    let (Ok(host), Ok(device)) = (host, device) else { halt() };
    let host = Port(host.with_tx(board.GPIO21).with_rx(board.GPIO20));
    let device = Port(device.with_tx(board.GPIO4).with_rx(board.GPIO5));
    // SAFETY: the program begins once.
    let Some(memory) = (unsafe { (&raw mut MEMORY).as_mut() }) else { halt() };
    Target::new(host, Conversation::new(device), "esp32c3").run(memory)
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
