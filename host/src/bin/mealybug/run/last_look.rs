//! The last look at a device when a run has converged: what it found, and what earlier sessions did.

use std::time::Duration;

use mealybug::last_look::late_words::{self, LateWords};
use mealybug::last_look::paused_words::{self, PausedWords};
use mealybug::learn::HostSession;
use mealybug::learned_components::LearnedComponents;
use mealybug::machine::Machine;
use mealybug::statistics::RefutingWord;
use mealybug_core::Costs;
use serde::Deserialize;

use crate::endpoint::{Endpoint, Subject};
use crate::run::options::RunOptions;

/// What speaks against the model, as `statistics.json` keeps it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct KnownDoubts {
    /// The number of words after which the device said by itself what the model shows as an answer.
    pub(crate) late_words: u64,
    /// Words that the device answers otherwise than the model.
    pub(crate) refuting_words: Vec<RefutingWord>,
}

/// What the last look has found.
#[derive(Debug, Default)]
pub(crate) struct LastDoubts {
    pub(crate) known: KnownDoubts,
    pub(crate) notes: Vec<String>,
    /// What was asked, and how long all took.
    pub(crate) asked: Costs,
    pub(crate) took: Duration,
}

impl LastDoubts {
    /// Without a last look, what earlier sessions have found still counts.
    pub(crate) fn of_earlier(known: KnownDoubts) -> Self {
        Self { known, ..Self::default() }
    }
}

/// Looks at a device behind a port of this computer. Boards and agents cannot be listened to, and a program keeps its own time.
///
/// `earlier` sessions may have found something: that is looked at again, even if this one has asked nothing. `mean_time` is the time
/// that an answer has taken; `goes_on` is told what is done now, and says whether to go on.
pub(crate) fn look(
    device: &mut Endpoint<'_>,
    session: &HostSession,
    subject: Subject<'_>,
    options: &RunOptions,
    earlier: KnownDoubts,
    mean_time: impl Fn(&str) -> Option<Duration>,
    mut goes_on: impl FnMut(&str) -> bool,
) -> LastDoubts {
    let Endpoint::Port(sul) = device else { return LastDoubts::of_earlier(earlier) };
    let Some(model) = model(session, subject, options) else {
        return LastDoubts::of_earlier(earlier);
    };
    let time = paused_words::time_after(sul.statistics().spent());
    let began = sul.link().now();
    let late: LateWords = late_words::listen(sul, &model, mean_time, || {
        goes_on("listening: does the device say something by itself?")
    });
    let device = sul.device().clone();
    let paused: PausedWords =
        paused_words::look(&mut **sul, &device, &model, time, &earlier.refuting_words, || {
            goes_on("asking words with a pause of a second: are the answers the same?")
        });
    let asked = Costs {
        resets: late.asked.resets + paused.asked.resets,
        symbols: late.asked.symbols + paused.asked.symbols,
    };
    let took = sul.link().now().saturating_sub(began);
    let late_words = late.count(earlier.late_words);
    let known = KnownDoubts { late_words, refuting_words: paused.refuting };
    LastDoubts { known, notes: [late.notes, paused.notes].concat(), asked, took }
}

/// What the run has learned.
fn model(session: &HostSession, subject: Subject<'_>, options: &RunOptions) -> Option<Machine> {
    let projections = session.options().projections;
    let learned = LearnedComponents::new(session.hypothesis()?, subject.inputs, projections);
    learned.product(options.max_states()).ok()
}
