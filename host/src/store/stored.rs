//! A device with a store around it.

use std::error::Error;
use std::time::Instant;

use mealybug_core::{Costs, Input, Mealy, Purpose, Sul};

use super::prices::{Prices, Times};
use super::tree::{AnswerTree, NodeId};
use super::tried::Trial;
use super::{NoAnswer, Store, StoreError, Unsettled, refutation};
use crate::learn::{Counted, HostSession, Scope, Tally, Teacher};

/// Give up on a word once it has this many minority answers and they make up more than a quarter. A
/// device that is wrong once in a hundred times reaches this in one of a hundred runs.
const MISTAKES: u64 = 4;

/// A device that is asked only what its store does not know.
///
/// It is a [`Teacher`] for [`learn`](crate::learn::learn()), and a [`Sul`] like any other:
///
/// ```
/// use mealybug::store::{Store, Stored};
/// use mealybug_core::{Input, Sul, sul};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("answers.log");
/// let inputs = ["press".to_owned()];
/// let mut presses = 0;
/// let device = sul::from_fn(|input| {
///     presses = if input.is_some() { presses + 1 } else { 0 };
///     if presses % 2 == 1 { "on" } else { "off" }
/// });
/// let mut lamp = Stored::new(device, Store::open(&file, &inputs)?);
/// for _ in 0..10 {
///     lamp.reset()?;
///     assert_eq!(lamp.step(Input::new(0))?, b"on");
/// }
/// assert_eq!(lamp.costs().resets, 1, "of the device itself");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Stored<S> {
    sul: Counted<S>,
    store: Store,
    retries: u32,
    /// The current word, and the answer to its last input.
    word: Vec<Input>,
    node: NodeId,
    /// The device's position in the tree, if it is known.
    at: Option<NodeId>,
    /// Whether each answer was given to the learner, by its number.
    given: Vec<bool>,
    is_overturned: bool,
    /// The number of votes by which the answers given to the learner are confirmed.
    need: u32,
    recalled: u64,
    /// What the answers have tried of the last hypothesis.
    trial: Option<Trial>,
    /// What the device had cost when the learner started.
    before: Costs,
    /// How long resets and inputs took.
    times: Times,
}

/// What is known about the word to which a symbol belongs.
struct Context<'a> {
    /// The inputs that will follow.
    ahead: Vec<Input>,
    /// Whether an output is the predicted one, which needs no further confirmation.
    is_predicted: &'a dyn Fn(&[Input], &[u8]) -> bool,
    /// Whether the run is to end.
    is_over: &'a dyn Fn() -> bool,
}

impl<S> Stored<S> {
    /// The default number of times to ask a word again when the device contradicts itself.
    pub const RETRIES: u32 = 20;

    /// Puts `store` around `sul`.
    pub fn new(sul: S, store: Store) -> Self {
        let need = store.tree.need();
        Self {
            sul: Counted::new(sul),
            store,
            retries: Self::RETRIES,
            word: Vec::new(),
            node: NodeId::ROOT,
            at: None,
            given: Vec::new(),
            is_overturned: false,
            need,
            recalled: 0,
            trial: None,
            before: Costs::default(),
            times: Times::default(),
        }
    }

    /// Sets how many times to ask a word again when its answers disagree.
    pub fn with_retries(self, retries: u32) -> Self {
        Self { retries, ..self }
    }

    /// What the device itself was asked.
    pub fn costs(&self) -> Costs {
        self.sul.costs()
    }

    /// The number of symbols answered from memory.
    pub fn recalled(&self) -> u64 {
        self.recalled
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The device.
    pub fn sul(&self) -> &S {
        self.sul.sul()
    }

    /// The learner starts again and has been given no answers.
    pub fn begin(&mut self) {
        self.given.clear();
        self.is_overturned = false;
        self.need = self.store.tree.need();
        self.before = self.sul.costs();
        self.trial = None;
        self.start();
    }

    /// Starts a word. The device is reset for it even if it is already in the right place, because
    /// its state between two words is unknown.
    fn start(&mut self) {
        self.word.clear();
        self.node = NodeId::ROOT;
        self.at = None;
    }

    fn is_given(&self, node: NodeId) -> bool {
        self.given.get(node.index()).copied().unwrap_or(false)
    }
}

impl<S: Sul<Error: Error + 'static>> Stored<S> {
    /// The answer to the next input of the word.
    fn answer(&mut self, input: Input, context: &Context<'_>) -> Result<(), NoAnswer<S::Error>> {
        self.word.push(input);
        let asked = self.costs().symbols;
        let mut contested: Option<NodeId> = None;
        let mut deviations = 0;
        let node = loop {
            if self.is_overturned || self.store.tree.need() > self.need {
                return Err(NoAnswer::Overturned);
            }
            let settled = contested.is_none_or(|node| self.is_settled(node));
            if let Some(node) = self.believed(input, context)
                && settled
            {
                break node;
            }
            if let Some(node) = self.ask(context)? {
                deviations += 1;
                contested = Some(node);
                if deviations > self.retries || self.is_hopeless(node) {
                    return Err(NoAnswer::Unsettled(self.unsettled(node)));
                }
            }
        };
        self.recalled += u64::from(self.costs().symbols == asked);
        self.node = node;
        if self.given.len() <= node.index() {
            self.given.resize(node.index() + 1, false);
        }
        self.given[node.index()] = true;
        Ok(())
    }

