//! A machine as JSON.

use mealybug_core::{Input, Mealy};
use serde::Serialize;

use crate::machine::{Machine, Transition as Known};
use crate::modules::{Knows, Modules};

/// A model, as `mealybug show --format json` writes it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "Model"))]
pub(crate) struct Document<'a> {
    /// Whether the run that made it converged; null if that is not known.
    converged: Option<bool>,
    /// What must be said wherever the model is shown, such as why it did not converge.
    note: Option<&'a str>,
    /// The number of states. They are numbered from 0.
    states: u32,
    /// The initial state.
    initial: u32,
    /// The states that people have named; missing if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<JsonName<'a>>,
    /// The names of the inputs, in the order of the model.
    inputs: &'a [String],
    /// The names of the outputs, in the order of the model.
    outputs: &'a [String],
    /// All known transitions, by state and then by input.
    transitions: Vec<JsonTransition<'a>>,
    /// The transitions that were never asked; missing if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<JsonPlace<'a>>,
}

/// A state with a name.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Name"))]
struct JsonName<'a> {
    /// The state.
    state: u32,
    /// Its name.
    name: &'a str,
}

/// A known transition.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Transition"))]
struct JsonTransition<'a> {
    /// The state that it leaves.
    from: u32,
    /// The input.
    input: &'a str,
    /// The output.
    output: &'a str,
    /// The state to which it leads.
    to: u32,
    /// Whether that state is a guess; missing if it is none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    open: bool,
}

/// The modules of a model, as `mealybug show --modules --format json` writes them.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "Modules"))]
pub(crate) struct ModulesDocument<'a> {
    /// The number of states of the minimal model.
    states: u32,
    /// The modules, the smallest first; none if the model has one state.
    modules: Vec<JsonModule<'a>>,
    /// Inputs that have the same output in all states.
    constant: Vec<JsonConstant<'a>>,
}

/// A module.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Module"))]
struct JsonModule<'a> {
    /// Its name.
    name: &'a str,
    /// What it knows: the outputs after these inputs, these outputs, or these pairs of an input and an output.
    knows: &'a Knows,
    /// Inputs after which it has no output and which yet change its state.
    moved_by: &'a [String],
    /// Its machine. It ignores inputs that are not there.
    machine: Document<'a>,
}

/// An input that has the same output in all states.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Constant"))]
struct JsonConstant<'a> {
    /// The input.
    input: &'a str,
    /// The output.
    output: &'a str,
}

/// A transition that was never asked.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Unknown"))]
struct JsonPlace<'a> {
    /// The state that it leaves.
    from: u32,
    /// The input.
    input: &'a str,
}

/// Writes the machine as JSON: `states`, `initial`, `inputs`, `outputs`, and `transitions` with
/// `from`, `input`, `output` and `to`. `converged` and `note` tell how far to trust it. In a
/// partial machine, a transition whose target is a guess has `open: true`, and `unknown` lists
/// those that were never asked, with `from` and `input`. `names` has the states that people have named.
pub fn json(machine: &Machine, converged: Option<bool>, note: Option<&str>) -> String {
    text(&Document::new(machine, converged, note))
}

/// Writes the modules of a model as JSON: for each of them what it knows, and its machine.
pub fn modules_json(modules: &Modules, converged: Option<bool>, note: Option<&str>) -> String {
    let Modules { states, modules, constant } = modules;
    let modules = modules.iter().map(|module| JsonModule {
        name: &module.name,
        knows: &module.knows,
        moved_by: &module.moved_by,
        machine: Document::new(&module.machine, converged, note),
    });
    let constant = constant.iter().map(|(input, output)| JsonConstant { input, output });
    let (modules, constant) = (modules.collect(), constant.collect());
    text(&ModulesDocument { states: *states, modules, constant })
}

fn text(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("numbers, names and lists") + "\n"
}

impl<'a> Document<'a> {
    fn new(machine: &'a Machine, converged: Option<bool>, note: Option<&'a str>) -> Self {
        let transition = |(from, input, known): (u32, Input, Known)| JsonTransition {
            from,
            input: machine.input_name(input),
            output: machine.output_name(known.output),
            to: known.target,
            open: known.is_open,
        };
        let unknown = (0..machine.states()).flat_map(|from| {
            machine.unknown_inputs(from).map(move |input| JsonPlace { from, input })
        });
        let name = |state| Some(JsonName { state, name: machine.state_name(state)? });
        Self {
            converged,
            note,
            states: machine.states(),
            initial: machine.initial(),
            names: (0..machine.states()).filter_map(name).collect(),
            inputs: machine.inputs(),
            outputs: machine.outputs(),
            transitions: machine.transitions().map(transition).collect(),
            unknown: unknown.collect(),
        }
    }
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
