//! A device at the end of a line that loses and changes bytes, with a clock that nobody waits for.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use mealybug::device::ControlLine;
use mealybug::serial::{OpenError, TimedLink};

use super::{Line, StandIn};

/// What happens to a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteFault {
    /// It is lost.
    Drop,
    /// One of its bits is flipped.
    Flip,
    /// It arrives twice.
    Duplicate,
}

/// A line to a device. A break switches the device off and on again.
#[derive(Debug)]
pub struct NoisyLine<D> {
    device: D,
    line: Line,
    start: Instant,
    /// What happens to bytes in either direction, and to which share of them.
    fault: ByteFault,
    share: f64,
    rng: fastrand::Rng,
    /// The bytes that have arrived and were not read.
    arrived: VecDeque<u8>,
}

impl<D: StandIn> NoisyLine<D> {
    /// Switches the device on.
    pub fn new(device: D, fault: ByteFault, share: f64, seed: u64) -> Self {
        let line = Line::new();
        let start = line.now;
        let (rng, arrived) = (fastrand::Rng::with_seed(seed), VecDeque::new());
        let mut noisy = Self { device, line, start, fault, share, rng, arrived };
        noisy.device.power_on(&mut noisy.line);
        noisy
    }

    /// The bytes as they arrive at the other end.
    fn carry(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut carried = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            if self.share == 0.0 || self.rng.f64() >= self.share {
                carried.push(byte);
                continue;
            }
            match self.fault {
                ByteFault::Drop => {}
                ByteFault::Flip => carried.push(byte ^ 1 << self.rng.u8(..8)),
                ByteFault::Duplicate => carried.extend([byte; 2]),
            }
        }
        carried
    }

    /// What the device does until this time.
    fn pass(&mut self, until: Instant) {
        let until = until.max(self.line.now);
        loop {
            let said = self.line.due();
            let said = self.carry(&said);
            self.arrived.extend(said);
            let Some(next) = self.line.next().filter(|next| *next <= until) else { break };
            if !self.arrived.is_empty() {
                return;
            }
            self.line.now = next.max(self.line.now);
            if self.line.alarm.is_some_and(|alarm| alarm <= self.line.now) {
                self.line.alarm = None;
                self.device.alarm(&mut self.line);
            }
        }
        if self.arrived.is_empty() {
            self.line.now = until;
        }
    }
}

impl<D: StandIn> TimedLink for NoisyLine<D> {
    fn now(&self) -> Duration {
        self.line.now - self.start
    }

    fn read(&mut self, buffer: &mut [u8], until: Duration) -> io::Result<usize> {
        self.pass(self.start + until);
        let count = buffer.len().min(self.arrived.len());
        for (place, byte) in buffer.iter_mut().zip(self.arrived.drain(..count)) {
            *place = byte;
        }
        Ok(count)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in self.carry(bytes) {
            self.device.receive(byte, &mut self.line);
        }
        Ok(())
    }

    fn set(&mut self, line: ControlLine, level: bool) -> io::Result<()> {
        if line == ControlLine::Break && level {
            self.line = Line { now: self.line.now, ..Line::new() };
            self.arrived.clear();
            self.device.power_on(&mut self.line);
        }
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_received()
    }

    fn clear_received(&mut self) -> io::Result<()> {
        self.line.due();
        self.arrived.clear();
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), OpenError> {
        Ok(())
    }
}
