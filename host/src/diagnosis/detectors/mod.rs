//! The detectors: each looks at the evidence for one common problem.

mod acts_late;
mod answers_to_word;
mod changing_output;
mod common_end;
mod connection_end;
mod counted_input;
mod dead_state;
mod double_line_end;
mod echo;
mod failed_resets;
mod fault;
mod flags;
mod garbled;
mod growing_tree;
mod growing_word;
mod idle_input;
mod incomplete_match;
mod joined_fields;
mod last_line;
mod late_bytes;
mod late_resets;
mod longer_end;
mod missing_checksum;
mod missing_line_end;
mod no_answer;
mod noise;
mod one_output;
mod reset_leaves;
mod rule_trial;
mod stable_words;
mod stray_byte;
mod streams;
mod strip_line;
mod time_outs;
mod unasked;
mod unmet_after_words;
mod unmet_end;
mod unmet_rules;

pub(super) use changing_output::try_rules;
pub(super) use failed_resets::FailingInput;
pub(super) use garbled::leave_out_values;
#[cfg(test)]
pub(super) use growing_word::GROWN;
pub(super) use missing_checksum::missing_checksum;
pub(super) use no_answer::advice as no_answer_advice;
pub(super) use noise::is_noise;
pub use time_outs::shorter_within;

use super::evidence::Evidence;
use super::finding::Finding;

/// Looks for one problem in the evidence.
pub(super) type Detector = fn(&Evidence) -> Vec<Finding>;

/// All detectors, in the order in which their findings are reported.
pub(super) const DETECTORS: [Detector; 25] = [
    missing_line_end::find,
    late_resets::find,
    failed_resets::find,
    streams::find,
    unasked::find,
    stray_byte::find,
    acts_late::find,
    reset_leaves::find,
    changing_output::find,
    garbled::find,
    growing_word::find,
    growing_tree::find,
    dead_state::find,
    connection_end::find,
    fault::find,
    time_outs::find,
    unmet_end::find,
    unmet_after_words::find,
    no_answer::find,
    noise::find,
    echo::find,
    late_bytes::find,
    unmet_rules::find,
    one_output::find,
    idle_input::find,
];
