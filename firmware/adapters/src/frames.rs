//! Frames to and from the host over a link.

use mealybug_core::wire::frame::{DELIMITER, Decoder, Encoder, Frame};
use mealybug_core::wire::message::{Message, Refusal, Request};

use crate::{Attached, Link};

/// The connection to the host, which may be absent. Between messages it sends what the program
/// [logs](mealybug_log).
#[derive(Debug)]
pub struct Frames<L> {
    link: L,
    decoder: Decoder,
    encoder: Encoder,
}

impl<L: Link> Frames<L> {
    /// A connection on which nothing has been said yet.
    pub const fn new(link: L) -> Self {
        Self { link, decoder: Decoder::new(), encoder: Encoder::new() }
    }

    /// The time on the link's clock.
    pub fn now_ms(&self) -> u64 {
        self.link.now_ms()
    }

    /// Sends a message, after everything that was logged before it.
    pub fn send(&mut self, message: &Message<'_>) {
        self.send_log();
        self.write(message);
    }

    /// Answers request `to`. If the device lacks what a rule names, the host hears first what it has.
    pub fn answer(&mut self, to: u8, answer: Result<(), Refusal>, device: &impl Attached) {
        let refusal = answer.err();
        if refusal == Some(Refusal::NoOffer) {
            device.offers(&mut |kind, name| {
                self.send(&Message::Offer { kind, name: name.as_bytes() });
            });
        }
        self.send(&Message::Answer { to, refusal });
    }

    fn send_log(&mut self) {
        while let Some(piece) = mealybug_log::take() {
            self.write(&Message::Log(&piece));
        }
    }

    fn write(&mut self, message: &Message<'_>) {
        // Every message of a target fits into a frame.
        if let Ok(frame) = self.encoder.encode(message) {
            self.link.write(frame);
        }
    }

    /// The next request and the number of its frame; `None` when no frame came by the deadline.
    pub fn receive(&mut self, deadline_ms: u64) -> Option<(u8, Request<'_>)> {
        let frame = self.receive_frame(deadline_ms)?;
        Some((frame.sequence, frame.message().ok()?))
    }

    /// The next frame; `None` when no frame came by the deadline, or a damaged one came.
    pub fn receive_frame(&mut self, deadline_ms: u64) -> Option<Frame<'_>> {
        self.send_log();
        loop {
            // The decoder notices lost bytes: they damage the frame.
            let Ok(byte) = self.link.read_until(deadline_ms) else { continue };
            let byte = byte?;
            // Return a finished frame here: the borrow checker does not yet see that the loop
            // continues only without one.
            if byte == DELIMITER {
                return self.decoder.push(byte)?.ok();
            }
            self.decoder.push(byte);
        }
    }
}
