//! A session: learner, tester and budget behind one door. It says what to do next with a device, one
//! action at a time, and takes what came of it.
//!
//! Nothing here does I/O. A *lane* is a word in flight: one on a microcontroller, one a board for
//! several boards, several for a slow link. What is asked is the same whatever the number of lanes,
//! except for tests in flight when a counterexample is found.
//!
//! ```text
//! session.next(lane, reply) -> Action      Reset | Input(i) | Idle | Hypothesis | Done(reason)
//! session.ahead(lane)                      inputs that follow unless a test shows something new:
//!                                          their outputs may come with that of the first
//! session.failed(lane)                     the link failed; the word is asked again from a reset
//! ```
//!
//! When a call ends with a [`CapacityError`](crate::CapacityError), nothing is lost: move the session
//! into larger memory ([`Session::move_into`]) and repeat the call.

use crate::action::{Action, Reply};
use crate::alphabet::{Input, Output};
use crate::dispatcher::Dispatcher;
use crate::error::{Misuse, Refused, SessionError};
use crate::lanes;
use crate::learner::Learner;
use crate::learner::known::{self, KnownModel};
use crate::learner::table::{self, TableLearner};
use crate::machines::hypothesis::Hypothesis;
use crate::mealy::NumberedMealy;
use crate::memory::{Layout, Memory, MemoryRef};
use crate::options::Options;
use crate::outputs::output_bytes;
use crate::progress::{Progress, Purpose, Summary};
use crate::testing::costs;
use crate::words::Lane;

// Fields of the floors below count up, those of the learner down.
const _: () = assert!(lanes::FIELDS_END == table::FIELDS_START, "memory::FIELDS is wrong");
const _: () = assert!(lanes::FIELDS_END <= known::FIELDS_START, "memory::FIELDS is wrong");

/// How many inputs and lanes can be counted.
const COUNTABLE: core::ops::RangeInclusive<u32> = 1..=1 << 16;

/// A learner with its tests and its budget, in memory of the caller.
///
/// `M` is anything that holds words: a `Vec<u32>` on a host, an `&'static mut [u32]` on a
/// microcontroller. `L` is the learner: [`TableLearner`] learns, a [`KnownModel`] is only tested.
#[derive(Clone, Debug)]
pub struct Session<M, L = TableLearner> {
    memory: M,
    layout: Layout,
    dispatcher: Dispatcher<L>,
}

impl<M: AsRef<[u32]> + AsMut<[u32]>> Session<M> {
    /// A session that learns a device with so many inputs.
    ///
    /// # Errors
    /// [`Misuse::TooMany`] for no inputs, no lanes, or more than 65 536 of them;
    /// [`Misuse::UnsupportedTests`].
    pub fn new(memory: M, inputs: u32, options: Options) -> Result<Self, SessionError> {
        Self::with_learner(memory, TableLearner::new(inputs, &options), options)
    }

    /// Declares that an output belongs to a group of outputs: one component is learned for all outputs
    /// of a group. Each output that is not declared has a group of its own.
    ///
    /// # Errors
    /// [`Misuse::TooLate`] after the first word, or the memory is full.
    pub fn declare_group(&mut self, output: &[u8], group: u32) -> Result<(), SessionError> {
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.layout);
        let (words, outputs) =
            (self.dispatcher.lanes.words(), self.dispatcher.learner.outputs_mut());
        let declared = words
            .reserve_names(m, outputs.names() + 1)
            .and_then(|()| outputs.declare(m, output, group));
        declared.map_err(|Refused| self.layout.refused())
    }

    /// The access word of the newest short row of the table, its last input first: where states keep
    /// coming, it shows along which word.
    pub fn newest_access(&self) -> impl Iterator<Item = Input> + '_ {
        self.dispatcher.learner.newest_access(self.read())
    }

    /// How many suffixes were added because equal short rows had successors that were not equal: the
    /// output-inconsistencies of the table (paper, section 3).
    pub fn inconsistencies(&self) -> u32 {
        self.dispatcher.learner.inconsistencies()
    }
}

impl<M: AsRef<[u32]> + AsMut<[u32]>> Session<M, KnownModel> {
    /// A session that learns nothing: it tests a device against a model at once, and ends with the
    /// first difference.
    ///
    /// # Errors
    /// The memory is full: try it with as much as is needed. [`Misuse::TooMany`] for no inputs, no
    /// lanes, or more than 65 536 of them; [`Misuse::UnsupportedTests`].
    pub fn of_model(
        mut memory: M,
        model: &impl NumberedMealy,
        options: Options,
    ) -> Result<Self, SessionError> {
        let inputs = model.inputs();
        check(inputs, &options)?;
        let mut layout = Layout::new();
        let m = &mut Memory::new(memory.as_mut(), &mut layout);
        let learner = KnownModel::new(m, model, &options);
        let learner = learner.map_err(|Refused| layout.refused())?;
        Ok(Self { memory, layout, dispatcher: Dispatcher::new(learner, options) })
    }
}

/// Whether a session can be like this.
fn check(inputs: u32, options: &Options) -> Result<(), SessionError> {
    if !COUNTABLE.contains(&inputs) || !COUNTABLE.contains(&options.lanes) {
        return Err(Misuse::TooMany.into());
    }
    if !options.tests.is_supported() {
        return Err(Misuse::UnsupportedTests.into());
    }
    Ok(())
}

