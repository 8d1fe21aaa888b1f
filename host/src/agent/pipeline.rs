//! Words on their way: announced, sent, answered. This module does no I/O.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use mealybug_core::Input;
use mealybug_core::wire::message::{DeviceError, Message};
use mealybug_core::wire::words::{MAX_SYMBOLS, symbol};

use super::output_rate::OutputRate;

/// At least this many frames may be on their way, however slow the device is: the one that it is
/// working on, and the next one.
const MIN_FRAMES: usize = 2;

/// A word, and what is known about it.
#[derive(Clone, Debug)]
pub(super) struct PipelinedWord {
    /// The number of the word; words are numbered in the order in which they are announced.
    pub(super) id: u64,
    pub(super) inputs: Vec<Input>,
    /// How many of its inputs were sent.
    sent: usize,
    /// The outputs received so far.
    pub(super) outputs: Vec<Arc<[u8]>>,
    /// Why the next input has no output.
    pub(super) failure: Option<DeviceError>,
}

/// What the device did, in the order in which it did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AgentEvent {
    /// It was reset for a word.
    Reset,
    /// It answered an input.
    Answer(Input, Arc<[u8]>),
    /// It failed at the beginning of a word: the answers to the word before are in doubt.
    Doubt,
}

/// Why the session is over. The agent does not answer what was already sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PipelineOver {
    /// Frames are missing, or the agent does not know the session.
    Lost,
    /// The device failed.
    Failed,
}

/// The words of a session, in the order in which they are sent.
#[derive(Debug, Default)]
pub(super) struct Pipeline {
    words: VecDeque<PipelinedWord>,
    /// The words that have all of their outputs.
    answered: VecDeque<PipelinedWord>,
    /// What the device did since the last call of [`heard`](Self::heard).
    heard: Vec<AgentEvent>,
    /// The words that were answered to their end and are no longer wanted.
    dropped: VecDeque<PipelinedWord>,
    next_id: u64,
    /// Words with smaller numbers are no longer wanted.
    oldest: u64,
    /// For each frame on its way, the number of outputs still missing.
    frames: VecDeque<usize>,
    /// The last word that was sent to the device.
    last: Option<u64>,
    /// The outputs of the session, by number.
    names: Vec<Arc<[u8]>>,
    output_rate: OutputRate,
}

impl PipelinedWord {
    fn new(id: u64, inputs: Vec<Input>) -> Self {
        Self { id, inputs, sent: 0, outputs: Vec::new(), failure: None }
    }
}

impl Pipeline {
    /// Announces a word that will be wanted after the words announced before it. Does nothing if an
    /// announced word begins with this one: the caller will know its answer by then.
    pub(super) fn announce(&mut self, inputs: &[Input]) {
        let mut all = self.answered.iter().chain(&self.words);
        if all.any(|word| word.id >= self.oldest && word.inputs.starts_with(inputs)) {
            return;
        }
        let id = self.number();
        self.words.push_back(PipelinedWord::new(id, inputs.to_vec()));
    }

    /// Asks for a word now, and drops the words that were announced before it. A word that was not
    /// announced is sent next. Returns the number for [`answer`](Self::answer).
    pub(super) fn want(&mut self, inputs: &[Input]) -> u64 {
        let mut all = self.answered.iter().chain(&self.words);
        if let Some(word) = all.find(|word| word.inputs == inputs && word.id >= self.oldest) {
            self.oldest = word.id;
            self.forget();
            return self.oldest;
        }
        let id = self.number();
        self.send_next(PipelinedWord::new(id, inputs.to_vec()));
        id
    }

    /// Extends a word by an input. If the device is still in the state that the word led to, it
    /// only gets the input; otherwise the whole word is asked again.
    pub(super) fn go_on(&mut self, mut word: PipelinedWord, input: Input) -> u64 {
        if self.last != Some(word.id) || word.sent != word.inputs.len() {
            word.sent = 0;
            word.outputs.clear();
        }
        word.failure = None;
        word.inputs.push(input);
        let id = word.id;
        self.send_next(word);
        id
    }

    /// Takes the word with this number, if it is answered.
    pub(super) fn answer(&mut self, id: u64) -> Option<PipelinedWord> {
        let at = self.answered.iter().position(|word| word.id == id)?;
        self.answered.remove(at)
    }

    /// What the device did since the last call.
    pub(super) fn heard(&mut self) -> Vec<AgentEvent> {
        std::mem::take(&mut self.heard)
    }

    /// The words since the last call that were answered to their end and are no longer wanted.
    pub(super) fn dropped(&mut self) -> VecDeque<PipelinedWord> {
        std::mem::take(&mut self.dropped)
    }

    /// Starts another session: every unanswered word must be asked again.
    pub(super) fn begin_anew(&mut self) {
        for word in &mut self.words {
            word.sent = 0;
            word.outputs.clear();
        }
        self.forget();
        self.frames.clear();
        self.last = None;
    }

    /// The number of outputs that have names.
    pub(super) fn names(&self) -> usize {
        self.names.len()
    }

    /// Keeps only the first `count` names, which the agent knows as well.
    pub(super) fn keep_names(&mut self, count: usize) {
        self.names.truncate(count);
    }

