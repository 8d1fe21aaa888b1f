//! Machines for the tests of this package.

use mealybug::machine::{Builder, Machine};

use crate::generate::SplitMix64;

/// The example in Figure 2 of the paper: two rings of `n` states, `n` outputs.
pub(crate) fn rings(n: u32) -> Machine {
    let mut rings = Builder::default();
    for at in 0..n {
        let (right, left) = ((at + 1) % n, (at + n - 1) % n);
        for (from, input, to, output) in [
            (at, "a", right, right),
            (at, "b", n + at, at),
            (n + at, "a", n + left, left),
            (n + at, "b", at, at),
        ] {
            rings.add(from, input, to, &output.to_string()).expect("new");
        }
    }
    rings.build(0).expect("complete")
}

/// A random machine of up to `states` states; states that cannot be reached or told apart are left out.
pub(crate) fn random(source: &mut SplitMix64, states: u32, inputs: u32, outputs: u32) -> Machine {
    let names =
        |kind: &str, count: u32| (0..count).map(|at| format!("{kind}{at}")).collect::<Vec<_>>();
    let states = 1 + source.below(states);
    source.machine(states, &names("i", inputs), &names("o", outputs))
}
