//! A session: learner, tests and budget behind one door. It says what to do next with a device, one
//! action at a time, and takes what came of it.
//!
//! Nothing here does I/O. A *lane* is a word in flight: one on a microcontroller, one a board for
//! several boards, several for a slow link. Words are handed out, and answers taken in, in one order
//! whatever the number of lanes, so that the learner decides what it would with one.
//!
//! ```text
//! session.next(lane, reply) -> Action      Reset | Input(i) | Idle | Hypothesis | Done(why)
//! session.ahead(lane)                      inputs that follow unless a test shows something new:
//!                                          their outputs may come with that of the first
//! session.failed(lane)                     the link failed; the word is asked again from a reset
//! ```
//!
//! When a call ends with a [`CapacityError`](crate::CapacityError), nothing is lost: move the session
//! into larger memory ([`Session::move_into`]) and repeat the call.

use crate::action::{Action, Reply, Why};
use crate::components::Tuple;
use crate::error::{Misuse, SessionError, Stop};
use crate::hypothesis::Hypothesis;
use crate::lanes::{Lanes, State};
use crate::learner::{Learner, Phase, set_cex_input};
use crate::memory::{Field, Memory, Plan, Read};
use crate::options::Options;
use crate::outputs::{Name, Outputs};
use crate::progress::{Costs, Progress, Purpose};
use crate::rng::Rng;
use crate::table::{Short, Table};
use crate::testing::{Generator, MIXED, Maker, Mixture, RandomWords, RandomWp, Suite, Tests};
use crate::wire::Run;
use crate::{Input, Output};

/// Whether what is known of a test need not be found out again.
const FAST: bool = cfg!(feature = "fast");

/// A learner with its tests and its budget, in memory of the caller.
///
/// `M` is anything that holds words: a `Vec<u32>` on a host, an `&'static mut [u32]` on a
/// microcontroller.
#[derive(Clone, Debug)]
pub struct Session<M> {
    memory: M,
    plan: Plan,
    engine: Engine,
}

/// Everything of a session that is not in the region. Not generic, so that its code exists once.
#[derive(Clone, Debug)]
struct Engine {
    options: Options,
    lanes: Lanes,
    learner: Learner,
    begun: bool,
    done: Option<Why>,
    /// Words handed out, and taken in.
    handed_out: u32,
    taken: u32,
    /// Tests handed out.
    tests: u32,
    suite: Suite,
    mixture: Mixture,
    /// The tests that found the last counterexample.
    found_by: Option<Tests>,
    tests_in_a_row: u64,
    /// No test in flight has shown an output that the hypothesis does not have.
    is_as_expected: bool,
    learning: Costs,
    testing: Costs,
}

impl<M: AsRef<[u32]> + AsMut<[u32]>> Session<M> {
    /// A session for a device with so many inputs.
    ///
    /// # Errors
    /// [`Misuse::TooMany`] for no inputs, no lanes, or more than 65 536 of them;
    /// [`Misuse::NoSuchTests`].
    pub fn new(memory: M, inputs: u32, options: Options) -> Result<Self, SessionError> {
        let countable = 1..=1 << 16;
        if !countable.contains(&inputs) || !countable.contains(&options.lanes) {
            return Err(Misuse::TooMany.into());
        }
        if !options.tests.is_there() {
            return Err(Misuse::NoSuchTests.into());
        }
        let table = Table::new(inputs, options.family, Outputs::default());
        let engine = Engine {
            options,
            lanes: Lanes::new(options.lanes, inputs),
            learner: Learner::new(table),
            begun: false,
            done: None,
            handed_out: 0,
            taken: 0,
            tests: 0,
            suite: Suite::new(options.tests),
            mixture: Mixture::new(),
            found_by: None,
            tests_in_a_row: 0,
            is_as_expected: false,
            learning: Costs::default(),
            testing: Costs::default(),
        };
        Ok(Self { memory, plan: Plan::new(), engine })
    }

