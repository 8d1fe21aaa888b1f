//! Runs whose truth is known: how long tests take to refute each hypothesis, and what a run would say of it meanwhile.

use mealybug::algorithm::Algorithm;
use mealybug::confidence::{self, TestEvidence};
use mealybug::learned_components::LearnedComponents;
use mealybug::machine::Machine;
use mealybug_core::{Purpose, Tests};

use crate::simulation::{Simulation, SimulationEvent};

/// Hypotheses with more states are not counted through.
const MAX_STATES: u32 = 5000;

/// A hypothesis, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedHypothesis {
    /// Whether it does what the machine does.
    pub is_right: bool,
    /// How many tests in a row it passed, until one refuted it or the run was ended.
    pub passed: u64,
    /// What is known of it before its first test.
    pub evidence: TestEvidence,
    /// Its states, minimal; 0 if it has too many to count.
    pub states: u32,
}

impl JudgedHypothesis {
    /// How many tests a run asks by default before it ends.
    pub fn wanted(&self) -> u64 {
        self.evidence.tests_for(confidence::DEFAULT)
    }
}

/// A run that learns a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedRun {
    /// Its hypotheses, in order; the last one is right if the run found everything.
    pub hypotheses: Vec<JudgedHypothesis>,
    /// How many tests there were before the right hypothesis; `None` if it was not made. Each earlier hypothesis counts
    /// one more than it passed, also if learning refuted it without a test.
    pub tests: Option<u64>,
}

impl JudgedRun {
    /// Learns a machine with at most `cap` tests and a million symbols of tests.
    ///
    /// # Panics
    /// The machine has no inputs.
    pub fn new(machine: &Machine, algorithm: Algorithm, tests: Tests, seed: u64, cap: u64) -> Self {
        let options = algorithm.options().tests(tests).seed(seed).passing_tests(u64::MAX);
        let mut simulation =
            Simulation::new(machine, options, usize::MAX).expect("there are inputs");
        let mut run = Self::default();
        let (mut before, mut symbols) = (0, 0);
        loop {
            let event = simulation.advance();
            match event {
                SimulationEvent::Word { purpose: Purpose::Testing, is_cex } => {
                    symbols += simulation.word().len();
                    let last = run.hypotheses.last_mut().expect("it is tested");
                    if !is_cex {
                        let passed = simulation.session().progress().passing_tests;
                        last.passed = passed.max(last.passed);
                    }
                    let is_over = before + last.passed >= cap || symbols >= 1_000_000;
                    if !is_cex && is_over {
                        return run;
                    }
                }
                SimulationEvent::Word { .. } => {}
                SimulationEvent::Hypothesis { is_right } => {
                    before += run.hypotheses.last().map_or(0, |last| last.passed + 1);
                    let session = simulation.session();
                    let hypothesis = session.hypothesis().expect("it was made");
                    let projections = session.options().projections;
                    let learned = LearnedComponents::new(hypothesis, machine.inputs(), projections);
                    let states = learned.product(MAX_STATES).map_or(0, |it| it.states());
                    let evidence = TestEvidence::of(session).expect("there is a hypothesis");
                    run.hypotheses.push(JudgedHypothesis { is_right, passed: 0, evidence, states });
                    if is_right {
                        run.tests = Some(before);
                        return run;
                    }
                }
                // A suite that found nothing is over.
                SimulationEvent::Done(_) => return run,
                event @ SimulationEvent::Memory(_) => panic!("{event:?}"),
            }
        }
    }

    /// Whether a run with default options ends with a hypothesis that is wrong and says *converged*.
    pub fn converges_wrongly(&self) -> bool {
        self.hypotheses.iter().any(|it| !it.is_right && it.passed >= it.wanted())
    }

    /// How many tests a run with default options takes until it says *converged* of the right model; `None` if it ends
    /// before, or is not right.
    pub fn converges_after(&self) -> Option<u64> {
        let right = self.hypotheses.last().filter(|last| last.is_right)?;
        let tests = self.tests?;
        (!self.converges_wrongly()).then_some(tests + right.wanted())
    }
}
