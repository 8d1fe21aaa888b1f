//! How faults of the line to a device are told from its answers.

use mealybug_core::{Input, Sul};

/// What an error says about the answer to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garbled<'e> {
    /// The word has failed.
    No,
    /// There was an answer, and the device takes the next input. If the answer can be read, this is
    /// its output: where it is another one than the known one, the device did not get the input.
    Answered(Option<&'e [u8]>),
}

/// The end of a connection, after which inputs are not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionEnded<'e> {
    /// The output of each further input of the word that opens no new connection.
    pub output: &'e str,
    /// Whether it had ended before the last input, which was not sent: then that input is a further one, too.
    pub is_earlier: bool,
}

/// How faults of the line are told from answers. The default tells none.
pub struct LineRules<S: Sul> {
    /// What an error says about the answer.
    pub garbled: fn(&S::Error) -> Garbled<'_>,
    /// Whether an output to this input means that the device said nothing.
    pub is_silence: fn(&S, Input, &[u8]) -> bool,
    /// Whether an error says that the connection has ended, and nothing about an answer.
    pub is_away: fn(&S::Error) -> bool,
    /// Whether the connection has ended; the inputs that open a new one go on all the same.
    pub ended: fn(&S) -> Option<ConnectionEnded<'_>>,
    /// Whether an input opens a new connection.
    pub reconnects: fn(&S, Input) -> bool,
    /// Whether the device has said something after its last answer up to now. The next reset finds out what that was.
    pub is_followed: fn(&mut S) -> bool,
}

impl<S: Sul> LineRules<S> {
    pub(super) fn is_followed(&self, sul: &mut S) -> bool {
        (self.is_followed)(sul)
    }

    pub(super) fn is_away(&self, error: &S::Error) -> bool {
        (self.is_away)(error)
    }

    pub(super) fn ended<'s>(&self, sul: &'s S) -> Option<ConnectionEnded<'s>> {
        (self.ended)(sul)
    }

    pub(super) fn reconnects(&self, sul: &S, input: Input) -> bool {
        (self.reconnects)(sul, input)
    }

    pub(super) fn garbled<'e>(&self, error: &'e S::Error) -> Garbled<'e> {
        (self.garbled)(error)
    }

    pub(super) fn is_silence(&self, sul: &S, input: Input, output: &[u8]) -> bool {
        (self.is_silence)(sul, input, output)
    }
}

impl<S: Sul> Default for LineRules<S> {
    fn default() -> Self {
        Self {
            garbled: |_| Garbled::No,
            is_silence: |_, _, _| false,
            is_away: |_| false,
            ended: |_| None,
            reconnects: |_, _| false,
            is_followed: |_| false,
        }
    }
}

impl<S: Sul> std::fmt::Debug for LineRules<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LineRules")
    }
}
