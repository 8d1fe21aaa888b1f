//! Ctrl-C, and requests to terminate.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use miette::Diagnostic;
use signal_hook::consts::{SIGINT, SIGTERM};
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
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, EXIT_STATUS.into(), Arc::clone(&raised))?;
        flag::register(signal, Arc::clone(&raised))?;
    }
    Ok(raised)
}
