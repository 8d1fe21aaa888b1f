//! Machines for the tests of this package.

use super::{Builder, Machine};

/// A lamp with a button: minimal, in canonical form.
pub(crate) fn lamp() -> Machine {
    let mut lamp = Builder::default();
    lamp.add(0, "press", 1, "on").expect("new");
    lamp.add(0, "hold", 0, "off").expect("new");
    lamp.add(1, "press", 0, "off").expect("new");
    lamp.add(1, "hold", 1, "on").expect("new");
    lamp.build(0).expect("complete")
}

/// A complete machine with these transitions: from, input, to and output of each.
pub(crate) fn machine(transitions: &[(u32, &str, u32, &str)]) -> Machine {
    let mut builder = Builder::default();
    for &(from, input, to, output) in transitions {
        builder.add(from, input, to, output).expect("new");
    }
    builder.build(0).expect("complete")
}

/// A random machine with up to `states` states and up to `outputs` outputs.
pub(crate) fn random(source: &mut Random, states: u32, inputs: u32, outputs: u32) -> Machine {
    let states = 1 + source.below(states);
    let mut builder = Builder::default();
    for from in 0..states {
        for input in 0..inputs {
            let (to, output) = (source.below(states), source.below(outputs));
            builder.add(from, &format!("i{input}"), to, &format!("o{output}")).expect("new");
        }
    }
    builder.build(source.below(states)).expect("complete")
}

/// A random machine with about a sixth of its transitions open and a sixth unknown.
pub(crate) fn partial(source: &mut Random, states: u32, inputs: u32, outputs: u32) -> Machine {
    let machine = random(source, states, inputs, outputs);
    let mut builder = Builder::default();
    for (from, input, to, output) in machine.named_transitions() {
        match source.below(6) {
            0 => {}
            1 => builder.add_open(from, input, to, output).expect("new"),
            _ => builder.add(from, input, to, output).expect("new"),
        }
    }
    builder.build_partial(mealybug_core::Mealy::initial(&machine))
}

impl Machine {
    /// The same machine with one more input, which was never asked.
    pub(crate) fn with_unasked(self, input: &str) -> Self {
        let rows = self.table.chunks_exact(self.inputs.len());
        let table = rows.flat_map(|row| row.iter().copied().chain([None])).collect();
        let inputs = [self.inputs, vec![input.to_owned()]].concat();
        Self { inputs, table, ..self }
    }
}

/// xorshift64*, good enough to choose test machines from a fixed seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        u32::try_from(high % u64::from(bound)).expect("below a u32")
    }
}
