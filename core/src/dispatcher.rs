//! The dispatcher: gives lanes the words of the learner and of the tester, and takes the answers in.
//!
//! Words are handed out in one order, and answers are taken in in the same order, whatever the number
//! of lanes: learner and tester decide what they would decide with one lane.

use crate::action::{Action, EndReason, Reply};
use crate::alphabet::Input;
use crate::budget::Spending;
use crate::error::{Misuse, Refused};
use crate::lanes::{LaneState, Lanes};
use crate::learner::Learn;
use crate::memory::Memory;
use crate::options::Options;
use crate::outputs::Name;
use crate::progress::Purpose;
use crate::testing::tester::Tester;
use crate::words::{Lane, Words};

/// The session looks at this many tests with known answers in one call. Then it returns, so that the caller can end it.
const RECALLED: u32 = 256;

/// Whether what is known of a test need not be found out again.
const FAST: bool = cfg!(feature = "fast");

/// Whose words are handed out.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The learner's.
    Learning,
    /// Nobody's: the caller is to be told of a hypothesis, or was told on a lane. `again`: same
    /// hypothesis as before, since the caller's word was not a counterexample; does not count as a
    /// round.
    Hypothesis { told: Option<Lane>, again: bool },
    /// The caller's: a word that may be a counterexample lies in this lane. It counts as learning if it is
    /// advice.
    Given { lane: Lane, is_handed_out: bool, is_advice: bool },
    /// The tester's.
    Testing,
}

/// Everything of a session that is not in the region. Not generic over the memory, so that its code
/// exists once.
#[derive(Clone, Debug)]
pub(crate) struct Dispatcher<L> {
    pub(crate) options: Options,
    pub(crate) lanes: Lanes,
    pub(crate) learner: L,
    pub(crate) tester: Tester,
    pub(crate) spending: Spending,
    pub(crate) end: Option<EndReason>,
    stage: Stage,
    has_begun: bool,
    /// How many words were handed out, and taken in.
    handed_out: u32,
    taken: u32,
}

impl<L: Learn> Dispatcher<L> {
    pub(crate) fn new(learner: L, options: Options) -> Self {
        let inputs = learner.model().inputs();
        Self {
            options,
            lanes: Lanes::new(Words::new(options.lanes, inputs)),
            learner,
            tester: Tester::new(options.tests),
            spending: Spending::NONE,
            end: None,
            stage: Stage::Learning,
            has_begun: false,
            handed_out: 0,
            taken: 0,
        }
    }

    /// Takes what came of the lane's last action and says the next.
    pub(crate) fn next(
        &mut self,
        m: &mut Memory<'_>,
        lane: u32,
        reply: Reply<'_>,
    ) -> Result<Action, Refused> {
        if !self.has_begun {
            self.lanes.begin(m)?;
            self.has_begun = true;
        }
        let lanes = self.options.lanes;
        if lane >= lanes {
            return Err(m.refuse(Misuse::NoSuchLane { lane, lanes }.into()));
        }
        let lane = Lane(lane);
        if let Reply::Counterexample(word @ [_, ..]) | Reply::Advice(word @ [_, ..]) = reply
            && matches!(self.end, Some(EndReason::TestsPassed | EndReason::SuitePassed))
        {
            self.take_given(m, lane, word, matches!(reply, Reply::Advice(_)))?;
            self.end = None;
            return self.go_on(m, lane);
        }
        let action = if self.end.is_none() { self.reply(m, lane, reply)? } else { None };
        match (self.end, action) {
            (Some(end), _) => Ok(Action::Done(end)),
            (None, Some(action)) => Ok(action),
            (None, None) => self.go_on(m, lane),
        }
    }

