//! Minimisation to a unique form.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use mealybug_core::{Mealy, Output};

use super::{Machine, Transition, number};

impl Machine {
    /// The smallest machine with the same behaviour, in a form that is unique.
    ///
    /// It contains only reachable states, numbered breadth first from the initial one with inputs
    /// in order. It contains only outputs that occur, in the order in which this walk meets them.
    /// Machines with the same inputs and the same behaviour therefore become identical.
    ///
    /// States of a partial machine are merged only if they know the same: an unknown transition
    /// equals no known one, and an open one equals no confirmed one. Minimisation thus neither adds
    /// nor loses knowledge. Of the [names](Self::state_name) of merged states the first one stays.
    ///
    /// # Cost
    /// Moore's refinement: one round for each input of the longest word needed to tell two states
    /// apart. Each round is linear in the number of transitions.
    #[must_use]
    pub fn minimise(&self) -> Self {
        let class = self.refine();
        let mut numbers = vec![UNSEEN; self.states as usize];
        let mut members = vec![self.initial];
        let mut output_numbers = vec![UNSEEN; self.outputs.len()];
        let mut outputs = Vec::new();
        let mut table = Vec::new();
        numbers[class[self.initial as usize] as usize] = 0;
        for at in 0.. {
            let Some(&state) = members.get(at) else { break };
            for known in self.row(state) {
                table.push(known.map(|Transition { target, output, is_open }| {
                    let new_state = &mut numbers[class[target as usize] as usize];
                    if *new_state == UNSEEN {
                        *new_state = number(members.len());
                        members.push(target);
                    }
                    let new_output = &mut output_numbers[output.index() as usize];
                    if *new_output == UNSEEN {
                        *new_output = number(outputs.len());
                        outputs.push(self.outputs[output.index() as usize].clone());
                    }
                    let output = Output::new(*new_output);
                    Transition { target: *new_state, output, is_open }
                }));
            }
        }
        let states = number(members.len());
        let inputs = self.inputs.clone();
        let mut state_names = BTreeMap::new();
        for (state, name) in &self.state_names {
            let new_state = numbers[class[*state as usize] as usize];
            if new_state != UNSEEN {
                state_names.entry(new_state).or_insert_with(|| name.clone());
            }
        }
        let minimal = Self { inputs, outputs, initial: 0, table, states, state_names };
        assert!(minimal.check_invariants());
        minimal
    }

    /// The class of each state. States with the same behaviour are in one class.
    fn refine(&self) -> Vec<u32> {
        let mut class = vec![0; self.states as usize];
        let mut classes = usize::from(self.states > 0);
        let inputs = self.inputs.len();
        for input in 0..inputs {
            let said = |known: Transition| (known.output, known.is_open);
            classes = split(&mut class, |_, state| self.table[state * inputs + input].map(said));
        }
        loop {
            let before = classes;
            for input in 0..inputs {
                let next = |class: &[u32], state: usize| {
                    let known = self.table[state * inputs + input];
                    known.map(|known| class[known.target as usize])
                };
                classes = split(&mut class, next);
            }
            if classes == before {
                return class;
            }
        }
    }

    fn row(&self, state: u32) -> impl Iterator<Item = Option<Transition>> + '_ {
        let inputs = Mealy::inputs(self) as usize;
        self.table[state as usize * inputs..][..inputs].iter().copied()
    }
}

/// A state or output that has no number yet.
const UNSEEN: u32 = u32::MAX;

