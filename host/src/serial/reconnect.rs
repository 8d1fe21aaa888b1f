//! A new connection to the device.

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
