//! What must hold whatever bytes come: each function panics where it does not.
//!
//! `tests/run fuzz` looks for such bytes with `cargo fuzz` (`tests/fuzz/`); the interesting ones that
//! were found, and all that ever failed, are in `tests/fuzz/corpus/` and tried by an ordinary test.

mod answers;
mod conversation;
mod files;
mod frames;
mod results;

pub use answers::answers;
pub use conversation::conversation;
pub use files::{device_file, model};
pub use frames::{frames, messages};
pub use results::result;

/// A function of these, and its name.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 7] = [
    ("answers", answers),
    ("conversation", conversation),
    ("device_file", device_file),
    ("frames", frames),
    ("messages", messages),
    ("model", model),
    ("result", result),
];
