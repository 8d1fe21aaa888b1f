//! A device with a store around it.

mod belief;
mod connection_end;
mod teacher;

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use mealybug_core::{Costs, Hypothesis, Input, Sul};

use super::doubts::{Attempts, DoubtfulWords, Doubts};
use super::foreseen::Foreseen;
use super::line_faults::{Garbled, LineRules};
use super::noise::Noise;
use super::support::Support;
use super::tree::NodeId;
use super::tried::Trial;
use super::{DeviceAnswer, NoAnswer, Store};
use crate::learn::{Counted, HostSession, Tally, Teacher};
use crate::mean_time::MeanTime;

/// After an answer that is not believed, so many answers that are show that the device is in the
/// state in which it should be.
const PROOF: u32 = 3;

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
pub struct Stored<S: Sul> {
    sul: Counted<S>,
    store: Store,
    retries: u32,
    line: LineRules<S>,
    garbled: u64,
    /// Answers that were lost, came too late or could not be read.
    lost: u64,
    /// The current word, and the answer to its last input.
    word: Vec<Input>,
    node: NodeId,
    /// The current word in the hypothesis, if it is a test.
    foreseen: Foreseen,
    /// The device's position in the tree, if it is known.
    at: Option<NodeId>,
    /// If a board has answered the current word ahead: the answers that were not taken yet.
    ahead: Option<std::vec::IntoIter<DeviceAnswer>>,
    /// Whether each answer was given to the learner, by its number.
    given: Vec<bool>,
    /// The last answer of the device.
    last: Option<NodeId>,
    is_overturned: bool,
    noise: Noise,
    doubts: Doubts,
    doubtful: DoubtfulWords,
    recalled: u64,
    /// What the answers have tried of the last hypothesis.
    trial: Option<Trial>,
    /// What the device had cost when the learner started.
    before: Costs,
    /// How long resets took.
    resets: MeanTime,
}

/// What is known about the word to which a symbol belongs.
struct Context<'a> {
    /// The inputs that will follow.
    ahead: Vec<Input>,
    /// Whether the word is a test.
    is_test: bool,
    /// Whether the device is asked even what is known, and the answers are for no learner.
    is_anew: bool,
    /// Whether an output is the predicted one, which needs no further confirmation.
    is_predicted: &'a dyn Fn(&[Input], &[u8]) -> bool,
}

impl Context<'_> {
    /// Whether this is a test and the hypothesis has this output at the end of the word.
    fn predicts(&self, word: &[Input], output: &[u8]) -> bool {
        self.is_test && (self.is_predicted)(word, output)
    }
}

/// Hears of each symbol that is about to be asked, and says whether the run is to end.
type IsOver<'a> = &'a mut dyn FnMut(&Tally) -> bool;

impl<S: Sul> Stored<S> {
    /// The default number of times to ask a word again when the device contradicts itself.
    pub const RETRIES: u32 = 20;

    /// Puts `store` around `sul`.
    pub fn new(sul: S, store: Store) -> Self {
        Self {
            sul: Counted::new(sul),
            store,
            retries: Self::RETRIES,
            line: LineRules::default(),
            garbled: 0,
            lost: 0,
            word: Vec::new(),
            node: NodeId::ROOT,
            foreseen: Foreseen::default(),
            at: None,
            ahead: None,
            given: Vec::new(),
            last: None,
            is_overturned: false,
            noise: Noise::default(),
            doubts: Doubts::default(),
            doubtful: DoubtfulWords::default(),
            recalled: 0,
            trial: None,
            before: Costs::default(),
            resets: MeanTime::default(),
        }
    }

    /// Sets how many times to ask a word again when its answers disagree.
    pub fn with_retries(self, retries: u32) -> Self {
        Self { retries, ..self }
    }

    /// Sets the share of wrong answers, between 0 and 1, if it is known. 0 is a device that is never
    /// wrong. Otherwise it is estimated from the answers.
    pub fn with_noise(self, noise: Option<f64>) -> Self {
        Self { noise: Noise { stated: noise }, ..self }
    }

