//! The end of a connection as an output: `closed` in a device file.

use std::io::{self, ErrorKind};

use crate::store::ConnectionEnded;

/// Whether the connection may end during this word, and whether it has.
#[derive(Debug, Default)]
pub(super) struct ConnectionEnd {
    /// The output when it ends, since an input of the word says that it may.
    output: Option<String>,
    has_ended: bool,
    /// It had ended before the last input was sent, and whatever that input had been, its output would be this one.
    is_earlier: bool,
}

impl ConnectionEnd {
    /// From now on it may end, if an input says so with this output.
    pub(super) fn allow(&mut self, output: Option<&String>) {
        if let Some(output) = output {
            self.output = Some(output.clone());
        }
    }

    /// The output when it ends, if it may end.
    pub(super) fn allowed(&self) -> Option<&String> {
        self.output.as_ref()
    }

    /// An input is about to be sent. `is_same`: each input has the output that the end had before this one.
    pub(super) fn begin_input(&mut self, is_same: bool) {
        self.is_earlier = self.has_ended && is_same;
    }

    /// The end, once it has come.
    pub(super) fn seen(&self) -> Option<ConnectionEnded<'_>> {
        self.output().map(|output| ConnectionEnded { output, is_earlier: self.is_earlier })
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
