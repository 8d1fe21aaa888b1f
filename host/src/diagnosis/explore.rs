//! The words that explore a device: those of a short learning run.
//!
//! A fixed list of words stays near the initial state, but slow answers and different outputs are
//! often in late states. A learner finds the way there.

use std::collections::BTreeSet;

use mealybug_core::{Action, Budget, Input, Observations, Options, Projections, Reply};
use mealybug_core::{SessionError, Tests};

use crate::learn::{FIRST_MEMORY_BYTES, HostSession, grow, new_session};
use crate::learned_components::LearnedComponents;
use crate::machine::Machine;

/// The most memory of the learner; a short run needs far less.
const MEMORY_BYTES: usize = 64 << 20;
/// The hypothesis of a short run has far fewer states.
const STATES: u32 = 10_000;

/// The inputs of a word, in the mean; tests can be longer.
const SYMBOLS: u64 = 6;

/// A short learning run (OL#).
#[derive(Debug)]
pub(super) struct Exploration {
    session: HostSession,
    action: Option<Action>,
}

/// What a short learning run found.
#[derive(Debug)]
pub(super) struct Explored {
    /// The number of states of its hypothesis.
    pub(super) states: u32,
    /// For each input, whether it has one output in all states and leaves each as it is; `None` if that is not known.
    pub(super) is_idle: Vec<Option<bool>>,
    /// A shortest word to a state that no input leaves and in which none is answered, if there is one.
    pub(super) dead: Option<Vec<Input>>,
}

impl Exploration {
    /// A learning run of at most this many words. `None` if there are too many inputs.
    pub(super) fn new(inputs: u32, words: u32) -> Option<Self> {
        let words = u64::from(words);
        let budget = Budget::UNLIMITED.resets(words).symbols(words * SYMBOLS);
        let options = Options::new()
            .observations(Observations::Tree)
            .projections(Projections::Chosen)
            .tests(Tests::DEFAULT)
            .passing_tests((words / 4).max(1))
            .budget(budget);
        let memory = vec![0; FIRST_MEMORY_BYTES / size_of::<u32>()];
        let session = new_session(memory, inputs, options).ok()?;
        let mut exploration = Self { session, action: None };
        exploration.step(Reply::Ready);
        Some(exploration)
    }

    /// Whether there is a word to ask, with a reset before it.
    pub(super) fn has_word(&mut self) -> bool {
        loop {
            match self.action {
                Some(Action::Reset) => return true,
                Some(Action::Hypothesis | Action::Idle) => self.step(Reply::Ready),
                Some(Action::Input(_) | Action::Done(_)) | None => return false,
            }
        }
    }

    /// The next input of the word, given the output of the one before; `None` at its end. A learner
    /// may go on with a word as its outputs come.
    pub(super) fn input(&mut self, output: Option<&str>) -> Option<Input> {
        self.step(output.map_or(Reply::Ready, |output| Reply::Output(output.as_bytes())));
        match self.action? {
            Action::Input(input) => Some(input),
            _ => None,
        }
    }

    /// The word failed: it is asked again.
    pub(super) fn failed(&mut self) {
        self.session.failed(0);
        self.step(Reply::Ready);
    }

    /// Whether a contradiction ended the run.
    pub(super) fn is_contradicted(&self) -> bool {
        self.action.is_none()
    }

    fn step(&mut self, reply: Reply<'_>) {
        self.action = loop {
            match self.session.next(0, reply) {
                Ok(action) => break Some(action),
                Err(SessionError::Capacity(error))
                    if grow(&mut self.session, MEMORY_BYTES, error).is_ok() => {}
                Err(_) => break None,
            }
        };
    }

    /// What it found, if that is a hypothesis. `is_silence` says whether an output of an input means that nothing came, and `is_end`
    /// whether it means that the connection has ended: then no input can be answered, and the state does not count.
    pub(super) fn explored(
        mut self,
        names: &[String],
        is_silence: impl Fn(Input, &str) -> bool,
        is_end: impl Fn(&str) -> bool,
    ) -> Option<Explored> {
        // Without memory for a model of all answers, the last hypothesis serves.
        let _ = self.session.sketch();
        let hypothesis = self.session.hypothesis()?;
        let learned = LearnedComponents::new(hypothesis, names, Projections::Chosen);
        let machine = learned.product(STATES).ok()?;
        let inputs = (0..u32::try_from(names.len()).ok()?).map(Input::new);
        let stays_and_says = |state, says: &dyn Fn(Input, &str) -> bool| {
            inputs.clone().all(|input| {
                let known = machine.transition(state, input).filter(|it| !it.is_open);
                known.is_some_and(|it| {
                    it.target == state && says(input, machine.output_name(it.output))
                })
            })
        };
        let states = machine.transitions().map(|(state, ..)| state);
        let states: BTreeSet<_> =
            states.filter(|&state| !stays_and_says(state, &|_, output| is_end(output))).collect();
        let is_idle = inputs.clone().map(|input| is_idle(&machine, &states, input)).collect();
        let words = machine.access_words();
        let mut after_inputs = words.states().iter().skip(1).copied();
        let dead = after_inputs.find(|&state| stays_and_says(state, &is_silence));
        let states = u32::try_from(states.len()).ok()?;
        Some(Explored { states, is_idle, dead: dead.map(|state| words.word(state)) })
    }
}

