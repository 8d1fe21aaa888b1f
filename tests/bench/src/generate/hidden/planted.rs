//! The machine with a hidden behaviour, and the machine without it.

use mealybug::machine::{Machine, separate};
use mealybug_core::{Input, Mealy, Output};

use super::super::MAX_STATES;
use super::behaviour::Behaviour;
use super::meeting::symbols_to_meet;

/// The input that lets time pass.
const WAIT: &str = "wait";

/// What planted behaviours answer, after the outputs of the base.
const ANSWERS: [&str; 8] = ["locked", "open", "…", "ok", "bad", "other", "-", "wrapped"];

/// Places in [`ANSWERS`].
const LOCKED: u32 = 0;
const OPEN: u32 = 1;
const SWALLOWED: u32 = 2;
const OK: u32 = 3;
const BAD: u32 = 4;
const OTHER: u32 = 5;
const NOTHING: u32 = 6;
const WRAPPED: u32 = 7;

/// A machine with a hidden behaviour.
#[derive(Clone, Debug, PartialEq)]
pub struct Hidden {
    /// What is hidden.
    pub behaviour: Behaviour,
    /// The machine that has it, minimal.
    pub machine: Machine,
    /// The machine without it; for a time-out it has the input `wait`, which does nothing.
    pub plain: Machine,
    /// How many symbols of random words it takes until an output differs, on average.
    pub symbols_to_meet: f64,
}

/// Plants a behaviour into `base`; `None` if that changes nothing, or makes the machine too large.
///
/// # Panics
/// The base is partial.
pub fn plant(base: &Machine, behaviour: &Behaviour) -> Option<Hidden> {
    let waits = matches!(behaviour, Behaviour::TimeOut { .. });
    let mut inputs = base.inputs().to_vec();
    inputs.extend(waits.then(|| WAIT.to_owned()));
    let outputs = [base.outputs(), &ANSWERS.map(str::to_owned)].concat();
    let explore = |behaviour: Option<&Behaviour>| {
        let planted = Planted { base, behaviour, inputs: inputs.len() };
        let machine = Machine::explore(&planted, &inputs, &outputs, MAX_STATES).ok()?;
        Some(machine.minimise())
    };
    let (machine, plain) = (explore(Some(behaviour))?, explore(None)?);
    separate(&plain, &machine).ok()??;
    let symbols_to_meet = symbols_to_meet(&plain, &machine)?;
    Some(Hidden { behaviour: behaviour.clone(), machine, plain, symbols_to_meet })
}

/// A base with a behaviour, or with none but the input `wait`.
struct Planted<'a> {
    base: &'a Machine,
    behaviour: Option<&'a Behaviour>,
    inputs: usize,
}

impl Mealy for Planted<'_> {
    /// The state of the base and that of the behaviour: a counter, and the last inputs or a sum.
    type State = (u32, u32, u32);

    fn inputs(&self) -> u32 {
        u32::try_from(self.inputs).expect("the base has fewer")
    }

    fn initial(&self) -> Self::State {
        (Mealy::initial(self.base), 0, 0)
    }

    fn step(&self, state: &mut Self::State, input: Input) -> Option<Output> {
        let answer = |place: u32| {
            let known =
                u32::try_from(self.base.outputs().len()).expect("outputs are numbered by u32");
            Some(Output::new(known + place))
        };
        let (at, counter, memory) = state;
        if input.index() == Mealy::inputs(self.base) {
            let Some(Behaviour::TimeOut { state }) = self.behaviour else { return answer(NOTHING) };
            if at == state {
                *at = Mealy::initial(self.base);
            }
            return answer(NOTHING);
        }
        let before = *at;
        match self.behaviour {
            None | Some(Behaviour::TimeOut { .. }) => Mealy::step(self.base, at, input),
            Some(Behaviour::Counter { input: counted, count, in_a_row }) => {
                if *counter == *count {
                    return answer(LOCKED);
                }
                if input == *counted {
                    *counter += 1;
                } else if *in_a_row {
                    *counter = 0;
                }
                Mealy::step(self.base, at, input)
            }
            Some(Behaviour::Unlock { word, strict }) => {
                let output = Mealy::step(self.base, at, input);
                *counter = progress(word, *counter, input, *strict);
                if *counter as usize == word.len() {
                    *counter = 0;
                    return answer(OPEN);
                }
                output
            }
            Some(Behaviour::Payload { command, length }) => {
                if *counter > 0 {
                    *counter -= 1;
                    *memory = (*memory + input.index()) % 2;
                    if *counter > 0 {
                        return answer(SWALLOWED);
                    }
                    return answer(if std::mem::take(memory) == 0 { OK } else { BAD });
                }
                if input == *command {
                    *counter = *length;
                }
                Mealy::step(self.base, at, input)
            }
            Some(Behaviour::Mode { state, by, tell }) => {
                let output = Mealy::step(self.base, at, input);
                let is_second = *counter == 1;
                *memory = progress(tell, *memory, input, true);
                let is_told = *memory as usize == tell.len();
                if is_told {
                    *memory = 0;
                }
                if before == *state && input == *by {
                    *counter = 1 - *counter;
                }
                if is_second && is_told { answer(OTHER) } else { output }
            }
            Some(Behaviour::Wrap { input: counted, period }) => {
                let output = Mealy::step(self.base, at, input);
                if input != *counted {
                    return output;
                }
                *counter = (*counter + 1) % period;
                if *counter == 0 { answer(WRAPPED) } else { output }
            }
            Some(Behaviour::Wrong { state, input: wrong, target }) => {
                let output = Mealy::step(self.base, at, input);
                if before == *state && input == *wrong {
                    *at = *target;
                }
                output
            }
        }
    }
}

