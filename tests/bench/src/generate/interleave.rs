//! Machines side by side, each with its own inputs.

use std::collections::HashMap;

use mealybug::machine::{Builder, Machine};
use mealybug_core::{Input, Mealy};

use super::{GenerateError, MAX_STATES};

/// What separates the outputs of machines that answer one input together.
const SEPARATOR: &str = ",";

/// The machine that takes each input to all parts that have it; the others stay where they are.
///
/// An input that several parts have moves them all. Its output names what they say in their order, each
/// thing once: `on` if both say `on`, `on,off` otherwise. So are the benchmarks of Labbaf et al. made.
///
/// Inputs stand in the order of the parts. Only what can be reached is there.
///
/// # Errors
/// It has more than [`MAX_STATES`] states.
///
/// # Panics
/// There are no parts, or they have no inputs, or one of them is partial.
pub fn interleave(parts: &[Machine]) -> Result<Machine, GenerateError> {
    bounded(parts, MAX_STATES)
}

/// The same machines, with inputs that begin with their numbers: `1.press` is the `press` of the first.
#[must_use]
pub fn prefixed(parts: &[Machine]) -> Vec<Machine> {
    let prefixed = |(part, number): (&Machine, u32)| {
        let mut builder = Builder::default();
        for (from, input, to, output) in part.named_transitions() {
            let input = format!("{number}.{input}");
            builder.add(from, &input, to, output).expect("each transition is added once");
        }
        builder.build_partial(part.initial())
    };
    parts.iter().zip(1..).map(prefixed).collect()
}

fn bounded(parts: &[Machine], max_states: u32) -> Result<Machine, GenerateError> {
    let inputs = inputs(parts);
    assert!(!inputs.is_empty(), "there is an input");
    let mut builder = Builder::default();
    let initial: Vec<u32> = parts.iter().map(Mealy::initial).collect();
    let mut found = vec![initial.clone()];
    let mut numbers = HashMap::from([(initial, 0)]);
    for from in 0..max_states {
        let Some(state) = found.get(from as usize).cloned() else { break };
        for (name, takers) in &inputs {
            let (next, output) = step(parts, &state, takers);
            let new = u32::try_from(found.len()).expect("there are at most as many as allowed");
            let to = *numbers.entry(next).or_insert_with_key(|next| {
                found.push(next.clone());
                new
            });
            if to >= max_states {
                let parts = parts.iter().map(Machine::states).collect();
                return Err(GenerateError::TooManyStates { parts, max_states });
            }
            builder.add(from, name, to, &output).expect("each transition is added once");
        }
    }
    Ok(builder.build(0).expect("each state has each input"))
}

/// Which parts have an input, and which it is there.
type Takers = Vec<(usize, Input)>;

/// All inputs, each once.
fn inputs(parts: &[Machine]) -> Vec<(&str, Takers)> {
    let mut inputs: Vec<(&str, Takers)> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        for name in part.inputs() {
            let taker = (at, part.find_input(name).expect("the part has its inputs"));
            match inputs.iter_mut().find(|(known, _)| known == name) {
                Some((_, takers)) => takers.push(taker),
                None => inputs.push((name, vec![taker])),
            }
        }
    }
    inputs
}

/// Where an input leads, and what is said.
fn step(parts: &[Machine], state: &[u32], takers: &Takers) -> (Vec<u32>, String) {
    let mut next = state.to_vec();
    let mut said: Vec<&str> = Vec::new();
    for &(at, input) in takers {
        let (to, output) = parts[at].expect_transition(state[at], input);
        next[at] = to;
        let output = parts[at].output_name(output);
        if !said.contains(&output) {
            said.push(output);
        }
    }
    (next, said.join(SEPARATOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A light with a switch of its own, and one that all lights have.
    fn light(name: &str) -> Machine {
        let mut builder = Builder::default();
        for (from, input, to, output) in [
            (0, name, 1, "on"),
            (1, name, 0, "off"),
            (0, "all off", 0, "-"),
            (1, "all off", 0, "off"),
        ] {
            builder.add(from, input, to, output).expect("a new transition");
        }
        builder.build(0).expect("each state has each input")
    }

    fn say<'a>(machine: &'a Machine, word: &[&str]) -> Vec<&'a str> {
        let mut state = Mealy::initial(machine);
        word.iter()
            .map(|name| {
                let input = machine.find_input(name).expect("it has this input");
                let (to, output) = machine.expect_transition(state, input);
                state = to;
                machine.output_name(output)
            })
            .collect()
    }

    #[test]
    fn an_input_moves_the_parts_that_have_it_and_no_other() {
        let two = interleave(&["hall", "attic"].map(light)).expect("it is small");
        assert_eq!(two.inputs(), ["hall", "all off", "attic"]);
        assert_eq!(two.states(), 4);
        let word = ["hall", "attic", "hall", "all off", "all off", "hall", "attic", "all off"];
        let said = ["on", "on", "off", "-,off", "-", "on", "on", "off"];
        assert_eq!(say(&two, &word), said);
    }

    #[test]
    fn a_prefix_keeps_inputs_of_the_same_name_apart() {
        let two = interleave(&prefixed(&["hall", "hall"].map(light))).expect("it is small");
        assert_eq!(two.inputs(), ["1.hall", "1.all off", "2.hall", "2.all off"]);
        let said = say(&two, &["1.hall", "2.all off", "1.all off"]);
        assert_eq!(said, ["on", "-", "off"]);
    }

    #[test]
    fn three_parts_say_each_thing_once_in_their_order() {
        let three = interleave(&["hall", "attic", "cellar"].map(light)).expect("it is small");
        assert_eq!(say(&three, &["attic", "all off"]), ["on", "-,off"]);
        assert_eq!(say(&three, &["hall", "all off"]), ["on", "off,-"]);
    }

    #[test]
    fn one_part_is_itself() {
        let one = interleave(&[light("hall")]).expect("it is small");
        assert_eq!(one.minimise(), light("hall").minimise());
    }

    #[test]
    fn the_bound_is_exact() {
        let parts = ["hall", "attic", "cellar"].map(light);
        assert_eq!(bounded(&parts, 8).expect("eight states").states(), 8);
        let refused = GenerateError::TooManyStates { parts: vec![2; 3], max_states: 7 };
        assert_eq!(bounded(&parts, 7), Err(refused));
    }
}
