//! The end of a connection as an output: `closed` in a device file.

use std::io::{self, ErrorKind};

/// Whether the connection may end during this word, and whether it has.
#[derive(Debug, Default)]
pub(super) struct ConnectionEnd {
    /// The output when it ends, since an input of the word says that it may.
    output: Option<String>,
    has_ended: bool,
}

impl ConnectionEnd {
    /// From now on it may end, if an input says so with this output.
    pub(super) fn allow(&mut self, output: Option<&String>) {
        if let Some(output) = output {
            self.output = Some(output.clone());
        }
    }

    /// Whether it may end.
    pub(super) fn is_allowed(&self) -> bool {
        self.output.is_some()
    }

    /// Records that it has ended, as it may.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
    }

    /// Records a new connection, which may end as the old one might.
    pub(super) fn begin_anew(&mut self) {
        self.has_ended = false;
    }

    /// Whether it has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The output of an input after the end; `None` before it.
    pub(super) fn output(&self) -> Option<&String> {
        self.output.as_ref().filter(|_| self.has_ended)
    }

    /// Takes an error of the link as the end, if it may end.
    ///
    /// # Errors
    /// The error is another one, or the connection may not end.
    pub(super) fn take(&mut self, error: io::Error) -> io::Result<()> {
        if error.kind() != ErrorKind::BrokenPipe || !self.is_allowed() {
            return Err(error);
        }
        self.end();
        Ok(())
    }
}
