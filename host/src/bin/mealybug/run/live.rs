//! Tells the page of `--live` what a run does.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mealybug::duration_text;
use mealybug::export::shown;
use mealybug::learned::{Learned, output_name};
use mealybug::live::{LivePage, LiveState};
use mealybug::word;
use mealybug_core::{Input, Purpose};

use crate::run::notes::KeptNotes;

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
    /// What the device does now, and since when.
    busy: Option<(Busy, Instant)>,
    /// The outputs and times of the word that is asked.
    heard: Vec<(String, Duration)>,
    /// The last words that were answered, the newest first.
    answers: VecDeque<(String, String, &'static str)>,
    resets: Spent,
    /// For each input.
    steps: Vec<Spent>,
    notes: KeptNotes,
    hypotheses: u64,
    folder: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Busy {
    Reset,
    Step,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    count: u64,
    time: Duration,
}

impl Spent {
    fn add(&mut self, time: Duration) {
        self.count += 1;
        self.time += time;
    }
}

impl LiveRun {
    /// Starts the page of the run `name` with these inputs and this folder.
    pub(crate) fn start(name: &str, inputs: &[String], folder: &Path) -> io::Result<Self> {
        let now = Instant::now();
        Ok(Self {
            page: LivePage::start(name)?,
            inputs: inputs.to_vec(),
            started: now,
            due: now,
            busy: None,
            heard: Vec::new(),
            answers: VecDeque::new(),
            resets: Spent::default(),
            steps: vec![Spent::default(); inputs.len()],
            notes: KeptNotes::default(),
            hypotheses: 0,
            folder: folder.display().to_string(),
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
        self.busy = Some((Busy::Reset, Instant::now()));
    }

    /// An input is about to be asked.
    pub(crate) fn asking(&mut self) {
        let now = Instant::now();
        match self.busy {
            Some((Busy::Reset, since)) if self.heard.is_empty() => self.resets.add(now - since),
            Some(_) => return,
            None => {}
        }
        self.busy = Some((Busy::Step, now));
    }

    /// The output to an input has come.
    pub(crate) fn heard(&mut self, position: usize, output: &[u8]) {
        let time = match self.busy.take() {
            Some((Busy::Step, since)) => since.elapsed(),
            _ => Duration::ZERO,
        };
        self.heard.truncate(position);
        self.heard.push((output_name(output), time));
    }

    /// A word was answered.
    pub(crate) fn answered(&mut self, purpose: Purpose, word: &[Input]) {
        self.busy = None;
        for (input, (_, time)) in word.iter().zip(&self.heard) {
            if let Some(spent) = self.steps.get_mut(input.index() as usize) {
                spent.add(*time);
            }
        }
        let outputs: Vec<_> = self.heard.iter().map(|(output, _)| shown(output)).collect();
        let purpose = match purpose {
            Purpose::Learning => "learning",
            Purpose::Testing => "testing",
        };
        self.answers.push_front((word::format(word, &self.inputs), outputs.join(", "), purpose));
        self.answers.truncate(LISTED);
    }

    /// There is a new hypothesis.
    pub(crate) fn hypothesis(&mut self, round: u64, learned: Learned) {
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
        facts.insert(0, ("running for", duration_text::text(self.started.elapsed().as_secs_f64())));
        facts.push(("its folder", self.folder.clone()));
        self.page.set_state(&LiveState { phase, facts, ..self.state() });
    }

    fn state(&self) -> LiveState {
        let seconds = |time: Duration| time.as_secs_f64();
        let inputs = self.inputs.iter().zip(&self.steps);
        let mut times: Vec<_> = inputs
            .map(|(name, spent)| {
                (format!("input {}", shown(name)), spent.count, seconds(spent.time))
            })
            .filter(|(_, count, _)| *count > 0)
            .collect();
        times.push(("reset".to_owned(), self.resets.count, seconds(self.resets.time)));
        let device: f64 = times.iter().map(|(.., seconds)| seconds).sum();
        let rest = (self.started.elapsed().as_secs_f64() - device).max(0.0);
        times.push(("everything but the device".to_owned(), 1, rest));
        times.sort_by(|one, other| other.2.total_cmp(&one.2));
        times.truncate(3 * LISTED);
        LiveState {
            times,
            answers: self.answers.iter().cloned().collect(),
            notes: self.notes.lock().map(|notes| notes.clone()).unwrap_or_default(),
            hypotheses: self.hypotheses,
            ..LiveState::default()
        }
    }
}
