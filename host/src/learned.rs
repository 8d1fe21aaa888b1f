//! What was learned, with the names of everything: the components of a hypothesis, and their product.

use mealybug_core::{Hypothesis, Output};

use crate::escape::escape;
use crate::machine::{Component, Gaps, Machine, ProductError, product};

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
        let outputs = (0..hypothesis.outputs()).map(Output::new).map(|output| {
            (
                output_name(hypothesis.output_name(output)),
                hypothesis.component_of(output).expect("it is known"),
            )
        });
        let components = hypothesis.components().map(|c| Component::from(&c)).collect();
        Self::assemble(inputs.to_vec(), outputs.collect(), components)
    }

    /// Puts together what was read: each output with the number of the component that knows it. The
    /// states of the components are numbered anew, breadth first.
    pub fn assemble(
        inputs: Vec<String>,
        outputs: Vec<(String, u32)>,
        components: Vec<Component>,
    ) -> Self {
        let all = components.len() == 1 && outputs.len() > 1;
        let block = |component| {
            let own = outputs.iter().filter(|(_, of)| *of == component);
            own.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",")
        };
        let name = |component| if all { ALL_OUTPUTS.to_owned() } else { block(component) };
        let names = (0..).take(components.len()).map(name).collect();
        let outputs = outputs.into_iter().map(|(name, _)| name).collect();
        let components = components.iter().map(Component::renumbered).collect();
        Self { inputs, outputs, names, components }
    }

    /// How many transitions of all components are not confirmed.
    pub fn gaps(&self) -> Gaps {
        self.components.iter().map(Component::gaps).sum()
    }

    /// The machine that the components make together, minimal.
    ///
    /// # Errors
    /// The components contradict each other, or it has more than `max_states` states.
    pub fn product(&self, max_states: u32) -> Result<Machine, ProductError> {
        product(&self.components, &self.inputs, &self.outputs, max_states)
    }
}

/// The name of an output: its bytes if they are text of one line, else escaped, as the replies in the
/// result of a target are.
pub fn output_name(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).ok();
    let text = text.filter(|text| !text.contains(char::is_control));
    text.unwrap_or_else(|| escape(bytes))
}
