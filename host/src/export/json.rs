//! A machine as JSON.

use mealybug_core::{Input, Mealy};
use serde::Serialize;

use crate::machine::{Machine, Transition as Known};

/// The JSON document of a machine.
#[derive(Serialize)]
struct Document<'a> {
    /// Whether the run that made it converged; `None` if that is not known.
    converged: Option<bool>,
    /// A note about the machine.
    note: Option<&'a str>,
    states: u32,
    initial: u32,
    inputs: &'a [String],
    outputs: &'a [String],
    /// All known transitions, by state and then by input.
    transitions: Vec<JsonTransition<'a>>,
    /// The transitions that are unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<JsonPlace<'a>>,
}

#[derive(Serialize)]
struct JsonTransition<'a> {
    from: u32,
    input: &'a str,
    output: &'a str,
    to: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    open: bool,
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    from: u32,
    input: &'a str,
}

/// Writes the machine as JSON: `states`, `initial`, `inputs`, `outputs`, and `transitions` with
/// `from`, `input`, `output` and `to`. `converged` and `note` tell how far to trust it. In a
/// partial machine, a transition whose target is a guess has `open: true`, and `unknown` lists
/// those that were never asked, with `from` and `input`.
pub fn json(machine: &Machine, converged: Option<bool>, note: Option<&str>) -> String {
    let transition = |(from, input, known): (u32, Input, Known)| JsonTransition {
        from,
        input: machine.input_name(input),
        output: machine.output_name(known.output),
        to: known.target,
        open: known.is_open,
    };
    let unknown = (0..machine.states())
        .flat_map(|from| machine.unknown_inputs(from).map(move |input| JsonPlace { from, input }));
    let document = Document {
        converged,
        note,
        states: machine.states(),
        initial: machine.initial(),
        inputs: machine.inputs(),
        outputs: machine.outputs(),
        transitions: machine.transitions().map(transition).collect(),
        unknown: unknown.collect(),
    };
    serde_json::to_string_pretty(&document).expect("numbers, names and lists") + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::machine::testing::{Random, partial, random};
    use crate::machine::{Builder, separate};

    #[test]
    fn what_is_written_reads_as_the_same_machine() {
        let mut source = Random::new(21);
        for make in [random, partial].into_iter().cycle().take(100) {
            let machine = make(&mut source, 9, 3, 4);
            let text = json(&machine, Some(false), Some("a \"note\""));
            let value: Value = serde_json::from_str(&text).expect("JSON");
            let mut builder = Builder::default();
            for transition in value["transitions"].as_array().expect("a list") {
                let number = |key: &str| {
                    u32::try_from(transition[key].as_u64().expect("a number")).expect("small")
                };
                let name = |key: &str| transition[key].as_str().expect("a name");
                let (from, to) = (number("from"), number("to"));
                let is_open = transition.get("open").is_some_and(|open| open == true);
                builder.add_as(from, name("input"), to, name("output"), is_open).expect("new");
            }
            let mut unknown: Vec<(u32, &str)> = Vec::new();
            for place in value.get("unknown").and_then(Value::as_array).into_iter().flatten() {
                let from = u32::try_from(place["from"].as_u64().expect("a number")).expect("small");
                unknown.push((from, place["input"].as_str().expect("a name")));
            }
            assert_eq!(value.get("unknown").is_some(), machine.gaps().unknown > 0);
            let is_known = |&(from, input): &(u32, &str)| {
                machine.transition(from, machine.find_input(input).expect("an input")).is_some()
            };
            assert_eq!(unknown.len() as u64, machine.gaps().unknown);
            assert!(!unknown.iter().any(is_known));
            let initial = value["initial"].as_u64().and_then(|state| u32::try_from(state).ok());
            let again = builder.build_partial(initial.expect("a state"));
            if again.inputs().len() == machine.inputs().len() {
                assert_eq!(separate(&machine, &again), Ok(None));
            }
            assert_eq!(again.gaps().open, machine.gaps().open);
            assert_eq!(value["note"], "a \"note\"");
            assert_eq!(value["converged"], false);
        }
    }
}
