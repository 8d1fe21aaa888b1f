//! Estimates the chance that a hypothesis is wrong, from what a run knows.
//!
//! After `n` tests of the mixture in a row without a difference, the odds that the hypothesis is wrong are taken to be
//!
//! ```text
//! 4.4 · C / n · (L + 10)^(3/8) · (I / C)^(7/2 D)
//! ```
//!
//! The device has `I` inputs, and the hypothesis tells `C` of them apart. Before a test refuted an earlier hypothesis, at most
//! `L` tests in a row had passed. `D` is the share of random words that run into a state which no input leaves.
//!
//! Odds of 1 to 19 are a chance of 5 %, or 1 in 20. A device with many inputs hides more, and a device that has hidden
//! something for long is likely to hide more. Inputs that act alike are one input, unless most words run into a dead end:
//! then they may do something that tests seldom come to see.
//!
//! The form and the exponents were fitted to runs with models of protocols, circuits and product lines, and to machines
//! with a planted behaviour. docs/measurements/verdicts.md says how they were judged and what came of it, and
//! docs/measurements/confidence.txt has the counts. This is an estimate for devices like
//! these. It cannot exclude behaviour behind a word that no test is likely to ask, such as a password.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use mealybug_core::{Hypothesis, Input, Mealy};

use crate::learn::HostSession;

/// The odds after as many tests as there are inputs, without the streak.
const ODDS: f64 = 4.4;
/// The longest streak of passing tests counts as if it were longer by this.
const LEAST_STREAK: f64 = 10.0;
/// How the odds grow with the longest streak.
const STREAK: f64 = 0.375;
/// How the odds grow where inputs act alike, and all random words run into a dead end.
const ALIKE: f64 = 3.5;
/// The inputs of the random words that may run into a dead end.
const WALK: u32 = 10;
/// Random words in a large hypothesis end when they have taken this many steps of components.
const MAX_STEPS: usize = 1 << 22;

/// What tells how likely a hypothesis is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestEvidence {
    /// The number of inputs.
    pub inputs: u32,
    /// The number of inputs that the hypothesis tells apart: two inputs act alike if they have the same output and lead to
    /// the same state, whatever the state.
    pub distinct_inputs: u32,
    /// The share of random words of 10 inputs that end in a dead end: a state that no input leaves. 0 if the hypothesis tells
    /// all inputs apart: then it does not matter.
    pub dead_ends: f64,
    /// The most tests in a row that had passed when the next one refuted a hypothesis.
    pub longest_streak: u64,
}

impl TestEvidence {
    /// The evidence about the session's hypothesis. `None` without a hypothesis.
    pub fn of(session: &HostSession) -> Option<Self> {
        let hypothesis = session.hypothesis()?;
        let inputs = hypothesis.inputs();
        let kinds = kinds_of_inputs(hypothesis);
        let distinct_inputs = u32::try_from(kinds.len()).unwrap_or(inputs);
        let dead_ends = if distinct_inputs < inputs { dead_ends(hypothesis, &kinds) } else { 0.0 };
        let longest_streak = session.progress().longest_streak.into();
        Some(Self { inputs, distinct_inputs, dead_ends, longest_streak })
    }

    /// The estimated chance that the hypothesis is wrong after it has passed this many tests in a row.
    pub fn chance(self, tests: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let tests = tests as f64;
        // Before the first test the odds are infinite.
        1.0 / (1.0 + tests / self.odds())
    }

    /// How many tests in a row the hypothesis must pass so that the chance that it is wrong is at most `1 - confidence`.
    pub fn tests_for(self, confidence: f64) -> u64 {
        let tests = self.odds() * confidence / (1.0 - confidence);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let tests = tests.ceil() as u64;
        // At least one test, however little confidence is wanted.
        tests.max(1)
    }

    /// The odds that the hypothesis is wrong after one test.
    fn odds(self) -> f64 {
        let Self { inputs, distinct_inputs, dead_ends, longest_streak } = self;
        let (inputs, distinct) = (f64::from(inputs), f64::from(distinct_inputs.max(1)));
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let streak = longest_streak as f64 + LEAST_STREAK;
        ODDS * distinct * streak.powf(STREAK) * (inputs / distinct).powf(ALIKE * dead_ends)
    }
}

