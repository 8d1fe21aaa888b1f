//! The host at the end of a link.

use mealybug_core::wire::frame::{Decoder, Encoder};
use mealybug_core::wire::message::{MAX_PART, Message, Request};
use mealybug_core::{Session, wire};

use crate::{Link, Rules};

/// The host, which may be there or not.
#[derive(Debug)]
pub(crate) struct Host<L> {
    pub(crate) link: L,
    pub(crate) decoder: Decoder,
    pub(crate) sender: Sender,
}

/// Frames on their way to the host.
#[derive(Debug)]
pub(crate) struct Sender(Encoder);

impl Sender {
    pub(crate) fn send(&mut self, link: &mut impl Link, message: &Message<'_>) {
        // All that a target sends is short enough for a frame.
        if let Ok(frame) = self.0.encode(message) {
            link.write(frame);
        }
    }
}

impl<L: Link> Host<L> {
    pub(crate) const fn new(link: L) -> Self {
        Self { link, decoder: Decoder::new(), sender: Sender(Encoder::new()) }
    }

    pub(crate) fn send(&mut self, message: &Message<'_>) {
        self.sender.send(&mut self.link, message);
    }

    /// Sends hypothesis and costs of a session as they stand: those of a round, or the result, from
    /// this byte on.
    pub(crate) fn send_parts<M: AsRef<[u32]> + AsMut<[u32]>>(
        &mut self,
        session: &Session<M>,
        rules: &Rules,
        round: Option<u64>,
        from: u32,
    ) {
        let (mut part, mut len, mut at) = ([0; MAX_PART], 0, 0_u32);
        let mut start = from;
        let sink = |bytes: &[u8]| {
            for &byte in bytes {
                if at >= from {
                    if let Some(place) = part.get_mut(len) {
                        *place = byte;
                        len += 1;
                    }
                    if len == MAX_PART {
                        let bytes = &part;
                        self.send(&Message::Part { round, from: start, bytes, is_last: false });
                        start = start.saturating_add(u32::try_from(len).unwrap_or(0));
                        len = 0;
                    }
                }
                at = at.saturating_add(1);
            }
            Ok::<(), core::convert::Infallible>(())
        };
        // The sink takes everything.
        let _ = wire::write(&session.run(), rules.input_names(), session.hypothesis(), sink);
        let bytes = part.get(..len).unwrap_or(&[]);
        self.send(&Message::Part { round, from: start, bytes, is_last: true });
    }
}

/// The next request, and the number of its frame; `None` when none came until then.
pub(crate) fn receive<'d>(
    link: &mut impl Link,
    decoder: &'d mut Decoder,
    deadline_ms: u64,
) -> Option<(u8, Request<'d>)> {
    loop {
        // Lost bytes damage a frame, which is noticed there.
        let Ok(byte) = link.read_until(deadline_ms) else { continue };
        let byte = byte?;
        // A frame that ended is read on its own, as the borrow checker cannot yet see that the
        // loop goes on only without one.
        if byte == wire::frame::DELIMITER {
            let frame = decoder.push(byte)?.ok()?;
            return Some((frame.sequence, frame.message().ok()?));
        }
        decoder.push(byte);
    }
}
