//! A session: learner, tester and budget in one type. It says what to do next with a device, one
//! action at a time, and takes what came of it.
//!
//! Nothing here does I/O. A *lane* is a word in flight: one on a microcontroller, one for each board
//! where several boards learn together, several for a slow link. The number of lanes changes only
//! which tests are in flight when a counterexample is found; these are dropped.
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

use crate::action::{Action, EndReason, Reply};
use crate::alphabet::{Input, Output};
use crate::costs;
use crate::dispatcher::Dispatcher;
use crate::error::{Misuse, Refused, SessionError};
use crate::known_answer::KnownAnswer;
use crate::lanes;
use crate::learner::Learner;
use crate::learner::known::{self, KnownModel};
use crate::learner::table::{self, TableLearner};
#[cfg(feature = "tree")]
use crate::learner::tree;
use crate::machines::hypothesis::Hypothesis;
use crate::mealy::NumberedMealy;
use crate::memory::{Layout, Memory, MemoryRef};
use crate::options::{Observations, Options, Projections};
use crate::outputs::output_bytes;
use crate::prefixes::Short;
use crate::progress::{Progress, Purpose, Summary};
use crate::words::Lane;

// Fields of the floors below count up, those of the learner down.
const _: () = assert!(
    lanes::FIELDS_END <= table::FIELDS_START
        && (cfg!(feature = "tree") || lanes::FIELDS_END == table::FIELDS_START),
    "memory::FIELDS is wrong"
);
#[cfg(feature = "tree")]
const _: () = assert!(lanes::FIELDS_END == tree::FIELDS_START, "memory::FIELDS is wrong");
const _: () = assert!(lanes::FIELDS_END <= known::FIELDS_START, "memory::FIELDS is wrong");

/// How many inputs and lanes can be counted.
const COUNTABLE: core::ops::RangeInclusive<u32> = 1..=1 << 16;

/// A learner with its tests and its budget, in memory of the caller.
///
/// `M` is anything that holds words: a `Vec<u32>` on a host, an `&'static mut [u32]` on a
/// microcontroller. `L` is the learner: a [`TableLearner`] by default, `TreeLearner` or `AnyLearner` with the feature
/// `tree`; a [`KnownModel`] is only tested.
/// [How a session is used](crate::guide::sessions), and [how much memory it needs](crate::guide::memory).
#[derive(Clone, Debug)]
pub struct Session<M, L = TableLearner> {
    memory: M,
    layout: Layout,
    dispatcher: Dispatcher<L>,
}

impl<M: AsRef<[u32]> + AsMut<[u32]>> Session<M> {
    /// A session that learns a device with inputs `0..inputs`, with an observation table.
    ///
    /// ```
    /// use mealybug_core::{Options, Session};
    ///
    /// let session = Session::new(vec![0; 1024], 3, Options::default())?;
    /// assert_eq!(session.capacity_bytes(), 4096);
    /// assert!(Session::new(vec![0; 1024], 0, Options::default()).is_err());
    /// # Ok::<(), mealybug_core::SessionError>(())
    /// ```
    ///
    /// # Errors
    /// [`Misuse::TooMany`] for no inputs, no lanes, or more than 65 536 of them;
    /// [`Misuse::UnsupportedTests`]; [`Misuse::UnsupportedProjections`];
    /// [`Misuse::UnsupportedObservations`]: [`Session::with_learner`] takes a learner with a tree.
    pub fn new(memory: M, inputs: u32, options: Options) -> Result<Self, SessionError> {
        if options.observations != Observations::Table {
            return Err(Misuse::UnsupportedObservations.into());
        }
        Self::with_learner(memory, TableLearner::new(inputs, options.projections), options)
    }
}

