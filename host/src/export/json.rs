//! A machine for programs that read JSON.

use mealybug_core::Mealy;
use serde::Serialize;

use crate::machine::Machine;

/// All of a machine.
#[derive(Serialize)]
struct Document<'a> {
    /// Whether the run that made it converged; none if that is not known.
    converged: Option<bool>,
    /// What is to be known about it.
    note: Option<&'a str>,
    states: u32,
    initial: u32,
    inputs: &'a [String],
    outputs: &'a [String],
    /// State by state and input by input.
    transitions: Vec<Transition<'a>>,
}

#[derive(Serialize)]
struct Transition<'a> {
    from: u32,
    input: &'a str,
    output: &'a str,
    to: u32,
}

/// The machine as JSON: `states`, `initial`, `inputs`, `outputs`, and `transitions` with `from`,
/// `input`, `output` and `to`; `converged` and `note` say whether the run that made it trusts it.
pub fn json(machine: &Machine, converged: Option<bool>, note: Option<&str>) -> String {
    let transition = |(from, input, to, output)| Transition { from, input, output, to };
    let document = Document {
        converged,
        note,
        states: machine.states(),
        initial: machine.initial(),
        inputs: machine.inputs(),
        outputs: machine.outputs(),
        transitions: machine.named_transitions().map(transition).collect(),
    };
    serde_json::to_string_pretty(&document).expect("numbers, names and lists") + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::machine::testing::{Random, random};
    use crate::machine::{Builder, separate};

    #[test]
    fn what_is_written_reads_as_the_same_machine() {
        let mut source = Random::new(21);
        for _ in 0..50 {
            let machine = random(&mut source, 9, 3, 4);
            let text = json(&machine, Some(false), Some("a \"note\""));
            let value: Value = serde_json::from_str(&text).expect("JSON");
            let mut builder = Builder::default();
            for transition in value["transitions"].as_array().expect("a list") {
                let number = |key: &str| {
                    u32::try_from(transition[key].as_u64().expect("a number")).expect("small")
                };
                let name = |key: &str| transition[key].as_str().expect("a name");
                let (from, to) = (number("from"), number("to"));
                builder.add(from, name("input"), to, name("output")).expect("new");
            }
            let initial = value["initial"].as_u64().and_then(|state| u32::try_from(state).ok());
            let again = builder.build(initial.expect("a state")).expect("complete");
            assert_eq!(separate(&machine, &again), Ok(None));
            assert_eq!(again.states(), machine.states());
            assert_eq!(value["note"], "a \"note\"");
            assert_eq!(value["converged"], false);
        }
    }
}