    /// Takes in what is complete, and gives a lane its next word.
    // PERF: not a part of `next`, which so has only the replies that its caller gives, and takes less
    // flash (docs/measurements/firmware.txt).
    #[inline(never)]
    fn go_on(&mut self, m: &mut Memory<'_>, lane: Lane) -> Result<Action, Refused> {
        self.take_in(m)?;
        if !L::HAS_TREE {
            return self.hand_out(m, lane);
        }
        for _ in 0..RECALLED {
            let action = self.hand_out(m, lane)?;
            // A test whose answer is known is taken in at once.
            if self.lanes.complete(m, self.taken) != Some(lane) {
                return Ok(action);
            }
            self.take_in(m)?;
        }
        Ok(Action::Idle)
    }

    /// Why words are asked now.
    pub(crate) fn purpose(&self) -> Purpose {
        match self.stage {
            Stage::Given { is_advice: true, .. } => Purpose::Learning,
            _ => self.learner.purpose(),
        }
    }

    /// The link to a lane's device failed.
    pub(crate) fn failed(&self, m: &mut Memory<'_>, lane: Lane) {
        let has = self.lanes.words().has(m.read(), lane);
        if has && matches!(self.lanes.state(m, lane), LaneState::Resetting | LaneState::Asking) {
            self.lanes.fail(m, lane);
        }
    }

    /// Takes what came of an action: the action that follows at once, if one does.
    fn reply(
        &mut self,
        m: &mut Memory<'_>,
        lane: Lane,
        reply: Reply<'_>,
    ) -> Result<Option<Action>, Refused> {
        match (self.lanes.state(m, lane), reply) {
            (LaneState::Asking, Reply::Output(bytes)) => {
                self.take_outputs(m, lane, &[bytes])?;
                self.ask(m, lane)
            }
            (LaneState::Asking, Reply::Outputs(outputs @ [_, ..])) => {
                self.take_outputs(m, lane, outputs)?;
                self.ask(m, lane)
            }
            (LaneState::Resetting, Reply::Ready) => {
                self.spending.reset(self.purpose());
                self.ask(m, lane)
            }
            (LaneState::Failed, Reply::Ready) => {
                self.lanes.start(m, lane);
                Ok(Some(Action::Reset))
            }
            // A call that is repeated after an error: its reply was taken.
            (LaneState::Complete | LaneState::Free, Reply::Output(_) | Reply::Outputs(_)) => {
                Ok(None)
            }
            (LaneState::Complete, Reply::Ready) => Ok(None),
            (LaneState::Free, reply) => self.take_verdict(m, lane, reply).map(|()| None),
            _ => Err(m.refuse(Misuse::UnexpectedReply.into())),
        }
    }

    /// Takes the answers to the input that is being asked and to those after it.
    // PERF: as for `go_on`.
    #[inline(never)]
    fn take_outputs(
        &mut self,
        m: &mut Memory<'_>,
        lane: Lane,
        outputs: &[&[u8]],
    ) -> Result<(), Refused> {
        let Some(first) = self.lanes.pending(m, lane) else { return Ok(()) };
        let words = self.lanes.words();
        let len = u32::try_from(outputs.len()).unwrap_or(u32::MAX);
        let mut end = first.saturating_add(len);
        if end > words.len(m, lane) {
            return Err(m.refuse(Misuse::UnexpectedReply.into()));
        }
        // All names first: if there is no room for one, nothing was taken.
        for (position, bytes) in (first..end).zip(outputs) {
            let name = words.name(m, self.learner.outputs_mut(), lane, position, bytes)?;
            words.set_answer(m, lane, position, name);
        }
        let unexpected = (first..end).find(|&position| {
            let name = words.answer(m, lane, position);
            self.compare(m, lane, position, name)
        });
        if let Some(last) = unexpected {
            end = last.wrapping_add(1);
            words.truncate(m, lane, end);
        }
        self.lanes.set_answered(m, lane, end);
        // The first was counted when it was asked.
        let more = end.wrapping_sub(first).saturating_sub(1);
        self.spending.symbols(self.purpose(), more);
        Ok(())
    }

    /// Compares the next output of a lane with the hypothesis, if its word is a test: whether the test
    /// ends with it.
    fn compare(&mut self, m: &mut Memory<'_>, lane: Lane, position: u32, name: Name) -> bool {
        if !matches!(self.stage, Stage::Testing) || !self.options.shorten {
            return false;
        }
        let known = (self.learner.product(), self.learner.outputs());
        self.tester.compare(m, known, (self.lanes.words(), lane), position, name)
    }

