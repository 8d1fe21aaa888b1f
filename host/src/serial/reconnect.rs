//! A new connection to the device.

use std::thread;
use std::time::{Duration, Instant};

use super::control_lines::ControlLines;
use super::error::LinkError;
use super::link::TimedLink;
use crate::device::{ControlLine, PortSection};

/// Ends the connection, if there still is one, and opens a new one, with the levels of the device file.
///
/// # Errors
/// [`LinkError::Away`] if the device cannot be reached.
pub(super) fn reconnect<L: TimedLink>(
    link: &mut L,
    lines: &mut ControlLines,
    port: &PortSection,
) -> Result<(), LinkError> {
    link.reopen().map_err(LinkError::away)?;
    set_levels(link, lines, port)
}

/// How long a device may be away that has ended the connection as it should, such as one that starts again.
pub(super) const BACK_WITHIN: Duration = Duration::from_secs(3);
/// How long to wait before looking again whether it is back.
const LOOKING: Duration = Duration::from_millis(20);

/// Reconnects, and waits for a device that has ended the connection as it should.
pub(super) fn reconnect_when_back<L: TimedLink>(
    link: &mut L,
    lines: &mut ControlLines,
    port: &PortSection,
) -> Result<(), LinkError> {
    let is_away = |error: &LinkError| matches!(error, LinkError::Away { .. });
    when_back(BACK_WITHIN, is_away, || reconnect(link, lines, port))
}

/// Calls `act` again until the device is back, but not for longer than `within`.
///
/// # Errors
/// The last error of `act`: one that is not `is_away`, or the device is still away.
pub fn when_back<T, E>(
    within: Duration,
    is_away: impl Fn(&E) -> bool,
    mut act: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let since = Instant::now();
    loop {
        match act() {
            Err(error) if is_away(&error) && since.elapsed() < within => thread::sleep(LOOKING),
            result => return result,
        }
    }
}

/// Sets the control lines as they should be after opening.
pub(super) fn set_levels<L: TimedLink>(
    link: &mut L,
    lines: &mut ControlLines,
    port: &PortSection,
) -> Result<(), LinkError> {
    for (line, level) in [(ControlLine::Dtr, port.dtr), (ControlLine::Rts, port.rts)] {
        if let Some(level) = level {
            lines
                .set(link, line, level)
                .map_err(|error| LinkError::during(error, "its lines were set"))?;
        }
    }
    Ok(())
}
