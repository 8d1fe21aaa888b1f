//! A session and a simulated device, word by word. Each hypothesis is compared with the right model.

use std::time::{Duration, Instant};

use mealybug::advice::Advice;
use mealybug::learn::{FIRST_MEMORY_BYTES, HostSession, Oracle, grow, new_session};
use mealybug::machine::Machine;
use mealybug::simulate::Simulated;
use mealybug_core::{
    Action, CapacityError, EndReason, Input, Options, Purpose, Reply, SessionError, Sul, Tests,
};

/// A session that learns a machine, without a store and without failures, so that it is fast.
///
/// Each hypothesis is compared with the machine. With [`Tests::External`] the session is told a shortest
/// counterexample; otherwise it is left to its tests, whether the hypothesis is right or not.
#[derive(Debug)]
pub struct Simulation<'m> {
    session: HostSession,
    device: Simulated<'m>,
    oracle: Oracle<'m>,
    memory_bytes: usize,
    /// The next action of the session.
    action: Action,
    /// Whether the action is a hypothesis, and the caller was told of it.
    is_told: bool,
    /// A shortest counterexample to the last hypothesis. `None` if that is right.
    cex: Option<Vec<Input>>,
    advice: Option<Advice>,
    /// Whether the next word is asked on advice.
    is_advice: bool,
    judging: Duration,
    word: Vec<Input>,
    /// The outputs that the session is told next.
    outputs: Vec<&'m [u8]>,
}

/// An event of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulationEvent {
    /// A word was asked: [`Simulation::word`].
    Word {
        /// Its purpose.
        purpose: Purpose,
        /// Whether it is the first counterexample to this hypothesis.
        is_cex: bool,
    },
    /// The session has a hypothesis.
    Hypothesis {
        /// Whether it equals the machine.
        is_right: bool,
    },
    /// The session is over.
    Done(EndReason),
    /// The session needs more memory than it may have.
    Memory(CapacityError),
}

impl<'m> Simulation<'m> {
    /// A session that learns `machine` in at most `memory_bytes`.
    ///
    /// # Errors
    /// The machine has no inputs, or too many; the options make no sense.
    pub fn new(
        machine: &'m Machine,
        options: Options,
        memory_bytes: usize,
    ) -> Result<Self, SessionError> {
        let inputs = mealybug_core::Mealy::inputs(machine);
        let memory = vec![0; FIRST_MEMORY_BYTES / size_of::<u32>()];
        let session = new_session(memory, inputs, options)?;
        Ok(Self {
            session,
            device: Simulated::new(machine),
            oracle: Oracle::new(machine),
            memory_bytes,
            action: Action::Idle,
            is_told: false,
            cex: None,
            advice: None,
            is_advice: false,
            judging: Duration::ZERO,
            word: Vec::new(),
            outputs: Vec::new(),
        })
    }

    /// Tells the session the cost of a reset and of each input: see
    /// [`Session::set_costs`](mealybug_core::Session::set_costs).
    ///
    /// # Errors
    /// The session needs more memory than it may have.
    pub fn set_costs(
        &mut self,
        reset: u32,
        input: impl Fn(Input) -> u32,
    ) -> Result<(), CapacityError> {
        let Self { session, memory_bytes, .. } = self;
        in_memory(session, *memory_bytes, |session| session.set_costs(reset, &input))
    }

    /// Asks words on this advice of older models before any test.
    pub fn advise(&mut self, advice: Advice) {
        self.advice = Some(advice);
    }

    /// The advice that it follows.
    pub fn advice(&self) -> Option<&Advice> {
        self.advice.as_ref()
    }

    /// The session.
    pub fn session(&self) -> &HostSession {
        &self.session
    }

    /// The last word that was asked, without inputs that were not.
    pub fn word(&self) -> &[Input] {
        &self.word
    }

    /// The time spent on comparing hypotheses with the machine.
    pub fn judging(&self) -> Duration {
        self.judging
    }

    /// Continues until the next event.
    pub fn advance(&mut self) -> SimulationEvent {
        self.until_event().unwrap_or_else(SimulationEvent::Memory)
    }

