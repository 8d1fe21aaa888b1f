//! What `--resume` says about answers when the device file has changed.

use mealybug::device::DeviceChanges;
use mealybug::statistics::number;
use mealybug::store::KeptAnswers;

/// Says how many answers are kept, which keys have changed, and for each how many answers are asked again because of it.
pub(crate) fn kept_note(changes: &DeviceChanges, count: &KeptAnswers) -> String {
    let KeptAnswers { answers, kept, renamed, dropped, after_lost } = count;
    let (of, all) = (number(*kept), number(*answers));
    let mut note = format!("Note: {of} of {all} answers mean the same and are kept");
    if !changes.is_old_toml() {
        return format!(
            "Note: 0 of {all} answers are kept, since the run's copy of its device file is not TOML. Those so far stay in the \
             folder."
        );
    }
    if *renamed > 0 {
        note.push_str(&format!(", {} of them with a new name", number(*renamed)));
    }
    note.push('.');
    for (at, key) in changes.keys().iter().enumerate() {
        let asked = dropped.get(&at).copied().unwrap_or(0);
        if asked > 0 || key.is_changed() {
            note.push_str(&format!("\n  {}.", key.sentence(asked)));
        }
    }
    let lost = "an answer that was lost on the line";
    match *after_lost {
        0 => {}
        1 => note.push_str(&format!("\n  1 answer follows {lost}, and is asked again.")),
        more => note
            .push_str(&format!("\n  {} answers follow {lost}, and are asked again.", number(more))),
    }
    if kept < answers {
        note.push_str("\n  The answers so far stay in the folder.");
    }
    note
}
