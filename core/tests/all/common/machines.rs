//! Machines to learn: tables of transitions, made by hand or at random.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::Rng;

/// A Mealy machine as a table; state 0 is the initial state. Output `o` has the name `names[o]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableMachine {
    pub(crate) inputs: u32,
    pub(crate) names: Vec<Vec<u8>>,
    /// The next state and the output, by state and input.
    pub(crate) table: Vec<Vec<(u32, u32)>>,
}

impl TableMachine {
    /// A machine whose outputs are named by their numbers.
    pub(crate) fn new(table: Vec<Vec<(u32, u32)>>) -> Self {
        let outputs = table.iter().flatten().map(|&(_, output)| output + 1).max().unwrap_or(0);
        let names = (0..outputs).map(|output| output.to_string().into_bytes()).collect();
        Self { inputs: count(table[0].len()), names, table }
    }

    /// The example of the OL* paper (Figure 2) for `n` outputs: the machine has `2n` states, each
    /// projection `n`.
    pub(crate) fn toy(n: u32) -> Self {
        let right = |i| (i + 1) % n;
        let left = |i| (i + n - 1) % n;
        let lower = (0..n).map(|i| vec![(right(i), right(i)), (i + n, i)]);
        let upper = (0..n).map(|i| vec![(left(i) + n, left(i)), (i, i)]);
        Self::new(lower.chain(upper).collect())
    }

    /// A random machine with at most `states` states. All states are reachable; the machine need
    /// not be minimal.
    pub(crate) fn random(rng: &mut Rng, states: u32, inputs: u32, outputs: u32) -> Self {
        let transition = |rng: &mut Rng| (rng.below(states), rng.below(outputs));
        let state = |rng: &mut Rng| (0..inputs).map(|_| transition(rng)).collect();
        Self::new((0..states).map(|_| state(rng)).collect()).reachable()
    }

    /// Several random machines that share their inputs and have outputs of their own. One of them
    /// is active; one more input makes the next one active. The projections are smaller than the
    /// machine.
    pub(crate) fn interleaved(rng: &mut Rng, parts: u32, states: u32, inputs: u32) -> Self {
        let outputs = 2;
        let part: Vec<Self> =
            (0..parts).map(|_| Self::random(rng, states, inputs, outputs)).collect();
        let mut numbers = BTreeMap::from([((0, vec![0; parts as usize]), 0)]);
        let mut queue = VecDeque::from([(0_u32, vec![0_u32; parts as usize])]);
        let mut table = Vec::new();
        while let Some((active, part_states)) = queue.pop_front() {
            let mut row = Vec::new();
            for input in 0..=inputs {
                let (mut active, mut part_states) = (active, part_states.clone());
                let output = if input == inputs {
                    active = (active + 1) % parts;
                    parts * outputs
                } else {
                    let state = &mut part_states[active as usize];
                    active * outputs + part[active as usize].step(state, input)
                };
                let len = count(numbers.len());
                let next = *numbers.entry((active, part_states.clone())).or_insert(len);
                if next == len {
                    queue.push_back((active, part_states));
                }
                row.push((next, output));
            }
            table.push(row);
        }
        Self::new(table)
    }

    /// The reachable states only, numbered breadth-first.
    pub(crate) fn reachable(&self) -> Self {
        let mut numbers = HashMap::from([(0, 0)]);
        let mut order = vec![0];
        let mut table = Vec::new();
        while let Some(&state) = order.get(table.len()) {
            let row = self.table[state as usize].iter().map(|&(next, output)| {
                let len = count(numbers.len());
                let number = *numbers.entry(next).or_insert(len);
                if number == len {
                    order.push(next);
                }
                (number, output)
            });
            table.push(row.collect());
        }
        Self { inputs: self.inputs, names: self.names.clone(), table }
    }

    pub(crate) fn states(&self) -> u32 {
        count(self.table.len())
    }

    /// Moves `state` along an input and returns the output.
    pub(crate) fn step(&self, state: &mut u32, input: u32) -> u32 {
        let (next, output) = self.table[*state as usize][input as usize];
        *state = next;
        output
    }

    /// The name of an output.
    pub(crate) fn name(&self, output: u32) -> &[u8] {
        &self.names[output as usize]
    }

    /// The outputs of the reachable transitions.
    pub(crate) fn alphabet(&self) -> BTreeSet<u32> {
        self.reachable().table.iter().flatten().map(|&(_, output)| output).collect()
    }
}

/// A lock: it opens after the word `secret`, a wrong input starts again, and every answer is the
/// same until it is open.
pub(crate) fn lock(secret: &[u32], inputs: u32) -> TableMachine {
    let len = count(secret.len());
    let locked = (0..len).map(|i| {
        let right = secret[i as usize];
        (0..inputs).map(|input| if input == right { (i + 1, 0) } else { (0, 0) }).collect()
    });
    let open = (0..inputs).map(|_| (0, 1)).collect();
    TableMachine::new(locked.chain([open]).collect())
}

/// A length as a `u32`, as the core counts.
pub(crate) fn count(len: usize) -> u32 {
    u32::try_from(len).expect("tests are small")
}
