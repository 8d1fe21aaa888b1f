//! Every hypothesis of a run, in a file of its own as soon as there is one.
//!
//! A small one is a machine, `hypotheses/1.dot`. One that is too large for that, or whose components
//! contradict each other, is kept as the components that it is made of, `hypotheses/1.postcard`.
//! What is kept is bounded, since a run may make thousands of them; and a disk that is full ends no
//! run for their sake.

use mealybug_core::Hypothesis;

use crate::dot;
use crate::learn::HostSession;
use crate::learned::Learned;
use crate::result_file;
use crate::run_folder::{RunFolder, RunFolderError};
use crate::statistics::Round;

/// A larger machine is kept as its components.
const MAX_STATES: u32 = 1000;

/// So much is written at most, all hypotheses together.
const MAX_BYTES: usize = 64 << 20;

/// Keeps the hypotheses of a run.
#[derive(Debug)]
pub struct Hypotheses {
    folder: RunFolder,
    rounds: Vec<Round>,
    written_bytes: usize,
    /// Why no more are written.
    full: Option<String>,
}

impl Hypotheses {
    /// Keeps them in `folder`.
    pub fn new(folder: RunFolder) -> Self {
        Self { folder, rounds: Vec::new(), written_bytes: 0, full: None }
    }

    /// The session has made a hypothesis; `inputs` names its inputs.
    pub fn take(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>, inputs: &[String]) {
        let model = Learned::new(hypothesis, inputs).product(MAX_STATES).ok();
        let states = model.as_ref().map(crate::machine::Machine::states);
        self.rounds.push(Round::new(states, session.progress()));
        if self.full.is_some() {
            return;
        }
        let number = self.rounds.len();
        let (file, bytes) = match &model {
            Some(model) => {
                let note = format!("hypothesis {number} of a run; a later one may differ");
                (format!("{number}.dot"), dot::write_with_note(model, Some(&note)).into_bytes())
            }
            None => {
                let bytes = result_file::encode(&session.run(), inputs, Some(hypothesis));
                (format!("{number}.postcard"), bytes)
            }
        };
        self.written_bytes += bytes.len();
        if self.written_bytes > MAX_BYTES {
            self.full = Some(format!("those before it fill {} MiB", MAX_BYTES >> 20));
        } else if let Err(error) = self.folder.write_hypothesis(&file, &bytes) {
            self.full = Some(reason(&error));
        }
        if let Some(full) = &mut self.full {
            *full = format!("the hypotheses from number {number} on are not kept: {full}");
        }
    }

    /// Where the run stood at each of them.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// What the user should know.
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
    use mealybug_core::{Options, Session, sul};

    use super::*;
    use crate::demo_lock::DoorLock;
    use crate::machine::separate;
    use crate::simulate::Simulated;

    /// A session that has learned the lock, and a place for its folder.
    fn learned() -> (HostSession, Vec<String>) {
        let lock = DoorLock::machine();
        let mut session =
            Session::new(vec![0; 1 << 16], 5, Options::default()).expect("five inputs");
        sul::learn(&mut session, &mut Simulated::new(&lock)).expect("a simulation");
        (session, lock.inputs().to_vec())
    }

    #[test]
    fn each_is_a_model_that_can_be_read() {
        let (session, inputs) = learned();
        let place = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::create(place.path()).expect("an empty one");
        let mut hypotheses = Hypotheses::new(folder);
        for _ in 0..2 {
            hypotheses.take(&session, session.hypothesis().expect("learned"), &inputs);
        }
        assert_eq!(hypotheses.warning(), None);
        assert_eq!(hypotheses.rounds().len(), 2);
        assert_eq!(hypotheses.rounds()[1].states, Some(28));
        let text = std::fs::read_to_string(place.path().join("hypotheses/2.dot")).expect("a file");
        let model = dot::read("2.dot", &text).expect("a machine");
        assert_eq!(separate(&model, &DoorLock::machine()), Ok(None));
    }

    #[test]
    fn a_folder_that_is_gone_ends_no_run() {
        let (session, inputs) = learned();
        let place = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::create(&place.path().join("run")).expect("a new one");
        std::fs::remove_dir(folder.path()).expect("it is empty");
        std::fs::write(folder.path(), "").expect("a file in its place");
        let mut hypotheses = Hypotheses::new(folder);
        for _ in 0..2 {
            hypotheses.take(&session, session.hypothesis().expect("learned"), &inputs);
        }
        let warning = hypotheses.warning().expect("they cannot be written");
        assert!(warning.starts_with("the hypotheses from number 1 on are not kept"), "{warning}");
        assert_eq!(hypotheses.rounds().len(), 2, "they are counted nevertheless");
    }
}