/// An input of each kind, and the share of inputs that act like it.
fn kinds_of_inputs(hypothesis: Hypothesis<'_>) -> Vec<(Input, f64)> {
    let inputs = hypothesis.inputs();
    // The first input and the number of those that act like it, by the hash of what they do.
    let mut kinds = HashMap::<u64, (Input, u32)>::new();
    for input in (0..inputs).map(Input::new) {
        let mut hasher = DefaultHasher::new();
        for component in hypothesis.components() {
            for state in 0..component.states() {
                let mut target = state;
                let output = component.step(&mut target, input);
                (target, output.map(|output| output.index())).hash(&mut hasher);
            }
        }
        kinds.entry(hasher.finish()).or_insert((input, 0)).1 += 1;
    }
    let mut kinds: Vec<_> = kinds.into_values().collect();
    kinds.sort_by_key(|(input, _)| input.index());
    kinds.into_iter().map(|(input, count)| (input, f64::from(count) / f64::from(inputs))).collect()
}

/// The share of random words that end in a dead end.
fn dead_ends(hypothesis: Hypothesis<'_>, kinds: &[(Input, f64)]) -> f64 {
    let initial: Vec<u32> = hypothesis.components().map(|component| component.initial()).collect();
    let mut shares = HashMap::from([(initial, 1.0)]);
    let mut dead = HashSet::new();
    let mut steps = 0;
    for _ in 0..WALK {
        steps += shares.len() * kinds.len() * hypothesis.components().count();
        if steps > MAX_STEPS {
            break;
        }
        let mut next = HashMap::<Vec<u32>, f64>::new();
        for (state, share) in shares {
            let mut leaves = false;
            for &(input, part) in kinds {
                let mut target = state.clone();
                // A defect moves the state, too.
                let _ = hypothesis.step(&mut target, input);
                leaves |= target != state;
                *next.entry(target).or_default() += share * part;
            }
            if !leaves {
                dead.insert(state);
            }
        }
        shares = next;
    }
    let is_dead = |state: &Vec<u32>| {
        dead.contains(state)
            || kinds.iter().all(|&(input, _)| {
                let mut target = state.clone();
                let _ = hypothesis.step(&mut target, input);
                target == *state
            })
    };
    shares.iter().filter(|(state, _)| is_dead(state)).map(|(_, share)| share).sum()
}

#[cfg(test)]
mod tests {
    use mealybug_core::{Options, Reply};

    use super::*;
    use crate::learn::{FIRST_MEMORY_BYTES, new_session};
    use crate::machine::{Builder, Machine};

    /// The evidence about the first hypothesis of a machine; its states show in their outputs.
    fn first(machine: &Machine) -> TestEvidence {
        use mealybug_core::{Action, Sul};

        use crate::simulate::Simulated;

        let inputs = Mealy::inputs(machine);
        let memory = vec![0; FIRST_MEMORY_BYTES];
        let mut session = new_session(memory, inputs, Options::new()).expect("there are inputs");
        let mut device = Simulated::new(machine);
        let mut action = session.next(0, Reply::Ready).expect("room");
        loop {
            action = match action {
                Action::Reset => {
                    device.reset().unwrap_or_else(|never| match never {});
                    session.next(0, Reply::Ready)
                }
                Action::Input(input) => session.next(0, Reply::Output(device.answer(input))),
                Action::Hypothesis => return TestEvidence::of(&session).expect("a hypothesis"),
                other => panic!("{other:?}"),
            }
            .expect("room");
        }
    }

    #[test]
    fn inputs_that_act_alike_are_counted_once_and_words_end_in_a_dead_end() {
        let mut lock = Builder::default();
        for (input, target, output) in [("open", 1, "ok"), ("no", 2, "bye"), ("nay", 2, "bye")] {
            lock.add(0, input, target, output).expect("new");
            lock.add(1, input, 1, if target == 1 { "still" } else { "open" }).expect("new");
            lock.add(2, input, 2, "off").expect("new");
        }
        let evidence = first(&lock.build(0).expect("complete"));
        assert_eq!((evidence.inputs, evidence.distinct_inputs), (3, 2));
        // From the first input on, every word is in one of the two dead ends.
        assert!((evidence.dead_ends - 1.0).abs() < 1e-9, "{evidence:?}");
        assert_eq!(evidence.longest_streak, 0);
    }

    #[test]
    fn a_ring_has_no_dead_end() {
        let mut ring = Builder::default();
        for state in 0..3 {
            let name = ["a", "b", "c"][state as usize];
            ring.add(state, "on", (state + 1) % 3, name).expect("new");
            ring.add(state, "also", (state + 1) % 3, name).expect("new");
        }
        let evidence = first(&ring.build(0).expect("complete"));
        assert_eq!((evidence.inputs, evidence.distinct_inputs), (2, 1));
        assert_eq!(evidence.dead_ends, 0.0);
    }
}
