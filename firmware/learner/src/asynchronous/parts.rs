//! Sends hypotheses and the result to the host, one part at a time, awaited.
//!
//! The sink of what is written cannot wait for the line. So each part is written anew from the first byte on, and the sink
//! keeps those that belong to it.

use heapless::Vec;
use mealybug_adapters::asynchronous::{Attached, Frames, Link};
use mealybug_core::wire::message::{MAX_PART, Message};
use mealybug_core::{Input, Session, wire};

/// As [`send_parts`](crate::parts::send_parts).
pub(crate) async fn send_parts<M: AsRef<[u32]> + AsMut<[u32]>>(
    host: &mut Frames<impl Link>,
    session: &Session<M>,
    device: &impl Attached,
    round: Option<u64>,
    from: u32,
) {
    let mut from = from;
    loop {
        let (mut part, mut at) = (Vec::<u8, MAX_PART>::new(), 0_u32);
        // It fails at the byte after a full part, which ends the writing.
        let sink = |bytes: &[u8]| {
            for &byte in bytes {
                if at >= from && part.is_full() {
                    return Err(());
                }
                if at >= from {
                    // There is room.
                    let _ = part.push(byte);
                }
                at = at.saturating_add(1);
            }
            Ok(())
        };
        let names = (0..device.inputs()).map(|input| device.input_name(Input::new(input)));
        let is_last = wire::write(&session.summary(), names, session.hypothesis(), sink).is_ok();
        // As without waiting, a part that is full is never the last one.
        let is_full = part.is_full();
        host.send(&Message::Part { round, from, bytes: &part, is_last: is_last && !is_full }).await;
        if is_last && !is_full {
            return;
        }
        from = from.saturating_add(u32::try_from(part.len()).unwrap_or(u32::MAX));
    }
}