    /// Declares that the output of this name belongs to a block of outputs: one component is learned
    /// for all outputs of a block. Outputs that are not declared have a block of their own.
    ///
    /// # Errors
    /// [`Misuse::TooLate`] after the first word, or the memory is full.
    pub fn declare_block(&mut self, output: &[u8], block: u32) -> Result<(), SessionError> {
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.plan);
        let declared = self.engine.learner.table.outputs.declare(m, output, block);
        declared.map_err(|Stop| self.plan.refused())
    }

    /// Takes what came of the lane's last action and says the next.
    ///
    /// # Errors
    /// The memory is full: repeat the call in larger memory. The device contradicted itself: the
    /// session cannot go on, but its hypothesis stands. Or the call does not fit.
    pub fn next(&mut self, lane: u32, reply: Reply<'_>) -> Result<Action, SessionError> {
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.plan);
        self.engine.next(m, lane, reply).map_err(|Stop| self.plan.refused())
    }

    /// The link to a lane's device failed: its word is asked again. The reply to the failed action is
    /// [`Reply::Ready`], and the lane's next action [`Action::Reset`].
    pub fn failed(&mut self, lane: u32) {
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.plan);
        let lanes = self.engine.lanes;
        let has = lanes.has(m.read(), lane);
        if has && matches!(lanes.state(m, lane), State::Resetting | State::Asking) {
            lanes.fail(m, lane);
        }
    }

    /// The inputs that follow in a lane's word whatever the device says, but for a test, which ends
    /// with its first wrong output.
    pub fn ahead(&self, lane: u32) -> impl Iterator<Item = Input> + '_ {
        let asked = self.engine.lanes.asked(self.read(), lane);
        self.word(lane).skip(asked as usize)
    }

    /// The word of a lane.
    pub fn word(&self, lane: u32) -> impl Iterator<Item = Input> + '_ {
        let read = self.read();
        let len = self.engine.lanes.word_len(read, lane);
        (0..len).map(move |position| Input::new(read.at(Field::LaneInput, lane, position)))
    }

    /// A hypothesis that passes so many random tests in a row is the result, from now on.
    pub fn set_tests_in_a_row(&mut self, tests: u64) {
        self.engine.options.tests_in_a_row = tests;
    }

    /// Says what a reset costs, and each input, in a unit of which an ordinary input costs about one. The
    /// mixture of tests follows it: the larger share for what finds more at this cost, and longer
    /// tests where a reset is dear. Where this is never called a reset is free, and each input costs one.
    ///
    /// Words depend on when it is called: with [`Action::Hypothesis`], when no lane has one, they do
    /// not depend on the number of lanes.
    ///
    /// # Errors
    /// The memory is full: repeat the call in larger memory.
    #[cfg(feature = "mixture")]
    pub fn set_prices(
        &mut self,
        reset: u32,
        input: impl Fn(Input) -> u32,
    ) -> Result<(), SessionError> {
        let inputs = self.engine.learner.table.inputs;
        let m = &mut Memory::new(self.memory.as_mut(), &mut self.plan);
        let set = crate::testing::prices::set(m, reset, inputs, input);
        set.map_err(|Stop| self.plan.refused())
    }

    /// Ends the session: the next action of every lane is [`Action::Done`].
    pub fn stop(&mut self) {
        self.engine.done.get_or_insert(Why::Stopped);
    }

    /// What is being asked now.
    pub fn purpose(&self) -> Purpose {
        self.engine.learner.purpose()
    }

    /// The last hypothesis, if there is one.
    pub fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        let Learner { components, table, .. } = &self.engine.learner;
        let made = components.len() > 0;
        made.then(|| Hypothesis::new(self.read(), *components, components.outputs(), table.inputs))
    }

    /// Whether an answer contradicts the last hypothesis: the session ended before it could be mended.
    pub fn is_refuted(&self) -> bool {
        self.engine.learner.is_refuted()
    }

    /// The access word of the newest state of the table, its last input first: where states keep
    /// coming, it shows along which word.
    pub fn newest_access(&self) -> impl Iterator<Item = Input> + '_ {
        let (read, table) = (self.read(), &self.engine.learner.table);
        let newest =
            table.shorts.checked_sub(1).and_then(|newest| table.before(read, Short(newest)));
        core::iter::successors(newest, move |&(short, _)| table.before(read, short))
            .map(|(_, input)| input)
    }

    /// The bytes of an output, empty for one that is not known.
    pub fn output_name(&self, output: Output) -> &[u8] {
        let known = output.index() < self.engine.learner.table.outputs.len();
        if known { crate::outputs::output_bytes(self.read(), output) } else { &[] }
    }

    /// What it was told, how it ended and what it cost, as it stands now.
    pub fn run(&self) -> Run {
        let Engine { options, done, .. } = &self.engine;
        let refuted = self.is_refuted();
        Run { options: *options, why: *done, refuted, progress: self.progress() }
    }

    /// Its options.
    pub fn options(&self) -> &Options {
        &self.engine.options
    }

    /// Where it stands.
    pub fn progress(&self) -> Progress {
        let Engine { learner, learning, testing, tests_in_a_row, mixture, found_by, .. } =
            &self.engine;
        let Learner { table, components, rounds, defects, .. } = learner;
        Progress {
            purpose: self.purpose(),
            short_rows: table.shorts,
            rows: table.rows(),
            suffixes: table.columns.suffixes(),
            columns: table.columns.symbols(),
            outputs: table.outputs.len(),
            components: components.len(),
            component_states: components.states(),
            rounds: *rounds,
            tests_in_a_row: *tests_in_a_row,
            defects: *defects,
            learning: *learning,
            testing: *testing,
            tests: mixture.spent(),
            found_by: *found_by,
            learner_bytes: self.plan.high_water_bytes(),
        }
    }

    /// How many suffixes were added since rows that looked alike had successors that did not: the
    /// output-inconsistencies of the table (paper, section 3).
    pub fn inconsistencies(&self) -> u32 {
        self.engine.learner.inconsistencies
    }

    /// Moves the session into other memory and returns the memory that it was in; if the other is too
    /// small, the session stays and the other is returned as the error.
    ///
    /// # Errors
    /// The other memory cannot hold what is laid out now.
    pub fn move_into(&mut self, mut memory: M) -> Result<M, M> {
        if !self.plan.transfer(self.memory.as_ref(), memory.as_mut()) {
            return Err(memory);
        }
        core::mem::swap(&mut self.memory, &mut memory);
        Ok(memory)
    }

    /// How much memory it has, in bytes.
    pub fn capacity_bytes(&self) -> usize {
        size_of_val(self.memory.as_ref())
    }

    fn read(&self) -> Read<'_> {
        Read::new(self.memory.as_ref(), &self.plan)
    }

    /// The learner and what it lies in.
    #[cfg(test)]
    pub(crate) fn learner(&mut self) -> (Memory<'_>, Learner) {
        (Memory::new(self.memory.as_mut(), &mut self.plan), self.engine.learner)
    }
}

