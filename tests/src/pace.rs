//! A line as slow as a serial port, because QEMU ignores the baud rate.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes that are due within this time are passed on together.
const GRAIN: Duration = Duration::from_millis(1);

/// The speed of a line in each direction.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How many bytes pass in a second.
    pub bytes_per_second: u32,
    /// How long a byte takes from one end to the other, beside the time that it occupies the line.
    pub latency: Duration,
}

/// Passes bytes between two ends at this pace, while both exist.
///
/// # Errors
/// The system's errors.
pub fn connect(one: &File, other: &File, pace: Pace) -> io::Result<()> {
    for (from, to) in [(one, other), (other, one)] {
        let (from, to) = (from.try_clone()?, to.try_clone()?);
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || read(from, |byte| sender.send(byte).is_ok(), pace));
        thread::spawn(move || write(to, &receiver));
    }
    Ok(())
}

/// Reads bytes and computes for each when it arrives at the other end.
fn read(mut from: File, mut pass_on: impl FnMut((Instant, u8)) -> bool, pace: Pace) {
    let per_byte = Duration::from_secs(1) / pace.bytes_per_second;
    let mut free = Instant::now();
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        free = free.max(Instant::now());
        for &byte in &buffer[..count] {
            free += per_byte;
            if !pass_on((free + pace.latency, byte)) {
                return;
            }
        }
    }
}

/// Writes each byte when it is due, never earlier.
fn write(mut to: File, bytes: &Receiver<(Instant, u8)>) {
    let mut due = Vec::new();
    while let Ok((mut at, byte)) = bytes.recv() {
        due.push(byte);
        let until = at + GRAIN;
        let next = loop {
            match bytes.recv_timeout(Duration::ZERO) {
                Ok((then, byte)) if then <= until => {
                    at = then;
                    due.push(byte);
                }
                Ok(next) => break Some(next),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break None,
            }
        };
        thread::sleep(at.saturating_duration_since(Instant::now()));
        if to.write_all(&due).is_err() {
            return;
        }
        due.clear();
        if let Some((at, byte)) = next {
            thread::sleep(at.saturating_duration_since(Instant::now()));
            due.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pty::{Pty, open_raw};

    #[test]
    fn bytes_come_in_order_and_no_earlier_than_on_a_line() {
        let (near, far) = (Pty::open().unwrap(), Pty::open().unwrap());
        let pace = Pace { bytes_per_second: 10_000, latency: Duration::from_millis(20) };
        connect(near.device(), far.device(), pace).unwrap();
        let (mut one, mut other) = (open_raw(near.path()).unwrap(), open_raw(far.path()).unwrap());
        for (from, to) in [(true, 1000), (false, 1000), (true, 1)] {
            let (from, into) = if from { (&mut one, &mut other) } else { (&mut other, &mut one) };
            let sent: Vec<_> = (0..to).map(|n: u32| n.to_le_bytes()[0]).collect();
            let started = Instant::now();
            from.write_all(&sent).unwrap();
            let mut came = vec![0; sent.len()];
            into.read_exact(&mut came).unwrap();
            assert_eq!(came, sent);
            let least = Duration::from_micros(u64::from(to) * 100) + pace.latency;
            assert!(started.elapsed() >= least, "{:?} < {least:?}", started.elapsed());
        }
    }
}
