//! A known model: nothing is learned, and tests try it at once.
//!
//! The model, such as a golden model from a file, is divided into components like a hypothesis (see
//! [`dividing`]), and gets what tests need: access words, and suffixes that tell the states of each
//! component apart (see [`separating`](crate::machines::separating)).

mod dividing;

use super::Learn;
use crate::error::Refused;
use crate::machines::cover::StateCover;
use crate::machines::model::Model;
use crate::machines::product::Product;
use crate::machines::separating::StateClasses;
use crate::mealy::NumberedMealy;
use crate::memory::Memory;
use crate::options::{Observations, Options, Projections};
use crate::outputs::Outputs;
use crate::progress::{Progress, Purpose};
use crate::suffixes::Suffixes;
use crate::words::{Lane, Words};
use dividing::Dividing;

pub(crate) use dividing::FIELDS_START;

/// A model instead of a learner: a session with it tests at once and ends with the first difference.
#[derive(Clone, Copy, Debug)]
pub struct KnownModel {
    outputs: Outputs,
    model: Model,
    projections: Projections,
    is_refuted: bool,
}

impl KnownModel {
    /// Divides a model into components and finds words for its tests.
    pub(crate) fn new(
        m: &mut Memory<'_>,
        machine: &impl NumberedMealy,
        options: &Options,
    ) -> Result<Self, Refused> {
        let mut dividing = Dividing::new(machine);
        dividing.number_outputs(m, options)?;
        dividing.reach_states(m)?;
        let components = dividing.make_components(m)?;
        let mut suffixes = Suffixes::new(machine.inputs());
        suffixes.add_inputs(m)?;
        for component in components.iter() {
            StateClasses::new(m, components, component)?.tell_apart(m, &mut suffixes)?;
        }
        let has_tests = options.tests.has_words();
        let mut product = Product::new(m, components)?;
        (product.cover, _) = StateCover::new(components, m, options.product_states, has_tests)?;
        let prefixes = dividing.make_prefixes(m)?;
        let model = Model { product, prefixes, suffixes, asked_infixes: 0 };
        let projections = options.projections;
        Ok(Self { outputs: dividing.outputs(), model, projections, is_refuted: false })
    }
}

impl Learn for KnownModel {
    fn algorithm(&self) -> (Observations, Projections) {
        (Observations::Table, self.projections)
    }

    fn advance(&mut self, _: &mut Memory<'_>, _: &Options) -> Result<(), Refused> {
        Ok(())
    }

    fn is_ready(&self) -> bool {
        !self.is_refuted
    }

    fn is_stuck(&self) -> bool {
        self.is_refuted
    }

    fn next_word(&mut self, _: &mut Memory<'_>, _: Words, _: Lane) -> Result<bool, Refused> {
        Ok(false)
    }

    fn take(
        &mut self,
        m: &mut Memory<'_>,
        options: &Options,
        words: Words,
        lane: Lane,
        is_as_expected: bool,
    ) -> Result<bool, Refused> {
        let len = words.len(m, lane);
        for position in 0..len {
            let name = words.answer(m, lane, position);
            self.outputs.take_in(m, options.projections, name)?;
        }
        if !is_as_expected {
            let input = |m: &Memory<'_>, position| words.input(m, lane, position);
            let output = |m: &Memory<'_>, position| words.output(m, &self.outputs, lane, position);
            self.is_refuted |= self.model.product.first_wrong(m, len, input, output).is_some();
        }
        Ok(self.is_refuted)
    }

    fn purpose(&self) -> Purpose {
        Purpose::Testing
    }

    fn is_refuted(&self) -> bool {
        self.is_refuted
    }

    fn product(&self) -> &Product {
        &self.model.product
    }

    fn model(&self) -> Model {
        self.model
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn outputs_mut(&mut self) -> &mut Outputs {
        &mut self.outputs
    }

    fn report(&self, progress: &mut Progress) {
        progress.suffixes = self.model.suffixes.count();
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;
    use crate::alphabet::Input;
    use crate::alphabet::Output;
    use crate::machines::separating::SHORT;
    use crate::mealy::Mealy;
    use crate::memory::Layout;
    use crate::rng::WordRng;
    use crate::suffixes::{self, Suffix};

    const INPUTS: u32 = 2;

    /// A machine whose states say 0 nearly everywhere, so that short words tell few of them apart.
    struct Sparse {
        seed: u64,
        states: u32,
    }

    impl Mealy for Sparse {
        type State = u32;

        fn inputs(&self) -> u32 {
            INPUTS
        }

        fn initial(&self) -> u32 {
            0
        }

        fn step(&self, state: &mut u32, input: Input) -> Option<Output> {
            let mut rng = WordRng::new(self.seed, *state * INPUTS + input.index());
            let (next, output) = (rng.below(self.states), rng.below(20).saturating_sub(17));
            *state = next;
            Some(Output::new(output))
        }
    }

    impl NumberedMealy for Sparse {
        fn outputs(&self) -> u32 {
            3
        }

        fn states(&self) -> u32 {
            self.states
        }

        fn output_name(&self, output: Output) -> &[u8] {
            [b"0", b"1", b"2"].get(output.index() as usize).map_or(b"", |name| *name)
        }
    }

    #[test]
    fn suffixes_tell_all_states_apart_and_access_words_reach_them() {
        let (mut pairs, mut longest) = (0, 0);
        for seed in 0..30 {
            let machine = Sparse { seed, states: 60 };
            let mut words = vec![0; 1 << 16];
            let mut layout = Layout::new();
            let m = &mut Memory::new(&mut words, &mut layout);
            let known = KnownModel::new(m, &machine, &Options::default()).expect("room");
            let Model { prefixes, suffixes, .. } = known.model;
            let components = known.model.components();
            for component in components.iter() {
                let size = components.size(m.read(), component);
                let mut is_reached = vec![false; size as usize];
                for short in prefixes.iter() {
                    let (mut word, mut at) = (vec![], prefixes.row(m, short));
                    while let Some((before, input)) = prefixes.predecessor(at) {
                        word.push(input);
                        at = prefixes.row(m, before);
                    }
                    let mut state = components.initial(m.read(), component);
                    for &input in word.iter().rev() {
                        state = components.step(m.read(), component, state, input).0;
                    }
                    is_reached[state as usize] = true;
                }
                assert!(is_reached.iter().all(|&is_reached| is_reached), "seed {seed}");
                for (one, other) in (0..size).flat_map(|one| (0..one).map(move |o| (one, o))) {
                    let tells = |&suffix: &Suffix| {
                        components.after(m, component, (one, other), suffix).is_none()
                    };
                    let suffix = suffixes.iter().find(tells);
                    let suffix = suffix.unwrap_or_else(|| panic!("seed {seed} {one} {other}"));
                    longest = suffixes::depth(m, suffix).max(longest);
                    pairs += 1;
                }
            }
        }
        assert!(pairs > 10_000 && longest > SHORT, "{pairs} {longest}");
    }
}