impl Engine {
    fn next(&mut self, m: &mut Memory<'_>, lane: u32, reply: Reply<'_>) -> Result<Action, Stop> {
        if !self.begun {
            self.lanes.begin(m)?;
            self.begun = true;
        }
        if lane >= self.lanes.count() {
            let lanes = self.lanes.count();
            return Err(m.refuse(Misuse::NoSuchLane { lane, lanes }.into()));
        }
        if matches!(reply, Reply::Counterexample([_, ..]))
            && matches!(self.done, Some(Why::TestsPassed | Why::SuitePassed))
        {
            self.done = None;
            self.learner.phase = Phase::Hypothesis { told: Some(lane), again: true };
        }
        let action = if self.done.is_none() { self.reply(m, lane, reply)? } else { None };
        match (self.done, action) {
            (Some(why), _) => Ok(Action::Done(why)),
            (None, Some(action)) => Ok(action),
            (None, None) => {
                self.take_in(m)?;
                self.hand_out(m, lane)
            }
        }
    }

    /// Takes what came of an action: the action that follows at once, if one does.
    fn reply(
        &mut self,
        m: &mut Memory<'_>,
        lane: u32,
        reply: Reply<'_>,
    ) -> Result<Option<Action>, Stop> {
        match (self.lanes.state(m, lane), reply) {
            (State::Asking, Reply::Output(bytes)) => {
                if let Some(position) = self.lanes.pending(m, lane) {
                    // Words in a row often begin alike, and so do their answers.
                    let guess = self.lanes.name(m, lane, position);
                    let name = self.learner.table.outputs.name_like(m, bytes, guess)?;
                    if self.is_unexpected(m, lane, position, name) {
                        self.lanes.cut_after(m, lane);
                    }
                    self.lanes.answer(m, lane, name);
                }
                Ok(self.ask(m, lane))
            }
            #[cfg(feature = "fast")]
            (State::Asking, Reply::Outputs(outputs @ [_, ..])) => {
                self.answers(m, lane, outputs)?;
                Ok(self.ask(m, lane))
            }
            (State::Resetting, Reply::Ready) => Ok(self.ask(m, lane)),
            (State::Failed, Reply::Ready) => {
                self.lanes.start(m, lane);
                self.count(|costs| costs.resets += 1);
                Ok(Some(Action::Reset))
            }
            // A call that is repeated after an error: its reply was taken.
            (State::Complete | State::Free, Reply::Output(_)) => Ok(None),
            #[cfg(feature = "fast")]
            (State::Complete | State::Free, Reply::Outputs(_)) => Ok(None),
            (State::Complete, Reply::Ready) => Ok(None),
            (State::Free, reply) => {
                self.verdict(m, lane, reply)?;
                Ok(None)
            }
            _ => Err(m.refuse(Misuse::UnexpectedReply.into())),
        }
    }

