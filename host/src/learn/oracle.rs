//! In simulation: whether a hypothesis is right, and a shortest word on which it is not.

use std::collections::HashMap;

use mealybug_core::{Hypothesis, Input, Output};

use crate::machine::{Component, Machine, Product, separate_by};

/// Knows the model, and compares hypotheses with it.
#[derive(Clone, Debug)]
pub struct Oracle<'m> {
    model: &'m Machine,
    outputs: HashMap<&'m [u8], Output>,
}

impl<'m> Oracle<'m> {
    /// Knows that `model` is the right model.
    pub fn new(model: &'m Machine) -> Self {
        let names = model.outputs().iter().map(String::as_bytes);
        Self { model, outputs: names.zip((0..).map(Output::new)).collect() }
    }

    /// A shortest word on which `hypothesis` differs from the model; `None` if it is right.
    ///
    /// # Panics
    /// The hypothesis has not as many inputs as the model.
    pub fn counterexample(&self, hypothesis: Hypothesis<'_>) -> Option<Vec<Input>> {
        let components: Vec<_> = hypothesis.components().map(|c| Component::from(&c)).collect();
        let product = Product::new(hypothesis.inputs(), &components);
        let names = (0..hypothesis.outputs()).map(Output::new);
        let named = names.map(|output| self.outputs.get(hypothesis.output_name(output)));
        let named: Vec<_> = named.map(Option::<&Output>::copied).collect();
        let same = |model: Output, learned: Output| named[learned.index() as usize] == Some(model);
        separate_by(self.model, &product, same)
    }
}
