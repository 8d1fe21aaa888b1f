//! A host in memory, for tests of programs that talk to one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use std::vec::Vec;

use mealybug_core::wire::frame::{Decoder, Encoder};
use mealybug_core::wire::message::{Message, Request};

use crate::{LineFault, Link};

/// The program's end of the link. A call with time to wait waits without limit, so that no test
/// depends on the speed of the machine; a call with no time to wait returns at once.
#[derive(Debug)]
pub struct HostLink {
    from_host: Receiver<u8>,
    to_host: Sender<u8>,
    started: Instant,
}

impl Link for HostLink {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).expect("a short test")
    }

    fn write(&mut self, bytes: &[u8]) {
        // The other end may be gone.
        bytes.iter().for_each(|&byte| self.to_host.send(byte).unwrap_or(()));
    }

    fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        if deadline_ms == 0 {
            return Ok(self.from_host.try_recv().ok());
        }
        match self.from_host.recv() {
            Ok(byte) => Ok(Some(byte)),
            // The test is over; its program waits until the process ends.
            Err(_) => loop {
                thread::park();
            },
        }
    }
}

/// The host's end of the link, and the program behind it.
#[derive(Debug)]
pub struct Host {
    to_program: Sender<u8>,
    from_program: Receiver<u8>,
    encoder: Encoder,
    decoder: Decoder,
}

impl Host {
    /// Runs a program at the other end.
    pub fn start(program: impl FnOnce(HostLink) + Send + 'static) -> Self {
        let (to_program, from_host) = channel();
        let (to_host, from_program) = channel();
        let link = HostLink { from_host, to_host, started: Instant::now() };
        thread::spawn(move || program(link));
        Self { to_program, from_program, encoder: Encoder::new(), decoder: Decoder::new() }
    }

    /// The frame of a request. Unless the caller sends the bytes, the frame counts as lost.
    ///
    /// # Panics
    /// The request does not fit into a frame.
    pub fn encode(&mut self, request: &Request<'_>) -> Vec<u8> {
        self.encoder.encode(request).expect("it fits").to_vec()
    }

    /// Sends bytes.
    ///
    /// # Panics
    /// The program has ended.
    pub fn send_bytes(&self, bytes: impl IntoIterator<Item = u8>) {
        bytes.into_iter().for_each(|byte| self.to_program.send(byte).expect("the program runs"));
    }

    /// Sends a request and returns the number of its frame.
    ///
    /// # Panics
    /// The request does not fit into a frame, or the program has ended.
    pub fn send(&mut self, request: &Request<'_>) -> u8 {
        let sequence = self.encoder.sequence();
        let frame = self.encode(request);
        self.send_bytes(frame);
        sequence
    }

    /// Applies `read` to the next message.
    ///
    /// # Panics
    /// No message comes, it is damaged, or one before it is missing.
    pub fn next<T>(&mut self, read: impl FnOnce(Message<'_>) -> T) -> T {
        loop {
            let byte = self.from_program.recv_timeout(Duration::from_secs(20)).expect("an answer");
            let Some(frame) = self.decoder.push(byte) else { continue };
            let frame = frame.expect("undamaged");
            assert_eq!(frame.missed, 0);
            return read(frame.message().expect("a message"));
        }
    }
}
