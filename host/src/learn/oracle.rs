//! For simulated devices: whether a hypothesis is right, and if not, a shortest counterexample.

use std::collections::HashMap;

use mealybug_core::{Hypothesis, Input, Output};

use crate::machine::{Machine, ProductComponent, ProductWalk, separate_by};

/// Compares hypotheses with the known model.
#[derive(Clone, Debug)]
pub struct Oracle<'m> {
    model: &'m Machine,
    outputs: HashMap<&'m [u8], Output>,
}

impl<'m> Oracle<'m> {
    /// An oracle whose correct model is `model`.
    pub fn new(model: &'m Machine) -> Self {
        let names = model.outputs().iter().map(String::as_bytes);
        Self { model, outputs: names.zip((0..).map(Output::new)).collect() }
    }

    /// A shortest word on which `hypothesis` differs from the model; `None` if it is right.
    ///
    /// # Panics
    /// If the hypothesis and the model have different numbers of inputs.
    pub fn counterexample(&self, hypothesis: Hypothesis<'_>) -> Option<Vec<Input>> {
        let components: Vec<_> =
            hypothesis.components().map(|c| ProductComponent::from(&c)).collect();
        let product = ProductWalk::new(hypothesis.inputs(), &components);
        let names = (0..hypothesis.outputs()).map(Output::new);
        let named = names.map(|output| self.outputs.get(hypothesis.output_name(output)));
        let named: Vec<_> = named.map(Option::<&Output>::copied).collect();
        let same = |model: Output, learned: Output| named[learned.index() as usize] == Some(model);
        separate_by(self.model, &product, same)
    }
}
