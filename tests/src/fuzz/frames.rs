//! What is said between a host and a target, on a line that may carry anything.

use mealybug_core::wire::frame::{DELIMITER, Decoder, Encoder, MAX_MESSAGE};
use mealybug_core::wire::message::{Message, Request};
use serde::Serialize;

/// After whatever came, and a delimiter, each frame that is sent arrives: one that is whole, and
/// nothing else. One that is too long is not sent and gets no number.
///
/// # Panics
/// It does not.
pub fn frames(data: &[u8]) {
    let mut decoder = Decoder::new();
    for &byte in data.iter().chain(&[DELIMITER]) {
        if let Some(Ok(frame)) = decoder.push(byte) {
            // That it is whole does not say that it makes sense.
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
        // What came before may have numbered frames as it liked.
        assert!(sequence == 0 || frame.missed == 0);
        assert_eq!((frame.sequence, frame.message()), (sequence, Ok(message)));
    }
}

/// A message that can be read is written as it was understood.
///
/// # Panics
/// It is not.
pub fn messages(data: &[u8]) {
    if let Ok((message, _)) = postcard::take_from_bytes::<Message<'_>>(data) {
        travels(&message, |body| assert_eq!(postcard::from_bytes(body), Ok(message)));
    }
    if let Ok((request, _)) = postcard::take_from_bytes::<Request<'_>>(data) {
        travels(&request, |body| assert_eq!(postcard::from_bytes(body), Ok(request)));
    }
}

/// Sends a message in a frame, if it is not too long for one, and hands its bytes over.
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
