//! The loop that carries a conversation over a pair of file descriptors.

use std::io;
use std::os::fd::AsFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::conversation::LineConversation;

/// How much to write at once: a pipe that is ready has room for this much.
const PIECE_BYTES: usize = 4096;

/// Why a conversation is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServeOver {
    /// It was told to stop.
    Stopped,
    /// The other side closed the connection.
    Closed,
}

/// Carries `conversation` over `input` and `output` until `stop` is readable or closed, or the
/// other side closes. Calls `before_reading` before each read.
///
/// # Errors
/// The line failed, or the log cannot be written.
pub(super) fn serve(
    conversation: &mut LineConversation<'_>,
    input: impl AsFd,
    output: impl AsFd,
    stop: impl AsFd,
    before_reading: impl Fn() -> io::Result<()>,
) -> io::Result<ServeOver> {
    let mut buffer = [0; PIECE_BYTES];
    let mut said = Vec::new();
    loop {
        let now = Instant::now();
        if said.is_empty() {
            said = conversation.said(now);
        }
        let left = conversation.next().map(|at| at.saturating_duration_since(now));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        // While the client does not read its answers, its next questions are not read.
        let is_speaking = !said.is_empty();
        let mut ready = [
            PollFd::new(&stop, PollFlags::IN),
            if is_speaking {
                PollFd::new(&output, PollFlags::OUT)
            } else {
                PollFd::new(&input, PollFlags::IN)
            },
        ];
        match poll(&mut ready, left.as_ref().filter(|_| !is_speaking)) {
            Err(Errno::INTR) => continue,
            count => count?,
        };
        let [stopped, ready] = ready.map(|fd| !fd.revents().is_empty());
        if stopped {
            return Ok(ServeOver::Stopped);
        }
        if !ready {
            continue;
        }
        let done = if is_speaking {
            let piece = &said[..said.len().min(PIECE_BYTES)];
            rustix::io::write(&output, piece).map(|len| drop(said.drain(..len)))
        } else {
            before_reading()?;
            match rustix::io::read(&input, &mut buffer) {
                Ok(0) => Err(Errno::PIPE),
                Ok(len) => {
                    conversation.take(&buffer[..len], Instant::now())?;
                    Ok(())
                }
                Err(error) => Err(error),
            }
        };
        match done {
            Ok(()) | Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::PIPE | Errno::CONNRESET) => return Ok(ServeOver::Closed),
            Err(error) => return Err(error.into()),
        }
    }
}
