//! Shell commands that act on the device.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::link::TimedLink;
use crate::device::ShellCommand;
use crate::escape::visible_lines;
use crate::place::PLACE_VARIABLE;

/// How often to check on a running command.
const RUN_POLL: Duration = Duration::from_millis(5);
/// How long to wait for the standard error of a command that has ended.
const RUN_WORDS: Duration = Duration::from_millis(100);

/// Runs a command to its end, and appends to `seen` what the device says meanwhile.
///
/// The inner error says why the command failed. An interruption, or a link that fails, lets the command finish, and is the
/// error after that.
///
/// # Errors
/// An interruption, or a link that failed.
pub fn run_command<L: TimedLink>(
    link: &mut L,
    run: &ShellCommand,
    seen: &mut Vec<u8>,
) -> io::Result<Result<(), String>> {
    let ShellCommand { command, folder, within } = run;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    shell.envs(link.place().map(|place| (PLACE_VARIABLE, place)));
    if !folder.as_os_str().is_empty() {
        shell.current_dir(folder);
    }
    let mut child = match in_a_group(&mut shell).spawn() {
        Ok(child) => child,
        Err(error) => return Ok(Err(format!("`{command}` could not be started: {error}"))),
    };
    let words = listen(&mut child);
    let started = Instant::now();
    let mut link_error = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > *within {
            stop(&mut child);
            if let Some(error) = link_error {
                return Err(error);
            }
            let within = within.as_millis();
            return Ok(Err(format!("`{command}` did not end within {within} ms")));
        }
        let until = link.now() + RUN_POLL;
        if link_error.is_some() {
            thread::sleep(RUN_POLL);
        } else if let Err(error) = link.collect(until, seen) {
            // Half a power cycle would leave the device without power. A whole one may end the connection.
            link_error = Some(error);
        }
    };
    if let Some(error) = link_error {
        return Err(error);
    }
    if status.success() {
        return Ok(Ok(()));
    }
    let words = words.recv_timeout(RUN_WORDS).unwrap_or_default();
    Ok(Err(format!("`{command}` {}", failure(status, &words))))
}

fn failure(status: ExitStatus, words: &[u8]) -> String {
    let words = String::from_utf8_lossy(words);
    let words = visible_lines(&words);
    match words.trim() {
        "" => format!("failed: {status}"),
        words => format!("failed: {status}: {words}"),
    }
}

/// Reads the command's standard error in a thread, so that a full pipe never blocks the command.
fn listen(child: &mut Child) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut stderr) = child.stderr.take() {
        thread::spawn(move || {
            let mut words = Vec::new();
            // The error is harmless: what was read so far is kept. The receiver may be gone.
            let _ = stderr.read_to_end(&mut words);
            let _ = sender.send(words);
        });
    }
    receiver
}

/// Gives the command a process group, so that it can be stopped with everything that it started.
fn in_a_group(command: &mut Command) -> &mut Command {
    std::os::unix::process::CommandExt::process_group(command, 0)
}

/// Kills a command and everything that it started.
fn stop(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // The command may have ended by itself just now.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
}