    /// Sets how faults of the line are told from answers.
    pub fn with_line(self, line: LineRules<S>) -> Self {
        Self { line, ..self }
    }

    /// Sets where others say which words are in doubt. The device is asked for their answers once more.
    pub fn with_doubtful(self, doubtful: DoubtfulWords) -> Self {
        Self { doubtful, ..self }
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

    /// The device; what it is asked this way is neither kept nor counted.
    pub fn sul_mut(&mut self) -> &mut S {
        self.sul.sul_mut()
    }

    /// The learner starts again and has been given no answers.
    pub fn begin(&mut self) {
        self.given.clear();
        self.is_overturned = false;
        self.doubts = Doubts::default();
        self.before = self.sul.costs();
        self.trial = None;
        self.start();
    }

    /// Starts a word. The device is reset for it even if it is already in the right place, because
    /// its state between two words is unknown.
    fn start(&mut self) {
        self.word.clear();
        self.foreseen.clear();
        self.node = NodeId::ROOT;
        self.at = None;
    }

    /// The learner has found a new state if it has more access words than before. All that it knows
    /// of that state is to be confirmed: a wrong answer makes a state that is none.
    fn find_states(&mut self, session: &HostSession) {
        let states = session.progress().short_rows;
        let is_new = std::mem::replace(&mut self.doubts.states, states) < states;
        if !is_new || self.noise.rate(&self.store.tree) == 0.0 {
            return;
        }
        let mut access: Vec<_> = session.newest_access().collect();
        access.reverse();
        let tree = &self.store.tree;
        let node = access.iter().try_fold(NodeId::ROOT, |at, &input| tree.answer(at, input));
        let mut open: Vec<_> = node.into_iter().collect();
        while let Some(node) = open.pop() {
            let below = tree.answers(node).filter(|&(_, node)| self.is_given(node));
            let before = open.len();
            open.extend(below.map(|(_, node)| node));
            if open.len() == before {
                self.doubts.proofs.push(node);
            }
        }
    }

    /// The hypothesis is to be the result: a word after which to ask again for what too few answers
    /// say, if there is something.
    fn find_weak(&mut self, hypothesis: Hypothesis<'_>) -> Option<Vec<Input>> {
        self.doubts.weak.drain(..self.doubts.asked);
        self.doubts.asked = 0;
        // An answer that came again had its second try.
        let last = self.followed().filter(|&node| self.store.tree.votes(node) == 1);
        self.doubts.weak.extend(last);
        let tree = &self.store.tree;
        if self.noise.rate(tree) > 0.0 {
            let support = Support::new(tree, hypothesis);
            let need = self.noise.support(tree, support.transitions());
            self.doubts.weak.extend(support.below(need));
        }
        self.doubts.weak.first().map(|&node| tree.word(node))
    }

    /// The last answer, if the device has said something since. It may have been taken for finished too early: only the
    /// reset before the next word finds out, and there may be none.
    fn followed(&mut self) -> Option<NodeId> {
        self.last.filter(|_| self.line.is_followed(self.sul.sul_mut()))
    }

    /// The word of the last answer, if the device has said something since. It is to be asked again.
    pub fn followed_word(&mut self) -> Option<Vec<Input>> {
        let node = self.followed()?;
        Some(self.store.tree.word(node))
    }

    fn is_given(&self, node: NodeId) -> bool {
        self.given.get(node.index()).copied().unwrap_or(false)
    }
}

impl<S: Sul<Error: Error + 'static>> Stored<S> {
    /// The answer to the next input of a word that tests a model, after which the inputs `ahead`
    /// follow. The device is asked, whatever is known. An output that is not expected is believed
    /// once the device has repeated it, and as often as this device needs.
    ///
    /// # Errors
    /// The device failed, contradicts itself, or `is_over` says that the run is to end.
    pub fn test(
        &mut self,
        input: Input,
        ahead: &[Input],
        is_expected: impl Fn(&[u8]) -> bool,
        is_over: &mut dyn FnMut(&Tally) -> bool,
    ) -> Result<&[u8], NoAnswer<S::Error>> {
        let is_predicted = |_: &[Input], output: &[u8]| is_expected(output);
        let ahead = ahead.to_vec();
        let context = Context { ahead, is_test: true, is_anew: true, is_predicted: &is_predicted };
        self.answer(input, &context, is_over)?;
        Ok(self.store.tree.output(self.node))
    }

