//! Frames to and from the host over a link.

use mealybug_core::wire::frame::{DELIMITER, Decoder, Encoder, Frame};
use mealybug_core::wire::message::{Message, Refusal, Request};

use mealybug_core::wire::probe::OfferKind;

use super::line::MAX_FAULTS;
use super::{Attached, Link, waiting};

/// The connection to the host, which may be absent. Between messages it sends what the program
/// [logs](mealybug_log).
#[derive(Debug)]
pub struct Frames<L> {
    pub(crate) link: L,
    decoder: Decoder,
    encoder: Encoder,
    /// Whether a frame was begun and not ended, because its future was dropped.
    is_in_frame: bool,
}

#[waiting(AFIT)]
impl<L: Link> Frames<L> {
    /// A connection on which nothing has been said yet.
    pub const fn new(link: L) -> Self {
        Self { link, decoder: Decoder::new(), encoder: Encoder::new(), is_in_frame: false }
    }

    /// The time on the link's clock.
    pub fn now_ms(&self) -> u64 {
        self.link.now_ms()
    }

    /// Sends a message, after everything that was logged before it.
    ///
    /// If it is awaited and dropped, the message is lost, and perhaps a piece of the log. The host notices that a frame is
    /// missing, and reads the next one.
    pub async fn send(&mut self, message: &Message<'_>) {
        self.send_log().await;
        self.write(message).await;
    }

    /// Answers request `to`. It may be dropped as [`send`](Self::send); a host repeats its request. If the device lacks what a rule names, the host hears first what it has.
    pub async fn answer(&mut self, to: u8, answer: Result<(), Refusal>, device: &impl Attached) {
        let refusal = answer.err();
        if matches!(refusal, Some(Refusal::NoOffer | Refusal::NoPin)) {
            let mut number = 0;
            while let Some((kind, name)) = offer(device, number) {
                self.send(&Message::Offer { kind, name: name.as_bytes() }).await;
                number += 1;
            }
        }
        self.send(&Message::Answer { to, refusal }).await;
    }

    async fn send_log(&mut self) {
        while let Some(piece) = mealybug_log::take() {
            self.write(&Message::Log(&piece)).await;
        }
    }

    async fn write(&mut self, message: &Message<'_>) {
        // Every message of a target fits into a frame.
        if let Ok(frame) = self.encoder.encode(message) {
            if self.is_in_frame {
                self.link.write(&[DELIMITER]).await;
            }
            self.is_in_frame = true;
            self.link.write(frame).await;
            self.is_in_frame = false;
        }
    }

    /// The next request and the number of its frame; `None` when no frame came by the deadline. If it is awaited and
    /// dropped, nothing is lost: the next call goes on in the middle of the frame.
    pub async fn receive(&mut self, deadline_ms: u64) -> Option<(u8, Request<'_>)> {
        let frame = self.receive_frame(deadline_ms).await?;
        Some((frame.sequence, frame.message().ok()?))
    }

    /// The next frame; `None` when no frame came by the deadline, a damaged one came, or the line has nothing but faults. It may
    /// be dropped as [`receive`](Self::receive).
    pub async fn receive_frame(&mut self, deadline_ms: u64) -> Option<Frame<'_>> {
        self.send_log().await;
        let mut patience = MAX_FAULTS;
        loop {
            // The decoder notices lost bytes: they damage the frame.
            let Ok(byte) = self.link.read_until(deadline_ms).await else {
                if self.link.now_ms() >= deadline_ms {
                    patience = patience.checked_sub(1)?;
                }
                continue;
            };
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

/// What a device offers, by its number.
fn offer(device: &impl Attached, number: u32) -> Option<(OfferKind, &'static str)> {
    let (mut at, mut found) = (0_u32, None);
    device.offers(&mut |kind, name| {
        if at == number {
            found = Some((kind, name));
        }
        at = at.wrapping_add(1);
    });
    found
}