    fn ask(&mut self, m: &mut Memory<'_>, lane: Lane) -> Result<Option<Action>, Refused> {
        // Before the lane is complete: a call that is repeated after an error comes here again.
        if L::HAS_TREE && matches!(self.stage, Stage::Learning) && self.lanes.is_answered(m, lane) {
            self.learner.extend(m, self.lanes.words(), lane)?;
        }
        let Some(input) = self.lanes.ask(m, lane) else { return Ok(None) };
        self.spending.symbols(self.purpose(), 1);
        Ok(Some(Action::Input(input)))
    }

    /// Takes what the caller says about a hypothesis.
    fn take_verdict(
        &mut self,
        m: &mut Memory<'_>,
        lane: Lane,
        reply: Reply<'_>,
    ) -> Result<(), Refused> {
        let is_told =
            matches!(self.stage, Stage::Hypothesis { told: Some(told), .. } if told == lane);
        match reply {
            Reply::Ready | Reply::Counterexample([]) | Reply::Advice([]) if is_told => {
                self.stage = Stage::Testing;
            }
            Reply::Equivalent if is_told => self.end = Some(EndReason::Equivalent),
            Reply::Counterexample(word) | Reply::Advice(word) if is_told => {
                self.take_given(m, lane, word, matches!(reply, Reply::Advice(_)))?;
            }
            Reply::Ready => {}
            // A call that is repeated after an error: its reply was taken.
            Reply::Counterexample([]) | Reply::Advice([])
                if matches!(self.stage, Stage::Testing) => {}
            _ => return Err(m.refuse(Misuse::UnexpectedReply.into())),
        }
        Ok(())
    }

    /// Takes a word that may be a counterexample.
    fn take_given(
        &mut self,
        m: &mut Memory<'_>,
        lane: Lane,
        word: &[Input],
        is_advice: bool,
    ) -> Result<(), Refused> {
        let words = self.lanes.words();
        let inputs = words.inputs();
        if let Some(input) = word.iter().find(|input| input.index() >= inputs) {
            let input = input.index();
            return Err(m.refuse(Misuse::NoSuchInput { input, inputs }.into()));
        }
        let len = u32::try_from(word.len()).map_err(|_| m.refuse(Misuse::TooMany.into()))?;
        words.clear(m, lane);
        words.extend(m, lane, len)?;
        for (position, &input) in (0..len).zip(word) {
            words.set_input(m, lane, position, input);
        }
        self.tester.clear_found_by();
        self.stage = Stage::Given { lane, is_handed_out: false, is_advice };
        Ok(())
    }

    /// Takes in the answers whose turn it is; when all are in, lets the learner go on.
    fn take_in(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        let words = self.lanes.words();
        while let Some(lane) = self.lanes.complete(m, self.taken) {
            let is_test = matches!(self.stage, Stage::Testing);
            let is_as_expected = FAST && is_test && self.tester.is_as_expected();
            let is_wrong = self.learner.take(m, &self.options, words, lane, is_as_expected)?;
            let test = self.lanes.test(m, lane);
            if is_test {
                let asked = self.lanes.answered(m, lane);
                self.tester.count(m, &self.options, (words, lane), test, (asked, is_wrong));
            }
            self.lanes.clear(m, lane);
            self.taken = self.taken.wrapping_add(1);
            if is_test && is_wrong {
                // Tests handed out after this one are for a hypothesis that is wrong.
                for lane in self.lanes.iter() {
                    self.lanes.clear(m, lane);
                }
                self.handed_out = self.taken;
            }
            self.stage = match self.stage {
                Stage::Given { .. } if !is_wrong => Stage::Hypothesis { told: None, again: true },
                _ if is_wrong => Stage::Learning,
                stage => stage,
            };
        }
        if self.taken == self.handed_out {
            self.learner.advance(m, &self.options)?;
            if matches!(self.stage, Stage::Learning) && self.learner.is_ready() {
                self.stage = Stage::Hypothesis { told: None, again: false };
            }
        }
        Ok(())
    }

