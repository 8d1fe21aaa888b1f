//! Messages between a host and a target, on a line that may carry anything.

use mealybug_core::wire::frame::{DELIMITER, Decoder, Encoder, MAX_MESSAGE};
use mealybug_core::wire::message::{Message, Request};
use serde::Serialize;

/// After arbitrary bytes and a delimiter, each frame that is sent arrives whole, and nothing else
/// does. A message that is too long is not sent and gets no number.
///
/// # Panics
/// A frame is lost or changed.
pub fn frames(data: &[u8]) {
    let mut decoder = Decoder::new();
    for &byte in data.iter().chain(&[DELIMITER]) {
        if let Some(Ok(frame)) = decoder.push(byte) {
            // A whole frame need not hold a valid message.
            let _ = (frame.message::<Message<'_>>().is_ok(), frame.message::<Request<'_>>());
        }
    }
    let mut encoder = Encoder::new();
    let len = data.first().map_or(1, |&byte| usize::from(byte) + 1);
    for piece in data.chunks(len) {
        let message = Message::Log(piece);
        let sequence = encoder.sequence();
        let Ok(frame) = encoder.encode(&message) else {
            assert!(encoded(&message).len() > MAX_MESSAGE, "it fits");
            assert_eq!(encoder.sequence(), sequence);
            continue;
        };
        let (last, before) = frame.split_last().expect("there is a delimiter");
        assert!(before.iter().all(|&byte| decoder.push(byte).is_none()), "it ended too early");
        let frame = decoder.push(*last).expect("it ends here").expect("it is whole");
        // The bytes before may have numbered frames as they liked.
        assert!(sequence == 0 || frame.missed == 0);
        assert_eq!((frame.sequence, frame.message()), (sequence, Ok(message)));
    }
}

/// A message that can be read is written back with the same meaning.
///
/// # Panics
/// The meaning differs.
pub fn messages(data: &[u8]) {
    if let Ok((message, _)) = postcard::take_from_bytes::<Message<'_>>(data) {
        travels(&message, |body| assert_eq!(postcard::from_bytes(body), Ok(message)));
    }
    if let Ok((request, _)) = postcard::take_from_bytes::<Request<'_>>(data) {
        travels(&request, |body| assert_eq!(postcard::from_bytes(body), Ok(request)));
    }
}

/// Passes the bytes of a message to `came`. Checks that exactly a message of at most
/// [`MAX_MESSAGE`] bytes becomes a frame.
fn travels<T: Serialize>(message: &T, came: impl FnOnce(&[u8])) {
    let body = encoded(message);
    came(&body);
    let mut encoder = Encoder::new();
    let sent = encoder.encode(message).map(<[u8]>::to_vec);
    assert_eq!(sent.is_ok(), body.len() <= MAX_MESSAGE);
}

fn encoded<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_stdvec(message).expect("memory takes everything")
}
