//! Runs a program that makes pictures: its input is one file, its output another.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Why a program made no picture.
#[derive(Debug)]
pub(super) enum ProgramFault {
    /// It cannot be started.
    Start(io::Error),
    /// The time limit was reached and the program was killed.
    TooSlow,
    /// It ended with an error.
    Failed,
}

/// Runs a program on this input and returns its output. Kills it when the time limit is reached.
pub(super) fn output(
    program: &mut Command,
    input: String,
    limit: Duration,
) -> Result<Vec<u8>, ProgramFault> {
    let streams = program.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = streams.spawn().map_err(ProgramFault::Start)?;
    let (mut stdin, mut stdout) = (child.stdin.take(), child.stdout.take());
    // Reading and writing may both block. Both threads end with the program.
    thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes())));
    let (sender, output) = mpsc::channel();
    thread::spawn(move || {
        let mut output = Vec::new();
        let read = stdout.as_mut().map(|stdout| stdout.read_to_end(&mut output));
        // After the time limit the receiver is gone.
        let _ = sender.send(read.and_then(Result::ok).map(|_| output));
    });
    let output = output.recv_timeout(limit);
    if output.is_err() {
        // Killing fails if the program has just ended.
        let _ = child.kill();
    }
    let is_success = child.wait().is_ok_and(|status| status.success());
    match output {
        Ok(Some(output)) if is_success => Ok(output),
        Ok(_) => Err(ProgramFault::Failed),
        Err(_) => Err(ProgramFault::TooSlow),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_too_slow_is_ended() {
        // The input is larger than a pipe's buffer and is never read.
        let (input, limit) = ("x".repeat(1 << 20), Duration::from_millis(50));
        let slow = output(Command::new("sleep").arg("1000"), input.clone(), limit);
        assert!(matches!(slow, Err(ProgramFault::TooSlow)), "{slow:?}");
        let limit = Duration::from_secs(100);
        let copied = output(&mut Command::new("cat"), input.clone(), limit).expect("it copies");
        assert!(copied == input.as_bytes());
        let failed = output(&mut Command::new("false"), input, limit);
        assert!(matches!(failed, Err(ProgramFault::Failed)), "{failed:?}");
        let none = output(&mut Command::new("no/such/program"), String::new(), limit);
        assert!(matches!(none, Err(ProgramFault::Start(_))), "{none:?}");
    }
}
