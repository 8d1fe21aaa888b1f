//! Decomposition without OL*: a learner of its own for each output.
//!
//! Each projection of the model is learned by L*, with tables and tests of its own; what they share is
//! the answers: a word that another learner has asked costs nothing. An output that is seen for the
//! first time, whoever asks, gets a learner. When all these learners are right the product is the model,
//! but for outputs that nobody has seen yet; then the largest projection is tested until one is.
//!
//! It is a baseline: what sharing the table gains beyond sharing the answers. The paper's repository
//! (Koenders & Moerman, 2024) has such a learner beside OL*, which tests the product and groups the
//! outputs; here the outputs stand alone, as in OL*.

use std::collections::VecDeque;
use std::time::Instant;

use mealybug_core::{
    Input, Mealy, Options, Output, Progress, Projections, Purpose, SessionError, Tests,
};

use crate::model::SuiteModel;
use crate::run::{BenchRun, RunOutcome, Symbols, over};
use crate::simulation::{Simulation, SimulationEvent};

use mealybug::advice::Advised;
use mealybug::learn::{Limits, PublishedCosts};
use mealybug::machine::Machine;

/// About the bytes needed to know that a symbol of a word was asked.
const KNOWN_BYTES: usize = 32;

/// Learns a model by one learner for each output; as [`learn`](crate::learn) otherwise.
///
/// # Errors
/// The model has no inputs, or too many; the options make no sense.
///
/// # Panics
/// The model is partial.
pub(crate) fn decompose(
    model: &SuiteModel,
    options: Options,
    max_testing_symbols: u64,
    limits: &Limits<'_>,
) -> Result<BenchRun, SessionError> {
    let machine = model.machine.minimise();
    let options = options.projections(Projections::Identity);
    let mut shared = SharedKnowledge {
        started: Instant::now(),
        max_testing_symbols,
        limits,
        costs: PublishedCosts::default(),
        last: Symbols::default(),
        seen: vec![false; machine.outputs().len()],
        waiting: VecDeque::new(),
        machine: &machine,
    };
    for input in (0..Mealy::inputs(&machine)).map(Input::new) {
        shared.ask(Purpose::Learning, &[input], false);
    }
    let mut total: Option<Progress> = None;
    // The projection with most states, and how many.
    let mut largest = (0, Output::new(0));
    let outcome = loop {
        let (output, is_learned) = match shared.waiting.pop_front() {
            Some(output) => (output, false),
            None if shared.seen.iter().all(|&seen| seen) => break RunOutcome::Exact,
            None if options.tests == Tests::External => {
                shared.show_nearest();
                continue;
            }
            None => (largest.1, true),
        };
        let projection = machine.projection(output);
        let mut simulation = Simulation::new(&projection, options, limits.memory_bytes)?;
        let ended = shared.learn(&mut simulation, options.tests, is_learned);
        let progress = simulation.session().progress();
        if !is_learned {
            largest = largest.max((progress.short_rows, output));
            total = Some(total.map_or(progress, |total| sum(&total, &progress)));
        }
        if let Some(outcome) = ended {
            break outcome;
        }
    };
    let SharedKnowledge { costs, last, started, .. } = shared;
    let mut progress = total.expect("a model has outputs, so there was a learner");
    (progress.learning, progress.testing) = (costs.learning(), costs.testing());
    let found_states = (outcome == RunOutcome::Exact).then_some(model.states);
    let time = started.elapsed();
    let testing = costs.testing();
    // An L* has none: its table is closed in the ordinary sense.
    let advice = Advised::default();
    Ok(BenchRun {
        outcome,
        progress,
        testing,
        last,
        advice,
        inconsistencies: 0,
        found_states,
        time,
    })
}

/// The progress of two learners together.
fn sum(one: &Progress, other: &Progress) -> Progress {
    let mut sum = *one;
    sum.short_rows += other.short_rows;
    sum.rows += other.rows;
    sum.component_states += other.component_states;
    sum.components += other.components;
    sum.rounds += other.rounds;
    sum.learner_bytes += other.learner_bytes;
    // Bases of their own are no basis of one model.
    sum.tree = None;
    sum
}

