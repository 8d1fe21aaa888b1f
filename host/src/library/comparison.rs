//! A golden model beside the hypotheses of a run.

use mealybug_core::Input;

use crate::machine::{Difference, Machine, differences};

/// Finds where hypotheses differ from the golden model, so that the device is asked what is right.
#[derive(Clone, Debug)]
pub(super) struct GoldenComparison<'m> {
    golden: &'m Machine,
    /// The names of the device's inputs.
    inputs: &'m [String],
    /// The last difference that the device was asked about.
    asked: Option<Difference>,
}

impl<'m> GoldenComparison<'m> {
    pub(super) fn new(golden: &'m Machine, inputs: &'m [String]) -> Self {
        Self { golden, inputs, asked: None }
    }

    /// A shortest word on which this hypothesis differs from the golden model. `None` if there is none, or
    /// if the device was asked that word: a hypothesis that still differs has the device on its side.
    pub(super) fn question(&mut self, hypothesis: &Machine) -> Option<Vec<Input>> {
        let found = differences(self.golden, hypothesis, 1).places.pop()?;
        if self.asked.as_ref() == Some(&found) {
            return None;
        }
        let number = |name: &String| self.inputs.iter().position(|input| input == name);
        let number = |name| number(name).and_then(|number| u32::try_from(number).ok());
        let word = found.word.iter().map(|name| number(name).map(Input::new)).collect();
        self.asked = Some(found);
        word
    }
}
