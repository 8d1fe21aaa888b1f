//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use miette::{IntoDiagnostic, WrapErr};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::Exit;

/// A flag that is raised by the first Ctrl-C, or a request to terminate; the second ends the process
/// at once, should the first not get through.
pub(crate) fn flag() -> miette::Result<Arc<AtomicBool>> {
    let code = Exit::Interrupted.code().into();
    let raised = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let at_once = || flag::register_conditional_shutdown(signal, code, Arc::clone(&raised));
        at_once()
            .and_then(|_| flag::register(signal, Arc::clone(&raised)))
            .into_diagnostic()
            .wrap_err("cannot listen to Ctrl-C")?;
    }
    Ok(raised)
}