impl<M: AsRef<[u32]> + AsMut<[u32]>> Session<M, KnownModel> {
    /// A session that learns nothing: it tests a device against a model at once, and ends with the
    /// first difference ([`EndReason::Refuted`](crate::EndReason::Refuted)). The model is divided by outputs, unless
    /// the projections are the identity.
    ///
    /// ```
    /// use mealybug_core::{EndReason, Input, Mealy, NumberedMealy, Options, Output, Session, learn, sul};
    ///
    /// /// A switch: its only input turns it on or off.
    /// struct Switch;
    ///
    /// impl Mealy for Switch {
    ///     type State = u32;
    ///     fn inputs(&self) -> u32 {
    ///         1
    ///     }
    ///     fn initial(&self) -> u32 {
    ///         0
    ///     }
    ///     fn step(&self, state: &mut u32, _: Input) -> Option<Output> {
    ///         *state = 1 - *state;
    ///         Some(Output::new(*state))
    ///     }
    /// }
    ///
    /// impl NumberedMealy for Switch {
    ///     fn outputs(&self) -> u32 {
    ///         2
    ///     }
    ///     fn states(&self) -> u32 {
    ///         2
    ///     }
    ///     fn output_name(&self, output: Output) -> &[u8] {
    ///         if output.index() == 1 { b"on" } else { b"off" }
    ///     }
    /// }
    ///
    /// let mut session = Session::of_model([0; 1024], &Switch, Options::default())?;
    /// let mut broken = sul::from_fn(|_| "on");
    /// assert_eq!(learn(&mut session, &mut broken)?, EndReason::Refuted);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The memory is full: call it again with at least `needed` bytes. [`Misuse::TooMany`] for no
    /// inputs, no lanes, or more than 65 536 of them; [`Misuse::InvalidModel`];
    /// [`Misuse::UnsupportedTests`].
    pub fn of_model(
        mut memory: M,
        model: &impl NumberedMealy,
        options: Options,
    ) -> Result<Self, SessionError> {
        let inputs = model.inputs();
        check(inputs, &options)?;
        let projections = match options.projections {
            Projections::Identity => Projections::Identity,
            _ => Projections::PerOutput,
        };
        let options = options.observations(Observations::Table).projections(projections);
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

impl<M: AsRef<[u32]> + AsMut<[u32]>, L: Learner> Session<M, L> {
    /// A session with a learner that has asked nothing yet. The learner says what the
    /// [observations](Options::observations) and [projections](Options::projections) are, whatever `options` say.
    ///
    /// # Errors
    /// As of [`Session::new`], but for [`Misuse::UnsupportedObservations`].
    pub fn with_learner(memory: M, learner: L, options: Options) -> Result<Self, SessionError> {
        check(learner.model().inputs(), &options)?;
        let (observations, projections) = learner.algorithm();
        let is_supported = observations == Observations::Tree
            || matches!(projections, Projections::Identity | Projections::PerOutput);
        if !is_supported {
            return Err(Misuse::UnsupportedProjections.into());
        }
        let options = options.observations(observations).projections(projections);
        Ok(Self { memory, layout: Layout::new(), dispatcher: Dispatcher::new(learner, options) })
    }

    /// Declares that an output belongs to a group of outputs, before the first word. One component is
    /// learned for all outputs of a group. Each output that is not declared has a group of its own.
    ///
    /// ```
    /// use mealybug_core::{Options, Session, learn, sul};
    ///
    /// let mut session = Session::new([0; 1024], 1, Options::default())?;
    /// for digit in ["0", "1", "2"] {
    ///     session.declare_group(digit.as_bytes(), 0)?;
    /// }
    /// let mut count = 0;
    /// let mut device = sul::from_fn(|input| {
    ///     count = if input.is_some() { (count + 1) % 4 } else { 0 };
    ///     ["0", "1", "2", "overflow"][count]
    /// });
    /// learn(&mut session, &mut device)?;
    /// // One component for the digits and one for `overflow`.
    /// assert_eq!(session.progress().components, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Misuse::TooLate`] after the first answer was taken in. The memory is full: repeat the call in larger memory. It holds
    /// a number for each group up to the largest, so number them from 0 on without gaps.
    pub fn declare_group(&mut self, output: &[u8], group: u32) -> Result<(), SessionError> {
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.layout);
        let (words, outputs) =
            (self.dispatcher.lanes.words(), self.dispatcher.learner.outputs_mut());
        let declared = words
            .reserve_names(m, outputs.names().wrapping_add(1))
            .and_then(|()| outputs.declare(m, output, group));
        declared.map_err(|Refused| self.layout.refused())
    }

    /// The newest access word, its last input first: a short row of the table, or a word of a basis. Where
    /// a session finds state after state, this word shows where they are.
    pub fn newest_access(&self) -> impl Iterator<Item = Input> + '_ {
        let (read, prefixes) = (self.read(), self.dispatcher.learner.model().prefixes);
        let newest = prefixes.len().checked_sub(1).map(Short);
        let newest = newest.and_then(|newest| prefixes.before(read, newest));
        core::iter::successors(newest, move |&(short, _)| prefixes.before(read, short))
            .map(|(_, input)| input)
    }

    /// Number of suffixes that were added because two short rows were equal and their successors were
    /// not: the output-inconsistencies of the table (Koenders and Moerman 2024, section 3).
    pub fn inconsistencies(&self) -> u32 {
        self.dispatcher.learner.inconsistencies()
    }

