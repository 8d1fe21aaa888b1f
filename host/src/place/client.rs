//! Calls of labgrid-client, the command-line client of labgrid.

use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::error::PlaceError;
use crate::escape::visible_lines;

/// The program.
pub(super) const CLIENT: &str = "labgrid-client";
/// The environment variable that says where the coordinator is, and what labgrid-client takes without it.
const COORDINATOR_VARIABLE: &str = "LG_COORDINATOR";
const DEFAULT_COORDINATOR: &str = "127.0.0.1:20408";
/// How long a call may take.
const WITHIN: Duration = Duration::from_secs(30);
/// How often to check for an interruption.
const POLL: Duration = Duration::from_millis(20);

/// Where the coordinator is.
pub(super) fn coordinator() -> String {
    let set = std::env::var(COORDINATOR_VARIABLE).ok().filter(|address| !address.is_empty());
    set.unwrap_or_else(|| DEFAULT_COORDINATOR.to_owned())
}

/// Calls `labgrid-client -p PLACE COMMAND`, and returns what it prints. Once `interrupted` is true, it is stopped.
pub(super) fn call(
    place: &str,
    command: &str,
    interrupted: Option<&AtomicBool>,
) -> Result<String, PlaceError> {
    let mut client = Command::new(CLIENT);
    client.args(["-p", place, command]).stdin(Stdio::null());
    client.stdout(Stdio::piped()).stderr(Stdio::piped());
    // With a file of targets, `acquire` takes the places in that file.
    client.env_remove("LG_ENV").env_remove("LG_STATE").env_remove("LG_INITIAL_STATE");
    // Ctrl-C must not reach a call that acquires or releases.
    let child = client.process_group(0).spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => PlaceError::NoClient,
        _ => PlaceError::Start(error),
    })?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || {
        // The receiver may be gone.
        let _ = sender.send(child.wait_with_output());
    });
    let stop = || group.map(|group| kill_process_group(group, Signal::KILL));
    let called = || format!("{CLIENT} -p {place} {command}");
    let deadline = Instant::now() + WITHIN;
    let output = loop {
        match ended.recv_timeout(POLL) {
            Ok(output) => break output.map_err(PlaceError::Start)?,
            Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                stop();
                return Err(PlaceError::TimedOut { command: called(), within: WITHIN });
            }
            Err(RecvTimeoutError::Timeout)
                if interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) =>
            {
                stop();
                return Err(PlaceError::Interrupted);
            }
            Err(_) => {}
        }
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = [output.stderr, output.stdout].concat();
    Err(failure(place, called(), &String::from_utf8_lossy(&said)))
}

/// The error for a call that failed and printed this.
fn failure(place: &str, command: String, printed: &str) -> PlaceError {
    let printed = visible_lines(printed);
    let mut lines = printed.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines.next_back().unwrap_or("it says nothing");
    let said = said.rsplit_once("rror: ").map_or(said, |(_, said)| said).to_owned();
    if said.contains("connect") {
        return PlaceError::NoCoordinator { address: coordinator(), said };
    }
    if said.contains("matches nothing") || said.contains("matches multiple places") {
        return PlaceError::Unknown { name: place.to_owned(), said };
    }
    PlaceError::Failed { command, said }
}
