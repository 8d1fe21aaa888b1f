//! How words travel to an *agent* and outputs travel back: one byte for each symbol in each direction,
//! and at most eight more for each frame.
//!
//! An agent is a program beside a device. It answers the words of a learner on the host. It takes many
//! words at a time, so that a slow line costs the time of its bytes, and no round trip for each word.
//!
//! # Symbols
//!
//! A word is a reset and the inputs after it. Each input is a byte. The bit [`BEGINS`] says that the
//! device is reset before this input, so a reset takes no byte. (A byte for each reset, or for the length
//! of each word, would be a tenth of all bytes for words of ten inputs.) The price is that a device has at
//! most [`MAX_INPUTS`] inputs. A word may begin in one frame and go on in a later one: an input without
//! [`BEGINS`] follows the input before it.
//!
//! The outputs come back in the order of the symbols, one byte each. The byte is the number of the output:
//! outputs are numbered in the order in which they first appear. Before a number is used for the first
//! time, [`Message::Output`](super::message::Message::Output) tells its bytes.
//!
//! ```text
//! COBS (1)  sequence (1)  variant (1)  count (2)  symbols or outputs  CRC (2)  0x00
//! ```
//!
//! # Sessions
//!
//! Words are asked in a session, which the host opens with a number of its choice. Within a session the n-th
//! output answers the n-th symbol, so no frame may be missing.
//! [`Frame::missed`](super::frame::Frame::missed) shows a missing frame.
//!
//! - An agent that misses a frame ends the session, and refuses all words until the host opens another.
//! - A host that misses a frame, or hears that the device failed, opens another session. It asks all
//!   words again, from a reset on, that have not all of their outputs.
//! - An agent that was reset, or was used by another host, has no session, and refuses words too.
//! - After [`Opened`](super::message::Message::Opened) an agent sends nothing of an earlier session.
//!
//! So no output is ever taken for that of another word. A lost frame costs a round trip and the frames
//! that were on their way. Outputs keep their numbers from session to session as far as both ends know
//! them: an agent forgets those that the host has not heard of, and all of them for another host.
//!
//! `Opened` says how many frames of words may wait for their outputs; the agent has room for these. An
//! agent sends outputs when those of a frame are complete, and earlier if the device is slow. If nothing
//! has come for a while, the host sends [`Hello`](super::message::Request::Hello). The answer comes at once,
//! and its number shows whether a frame was lost before it.

use super::frame::MAX_MESSAGE;
use crate::Input;

/// The bit of a symbol that says that the device is reset before this input.
pub const BEGINS: u8 = 0x80;

/// The most inputs that a device behind an agent can have.
pub const MAX_INPUTS: u32 = 128;

/// The most different outputs that a device behind an agent can have: their numbers are bytes.
pub const MAX_OUTPUTS: usize = 256;

/// The most symbols, or outputs, in a frame. The number of the message's variant takes one byte, and their
/// count two.
pub const MAX_SYMBOLS: usize = MAX_MESSAGE - 3;

/// The symbol of an input; `None` from [`MAX_INPUTS`] on.
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
