//! Ctrl-C.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use miette::{IntoDiagnostic, WrapErr};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::Exit;

/// A flag that is raised by the first Ctrl-C, or a request to terminate; the second ends the process
/// at once, should the first not get through. It is the same one each time.
pub(crate) fn flag() -> miette::Result<Arc<AtomicBool>> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(raised) = FLAG.get() {
        return Ok(Arc::clone(raised));
    }
    let code = Exit::Interrupted.code().into();
    let raised = Arc::clone(FLAG.get_or_init(Arc::default));
    for signal in [SIGINT, SIGTERM] {
        let at_once = || flag::register_conditional_shutdown(signal, code, Arc::clone(&raised));
        at_once()
            .and_then(|_| flag::register(signal, Arc::clone(&raised)))
            .into_diagnostic()
            .wrap_err("cannot listen to Ctrl-C")?;
    }
    Ok(raised)
}