    /// Takes the answers to the input that is being asked and those after it.
    #[cfg(feature = "fast")]
    fn answers(&mut self, m: &mut Memory<'_>, lane: u32, outputs: &[&[u8]]) -> Result<(), Stop> {
        let Some(first) = self.lanes.pending(m, lane) else { return Ok(()) };
        let left = self.lanes.len(m, lane) - first;
        if outputs.len() > left as usize {
            return Err(m.refuse(Misuse::UnexpectedReply.into()));
        }
        // All names first: if there is no room for one, nothing was taken.
        let mut end = first;
        for bytes in outputs {
            let guess = self.lanes.name(m, lane, end);
            let name = self.learner.table.outputs.name_like(m, bytes, guess)?;
            self.lanes.set_name(m, lane, end, name);
            end += 1;
        }
        if matches!(self.learner.phase, Phase::Test) {
            let unexpected = (first..end).find(|&position| {
                let name = self.lanes.name(m, lane, position);
                self.is_unexpected(m, lane, position, name)
            });
            if let Some(last) = unexpected {
                end = last + 1;
                self.lanes.cut(m, lane, end);
            }
        }
        self.lanes.answer_until(m, lane, end);
        // The first was counted when it was asked.
        self.count(|costs| costs.symbols += u64::from(end - first) - 1);
        Ok(())
    }

    fn ask(&mut self, m: &mut Memory<'_>, lane: u32) -> Option<Action> {
        let input = self.lanes.ask(m, lane)?;
        self.count(|costs| costs.symbols += 1);
        Some(Action::Input(input))
    }

