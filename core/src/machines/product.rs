//! The product of the components, walked by words, through the transitions of the state cover as far
//! as they reach.

use super::components::{Components, Defect, ProductState};
use super::cover::StateCover;
use super::transitions::Successor;
use crate::alphabet::{Input, Output};
use crate::error::Refused;
use crate::memory::Memory;
use crate::outputs::ComponentId;

/// The components and the states of their product that were searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(crate) components: Components,
    pub(crate) cover: StateCover,
}

impl Product {
    /// No components.
    pub(crate) const NONE: Self = Self { components: Components::NONE, cover: StateCover::NONE };

    /// Components whose product was not searched.
    pub(crate) fn new(m: &mut Memory<'_>, components: Components) -> Result<Self, Refused> {
        let product = Self { components, cover: StateCover::NONE };
        product.cover.transitions().reserve_lanes(m, 0)?;
        Ok(product)
    }

    /// Makes room for the states that are in use with this many lanes.
    pub(crate) fn reserve_lanes(&self, m: &mut Memory<'_>, lanes: u32) -> Result<(), Refused> {
        self.components.reserve_lanes(m, lanes)?;
        self.cover.transitions().reserve_lanes(m, lanes)
    }

    /// Moves to the initial state.
    pub(crate) fn reset(&self, m: &mut Memory<'_>, product: ProductState) {
        if !self.cover.transitions().set_state(m, product, 0) {
            self.components.reset(m, product);
        }
    }

    /// Moves to a state of the cover.
    pub(crate) fn restore(&self, m: &mut Memory<'_>, state: u32, product: ProductState) {
        if !self.cover.transitions().set_state(m, product, state) {
            self.cover.load(self.components, m, state, product);
        }
    }

    /// Moves along an input: the output of the product.
    ///
    /// # Errors
    /// The components contradict each other; the state moves all the same.
    pub(crate) fn step(
        &self,
        m: &mut Memory<'_>,
        product: ProductState,
        input: Input,
    ) -> Result<Output, Defect> {
        match self.cover.transitions().step(m, product, input) {
            Successor::Within(output) => return output.ok_or(Defect::None),
            Successor::Out(state) => self.cover.load(self.components, m, state, product),
            Successor::Outside => {}
        }
        self.components.product_step(m, product, input)
    }

    /// The position of the first output of a word that the product does not have.
    pub(crate) fn first_wrong(
        &self,
        m: &mut Memory<'_>,
        len: u32,
        input: impl Fn(&Memory<'_>, u32) -> Input,
        output: impl Fn(&Memory<'_>, u32) -> Output,
    ) -> Option<u32> {
        self.reset(m, ProductState::WORD);
        (0..len).find(|&position| {
            let input = input(m, position);
            self.step(m, ProductState::WORD, input) != Ok(output(m, position))
        })
    }

    /// A component's state in a state of the product.
    pub(crate) fn state(
        &self,
        m: &Memory<'_>,
        product: ProductState,
        component: ComponentId,
    ) -> u32 {
        #[cfg(feature = "fast")]
        if let Some(state) = self.cover.transitions().state(m, product) {
            return StateCover::state(m, state, component);
        }
        Components::state(m, product, component)
    }

    /// Whether no input leaves a state of the product.
    #[cfg(feature = "mixture")]
    pub(crate) fn is_absorbing(&self, m: &Memory<'_>, product: ProductState) -> bool {
        if let Some(state) = self.cover.transitions().state(m, product) {
            return self.cover.transitions().is_absorbing(m, state);
        }
        !self.components.iter().any(|component| {
            let state = self.state(m, product, component);
            let leaves = |input| self.components.step(m.read(), component, state, input).0 != state;
            (0..self.components.inputs()).map(Input::new).any(leaves)
        })
    }

    /// Moves a state of the product to where another one is.
    #[cfg(feature = "mixture")]
    pub(crate) fn copy(&self, m: &mut Memory<'_>, from: ProductState, to: ProductState) {
        if let Some(state) = self.cover.transitions().state(m, from) {
            return self.restore(m, state, to);
        }
        self.cover.transitions().leave(m, to);
        for component in self.components.iter() {
            let state = Components::state(m, from, component);
            Components::set_state(m, to, component, state);
        }
    }
}

#[cfg(all(test, feature = "fast", feature = "mixture"))]
mod tests {
    use std::vec;

    use super::*;
    use crate::machines::components::Sizes;
    use crate::memory::Layout;
    use crate::rng::WordRng;

    const INPUTS: u32 = 3;

    /// The product of random machines; no input leaves every seventh state of a machine.
    fn product(
        m: &mut Memory<'_>,
        seed: u64,
        (len, states): (u32, u32),
        outputs: u32,
        bound: u32,
    ) -> Product {
        let mut sizes = Sizes::NONE;
        (0..len).for_each(|_| sizes.add(states));
        let components = Components::new(m, sizes, INPUTS, outputs).expect("room");
        for component in components.iter() {
            components.add(m, component, states, 0, |_, state, input| {
                let mut rng =
                    WordRng::new(seed + u64::from(component.0), state * INPUTS + input.index());
                let next = rng.below(states);
                let next = if state % 7 == 3 { state } else { next };
                // An output of one component only, so that the product has one everywhere.
                (next, if component.0 == 0 { 1 + rng.below(outputs) } else { 0 })
            });
        }
        let mut product = Product::new(m, components).expect("room");
        let (cover, defect) = StateCover::new(components, m, bound, true).expect("room");
        assert!(defect.is_none());
        product.cover = cover;
        product
    }

    #[test]
    fn a_step_is_a_step_of_all_components() {
        let (mut within, mut absorbed, mut out) = (0, 0, 0);
        for (seed, (len, states), outputs, bound) in
            [(1, (2, 12), 4, 256), (2, (3, 9), 5, 256), (3, (2, 60), 5, 4), (4, (2, 40), 12, 8)]
        {
            let mut words = vec![0; 1 << 16];
            let mut layout = Layout::new();
            let m = &mut Memory::new(&mut words, &mut layout);
            let product = product(m, seed, (len, states), outputs, bound);
            let components = product.components;
            let (fast, plain) = (ProductState::WORD, ProductState::NEXT);
            let mut rng = WordRng::new(1, outputs);
            for _ in 0..400 {
                product.reset(m, fast);
                components.reset(m, plain);
                for _ in 0..16 {
                    let was_within = product.cover.transitions().state(m, fast).is_some();
                    let input = Input::new(rng.below(INPUTS));
                    let output = product.step(m, fast, input).ok();
                    assert_eq!(output, components.product_step(m, plain, input).ok());
                    for component in components.iter() {
                        let state = Components::state(m, plain, component);
                        assert_eq!(product.state(m, fast, component), state);
                    }
                    let stays = |component, input| {
                        let state = product.state(m, fast, component);
                        components.step(m.read(), component, state, Input::new(input)).0 == state
                    };
                    let stay = |component| (0..INPUTS).all(|input| stays(component, input));
                    let is_absorbing = components.iter().all(stay);
                    assert_eq!(product.is_absorbing(m, fast), is_absorbing);
                    let is_within = product.cover.transitions().state(m, fast).is_some();
                    within += u32::from(is_within);
                    absorbed += u32::from(is_within && is_absorbing);
                    out += u32::from(was_within && !is_within);
                }
            }
        }
        assert!(within > 1000 && absorbed > 100 && out > 100, "{within} {absorbed} {out}");
    }
}
