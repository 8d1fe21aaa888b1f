//! A serial port whose interrupt moves the bytes.

#[cfg(test)]
mod tests;

use mealybug_core::wire::line::LineSettings;

use crate::link::only_default;
use crate::{LineFault, Link, Ring};

/// The bytes between a port's interrupt and the program. A board has one in a `static` for each
/// port, its interrupt calls [`Rings::serve`], and its program has a [`RingLink`].
///
/// `RECEIVED` is enough for what comes while nobody reads, `TO_SEND` for what the program should not
/// wait for. Each holds one byte less, and takes two bytes of memory for each.
#[derive(Debug)]
pub struct Rings<const RECEIVED: usize, const TO_SEND: usize> {
    received: Ring<RECEIVED>,
    to_send: Ring<TO_SEND>,
}

/// The registers of a port, as its interrupt uses them.
pub trait Uart {
    /// Takes everything that the port has received, with its faults.
    fn receive<const SIZE: usize>(&mut self, received: &Ring<SIZE>);

    /// Whether the port can take a byte to send.
    fn has_room(&mut self) -> bool;

    /// Sends a byte.
    fn send(&mut self, byte: u8);

    /// Whether the interrupt shall come when the port has room again.
    fn tell_of_room(&mut self, tell: bool);
}

impl<const RECEIVED: usize, const TO_SEND: usize> Rings<RECEIVED, TO_SEND> {
    /// Two empty rings.
    pub const fn new() -> Self {
        Self { received: Ring::new(), to_send: Ring::new() }
    }

    /// Takes what the port has received, and gives it what it can send. The interrupt calls it, and
    /// nothing else.
    pub fn serve(&self, port: &mut impl Uart) {
        port.receive(&self.received);
        while port.has_room() {
            let Some([byte, _]) = self.to_send.take() else { break };
            port.send(byte);
        }
        port.tell_of_room(!self.to_send.is_empty());
    }
}

impl<const RECEIVED: usize, const TO_SEND: usize> Default for Rings<RECEIVED, TO_SEND> {
    fn default() -> Self {
        Self::new()
    }
}

/// What a board does for the program at a port.
pub trait RingBoard {
    /// How long a program waits for a port that takes no byte: one at USB whose host does not read. After this time it
    /// drops what it sends, until the port takes a byte again. A port that always sends needs no such time.
    const PATIENCE_MS: u64 = u64::MAX;

    /// The time in milliseconds since a fixed moment.
    fn now_ms(&self) -> u64;

    /// Makes the port's interrupt come soon, whatever the port does.
    fn interrupt_soon(&mut self);

    /// Sleeps until an interrupt comes, at most until a time and some milliseconds; a periodic
    /// interrupt will do for that. It calls `is_ready` with interrupts held back and does not sleep if
    /// that is so: an interrupt after the question must still end the sleep.
    fn sleep_unless(&self, is_ready: impl FnOnce() -> bool, until_ms: u64);

    /// Waits until the port has sent the bytes that it holds. Nothing to do for a port that holds few of them: the time
    /// of a device begins too early by the time that they take.
    fn drain(&mut self) {}

    /// As [`Link::set_line`]; nothing is left to send.
    ///
    /// # Errors
    /// The line cannot have these settings; returns those that it keeps.
    fn set_line(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
        only_default(settings)
    }
}

/// The program's end of a port: it waits asleep, and goes on while the port sends.
#[derive(Debug)]
pub struct RingLink<B, const RECEIVED: usize, const TO_SEND: usize> {
    board: B,
    rings: &'static Rings<RECEIVED, TO_SEND>,
    /// Whether the port has taken no byte for [`RingBoard::PATIENCE_MS`].
    is_stuck: bool,
}

impl<B: RingBoard, const RECEIVED: usize, const TO_SEND: usize> RingLink<B, RECEIVED, TO_SEND> {
    /// The program's end of these rings; they must have no other.
    pub const fn new(board: B, rings: &'static Rings<RECEIVED, TO_SEND>) -> Self {
        Self { board, rings, is_stuck: false }
    }

    /// What the port needs of the board.
    pub const fn board(&self) -> &B {
        &self.board
    }

    /// Sends a byte; false if the port takes none for too long.
    fn send(&mut self, byte: u8) -> bool {
        let to_send = &self.rings.to_send;
        let mut until_ms = u64::MAX;
        while !to_send.offer(byte) {
            self.board.interrupt_soon();
            if B::PATIENCE_MS < u64::MAX {
                let now_ms = self.board.now_ms();
                until_ms = until_ms.min(now_ms.saturating_add(B::PATIENCE_MS));
                if self.is_stuck || now_ms >= until_ms {
                    self.is_stuck = true;
                    return false;
                }
            }
            self.board.sleep_unless(|| to_send.has_room(), until_ms);
        }
        self.is_stuck = false;
        true
    }
}

impl<B: RingBoard, const RECEIVED: usize, const TO_SEND: usize> Link
    for RingLink<B, RECEIVED, TO_SEND>
{
    fn now_ms(&self) -> u64 {
        self.board.now_ms()
    }

    fn write(&mut self, bytes: &[u8]) {
        if bytes.iter().all(|&byte| self.send(byte)) {
            self.board.interrupt_soon();
        }
    }

    fn flush(&mut self) {
        let to_send = &self.rings.to_send;
        while !to_send.is_empty() {
            self.board.sleep_unless(|| to_send.is_empty(), u64::MAX);
        }
        self.board.drain();
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        let received = &self.rings.received;
        loop {
            let byte = received.pop()?;
            if byte.is_some() || deadline_ms == 0 || self.board.now_ms() >= deadline_ms {
                return Ok(byte);
            }
            self.board.sleep_unless(|| !received.is_empty(), deadline_ms);
        }
    }

    fn set_line(&mut self, settings: LineSettings) -> Result<(), LineSettings> {
        self.flush();
        self.board.set_line(settings)
    }
}