    /// The answer to the last input of the word, if it has enough votes.
    fn believed(&self, input: Input, context: &Context<'_>) -> Option<NodeId> {
        let tree = &self.store.tree;
        let node = tree.answer(self.node, input)?;
        let lead = tree.lead(node);
        let predicted = || lead > 0 && (context.is_predicted)(&self.word, tree.output(node));
        (lead >= self.need || predicted()).then_some(node)
    }

    /// Whether the believed answer to this node's input has enough votes.
    fn is_settled(&self, node: NodeId) -> bool {
        let tree = &self.store.tree;
        let (parent, input) = tree.origin(node);
        tree.answer(parent, input).is_some_and(|leader| tree.lead(leader) >= self.need)
    }

    /// Whether asking again cannot settle this node's input: it would take too many votes, or the
    /// other answers are too frequent to be mistakes.
    fn is_hopeless(&self, node: NodeId) -> bool {
        let tree = &self.store.tree;
        let votes: Vec<_> = tree.alternatives(node).map(|(_, votes)| u64::from(votes)).collect();
        let all: u64 = votes.iter().sum();
        let strays = all - votes.iter().max().unwrap_or(&0);
        let often = strays >= MISTAKES && strays > all / 4;
        often || tree.need() > self.retries.saturating_add(1)
    }

    /// Asks the device. If it is right before the last input, only that input is asked. Otherwise
    /// the word is asked from a reset, and, if answers need confirmation, the inputs that follow as
    /// well. Stops at an answer that was not the believed one, and returns it.
    fn ask(&mut self, context: &Context<'_>) -> Result<Option<NodeId>, NoAnswer<S::Error>> {
        let last = self.word.len() - 1;
        let known = self.at == Some(self.node);
        let (first, ahead) = if known { (last, 0) } else { (0, context.ahead.len()) };
        let ahead = if self.need > 1 { ahead } else { 0 };
        if !known {
            self.at = None;
            self.store.reset().map_err(NoAnswer::Store)?;
            let word = [&self.word[..], &context.ahead].concat();
            let started = Instant::now();
            self.sul.reset_for(&word).map_err(|error| NoAnswer::Device { error, sent: 0 })?;
            self.times.reset(started.elapsed());
            self.at = Some(NodeId::ROOT);
        }
        for position in first..=last + ahead {
            if (context.is_over)() {
                return Err(NoAnswer::Stopped);
            }
            let mut inputs = self.word.iter().chain(&context.ahead);
            let input = *inputs.nth(position).expect("the word is as long as that");
            if let Some(deviation) = self.ask_input(input, position + 1)? {
                return Ok(Some(deviation));
            }
        }
        Ok(None)
    }

    /// Asks the device one input. Returns the answer if it was not the believed one.
    fn ask_input(
        &mut self,
        input: Input,
        sent: usize,
    ) -> Result<Option<NodeId>, NoAnswer<S::Error>> {
        let from = self.at.take().unwrap_or(NodeId::ROOT);
        let started = Instant::now();
        let output = Sul::step(&mut self.sul, input);
        let output = output.map_err(|error| NoAnswer::Device { error, sent })?;
        let time = started.elapsed();
        self.times.input(input, time);
        let ms = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let before = self.store.tree.answer(from, input);
        let observed = self.store.observe(from, input, output, ms).map_err(NoAnswer::Store)?;
        self.is_overturned |= observed.overturned.is_some_and(|node| self.is_given(node));
        if before.is_some_and(|before| before != observed.node) {
            return Ok(Some(observed.node));
        }
        self.at = Some(observed.node);
        Ok(None)
    }

