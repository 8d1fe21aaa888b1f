//! How words travel to an *agent* and their outputs back: a byte a symbol each way, and eight a frame.
//!
//! An agent answers the words of a learner on the host for a device that it is attached to. It takes
//! many words at a time, so that a slow line costs its bytes and not its latency.
//!
//! # Symbols
//!
//! A word is a reset and the inputs after it. Each input is a byte; [`BEGINS`] in it says that the
//! device is reset before it, so a reset costs nothing. (A byte of its own for each reset, or for the
//! length of each word, would take a tenth of a line with words of ten inputs.) The price is that a device
//! has at most [`MAX_INPUTS`] inputs. A word may begin in one frame and go on in the next, at once or
//! when its first answers are there: what has no [`BEGINS`] follows what came before it.
//!
//! The outputs come back in the order of the symbols, a byte each: their numbers, in the order in which
//! they first appeared. What a number stands for is told once, before it is used.
//!
//! ```text
//! COBS (1)  sequence (1)  variant (1)  length (2)  up to MAX_SYMBOLS symbols or outputs  CRC (2)  0x00
//! ```
//!
//! # Sessions
//!
//! Words are asked in a session, which the host opens under a number that it makes up. In it frames
//! stay in order and none may be missing, which [`Frame::missed`](super::frame::Frame::missed)
//! tells. An agent that misses a frame ends the session and refuses all words until another is opened;
//! a host that misses one, or hears that the device failed, opens another. Words without all of their
//! outputs are then asked again, from a reset on. So the n-th output always answers the n-th symbol: none
//! can be taken for that of another word, whatever was lost, repeated or began anew. A lost frame
//! costs a round trip and what was on its way, and needs no other mechanism: an agent that was reset, or
//! heard another host meanwhile, has no session, and what it said in a former one is over before it says
//! [`Opened`](super::message::Message::Opened). Outputs keep their numbers as far as both ends know them:
//! an agent forgets those that the host has not heard of, and all of them for another host.
//!
//! At most as many frames of words as `Opened` says may wait for their outputs: the agent has room for
//! those. An agent sends outputs when those of a frame are complete, and earlier when the device takes
//! its time. When nothing has come for a while, [`Hello`](super::message::Request::Hello) finds out
//! whether the last frame of either end was lost: the answer to it comes soon, and shows it.

use super::frame::MAX_MESSAGE;
use crate::Input;

/// In a symbol: the device is reset before this input.
pub const BEGINS: u8 = 0x80;

/// The most inputs that a device behind an agent can have.
pub const MAX_INPUTS: u32 = 128;

/// The most different outputs for a host.
pub const MAX_OUTPUTS: usize = 256;

/// The most symbols in a frame, and the most outputs: beside them there are the number of the variant
/// and their count, in two bytes.
pub const MAX_SYMBOLS: usize = MAX_MESSAGE - 3;

/// The symbol of an input; none for one that has no symbol.
pub fn symbol(input: Input, begins: bool) -> Option<u8> {
    let byte = u8::try_from(input.index()).ok().filter(|&byte| byte < BEGINS)?;
    Some(if begins { byte | BEGINS } else { byte })
}

/// The input of a symbol, and whether the device is reset before it.
pub fn input(symbol: u8) -> (Input, bool) {
    (Input::new((symbol & !BEGINS).into()), symbol & BEGINS != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frame::{Encoder, MAX_FRAME};
    use crate::wire::message::{Message, Request};

    #[test]
    fn every_symbol_has_an_input_and_back() {
        for byte in 0..=u8::MAX {
            let (input, begins) = input(byte);
            assert_eq!(symbol(input, begins), Some(byte));
        }
        assert_eq!(symbol(Input::new(MAX_INPUTS - 1), true), Some(u8::MAX));
        assert_eq!(symbol(Input::new(MAX_INPUTS), false), None);
        assert_eq!(symbol(Input::new(u32::MAX), true), None);
    }

    #[test]
    fn a_frame_has_at_most_eight_bytes_beside_its_symbols() {
        let mut encoder = Encoder::new();
        for len in 1..=MAX_SYMBOLS {
            for byte in [0, 1, 255] {
                let symbols = &[byte; MAX_SYMBOLS][..len];
                for frame in [
                    encoder.encode(&Request::Words(symbols)).map(<[u8]>::len),
                    encoder.encode(&Message::Outputs(symbols)).map(<[u8]>::len),
                ] {
                    assert!(frame.is_ok_and(|bytes| bytes <= len + 8 && bytes <= MAX_FRAME));
                }
            }
        }
        assert!(encoder.encode(&Request::Words(&[0; MAX_SYMBOLS + 1])).is_err());
    }
}