    /// The answer to the next input of the word.
    fn answer(
        &mut self,
        input: Input,
        context: &Context<'_>,
        is_over: IsOver<'_>,
    ) -> Result<(), NoAnswer<S::Error>> {
        if self.word.is_empty() {
            self.confirm(is_over)?;
            self.start();
        }
        self.word.push(input);
        if !context.is_anew {
            self.conclude(input);
        }
        let asked = self.costs().symbols;
        let mut attempts = Attempts::default();
        if context.is_anew {
            self.ask(&context.ahead, &mut attempts, is_over)?;
        }
        let node = loop {
            let is_settled = attempts.places().all(|place| self.is_settled(place, context));
            if let Some(node) = self.believed(input, context)
                && is_settled
            {
                break node;
            }
            self.ask(&context.ahead, &mut attempts, is_over)?;
        };
        self.recalled += u64::from(self.costs().symbols == asked);
        self.node = node;
        if context.is_anew {
            return Ok(());
        }
        if self.given.len() <= node.index() {
            self.given.resize(node.index() + 1, false);
        }
        let is_new = !std::mem::replace(&mut self.given[node.index()], true);
        if is_new && !context.predicts(&self.word, self.store.tree.output(node)) {
            self.doubts.rely(self.store.tree.origin(node).0, node);
        }
        Ok(())
    }

    /// Asks again for the answers that need more votes: those that the learner relies on, and those
    /// that a model relies on which is about to be the result.
    fn confirm(&mut self, is_over: IsOver<'_>) -> Result<(), NoAnswer<S::Error>> {
        for word in self.doubtful.take() {
            self.doubts.weak.extend(self.store.tree.known(&word));
        }
        let rate = self.noise.rate(&self.store.tree);
        self.doubts.begin(rate);
        let is_weak = |stored: &Self, &node: &NodeId| {
            stored.store.tree.is_weak(node, |node| stored.need(node))
        };
        let is_unproved = |stored: &Self, &node: &NodeId| {
            stored.store.tree.is_weak(node, |node| stored.surprise(node))
        };
        let Doubts { words, confirmed, proofs, proved, weak, asked, .. } = &self.doubts;
        let of = words[*confirmed..].iter().filter(|node| is_weak(self, node)).count()
            + proofs[*proved..].iter().filter(|node| is_unproved(self, node)).count()
            + weak[*asked..].len();
        self.doubts.progress = (of > 0).then_some((0, of));
        while let Some(&node) = self.doubts.words.get(self.doubts.confirmed) {
            self.repeat(node, is_over, |stored, _| !is_weak(stored, &node))?;
            self.doubts.confirmed += 1;
        }
        while let Some(&node) = self.doubts.proofs.get(self.doubts.proved) {
            self.repeat(node, is_over, |stored, _| !is_unproved(stored, &node))?;
            self.doubts.proved += 1;
        }
        while let Some(&node) = self.doubts.weak.get(self.doubts.asked) {
            self.repeat(node, is_over, |_, asked| asked > 0)?;
            self.doubts.asked += 1;
        }
        self.doubts.progress = None;
        Ok(())
    }