    fn until_event(&mut self) -> Result<SimulationEvent, CapacityError> {
        if self.is_told {
            let is_perfect = self.session.options().tests == Tests::External;
            let hypothesis = self.session.hypothesis();
            let advised = self.advice.as_mut().zip(hypothesis).and_then(|(advice, hypothesis)| {
                advice.word(self.session.progress().rounds, hypothesis)
            });
            self.is_advice = advised.is_some();
            let verdict = match &self.cex {
                _ if advised.is_some() => Reply::Advice(advised.as_deref().unwrap_or_default()),
                Some(word) if is_perfect => Reply::Counterexample(word),
                _ => Reply::Ready,
            };
            self.action = next(&mut self.session, self.memory_bytes, verdict)?;
            self.is_told = false;
        }
        loop {
            match self.action {
                Action::Reset => return self.ask(),
                Action::Hypothesis => {
                    self.is_told = true;
                    if let Some(advice) = &mut self.advice {
                        advice.settle(self.session.progress().rounds);
                    }
                    self.judge();
                    return Ok(SimulationEvent::Hypothesis { is_right: self.cex.is_none() });
                }
                Action::Done(why) => return Ok(SimulationEvent::Done(why)),
                Action::Idle | Action::Input(_) => self.action = self.go_on()?,
            }
        }
    }

    fn judge(&mut self) {
        let started = Instant::now();
        let hypothesis = self.session.hypothesis();
        self.cex = hypothesis.and_then(|hypothesis| self.oracle.counterexample(hypothesis));
        self.judging += started.elapsed();
    }

    /// Asks a word, from the reset on, all of it at once as far as it is known.
    fn ask(&mut self) -> Result<SimulationEvent, CapacityError> {
        let purpose = self.session.purpose();
        let is_advice = std::mem::take(&mut self.is_advice);
        let was_refuted = self.session.is_refuted();
        self.device.reset().unwrap_or_else(|never| match never {});
        self.word.clear();
        let before = self.session.progress().testing.symbols;
        self.action = self.go_on()?;
        // A learner may go on with a word when it is answered.
        while let Action::Input(_) = self.action {
            let Self { device, session, memory_bytes, word, outputs, .. } = self;
            let answered = word.len();
            word.extend(session.word(0).skip(answered));
            outputs.clear();
            outputs.extend(word[answered..].iter().map(|&input| device.answer(input)));
            if let Some(advice) = &mut self.advice {
                for (position, output) in (answered..).zip(&*outputs) {
                    advice.hear(position, output);
                }
            }
            self.action = next(session, *memory_bytes, Reply::Outputs(outputs))?;
        }
        if purpose == Purpose::Testing {
            // A test may have ended before its last input.
            let asked = self.session.progress().testing.symbols - before;
            self.word.truncate(usize::try_from(asked).unwrap_or(usize::MAX));
        }
        if let Some(advice) = &mut self.advice {
            advice.answered(&self.word);
        }
        let is_test = (purpose == Purpose::Testing || is_advice) && !was_refuted;
        Ok(SimulationEvent::Word { purpose, is_cex: is_test && self.session.is_refuted() })
    }

    fn go_on(&mut self) -> Result<Action, CapacityError> {
        next(&mut self.session, self.memory_bytes, Reply::Ready)
    }
}

/// The next action of the only lane, in larger memory if the session needs that.
fn next(
    session: &mut HostSession,
    memory_bytes: usize,
    reply: Reply<'_>,
) -> Result<Action, CapacityError> {
    in_memory(session, memory_bytes, |session| session.next(0, reply))
}

/// Does something with a session, in larger memory if it needs that.
fn in_memory<T>(
    session: &mut HostSession,
    memory_bytes: usize,
    mut act: impl FnMut(&mut HostSession) -> Result<T, SessionError>,
) -> Result<T, CapacityError> {
    loop {
        match act(session) {
            Ok(done) => return Ok(done),
            Err(SessionError::Capacity(error)) => grow(session, memory_bytes, error)?,
            Err(error) => unreachable!("a machine is deterministic, each reply fits: {error}"),
        }
    }
}
