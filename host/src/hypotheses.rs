//! Stores each hypothesis of a run in a file of its own, as soon as it is made.
//!
//! A small hypothesis is stored as a machine, `hypotheses/1.dot`. If its machine is too large, or
//! its components contradict each other, its components are stored, `hypotheses/1.postcard`. The
//! total size is limited, because a run may make thousands of hypotheses. A full disk stops the
//! storing of hypotheses but not the run.

use mealybug_core::{Hypothesis, Progress};

use crate::dot;
use crate::learn::HostSession;
use crate::learned_components::LearnedComponents;
use crate::result_file;
use crate::run_folder::{RunFolder, RunFolderError};
use crate::state_names::NameSources;
use crate::statistics::Round;

/// A hypothesis with more states is stored as its components.
const MAX_STATES: u32 = 1000;

/// The maximum total size of all hypotheses.
const MAX_BYTES: usize = 64 << 20;

/// A hypothesis that is not written yet.
#[derive(Debug)]
struct HeldHypothesis {
    number: u64,
    file: String,
    bytes: Vec<u8>,
}

/// Stores the hypotheses of a run.
#[derive(Debug)]
pub struct Hypotheses {
    folder: RunFolder,
    names: NameSources,
    rounds: Vec<Round>,
    /// The number of the last hypothesis.
    last: u64,
    written_bytes: usize,
    /// Whether the hypotheses in the folder are from an earlier session: the run was resumed, or an
    /// answer is no longer believed.
    are_stale: bool,
    /// The hypotheses that are held back, while those of an earlier session may stay.
    held: Option<Vec<HeldHypothesis>>,
    /// Why no more hypotheses are stored.
    full: Option<String>,
}

impl Hypotheses {
    /// Stores hypotheses in `folder`, with those of the names that fit their states.
    pub fn new(folder: RunFolder, names: NameSources) -> Self {
        Self {
            folder,
            names,
            rounds: Vec::new(),
            last: 0,
            written_bytes: 0,
            are_stale: true,
            held: None,
            full: None,
        }
    }

    /// Holds the hypotheses back until [`release`](Self::release): those of an earlier session stay.
    #[must_use]
    pub fn held(self) -> Self {
        Self { held: Some(Vec::new()), ..self }
    }

    /// Writes the hypotheses that were held back, in the place of those of an earlier session. Later ones are written at once.
    pub fn release(&mut self) {
        let Some(held) = self.held.take() else { return };
        self.folder.remove_hypotheses();
        held.into_iter().for_each(|hypothesis| self.write(&hypothesis));
    }

    /// The session starts again because an answer is no longer believed. Its next hypothesis is the
    /// first.
    pub fn begin_anew(&mut self) {
        self.are_stale = true;
    }

    /// Stores the session's hypothesis, unless it is the same as last time. `inputs` names its
    /// inputs.
    pub fn take(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>, inputs: &[String]) {
        let encoded = || result_file::encode(&session.summary(), inputs, Some(hypothesis));
        let projections = session.options().projections;
        let learned = || LearnedComponents::new(hypothesis, inputs, projections);
        self.keep(session.progress(), learned, encoded);
    }

    /// Stores a hypothesis that another session made, given its progress, content and bytes as a
    /// result file. It need not be the first hypothesis.
    pub fn keep(
        &mut self,
        standing: Progress,
        learned: impl FnOnce() -> LearnedComponents,
        encoded: impl FnOnce() -> Vec<u8>,
    ) {
        if std::mem::take(&mut self.are_stale) {
            match &mut self.held {
                Some(held) => held.clear(),
                None => self.folder.remove_hypotheses(),
            }
            self.rounds.clear();
            self.last = 0;
            self.written_bytes = 0;
        }
        let number = standing.rounds;
        if number <= self.last {
            return;
        }
        self.last = number;
        let model = learned().product(MAX_STATES).ok();
        let model = model.map(|model| self.names.name(model).0);
        let states = model.as_ref().map(crate::machine::Machine::states);
        self.rounds.push(Round::new(states, standing));
        if self.full.is_some() {
            return;
        }
        let (file, bytes) = match &model {
            Some(model) => {
                let note = format!("hypothesis {number} of a run; a later one may differ");
                (format!("{number}.dot"), dot::write_with_note(model, Some(&note)).into_bytes())
            }
            None => (format!("{number}.postcard"), encoded()),
        };
        self.written_bytes += bytes.len();
        if self.written_bytes > MAX_BYTES {
            self.stop(number, &format!("those before it fill {} MiB", MAX_BYTES >> 20));
            return;
        }
        let hypothesis = HeldHypothesis { number, file, bytes };
        match &mut self.held {
            Some(held) => held.push(hypothesis),
            None => self.write(&hypothesis),
        }
    }