#[expect(private_bounds, reason = "the learners are those of this crate")]
impl<M: AsRef<[u32]> + AsMut<[u32]>, L: Learner> Session<M, L> {
    /// A session with a learner that has asked nothing yet.
    ///
    /// # Errors
    /// As of [`Session::new`].
    pub fn with_learner(memory: M, learner: L, options: Options) -> Result<Self, SessionError> {
        check(learner.model().inputs(), &options)?;
        Ok(Self { memory, layout: Layout::new(), dispatcher: Dispatcher::new(learner, options) })
    }

    /// Takes what came of the lane's last action and says the next.
    ///
    /// # Errors
    /// The memory is full: repeat the call in larger memory. The device contradicted itself: the
    /// session cannot go on, but its hypothesis stands. Or the call does not fit.
    pub fn next(&mut self, lane: u32, reply: Reply<'_>) -> Result<Action, SessionError> {
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.layout);
        self.dispatcher.next(m, lane, reply).map_err(|Refused| self.layout.refused())
    }

    /// The link to a lane's device failed: its word is asked again. The reply to the failed action is
    /// [`Reply::Ready`], and the lane's next action [`Action::Reset`].
    pub fn failed(&mut self, lane: u32) {
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.layout);
        self.dispatcher.failed(m, Lane(lane));
    }

    /// The inputs that follow in a lane's word whatever the device says, except that a test ends with
    /// its first wrong output.
    pub fn ahead(&self, lane: u32) -> impl Iterator<Item = Input> + '_ {
        let asked = self.dispatcher.lanes.asked(self.read(), Lane(lane));
        self.word(lane).skip(asked as usize)
    }

    /// The word of a lane.
    pub fn word(&self, lane: u32) -> impl Iterator<Item = Input> + '_ {
        let (read, lane) = (self.read(), Lane(lane));
        let words = self.dispatcher.lanes.words();
        (0..words.len_of(read, lane)).map(move |position| words.input_of(read, lane, position))
    }

    /// Changes how many random tests in a row a hypothesis must pass to be the result, from now on.
    pub fn set_passing_tests(&mut self, tests: u64) {
        self.dispatcher.options.passing_tests = tests;
    }

    /// Says what a reset costs, and each input, in a unit of which an ordinary input costs about one.
    /// The mixture of tests follows it: the larger share for what finds more at this cost, and longer
    /// tests where a reset is dear. Where this is never called a reset is free, and each input costs
    /// one. Without the feature `mixture` it has no effect.
    ///
    /// Words depend on when it is called: with [`Action::Hypothesis`], when no lane has one, they do
    /// not depend on the number of lanes.
    ///
    /// # Errors
    /// The memory is full: repeat the call in larger memory.
    pub fn set_costs(
        &mut self,
        reset: u32,
        input: impl Fn(Input) -> u32,
    ) -> Result<(), SessionError> {
        let inputs = self.dispatcher.learner.model().inputs();
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.layout);
        let set = costs::set(m, reset, inputs, input);
        set.map_err(|Refused| self.layout.refused())
    }

    /// Ends the session: the next action of every lane is [`Action::Done`].
    pub fn stop(&mut self) {
        self.dispatcher.end.get_or_insert(crate::action::EndReason::Stopped);
    }

    /// What is being asked now.
    pub fn purpose(&self) -> Purpose {
        self.dispatcher.learner.purpose()
    }

    /// The last hypothesis, if there is one.
    pub fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        let components = self.dispatcher.learner.model().components();
        (components.len() > 0).then(|| Hypothesis::new(self.read(), components))
    }

    /// Whether an answer contradicts the last hypothesis, which was not refined yet.
    pub fn is_refuted(&self) -> bool {
        self.dispatcher.learner.is_refuted()
    }

    /// The bytes of an output, empty for one that is not known.
    pub fn output_name(&self, output: Output) -> &[u8] {
        let is_known = output.index() < self.dispatcher.learner.outputs().len();
        if is_known { output_bytes(self.read(), output) } else { &[] }
    }

    /// What it was told, how it ended and what it cost, as it stands now.
    pub fn summary(&self) -> Summary {
        Summary {
            options: self.dispatcher.options,
            end: self.dispatcher.end,
            is_refuted: self.is_refuted(),
            progress: self.progress(),
        }
    }

    /// Its options.
    pub fn options(&self) -> &Options {
        &self.dispatcher.options
    }

    /// Where it stands.
    pub fn progress(&self) -> Progress {
        let Dispatcher { learner, tester, spending, .. } = &self.dispatcher;
        let components = learner.model().components();
        let mut progress = Progress {
            purpose: self.purpose(),
            outputs: learner.outputs().len(),
            components: components.len(),
            component_states: components.states(),
            rounds: spending.rounds,
            learning: spending.learning,
            testing: spending.testing,
            learner_bytes: self.layout.high_water_bytes(),
            ..Progress::NONE
        };
        learner.report(&mut progress);
        tester.report(&mut progress);
        progress
    }

    /// Moves the session into other memory and returns the memory that it was in; if the other is too
    /// small, the session stays and the other is returned as the error.
    ///
    /// # Errors
    /// The other memory cannot hold what is laid out now.
    pub fn move_into(&mut self, mut memory: M) -> Result<M, M> {
        if !self.layout.transfer(self.memory.as_ref(), memory.as_mut()) {
            return Err(memory);
        }
        core::mem::swap(&mut self.memory, &mut memory);
        Ok(memory)
    }

    /// How much memory it has, in bytes.
    pub fn capacity_bytes(&self) -> usize {
        size_of_val(self.memory.as_ref())
    }

    fn read(&self) -> MemoryRef<'_> {
        MemoryRef::new(self.memory.as_ref(), &self.layout)
    }
}
