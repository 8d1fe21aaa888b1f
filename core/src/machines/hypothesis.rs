//! A view of the last hypothesis: its components and their product.

use super::components::{Components, Defect, Knowledge, product_output};
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

    /// Number of inputs.
    pub fn inputs(&self) -> u32 {
        self.components.inputs()
    }

    /// Number of outputs that were known when it was made.
    pub fn outputs(&self) -> u32 {
        self.components.outputs()
    }

    /// The bytes that the device answered; empty for an output that is not known.
    pub fn output_name(&self, output: Output) -> &'s [u8] {
        if output.index() < self.outputs() { output_bytes(self.read, output) } else { &[] }
    }

    /// The component that has an output, as an index into [`components`](Self::components); `None` for an output that
    /// was not known when it was made, and where several components have it or none does.
    pub fn component_of(&self, output: Output) -> Option<u32> {
        let is_known = output.index() < self.outputs();
        if self.components.is_by_output() {
            return is_known.then(|| component_of(self.read, output).0);
        }
        let mut sees = self
            .components
            .iter()
            .filter(|&component| is_known && self.components.sees(self.read, component, output));
        let first = sees.next();
        first.filter(|_| sees.next().is_none()).map(|component| component.0)
    }

    /// The components, one for each projection.
    pub fn components(&self) -> impl Iterator<Item = Component<'s>> + use<'s> {
        let view = *self;
        self.components.iter().map(move |id| Component { view, id })
    }

    /// Moves a state of the product along an input and returns the output. A state of the product is
    /// a state of each component, in the order of [`components`](Self::components); the caller keeps it.
    ///
    /// ```
    /// use mealybug_core::{Input, Mealy, Options, Session, learn, sul};
    ///
    /// let mut is_on = false;
    /// let mut switch = sul::from_fn(|input| {
    ///     is_on = input.is_some() && !is_on;
    ///     if is_on { "on" } else { "off" }
    /// });
    /// let mut session = Session::new([0; 1024], 1, Options::default())?;
    /// learn(&mut session, &mut switch)?;
    ///
    /// let hypothesis = session.hypothesis().expect("it was learned");
    /// let mut state: Vec<u32> = hypothesis.components().map(|c| c.initial()).collect();
    /// for expected in ["on", "off", "on"] {
    ///     let output = hypothesis.step(&mut state, Input::new(0)).expect("no defect");
    ///     assert_eq!(hypothesis.output_name(output), expected.as_bytes());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No component has an output here, or several have one; the state has moved nevertheless. For a
    /// `state` whose length is not the number of components it is [`Defect::None`].
    pub fn step(&self, state: &mut [u32], input: Input) -> Result<Output, Defect> {
        if state.len() != self.components.len() as usize {
            return Err(Defect::None);
        }
        let components = self.components().zip(state);
        product_output(components.map(|(component, state)| component.step(state, input)))
    }

    /// What is known about the transition of the product from `state` along `input`: unknown if one
    /// component does not know its own, else open if the target is a guess in one.
    ///
    /// Where it is unknown, [`step`](Self::step) may return a [`Defect`]. That only means that nothing was asked there.
    pub fn knowledge(&self, state: &[u32], input: Input) -> Knowledge {
        let components = self.components().zip(state);
        let known = components.map(|(component, &state)| component.knowledge(state, input));
        known.fold(Knowledge::Confirmed, Knowledge::worse)
    }
}

/// One component of a hypothesis: a machine whose output is one of its group, or none.
#[derive(Clone, Copy, Debug)]
pub struct Component<'s> {
    view: Hypothesis<'s>,
    id: ComponentId,
}

impl<'s> Component<'s> {
    /// Number of states: they are `0..states`.
    pub fn states(&self) -> u32 {
        self.view.components.size(self.view.read, self.id)
    }

    /// Its outputs: those of its group that are known so far, or those that it has after some of the inputs. A
    /// component that is the only one has all.
    pub fn outputs(&self) -> impl Iterator<Item = Output> + use<'s> {
        let Self { view, id } = *self;
        let outputs = (0..view.outputs()).map(Output::new);
        outputs.filter(move |&output| view.components.sees(view.read, id, output))
    }

    /// What is known about the transition from `state` along `input`. Of an unknown one,
    /// [`step`](Mealy::step) says nothing: it has no output and leaves the state as it is.
    #[inline]
    pub fn knowledge(&self, state: u32, input: Input) -> Knowledge {
        self.view.components.knowledge(self.view.read, self.id, state, input)
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

    /// `None` where another component has the output, and for a state or an input that does not exist.
    fn step(&self, state: &mut u32, input: Input) -> Option<Output> {
        if *state >= self.states() || input.index() >= self.inputs() {
            return None;
        }
        let (next, symbol) = self.view.components.step(self.view.read, self.id, *state, input);
        *state = next;
        symbol.checked_sub(1).map(Output::new)
    }
}
