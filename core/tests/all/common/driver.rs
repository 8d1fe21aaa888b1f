//! The driver: it serves a session with a machine in place of a device.

use mealybug_core::{
    Action, CapacityError, EndReason, Hypothesis, Input, Observations, Options, Projections,
    Purpose, Reply, Session, SessionError, Tests,
};

use super::TableMachine;
use super::naive::separating_word;

#[cfg(feature = "tree")]
pub(crate) type TestedLearner = mealybug_core::AnyLearner;
#[cfg(not(feature = "tree"))]
pub(crate) type TestedLearner = mealybug_core::TableLearner;

/// The learner that the options say.
pub(crate) fn learner(inputs: u32, options: &Options) -> TestedLearner {
    #[cfg(feature = "tree")]
    return TestedLearner::new(inputs, options);
    #[cfg(not(feature = "tree"))]
    TestedLearner::new(inputs, options.projections)
}

/// More steps than any test needs: an endless loop ends here.
pub(crate) const STEPS: u64 = 50_000_000;

/// Serves a session with one machine for each lane.
#[derive(Debug)]
pub(crate) struct Driver<'m> {
    pub(crate) session: Session<Vec<u32>, TestedLearner>,
    pub(crate) machine: &'m TableMachine,
    lanes: Vec<DrivenLane>,
    /// All words in the order in which the session handed them out.
    pub(crate) asked: Vec<LaneWord>,
    /// Whether memory grows, after each [`CapacityError`], to what the error says is needed.
    pub(crate) grows: bool,
    /// The maximum number of outputs in a reply.
    pub(crate) at_once: usize,
    /// The errors after which memory grew.
    pub(crate) full: Vec<CapacityError>,
}

/// A word that the session handed out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LaneWord {
    pub(crate) testing: bool,
    pub(crate) word: Vec<u32>,
}

/// What the caller says about a hypothesis.
#[derive(Clone, Debug)]
pub(crate) enum CallerVerdict {
    Test,
    Equivalent,
    Counterexample(Vec<Input>),
    Advice(Vec<Input>),
}

/// The device of a lane.
#[derive(Clone, Debug)]
struct DrivenLane {
    state: u32,
    /// The action that the session expects next.
    next: Option<Action>,
    /// The word that the session asks again after a failure; empty if it has dropped the word.
    again: Vec<u32>,
}

impl<'m> Driver<'m> {
    /// A session in plenty of memory.
    pub(crate) fn new(machine: &'m TableMachine, options: Options) -> Self {
        Self::with_memory(machine, options, 1 << 20)
    }

    /// A session in a memory of `words` words.
    pub(crate) fn with_memory(machine: &'m TableMachine, options: Options, words: usize) -> Self {
        let learner = learner(machine.inputs, &options);
        let session = Session::with_learner(memory(words), learner, options);
        let session = session.expect("good options");
        let lane = DrivenLane { state: 0, next: None, again: Vec::new() };
        let lanes = vec![lane; options.lanes as usize];
        let (asked, full) = (Vec::new(), Vec::new());
        Self { session, machine, lanes, asked, grows: false, at_once: 1, full }
    }

    /// The action that a lane does next.
    pub(crate) fn pending(&self, lane: u32) -> Option<Action> {
        self.lanes[lane as usize].next
    }

    /// The link of a lane fails while its device is in use: the lane starts again with a reset.
    pub(crate) fn fail(&mut self, lane: u32) {
        let device = &mut self.lanes[lane as usize];
        if matches!(device.next, Some(Action::Reset | Action::Input(_))) {
            self.session.failed(lane);
            device.next = None;
            device.again = self.session.word(lane).map(Input::index).collect();
        }
    }