    fn write(&mut self, HeldHypothesis { number, file, bytes }: &HeldHypothesis) {
        if let Err(error) = self.folder.write_hypothesis(file, bytes) {
            self.stop(*number, &reason(&error));
        }
    }

    /// Stores no more hypotheses. The first reason counts.
    fn stop(&mut self, number: u64, reason: &str) {
        let full = || format!("the hypotheses from number {number} on are not kept: {reason}");
        self.full.get_or_insert_with(full);
    }

    /// The progress of the run at each hypothesis.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// A warning for the user.
    pub fn warning(&self) -> Option<&str> {
        self.full.as_deref()
    }
}

/// The error with its cause, in one line.
fn reason(error: &RunFolderError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::path::Path;

    use mealybug_core::Options;

    use super::*;
    use crate::demo_lock::DemoLock;
    use crate::learn::{Counted, Limits, ObserveRun, Verdict, learn, new_session};
    use crate::machine::separate;
    use crate::simulate::Simulated;
    use crate::state_names::StateNames;

    /// Stores each hypothesis twice, as a run may.
    struct Keeps {
        hypotheses: Hypotheses,
        inputs: Vec<String>,
    }

    impl ObserveRun<Infallible> for Keeps {
        fn hypothesis(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>) -> Verdict {
            for _ in 0..2 {
                self.hypotheses.take(session, hypothesis, &self.inputs);
            }
            Verdict::Test
        }
    }

    impl Keeps {
        fn new(folder: RunFolder) -> Self {
            let inputs = DemoLock::machine().inputs().to_vec();
            let mut names = NameSources::default();
            let text = "shut = ''\nopen = '1 2 enter'";
            names.file(StateNames::parse("states.toml", text).expect("names"));
            Self { hypotheses: Hypotheses::new(folder, names), inputs }
        }

        /// Learns the lock.
        fn run(&mut self) {
            let lock = DemoLock::machine();
            let limits = Limits { memory_bytes: 1 << 20, ..Limits::UNLIMITED };
            let mut session =
                new_session(vec![0; 1 << 14], 5, Options::default()).expect("five inputs");
            let mut sul = Counted::new(Simulated::new(&lock));
            assert!(learn(&mut session, &mut sul, &limits, self).is_converged());
            assert_eq!(self.hypotheses.rounds().len() as u64, session.progress().rounds);
        }
    }

    fn files(folder: &Path) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(folder.join("hypotheses")).expect("a folder");
        let mut files: Vec<_> = entries
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, std::fs::read_to_string(path).expect("text"))
            })
            .collect();
        files.sort();
        files
    }

    #[test]
    fn each_is_kept_once_and_the_last_is_the_model() {
        let place = tempfile::tempdir().expect("a folder");
        let mut keeps = Keeps::new(RunFolder::create(place.path()).expect("an empty one"));
        keeps.run();
        assert_eq!(keeps.hypotheses.warning(), None);
        let rounds = keeps.hypotheses.rounds().to_vec();
        assert!(rounds.len() > 1, "{rounds:?}");
        assert!(rounds.windows(2).all(|pair| pair[0].learning.symbols < pair[1].learning.symbols));
        let kept = files(place.path());
        assert_eq!(kept.len(), rounds.len());
        assert!(
            kept.iter().all(|(_, text)| text.contains("[label=\"shut\"]")),
            "the initial state"
        );
        let (name, text) = kept.last().expect("there are some");
        assert!(text.contains("[label=\"open\"]"), "{text}");
        let model = dot::read(name, text).expect("a machine");
        assert_eq!(separate(&model, &DemoLock::machine()), Ok(None));
    }

    #[test]
    fn a_session_that_begins_anew_makes_its_first_one_again() {
        let place = tempfile::tempdir().expect("a folder");
        let mut keeps = Keeps::new(RunFolder::create(place.path()).expect("an empty one"));
        keeps.run();
        let (kept, rounds) = (files(place.path()), keeps.hypotheses.rounds().to_vec());
        keeps.hypotheses.begin_anew();
        keeps.run();
        assert_eq!(files(place.path()), kept);
        assert_eq!(keeps.hypotheses.rounds(), rounds);
    }

    #[test]
    fn a_folder_that_is_gone_ends_no_run() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::create(&place.path().join("run")).expect("a new one");
        std::fs::remove_dir(folder.path()).expect("it is empty");
        std::fs::write(folder.path(), "").expect("a file in its place");
        let mut keeps = Keeps::new(folder);
        keeps.run();
        let warning = keeps.hypotheses.warning().expect("they cannot be written");
        assert!(warning.starts_with("the hypotheses from number 1 on are not kept"), "{warning}");
    }
}
