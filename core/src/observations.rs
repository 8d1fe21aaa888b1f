//! What the device has said. An observation is never overwritten or dropped silently: an answer that
//! differs from an earlier one is a contradiction.

pub(crate) mod table;
#[cfg(feature = "tree")]
pub(crate) mod tree;
