//! How a result becomes bytes, and how it travels.
//!
//! # Results
//!
//! [`wire::write`](crate::wire::write) writes a result to a sink, a few bytes at a time: options and costs
//! ([`Summary`](crate::Summary)), the names of inputs and outputs, each component with its transitions, and
//! a checksum. It needs no buffer, so a microcontroller can send a result that is larger than its free
//! memory. [`wire::Reader`](crate::wire::Reader) reads it, record by record, and says where it is damaged. The
//! product is not written: it follows from the components, and can be far larger. A transition that is not
//! [confirmed](crate::Knowledge) is marked.
//!
//! # Messages and frames
//!
//! A host and a program on a microcontroller speak in messages: a [`Request`](crate::wire::message::Request)
//! of the host, a [`Message`](crate::wire::message::Message) of the program. Each message is one
//! [frame](crate::wire::frame) with a sequence number and a CRC, so that lost and damaged bytes are noticed and
//! the next frame is found again.
//!
//! | module | what it holds |
//! |---|---|
//! | [`wire`](crate::wire) | the format of a result |
//! | [`wire::types`](crate::wire::types) | what is encoded: types of their own, so that a change of the API cannot change the format |
//! | [`wire::frame`](crate::wire::frame) | frames on a line that may lose and damage bytes |
//! | [`wire::message`](crate::wire::message) | the messages between a host and a learner, or an agent |
//! | [`wire::words`](crate::wire::words) | how words travel to an agent, a byte for each symbol |
//! | [`wire::rule`](crate::wire::rule) | how a learner on a microcontroller is told to talk to its device |
//!
//! The types of the API do not implement `Serialize`: convert them to those of
//! [`wire::types`](crate::wire::types). [`wire::VERSION`](crate::wire::VERSION) and
//! [`PROTOCOL`](crate::wire::message::PROTOCOL) are raised by every change of the bytes.
