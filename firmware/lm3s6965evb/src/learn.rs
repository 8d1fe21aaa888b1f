//! The learner on this board, whose program says why it ended.

use mealybug_adapters::Attached;
use mealybug_faults::{Kept, Watched};
use mealybug_learner::{Answers, Target};

use crate::{Port, Watchdog, start};

/// A serial port that feeds the watchdog.
pub type WatchedPort = Watched<Port, fn()>;

/// The memory for calls and for the target, which lies on the stack: `STACK` in `memory.x`.
const STACK_BYTES: usize = 13 * 1024;

/// How much of it calls take at most.
const CALLS_BYTES: usize = 7 * 1024;

/// How long a learner may leave the watchdog without food. The learner feeds it between any two symbols, and computes in
/// between: up to 2.2 billion instructions, when its memory of 48 KiB is nearly full.
pub const LEARNER_WATCHDOG_MS: u32 = 300_000;

/// Starts the board, its watchdog with this time, the guard of its stack, and its two serial ports. Call it once, before
/// everything else, in a program with [`handle_faults!`](crate::handle_faults).
pub fn start_watched(watchdog_ms: u32) -> [WatchedPort; 2] {
    mealybug_faults::guard_stack();
    let ports = start();
    Watchdog::start(watchdog_ms);
    ports.map(|port| Watched::new(port, Watchdog::feed as fn()))
}

/// Learns a device as the host demands, and keeps its answers.
// Inlined, so that the device is not copied on the stack.
#[inline(always)]
pub fn learn<D: Attached, A: Answers>(
    host: WatchedPort,
    device: D,
    answers: A,
    memory: &mut [u32],
) -> ! {
    const {
        let target = size_of::<Target<WatchedPort, D, &Kept, A>>();
        assert!(target + CALLS_BYTES <= STACK_BYTES, "the target does not fit into the stack");
    }
    let crashes = mealybug_faults::crashes();
    Target::keeping_answers(host, device, "lm3s6965evb", crashes, answers).run(memory)
}
