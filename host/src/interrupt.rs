//! Ctrl-C, and requests to terminate: SIGTERM, and SIGHUP when the terminal goes away.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use miette::Diagnostic;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use thiserror::Error;

/// The exit status after Ctrl-C: that of a process ended by SIGINT.
pub const EXIT_STATUS: u8 = 130;

/// The signals cannot be caught.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot listen to Ctrl-C: {0}")]
pub struct InterruptError(#[from] io::Error);

/// A flag for [`Limits`](crate::learn::Limits). The first Ctrl-C or request to terminate sets it;
/// the second ends the process at once. Every call returns the same flag.
///
/// # Errors
/// The signals cannot be caught.
pub fn flag() -> Result<Arc<AtomicBool>, InterruptError> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(raised) = FLAG.get() {
        return Ok(Arc::clone(raised));
    }
    let raised = Arc::clone(FLAG.get_or_init(Arc::default));
    for signal in [SIGINT, SIGTERM].into_iter().chain(hangup()) {
        flag::register_conditional_shutdown(signal, EXIT_STATUS.into(), Arc::clone(&raised))?;
        flag::register(signal, Arc::clone(&raised))?;
    }
    Ok(raised)
}

/// A flag that a request to terminate sets, and Ctrl-C does not: for a command that need not end what it watches. Call it
/// before [`flag`], and read that flag first: then no request to terminate is taken for Ctrl-C. Every call returns
/// another flag.
///
/// # Errors
/// The signals cannot be caught.
pub fn terminated() -> Result<Arc<AtomicBool>, InterruptError> {
    let raised = Arc::default();
    for signal in [SIGTERM].into_iter().chain(hangup()) {
        flag::register(signal, Arc::clone(&raised))?;
    }
    Ok(raised)
}

/// SIGHUP, unless it is ignored: who calls this with nohup wants it to outlive the terminal.
fn hangup() -> Option<i32> {
    (!is_ignored(SIGHUP)).then_some(SIGHUP)
}

/// Whether this process was started so that it ignores the signal: proc(5), `SigIgn` in /proc/PID/status.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 << (signal - 1) != 0)
}
