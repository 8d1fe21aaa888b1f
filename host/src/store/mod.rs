//! Everything that a device ever said: in memory to be asked, on disk to be kept.
//!
//! A [`Store`] is a [`Tree`] of answers and the file that they are written to. [`Stored`] puts it
//! around a device: it answers from memory as long as it can, and touches the device (a reset, the
//! word so far again, the new input) only when it must. What the device says to the word so far is
//! compared with what it said before: that is where contradictions are found.
//!
//! # Never lose an answer
//!
//! Each answer is written before the next input is sent, so that it outlives the process, and the file
//! is synchronised with the disk once a word, before the learner sees the last answer to it, so that
//! the word outlives a loss of power. (Symbol by symbol would protect half a word, which has to be asked
//! from its beginning again anyway.) A learner that asks the same words again, as all here do, is soon
//! where it was: to resume a run is to run it again over its store.
//!
//! # Never believe a wrong one
//!
//! A device that has never contradicted itself is believed. One that has must say the same so often
//! more than anything else that a wrong answer is expected in one of a thousand runs at most
//! ([`Tree::need`]): words are asked again until that is so. Answers to tests that are what the
//! hypothesis predicts are their own confirmation. Where another answer comes to be believed than the
//! one that the learner was given, or more confirmation is needed than it has had, the learner begins anew over the
//! same store ([`Refusal::Overturned`]).

mod error;
mod log;
mod prices;
mod refusal;
mod refute;
mod stored;
#[cfg(test)]
mod tests;
mod tree;
mod tried;

use std::path::{Path, PathBuf};

use mealybug_core::Input;

pub use error::StoreError;
use log::{Log, Record};
pub use prices::Prices;
pub use refusal::{Refusal, Unsettled};
pub use refute::refutation;
pub use stored::Stored;
pub use tree::{NodeId, Observed, Tree};
pub use tried::Tried;

/// What a device has said; see the [module](self).
#[derive(Debug, Default)]
pub struct Store {
    tree: Tree,
    /// What the device costs, as soon as that is decided.
    prices: Option<Option<Prices>>,
    log: Option<Log>,
    path: PathBuf,
}

impl Store {
    /// A store that lasts as long as the process.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// Opens the store in a file, or begins it. A last word that was cut off is kept as far as it goes.
    ///
    /// # Errors
    /// It cannot be read or written; another run has it open; it is damaged, of another version, or of
    /// a device with other inputs.
    pub fn open(path: &Path, inputs: &[String]) -> Result<Self, StoreError> {
        let mut tree = Tree::default();
        let mut prices = None;
        let mut at = NodeId::ROOT;
        let count = inputs.len();
        let log = Log::open(path, inputs, |record| match record {
            Record::Header { .. } => Err("a second beginning"),
            Record::Reset => {
                at = NodeId::ROOT;
                Ok(())
            }
            Record::Output(bytes) => {
                let known = tree.outputs();
                let new = tree.intern(&bytes) as usize == known;
                if new { Ok(()) } else { Err("an output that was there before") }
            }
            Record::Answer { input, .. } if input as usize >= count => Err("an unknown input"),
            Record::Answer { input, output, ms } => {
                let output = tree.named(output).ok_or("an unknown output")?.to_vec();
                at = tree.observe(at, Input::new(input), &output, ms).node;
                Ok(())
            }
            Record::Prices(Some(of)) if of.inputs.len() != count => Err("prices of other inputs"),
            Record::Prices(of) => {
                prices = Some(of);
                Ok(())
            }
        })?;
        Ok(Self { tree, prices, log: Some(log), path: path.to_owned() })
    }

    /// The answers.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Whether no answer is there.
    pub fn is_empty(&self) -> bool {
        self.tree.nodes().next().is_none()
    }

    /// What the device costs, where that matters. It is decided once, by what was measured until then:
    /// a run that is repeated over this store asks the same words.
    fn decide(
        &mut self,
        measured: impl FnOnce() -> Option<Prices>,
    ) -> Result<&Option<Prices>, StoreError> {
        if self.prices.is_none() {
            let prices = measured();
            self.append(&Record::Prices(prices.clone()))?;
            self.prices = Some(prices);
        }
        Ok(self.prices.get_or_insert_default())
    }

    /// The device was reset.
    fn reset(&mut self) -> Result<(), StoreError> {
        // A word is on the disk before the next begins: the log relies on that.
        self.sync()?;
        self.append(&Record::Reset)
    }

    /// The device has answered `input` after `parent`.
    fn observe(
        &mut self,
        parent: NodeId,
        input: Input,
        output: &[u8],
        ms: u32,
    ) -> Result<Observed, StoreError> {
        let known = self.tree.outputs();
        let number = self.tree.intern(output);
        if self.tree.outputs() > known {
            self.append(&Record::Output(output.to_vec()))?;
        }
        self.append(&Record::Answer { input: input.index(), output: number, ms })?;
        Ok(self.tree.observe(parent, input, output, ms))
    }

    fn append(&mut self, record: &Record) -> Result<(), StoreError> {
        let result = self.log.as_mut().map_or(Ok(()), |log| log.append(record));
        result.map_err(|source| self.failed(source))
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        let result = self.log.as_mut().map_or(Ok(()), Log::sync);
        result.map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> StoreError {
        StoreError::Io { path: self.path.clone(), source }
    }
}