    /// Asks the word of an answer again until `is_enough` of the number of times that it was asked
    /// to its end.
    fn repeat(
        &mut self,
        node: NodeId,
        is_over: IsOver<'_>,
        is_enough: impl Fn(&Self, u32) -> bool,
    ) -> Result<(), NoAnswer<S::Error>> {
        let mut attempts = Attempts::default();
        let mut asked = 0;
        while !is_enough(self, asked) {
            self.start();
            self.word = self.store.tree.word(node);
            let end = self.word.len();
            let heard = self.ask(&[], &mut attempts, is_over)?;
            asked += u32::from(heard == end);
        }
        if let (1.., Some((done, _))) = (asked, &mut self.doubts.progress) {
            *done += 1;
        }
        Ok(())
    }

    /// Asks the device. If it is right before the last input, only that input is asked. Otherwise
    /// the word is asked from a reset. Returns how many of its inputs were asked.
    ///
    /// An answer that is not the believed one may be noise, or the device may be in another state.
    /// The next [`PROOF`] answers tell: the word goes on as long as they are known and believed, and
    /// ends where they are not.
    fn ask(
        &mut self,
        ahead: &[Input],
        attempts: &mut Attempts,
        is_over: IsOver<'_>,
    ) -> Result<usize, NoAnswer<S::Error>> {
        let last = self.word.len() - 1;
        let is_there = self.at == Some(self.node);
        let first = if is_there { last } else { 0 };
        if !is_there {
            self.at = None;
            self.store.reset().map_err(NoAnswer::Store)?;
            self.reset_device(ahead)?;
            self.at = Some(NodeId::ROOT);
        }
        // How many answers must still be as believed after one that was not.
        let mut proof = 0;
        for position in first..=last {
            if is_over(&self.tally()) {
                return Err(NoAnswer::Stopped);
            }
            let known = self.at.and_then(|at| self.store.tree.answer(at, self.word[position]));
            if proof > 0 && known.is_none() {
                self.at = None;
                return Ok(position);
            }
            let deviation = match self.ask_input(position, ahead) {
                Err(failure @ NoAnswer::Device { .. }) => {
                    self.lost += 1;
                    let Some(known) = known.filter(|_| position < last) else {
                        return Err(failure);
                    };
                    if !self.pass_over(position, known, failure)? {
                        return Ok(position + 1);
                    }
                    continue;
                }
                answer => answer?,
            };
            if self.is_overturned {
                return Err(NoAnswer::Overturned);
            }
            let Some(node) = deviation else {
                proof = u32::saturating_sub(proof, 1);
                continue;
            };
            // After a deviation another one says nothing new.
            let times = attempts.add(&self.store.tree, node, proof == 0);
            let in_a_row = attempts.in_a_row();
            if self.is_unsettled(node, times, in_a_row) {
                return Err(NoAnswer::Unsettled(self.unsettled(node)));
            }
            let next = self.store.tree.next_of(node);
            let is_single = proof == 0 && in_a_row <= 1;
            let goes_on = self.may_be_noise(node, self.word[position], is_single);
            if !goes_on || next == node || position == last {
                return Ok(position + 1);
            }
            self.at = Some(next);
            proof = PROOF;
        }
        if proof > 0 {
            self.at = None;
        }
        Ok(last + 1)
    }

    /// Whether an answer to this input may be noise, so that the answers after it show whether it was. `is_single`: no
    /// other answer was a deviation shortly before.
    fn may_be_noise(&self, node: NodeId, input: Input, is_single: bool) -> bool {
        // An output that no place has twice was garbled on its way here: that says nothing of the device.
        let is_garbled = !self.store.tree.counts(node).is_repeated;
        let output = self.store.tree.output(node);
        let is_silent = self.line.is_silence(self.sul.sul(), input, output);
        !is_silent && (is_garbled || is_single)
    }

