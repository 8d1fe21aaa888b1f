//! The guide: how to use this crate, and what it promises. These pages hold no code.
//!
//! | page | what it answers |
//! |---|---|
//! | [`sessions`] | What does a session say, and what is it told? How are several devices served at once? |
//! | [`memory`] | How much memory does a device take? What happens when it is full? |
//! | [`testing`] | Which tests are there, what do they cost, what do they prove? How is a device tested against a known model? |
//! | [`ol_star`] | What does OL\* do, and when does it ask less than L\*? |
//! | [`ol_sharp`] | What do L# and OL# do, and when do they ask less than OL\*? |
//! | [`errors`] | What can go wrong, and what then? |
//! | [`results`] | How does a result become bytes, and how does it travel? |
//! | [`promises`] | Features, no panic, and the same words for the same seed. |
//!
//! # Words
//!
//! | word | meaning |
//! |---|---|
//! | device | The system under learning (SUL). It can be reset, takes one input at a time and answers each with one output. |
//! | symbol | An input that was asked. Costs are counted in symbols and resets. |
//! | word | A reset and the inputs after it. |
//! | hypothesis | The machine that the learner believes the device to be: [`Hypothesis`](crate::Hypothesis). |
//! | counterexample | A word for which the device and the hypothesis have different outputs. |
//! | round | A hypothesis and its tests. |
//! | projection | What is left of a machine for somebody who sees only the outputs of one group. |
//! | component | The learned machine of one projection: [`Component`](crate::Component). |
//! | product | All components side by side: together they have the outputs of the whole machine. |
//! | lane | A word in flight, most often on a device of its own. |
//!
//! # Examples
//!
//! The folder `examples/` has a small program for each way to use the crate:
//!
//! | `cargo run --example …` | shows |
//! |---|---|
//! | `closure` | a device that is a closure, and how a hypothesis is read |
//! | `lanes` | four devices of a kind served at once |
//! | `growing_memory` | a session that gets more memory when it asks for it |
//! | `static_memory` | memory in a `static`, without an allocator |
//! | `asynchronous` | a device that is awaited, with a small executor |
//! | `known_model` | a device tested against a golden model |

pub mod errors;
pub mod memory;
#[cfg(feature = "tree")]
pub mod ol_sharp;
pub mod ol_star;
pub mod promises;
pub mod results;
pub mod sessions;
pub mod testing;