    /// Takes what came of the lane's last action and says the next. The first reply of each lane is
    /// [`Reply::Ready`].
    ///
    /// ```
    /// use mealybug_core::{Action, Options, Reply, Session};
    ///
    /// // A switch: its only input turns it on or off.
    /// let mut session = Session::new([0; 1024], 1, Options::default())?;
    /// let mut is_on = false;
    /// let mut action = session.next(0, Reply::Ready)?;
    /// let end = loop {
    ///     let reply = match action {
    ///         Action::Reset => {
    ///             is_on = false;
    ///             Reply::Ready
    ///         }
    ///         Action::Input(_) => {
    ///             is_on = !is_on;
    ///             Reply::Output(if is_on { &b"on"[..] } else { b"off" })
    ///         }
    ///         Action::Hypothesis | Action::Idle => Reply::Ready,
    ///         Action::Done(end) => break end,
    ///     };
    ///     action = session.next(0, reply)?;
    /// };
    /// assert!(end.is_converged());
    /// # Ok::<(), mealybug_core::SessionError>(())
    /// ```
    ///
    /// # Errors
    /// [`SessionError::Capacity`]: repeat the call in larger memory. [`SessionError::Contradiction`]: the
    /// session cannot go on, but its hypothesis stands. [`SessionError::Misuse`]: the session is as it
    /// was.
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

