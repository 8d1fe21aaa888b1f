//! A serial port of any HAL that implements embedded-hal-nb.

use core::fmt;

use embedded_hal_nb::nb::Error;
use embedded_hal_nb::serial::{Error as _, ErrorKind, Read, Write};

use crate::{LineFault, Link};

/// A serial port that is polled for every byte, and a clock in milliseconds.
///
/// Nobody reads while the learner is busy, so the port must hold what comes meanwhile. A host sends
/// about ten bytes, and repeats them when they are lost. A port that holds fewer needs an interrupt
/// and a [`RingLink`](crate::RingLink).
pub struct Polled<R, W, C> {
    receiver: R,
    transmitter: W,
    now_ms: C,
}

impl<R: Read, W: Write, C: Fn() -> u64> Polled<R, W, C> {
    /// A port made of its two halves.
    pub const fn new(receiver: R, transmitter: W, now_ms: C) -> Self {
        Self { receiver, transmitter, now_ms }
    }
}

impl<R: Read, W: Write, C: Fn() -> u64> Link for Polled<R, W, C> {
    fn now_ms(&self) -> u64 {
        (self.now_ms)()
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            // A byte that cannot be sent is lost; its frame, or its device, will show that.
            while let Err(Error::WouldBlock) = self.transmitter.write(byte) {}
        }
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        loop {
            match self.receiver.read() {
                Ok(byte) => return Ok(Some(byte)),
                Err(Error::Other(error)) => {
                    return Err(match error.kind() {
                        ErrorKind::FrameFormat | ErrorKind::Noise => LineFault::Framing,
                        ErrorKind::Parity => LineFault::Parity,
                        _ => LineFault::Overrun,
                    });
                }
                Err(Error::WouldBlock) if deadline_ms == 0 || self.now_ms() >= deadline_ms => {
                    return Ok(None);
                }
                Err(Error::WouldBlock) => {}
            }
        }
    }
}

impl<R, W, C> fmt::Debug for Polled<R, W, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Polled").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use embedded_hal_mock::eh1::serial::{Mock, Transaction};
    use embedded_hal_nb::serial::ErrorKind;

    use super::*;

    #[test]
    fn it_waits_for_the_port_and_for_the_time() {
        let busy = || Error::WouldBlock;
        let mut receiver = Mock::new(&[
            Transaction::read_error(busy()),
            Transaction::read(b'a'),
            Transaction::read_error(Error::Other(ErrorKind::Overrun)),
            Transaction::read_error(Error::Other(ErrorKind::FrameFormat)),
            Transaction::read_error(Error::Other(ErrorKind::Parity)),
            Transaction::read_error(busy()),
            Transaction::read_error(busy()),
            Transaction::read_error(busy()),
            Transaction::read_error(busy()),
        ]);
        let mut transmitter = Mock::new(&[
            Transaction::write(b'x'),
            Transaction::write_error(b'y', busy()),
            Transaction::write(b'y'),
        ]);
        let now_ms = Cell::new(0);
        let clock = || now_ms.replace(now_ms.get() + 1);
        let mut port = Polled::new(receiver.clone(), transmitter.clone(), clock);
        port.write(b"xy");
        assert_eq!(port.read_until(9), Ok(Some(b'a')));
        assert_eq!(port.read_until(9), Err(LineFault::Overrun));
        assert_eq!(port.read_until(9), Err(LineFault::Framing));
        assert_eq!(port.read_until(9), Err(LineFault::Parity));
        assert_eq!(port.read_until(3), Ok(None));
        assert_eq!(port.read_until(0), Ok(None));
        receiver.done();
        transmitter.done();
    }
}