/// Whether an input has one output in all `states` and leaves each as it is; `None` if that is not known.
fn is_idle(machine: &Machine, states: &BTreeSet<u32>, input: Input) -> Option<bool> {
    let known =
        |&state: &u32| Some((state, machine.transition(state, input).filter(|it| !it.is_open)?));
    let known: Vec<_> = states.iter().filter_map(known).collect();
    let outputs: BTreeSet<_> = known.iter().map(|(_, it)| it.output).collect();
    let acts = known.iter().any(|(state, it)| it.target != *state) || outputs.len() > 1;
    (acts || known.len() == states.len() && !known.is_empty()).then_some(!acts)
}

#[cfg(test)]
mod tests {
    use mealybug_core::Sul;

    use super::*;
    use crate::dot;
    use crate::machine::Builder;
    use crate::simulate::Simulated;

    #[test]
    fn a_short_run_reaches_late_states_and_finds_inputs_that_do_nothing() {
        let text = "digraph { a -> b [label=\"go / ok\"]; b -> c [label=\"go / ok\"]; \
                    c -> d [label=\"go / ok\"]; d -> a [label=\"go / done\"]; \
                    a -> a [label=\"ask / no\"]; b -> b [label=\"ask / no\"]; \
                    c -> c [label=\"ask / no\"]; d -> d [label=\"ask / no\"]; \
                    a -> a [label=\"back / at a\"]; b -> a [label=\"back / was b\"]; \
                    c -> b [label=\"back / was c\"]; d -> c [label=\"back / was d\"]; }";
        let machine = dot::read("ring.dot", text).expect("a model");
        let mut device = Simulated::new(&machine);
        let mut exploration = Exploration::new(3, 100).expect("a session");
        let (mut words, mut seen) = (0, BTreeSet::new());
        while exploration.has_word() {
            device.reset().expect("it cannot fail");
            let mut next = exploration.input(None);
            while let Some(input) = next {
                let output = device.step(input).expect("it cannot fail");
                let output = String::from_utf8_lossy(output).into_owned();
                next = exploration.input(Some(&output));
                seen.insert(output);
            }
            words += 1;
        }
        assert!(words <= 100 && seen.contains("done"), "{words} words: {seen:?}");
        let none = |_, _: &str| false;
        let explored =
            exploration.explored(machine.inputs(), none, |_| false).expect("a hypothesis");
        let idle =
            machine.inputs().iter().zip(&explored.is_idle).filter(|(_, is)| **is == Some(true));
        assert_eq!(explored.states, 4);
        assert_eq!(idle.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["ask"]);
    }

    #[test]
    fn an_input_that_was_not_asked_everywhere_is_neither_idle_nor_active() {
        let mut builder = Builder::default();
        for (from, input, to) in [(0, "ask", 0), (1, "ask", 1), (0, "go", 1), (0, "set", 0)] {
            builder.add(from, input, to, "ok").expect("new");
        }
        for input in ["go", "set"] {
            builder.add_open(1, input, 0, "ok").expect("new");
        }
        let machine = builder.build(0).expect("complete");
        let is_idle = |input| is_idle(&machine, &BTreeSet::from([0, 1]), Input::new(input));
        assert_eq!([0, 1, 2].map(is_idle), [Some(true), Some(false), None]);
    }

    #[test]
    fn a_state_in_which_the_connection_has_ended_does_not_count() {
        let text = "digraph { a -> b [label=\"go / ok\"]; b -> a [label=\"go / done\"]; c -> c [label=\"go / (closed)\"]; \
                    a -> a [label=\"ask / no\"]; b -> b [label=\"ask / no\"]; c -> c [label=\"ask / (closed)\"]; \
                    a -> c [label=\"exit / (closed)\"]; b -> c [label=\"exit / (closed)\"]; c -> c [label=\"exit / (closed)\"]; }";
        let machine = dot::read("server.dot", text).expect("a model");
        for (ends, idle) in [(true, &["ask"][..]), (false, &[])] {
            let mut device = Simulated::new(&machine);
            let mut exploration = Exploration::new(3, 60).expect("a session");
            while exploration.has_word() {
                device.reset().expect("it cannot fail");
                let mut next = exploration.input(None);
                while let Some(input) = next {
                    let output = device.step(input).expect("it cannot fail").to_vec();
                    next = exploration.input(Some(&String::from_utf8_lossy(&output)));
                }
            }
            let is_end = |output: &str| ends && output == "(closed)";
            let none = |_, _: &str| false;
            let explored = exploration.explored(machine.inputs(), none, is_end);
            let explored = explored.expect("a hypothesis");
            let found =
                machine.inputs().iter().zip(&explored.is_idle).filter(|(_, is)| **is == Some(true));
            assert_eq!(found.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), idle);
            assert_eq!(explored.states, 3 - u32::from(ends));
        }
    }

    #[test]
    fn a_contradiction_ends_the_run() {
        let mut exploration = Exploration::new(1, 100).expect("a session");
        let mut words = 0;
        while exploration.has_word() {
            words += 1;
            let mut next = exploration.input(None);
            while next.is_some() {
                next = exploration.input(Some(&words.to_string()));
            }
        }
        assert!(words < 10 && exploration.is_contradicted(), "{words} words");
    }
}
