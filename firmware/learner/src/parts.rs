//! Sends hypotheses and the result to the host, one part at a time.

use heapless::Vec;
use mealybug_adapters::{Attached, Frames, Link};
use mealybug_core::wire::message::{MAX_PART, Message};
use mealybug_core::{Input, Session, wire};

/// Sends the hypothesis of a session and its costs so far, from byte `from` on: those of a round,
/// or the result.
pub(crate) fn send_parts<M: AsRef<[u32]> + AsMut<[u32]>>(
    host: &mut Frames<impl Link>,
    session: &Session<M>,
    device: &impl Attached,
    round: Option<u64>,
    from: u32,
) {
    let (mut part, mut at) = (Vec::<u8, MAX_PART>::new(), 0_u32);
    let mut start = from;
    let sink = |bytes: &[u8]| {
        for &byte in bytes {
            if at >= from {
                // There is room: a part that is full is sent.
                let _ = part.push(byte);
                if part.is_full() {
                    host.send(&Message::Part { round, from: start, bytes: &part, is_last: false });
                    start = at.saturating_add(1);
                    part.clear();
                }
            }
            at = at.saturating_add(1);
        }
        Ok::<(), core::convert::Infallible>(())
    };
    let names = (0..device.inputs()).map(|input| device.input_name(Input::new(input)));
    // The sink takes everything.
    let _ = wire::write(&session.summary(), names, session.hypothesis(), sink);
    host.send(&Message::Part { round, from: start, bytes: &part, is_last: true });
}
