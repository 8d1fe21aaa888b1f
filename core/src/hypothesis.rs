//! The last hypothesis, to be read: components, and their product.

use crate::components::{Components, Defect};
use crate::mealy::Mealy;
use crate::memory::{Field, Read};
use crate::outputs::output_bytes;
use crate::{Input, Output};

/// A view of the last hypothesis of a session.
#[derive(Clone, Copy, Debug)]
pub struct Hypothesis<'s> {
    read: Read<'s>,
    components: Components,
    outputs: u32,
    inputs: u32,
}

impl<'s> Hypothesis<'s> {
    pub(crate) fn new(read: Read<'s>, components: Components, outputs: u32, inputs: u32) -> Self {
        Self { read, components, outputs, inputs }
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> u32 {
        self.inputs
    }

    /// How many outputs are known.
    pub fn outputs(&self) -> u32 {
        self.outputs
    }

    /// The bytes of an output; empty for one that is not known.
    pub fn output_name(&self, output: Output) -> &'s [u8] {
        if output.index() < self.outputs { output_bytes(self.read, output) } else { &[] }
    }

    /// The component in whose block an output is.
    pub fn component_of(&self, output: Output) -> u32 {
        self.read.get(Field::OutputComponent, output.index())
    }

    /// The components, one for each projection.
    pub fn components(&self) -> impl Iterator<Item = Component<'s>> + use<'s> {
        let view = *self;
        (0..self.components.len()).map(move |index| Component { view, index })
    }

    /// The output of the product after a word, or the defect where there is none. The state of the
    /// product is `tuple`, one number for each component, which the caller keeps.
    ///
    /// # Errors
    /// None or several components have an output here, or `tuple` is of another length.
    pub fn step(&self, tuple: &mut [u32], input: Input) -> Result<Output, Defect> {
        let mut output = Err(Defect::None);
        for (component, state) in self.components().zip(tuple) {
            if let Some(own) = component.step(state, input) {
                output = match output {
                    Err(Defect::None) => Ok(own),
                    _ => Err(Defect::Several),
                };
            }
        }
        output
    }
}

/// One component of a hypothesis: a machine whose output is one of its block, or none.
#[derive(Clone, Copy, Debug)]
pub struct Component<'s> {
    view: Hypothesis<'s>,
    index: u32,
}

impl<'s> Component<'s> {
    /// How many states it has; they are numbered from 0.
    pub fn states(&self) -> u32 {
        self.view.components.size(self.view.read, self.index)
    }

    /// The outputs of its block, those known so far. All outputs for the identity.
    pub fn outputs(&self) -> impl Iterator<Item = Output> + use<'s> {
        let Self { view, index } = *self;
        (0..view.outputs)
            .filter(move |&output| view.read.get(Field::OutputComponent, output) == index)
            .map(Output::new)
    }
}

impl Mealy for Component<'_> {
    type State = u32;

    fn inputs(&self) -> u32 {
        self.view.inputs
    }

    fn initial(&self) -> u32 {
        self.view.components.initial(self.view.read, self.index)
    }

    fn step(&self, state: &mut u32, input: Input) -> Option<Output> {
        let (next, symbol) = self.view.components.step(self.view.read, self.index, *state, input);
        *state = next;
        symbol.checked_sub(1).map(Output::new)
    }
}
