//! The last look at a device when a run has converged: what it found, and what earlier sessions did.

use std::time::Duration;

use mealybug::last_look::{LastLook, late_words, paused_words};
use mealybug::learn::HostSession;
use mealybug::learned_components::LearnedComponents;
use mealybug::machine::Machine;
use mealybug_core::Costs;
use serde::Deserialize;

use crate::endpoint::{Endpoint, Subject};
use crate::run::options::RunOptions;

/// How many words speak against the model, as `statistics.json` counts them.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LastDoubtCounts {
    /// After so many, something was heard that the model shows as an answer.
    pub(crate) late_words: u64,
    /// So many have other answers with a pause.
    pub(crate) paused_words: u64,
}

/// What the last look has found.
#[derive(Debug, Default)]
pub(crate) struct LastDoubts {
    pub(crate) words: LastDoubtCounts,
    pub(crate) notes: Vec<String>,
    pub(crate) asked: Costs,
}

impl LastDoubts {
    /// What earlier sessions have found, and the last look adds.
    pub(crate) fn of(earlier: LastDoubtCounts, looks: [LastLook; 2]) -> Self {
        let [late, paused] = &looks;
        let words = LastDoubtCounts {
            late_words: late.count(earlier.late_words),
            paused_words: paused.count(earlier.paused_words),
        };
        let asked = Costs {
            resets: late.asked.resets + paused.asked.resets,
            symbols: late.asked.symbols + paused.asked.symbols,
        };
        Self { words, notes: looks.into_iter().flat_map(|look| look.notes).collect(), asked }
    }
}

/// Looks at a device behind a port of this computer. Boards and agents cannot be listened to, and a program keeps its own time.
///
/// `earlier` sessions may have found something: then it looks again, even if this one has asked nothing. `mean_time` is the time that an
/// answer has taken; `goes_on` is told what is done now, and says whether to go on.
pub(crate) fn look(
    device: &mut Endpoint<'_>,
    session: &HostSession,
    subject: Subject<'_>,
    options: &RunOptions,
    earlier: LastDoubtCounts,
    mean_time: impl Fn(&str) -> Option<Duration>,
    mut goes_on: impl FnMut(&str) -> bool,
) -> [LastLook; 2] {
    let Endpoint::Port(sul) = device else { return Default::default() };
    let Some(model) = model(session, subject, options) else { return Default::default() };
    let late = late_words::listen(sul, &model, mean_time, || {
        goes_on("listening: does the device say something by itself?")
    });
    let spent = sul.statistics().spent();
    let time = match earlier.paused_words {
        0 => paused_words::time_after(spent),
        _ => paused_words::time_after(spent.max(paused_words::AT_LEAST)),
    };
    let device = sul.device().clone();
    let paused = paused_words::look(&mut **sul, &device, &model, time, || {
        goes_on("asking words with a pause of a second: are the answers the same?")
    });
    [late, paused]
}

/// What the run has learned.
fn model(session: &HostSession, subject: Subject<'_>, options: &RunOptions) -> Option<Machine> {
    let projections = session.options().projections;
    let learned = LearnedComponents::new(session.hypothesis()?, subject.inputs, projections);
    learned.product(options.max_states()).ok()
}
