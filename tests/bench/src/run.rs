//! One model, learned once.

use std::fmt;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mealybug::advice::{Advice, Advised, OlderModel};
use mealybug::learn::{Limits, PublishedCosts};
use mealybug::learned_components::LearnedComponents;
use mealybug::machine::Machine;
use mealybug_core::{Costs, EndReason, Options, Progress, Purpose, SessionError, Tests};

use crate::model::SuiteModel;
use crate::simulation::{Simulation, SimulationEvent};

/// How learning a model went.
#[derive(Clone, Debug)]
pub struct BenchRun {
    /// How it ended.
    pub outcome: RunOutcome,
    /// The session's progress at the end. It counts every test that it asks.
    pub progress: Progress,
    /// The costs of testing, without words that were asked before.
    pub testing: Costs,
    /// The symbols up to the last counterexample. In an exact run that one made the hypothesis right.
    pub last: Symbols,
    /// The words that were asked on the advice of an older model; they count as learning.
    pub advice: Advised,
    /// Output-inconsistencies of the table that were repaired.
    pub inconsistencies: u32,
    /// The states of the last hypothesis, minimal. `None` if it is too large to count.
    pub found_states: Option<u32>,
    /// The wall time, with simulation and counting, without comparing hypotheses with the model.
    pub time: Duration,
}

/// Input symbols by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// To learn.
    pub learning: u64,
    /// To find and shorten counterexamples.
    pub testing: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// The hypothesis is right.
    Exact,
    /// The hypothesis passed all tests, and is wrong.
    Wrong,
    /// Testing asked as many symbols as it may.
    MaxSymbols,
    /// It took as long as it may.
    TimeOut,
    /// It needs more memory than it may have.
    MaxMemory,
    /// It was interrupted.
    Interrupted,
}

impl fmt::Display for RunOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Wrong => "wrong",
            Self::MaxSymbols => "max-symbols",
            Self::TimeOut => "time-out",
            Self::MaxMemory => "max-memory",
            Self::Interrupted => "interrupted",
        })
    }
}

/// Learns a model until the hypothesis is right, or testing has cost `max_testing_symbols`.
///
/// With [`Tests::External`] counterexamples are shortest ones, and free; otherwise tests find them.
///
/// # Errors
/// The model has no inputs, or too many; the options make no sense.
pub fn learn(
    model: &SuiteModel,
    options: Options,
    max_testing_symbols: u64,
    limits: &Limits<'_>,
) -> Result<BenchRun, SessionError> {
    learn_like(model, None, options, max_testing_symbols, limits)
}

/// As [`learn`], with the advice of an older model.
///
/// # Errors
/// As of [`learn`].
pub(crate) fn learn_like(
    model: &SuiteModel,
    older: Option<&Machine>,
    options: Options,
    max_testing_symbols: u64,
    limits: &Limits<'_>,
) -> Result<BenchRun, SessionError> {
    let started = Instant::now();
    let mut simulation = Simulation::new(&model.machine, options, limits.memory_bytes)?;
    if let Some(older) = older {
        let older = OlderModel { name: String::new(), machine: older.clone() };
        simulation.advise(Advice::new(model.machine.inputs(), [older]));
    }
    let is_perfect = options.tests == Tests::External;
    let mut costs = PublishedCosts::default();
    let mut last = Symbols::default();
    let outcome = loop {
        match simulation.advance() {
            SimulationEvent::Word { purpose, is_cex } => {
                if !is_perfect && purpose == Purpose::Testing {
                    costs.ask(Purpose::Testing, simulation.word().iter().copied());
                }
                if is_cex {
                    let learning = simulation.session().progress().learning.symbols;
                    last = Symbols { learning, testing: costs.testing().symbols };
                }
            }
            SimulationEvent::Hypothesis { is_right: true } => break RunOutcome::Exact,
            SimulationEvent::Hypothesis { is_right: false } => {}
            SimulationEvent::Done(EndReason::Symbols | EndReason::Resets | EndReason::Rounds) => {
                break RunOutcome::MaxSymbols;
            }
            SimulationEvent::Done(_) => break RunOutcome::Wrong,
            SimulationEvent::Memory(_) => break RunOutcome::MaxMemory,
        }
        if let Some(outcome) = over(limits, started, costs.testing().symbols, max_testing_symbols) {
            break outcome;
        }
    };
    let progress = simulation.session().progress();
    let time = started.elapsed() - simulation.judging();
    let found_states = match outcome {
        RunOutcome::Exact => Some(model.states),
        _ => found_states(&simulation, model),
    };
    let inconsistencies = simulation.session().inconsistencies();
    let testing = costs.testing();
    let advice = simulation.advice().map_or_else(Advised::default, Advice::total);
    Ok(BenchRun { outcome, progress, testing, last, advice, inconsistencies, found_states, time })
}

