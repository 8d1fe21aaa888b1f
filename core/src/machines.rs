//! Machines for projections and their product. They are built from transition functions, never from a
//! table, and do not know which learner made them.

pub(crate) mod components;
pub(crate) mod cover;
pub(crate) mod hypothesis;
pub(crate) mod minimise;
pub(crate) mod model;
pub(crate) mod product;
pub(crate) mod separating;
#[cfg(feature = "fast")]
pub(crate) mod transitions;
#[cfg(not(feature = "fast"))]
#[path = "machines/no_transitions.rs"]
pub(crate) mod transitions;
