//! The bytes on the line to a simulated device, and their times.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::time::Instant;

use super::Protocol;

/// How much of a line is kept; no input has a name this long.
pub(super) const MAX_LINE_BYTES: usize = 1 << 16;

/// A conversation with a simulated device. The log is its only I/O.
///
/// A line may end in a line feed, a carriage return or both; answers end in a line feed.
#[derive(Debug)]
pub(super) struct LineConversation<'m> {
    protocol: Protocol<'m>,
    /// The log: a line for each question, with a tabulator before the answer.
    log: Option<File>,
    /// The incomplete line received so far.
    line: Vec<u8>,
    /// The answers to send, and when.
    answers: VecDeque<(Instant, Vec<u8>)>,
    /// Whether the device hangs, and until when; the inner `None` means for ever.
    hangs: Option<Option<Instant>>,
}

impl<'m> LineConversation<'m> {
    pub(super) fn new(protocol: Protocol<'m>, log: Option<File>) -> Self {
        Self { protocol, log, line: Vec::new(), answers: VecDeque::new(), hangs: None }
    }

    /// Takes bytes that are sent to the device.
    ///
    /// # Errors
    /// The log cannot be written.
    pub(super) fn take(&mut self, bytes: &[u8], now: Instant) -> io::Result<()> {
        for byte in self.protocol.faults().carry(bytes) {
            if !matches!(byte, b'\n' | b'\r') {
                self.line.truncate(MAX_LINE_BYTES);
                self.line.push(byte);
                continue;
            }
            let line = std::mem::take(&mut self.line);
            self.take_line(&String::from_utf8_lossy(&line), now)?;
        }
        Ok(())
    }

    fn take_line(&mut self, line: &str, now: Instant) -> io::Result<()> {
        if line.is_empty() {
            return Ok(());
        }
        if self.hangs.is_some_and(|until| until.is_some_and(|until| until <= now)) {
            self.hangs = None;
        }
        if self.hangs.is_none() {
            let time = self.protocol.faults().hangs();
            self.hangs = time.map(|time| now.checked_add(time));
        }
        let answer = if self.hangs.is_none() { self.protocol.answer(line) } else { None };
        if let Some(log) = &mut self.log {
            let answer = answer.as_deref().unwrap_or_default();
            log.write_all(format!("{}\t{answer}\n", line.escape_debug()).as_bytes())?;
        }
        if let Some(answer) = answer {
            let faults = self.protocol.faults();
            let answer = faults.carry(format!("{answer}\n").as_bytes());
            // Answers do not overtake each other.
            let free = self.answers.back().map_or(now, |(at, _)| *at).max(now);
            // An answer that comes after the end of time never comes.
            self.answers.extend(free.checked_add(faults.delay()).map(|at| (at, answer)));
        }
        Ok(())
    }

    /// When the device sends its next answer.
    pub(super) fn next(&self) -> Option<Instant> {
        self.answers.front().map(|(at, _)| *at)
    }

    /// Takes the answers that are due.
    pub(super) fn said(&mut self, now: Instant) -> Vec<u8> {
        let mut said = Vec::new();
        while let Some((_, answer)) = self.answers.pop_front_if(|(at, _)| *at <= now) {
            said.extend(answer);
        }
        said
    }

    /// The client has gone: answers that were not sent are dropped, the device keeps its state.
    pub(super) fn hang_up(&mut self) {
        self.line.clear();
        self.answers.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Faults;
    use super::*;
    use crate::machine::testing::lamp;

    #[test]
    fn answers_come_in_their_time_and_order() {
        let lamp = lamp();
        let ms = Duration::from_millis;
        let faults = Faults { delay: ms(10)..=ms(10), ..Faults::default() };
        let mut device = LineConversation::new(Protocol::new(&lamp).with_faults(faults), None);
        let start = Instant::now();
        device.take(b"hold\npre", start).expect("no log");
        device.take(b"ss\r\nhold\r", start + ms(5)).expect("no log");
        assert_eq!(device.next(), Some(start + ms(10)));
        assert_eq!(device.said(start + ms(9)), b"");
        assert_eq!(device.said(start + ms(10)), b"off\n");
        assert_eq!(device.next(), Some(start + ms(20)));
        assert_eq!(device.said(start + ms(100)), b"on\non\n");
        assert_eq!(device.next(), None);
    }

    #[test]
    fn a_device_that_hangs_takes_nothing_until_it_is_back() {
        let lamp = lamp();
        let second = Duration::from_secs(1);
        let faults = Faults { hang: 1.0, hang_time: second, ..Faults::default() };
        let mut device = LineConversation::new(Protocol::new(&lamp).with_faults(faults), None);
        let start = Instant::now();
        for at in [start, start + second / 2] {
            device.take(b"press\n", at).expect("no log");
            assert_eq!(device.next(), None);
        }
        *device.protocol.faults() = super::super::faults::Injector::default();
        device.take(b"press\n", start + second / 2).expect("no log");
        assert_eq!(device.next(), None);
        device.take(b"hold\n", start + second).expect("no log");
        assert_eq!(device.said(start + second), b"off\n", "it did not take what came meanwhile");
    }

    #[test]
    fn the_log_has_what_was_asked_and_answered() {
        let lamp = lamp();
        let mut log = tempfile::tempfile().expect("a file");
        let handle = log.try_clone().expect("another handle");
        let mut device = LineConversation::new(Protocol::new(&lamp), Some(handle));
        device.take(b"\nreset\npress\nj\xffmp\nho", Instant::now()).expect("written");
        device.hang_up();
        device.take(b"hold\n", Instant::now()).expect("written");
        let mut text = String::new();
        io::Seek::rewind(&mut log).expect("at its start");
        io::Read::read_to_string(&mut log, &mut text).expect("text");
        let jump = "j\u{fffd}mp";
        assert_eq!(
            text,
            format!("reset\tready\npress\ton\n{jump}\terror: no such input: {jump}\nhold\ton\n")
        );
    }
}