    /// What the caller says about a hypothesis.
    fn verdict(&mut self, m: &mut Memory<'_>, lane: u32, reply: Reply<'_>) -> Result<(), Stop> {
        let told = Some(lane);
        let asked = matches!(self.learner.phase, Phase::Hypothesis { told: to, .. } if to == told);
        match reply {
            Reply::Ready | Reply::Counterexample([]) if asked => {
                self.learner.phase = Phase::Test;
                Ok(())
            }
            Reply::Equivalent if asked => {
                self.done = Some(Why::Equivalent);
                Ok(())
            }
            Reply::Counterexample(word) if asked => {
                let inputs = self.learner.table.inputs;
                if let Some(input) = word.iter().find(|input| input.index() >= inputs) {
                    let input = input.index();
                    return Err(m.refuse(Misuse::NoSuchInput { input, inputs }.into()));
                }
                let len =
                    u32::try_from(word.len()).map_err(|_| m.refuse(Misuse::TooMany.into()))?;
                self.learner.reserve_cex(m, len)?;
                for (position, &input) in (0..).zip(word) {
                    set_cex_input(m, position, input);
                }
                self.learner.cex_len = len;
                self.found_by = None;
                self.learner.phase = Phase::Ask { given: true, handed_out: false };
                Ok(())
            }
            Reply::Ready => Ok(()),
            // A call that is repeated after an error: its counterexample was taken.
            Reply::Counterexample(_) if self.learner.is_given() => Ok(()),
            _ => Err(m.refuse(Misuse::UnexpectedReply.into())),
        }
    }

    /// Takes in the answers whose turn it is; when all are in, lets the learner go on.
    fn take_in(&mut self, m: &mut Memory<'_>) -> Result<(), Stop> {
        while let Some(lane) = self.lanes.complete(m, self.taken) {
            let test = self.lanes.test(m, lane);
            let testing = matches!(self.learner.phase, Phase::Test);
            let price = self.mixture.price(m, self.lanes, lane);
            let expected = FAST && testing && self.is_as_expected;
            let wrong = self.learner.take(m, &self.options, self.lanes, lane, expected)?;
            self.lanes.clear(m, lane);
            self.taken = self.taken.wrapping_add(1);
            if testing {
                let kind = self.kind(&mut self.rng(test));
                self.mixture.count(kind, price, wrong);
                self.found_by = if wrong { Some(kind) } else { self.found_by };
            }
            if testing && wrong {
                // Tests handed out after this one are for a hypothesis that is wrong.
                for lane in 0..self.lanes.count() {
                    self.lanes.clear(m, lane);
                }
                self.handed_out = self.taken;
                self.tests = test.wrapping_add(1);
                self.tests_in_a_row = 0;
            } else if testing {
                self.tests_in_a_row += 1;
            }
        }
        if self.taken == self.handed_out {
            self.learner.advance(m, &self.options)?;
        }
        Ok(())
    }

    /// Gives a lane its next word.
    fn hand_out(&mut self, m: &mut Memory<'_>, lane: u32) -> Result<Action, Stop> {
        if self.lanes.state(m, lane) != State::Free {
            return Ok(Action::Idle);
        }
        let in_flight = self.taken != self.handed_out;
        if let Phase::Hypothesis { told, again } = &mut self.learner.phase {
            if in_flight || told.is_some() {
                return Ok(Action::Idle);
            }
            if *again {
                *told = Some(lane);
                return Ok(Action::Hypothesis);
            }
            if self.learner.rounds >= self.options.budget.rounds {
                return Ok(self.end(Why::Rounds));
            }
            *told = Some(lane);
            self.begin_tests(m);
            self.learner.rounds += 1;
            return Ok(Action::Hypothesis);
        }
        if self.learning.symbols + self.testing.symbols >= self.options.budget.symbols {
            return Ok(self.end(Why::Symbols));
        }
        if self.learning.resets + self.testing.resets >= self.options.budget.resets {
            return Ok(self.end(Why::Resets));
        }
        let test = self.tests;
        let made = if matches!(self.learner.phase, Phase::Test) {
            self.make_test(m, lane)?
        } else {
            self.learner.hand_out(m, self.lanes, lane)?
        };
        if made {
            self.lanes.hand_out(m, lane, self.handed_out, test);
            self.handed_out = self.handed_out.wrapping_add(1);
            self.count(|costs| costs.resets += 1);
            return Ok(Action::Reset);
        }
        self.lanes.clear(m, lane);
        if in_flight || !matches!(self.learner.phase, Phase::Test) {
            return Ok(Action::Idle);
        }
        let complete = self.learner.walk.is_complete();
        Ok(self.end(match self.options.tests {
            tests if tests.is_random() => Why::TestsPassed,
            Tests::External => Why::Untested,
            Tests::Components { .. } => Why::SuitePassed,
            _ if complete => Why::SuitePassed,
            _ => Why::SuiteCut,
        }))
    }