    /// Does the pending action of a lane and takes the next one.
    pub(crate) fn step(
        &mut self,
        lane: u32,
        judge: &mut impl FnMut(&Hypothesis<'_>, &TableMachine) -> CallerVerdict,
    ) -> Result<Action, SessionError> {
        let device = &mut self.lanes[lane as usize];
        let (verdict, outputs): (_, Vec<_>);
        let reply = match device.next {
            None | Some(Action::Idle) => Reply::Ready,
            Some(Action::Reset) => {
                device.state = 0;
                Reply::Ready
            }
            Some(Action::Input(input)) if self.at_once > 1 => {
                let inputs = core::iter::once(input).chain(self.session.ahead(lane));
                let names = inputs.take(self.at_once).map(|input| {
                    let output = self.machine.step(&mut device.state, input.index());
                    self.machine.name(output)
                });
                outputs = names.collect();
                Reply::Outputs(&outputs)
            }
            Some(Action::Input(input)) => {
                let output = self.machine.step(&mut device.state, input.index());
                Reply::Output(self.machine.name(output))
            }
            Some(
                Action::Hypothesis | Action::Done(EndReason::TestsPassed | EndReason::SuitePassed),
            ) => {
                let hypothesis = self.session.hypothesis().expect("the session has shown it");
                verdict = judge(&hypothesis, self.machine);
                match &verdict {
                    CallerVerdict::Test => Reply::Ready,
                    CallerVerdict::Equivalent => Reply::Equivalent,
                    CallerVerdict::Counterexample(word) => Reply::Counterexample(word),
                    CallerVerdict::Advice(word) => Reply::Advice(word),
                }
            }
            Some(Action::Done(_)) => Reply::Ready,
        };
        let action = loop {
            match self.session.next(lane, reply) {
                Err(SessionError::Capacity(error)) if self.grows => {
                    assert!(error.needed > error.capacity, "{error}");
                    assert_eq!(error.capacity, self.session.capacity_bytes());
                    self.full.push(error);
                    let larger = memory(error.needed.div_ceil(size_of::<u32>()));
                    let old = self.session.move_into(larger).expect("the memory is larger");
                    assert_eq!(size_of_val(old.as_slice()), error.capacity);
                }
                action => break action?,
            }
        };
        let again = core::mem::take(&mut self.lanes[lane as usize].again);
        if action == Action::Reset {
            let testing = self.session.purpose() == Purpose::Testing;
            let word: Vec<_> = self.session.word(lane).map(Input::index).collect();
            if word != again {
                self.asked.push(LaneWord { testing, word });
            }
        }
        self.lanes[lane as usize].next = Some(action);
        Ok(action)
    }

    /// Serves the only lane until the session is done.
    pub(crate) fn run(
        &mut self,
        mut judge: impl FnMut(&Hypothesis<'_>, &TableMachine) -> CallerVerdict,
    ) -> Result<EndReason, SessionError> {
        for _ in 0..STEPS {
            match self.step(0, &mut judge)? {
                Action::Done(end) => return Ok(end),
                // With a tree, the answers to many tests are known.
                Action::Idle if self.session.options().observations == Observations::Table => {
                    panic!("the only lane has no other lane to wait for")
                }
                _ => {}
            }
        }
        panic!("the session is not done after {STEPS} steps");
    }

    /// The last hypothesis.
    pub(crate) fn hypothesis(&self) -> Hypothesis<'_> {
        self.session.hypothesis().expect("there is a hypothesis")
    }
}

/// Gives a shortest counterexample; says that the hypothesis is equivalent if there is none.
pub(crate) fn perfect(hypothesis: &Hypothesis<'_>, machine: &TableMachine) -> CallerVerdict {
    separating_word(hypothesis, machine)
        .map_or(CallerVerdict::Equivalent, CallerVerdict::Counterexample)
}

/// Gives a shortest counterexample; lets the session test a right hypothesis.
pub(crate) fn without_tests(hypothesis: &Hypothesis<'_>, machine: &TableMachine) -> CallerVerdict {
    match perfect(hypothesis, machine) {
        CallerVerdict::Equivalent => CallerVerdict::Test,
        cex => cex,
    }
}

/// Lets the session test each wrong hypothesis; says when one is equivalent.
pub(crate) fn until_equal(hypothesis: &Hypothesis<'_>, machine: &TableMachine) -> CallerVerdict {
    separating_word(hypothesis, machine).map_or(CallerVerdict::Equivalent, |_| CallerVerdict::Test)
}

/// Lets the session test every hypothesis.
pub(crate) fn only_tests(_: &Hypothesis<'_>, _: &TableMachine) -> CallerVerdict {
    CallerVerdict::Test
}

/// Memory that is not zeroed.
pub(crate) fn memory(words: usize) -> Vec<u32> {
    vec![0xa5c3_96f1; words]
}

/// Options without tests: the caller gives the counterexamples.
pub(crate) fn external(projections: Projections) -> Options {
    Options::new().projections(projections).tests(Tests::External)
}
