//! What was learned, with the names of everything: the components of a hypothesis, and their product.

use mealybug_core::{Hypothesis, Output};

use crate::escape::escape;
use crate::machine::{Component, Machine, ProductError, product};

/// How a component is called that sees all outputs.
const ALL_OUTPUTS: &str = "all";

/// The components of a hypothesis, written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The names of the outputs, in the order in which they appeared.
    pub outputs: Vec<String>,
    /// The names of the components: what they see.
    pub names: Vec<String>,
    /// The components.
    pub components: Vec<Component>,
}

impl Learned {
    /// Writes a hypothesis down; `inputs` names its inputs.
    ///
    /// # Panics
    /// The hypothesis has another number of inputs.
    pub fn new(hypothesis: Hypothesis<'_>, inputs: &[String]) -> Self {
        assert_eq!(hypothesis.inputs() as usize, inputs.len(), "each input has a name");
        let name = |output| output_name(hypothesis.output_name(output));
        let all = hypothesis.components().count() == 1 && hypothesis.outputs() > 1;
        let names = hypothesis.components().map(|component| {
            if all {
                return ALL_OUTPUTS.to_owned();
            }
            component.outputs().map(name).collect::<Vec<_>>().join(",")
        });
        Self {
            inputs: inputs.to_vec(),
            outputs: (0..hypothesis.outputs()).map(|index| name(Output::new(index))).collect(),
            names: names.collect(),
            components: hypothesis.components().map(|c| Component::from(&c)).collect(),
        }
    }

    /// The machine that the components make together, minimal.
    ///
    /// # Errors
    /// The components contradict each other, or it has more than `max_states` states.
    pub fn product(&self, max_states: u32) -> Result<Machine, ProductError> {
        product(&self.components, &self.inputs, &self.outputs, max_states)
    }
}

/// The name of an output: its bytes if they are text, else escaped.
pub fn output_name(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| escape(bytes))
}