    fn unsettled(&self, node: NodeId) -> Unsettled {
        let tree = &self.store.tree;
        let (parent, input) = tree.origin(node);
        let leader = tree.answer(parent, input).unwrap_or(node);
        let answers = tree.alternatives(leader);
        let answers = answers.map(|(output, votes)| (output.to_vec(), votes)).collect();
        Unsettled { word: tree.word(node), answers }
    }
}

/// Without a session the rest of a word is unknown, so each new answer is synchronised with the
/// disk.
impl<S: Sul<Error: Error + 'static>> Sul for Stored<S> {
    type Error = NoAnswer<S::Error>;

    fn reset(&mut self) -> Result<(), Self::Error> {
        self.start();
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Self::Error> {
        let (is_predicted, is_over) = (|_: &[Input], _: &[u8]| false, || false);
        let context = Context { ahead: Vec::new(), is_predicted: &is_predicted, is_over: &is_over };
        self.answer(input, &context)?;
        self.store.sync().map_err(NoAnswer::Store)?;
        Ok(self.store.tree.output(self.node))
    }
}

impl<S: Sul<Error: Error + 'static>> Teacher for Stored<S> {
    type Error = S::Error;

    fn begin(&mut self) {
        self.begin();
    }

    /// Known answers need not be asked ahead; answers that need confirmation are asked when they
    /// are needed.
    fn announce(&mut self, session: &HostSession, lane: u32) {
        let word: Vec<_> = session.word(lane).collect();
        let mut at = Some(NodeId::ROOT);
        for &input in &word {
            at = at.and_then(|node| self.store.tree.answer(node, input));
        }
        if at.is_none() {
            Sul::announce(&mut self.sul, &word);
        }
    }

    fn reset(&mut self, _: &HostSession, _: u32) -> Result<(), NoAnswer<S::Error>> {
        self.start();
        Ok(())
    }

    fn step(
        &mut self,
        session: &HostSession,
        lane: u32,
        input: Input,
        is_over: &dyn Fn() -> bool,
    ) -> Result<&[u8], NoAnswer<S::Error>> {
        let is_predicted = |word: &[Input], output: &[u8]| {
            session.purpose() == Purpose::Testing && predicts(session, word, output)
        };
        let ahead: Vec<_> = session.ahead(lane).collect();
        let is_last = ahead.is_empty();
        self.answer(input, &Context { ahead, is_predicted: &is_predicted, is_over })?;
        if let Some(trial) = &mut self.trial {
            trial.update(&self.store.tree);
        }
        // A test ends at its first wrong output.
        let is_wrong = || {
            let output = self.store.tree.output(self.node);
            session.purpose() == Purpose::Testing && !is_predicted(&self.word, output)
        };
        if is_last || is_wrong() {
            self.store.sync().map_err(NoAnswer::Store)?;
        }
        Ok(self.store.tree.output(self.node))
    }

    /// With several words in flight, the time of an answer cannot be measured.
    fn prices(&mut self, session: &HostSession) -> Result<Option<Prices>, StoreError> {
        let Some(hypothesis) = session.hypothesis().filter(|_| session.options().lanes == 1) else {
            return Ok(None);
        };
        let Self { store, times, .. } = self;
        store.decide(|| times.prices(hypothesis.inputs() as usize)).cloned()
    }

    fn refute(&mut self, session: &HostSession, scope: Scope) -> Option<Vec<Input>> {
        let hypothesis = session.hypothesis()?;
        let tree: &AnswerTree = &self.store.tree;
        match scope {
            Scope::Session => {
                self.trial = Trial::new(hypothesis, tree);
                refutation(tree, hypothesis, |node| self.is_given(node))
            }
            Scope::All => refutation(tree, hypothesis, |_| true),
        }
    }

    fn tally(&self) -> Tally {
        Tally {
            device: self.costs(),
            recalled: self.recalled,
            strays: self.store.tree.strays(),
            is_replay: self.costs() == self.before && self.recalled > 0,
            tried: self.trial.as_ref().map(Trial::tried),
        }
    }
}

/// Whether the session's hypothesis has `output` at the end of `word`.
fn predicts(session: &HostSession, word: &[Input], output: &[u8]) -> bool {
    let Some(hypothesis) = session.hypothesis() else { return false };
    let mut state: Vec<u32> = hypothesis.components().map(|c| c.initial()).collect();
    let mut predicted = None;
    for &input in word {
        predicted = hypothesis.step(&mut state, input).ok();
    }
    predicted.is_some_and(|predicted| hypothesis.output_name(predicted) == output)
}
