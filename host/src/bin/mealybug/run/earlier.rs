//! What the earlier sessions of a resumed run have asked and taken.

use mealybug::run_folder::RunFolder;
use mealybug::statistics::{Cost, EarlierSessions};
use mealybug::store::Store;
use serde::Deserialize;

/// The part of the last session's `statistics.json` that is added up.
#[derive(Debug, Deserialize)]
struct LastSession {
    seconds: f64,
    #[serde(default)]
    earlier: Option<EarlierSessions>,
}

/// What the answers in `store` have cost, before this session asks anything. `None` if there are none. Sessions
/// that were killed have left their answers, and not how long they took.
pub(crate) fn sessions(folder: &RunFolder, store: &Store) -> Option<EarlierSessions> {
    if store.is_empty() {
        return None;
    }
    let device = Cost { resets: store.words(), symbols: store.tree().heard() };
    let last: Option<LastSession> = folder.last_statistics();
    let seconds = last.map_or(0.0, |LastSession { seconds, earlier }| {
        seconds + earlier.map_or(0.0, |earlier| earlier.seconds)
    });
    Some(EarlierSessions { device, seconds })
}