    /// The symbols of the next frame, if it is time to send one. The agent has room for
    /// `max_frames`.
    pub(super) fn next_frame(&mut self, now: Duration, max_frames: usize) -> Option<Vec<u8>> {
        let flying: usize = self.frames.iter().sum();
        let room = self.output_rate.symbols(now).saturating_sub(flying);
        let few = self.frames.len() < MIN_FRAMES;
        if self.frames.len() >= max_frames || !few && room < MAX_SYMBOLS.min(flying) {
            return None;
        }
        // While the line is busy, less than half a frame waits for more symbols.
        let unsent = self.words.iter().map(|word| word.inputs.len() - word.sent);
        let waiting: usize = unsent.filter(|&count| count > 0).take(MAX_SYMBOLS).sum();
        if waiting == 0 || !few && waiting < MAX_SYMBOLS / 2 {
            return None;
        }
        let symbols = self.symbols(room);
        self.frames.push_back(symbols.len());
        Some(symbols)
    }

    /// The symbols of the next words: at most `room`, but at least one word. Only a word longer
    /// than a frame is split.
    fn symbols(&mut self, room: usize) -> Vec<u8> {
        let mut symbols = Vec::new();
        for word in &mut self.words {
            let rest = word.inputs.len() - word.sent;
            if rest == 0 {
                continue;
            }
            if !symbols.is_empty() && symbols.len() + rest > room.min(MAX_SYMBOLS) {
                break;
            }
            let inputs = word.inputs.iter().enumerate().skip(word.sent).take(MAX_SYMBOLS);
            let before = symbols.len();
            symbols.extend(inputs.map(|(at, &input)| {
                symbol(input, at == 0).expect("the agent has refused more inputs than that")
            }));
            word.sent += symbols.len() - before;
            self.last = Some(word.id);
        }
        symbols
    }

    /// Processes a message of the agent. Returns the number of outputs in it.
    pub(super) fn take(
        &mut self,
        message: &Message<'_>,
        name: impl Fn(&[u8]) -> Vec<u8>,
    ) -> Result<usize, PipelineOver> {
        match *message {
            Message::Output(bytes) => self.names.push(name(bytes).into()),
            Message::Outputs(outputs) => {
                for &output in outputs {
                    let name = self.names.get(usize::from(output)).ok_or(PipelineOver::Lost)?;
                    let name = Arc::clone(name);
                    self.output(name).ok_or(PipelineOver::Lost)?;
                }
                return Ok(outputs.len());
            }
            Message::Failed(error) => {
                let at = self.waiting().ok_or(PipelineOver::Lost)?;
                if let Some(mut word) = self.words.remove(at) {
                    if word.outputs.is_empty() {
                        self.heard.push(AgentEvent::Doubt);
                    }
                    word.failure = Some(error);
                    self.answered.push_back(word);
                }
                return Err(PipelineOver::Failed);
            }
            Message::Answer { refusal: Some(_), .. } => return Err(PipelineOver::Lost),
            _ => {}
        }
        Ok(0)
    }

    /// Counts outputs that arrived; for a while, as many symbols may be on their way.
    pub(super) fn came(&mut self, now: Duration, outputs: usize) {
        self.output_rate.came(now, outputs);
    }

    /// Assigns an output to its input; `None` if no output is expected.
    fn output(&mut self, output: Arc<[u8]>) -> Option<()> {
        let frame = self.frames.front_mut()?;
        *frame -= 1;
        if *frame == 0 {
            self.frames.pop_front();
        }
        let at = self.waiting()?;
        let word = self.words.get_mut(at)?;
        if word.outputs.is_empty() {
            self.heard.push(AgentEvent::Reset);
        }
        self.heard.push(AgentEvent::Answer(word.inputs[word.outputs.len()], Arc::clone(&output)));
        word.outputs.push(output);
        if word.outputs.len() == word.inputs.len() {
            let word = self.words.remove(at)?;
            let is_wanted = word.id >= self.oldest;
            if is_wanted { &mut self.answered } else { &mut self.dropped }.push_back(word);
        }
        Some(())
    }

    /// The first word that was sent and is not completely answered.
    fn waiting(&self) -> Option<usize> {
        self.words.iter().position(|word| word.outputs.len() < word.sent)
    }

    /// Drops unwanted words, except the inputs that were already sent.
    fn forget(&mut self) {
        let oldest = self.oldest;
        let unwanted: VecDeque<_>;
        (self.answered, unwanted) = self.answered.drain(..).partition(|word| word.id >= oldest);
        self.dropped.extend(unwanted.into_iter().filter(|word| word.failure.is_none()));
        self.words.retain_mut(|word| {
            if word.id < oldest {
                word.inputs.truncate(word.sent);
            }
            word.outputs.len() < word.inputs.len()
        });
    }

    /// Inserts a word before all words that were not sent yet.
    fn send_next(&mut self, word: PipelinedWord) {
        let sent = self.words.iter().position(|word| word.sent == 0);
        self.words.insert(sent.unwrap_or(self.words.len()), word);
    }

    fn number(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }
}
