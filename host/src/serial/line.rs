//! The control lines of a port: DTR, RTS and break.

use std::io::{self, ErrorKind};

use super::link::Link;
use crate::device::Line;

/// Sets lines, and remembers which of them the port lacks: a missing line is only worth a warning.
#[derive(Debug, Default)]
pub(super) struct Lines {
    missing: Vec<&'static str>,
}

impl Lines {
    /// Sets a line to a level, if the port has the line.
    pub(super) fn set<L: Link>(&mut self, link: &mut L, line: Line, level: bool) -> io::Result<()> {
        match link.set(line, level) {
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                let name = match line {
                    Line::Dtr => "DTR",
                    Line::Rts => "RTS",
                    Line::Break => "break",
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
