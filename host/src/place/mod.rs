//! Places of a [labgrid](https://labgrid.readthedocs.io) coordinator: boards that several people share.
//!
//! A [`Place`] is acquired for a run, says where its serial port is, and is released when it is dropped. labgrid's own
//! client does the work: it is called as a program, and finds the coordinator by LG_COORDINATOR.

mod client;
mod error;
mod mark;
mod monitor;
mod shown;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::interrupt;
use client::call;
use mark::AcquiredMark;
use monitor::WatchedPlace;
use shown::Shown;

pub use error::PlaceError;
pub use shown::PlacePort;

/// The environment variable in which labgrid-client finds the name of a place.
pub(crate) const PLACE_VARIABLE: &str = "LG_PLACE";

/// How long it takes at most to notice a signal.
const NOTICE: Duration = Duration::from_millis(50);

/// Whether this process has used a place.
static IS_USED: AtomicBool = AtomicBool::new(false);
/// The places of this process that are to be released.
static ACQUIRED: Mutex<Vec<Acquired>> = Mutex::new(Vec::new());

/// A place that this process uses.
#[derive(Debug)]
pub struct Place {
    name: String,
    /// The name of its serial port, for places that have several.
    wanted_port: Option<String>,
    /// Where its serial port is.
    port: PlacePort,
    watch: WatchedPlace,
    interrupted: Arc<AtomicBool>,
}

/// A place that is to be released, and the note about it.
#[derive(Debug)]
struct Acquired {
    name: String,
    mark: Option<AcquiredMark>,
    /// Whether somebody else did it already.
    is_gone: bool,
}

impl Place {
    /// Acquires a place. `text` is its name, or `NAME/PORT` for one of its serial ports.
    ///
    /// A place that this user has acquired before, or may use by `labgrid-client allow`, is used and not released. One
    /// that a killed run of this user left is taken over. Such things are noted on standard error.
    ///
    /// From here on signals do not end the process at once: [`interrupt::flag`].
    ///
    /// # Errors
    /// There is no labgrid-client, no coordinator or no such place; somebody else has it; it has no serial port.
    pub fn acquire(text: &str) -> Result<Self, PlaceError> {
        let (name, wanted_port) = match text.split_once('/') {
            Some((name, port)) => (name, Some(port.to_owned())),
            None => (text, None),
        };
        let interrupted = interrupt::flag()?;
        IS_USED.store(true, Ordering::Relaxed);
        let shown = show(name, &interrupted)?;
        let name = shown.name.clone();
        let mark = AcquiredMark::take(&name)?;
        let acquired = match &shown.holder {
            None => Some(acquire(&name, mark)?),
            Some(holder) if !shown.allows(&me()) => {
                return Err(PlaceError::Held { name, holder: holder.clone() });
            }
            Some(_) if mark.as_ref().is_some_and(|mark| mark.is_of(&shown.changed)) => {
                note(&format!(
                    "Note: place {name} is still acquired by a mealybug that was killed. This one takes it over."
                ));
                Some(Acquired { name: name.clone(), mark, is_gone: false })
            }
            Some(_) => {
                note(&format!(
                    "Note: place {name} was acquired before, and stays acquired at the end."
                ));
                None
            }
        };
        if let Some(acquired) = acquired {
            lock().push(acquired);
        }
        Self::begin(&name, wanted_port, interrupted).inspect_err(|_| release(&name))
    }

