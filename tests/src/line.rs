//! Reads what a device says: until a text has come, or until the device falls silent.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Waits until one of `lines` has bytes to read or has ended, at most until `deadline`.
///
/// The result holds for each line whether it is ready; after a time-out no line is.
///
/// # Errors
/// The system's errors.
pub fn wait<const N: usize>(
    lines: [&dyn AsFd; N],
    deadline: Option<Instant>,
) -> io::Result<[bool; N]> {
    loop {
        let mut polled = lines.map(|line| PollFd::from_borrowed_fd(line.as_fd(), PollFlags::IN));
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let left = left.map(|left| Timespec::try_from(left).expect("a deadline within our days"));
        match poll(&mut polled, left.as_ref()) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(polled.map(|line| !line.revents().is_empty())),
        }
    }
}

/// Reads until what has come ends with one of `ends`.
///
/// # Errors
/// The system's errors; [`io::ErrorKind::TimedOut`] with the text so far when it takes longer than
/// `patience`; [`io::ErrorKind::UnexpectedEof`] when the other end closes the line.
pub fn read_until(line: &impl AsFd, ends: &[&str], patience: Duration) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + patience;
    let mut text = Vec::new();
    while !ends.iter().any(|end| text.ends_with(end.as_bytes())) {
        if wait([line], Some(deadline))? == [false] {
            let came = text.escape_ascii();
            let message = format!("after {patience:?} came \"{came}\", not one of {ends:?}");
            return Err(io::Error::new(io::ErrorKind::TimedOut, message));
        }
        if !read_some(line, &mut text)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(text)
}

/// Waits at most `patience` for a first byte, then reads until a silence of `quiet` or the end of
/// the line. The second value tells whether the line is still open.
///
/// # Errors
/// The system's errors.
pub fn read_until_quiet(
    line: &impl AsFd,
    patience: Duration,
    quiet: Duration,
) -> io::Result<(Vec<u8>, bool)> {
    let mut said = Vec::new();
    let mut patience = patience;
    while wait([line], Some(Instant::now() + patience))? == [true] {
        if !read_some(line, &mut said)? {
            return Ok((said, false));
        }
        patience = quiet;
    }
    Ok((said, true))
}

/// Appends the bytes that are ready; returns `false` at the end of the line.
fn read_some(line: &impl AsFd, text: &mut Vec<u8>) -> io::Result<bool> {
    let mut bytes = [0; 1024];
    let count = match rustix::io::read(line, &mut bytes) {
        // The other end closed and left bytes of ours unread.
        Err(rustix::io::Errno::CONNRESET) => 0,
        other => other?,
    };
    text.extend_from_slice(&bytes[..count]);
    Ok(count > 0)
}