    /// The inputs after the one that a lane is asking. They follow whatever the device answers, except
    /// that a test ends with its first wrong output. So a device with a slow link can be given them
    /// together: see [`Reply::Outputs`].
    pub fn ahead(&self, lane: u32) -> impl Iterator<Item = Input> + '_ {
        let asked = self.dispatcher.lanes.asked(self.read(), Lane(lane));
        self.word(lane).skip(asked as usize)
    }

    /// The whole word of a lane; empty if the lane has none.
    pub fn word(&self, lane: u32) -> impl Iterator<Item = Input> + '_ {
        let (read, lane) = (self.read(), Lane(lane));
        let words = self.dispatcher.lanes.words();
        (0..words.len_of(read, lane)).map(move |position| words.input_of(read, lane, position))
    }

    /// Changes how many random tests in a row a hypothesis must pass to be the result, from now on.
    pub fn set_passing_tests(&mut self, tests: u64) {
        self.dispatcher.options.passing_tests = tests;
    }

    /// Says what a reset and each input cost. The unit is the cost of an ordinary input; no input costs less than 1. Tests
    /// follow the costs: the kind of the mixture that finds more at this cost gets the larger share, tests are longer where a
    /// reset is dear, and an input that costs as much as `c` others is drawn `√c` times as seldom. A tree learner tells states apart by what is cheap,
    /// and its words go on with random inputs where a reset is dear. If this is never called, a reset is free and each
    /// input costs 1. Without the feature `mixture` it has no effect.
    ///
    /// Call it at [`Action::Hypothesis`]: no lane has a word then, so the words that follow do not depend
    /// on the number of lanes.
    ///
    /// ```
    /// use mealybug_core::{Options, Session};
    ///
    /// let mut session = Session::new([0; 1024], 2, Options::default())?;
    /// // An input takes 4 ms, a reset 1 s, and input 1 has a time-out of 100 ms.
    /// session.set_costs(250, |input| if input.index() == 1 { 25 } else { 1 })?;
    /// # Ok::<(), mealybug_core::SessionError>(())
    /// ```
    ///
    /// # Errors
    /// The memory is full: repeat the call in larger memory.
    pub fn set_costs(
        &mut self,
        reset: u32,
        input: impl Fn(Input) -> u32,
    ) -> Result<(), SessionError> {
        let inputs = self.dispatcher.lanes.words().inputs();
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.layout);
        let set = costs::set(m, reset, inputs, input);
        set.map_err(|Refused| self.layout.refused())
    }

    /// Says that one of this many outputs of the device is wrong. The mixture of tests then has shorter
    /// words: a long one would have to be asked several times until no output is wrong. If this is
    /// never called, no output is wrong. Without the feature `mixture` it has no effect.
    ///
    /// Call it at the start or at [`Action::Hypothesis`], as [`set_costs`](Self::set_costs).
    pub fn set_noise(&mut self, symbols_per_error: u32) {
        self.dispatcher.tester.set_noise(symbols_per_error);
    }

    /// Ends the session: the next action of every lane is [`Action::Done`].
    pub fn stop(&mut self) {
        self.dispatcher.end.get_or_insert(EndReason::Stopped);
    }

    /// Whether words are asked now to learn or to test.
    pub fn purpose(&self) -> Purpose {
        self.dispatcher.purpose()
    }

    /// Makes of all answers so far a [hypothesis](Self::hypothesis), if none stands now: a model at any time,
    /// whatever ends a run. Transitions of which too little was asked are marked
    /// (see [`Knowledge`](crate::Knowledge)). The session can go on. A learner with a table has no
    /// model before its table is full: its last hypothesis stays as it is.
    ///
    #[cfg_attr(feature = "tree", doc = "```")]
    #[cfg_attr(not(feature = "tree"), doc = "```ignore")]
    /// use mealybug_core::{Budget, Input, Knowledge, Options, Session, TreeLearner, learn, sul};
    ///
    /// let mut count = 0;
    /// let mut device = sul::from_fn(|input| {
    ///     count = if input.is_some() { (count + 1) % 9 } else { 0 };
    ///     if count == 8 { "full" } else { "more" }
    /// });
    /// let options = Options::new().budget(Budget::UNLIMITED.resets(1));
    /// let learner = TreeLearner::new(2, options.projections);
    /// let mut session = Session::with_learner(vec![0; 1024], learner, options)?;
    /// learn(&mut session, &mut device).expect("it ends when the budget is spent");
    /// assert!(session.hypothesis().is_none());
    /// session.sketch()?;
    /// let sketch = session.hypothesis().expect("one word was asked");
    /// assert_eq!(sketch.knowledge(&[0], Input::new(1)), Knowledge::Unknown);
    /// # Ok::<(), mealybug_core::SessionError>(())
    /// ```
    ///
    /// # Errors
    /// The memory is full: repeat the call in larger memory.
    pub fn sketch(&mut self) -> Result<(), SessionError> {
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.layout);
        self.dispatcher.learner.sketch(m).map_err(|Refused| self.layout.refused())
    }

    /// The answers that the learner keeps, in the order of their numbers: each comes after those to the beginnings of its
    /// word. A learner with a table keeps none.
    pub fn known_answers(&self) -> impl Iterator<Item = KnownAnswer> + '_ {
        let read = self.read();
        (1..u32::MAX).map_while(move |number| self.dispatcher.learner.known_answer(read, number))
    }

    /// The last hypothesis, if there is one.
    pub fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        let components = self.dispatcher.learner.product().components;
        (components.len() > 0).then(|| Hypothesis::new(self.read(), components))
    }

    /// Whether an answer has refuted the last hypothesis and there is no better one yet.
    pub fn is_refuted(&self) -> bool {
        self.dispatcher.learner.is_refuted()
    }

    /// The bytes that the device answered; empty for an output that the session does not know.
    pub fn output_name(&self, output: Output) -> &[u8] {
        let is_known = output.index() < self.dispatcher.learner.outputs().len();
        if is_known { output_bytes(self.read(), output) } else { &[] }
    }

    /// The options, how the session ended, and what it has cost so far.
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

    /// How far it is, and what it has cost so far.
    pub fn progress(&self) -> Progress {
        let Dispatcher { learner, tester, spending, .. } = &self.dispatcher;
        let components = learner.product().components;
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

    /// Moves the session into other memory and returns the memory that it was in. The contents of the
    /// new memory do not matter.
    ///
    /// ```
    /// use mealybug_core::{Action, Options, Reply, Session, SessionError};
    ///
    /// let mut session = Session::new(vec![0; 8], 1, Options::default())?;
    /// let action = loop {
    ///     match session.next(0, Reply::Ready) {
    ///         Err(SessionError::Capacity(error)) => {
    ///             let larger = vec![0; error.needed.div_ceil(size_of::<u32>())];
    ///             session.move_into(larger).expect("it is larger");
    ///         }
    ///         action => break action?,
    ///     }
    /// };
    /// assert_eq!(action, Action::Reset);
    /// # Ok::<(), SessionError>(())
    /// ```
    ///
    /// # Errors
    /// The other memory is too small for what the session holds now. It is returned, and the session
    /// stays where it is.
    pub fn move_into(&mut self, mut memory: M) -> Result<M, M> {
        if !self.layout.transfer(self.memory.as_ref(), memory.as_mut()) {
            return Err(memory);
        }
        core::mem::swap(&mut self.memory, &mut memory);
        Ok(memory)
    }

    /// The size of its memory, in bytes.
    pub fn capacity_bytes(&self) -> usize {
        size_of_val(self.memory.as_ref())
    }

    fn read(&self) -> MemoryRef<'_> {
        MemoryRef::new(self.memory.as_ref(), &self.layout)
    }
}
