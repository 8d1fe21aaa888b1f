//! What the earlier sessions of a resumed run have asked and taken.

use mealybug::run_folder::RunFolder;
use mealybug::statistics::{Cost, EarlierSessions};
use mealybug::store::Store;
use serde::Deserialize;

/// What counts of `statistics.json`, as the last session wrote it.
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
    let text = std::fs::read_to_string(folder.path().join("statistics.json")).unwrap_or_default();
    let last: Option<LastSession> = serde_json::from_str(&text).ok();
    let seconds = last.map_or(0.0, |LastSession { seconds, earlier }| {
        seconds + earlier.map_or(0.0, |earlier| earlier.seconds)
    });
    Some(EarlierSessions { device, seconds })
}