    /// Gives a lane its next word.
    fn hand_out(&mut self, m: &mut Memory<'_>, lane: Lane) -> Result<Action, Refused> {
        if self.lanes.state(m, lane) != LaneState::Free {
            return Ok(Action::Idle);
        }
        let in_flight = self.handed_out.wrapping_sub(self.taken);
        if let Stage::Hypothesis { told, again } = self.stage {
            return Ok(if in_flight > 0 || told.is_some() {
                Action::Idle
            } else {
                self.tell(m, lane, again)
            });
        }
        if in_flight == 0 && self.learner.is_stuck() {
            return Ok(self.end(EndReason::Refuted));
        }
        match self.spending.exceeds(&self.options.budget, self.lanes.resetting(m)) {
            // Those that were handed out are within the budget.
            Some(EndReason::Resets) if in_flight > 0 => return Ok(Action::Idle),
            Some(end) => return Ok(self.end(end)),
            None => {}
        }
        let test = self.tester.next_test();
        if self.write_word(m, lane, in_flight)? {
            self.lanes.hand_out(m, lane, self.handed_out, test);
            self.handed_out = self.handed_out.wrapping_add(1);
            if L::HAS_TREE && self.recall(m, lane) {
                return Ok(Action::Idle);
            }
            return Ok(Action::Reset);
        }
        self.lanes.clear(m, lane);
        Ok(match self.stage {
            _ if in_flight > 0 => Action::Idle,
            Stage::Testing => self.end(Tester::end_reason(&self.options, self.learner.product())),
            Stage::Learning | Stage::Hypothesis { .. } | Stage::Given { .. } => Action::Idle,
        })
    }

    /// Whether the learner knows the answer to the test of a lane, which then is complete.
    fn recall(&mut self, m: &mut Memory<'_>, lane: Lane) -> bool {
        let words = self.lanes.words();
        let is_known = matches!(self.stage, Stage::Testing) && self.learner.recall(m, words, lane);
        if is_known {
            let len = words.len(m, lane);
            let wrong = (0..len).find(|&position| {
                let name = words.answer(m, lane, position);
                self.compare(m, lane, position, name)
            });
            let end = wrong.map_or(len, |wrong| wrong.wrapping_add(1));
            words.truncate(m, lane, end);
            self.lanes.recall(m, lane);
        }
        is_known
    }

    /// Tells the caller of a hypothesis.
    fn tell(&mut self, m: &mut Memory<'_>, lane: Lane, again: bool) -> Action {
        if !again {
            if self.spending.rounds >= self.options.budget.rounds {
                return self.end(EndReason::Rounds);
            }
            self.tester.begin(m, &self.options);
            self.spending.rounds = self.spending.rounds.wrapping_add(1);
        }
        self.stage = Stage::Hypothesis { told: Some(lane), again };
        Action::Hypothesis
    }

    /// Writes the next word into a lane; `false` when there is none now.
    // PERF: as for `go_on`.
    #[inline(never)]
    fn write_word(
        &mut self,
        m: &mut Memory<'_>,
        lane: Lane,
        in_flight: u32,
    ) -> Result<bool, Refused> {
        let words = self.lanes.words();
        match &mut self.stage {
            Stage::Testing => {
                let model = self.learner.model();
                self.tester.next_word(m, &self.options, model, (words, lane), in_flight)
            }
            Stage::Given { lane: given, is_handed_out, .. } => {
                let is_next = *given == lane && !*is_handed_out;
                *is_handed_out |= is_next;
                Ok(is_next)
            }
            Stage::Learning => {
                words.clear(m, lane);
                self.learner.next_word(m, words, lane)
            }
            Stage::Hypothesis { .. } => Ok(false),
        }
    }

    fn end(&mut self, end: EndReason) -> Action {
        Action::Done(*self.end.insert(end))
    }
}
