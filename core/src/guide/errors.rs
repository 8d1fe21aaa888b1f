//! What can go wrong: three families that are never mixed, and mistakes of the caller.
//!
//! | what happened | type | what then |
//! |---|---|---|
//! | The device failed, or the link to it. | your own [`Sul::Error`](crate::Sul::Error), in [`ServeError::Sul`](crate::ServeError::Sul) | Call again: the word is asked again from a reset. [`Answerer::retry`](crate::serve::Answerer::retry) does so within the loop. |
//! | The memory is full. | [`CapacityError`](crate::CapacityError) | Give more [memory](super::memory) and repeat the call, or stop with the last hypothesis. |
//! | The device contradicts itself. | [`Contradiction`](crate::Contradiction) | The session cannot go on. Its hypothesis stands. |
//! | The caller made a mistake. | [`Misuse`](crate::Misuse) | The session is as it was before the call. |
//!
//! The last three are the variants of [`SessionError`](crate::SessionError).
//!
//! # Contradictions
//!
//! A learner expects a device to be deterministic: the same word has the same outputs. When an answer
//! differs from an earlier one, the session never overwrites what it was told. The
//! [`Contradiction`](crate::Contradiction) has the lane, the position in the word
//! ([`Session::word`](crate::Session::word)) and both outputs. Usual reasons are a reset that does not reset
//! everything, a time-out that is too short, and a device that really is random.
//!
//! Only asking again can tell which answer is right. Do that below the session: a device that asks each
//! word several times and returns the answer of the majority is a [`Sul`](crate::Sul), too.
//!
//! A learner with a tree sees every contradiction. One with a table keeps only the answers that it needs, and so does not.
