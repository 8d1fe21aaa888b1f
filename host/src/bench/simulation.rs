//! A session and a simulated device, word by word.

use mealybug_core::{
    Action, CapacityError, Input, Options, Purpose, Reply, SessionError, Sul, Why,
};

use crate::learn::{FIRST_MEMORY_BYTES, HostSession, grow};
use crate::machine::Machine;
use crate::simulate::Simulated;

/// A session that learns a machine, as fast as that goes: nothing is stored, and nothing can fail.
#[derive(Debug)]
pub struct Simulation<'m> {
    session: HostSession,
    machine: &'m Machine,
    device: Simulated<'m>,
    memory_bytes: usize,
    /// What the session wants next.
    action: Action,
    /// Whether it is a hypothesis that the caller knows of.
    is_told: bool,
    word: Vec<Input>,
    /// The outputs of the whole word.
    outputs: Vec<&'m [u8]>,
}

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A word was asked: [`Simulation::word`].
    Word {
        /// What for.
        purpose: Purpose,
        /// Whether it is a counterexample, the first for this hypothesis.
        is_cex: bool,
    },
    /// There is a hypothesis to be judged; the next reply says how.
    Hypothesis,
    /// The session is over.
    Done(Why),
    /// The session needs more memory than it may have.
    Memory(CapacityError),
}

impl<'m> Simulation<'m> {
    /// A session that is to learn `machine`, in so many bytes at most.
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
        let session = HostSession::new(memory, inputs, options)?;
        let device = Simulated::new(machine);
        let (action, word, outputs) = (Action::Idle, Vec::new(), Vec::new());
        Ok(Self { session, machine, device, memory_bytes, action, is_told: false, word, outputs })
    }

    /// The session.
    pub fn session(&self) -> &HostSession {
        &self.session
    }

    /// What it learns.
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// The last word that was asked, as far as it was.
    pub fn word(&self) -> &[Input] {
        &self.word
    }

    /// Goes on until something has happened; `verdict` is the reply if that was a hypothesis.
    ///
    /// # Panics
    /// `verdict` is no reply to a hypothesis.
    pub fn next(&mut self, verdict: Reply<'_>) -> Event {
        self.advance(verdict).unwrap_or_else(Event::Memory)
    }

    fn advance(&mut self, verdict: Reply<'_>) -> Result<Event, CapacityError> {
        if self.is_told {
            self.action = self.reply(verdict)?;
            self.is_told = false;
        }
        loop {
            match self.action {
                Action::Reset => return self.ask(),
                Action::Hypothesis => {
                    self.is_told = true;
                    return Ok(Event::Hypothesis);
                }
                Action::Done(why) => return Ok(Event::Done(why)),
                Action::Idle | Action::Input(_) => self.action = self.reply(Reply::Ready)?,
            }
        }
    }

    /// Asks a word, from the reset on, all of it at once.
    fn ask(&mut self) -> Result<Event, CapacityError> {
        let purpose = self.session.purpose();
        let was_refuted = self.session.is_refuted();
        self.device.reset().unwrap_or_else(|never| match never {});
        self.word.clear();
        self.outputs.clear();
        let before = self.session.progress().testing.symbols;
        self.action = self.reply(Reply::Ready)?;
        if let Action::Input(_) = self.action {
            let Self { device, session, memory_bytes, word, outputs, .. } = self;
            word.extend(session.word(0));
            outputs.extend(word.iter().map(|&input| device.answer(input)));
            self.action = next(session, *memory_bytes, Reply::Outputs(outputs))?;
        }
        if purpose == Purpose::Testing {
            // A test may have ended before its last input.
            let asked = self.session.progress().testing.symbols - before;
            self.word.truncate(usize::try_from(asked).unwrap_or(usize::MAX));
        }
        let is_test = purpose == Purpose::Testing && !was_refuted;
        Ok(Event::Word { purpose, is_cex: is_test && self.session.is_refuted() })
    }

    fn reply(&mut self, reply: Reply<'_>) -> Result<Action, CapacityError> {
        next(&mut self.session, self.memory_bytes, reply)
    }
}

/// The next action of the only lane, in larger memory if the session needs that.
fn next(
    session: &mut HostSession,
    memory_bytes: usize,
    reply: Reply<'_>,
) -> Result<Action, CapacityError> {
    loop {
        match session.next(0, reply) {
            Ok(action) => return Ok(action),
            Err(SessionError::Capacity(error)) => grow(session, memory_bytes, error)?,
            Err(error) => unreachable!("a machine is deterministic, each reply fits: {error}"),
        }
    }
}
