//! A last look at a device when a run has converged: what a run without pauses cannot show.
//!
//! A run asks one input after the other, as fast as it can. What a device says or does while nothing is sent stays hidden: see
//! [`late_words`] and [`paused_words`].

pub mod late_words;
pub mod paused_words;
mod pauses;

use mealybug_core::Input;

use crate::device::{DeviceFile, Late};

/// Whether this holds for `late` in the reply of a word's last input: it says what bytes are that come then. After a reset, it
/// must hold for each input.
fn late_after(device: &DeviceFile, word: &[Input], holds: impl Fn(Late) -> bool) -> bool {
    match word.last() {
        None => device.inputs.iter().all(|rule| holds(rule.reply.late)),
        Some(last) => {
            let rule = device.inputs.get(last.index() as usize);
            rule.is_some_and(|rule| holds(rule.reply.late))
        }
    }
}