    fn begin(
        name: &str,
        wanted_port: Option<String>,
        interrupted: Arc<AtomicBool>,
    ) -> Result<Self, PlaceError> {
        let shown = show(name, &interrupted)?;
        let holder = shown.holder.as_deref().unwrap_or_default();
        let watch = WatchedPlace::new(name, holder);
        if let Some(acquired) = lock().iter_mut().find(|acquired| acquired.name == name)
            && let Some(mark) = &mut acquired.mark
        {
            mark.write(&shown.changed);
        }
        let port = shown.port(wanted_port.as_deref())?;
        Ok(Self { name: name.to_owned(), wanted_port, port, watch, interrupted })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its serial port is.
    pub fn port(&self) -> &PlacePort {
        &self.port
    }

    /// Asks where its serial port is now: an exporter that is started again gives it another TCP port.
    pub(crate) fn find_port(&mut self) -> Result<&PlacePort, PlaceError> {
        let shown = show(&self.name, &self.interrupted)?;
        self.port = shown.port(self.wanted_port.as_deref())?;
        Ok(&self.port)
    }

    /// Fails if somebody took the place away.
    pub(crate) fn require(&self) -> Result<(), PlaceError> {
        let Some(how) = self.watch.taken() else { return Ok(()) };
        Err(PlaceError::Taken { name: self.name.clone(), how })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.require().is_err() {
            lock().iter_mut().filter(|it| it.name == self.name).for_each(|it| it.is_gone = true);
        }
        release(&self.name);
    }
}

/// Releases all places that this process has acquired, for a process that ends in the middle.
pub fn release_all() {
    let names: Vec<_> = lock().iter().map(|acquired| acquired.name.clone()).collect();
    names.iter().for_each(|name| release(name));
}

/// From here on a signal releases the places of this process and ends it, in the middle of whatever it does. Does nothing
/// if the process has used none: then a signal ends it anyway.
pub fn end_with_signals() {
    if !IS_USED.load(Ordering::Relaxed) {
        return;
    }
    let Ok(interrupted) = interrupt::flag() else { return };
    thread::spawn(move || {
        while !interrupted.load(Ordering::Relaxed) {
            thread::sleep(NOTICE);
        }
        release_all();
        std::process::exit(interrupt::EXIT_STATUS.into());
    });
}

/// Acquires a place that nobody has.
fn acquire(name: &str, mut mark: Option<AcquiredMark>) -> Result<Acquired, PlaceError> {
    if let Some(mark) = &mut mark {
        mark.write("");
    }
    let mut acquired = Acquired { name: name.to_owned(), mark, is_gone: false };
    // Not to be interrupted: half an acquisition is one that nobody releases.
    let Err(error) = call(name, "acquire", None) else { return Ok(acquired) };
    // Without an answer nobody knows whether it was acquired.
    acquired.is_gone = !matches!(error, PlaceError::TimedOut { .. });
    let is_gone = acquired.is_gone;
    lock().push(acquired);
    release(name);
    // Somebody else may have been faster.
    let shown = if is_gone { call(name, "show", None).ok() } else { None };
    match shown.as_deref().and_then(Shown::parse).and_then(|shown| shown.holder) {
        Some(holder) => Err(PlaceError::Held { name: name.to_owned(), holder }),
        None => Err(error),
    }
}

/// Releases a place if this process has acquired it.
fn release(name: &str) {
    let mut acquired = lock();
    let Some(at) = acquired.iter().position(|acquired| acquired.name == name) else { return };
    let Acquired { mut mark, is_gone, .. } = acquired.swap_remove(at);
    drop(acquired);
    let released = if is_gone { Ok(String::new()) } else { call(name, "release", None) };
    match released {
        Ok(_) => mark.iter_mut().for_each(AcquiredMark::clear),
        Err(error) => note(&format!(
            "Note: place {name} could not be released: {error}; `labgrid-client -p {name} release` does it"
        )),
    }
}

fn show(name: &str, interrupted: &AtomicBool) -> Result<Shown, PlaceError> {
    let shown = call(name, "show", Some(interrupted))?;
    Shown::parse(&shown).ok_or_else(|| PlaceError::Failed {
        command: format!("{} -p {name} show", client::CLIENT),
        said: "it describes no place".to_owned(),
    })
}

/// `HOST/USER`, as labgrid-client calls us.
fn me() -> String {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let host = || rustix::system::uname().nodename().to_string_lossy().into_owned();
    let id = || {
        let id = Command::new("id").arg("-un").output().ok()?;
        Some(String::from_utf8_lossy(&id.stdout).trim().to_owned())
    };
    // Python's getpass.getuser.
    let names = ["LG_USERNAME", "LOGNAME", "USER", "LNAME", "USERNAME"];
    let user = names.into_iter().find_map(set).or_else(id).unwrap_or_default();
    format!("{}/{user}", set("LG_HOSTNAME").unwrap_or_else(host))
}

/// Says something that does not end the run. Nobody can be told if that fails.
fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

fn lock() -> MutexGuard<'static, Vec<Acquired>> {
    ACQUIRED.lock().unwrap_or_else(PoisonError::into_inner)
}
