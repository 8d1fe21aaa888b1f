//! What a log says, record by record.

use mealybug_core::Input;

use super::DeviceAnswer;
use super::ahead::Said;
use super::by_hypothesis::ByHypothesis;
use super::log::LogRecord;
use super::prices::Prices;
use super::replies::ReplyNumbers;
use super::tree::{AnswerTree, NodeId};

/// What the records of a log say.
pub(super) struct Replay<'s> {
    pub(super) tree: AnswerTree,
    pub(super) replies: ReplyNumbers,
    pub(super) prices: ByHypothesis<Option<Prices>>,
    pub(super) faults: ByHypothesis<u32>,
    /// The number of words, that is, of resets.
    pub(super) words: u64,
    /// The number of answers that copies of the log have lacked.
    pub(super) dropped: u64,
    /// Where the last word led to.
    pub(super) at: NodeId,
    word: Vec<(Input, u32)>,
    said: &'s mut Said,
    /// The number of inputs of the device.
    inputs: usize,
}

impl<'s> Replay<'s> {
    /// Begins with the log of a device with this number of inputs. Its words are taken off `said`.
    pub(super) fn new(inputs: usize, said: &'s mut Said) -> Self {
        let (tree, at) = (AnswerTree::default(), NodeId::ROOT);
        let (prices, faults) = (ByHypothesis::default(), ByHypothesis::default());
        let (replies, words, dropped, word) = (ReplyNumbers::default(), 0, 0, Vec::new());
        Self { tree, replies, prices, faults, words, dropped, at, word, said, inputs }
    }

    /// Takes the next record, or says what is wrong with it.
    pub(super) fn take(&mut self, record: LogRecord) -> Result<(), &'static str> {
        match record {
            LogRecord::Header { .. } => return Err("a second beginning"),
            LogRecord::Doubt | LogRecord::Since(_) => return Err("a record of a board"),
            LogRecord::Reset => {
                self.end_word();
                self.at = NodeId::ROOT;
                self.words += 1;
            }
            LogRecord::Output(bytes) => {
                let known = self.tree.outputs();
                if (self.tree.intern(&bytes) as usize) < known {
                    return Err("an output that was there before");
                }
            }
            LogRecord::Lost { input } => {
                let input = Input::new(input);
                let believed = self.tree.answer(self.at, input);
                self.at = believed.ok_or("a lost answer that was never known")?;
                self.word.push(self.said.symbol(input, self.tree.output(self.at)));
            }
            LogRecord::Reply { output, bytes } => {
                self.replies.add(output, bytes);
            }
            LogRecord::Answer { input, output, ms } => self.answer(input, output, ms)?,
            LogRecord::Replied { input, reply, ms } => {
                let output = self.replies.output(reply).ok_or("an unknown reply")?;
                self.answer(input, output, ms)?;
            }
            LogRecord::Ended { output } => {
                self.tree.named(output).ok_or("an unknown output")?;
                self.tree.end(self.at, output);
            }
            LogRecord::Dropped { answers } => {
                self.dropped = self.dropped.checked_add(answers).ok_or("too many answers")?;
            }
            LogRecord::Prices(Some(of)) | LogRecord::Priced { prices: Some(of), .. }
                if of.inputs.len() != self.inputs =>
            {
                return Err("prices of other inputs");
            }
            // They held from the first hypothesis on.
            LogRecord::Prices(prices) => {
                self.prices.add(0, prices).ok_or("prices for the second time")?;
            }
            LogRecord::Priced { round, prices } => {
                self.prices.add(round, prices).ok_or("an earlier hypothesis")?;
            }
            LogRecord::Faults { round, symbols_per_fault } => {
                self.faults.add(round, symbols_per_fault).ok_or("an earlier hypothesis")?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, input: u32, output: u32, ms: u32) -> Result<(), &'static str> {
        if input as usize >= self.inputs {
            return Err("an unknown input");
        }
        let output = self.tree.named(output).ok_or("an unknown output")?.to_vec();
        let input = Input::new(input);
        let node = self.tree.observe(self.at, input, &output, ms).node;
        self.at = self.tree.next_of(node);
        self.word.push(self.said.symbol(input, &output));
        Ok(())
    }

    /// Takes the last word off what boards said, and returns how a board went on with it.
    pub(super) fn end_word(&mut self) -> Vec<(Input, DeviceAnswer)> {
        self.said.take_off(&std::mem::take(&mut self.word), self.words)
    }
}
