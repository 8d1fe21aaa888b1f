//! Naive computations of what the core computes fast, and checks of a hypothesis by them.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use mealybug_core::{Component, Hypothesis, Input, Mealy};

use super::{TableMachine, count};

impl TableMachine {
    /// How many states the minimal machine of the projection onto a group of outputs has. Naive
    /// partition refinement.
    pub(crate) fn minimal_states(&self, is_in_group: impl Fn(u32) -> bool) -> u32 {
        let table = self.reachable().table;
        let projected = |output: u32| is_in_group(output).then_some(output);
        let mut classes = vec![0; table.len()];
        let mut len = 1;
        loop {
            let mut numbers = BTreeMap::new();
            let next: Vec<u32> = (0..table.len())
                .map(|state| {
                    let row: Vec<_> = table[state]
                        .iter()
                        .map(|&(next, output)| (classes[next as usize], projected(output)))
                        .collect();
                    let len = count(numbers.len());
                    *numbers.entry((classes[state], row)).or_insert(len)
                })
                .collect();
            classes = next;
            if numbers.len() == len {
                return count(len);
            }
            len = numbers.len();
        }
    }

    /// How many states the minimal machine has.
    pub(crate) fn size(&self) -> u32 {
        self.minimal_states(|_| true)
    }
}

/// The access word of each state: the first of the shortest words that reach it.
pub(crate) fn access_words(machine: &TableMachine) -> Vec<Vec<u32>> {
    let mut words = vec![None; machine.table.len()];
    words[0] = Some(Vec::new());
    let mut queue = VecDeque::from([0]);
    while let Some(state) = queue.pop_front() {
        for input in 0..machine.inputs {
            let next = machine.table[state as usize][input as usize].0;
            if words[next as usize].is_none() {
                let mut word = words[state as usize].clone().expect("the state was reached");
                word.push(input);
                words[next as usize] = Some(word);
                queue.push_back(next);
            }
        }
    }
    words.into_iter().map(|word| word.expect("all states are reachable")).collect()
}

/// The initial state of the product: the initial state of each component.
pub(crate) fn product_initial(hypothesis: &Hypothesis<'_>) -> Vec<u32> {
    hypothesis.components().map(|component| component.initial()).collect()
}

/// Moves a state of the product along an input and returns the name of the output, `None` for a
/// defect.
pub(crate) fn product_step<'h>(
    hypothesis: &Hypothesis<'h>,
    product_state: &mut [u32],
    input: u32,
) -> Option<&'h [u8]> {
    let output = hypothesis.step(product_state, Input::new(input)).ok()?;
    Some(hypothesis.output_name(output))
}

/// The position of the first symbol of a word that the product answers differently than the
/// machine.
pub(crate) fn first_wrong(
    hypothesis: &Hypothesis<'_>,
    machine: &TableMachine,
    word: &[u32],
) -> Option<usize> {
    let (mut product_state, mut state) = (product_initial(hypothesis), 0);
    word.iter().position(|&input| {
        let expected = machine.step(&mut state, input);
        product_step(hypothesis, &mut product_state, input) != Some(machine.name(expected))
    })
}

/// A shortest word on which product and machine differ: breadth-first over pairs of states.
pub(crate) fn separating_word(
    hypothesis: &Hypothesis<'_>,
    machine: &TableMachine,
) -> Option<Vec<Input>> {
    let initial = (product_initial(hypothesis), 0);
    let mut seen = HashSet::from([initial.clone()]);
    let mut order = vec![(initial, usize::MAX, 0)];
    let mut at = 0;
    while at < order.len() {
        for input in 0..machine.inputs {
            let (mut product_state, mut state) = order[at].0.clone();
            let expected = machine.step(&mut state, input);
            let output = product_step(hypothesis, &mut product_state, input);
            if output != Some(machine.name(expected)) {
                let mut word = vec![Input::new(input)];
                let mut back = at;
                while back > 0 {
                    word.push(Input::new(order[back].2));
                    back = order[back].1;
                }
                word.reverse();
                return Some(word);
            }
            if seen.insert((product_state.clone(), state)) {
                order.push(((product_state, state), at, input));
            }
        }
        at += 1;
    }
    None
}

/// Checks what must hold of a result: the product is equivalent to the machine, and each component
/// is the minimal machine of the machine's projection onto the component's group of outputs.
pub(crate) fn assert_exact(hypothesis: &Hypothesis<'_>, machine: &TableMachine, what: &str) {
    assert_eq!(separating_word(hypothesis, machine), None, "{what}: product and machine differ");
    let mut covered = BTreeSet::new();
    for component in hypothesis.components() {
        let group = group_of(hypothesis, &component);
        assert!(!group.is_empty(), "{what}: a component has no output");
        let minimal = machine.minimal_states(|output| group.contains(machine.name(output)));
        assert_eq!(component.states(), minimal, "{what}: states of the component of {group:?}");
        let is_right = component_is_right(hypothesis, &component, machine);
        assert!(is_right, "{what}: the component of {group:?} is wrong");
        for name in group {
            assert!(covered.insert(name.to_vec()), "{what}: {name:?} is in two groups");
        }
    }
    let outputs: BTreeSet<_> =
        machine.alphabet().iter().map(|&output| machine.name(output).to_vec()).collect();
    assert_eq!(covered, outputs, "{what}: outputs that have a component");
}

/// The names of the outputs in a component's group.
pub(crate) fn group_of<'h>(
    hypothesis: &Hypothesis<'h>,
    component: &Component<'_>,
) -> BTreeSet<&'h [u8]> {
    component.outputs().map(|output| hypothesis.output_name(output)).collect()
}

/// Whether a component answers as the machine's projection onto the component's group does.
fn component_is_right(
    hypothesis: &Hypothesis<'_>,
    component: &Component<'_>,
    machine: &TableMachine,
) -> bool {
    let initial = (component.initial(), 0);
    let mut seen = BTreeSet::from([initial]);
    let mut queue = VecDeque::from([initial]);
    let group = group_of(hypothesis, component);
    while let Some(pair) = queue.pop_front() {
        for input in 0..machine.inputs {
            let (mut state, mut machine_state) = pair;
            let expected = machine.name(machine.step(&mut machine_state, input));
            let expected = group.contains(expected).then_some(expected);
            let output = component.step(&mut state, Input::new(input));
            if output.map(|output| hypothesis.output_name(output)) != expected {
                return false;
            }
            if seen.insert((state, machine_state)) {
                queue.push_back((state, machine_state));
            }
        }
    }
    true
}
