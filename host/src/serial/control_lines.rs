//! The control lines of a port: DTR, RTS and break.

use std::io::{self, ErrorKind};

use super::link::TimedLink;
use crate::device::ControlLine;

/// Sets lines, and remembers which of them the port lacks: a missing line is only worth a warning.
#[derive(Debug, Default)]
pub(super) struct ControlLines {
    missing: Vec<&'static str>,
}

impl ControlLines {
    /// Sets a line to a level, if the port has the line.
    pub(super) fn set<L: TimedLink>(
        &mut self,
        link: &mut L,
        line: ControlLine,
        level: bool,
    ) -> io::Result<()> {
        match link.set(line, level) {
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                let name = match line {
                    ControlLine::Dtr => "DTR",
                    ControlLine::Rts => "RTS",
                    ControlLine::Break => "break",
                };
                if !self.missing.contains(&name) {
                    self.missing.push(name);
                }
                Ok(())
            }
            result => result,
        }
    }

    /// The warnings for the user.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> {
        self.missing.iter().map(|name| format!("this port has no {name}: setting it does nothing"))
    }
}
