//! What the earlier sessions of a resumed run have asked and taken.

use mealybug::run_folder::RunFolder;
use mealybug::statistics::{Cost, EarlierSessions};
use mealybug::store::Store;
use serde::Deserialize;

use crate::run::last_look::KnownDoubts;

/// The part of the last session's `statistics.json` that is added up.
#[derive(Debug, Deserialize)]
struct LastSession {
    device: Cost,
    seconds: f64,
    #[serde(default)]
    earlier: Option<EarlierSessions>,
}

impl LastSession {
    /// What it cost, together with the sessions before it.
    fn in_all(self) -> EarlierSessions {
        let Self { device, seconds, earlier } = self;
        let last = EarlierSessions { device, seconds };
        earlier.map_or(last, |before| EarlierSessions {
            device: device + before.device,
            seconds: seconds + before.seconds,
        })
    }
}

/// What the last look of the session before has found. This session may not meet it again before it looks.
pub(crate) fn doubts(folder: &RunFolder) -> KnownDoubts {
    folder.last_statistics().unwrap_or_default()
}

/// What the run has cost before this session asks anything. `None` if that is nothing.
///
/// A session that was killed has left its answers in `store`, and not how long it took.
pub(crate) fn sessions(folder: &RunFolder, store: &Store) -> Option<EarlierSessions> {
    let known = Cost { resets: store.words(), symbols: store.symbols() };
    let last = folder.last_statistics().map(LastSession::in_all);
    if store.is_empty() && last.is_none() {
        return None;
    }
    let EarlierSessions { device, seconds } =
        last.unwrap_or(EarlierSessions { device: known, seconds: 0.0 });
    let (resets, symbols) = (device.resets.max(known.resets), device.symbols.max(known.symbols));
    Some(EarlierSessions { device: Cost { resets, symbols }, seconds })
}
