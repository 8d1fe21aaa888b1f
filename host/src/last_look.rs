//! A last look at a device when a run has converged: what a run without pauses cannot show.
//!
//! A run asks one input after the other, as fast as it can. What a device says or does while nothing is sent stays hidden: see
//! [`late_words`] and [`paused_words`].

pub mod late_words;
pub mod paused_words;
mod pauses;
