//! Behaviours that firmware hides, planted into machines.
//!
//! A [`Behaviour`] changes what a base machine does after certain words. [`plant`] makes the machine that
//! has it. [`symbols_to_meet`] says how well it is hidden: how many symbols of random words it takes, on
//! average, until an output differs from that of the machine without it.

mod behaviour;
mod meeting;
mod planted;

pub use behaviour::{Behaviour, BehaviourFamily};
pub use meeting::{WORD, symbols_to_meet};
pub use planted::{Hidden, plant};

use mealybug::machine::Machine;

use super::random::SplitMix64;

/// How often a behaviour is drawn anew before the base is given up: most often it has no effect there.
const DRAWS: u32 = 100;

/// Behaviours have their own stream of numbers: with that of a base of the same seed, the length of a sequence would follow
/// from the number of inputs.
const BEHAVIOURS: u64 = 0xb5ad_4ece_da1c_e2a9;

/// A machine with a hidden behaviour of `family`, drawn for `base` by `seed`; `None` if no draw changes
/// what the machine does.
///
/// # Panics
/// The base is partial, or has no inputs.
pub fn hidden(base: &Machine, family: BehaviourFamily, seed: u64) -> Option<Hidden> {
    let mut random = SplitMix64::new(seed ^ BEHAVIOURS);
    (0..DRAWS).find_map(|_| plant(base, &Behaviour::draw(base, family, &mut random)))
}

/// A random base: 4 to 12 states, 3 to 12 inputs, 3 outputs. It may be smaller, since it is minimal.
pub fn random_base(seed: u64) -> Machine {
    let mut random = SplitMix64::new(seed);
    let names = |letters: std::ops::RangeInclusive<char>, count: u32| -> Vec<String> {
        letters.take(count as usize).map(String::from).collect()
    };
    let inputs = names('a'..='l', 3 + random.below(10));
    let outputs = names('x'..='z', 3);
    let states = 4 + random.below(9);
    random.machine(states, &inputs, &outputs)
}

#[cfg(test)]
mod tests {
    use mealybug::machine::separate;

    use super::*;

    #[test]
    fn each_family_changes_the_base_and_is_met_by_random_words() {
        for family in BehaviourFamily::ALL {
            let mut found = 0;
            for seed in 0..20 {
                let base = random_base(seed);
                let Some(hidden) = hidden(&base, family, seed) else { continue };
                found += 1;
                assert!(hidden.symbols_to_meet.is_finite(), "{family}, seed {seed}: never met");
                assert!(hidden.symbols_to_meet >= 1.0, "{family}, seed {seed}");
                let same = separate(&hidden.plain, &hidden.machine).expect("the same inputs");
                assert!(same.is_some(), "{family}, seed {seed}: nothing is hidden");
                assert_eq!(hidden.machine.minimise().states(), hidden.machine.states());
            }
            assert!(found >= 15, "{family}: {found} of 20");
        }
    }

    /// What is planted does not follow from the size of the base.
    #[test]
    fn bases_of_every_size_get_sequences_of_every_length() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..400 {
            let base = random_base(seed);
            let mut random = SplitMix64::new(seed ^ BEHAVIOURS);
            let drawn = Behaviour::draw(&base, BehaviourFamily::Unlock, &mut random);
            let Behaviour::Unlock { word, .. } = drawn else { panic!("{drawn:?}") };
            seen.insert((base.inputs().len(), word.len()));
        }
        assert_eq!(seen.len(), 10 * 5, "3 to 12 inputs, 2 to 6 in a sequence: {seen:?}");
    }

    #[test]
    fn the_same_seed_makes_the_same_machine() {
        for family in BehaviourFamily::ALL {
            let make = || hidden(&random_base(3), family, 7);
            assert_eq!(make(), make(), "{family}");
        }
    }
}
