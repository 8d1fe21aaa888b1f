//! The tester: words that try a hypothesis, made one at a time, in bounded memory.
//!
//! It sees a hypothesis with access and separating words (a [`Model`](crate::machines::model::Model)),
//! never a table or a learner; so a model from a file can be tested without learning it. Most tests
//! start at a state of the cover and end with suffixes that tell states apart.

#[cfg(feature = "mixture")]
mod adaptive;
#[cfg(feature = "mixture")]
mod coverage;
#[cfg(feature = "mixture")]
mod mixture;
#[cfg(not(feature = "mixture"))]
#[path = "testing/no_mixture.rs"]
mod mixture;
mod random_words;
mod random_wp;
#[cfg(feature = "mixture")]
mod repetition;
#[cfg(feature = "mixture")]
mod splice;
mod suite;
#[cfg(feature = "mixture")]
mod systematic;
pub(crate) mod tester;
mod writer;