/// The knowledge that all learners share.
struct SharedKnowledge<'r, 'm> {
    machine: &'m Machine,
    /// The words that were asked, by any of them.
    costs: PublishedCosts,
    last: Symbols,
    /// The outputs that were seen, and those of them that no learner was begun for.
    seen: Vec<bool>,
    waiting: VecDeque<Output>,
    started: Instant,
    max_testing_symbols: u64,
    limits: &'r Limits<'r>,
}

impl SharedKnowledge<'_, '_> {
    /// Lets a learner learn until it is right, or tests it until a new output is seen. The outcome if
    /// that ends the run.
    fn learn(
        &mut self,
        simulation: &mut Simulation<'_>,
        tests: Tests,
        until_new: bool,
    ) -> Option<RunOutcome> {
        loop {
            match simulation.advance() {
                SimulationEvent::Word { purpose, is_cex } => {
                    let is_free = tests == Tests::External && purpose == Purpose::Testing;
                    self.ask(purpose, simulation.word(), is_free);
                    if is_cex {
                        let [learning, testing] = [self.costs.learning(), self.costs.testing()];
                        self.last =
                            Symbols { learning: learning.symbols, testing: testing.symbols };
                    }
                    if until_new && !self.waiting.is_empty() {
                        return None;
                    }
                }
                SimulationEvent::Hypothesis { is_right } => {
                    if is_right && !until_new {
                        return None;
                    }
                }
                SimulationEvent::Done(_) => return Some(RunOutcome::Wrong),
                SimulationEvent::Memory(_) => return Some(RunOutcome::MaxMemory),
            }
            if self.costs.known_symbols() * KNOWN_BYTES > self.limits.memory_bytes {
                return Some(RunOutcome::MaxMemory);
            }
            let testing = self.costs.testing().symbols;
            let outcome = over(self.limits, self.started, testing, self.max_testing_symbols);
            if outcome.is_some() {
                return outcome;
            }
        }
    }

    /// A word is asked; its outputs are seen.
    fn ask(&mut self, purpose: Purpose, word: &[Input], is_free: bool) {
        if !is_free {
            self.costs.ask(purpose, word.iter().copied());
        }
        let mut state = self.machine.initial();
        for &input in word {
            let (next, output) = self.machine.expect_transition(state, input);
            self.see(output);
            state = next;
        }
    }

    fn see(&mut self, output: Output) {
        if !std::mem::replace(&mut self.seen[output.index() as usize], true) {
            self.waiting.push_back(output);
        }
    }

    /// Shows the unseen output that the shortest word leads to.
    fn show_nearest(&mut self) {
        // States of a minimal machine are numbered breadth first.
        let mut outputs = self.machine.transitions().map(|(.., known)| known.output);
        let nearest = outputs.find(|output| !self.seen[output.index() as usize]);
        self.see(nearest.expect("all outputs of a minimal machine occur"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::SplitMix64;
    use crate::testing::{random, rings};

    fn run(machine: Machine, tests: Tests) -> BenchRun {
        let model = SuiteModel::new("model".into(), machine);
        let options = Options::new().tests(tests).passing_tests(u64::MAX);
        let run = decompose(&model, options, u64::MAX, &Limits::UNLIMITED).expect("it has inputs");
        assert_eq!((run.outcome, run.found_states), (RunOutcome::Exact, Some(model.states)));
        run
    }

    #[test]
    fn each_output_is_learned_and_known_words_cost_nothing() {
        // Each projection has three states: its L* asks 3·2·2 words and a few more, most of them shared.
        let alone = run(rings(3).projection(Output::new(0)), Tests::External);
        let all = run(rings(3), Tests::External);
        assert_eq!(all.progress.short_rows, 9);
        assert_eq!((alone.progress.short_rows, alone.progress.components), (6, 2));
        assert!(all.progress.learning.symbols < 3 * alone.progress.learning.symbols);
        // OL* asks 36, L* 80.
        assert_eq!(all.progress.learning.symbols, 50);
    }

    #[test]
    fn outputs_that_appear_late_are_learned_too() {
        let mut source = SplitMix64::new(5);
        for _ in 0..100 {
            let machine = random(&mut source, 10, 2, 6);
            for tests in [Tests::External, Tests::RandomWp, Tests::Mixture] {
                let run = run(machine.clone(), tests);
                assert!(run.last.testing <= run.testing.symbols);
                assert!(tests != Tests::External || run.testing.symbols == 0);
            }
        }
    }
}
