//! Properties that must hold for all bytes: each function panics where its property does not hold.
//!
//! `tests/run fuzz` searches for such bytes with `cargo fuzz` (`tests/fuzz/`). An ordinary test
//! tries the interesting inputs found so far, and all that ever failed, from `tests/fuzz/corpus/`.

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

/// The name and the function of a fuzz target.
pub type FuzzTarget = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [FuzzTarget; 7] = [
    ("answers", answers),
    ("conversation", conversation),
    ("device_file", device_file),
    ("frames", frames),
    ("messages", messages),
    ("model", model),
    ("result", result),
];
