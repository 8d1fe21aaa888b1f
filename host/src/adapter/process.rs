//! A child process that answers requests, one line each.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::AdapterError;
use crate::escape::excerpt;

/// How often to check for an interruption, and whether the program has ended.
const POLL: Duration = Duration::from_millis(20);
/// How long the program may take to exit after its standard input is closed.
const END_PATIENCE: Duration = Duration::from_millis(500);
/// The most bytes of a line, with its line end.
pub(super) const MAX_LINE_BYTES: u64 = 1 << 20;
/// How many lines are kept that nobody has asked for; then the program has to wait. There should be none.
const MAX_LINES: usize = 2;

/// The environment variable in which each of several programs finds its number, from 1 on.
pub const WORKER_VARIABLE: &str = "MEALYBUG_WORKER";

/// A line that the program printed.
enum PrintedLine {
    Whole(Vec<u8>),
    /// It is longer than [`MAX_LINE_BYTES`]. Nothing after its beginning is read.
    TooLong,
    /// It cannot be read, and nothing after it.
    Unreadable(io::Error),
}

/// A running program. Dropping it ends the program and everything that the program started.
#[derive(Debug)]
pub(super) struct Process {
    command: String,
    child: Child,
    /// `None` once the program is being ended.
    stdin: Option<ChildStdin>,
    /// The lines that the program prints; disconnected when it closes its standard output.
    lines: Receiver<PrintedLine>,
}

impl Process {
    pub(super) fn start(command: &str, number: Option<u32>) -> Result<Self, AdapterError> {
        let failed = |source| AdapterError::Start { command: command.to_owned(), source };
        let mut child = Command::new("sh")
            .args(["-c", command])
            .envs(number.map(|number| (WORKER_VARIABLE, number.to_string())))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C must reach only us; we end the program ourselves.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is a pipe");
        let (sender, lines) = mpsc::sync_channel(MAX_LINES);
        std::thread::Builder::new()
            .name("adapter".to_owned())
            .spawn(move || {
                let mut stdout = BufReader::new(stdout);
                while let Some(line) = read_line(&mut stdout) {
                    let is_last = !matches!(line, PrintedLine::Whole(_));
                    if sender.send(line).is_err() || is_last {
                        return;
                    }
                }
            })
            .map_err(failed)?;
        Ok(Self { command: command.to_owned(), child, stdin, lines })
    }

    /// Sends a request and waits for the answer.
    pub(super) fn ask(
        &mut self,
        request: &str,
        patience: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Vec<u8>, AdapterError> {
        if let Ok(line) = self.lines.try_recv() {
            let said = excerpt(&line.answer(&self.command, request)?);
            return Err(AdapterError::Unasked { request: request.to_owned(), said });
        }
        if let Some(stdin) = &mut self.stdin {
            // If the write fails, the program has ended or will not answer; the code below finds
            // out which.
            let _ = stdin.write_all(format!("{request}\n").as_bytes());
        }
        let deadline = Instant::now() + patience;
        loop {
            match self.lines.recv_timeout(POLL) {
                Ok(line) => return line.answer(&self.command, request),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(request)),
                Err(RecvTimeoutError::Timeout) if interrupted.load(Ordering::Relaxed) => {
                    return Err(AdapterError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    return Err(AdapterError::Silent { request: request.to_owned(), patience });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The error for a closed standard output: how the program ended.
    fn ended(&mut self, request: &str) -> AdapterError {
        let status = match self.end_within(END_PATIENCE) {
            Some(status) => status,
            None => "it closed its standard output".to_owned(),
        };
        let (command, request) = (self.command.clone(), request.to_owned());
        AdapterError::Ended { command, request, status }
    }

    /// Waits for the program to exit, and describes how it did.
    fn end_within(&mut self, patience: Duration) -> Option<String> {
        let deadline = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status.to_string()),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL / 10),
                Ok(None) | Err(_) => return None,
            }
        }
    }
}

impl PrintedLine {
    /// The line as the answer to a request.
    fn answer(self, command: &str, request: &str) -> Result<Vec<u8>, AdapterError> {
        match self {
            Self::Whole(line) => Ok(line),
            Self::TooLong => {
                let request = request.to_owned();
                Err(AdapterError::TooLong { request, max_bytes: MAX_LINE_BYTES })
            }
            Self::Unreadable(error) => {
                let (command, request) = (command.to_owned(), request.to_owned());
                Err(AdapterError::Unreadable { command, request, error })
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of its input tells the program to exit.
        self.stdin = None;
        let _ = self.end_within(END_PATIENCE);
        let group = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            // This fails if no process of the group is left.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// The next line without its line end; `None` at the end of the stream. A line that the end of the stream cuts off is
/// none: the program has died while it wrote it.
fn read_line(stdout: &mut impl BufRead) -> Option<PrintedLine> {
    let mut line = Vec::new();
    if let Err(error) = stdout.take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
        return Some(PrintedLine::Unreadable(error));
    }
    if line.pop_if(|last| *last == b'\n').is_some() {
        line.pop_if(|last| *last == b'\r');
        return Some(PrintedLine::Whole(line));
    }
    (line.len() as u64 == MAX_LINE_BYTES).then_some(PrintedLine::TooLong)
}
