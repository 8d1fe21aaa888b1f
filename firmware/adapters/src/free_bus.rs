//! An I2C bus that may be stuck.

use core::fmt;

use embedded_hal::delay::DelayNs;
use embedded_hal::i2c::{Error, ErrorKind, ErrorType, I2c, Operation};

/// How long a device may stretch the clock after a transfer.
const WAIT_US: u32 = 25_000;
const STEP_US: u32 = 100;

/// Half a clock cycle at 100 kHz.
const HALF_CLOCK_US: u32 = 5;

/// The clocks after which a device has sent the byte that it was sending, and the acknowledgement.
const CLOCKS: u32 = 9;

/// The two lines of an I2C bus, beside the port that uses them. Only the board can reach the pins of a port.
pub trait BusLines {
    /// Whether both lines are high, so that nobody holds the bus.
    fn are_high(&mut self) -> bool;

    /// Pulls the clock low, or lets it go again.
    fn hold_clock(&mut self, is_low: bool);
}

/// An I2C bus for HALs whose port waits for ever while a device holds a line low.
///
/// Before each transfer it waits 25 ms at most until both lines are high. If they are not, it sends nine clocks, which have
/// a device finish the byte that it was sending when its transfer broke off. If a line stays low, the transfer is an error:
/// [`ErrorKind::Bus`]. A device that stretches the clock for ever in the middle of a transfer still stops the program; that
/// is a matter for the board's watchdog.
#[derive(Debug)]
pub struct FreeBus<B, L, D> {
    bus: B,
    lines: L,
    delay: D,
}

impl<B: I2c, L: BusLines, D: DelayNs> FreeBus<B, L, D> {
    /// A bus with its lines, and a way to wait.
    pub const fn new(bus: B, lines: L, delay: D) -> Self {
        Self { bus, lines, delay }
    }

    fn free(&mut self) -> Result<(), BusError<B::Error>> {
        for _ in 0..WAIT_US / STEP_US {
            if self.lines.are_high() {
                return Ok(());
            }
            self.delay.delay_us(STEP_US);
        }
        for _ in 0..CLOCKS {
            for is_low in [true, false] {
                self.lines.hold_clock(is_low);
                self.delay.delay_us(HALF_CLOCK_US);
            }
        }
        if self.lines.are_high() { Ok(()) } else { Err(BusError::Stuck) }
    }
}

/// Why a transfer failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusError<E> {
    /// A line stays low.
    Stuck,
    /// What the port says.
    Port(E),
}

impl<E: fmt::Display> fmt::Display for BusError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stuck => f.write_str("a line of the bus stays low"),
            Self::Port(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> core::error::Error for BusError<E> {}

impl<E: Error> Error for BusError<E> {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Stuck => ErrorKind::Bus,
            Self::Port(error) => error.kind(),
        }
    }
}

impl<B: I2c, L, D> ErrorType for FreeBus<B, L, D> {
    type Error = BusError<B::Error>;
}

impl<B: I2c, L: BusLines, D: DelayNs> I2c for FreeBus<B, L, D> {
    fn transaction(
        &mut self,
        address: u8,
        operations: &mut [Operation<'_>],
    ) -> Result<(), Self::Error> {
        self.free()?;
        self.bus.transaction(address, operations).map_err(BusError::Port)
    }
}
