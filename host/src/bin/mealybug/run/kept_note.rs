//! What `--resume` says about answers when the device file has changed.

use std::path::Path;

use mealybug::device::DeviceChanges;
use mealybug::statistics::number;
use mealybug::store::KeptAnswers;

/// Says how many answers are kept, which keys have changed, and for each how many answers are asked again because of it.
///
/// The answers are those of an earlier device file if there is a number, and nothing has changed since that file if there are no
/// changes. `before` is the device file that the run last went on with.
pub(crate) fn kept_note(
    (earlier, changes): (Option<u32>, Option<&DeviceChanges>),
    count: &KeptAnswers,
    before: &Path,
) -> String {
    let KeptAnswers { answers, kept, renamed, dropped, after_lost } = count;
    let (of, all) = (number(*kept), number(*answers));
    let whose = earlier.map(|number| format!(" in answers-{number}.log")).unwrap_or_default();
    let mut note = format!("Note: {of} of {all} answers{whose} mean the same and are kept");
    if changes.is_some_and(|changes| !changes.is_old_toml()) {
        return format!(
            "Note: 0 of {all} answers are kept, since the run's copy of its device file is not TOML. Those so far stay in the \
             folder."
        );
    }
    if *answers == 0 {
        return "Note: the device file has changed. There are no answers yet.".to_owned();
    }
    if *renamed > 0 {
        note.push_str(&format!(", {} of them with a new name", number(*renamed)));
    }
    note.push('.');
    for (at, key) in changes.map(DeviceChanges::keys).unwrap_or_default().iter().enumerate() {
        let asked = dropped.get(&at).copied().unwrap_or(0);
        if asked > 0 || key.is_changed() {
            // Of several keys that each cost all answers, the first one has them.
            let sentence =
                if asked == 0 && *kept == 0 { key.change() } else { key.sentence(asked) };
            note.push_str(&format!("\n  {sentence}."));
        }
    }
    let lost = "an answer that was lost on the line";
    match *after_lost {
        0 => {}
        1 => note.push_str(&format!("\n  1 answer follows {lost}, and is asked again.")),
        more => note
            .push_str(&format!("\n  {} answers follow {lost}, and are asked again.", number(more))),
    }
    if kept < answers || earlier.is_some() {
        note.push_str(&format!(
            "\n  The answers so far stay in the folder; --device {} goes on with them.",
            before.display()
        ));
    }
    note
}
