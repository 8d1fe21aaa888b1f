//! Tests of a partial model.

use std::borrow::Cow;

use mealybug_core::{Input, Mealy};

use crate::machine::{Builder, Machine, Transition};

/// What the model is said to answer where it does not know.
const UNKNOWN: &str = "unknown";

/// A complete machine to make tests of: the model where it is confirmed throughout. Else there is one more
/// state behind its end, which says another output than any that it knows and is never left.
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

/// The part of a word that the model can judge: up to what it does not know, or the first guess.
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