/// Splits each class by `mark`, which sees the old classes. Returns the new number of classes.
fn split<M: Eq + Hash>(class: &mut Vec<u32>, mark: impl Fn(&[u32], usize) -> M) -> usize {
    let mut numbers = HashMap::new();
    *class = (0..class.len())
        .map(|state| {
            let new = number(numbers.len());
            *numbers.entry((class[state], mark(class, state))).or_insert(new)
        })
        .collect();
    numbers.len()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, lamp, partial, random};
    use super::super::{Builder, Gaps, separate};
    use super::*;

    #[test]
    fn equivalent_states_and_unreachable_ones_go() {
        let mut builder = Builder::default();
        // The lamp, unrolled once, with shuffled states and an unreachable one.
        builder.add(4, "press", 2, "on").expect("new");
        builder.add(4, "hold", 4, "off").expect("new");
        builder.add(2, "press", 0, "off").expect("new");
        builder.add(2, "hold", 3, "on").expect("new");
        builder.add(3, "press", 4, "off").expect("new");
        builder.add(3, "hold", 2, "on").expect("new");
        builder.add(0, "press", 3, "on").expect("new");
        builder.add(0, "hold", 4, "off").expect("new");
        builder.add(1, "press", 4, "unused").expect("new");
        builder.add(1, "hold", 4, "unused").expect("new");
        assert_eq!(builder.build(4).expect("complete").minimise(), lamp());
    }

    #[test]
    fn machines_that_do_the_same_become_identical() {
        let mut random_source = Random::new(1);
        let mut reduced = 0;
        for _ in 0..300 {
            let machine = random(&mut random_source, 12, 2, 2);
            let minimal = machine.minimise();
            assert_eq!(separate(&machine, &minimal), Ok(None));
            assert_eq!(minimal.minimise(), minimal);
            let shuffled = shuffle(&mut random_source, &machine);
            assert_eq!(shuffled.minimise(), minimal);
            reduced += u32::from(minimal.states() < machine.states());
        }
        assert!(reduced > 30, "only {reduced} machines had something to reduce");
    }

    /// States that differ only in unknown transitions stay separate, and unknown transitions stay
    /// unknown.
    #[test]
    fn states_that_know_different_things_are_not_the_same() {
        let mut builder = Builder::default();
        builder.add(0, "a", 1, "x").expect("new");
        builder.add(1, "a", 2, "x").expect("new");
        builder.add(2, "a", 3, "x").expect("new");
        builder.add(1, "b", 0, "x").expect("new");
        builder.add_open(2, "b", 0, "x").expect("new");
        builder.add_open(3, "b", 0, "x").expect("new");
        builder.add(3, "a", 3, "x").expect("new");
        let machine = builder.build_partial(0);
        let minimal = machine.minimise();
        assert_eq!((minimal.states(), minimal.gaps()), (3, Gaps { open: 1, unknown: 1 }));
        assert_eq!(separate(&machine, &minimal), Ok(None));
        let mut source = Random::new(3);
        for _ in 0..300 {
            let machine = partial(&mut source, 12, 2, 2);
            let minimal = machine.minimise();
            assert_eq!(separate(&machine, &minimal), Ok(None));
            assert_eq!(minimal.minimise(), minimal);
        }
    }

    #[test]
    fn no_two_states_of_the_result_do_the_same() {
        let mut random_source = Random::new(2);
        for _ in 0..100 {
            let minimal = random(&mut random_source, 9, 2, 2).minimise();
            for one in 0..minimal.states() {
                for other in 0..one {
                    let [one, other] =
                        [one, other].map(|initial| Machine { initial, ..minimal.clone() });
                    assert!(separate(&one, &other).expect("same inputs").is_some());
                }
            }
        }
    }

    /// The same machine with its states and outputs renumbered.
    fn shuffle(random_source: &mut Random, machine: &Machine) -> Machine {
        let mut order: Vec<u32> = (0..machine.states()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random_source.below(number(at) + 1) as usize);
        }
        let mut builder = Builder::default();
        let mut transitions: Vec<_> = machine.named_transitions().collect();
        transitions.sort_by_key(|&(from, input, ..)| (input, order[from as usize]));
        for (from, input, to, output) in transitions {
            let [from, to] = [from, to].map(|state| order[state as usize]);
            builder.add(from, input, to, output).expect("deterministic");
        }
        builder.build(order[machine.initial as usize]).expect("complete")
    }
}