/// The most steps of components to count the states of a wrong hypothesis.
const CHEAP_STEPS: u64 = 20_000_000;

/// The states of the hypothesis, minimal. `None` if it has too many to count.
fn found_states(simulation: &Simulation<'_>, model: &SuiteModel) -> Option<u32> {
    let hypothesis = simulation.session().hypothesis()?;
    let projections = simulation.session().options().projections;
    let learned = LearnedComponents::new(hypothesis, model.machine.inputs(), projections);
    let steps = u64::from(model.inputs()) * learned.components.len() as u64;
    let max_states = u32::try_from(CHEAP_STEPS / steps.max(1)).unwrap_or(u32::MAX);
    learned.product(max_states).ok().map(|machine| machine.states())
}

/// The outcome if a limit ends the run here.
pub(crate) fn over(
    limits: &Limits<'_>,
    started: Instant,
    testing_symbols: u64,
    max_testing_symbols: u64,
) -> Option<RunOutcome> {
    if limits.interrupted.load(Ordering::Relaxed) {
        return Some(RunOutcome::Interrupted);
    }
    if testing_symbols >= max_testing_symbols {
        return Some(RunOutcome::MaxSymbols);
    }
    limits.time.filter(|&time| started.elapsed() >= time).map(|_| RunOutcome::TimeOut)
}

#[cfg(test)]
mod tests {
    use mealybug_core::Projections;

    use super::*;
    use crate::generate::SplitMix64;
    use crate::testing::{random, rings};

    const FAMILIES: [Projections; 2] = [Projections::PerOutput, Projections::Identity];

    fn options(projections: Projections, tests: Tests) -> Options {
        Options::new().projections(projections).tests(tests).passing_tests(u64::MAX)
    }

    #[test]
    fn the_papers_example_costs_what_it_costs() {
        let symbols = |n, projections| {
            let model = SuiteModel::new("rings".into(), rings(n));
            let options = options(projections, Tests::External);
            let run = learn(&model, options, u64::MAX, &Limits::UNLIMITED).expect("it has inputs");
            assert_eq!((run.outcome, run.testing), (RunOutcome::Exact, Costs::default()));
            if run.progress.rounds == 1 {
                assert_eq!(run.inconsistencies, run.progress.suffixes - 2, "beyond the inputs");
            }
            let has = projections == Projections::PerOutput && n > 3;
            assert_eq!(run.inconsistencies > 0, has, "{n} {projections:?}");
            run.progress.learning.symbols
        };
        let cases = [(3, 36, 80), (5, 144, 160), (6, 238, 208), (20, 6888, 1272)];
        for (n, ol_star, l_star) in cases {
            let asked = FAMILIES.map(|projections| symbols(n, projections));
            assert_eq!(asked, [ol_star, l_star], "{n} outputs");
        }
    }

    /// The published rules put a cache before learning, too: the table is one. The table may know a word
    /// on which components contradict each other.
    #[test]
    fn learning_asks_no_word_twice_but_for_defects() {
        let mut source = SplitMix64::new(3);
        let mut met = [0; 2];
        for number in 0..200 {
            let machine = random(&mut source, 12, 3, 3);
            for (projections, tests) in FAMILIES.into_iter().zip([Tests::RandomWp, Tests::External])
            {
                let mut simulation =
                    Simulation::new(&machine, options(projections, tests), usize::MAX)
                        .expect("inputs");
                let mut costs = PublishedCosts::default();
                loop {
                    match simulation.advance() {
                        SimulationEvent::Word { purpose, .. } => {
                            costs.ask(purpose, simulation.word().iter().copied());
                        }
                        SimulationEvent::Hypothesis { is_right: true } => break,
                        SimulationEvent::Hypothesis { is_right: false } => {}
                        event => panic!("{event:?}"),
                    }
                }
                let Progress { learning, defects, .. } = simulation.session().progress();
                let again = learning.resets - costs.learning().resets;
                assert!(
                    again <= u64::from(defects.none + defects.several),
                    "machine {number}: {again}"
                );
                met[usize::from(projections == Projections::Identity)] += u64::from(again == 0);
            }
        }
        assert_eq!(met, [195, 200], "runs that ask no word twice");
    }
}
