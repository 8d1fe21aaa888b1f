//! Pairs of an input and an output, and what they tell of a state.

use std::collections::BTreeSet;

use mealybug_core::{Input, Mealy, Output};

use super::classes::Classes;
use super::refine::Refiner;
use crate::machine::Machine;

/// An input and an output after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IoPair {
    pub(super) input: Input,
    pub(super) output: Output,
}

impl IoPair {
    /// Whether the input gives the output in this state.
    pub(super) fn occurs(self, machine: &Machine, state: u32) -> bool {
        machine.expect_transition(state, self.input).1 == self.output
    }
}

/// The pairs of a machine.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Those of inputs with several outputs.
    pub(super) varying: Vec<IoPair>,
    /// Those of inputs that have the same output in all states.
    pub(super) constant: Vec<IoPair>,
}

impl Pairs {
    /// All pairs that occur, by input and then by output.
    pub(super) fn of(machine: &Machine) -> Self {
        let mut pairs = Self::default();
        for input in (0..Mealy::inputs(machine)).map(Input::new) {
            let outputs =
                (0..machine.states()).map(|state| machine.expect_transition(state, input).1);
            let outputs: BTreeSet<Output> = outputs.collect();
            let list = if outputs.len() == 1 { &mut pairs.constant } else { &mut pairs.varying };
            list.extend(outputs.into_iter().map(|output| IoPair { input, output }));
        }
        pairs
    }
}

/// Pairs that belong together, and the states of the smallest machine that knows them.
#[derive(Debug)]
pub(super) struct PairAtom {
    pub(super) pairs: Vec<IoPair>,
    pub(super) classes: Classes,
}

/// The pairs whose machines are no part of another pair's: what these know, a machine of each of the
/// other pairs knows as well.
///
/// After `max_steps` steps of refinement the pairs that are left make one atom together.
pub(super) fn atoms(machine: &Machine, pairs: &[IoPair], max_steps: u64) -> Vec<PairAtom> {
    let refiner = Refiner::new(machine);
    let mut atoms: Vec<PairAtom> = Vec::new();
    let mut steps = 0;
    for (at, &pair) in pairs.iter().enumerate() {
        let knows = |atom: &PairAtom| atom.classes.determine(|state| pair.occurs(machine, state));
        if atoms.iter().any(knows) {
            continue;
        }
        steps += refiner.cost();
        let pairs = if steps > max_steps { pairs[at..].to_vec() } else { vec![pair] };
        let classes = refiner.refine(&shown(machine, &pairs));
        atoms.retain(|atom| !classes.refine(&atom.classes));
        atoms.push(PairAtom { pairs, classes });
    }
    atoms
}

/// The states that the next input does not tell apart, if only these pairs are seen.
fn shown(machine: &Machine, pairs: &[IoPair]) -> Classes {
    pairs.iter().fold(Classes::one(machine.states()), |seen, pair| {
        let occurs = |state| pair.occurs(machine, state).into();
        seen.meet(&Classes::by_mark((0..machine.states()).map(occurs)))
    })
}