    /// Passes over an answer that was garbled on its way, at a position where the device is known to give the answer `known`.
    /// Returns `false` if what can be read is another answer: the device did not get the input.
    fn pass_over(
        &mut self,
        position: usize,
        known: NodeId,
        failure: NoAnswer<S::Error>,
    ) -> Result<bool, NoAnswer<S::Error>> {
        let NoAnswer::Device { error, .. } = &failure else { return Err(failure) };
        let Garbled::Answered(answer) = self.line.garbled(error) else { return Err(failure) };
        if answer.is_some_and(|it| it != self.store.tree.output(known)) {
            return Ok(false);
        }
        self.at = Some(known);
        self.store.lose(self.word[position]).map_err(NoAnswer::Store)?;
        self.garbled += 1;
        Ok(true)
    }

    /// Resets the device for the word, after which the inputs `ahead` follow; nothing is to be done if a board has answered
    /// all of it ahead.
    fn reset_device(&mut self, ahead: &[Input]) -> Result<(), NoAnswer<S::Error>> {
        let word = [&self.word[..], ahead].concat();
        self.ahead = self.store.ahead.take(&word).map(Vec::into_iter);
        if self.ahead.is_some() {
            self.sul.count(Costs { resets: 1, symbols: 0 });
            return Ok(());
        }
        let started = Instant::now();
        if let Err(error) = self.sul.reset_for(&word) {
            // The device may have said something after the last word that belongs to it. Where the connection has ended,
            // an answer that came again is no longer in doubt: an input that ends it fails each reset after it.
            let (tree, is_away) = (&self.store.tree, self.line.is_away(&error));
            let last = self.last.take().filter(|&node| !is_away || tree.votes(node) == 1);
            self.doubts.weak.extend(last);
            return Err(NoAnswer::Device { error, word, sent: 0 });
        }
        self.resets.add(self.sul.elapsed().unwrap_or_else(|| started.elapsed()));
        Ok(())
    }

    /// The answer to the input at this position of the word.
    fn device_answer(
        &mut self,
        position: usize,
        ahead: &[Input],
    ) -> Result<DeviceAnswer, NoAnswer<S::Error>> {
        if let Some(answer) = self.ahead.as_mut().and_then(Iterator::next) {
            self.sul.count(Costs { resets: 0, symbols: 1 });
            return Ok(answer);
        }
        let input = self.word[position];
        let started = Instant::now();
        let output = Sul::step(&mut self.sul, input).map(Arc::<[u8]>::from).map_err(|error| {
            let word = [&self.word[..], ahead].concat();
            NoAnswer::Device { error, word, sent: position + 1 }
        })?;
        let time = self.sul.elapsed().unwrap_or_else(|| started.elapsed());
        let reply = self.sul.reply().map(Into::into);
        Ok(DeviceAnswer { output, reply, took: time })
    }

    /// Asks the device the input at this position of the word. Returns the answer if it was not the believed one.
    fn ask_input(
        &mut self,
        position: usize,
        ahead: &[Input],
    ) -> Result<Option<NodeId>, NoAnswer<S::Error>> {
        let from = self.at.take().unwrap_or(NodeId::ROOT);
        let answer = self.device_answer(position, ahead)?;
        let input = self.word[position];
        let observed = self.observe(from, input, &answer).map_err(NoAnswer::Store)?;
        self.last = Some(observed.node);
        let tree = &self.store.tree;
        let most = tree.votes(tree.answer(from, input).unwrap_or(observed.node));
        self.is_overturned |=
            tree.ring(observed.node).any(|node| tree.votes(node) < most && self.is_given(node));
        if !self.store.tree.is_believed(observed.node) {
            return Ok(Some(observed.node));
        }
        // What a board said ahead has an end: beyond it, the word is asked from a reset.
        let goes_on = self.ahead.as_ref().is_none_or(|answers| answers.len() > 0);
        self.at = goes_on.then_some(observed.node);
        Ok(None)
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
        let is_predicted = |_: &[Input], _: &[u8]| false;
        let context = Context {
            ahead: Vec::new(),
            is_test: false,
            is_anew: false,
            is_predicted: &is_predicted,
        };
        self.answer(input, &context, &mut |_| false)?;
        self.store.sync().map_err(NoAnswer::Store)?;
        Ok(self.store.tree.output(self.node))
    }
}
