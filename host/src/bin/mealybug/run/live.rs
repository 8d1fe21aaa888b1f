//! Tells the page of `--live` what a run does.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mealybug::duration_text;
use mealybug::export::shown;
use mealybug::learned_components::{LearnedComponents, output_name};
use mealybug::live::{LivePage, LiveState};
use mealybug::state_names::NameSources;
use mealybug::word;
use mealybug_core::{Input, Purpose};

use crate::endpoint::Subject;
use crate::run::notes::{KeptNotes, WAITING};

/// How often the page hears of the run.
const INTERVAL: Duration = Duration::from_millis(500);

/// How many answers the page shows.
const LISTED: usize = 20;

/// The page of a run, and what it shows that nobody else counts.
#[derive(Debug)]
pub(crate) struct LiveRun {
    page: LivePage,
    inputs: Vec<String>,
    started: Instant,
    due: Instant,
    /// Since when the word is asked.
    asked: Instant,
    /// The outputs to the word that is asked.
    heard: Vec<String>,
    /// The last words that were answered, the newest first.
    answers: VecDeque<(String, String, &'static str)>,
    learning: PhaseCost,
    testing: PhaseCost,
    notes: KeptNotes,
    hypotheses: u64,
    folder: String,
    /// What was shown last of where the run stands.
    facts: Vec<(&'static str, String)>,
}

/// Words of one kind, and how long they took.
#[derive(Clone, Copy, Debug, Default)]
struct PhaseCost {
    words: u64,
    time: Duration,
}

impl LiveRun {
    /// Starts the page of the run of a subject; `names` are those of its states, `folder` is that of the run.
    pub(crate) fn start(
        subject: Subject<'_>,
        names: NameSources,
        folder: &Path,
    ) -> io::Result<Self> {
        let now = Instant::now();
        Ok(Self {
            page: LivePage::start(subject.name, names)?,
            inputs: subject.inputs.to_vec(),
            started: now,
            due: now,
            asked: now,
            heard: Vec::new(),
            answers: VecDeque::new(),
            learning: PhaseCost::default(),
            testing: PhaseCost::default(),
            notes: KeptNotes::default(),
            hypotheses: 0,
            folder: folder.display().to_string(),
            facts: Vec::new(),
        })
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        self.page.url()
    }

    /// Whether the page is to hear where the run stands.
    pub(crate) fn is_due(&self) -> bool {
        Instant::now() >= self.due
    }

    /// A word is about to be asked, with a reset first.
    pub(crate) fn word(&mut self) {
        self.heard.clear();
        self.asked = Instant::now();
    }

    /// The output to an input has come.
    pub(crate) fn heard(&mut self, position: usize, output: &[u8]) {
        self.heard.truncate(position);
        self.heard.push(output_name(output));
    }

    /// A word was answered.
    pub(crate) fn answered(&mut self, purpose: Purpose, word: &[Input]) {
        let (spent, purpose) = match purpose {
            Purpose::Learning => (&mut self.learning, "learning"),
            Purpose::Testing => (&mut self.testing, "testing"),
        };
        spent.words += 1;
        spent.time += self.asked.elapsed();
        let outputs: Vec<_> = self.heard.iter().map(|output| shown(output)).collect();
        self.answers.push_front((word::format(word, &self.inputs), outputs.join(", "), purpose));
        self.answers.truncate(LISTED);
    }

    /// There is a new hypothesis.
    pub(crate) fn hypothesis(&mut self, round: u64, learned: LearnedComponents) {
        self.hypotheses += 1;
        self.page.set_hypothesis(round, learned);
    }

    /// Where notes for the page are kept.
    pub(crate) fn notes(&self) -> KeptNotes {
        Arc::clone(&self.notes)
    }

    /// Shows where the run stands.
    pub(crate) fn show(&mut self, phase: String, mut facts: Vec<(&'static str, String)>) {
        self.due = Instant::now() + INTERVAL;
        self.facts.clone_from(&facts);
        facts.insert(0, ("running for", duration_text::text(self.started.elapsed().as_secs_f64())));
        facts.push(("its folder", self.folder.clone()));
        self.page.set_state(&LiveState { phase, facts, ..self.state() });
    }

    /// Nothing can be asked until the device comes back: where the run stands is as it was.
    pub(crate) fn waits(&mut self) {
        self.show(WAITING.to_owned(), self.facts.clone());
    }

    fn state(&self) -> LiveState {
        let all = self.started.elapsed();
        let rest = all.saturating_sub(self.learning.time + self.testing.time);
        let device = [("words to learn", self.learning), ("words to test", self.testing)];
        let mut times: Vec<_> = device
            .into_iter()
            .map(|(what, PhaseCost { words, time })| (what, Some(words), time.as_secs_f64()))
            .collect();
        times.push(("not at the device", None, rest.as_secs_f64()));
        LiveState {
            times,
            answers: self.answers.iter().cloned().collect(),
            notes: self.notes.lock().map(|notes| notes.clone()).unwrap_or_default(),
            hypotheses: self.hypotheses,
            ..LiveState::default()
        }
    }
}
