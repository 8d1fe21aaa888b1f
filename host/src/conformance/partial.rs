//! Tests of a partial model.

use std::borrow::Cow;

use mealybug_core::{Input, Mealy};

use crate::machine::{Builder, Machine, Transition};

/// The output of the added state, which stands for what the model does not know.
const UNKNOWN: &str = "unknown";

/// A complete machine to derive tests from. A model without gaps is returned as it is. Otherwise
/// its gaps lead to one more state, which is never left and whose output differs from all that the
/// model knows.
pub(super) fn total(model: &Machine) -> Cow<'_, Machine> {
    if model.gaps().is_empty() {
        return Cow::Borrowed(model);
    }
    let mut unknown = UNKNOWN.to_owned();
    while model.outputs().contains(&unknown) {
        unknown.push('?');
    }
    let end = model.states();
    let mut builder = Builder::default();
    for from in 0..=end {
        for (input, name) in (0..).map(Input::new).zip(model.inputs()) {
            let known = (from < end).then(|| model.transition(from, input)).flatten();
            let (target, output) = match known {
                Some(Transition { target, output, is_open }) => {
                    (if is_open { end } else { target }, model.output_name(output))
                }
                None => (end, &*unknown),
            };
            builder.add(from, name, target, output).expect("each transition once");
        }
    }
    Cow::Owned(builder.build(model.initial()).expect("each state has each input"))
}

/// The part of a word that the model can judge: up to the first unknown transition, or up to and
/// including the first guess.
pub(super) fn judged<'w>(model: &Machine, word: &'w [Input]) -> &'w [Input] {
    let mut state = model.initial();
    for (at, &input) in word.iter().enumerate() {
        match model.transition(state, input) {
            None => return &word[..at],
            Some(Transition { is_open: true, .. }) => return &word[..=at],
            Some(Transition { target, .. }) => state = target,
        }
    }
    word
}
