//! What a model consists of: machines side by side, as few states as possible in total.
//!
//! A *module* is a set of pairs of an input and an output. Its machine is the projection of the model
//! on them, minimised: it gives the output of such a pair, and *another output* for all other pairs.
//! The product of the modules is the model, if each pair is in a module. Pairs of inputs that always
//! have the same output need none.
//!
//! The states of a module's machine are classes of states of the model: the coarsest stable
//! equivalence that its pairs allow (`refine`). That of two sets of pairs together is the meet of
//! theirs (`classes`), so a model is minimised once for each pair at most (`pairs`), and never
//! for the sets of pairs among which the best division is searched (`search`).
//!
//! Components are what a learner divides a device into before it knows the model. Modules are found
//! afterwards, and have in total at most as many states as the model.
//!
//! Parallel decomposition by partitions with the substitution property: J. Hartmanis and R. E.
//! Stearns, *Algebraic Structure Theory of Sequential Machines*, 1966. Projections on outputs:
//! Koenders & Moerman, *Output-decomposed Learning of Mealy Machines*, 2024.

mod classes;
mod module;
mod pairs;
mod refine;
mod search;
#[cfg(test)]
mod tests;
mod text;

use std::collections::{BTreeMap, BTreeSet};

pub use module::{Knows, Module};

use crate::machine::Machine;
use crate::names::make_different;
use pairs::{IoPair, PairAtom, Pairs, atoms};
use search::{AtomGroup, divide};

/// The steps that the machines of single pairs may take: about a second.
const MAX_STEPS: u64 = 1 << 28;

/// The modules of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modules {
    /// The number of states of the minimal model.
    pub states: u32,
    /// The modules, the smallest first; none if the model has a single state.
    pub modules: Vec<Module>,
    /// Inputs that have the same output in all states, with that output.
    pub constant: Vec<(String, String)>,
}

impl Modules {
    /// The modules of a model; `None` if it is partial.
    ///
    /// # Cost
    /// Bounded for any number of inputs and outputs: where the best division takes too long, a good
    /// one is found.
    pub fn new(model: &Machine) -> Option<Self> {
        if !model.gaps().is_empty() {
            return None;
        }
        let model = &model.minimise();
        let Pairs { varying, constant } = Pairs::of(model);
        let name = |pair: &IoPair| {
            (model.input_name(pair.input).to_owned(), model.output_name(pair.output).to_owned())
        };
        let constant = constant.iter().map(name).collect();
        let atoms = atoms(model, &varying, MAX_STEPS);
        let mut modules = Vec::new();
        if !atoms.is_empty() {
            let classes: Vec<_> = atoms.iter().map(|atom| &atom.classes).collect();
            let groups =
                divide(&classes, &[by(&atoms, |pair| pair.input), by(&atoms, |pair| pair.output)]);
            let owners = assign(model, &varying, &atoms, &groups);
            let module =
                |(group, own): (&AtomGroup, _)| Module::new(model, &varying, own, &group.classes);
            modules = groups.iter().zip(&owners).map(module).collect();
        }
        modules.sort_by_key(Module::states);
        let mut modules = Self { states: model.states(), modules, constant };
        let mut names = modules.names();
        make_different(&mut names);
        for (module, name) in modules.modules.iter_mut().zip(names) {
            module.name = name;
        }
        Some(modules)
    }

    /// The names of the modules.
    pub fn names(&self) -> Vec<String> {
        self.modules.iter().map(|module| module.name.clone()).collect()
    }

    /// The states of all modules in total.
    pub fn total_states(&self) -> u64 {
        self.modules.iter().map(|module| u64::from(module.states())).sum()
    }
}

/// Atoms whose first pairs have the same input, or the same output, in one group.
fn by<K: Ord>(atoms: &[PairAtom], key: impl Fn(&IoPair) -> K) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, atom) in atoms.iter().enumerate() {
        groups.entry(atom.pairs.first().map(&key)).or_default().push(at);
    }
    groups.into_values().collect()
}

/// The pairs of each group: those of its atoms, and some that its machine knows anyway. Where several
/// groups know a pair, it goes to one with many of the same input or output.
fn assign(
    model: &Machine,
    pairs: &[IoPair],
    atoms: &[PairAtom],
    groups: &[AtomGroup],
) -> Vec<BTreeSet<IoPair>> {
    let fixed = |group: &AtomGroup| {
        group.atoms.iter().flat_map(|&atom| &atoms[atom].pairs).copied().collect::<BTreeSet<_>>()
    };
    let fixed: Vec<_> = groups.iter().map(fixed).collect();
    let mut owners = fixed.clone();
    for &pair in pairs {
        if fixed.iter().any(|own| own.contains(&pair)) {
            continue;
        }
        let alike = |own: &BTreeSet<IoPair>| {
            own.iter().filter(|own| own.input == pair.input || own.output == pair.output).count()
        };
        let knows = |at: &usize| groups[*at].classes.determine(|state| pair.occurs(model, state));
        let owner = (0..groups.len()).rev().filter(knows).max_by_key(|&at| alike(&fixed[at]));
        owners[owner.expect("each pair is known to an atom")].insert(pair);
    }
    owners
}