/// How much of `word` was given, after `input`: the longest beginning of it that the inputs end with if `strict`;
/// otherwise a wrong input changes nothing.
fn progress(word: &[Input], done: u32, input: Input, strict: bool) -> u32 {
    let done = done as usize;
    let reached = if word[done] == input {
        done + 1
    } else if strict {
        let given = |at: usize| if at < done { word[at] } else { input };
        (1..=done)
            .rev()
            .find(|&len| (0..len).all(|at| word[at] == given(done + 1 - len + at)))
            .unwrap_or(0)
    } else {
        done
    };
    u32::try_from(reached).expect("words are short")
}

#[cfg(test)]
mod tests {
    use super::super::random_base;
    use super::*;

    fn said<'m>(machine: &'m Machine, word: &[Input]) -> Vec<&'m str> {
        let mut state = Mealy::initial(machine);
        let mut say = |&input| {
            let (to, output) = machine.expect_transition(state, input);
            state = to;
            machine.output_name(output)
        };
        word.iter().map(&mut say).collect()
    }

    #[test]
    fn a_counter_locks_after_its_count_and_another_input_sets_it_back() {
        let base = random_base(1);
        let [a, b] = [0, 1].map(Input::new);
        let behaviour = Behaviour::Counter { input: a, count: 3, in_a_row: true };
        let hidden = plant(&base, &behaviour).expect("it shows");
        assert_ne!(said(&hidden.machine, &[a, a, b, a, a, b])[5], "locked");
        assert_eq!(said(&hidden.machine, &[b, a, a, a, b, a])[4..], ["locked"; 2]);
    }

    #[test]
    fn a_payload_is_swallowed_and_checked() {
        let base = random_base(2);
        let [a, b] = [0, 1].map(Input::new);
        let hidden = plant(&base, &Behaviour::Payload { command: a, length: 2 }).expect("it shows");
        assert_eq!(said(&hidden.machine, &[a, b, b])[1..], ["…", "ok"]);
        assert_eq!(said(&hidden.machine, &[a, a, b])[1..], ["…", "bad"]);
    }

    #[test]
    fn a_sequence_opens_whatever_stands_before_it() {
        let base = random_base(3);
        let [a, b] = [0, 1].map(Input::new);
        let word = vec![a, a, b];
        let strict = Behaviour::Unlock { word: word.clone(), strict: true };
        let strict = plant(&base, &strict).expect("it shows").machine;
        assert_eq!(said(&strict, &[a, a, a, b])[3], "open");
        assert_ne!(said(&strict, &[a, b, a, b])[3], "open");
        let forgiving = Behaviour::Unlock { word, strict: false };
        let forgiving = plant(&base, &forgiving).expect("it shows").machine;
        assert_eq!(said(&forgiving, &[a, Input::new(2), a, a, b])[4], "open");
    }
}
