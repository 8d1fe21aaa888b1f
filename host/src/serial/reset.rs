//! Climbing the ladder of resets.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use regex::bytes::Regex;

use super::link::Link;
use super::reply::clean;
use crate::device::{Expect, Rung, Step};
use crate::escape::excerpt;

/// How often a running command is looked after.
const RUN_POLL: Duration = Duration::from_millis(5);
/// How long to wait for what a command said, when it has ended.
const RUN_WORDS: Duration = Duration::from_millis(100);
/// The patience for silence after a rung that expects nothing.
const SETTLE_WITHIN: Duration = Duration::from_secs(1);
/// So much of what came is kept; the end of it decides.
const KEEP_BYTES: usize = 64 * 1024;

/// Why a rung did not work.
pub(super) enum Fall {
    /// The link failed: no other rung will do better.
    Link(io::Error),
    /// The device did not do what it should; the next rung may help.
    Device(String),
}

impl From<io::Error> for Fall {
    fn from(error: io::Error) -> Self {
        Self::Link(error)
    }
}

/// One reset on its way.
pub(super) struct Attempt<'a, L> {
    pub(super) link: &'a mut L,
    /// Removed from what the device says.
    pub(super) strip: &'a [Regex],
    /// What came since the last act.
    seen: Vec<u8>,
}

impl<'a, L: Link> Attempt<'a, L> {
    pub(super) fn new(link: &'a mut L, strip: &'a [Regex]) -> Self {
        Self { link, strip, seen: Vec::new() }
    }

    /// Does what the rung says; afterwards the device is back, quiet, and nothing is in the line.
    ///
    /// `set` gives a line a level, as a link may not have it and someone should hear of that.
    pub(super) fn climb(
        &mut self,
        rung: &Rung,
        set: &mut impl FnMut(&mut L, &Step) -> io::Result<()>,
    ) -> Result<(), Fall> {
        for step in &rung.steps {
            match step {
                Step::Wait(time) => {
                    let until = self.link.now() + *time;
                    self.link.collect(until, &mut self.seen)?;
                }
                Step::Expect(expect) => {
                    self.await_text(Some(expect), Duration::ZERO)?;
                    self.seen.clear();
                }
                act => {
                    self.link.clear()?;
                    self.seen.clear();
                    match act {
                        Step::Send(bytes) => self.link.write(bytes)?,
                        Step::Run { command, folder, within } => {
                            let mut shell = Command::new("sh");
                            shell.arg("-c").arg(command);
                            if !folder.as_os_str().is_empty() {
                                shell.current_dir(folder);
                            }
                            self.run(shell, *within)
                                .map_err(|why| why.named(&format!("`{command}`")))?;
                        }
                        _ => set(self.link, act)?,
                    }
                }
            }
        }
        self.await_text(rung.expect.as_ref(), rung.quiet)?;
        Ok(self.link.clear()?)
    }

    /// Waits until what came matches `expect`, and nothing more came for `quiet`.
    fn await_text(&mut self, expect: Option<&Expect>, quiet: Duration) -> Result<(), Fall> {
        let within = expect.map_or(SETTLE_WITHIN, |expect| expect.within);
        let limit = self.link.now() + within;
        let mut buffer = [0; 512];
        loop {
            let met =
                expect.is_none_or(|expect| expect.pattern.is_match(&clean(self.strip, &self.seen)));
            let now = self.link.now();
            if met && quiet.is_zero() {
                return Ok(());
            }
            if now > limit + quiet {
                return Err(self.missed(expect, within, met));
            }
            let count = self.link.read(&mut buffer, if met { now + quiet } else { limit })?;
            if count == 0 {
                return if met { Ok(()) } else { Err(self.missed(expect, within, met)) };
            }
            self.seen.extend_from_slice(&buffer[..count]);
            let spare = self.seen.len().saturating_sub(KEEP_BYTES);
            self.seen.drain(..spare);
        }
    }

    fn missed(&self, expect: Option<&Expect>, within: Duration, met: bool) -> Fall {
        let within = within.as_millis();
        let what = match expect {
            Some(expect) if !met => {
                format!("no match for `{}` within {within} ms", expect.pattern)
            }
            _ => format!("it did not fall silent within {within} ms"),
        };
        Fall::Device(if self.seen.is_empty() {
            format!("{what}; nothing came")
        } else {
            format!("{what}; what came: `{}`", excerpt(&self.seen))
        })
    }

    /// Runs a command to its end, and reads what the device says meanwhile.
    fn run(&mut self, mut command: Command, within: Duration) -> Result<(), Fall> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = in_a_group(child)
            .spawn()
            .map_err(|error| Fall::Device(format!("could not be started: {error}")))?;
        let words = listen(&mut child);
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > within {
                stop(&mut child);
                let within = within.as_millis();
                return Err(Fall::Device(format!("did not end within {within} ms")));
            }
            let until = self.link.now() + RUN_POLL;
            if let Err(error) = self.link.collect(until, &mut self.seen) {
                stop(&mut child);
                return Err(error.into());
            }
        };
        if status.success() {
            return Ok(());
        }
        let words = words.recv_timeout(RUN_WORDS).unwrap_or_default();
        Err(Fall::Device(failure(status, &words)))
    }
}

impl Fall {
    /// Puts what is meant in front of the reason.
    fn named(self, what: &str) -> Self {
        match self {
            Self::Device(why) => Self::Device(format!("{what} {why}")),
            Self::Link(error) => Self::Link(error),
        }
    }
}

fn failure(status: ExitStatus, words: &[u8]) -> String {
    let words = String::from_utf8_lossy(words);
    match words.trim() {
        "" => format!("failed: {status}"),
        words => format!("failed: {status}: {words}"),
    }
}

/// Reads what the command says about its troubles, so that it never waits for us.
fn listen(child: &mut Child) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stderr) = child.stderr.take() {
        std::thread::spawn(move || {
            let mut words = Vec::new();
            // OK: a reader that fails has read what there is, and who asked may be gone.
            let _ = stderr.read_to_end(&mut words);
            let _ = sender.send(words);
        });
    }
    receiver
}

/// Lets the command lead a process group, so that it can be stopped with all that it started.
fn in_a_group(command: &mut Command) -> &mut Command {
    std::os::unix::process::CommandExt::process_group(command, 0)
}

/// Stops a command and what it started.
fn stop(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // OK: it may have ended by itself in this moment.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
}
