//! The artificial family of the paper.

use mealybug::machine::{ExploreError, Machine};
use mealybug_core::{Input, Mealy, Output};

use super::random::SplitMix64;
use super::{GenerateError, MAX_STATES};

/// The inputs that switch, which the active machine does not see. Each answers with its own name.
const SWITCHES: [&str; 2] = ["L", "R"];

/// Which machine of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Artificial {
    /// How many machines there are to switch between.
    pub machines: u32,
    /// How many states each is drawn with; what cannot be reached or told apart is left out.
    pub states: u32,
    /// How many inputs they share, at most 26.
    pub inputs: u32,
    /// How many outputs each has of its own.
    pub outputs: u32,
    /// What the draws follow from.
    pub seed: u64,
}

/// Random machines with inputs `a`, `b`, … in common and outputs `1.0`, `1.1`, …, `2.0`, … of their own, of
/// which one is active at a time, the first one at first. `R` switches to the next, `L` to the one
/// before, in a ring; machines that are not active stay where they are.
///
/// The result is minimal: it has as many states as there are machines, times those of each.
///
/// # Errors
/// It would have more than [`MAX_STATES`] states.
///
/// # Panics
/// There are no machines, states, inputs or outputs, or more than 26 inputs.
pub fn artificial(wanted: &Artificial) -> Result<Machine, GenerateError> {
    let Artificial { machines, states, inputs, outputs, seed } = *wanted;
    assert!(machines > 0 && states > 0 && outputs > 0 && (1..=26).contains(&inputs), "{wanted:?}");
    let inputs: Vec<String> = ('a'..='z').take(inputs as usize).map(String::from).collect();
    let mut random = SplitMix64::new(seed);
    let parts = (1..=machines).map(|machine| {
        let outputs: Vec<String> = (0..outputs).map(|at| format!("{machine}.{at}")).collect();
        random.machine(states, &inputs, &outputs)
    });
    let switched = Switched { parts: parts.collect() };
    let names = SWITCHES.map(str::to_owned);
    let inputs = [&names[..], &inputs].concat();
    let outputs =
        switched.parts.iter().fold(names.to_vec(), |all, part| [&all, part.outputs()].concat());
    // Known before the walk, which would take long.
    let sizes: Vec<u32> = switched.parts.iter().map(Machine::states).collect();
    let too_many = || GenerateError::TooManyStates { parts: sizes.clone(), max_states: MAX_STATES };
    let total = sizes.iter().try_fold(machines, |total, &states| total.checked_mul(states));
    if total.is_none_or(|total| total > MAX_STATES) {
        return Err(too_many());
    }
    Machine::explore(&switched, &inputs, &outputs, MAX_STATES).map_err(|error| match error {
        ExploreError::TooManyStates { .. } => too_many(),
        ExploreError::Defect { .. } => unreachable!("each transition of a part has an output"),
    })
}

/// Machines of which one is active.
struct Switched {
    parts: Vec<Machine>,
}

impl Mealy for Switched {
    /// The active one, and where each is.
    type State = (usize, Vec<u32>);

    fn inputs(&self) -> u32 {
        2 + self.parts.first().map_or(0, Mealy::inputs)
    }

    fn initial(&self) -> Self::State {
        (0, self.parts.iter().map(Mealy::initial).collect())
    }

    fn step(&self, (active, states): &mut Self::State, input: Input) -> Option<Output> {
        let count = self.parts.len();
        match input.index() {
            0 => *active = (*active + count - 1) % count,
            1 => *active = (*active + 1) % count,
            index => {
                let own = self.parts[*active].step(&mut states[*active], Input::new(index - 2))?;
                let before: usize =
                    self.parts[..*active].iter().map(|part| part.outputs().len()).sum();
                let before = u32::try_from(2 + before).expect("there are not so many outputs");
                return Some(Output::new(before + own.index()));
            }
        }
        Some(Output::new(input.index()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const PAPERS: Artificial =
        Artificial { machines: 3, states: 5, inputs: 2, outputs: 2, seed: 1 };

    /// The parts of a machine, each with the states that its inputs reach once it is active.
    fn parts(machine: &Machine, machines: u32) -> Vec<BTreeSet<u32>> {
        let mut start = Mealy::initial(machine);
        (0..machines)
            .map(|_| {
                let mut seen = BTreeSet::from([start]);
                let mut open = vec![start];
                while let Some(state) = open.pop() {
                    for input in 2..Mealy::inputs(machine) {
                        let (to, _) = machine.expect_transition(state, Input::new(input));
                        if seen.insert(to) {
                            open.push(to);
                        }
                    }
                }
                start = machine.expect_transition(start, Input::new(1)).0;
                seen
            })
            .collect()
    }

    /// As each of the published models is.
    #[test]
    fn it_is_minimal_and_as_large_as_its_parts_together() {
        for seed in 0..50 {
            let machine = artificial(&Artificial { seed, ..PAPERS }).expect("it is small");
            let sizes = parts(&machine, 3).into_iter().map(|part| part.len());
            assert_eq!(machine.states() as usize, 3 * sizes.product::<usize>(), "seed {seed}");
            assert_eq!(machine.minimise().states(), machine.states(), "seed {seed}");
        }
    }

    #[test]
    fn the_switches_say_so_undo_each_other_and_lead_round() {
        let machine = artificial(&PAPERS).expect("it is small");
        let [left, right] = [0, 1].map(Input::new);
        for state in 0..machine.states() {
            let (next, said) = machine.expect_transition(state, right);
            assert_eq!(machine.output_name(said), "R");
            let (back, said) = machine.expect_transition(next, left);
            assert_eq!((back, machine.output_name(said)), (state, "L"));
            let round =
                [right; 3].iter().fold(state, |at, &by| machine.expect_transition(at, by).0);
            assert_eq!(round, state);
        }
    }

    #[test]
    fn each_part_has_outputs_of_its_own() {
        let machine = artificial(&PAPERS).expect("it is small");
        for (at, part) in parts(&machine, 3).into_iter().enumerate() {
            let own = format!("{}.", at + 1);
            for state in part {
                for input in [2, 3].map(Input::new) {
                    let (_, said) = machine.expect_transition(state, input);
                    assert!(machine.output_name(said).starts_with(&own), "part {at}");
                }
            }
        }
    }

    /// A seed names the same machine in every version.
    #[test]
    fn a_seed_names_one_machine() {
        let digest = |wanted: &Artificial| {
            let machine = artificial(wanted).expect("it is small");
            let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
            let mut digest = crc.digest();
            for (from, input, to, output) in machine.named_transitions() {
                digest.update(format!("{from} {input} {to} {output}\n").as_bytes());
            }
            (machine.states(), digest.finalize())
        };
        let others = Artificial { machines: 2, states: 12, inputs: 3, outputs: 4, seed: u64::MAX };
        assert_eq!(digest(&PAPERS), (120, 3_911_823_446));
        assert_eq!(digest(&others), (240, 1_967_548_126));
    }

    #[test]
    fn what_is_too_large_is_refused_before_it_is_made() {
        let large = Artificial { machines: 9, states: 40, ..PAPERS };
        let error = artificial(&large).expect_err("40 states to the ninth");
        let GenerateError::TooManyStates { parts, max_states } = &error;
        assert_eq!((parts.len(), *max_states), (9, MAX_STATES));
    }
}
