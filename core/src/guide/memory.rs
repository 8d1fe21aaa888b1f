//! The memory of a session: how much it is, how it grows, and what happens when it is full.
//!
//! # The region
//!
//! A [`Session`](crate::Session) allocates nothing. It lives in a region of 32-bit words that the caller
//! hands over: anything with `AsRef<[u32]>` and `AsMut<[u32]>`, such as `Vec<u32>`, `[u32; 1024]` or
//! `&'static mut [u32]`. It holds all that depends on the device: the names of the outputs, the
//! observation table or tree, the hypothesis and the words in flight. Its tables share the region: it is never full because
//! one table is full beside an empty one. Numbers are packed: each takes as many bits as the largest number of its table.
//! With the feature `fast` a few tables, which are read for every symbol, have a word for each number.
//!
//! What does not depend on the device is in the `Session` itself, on the stack or wherever you put it: at
//! most 1.5 KiB beside the memory; 2.5 KiB with the feature `tree`, which adds the learner
//! `TreeLearner`.
//!
//! # How much a device takes
//!
//! Bytes of the region with the default [`Options`](crate::Options), tests included, when all tests have
//! passed (`tests/all/guide.rs` checks this table):
//!
//! | device | states | OL\*: bytes | L\*: bytes |
//! |---|---:|---:|---:|
//! | the ring of Figure 2, 4 places | 8 | 3196 | 3108 |
//! | the same, 16 places | 32 | 5452 | 3768 |
//! | the same, 64 places | 128 | 32180 | 6424 |
//! | random, 4 inputs, 4 outputs | 10 | 3620 | 3196 |
//! | random, 4 inputs, 4 outputs | 100 | 10288 | 5504 |
//! | random, 4 inputs, 4 outputs | 1000 | 80664 | 27936 |
//! | four random machines of 6 states, switched by an input | 4320 | 9788 | 114704 |
//!
//! - The memory of OL\* grows with the states of all components, that of L\* with the states of the machine.
//!   The last device has the small components that OL\* is made for. The random machines are the opposite:
//!   each projection is as large as the machine, and OL\* pays for all of them. See
//!   [`ol_star`](super::ol_star).
//! - For a small device most of the memory is for tests. Other kinds of tests take less, and so do fewer
//!   [`Options::product_states`](crate::Options::product_states).
//! - The paper's artificial machine `random-5-5-6` with 10 000 states takes 5872 bytes without the feature
//!   `fast` (the median of 8 seeds; docs/measurements/ram.txt in the repository).
//! - Few cells of the table are stored: the others follow from the components. What only learning needs and
//!   what only tests need takes the same room, one after the other.
//!
//! The ring with 4 places, OL\*, by the kind of [tests](super::testing):
//!
//! | tests | bytes |
//! |---|---:|
//! | `model` | 536 |
//! | `random-wp` | 1084 |
//! | `mixture` | 3196 |
//!
//! [`Progress::learner_bytes`](crate::Progress::learner_bytes) says how much a session has used so far.
//!
//! # When it is full
//!
//! [`Session::next`](crate::Session::next) returns a [`CapacityError`](crate::CapacityError). It says what
//! there was no room for, how much memory there is, and how much this one step needs, with some room to grow. Nothing was lost.
//! There are two ways on:
//!
//! - Hand over more with [`Session::move_into`](crate::Session::move_into) and repeat the same call. The next step
//!   may need more again, so give twice the memory each time, or `needed` bytes if that is more.
//!   [`serve::serve`](crate::serve::serve) takes a closure that does this ([`Grow`](crate::serve::Grow)); the
//!   example `growing_memory` has one.
//! - Stop. [`Session::hypothesis`](crate::Session::hypothesis) is the last one that was made. If
//!   [`Session::is_refuted`](crate::Session::is_refuted), an answer contradicts it already.
//!
//! What is asked does not depend on the memory: a session that grew many times asks the same words as one
//! that had enough from the start.
//!
//! # On a microcontroller
//!
//! Reserve an array in a `static` and hand it out once as `&'static mut [u32]`, for example with
//! `cortex_m::singleton!` or `static_cell::ConstStaticCell`; the example `static_memory` shows the rest. The
//! contents of the memory do not matter: it need not be zero.
//!
//! Without the default [features](super::promises#features) the crate takes less flash.
//! docs/measurements/firmware.txt says how much flash, RAM and stack whole programs take.
