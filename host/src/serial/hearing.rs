//! Hears what a device says, without a device file: all that comes until there is silence.

use std::io::{self, ErrorKind};
use std::thread;
use std::time::{Duration, Instant};

use super::link::TimedLink;
use super::reconnect::{BACK_WITHIN, when_back};

/// The silence that ends an answer.
pub(super) const QUIET: Duration = Duration::from_millis(150);
/// How long an answer may take.
const AT_MOST: Duration = Duration::from_secs(2);

/// What came from a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeardBurst {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// When the first byte came, by the clock of the link; without one, when the wait for it ended.
    pub began: Duration,
    /// When the last byte came; without one, when the wait for it ended.
    pub ended: Duration,
    /// Whether the device ended the connection then.
    pub is_closed: bool,
}

/// How long to wait where a new connection ends at once: a bridge may take a moment to notice that the last one has ended.
const BUSY: Duration = Duration::from_millis(200);

/// Opens a new connection, and hears the greeting for this time. One that ends at once is opened again for some seconds.
pub(super) fn connect_anew(link: &mut impl TimedLink, time: Duration) -> io::Result<()> {
    let since = Instant::now();
    loop {
        reopen_when_back(link)?;
        match hear_greeting(link, time) {
            Err(error) if has_ended(&error) && since.elapsed() < BACK_WITHIN => {
                thread::sleep(BUSY);
            }
            heard => return heard,
        }
    }
}

/// Whether this says that the connection has ended.
pub(super) fn has_ended(error: &io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}

/// Hears a greeting, or what is left of it: it must not count as an answer.
pub(super) fn hear_greeting(link: &mut impl TimedLink, time: Duration) -> io::Result<()> {
    let until = link.now() + time;
    link.collect(until, &mut Vec::new())
}

/// Opens a new connection; a device that is away is waited for.
///
/// # Errors
/// The device has not come back within 3 s.
pub fn reopen_when_back(link: &mut impl TimedLink) -> io::Result<()> {
    when_back(BACK_WITHIN, |_| true, || link.reopen()).map_err(io::Error::other)
}

/// Sends bytes after a silence that lasts until this time, and returns what came before. A connection that has ended by then is
/// opened again first.
pub(super) fn collect_and_send(
    link: &mut impl TimedLink,
    until: Duration,
    bytes: &[u8],
) -> io::Result<Vec<u8>> {
    let mut before = Vec::new();
    match collect_all(link, until, &mut before).and_then(|()| link.write(bytes)) {
        Err(error) if has_ended(&error) => {
            connect_anew(link, QUIET)?;
            link.write(bytes).map(|()| Vec::new())
        }
        sent => sent.map(|()| before),
    }
}

/// Collects what comes until this time, and all that has come by then: a device that speaks unasked may have spoken for minutes.
fn collect_all(link: &mut impl TimedLink, until: Duration, bytes: &mut Vec<u8>) -> io::Result<()> {
    let end = link.now().max(until) + QUIET;
    let mut buffer = [0; 512];
    link.collect(until, bytes)?;
    loop {
        let now = link.now();
        let count = link.read(&mut buffer, now)?;
        bytes.extend_from_slice(&buffer[..count]);
        if count == 0 || now > end {
            return Ok(());
        }
    }
}

/// What comes: the first byte within this time, the others until there is silence or the connection ends.
///
/// # Errors
/// The link failed.
pub fn hear(link: &mut impl TimedLink, within: Duration) -> io::Result<HeardBurst> {
    hear_bytes(link, within, usize::MAX)
}

/// Like [`hear`], but ends as soon as `len` bytes have come.
pub(super) fn hear_bytes(
    link: &mut impl TimedLink,
    within: Duration,
    len: usize,
) -> io::Result<HeardBurst> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 512]);
    let end = link.now() + within.max(AT_MOST);
    let mut until = link.now() + within;
    // When the first and the last byte came.
    let mut times: Option<(Duration, Duration)> = None;
    loop {
        let (count, is_closed) = match link.read(&mut buffer, until) {
            Err(error) if has_ended(&error) => (0, true),
            count => (count?, false),
        };
        bytes.extend_from_slice(&buffer[..count]);
        let now = link.now();
        if count > 0 {
            times = Some((times.map_or(now, |(began, _)| began), now));
        }
        if count == 0 || bytes.len() >= len || now > end {
            let (began, ended) = times.unwrap_or((now, now));
            return Ok(HeardBurst { bytes, began, ended, is_closed });
        }
        until = now + QUIET;
    }
}
