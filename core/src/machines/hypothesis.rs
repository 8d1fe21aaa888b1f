//! The last hypothesis, to be read: components, and their product.

use super::components::{Components, Defect, product_output};
use crate::alphabet::{Input, Output};
use crate::mealy::Mealy;
use crate::memory::MemoryRef;
use crate::outputs::{ComponentId, component_of, output_bytes};

/// A view of the last hypothesis of a session.
#[derive(Clone, Copy, Debug)]
pub struct Hypothesis<'s> {
    read: MemoryRef<'s>,
    components: Components,
}

impl<'s> Hypothesis<'s> {
    pub(crate) fn new(read: MemoryRef<'s>, components: Components) -> Self {
        Self { read, components }
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> u32 {
        self.components.inputs()
    }

    /// How many outputs were known when it was made.
    pub fn outputs(&self) -> u32 {
        self.components.outputs()
    }

    /// The bytes of an output; empty for one that is not known.
    pub fn output_name(&self, output: Output) -> &'s [u8] {
        if output.index() < self.outputs() { output_bytes(self.read, output) } else { &[] }
    }

    /// The component in whose group an output is, as an index into
    /// [`components`](Self::components).
    pub fn component_of(&self, output: Output) -> u32 {
        component_of(self.read, output).0
    }

    /// The components, one for each projection.
    pub fn components(&self) -> impl Iterator<Item = Component<'s>> + use<'s> {
        let view = *self;
        self.components.iter().map(move |id| Component { view, id })
    }

    /// Moves a state of the product along an input: the output of the product. A state of the product
    /// is one state for each component, kept by the caller.
    ///
    /// # Errors
    /// No component has an output here, or several have one. A `state` of another length than there
    /// are components counts as no output.
    pub fn step(&self, state: &mut [u32], input: Input) -> Result<Output, Defect> {
        if state.len() != self.components.len() as usize {
            return Err(Defect::None);
        }
        let components = self.components().zip(state);
        product_output(components.map(|(component, state)| component.step(state, input)))
    }
}

/// One component of a hypothesis: a machine whose output is one of its group, or none.
#[derive(Clone, Copy, Debug)]
pub struct Component<'s> {
    view: Hypothesis<'s>,
    id: ComponentId,
}

impl<'s> Component<'s> {
    /// How many states it has; they are numbered from 0.
    pub fn states(&self) -> u32 {
        self.view.components.size(self.view.read, self.id)
    }

    /// The outputs of its group, those known so far. All outputs for the identity.
    pub fn outputs(&self) -> impl Iterator<Item = Output> + use<'s> {
        let Self { view, id } = *self;
        let outputs = (0..view.outputs()).map(Output::new);
        outputs.filter(move |&output| component_of(view.read, output) == id)
    }
}

impl Mealy for Component<'_> {
    type State = u32;

    fn inputs(&self) -> u32 {
        self.view.inputs()
    }

    fn initial(&self) -> u32 {
        self.view.components.initial(self.view.read, self.id)
    }

    /// `None` also for a state or an input that is not there.
    fn step(&self, state: &mut u32, input: Input) -> Option<Output> {
        if *state >= self.states() || input.index() >= self.inputs() {
            return None;
        }
        let (next, symbol) = self.view.components.step(self.view.read, self.id, *state, input);
        *state = next;
        symbol.checked_sub(1).map(Output::new)
    }
}
