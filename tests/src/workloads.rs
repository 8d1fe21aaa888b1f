//! Complete runs on generated machines, each of which spends most of its time in one part of the
//! learner: for `cargo bench -p mealybug-tests` and `tests/run instructions`.

use std::collections::HashMap;

use fastrand::Rng;
use mealybug::machine::{Builder, Machine};
use mealybug::simulate::Simulated;
use mealybug_core::{Action, EndReason, Mealy, Options, Projections, Reply, Session, Sul, Tests};

use crate::toy::toy;

/// A machine to learn.
#[derive(Debug)]
pub struct Workload {
    /// The part of the learner that it exercises.
    pub name: &'static str,
    machine: Machine,
    options: Options,
}

/// The memory of a run, enough for each workload.
const MEMORY_BYTES: usize = 4 << 20;
const TESTS: u64 = 1000;

impl Workload {
    /// All workloads; the machines are the same every time.
    pub fn all() -> Vec<Self> {
        let new = |name, machine, projections, tests| {
            let options = Options::new().projections(projections).tests(tests).passing_tests(TESTS);
            Self { name, machine, options }
        };
        let mut rng = Rng::with_seed(1);
        let deep = random(&mut rng, 600, 2, 2);
        let wide = random(&mut rng, 150, 20, 20);
        let parts: Vec<Machine> = (0..4).map(|_| random(&mut rng, 7, 3, 2)).collect();
        vec![
            // Many rows that differ in few columns, and tests that cost little to generate.
            new("row comparison", deep, Projections::Identity, Tests::RandomWp),
            // States that are hard to find.
            new(
                "tests",
                random(&mut Rng::with_seed(2), 60, 4, 2),
                Projections::PerOutput,
                Tests::Mixture,
            ),
            // The first hypothesis is right: the run is all rows that become short, and their
            // words.
            new("closing", wide, Projections::Identity, Tests::External),
            // Each output needs suffixes of its own.
            new("consistency", toy(40), Projections::PerOutput, Tests::External),
            // Thousands of states, made of small components.
            new("product walk", interleaved(&parts), Projections::PerOutput, Tests::RandomWp),
        ]
    }

    /// Learns the machine once; returns the number of symbols asked.
    ///
    /// # Panics
    /// The run does not end with the right model.
    pub fn run(&self) -> u64 {
        let memory = vec![0; MEMORY_BYTES / size_of::<u32>()];
        let inputs = Mealy::inputs(&self.machine);
        let mut session = Session::new(memory, inputs, self.options).expect("the options are good");
        let mut device = Simulated::new(&self.machine);
        let mut action = next(&mut session, Reply::Ready);
        let why = loop {
            let reply = match action {
                Action::Reset => device.reset().map(|()| Reply::Ready),
                Action::Input(input) => device.step(input).map(Reply::Output),
                Action::Hypothesis | Action::Idle => Ok(Reply::Ready),
                Action::Done(why) => break why,
            };
            action = next(&mut session, reply.expect("it does not fail"));
        };
        assert!(
            matches!(why, EndReason::TestsPassed | EndReason::Untested),
            "{}: {why:?}",
            self.name
        );
        let progress = session.progress();
        progress.learning.symbols + progress.testing.symbols
    }
}

/// The function that `tests/run instructions` measures: everything that a session does.
#[inline(never)]
fn next(session: &mut Session<Vec<u32>>, reply: Reply<'_>) -> Action {
    session.next(0, reply).expect("there is room, and the device is deterministic")
}

/// A random machine.
fn random(rng: &mut Rng, states: u32, inputs: u32, outputs: u32) -> Machine {
    let mut builder = Builder::default();
    for state in 0..states {
        for input in 0..inputs {
            let (next, output) = (rng.u32(..states), rng.u32(..outputs));
            let added = builder.add(state, &format!("i{input}"), next, &format!("output {output}"));
            added.expect("each is added once");
        }
    }
    builder.build(0).expect("it is complete")
}

/// Interleaves machines with disjoint outputs: one is active at a time, and an extra input switches
/// to the next.
fn interleaved(parts: &[Machine]) -> Machine {
    let mut builder = Builder::default();
    let first = (0, vec![0; parts.len()]);
    let mut numbers = HashMap::from([(first.clone(), 0)]);
    let mut order = vec![first];
    let mut at = 0;
    while let Some((active, states)) = order.get(at).cloned() {
        let mut add = |input: &str, active: usize, states: Vec<u32>, output: &str| {
            let next = (active, states);
            let new = u32::try_from(numbers.len()).expect("few states");
            let number = *numbers.entry(next.clone()).or_insert(new);
            if number == new {
                order.push(next);
            }
            let state = u32::try_from(at).expect("few states");
            builder.add(state, input, number, output).expect("each is added once");
        };
        for (state, input, next, output) in parts[active].named_transitions() {
            if state == states[active] {
                let mut states = states.clone();
                states[active] = next;
                add(input, active, states, &format!("{output} of {active}"));
            }
        }
        add("switch", (active + 1) % parts.len(), states, "switched");
        at += 1;
    }
    builder.build(0).expect("it is complete")
}
