//! Notices that somebody takes a place away, by what `labgrid-client monitor` prints.
//!
//! ```text
//! Place lock changed:
//!   acquired: desk/anna -> None
//! ```
//!
//! What happened before the monitor was connected it does not print, nor that it is connected; so places are asked for
//! as well, soon at first and then ever more rarely.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::client::{CLIENT, call};
use super::shown::Shown;

/// Ends the client when its standard input ends: also when we are killed.
const SCRIPT: &str = r#""$1" monitor & exec >&-; cat >/dev/null; kill $!"#;

/// How long after the start places are asked for, and how often at least later.
const FIRST: Duration = Duration::from_secs(1);
const RAREST: Duration = Duration::from_secs(60);

/// The monitor of this process.
static MONITOR: Mutex<Weak<Monitor>> = Mutex::new(Weak::new());

/// A running `labgrid-client monitor`, one for all places.
#[derive(Debug)]
struct Monitor {
    child: Option<Child>,
    places: Arc<Mutex<Places>>,
}

/// The places that are watched.
type Places = HashMap<String, Holder>;

#[derive(Debug)]
struct Holder {
    /// `HOST/USER`, as the coordinator calls us.
    holder: String,
    /// How it was taken away.
    taken: Option<String>,
}

impl Holder {
    fn take(&mut self, new_holder: Option<&str>) {
        self.taken = Some(match new_holder {
            None => "somebody released it".to_owned(),
            Some(holder) => format!("it is acquired by {holder} now"),
        });
    }
}

/// Watches a place.
#[derive(Debug)]
pub(super) struct WatchedPlace {
    place: String,
    monitor: Arc<Monitor>,
}

impl WatchedPlace {
    /// Watches a place that `holder` has acquired.
    pub(super) fn new(place: &str, holder: &str) -> Self {
        let mut running = lock(&MONITOR);
        let monitor = running.upgrade().unwrap_or_else(|| {
            let monitor = Arc::new(Monitor::start());
            *running = Arc::downgrade(&monitor);
            monitor
        });
        let watched = Holder { holder: holder.to_owned(), taken: None };
        lock(&monitor.places).insert(place.to_owned(), watched);
        Self { place: place.to_owned(), monitor }
    }

    /// How the place was taken away, if it was.
    pub(super) fn taken(&self) -> Option<String> {
        lock(&self.monitor.places).get(&self.place)?.taken.clone()
    }
}

impl Monitor {
    /// If it cannot be started, or ends, more time passes until something is noticed.
    fn start() -> Self {
        let mut client = Command::new("sh");
        client.args(["-c", SCRIPT, "sh", CLIENT]).env("PYTHONUNBUFFERED", "1");
        client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = client.process_group(0).spawn().ok();
        let places = Arc::<Mutex<Places>>::default();
        let asked_for = Arc::downgrade(&places);
        thread::spawn(move || ask(&asked_for));
        if let Some(stdout) = child.as_mut().and_then(|child| child.stdout.take()) {
            let places = Arc::clone(&places);
            thread::spawn(move || read(BufReader::new(stdout), &places));
        }
        Self { child, places }
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        let Some(child) = &mut self.child else { return };
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // This fails if no process of the group is left.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = child.wait();
    }
}

/// Takes in what happens to places.
fn read(printed: impl BufRead, places: &Mutex<Places>) {
    let mut changed = String::new();
    for line in printed.lines().map_while(Result::ok) {
        let mut places = lock(places);
        if !line.starts_with(' ') {
            let (place, what) = place_and_what(&line).unwrap_or_default();
            if let Some(watched) = places.get_mut(place).filter(|_| what == "deleted") {
                watched.taken = Some("somebody deleted it".to_owned());
            }
            changed = if what == "changed:" { place.to_owned() } else { String::new() };
        } else if let Some((old, new)) =
            line.strip_prefix("  acquired: ").and_then(|change| change.split_once(" -> "))
            && let Some(watched) = places.get_mut(&changed)
            && watched.holder == old
        {
            watched.take((new != "None").then_some(new));
        }
    }
}

/// Asks who has the places, as long as they are watched.
fn ask(places: &Weak<Mutex<Places>>) {
    let mut pause = FIRST;
    loop {
        thread::sleep(pause);
        let Some(watched) = places.upgrade() else { return };
        let names: Vec<_> = lock(&watched).keys().cloned().collect();
        drop(watched);
        for name in names {
            // A coordinator that does not answer takes nothing away.
            let shown = call(&name, "show", None).ok().as_deref().and_then(Shown::parse);
            let (Some(shown), Some(places)) = (shown, places.upgrade()) else { continue };
            if let Some(watched) = lock(&places).get_mut(&name)
                && watched.taken.is_none()
                && shown.holder.as_ref() != Some(&watched.holder)
            {
                watched.take(shown.holder.as_deref());
            }
        }
        pause = RAREST.min(pause * 2);
    }
}

/// Of `Place NAME changed:`, the name and the rest.
fn place_and_what(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("Place ")?.rsplit_once(' ')
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_takes_our_places_away_counts() {
        let printed = "\
Place lock created: Place(name='lock', acquired='desk/anna')
Place lock changed:
  comment: old -> acquired: desk/anna -> None
Place other changed:
  acquired: desk/anna -> None
Place door changed:
  acquired: None -> desk/anna
Resource desk/lock/NetworkSerialPort changed:
  acquired: desk/anna -> None
Place gate changed:
  acquired: desk/anna -> desk/bert
  changed: 1.0 -> 2.0
Place wall deleted
";
        let watched = || Holder { holder: "desk/anna".to_owned(), taken: None };
        let names = ["lock", "door", "gate", "wall"];
        let places = names.map(|name| (name.to_owned(), watched())).into_iter().collect();
        let places = Mutex::new(places);
        read(printed.as_bytes(), &places);
        let places = lock(&places);
        let taken = names.map(|name| places[name].taken.as_deref());
        let (gate, wall) = ("it is acquired by desk/bert now", "somebody deleted it");
        assert_eq!(taken, [None, None, Some(gate), Some(wall)]);
    }
}