    fn end(&mut self, why: Why) -> Action {
        Action::Done(*self.done.insert(why))
    }

    /// There is a new hypothesis to be tested.
    fn begin_tests(&mut self, m: &mut Memory<'_>) {
        if FAST {
            self.is_as_expected = self.options.shorten;
        }
        self.suite = Suite::new(self.options.tests);
        self.mixture.begin(m);
    }

    /// Makes the next test in a lane; `false` when there is none.
    fn make_test(&mut self, m: &mut Memory<'_>, lane: u32) -> Result<bool, Stop> {
        let Learner { table, components, walk, .. } = &self.learner;
        let (components, walk, lanes) = (*components, *walk, self.lanes);
        components.reserve_lanes(m, lanes.count())?;
        let in_flight = self.handed_out.wrapping_sub(self.taken);
        let enough = self.tests_in_a_row + u64::from(in_flight) >= self.options.tests_in_a_row;
        if self.options.tests.is_random() && enough {
            return Ok(false);
        }
        let mut rng = self.rng(self.tests);
        let kind = self.kind(&mut rng);
        let mut maker = Maker { m, table, components, walk, lanes, lane };
        let made = match kind {
            Tests::RandomWp => RandomWp.next(&mut maker, &mut rng),
            Tests::RandomWords => RandomWords.next(&mut maker, &mut rng),
            kind if MIXED.contains(&kind) => self.mixture.next(kind, &mut maker, &mut rng),
            _ => self.suite.next(&mut maker, &mut rng),
        }?;
        self.tests = self.tests.wrapping_add(u32::from(made));
        Ok(made)
    }

    /// What a test is made with.
    fn rng(&self, test: u32) -> Rng {
        Rng::new(self.options.seed, test)
    }

    /// What kind a test is of, the first thing that is drawn for it.
    fn kind(&self, rng: &mut Rng) -> Tests {
        match self.options.tests {
            Tests::Mixture => self.mixture.draw(rng),
            tests => tests,
        }
    }

    /// Whether a test's next output is not that of the hypothesis. What follows would be left out, as
    /// counterexamples are shortened.
    fn is_unexpected(&mut self, m: &mut Memory<'_>, lane: u32, position: u32, name: Name) -> bool {
        if !matches!(self.learner.phase, Phase::Test) || !self.options.shorten {
            return false;
        }
        let Learner { components, walk, table, .. } = &self.learner;
        if position == 0 {
            walk.reset(*components, m, Tuple::lane(lane));
        }
        let input = self.lanes.input(m, lane, position);
        let expected = walk.step(*components, m, Tuple::lane(lane), input).ok();
        let is_unexpected = expected != table.outputs.known(m, name);
        if FAST {
            // What has no output in either is no reason to end a test, but the test is wrong.
            self.is_as_expected &= !is_unexpected && expected.is_some();
        }
        is_unexpected
    }

    fn count(&mut self, count: impl FnOnce(&mut Costs)) {
        count(match self.learner.purpose() {
            Purpose::Learning => &mut self.learning,
            Purpose::Testing => &mut self.testing,
        });
    }
}
