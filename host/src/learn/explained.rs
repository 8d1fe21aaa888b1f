//! How well a hypothesis explains the answers that its session keeps.

use std::collections::HashMap;

use mealybug_core::{Knowledge, KnownAnswer, Mealy};

use super::session::HostSession;

/// The answers that the hypothesis of a session explains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Explained {
    /// The number of answers that it gives, and to all beginnings of their words.
    pub(super) answers: u64,
    /// Whether it gives another answer to a word through confirmed transitions.
    pub(super) is_contradicted: bool,
}

/// The state after a word that the hypothesis explains.
#[derive(Clone, Copy)]
struct StateAfter {
    /// The number of the state.
    state: usize,
    /// Whether it is certain: no transition on the way is a guess.
    is_confirmed: bool,
}

impl Explained {
    /// Those of the last hypothesis; none without one.
    pub(super) fn new(session: &HostSession) -> Self {
        let Some(hypothesis) = session.hypothesis() else { return Self::default() };
        let initial: Vec<_> = hypothesis.components().map(|c| c.initial()).collect();
        let mut numbers = HashMap::from([(initial.clone(), 0)]);
        let mut states = vec![initial];
        // What the hypothesis does after each word, by the number of its answer.
        let mut after = vec![Some(StateAfter { state: 0, is_confirmed: true })];
        let mut explained = Self::default();
        for KnownAnswer { before, input, output } in session.known_answers() {
            let before = after.get(before as usize).copied().flatten();
            let next = before.and_then(|StateAfter { state, is_confirmed }| {
                let mut state = states[state].clone();
                let knowledge = hypothesis.knowledge(&state, input);
                if knowledge == Knowledge::Unknown {
                    return None;
                }
                if hypothesis.step(&mut state, input) != Ok(output) {
                    explained.is_contradicted |= is_confirmed;
                    return None;
                }
                explained.answers += 1;
                let number = *numbers.entry(state).or_insert_with_key(|state| {
                    states.push(state.clone());
                    states.len() - 1
                });
                let is_confirmed = is_confirmed && knowledge == Knowledge::Confirmed;
                Some(StateAfter { state: number, is_confirmed })
            });
            after.push(next);
        }
        explained
    }
}
