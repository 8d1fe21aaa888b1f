//! The learner's messages in the log of its target.

use mealybug_core::wire::crash::Crash;
use mealybug_core::wire::message::Fault;
use mealybug_core::{Budget, Options, Progress, Session};
use mealybug_log::{error, info};

/// The program has started after a crash with these bytes; without any it has not crashed.
pub(crate) fn crash(bytes: &[u8]) {
    // So that no other program decodes it.
    if mealybug_log::RAM_BYTES == 0 {
        return;
    }
    match Crash::decode(bytes) {
        None => {}
        Some(Crash::Panic { file, line }) => {
            error!("started anew: the program panicked in {=[u8]:a}, line {=u32}", file, line);
        }
        Some(Crash::HardFault { pc, lr, .. }) => {
            error!("started anew: HardFault at {=u32:#x}, called from {=u32:#x}", pc, lr);
        }
        Some(Crash::StackOverflow { calls }) => {
            error!("started anew: the stack overflowed; the last calls: {:#x}", calls);
        }
        Some(Crash::Watchdog { pc: Some(pc) }) => {
            error!("started anew: the watchdog was not fed, at {=u32:#x}", pc);
        }
        Some(other) => error!("started anew: {}", other),
    }
}

/// The learner starts.
pub(crate) fn start(inputs: u32, options: &Options) {
    let Options { projections, tests, seed, passing_tests, budget, .. } = *options;
    info!(
        "learning {=u32} inputs: {}, {}, seed {=u64}, {=u64} tests in a row",
        inputs, projections, tests, seed, passing_tests
    );
    if budget != Budget::UNLIMITED {
        info!("at most: {}", budget);
    }
}

/// The learner has a hypothesis.
pub(crate) fn hypothesis(standing: &Progress) {
    let Progress { rounds, components, component_states, .. } = *standing;
    let [resets, symbols] = costs(standing);
    info!(
        "hypothesis {=u64}: {=u32} components with {=u32} states in total, {=u64} resets, {=u64} symbols",
        rounds, components, component_states, resets, symbols
    );
}

/// The run has ended.
pub(crate) fn end(session: &Session<&mut [u32]>, fault: Option<Fault>) {
    match fault {
        None => {
            if let Some(why) = session.summary().end {
                info!("the end: {}", why);
            }
        }
        Some(Fault::Capacity(error)) => error!("the memory is full: {}", error),
        Some(Fault::Contradiction(error)) => error!("the device contradicts itself: {}", error),
        Some(Fault::Device { error, sent, .. }) => {
            error!("the device failed too often: {}, after {=u32} symbols", error, sent);
        }
    }
    let standing = session.progress();
    let [resets, symbols] = costs(&standing);
    info!(
        "hypotheses: {=u64}, resets: {=u64}, symbols: {=u64}, rows: {=u32}, suffixes: {=u32}",
        standing.rounds, resets, symbols, standing.rows, standing.suffixes
    );
}

/// The resets and the symbols of learning and testing together.
fn costs(standing: &Progress) -> [u64; 2] {
    let Progress { learning, testing, .. } = standing;
    [learning.resets + testing.resets, learning.symbols + testing.symbols]
}
