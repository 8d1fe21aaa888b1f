//! Ctrl-C, and requests to terminate: SIGTERM, and SIGHUP when the terminal goes away.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use miette::Diagnostic;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use thiserror::Error;

/// The exit status after Ctrl-C: that of a process ended by SIGINT.
pub const EXIT_STATUS: u8 = 130;

/// Signals within this time are one: `timeout` sends SIGTERM to the process and to its group.
const ONE_SIGNAL: Duration = Duration::from_secs(1);

/// The signals cannot be caught.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot listen to Ctrl-C: {0}")]
pub struct InterruptError(#[from] io::Error);

/// A flag for [`Limits`](crate::learn::Limits). The first Ctrl-C or request to terminate sets it;
/// another one, a second later or more, ends the process at once. Every call returns the same flag.
///
/// # Errors
/// The signals cannot be caught.
pub fn flag() -> Result<Arc<AtomicBool>, InterruptError> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(raised) = FLAG.get() {
        return Ok(Arc::clone(raised));
    }
    let raised = Arc::clone(FLAG.get_or_init(Arc::default));
    let may_shut_down = Arc::<AtomicBool>::default();
    let all = || [SIGINT, SIGTERM].into_iter().chain(hangup());
    for signal in all() {
        let shuts_down = Arc::clone(&may_shut_down);
        flag::register_conditional_shutdown(signal, EXIT_STATUS.into(), shuts_down)?;
        flag::register(signal, Arc::clone(&raised))?;
    }
    let mut signals = Signals::new(all())?;
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            thread::sleep(ONE_SIGNAL);
            may_shut_down.store(true, Ordering::SeqCst);
        }
    });
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
