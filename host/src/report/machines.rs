//! The machines of a page, as data for its script.

use std::collections::{BTreeMap, HashMap};

use maud::{Markup, PreEscaped, html};
use mealybug_core::{Input, Mealy};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::escape::is_not_markup;
use crate::machine::{Machine, Overlay};
use crate::short_names::ShortNames;

/// The most transitions in a page: about 6 MB.
const MAX_TRANSITIONS: usize = 1 << 19;

/// A longer name is shortened in the tables of a page, to this number of columns.
const SHORT_NAME: usize = 30;

/// The machines that the script of a page knows.
#[derive(Debug, Default, Serialize)]
pub(super) struct Machines {
    /// The names of all inputs and outputs, each once: a name may be long, and components share theirs.
    names: Vec<String>,
    machines: Vec<MachineRecord>,
    /// Of two machines that are compared, the states in the picture: the number in each of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlay: Option<Vec<[Option<u32>; 2]>>,
    #[serde(skip)]
    numbers: HashMap<String, usize>,
    #[serde(skip)]
    transitions: usize,
}

/// The data as the script reads it.
#[derive(Serialize)]
struct MachinesData<'m> {
    #[serde(flatten)]
    machines: &'m Machines,
    short: BTreeMap<usize, String>,
}

/// What a machine is on its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum MachineKind {
    /// A model: the one, or one of two that are compared.
    Model,
    /// A module of the model.
    Module,
    /// A component of the model.
    Component,
}

/// A machine. Rows are states, columns inputs.
#[derive(Debug, Serialize)]
struct MachineRecord {
    kind: MachineKind,
    title: String,
    /// Numbers of names.
    inputs: Vec<usize>,
    /// Numbers of names.
    outputs: Vec<usize>,
    initial: u32,
    states: u32,
    /// The states that people have named.
    called: BTreeMap<u32, String>,
    /// The target of each transition, row by row; -1 if it was never asked.
    next: Vec<i64>,
    /// The output of each transition.
    said: Vec<u32>,
    /// The transitions whose target is a guess.
    open: Vec<usize>,
}

impl Machines {
    /// Adds a machine. Returns its number, or `None` if the page would become too large.
    pub(super) fn add(
        &mut self,
        kind: MachineKind,
        title: &str,
        machine: &Machine,
    ) -> Option<usize> {
        let transitions = machine.states() as usize * machine.inputs().len();
        if self.transitions + transitions > MAX_TRANSITIONS {
            return None;
        }
        self.transitions += transitions;
        let mut record = MachineRecord {
            kind,
            title: title.to_owned(),
            inputs: machine.inputs().iter().map(|name| self.number(name)).collect(),
            outputs: machine.outputs().iter().map(|name| self.number(name)).collect(),
            initial: machine.initial(),
            states: machine.states(),
            called: (0..machine.states())
                .filter_map(|state| Some((state, machine.state_name(state)?.to_owned())))
                .collect(),
            next: Vec::with_capacity(transitions),
            said: Vec::with_capacity(transitions),
            open: Vec::new(),
        };
        for state in 0..machine.states() {
            for input in (0..Mealy::inputs(machine)).map(Input::new) {
                let known = machine.transition(state, input);
                if known.is_some_and(|known| known.is_open) {
                    record.open.push(record.next.len());
                }
                record.next.push(known.map_or(-1, |known| known.target.into()));
                record.said.push(known.map_or(0, |known| known.output.index()));
            }
        }
        self.machines.push(record);
        Some(self.machines.len() - 1)
    }

    /// Whether there is no machine yet.
    pub(super) fn is_empty(&self) -> bool {
        self.machines.is_empty()
    }

    /// The first two machines are compared.
    pub(super) fn compare(&mut self, overlay: &Overlay) {
        self.overlay = Some(overlay.states.clone());
    }

    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// The short forms of long names, each with the number of its name. Different names have different forms.
    fn short(&self) -> BTreeMap<usize, String> {
        let names = || self.names.iter().map(String::as_str);
        let short = ShortNames::new(names(), &[SHORT_NAME]);
        let is_long = |(_, name): &(usize, &str)| name.width() > SHORT_NAME;
        let long = names().enumerate().filter(is_long);
        long.map(|(number, name)| (number, short.form(name, SHORT_NAME))).collect()
    }

    /// The element with the data.
    pub(super) fn element(&self) -> Markup {
        let data = MachinesData { machines: self, short: self.short() };
        let json = serde_json::to_string(&data).expect("numbers and names");
        html! { script type="application/json" id="machines" { (PreEscaped(in_element(&json))) } }
    }
}

/// JSON that can stand in an element of HTML: nothing in it ends or begins an element, and no character is one that HTML
/// or a reader takes for something else. Such characters occur in strings only, where each has an escape.
fn in_element(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, '<' | '>' | '&') || is_not_markup(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;
    use crate::machine::Builder;

    const HOSTILE: [&str; 6] = [
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "\u{2028}\u{2029}\u{202e}\u{ffff}",
        "\"]}'\\\n\r\0",
        "&lt;img src=x onerror=alert(1)>",
        "𝄞 ö 開",
    ];

    #[test]
    fn hostile_names_come_back_and_leave_no_element() {
        let mut builder = Builder::default();
        for (at, name) in (0..).zip(HOSTILE) {
            builder.add(0, name, at, HOSTILE[HOSTILE.len() - 1 - at as usize]).expect("new");
        }
        builder.add_open(5, HOSTILE[0], 1, "guess").expect("new");
        let machine = builder.build_partial(0);
        let mut machines = Machines::default();
        assert_eq!(machines.add(MachineKind::Model, HOSTILE[0], &machine), Some(0));
        assert_eq!(machines.add(MachineKind::Component, "again", &machine), Some(1));
        let element = machines.element().into_string();
        let json = element.strip_prefix("<script type=\"application/json\" id=\"machines\">");
        let json = json.and_then(|rest| rest.strip_suffix("</script>")).expect("an element");
        assert!(!json.contains(|c| matches!(c, '<' | '>' | '&') || is_not_markup(c)), "{json}");
        let value: Value = serde_json::from_str(json).expect("JSON");
        let names = value["names"].as_array().expect("a list");
        assert_eq!(names.len(), HOSTILE.len() + 1, "each once");
        assert!(HOSTILE.iter().all(|name| names.iter().any(|other| other == name)));
        let model = &value["machines"][0];
        assert_eq!(model["title"], HOSTILE[0]);
        assert_eq!(model["open"], serde_json::json!([30]));
        assert_eq!(model["next"][30], 1);
        assert_eq!(model["next"][31], -1, "never asked");
    }

    #[test]
    fn long_outputs_that_differ_have_short_forms_that_differ() {
        let begin = "16.8MB Sector size (logical/physical): 512B ".repeat(3);
        let outputs = ["gpt", "msdos", "loop"].map(|disk| format!("{begin}{disk} {begin}"));
        let mut builder = Builder::default();
        for (state, output) in (0..).zip(&outputs) {
            builder.add(state, "print", (state + 1) % 3, output).expect("new");
        }
        let mut machines = Machines::default();
        machines.add(MachineKind::Model, "disk", &builder.build(0).expect("complete"));
        let short = machines.short();
        assert!(short.keys().all(|&name| outputs.contains(&machines.names[name])), "{short:?}");
        let forms: HashSet<_> = short.values().collect();
        assert_eq!(forms.len(), outputs.len(), "{short:?}");
        assert!(forms.iter().all(|form| form.width() <= SHORT_NAME), "{short:?}");
        assert!(machines.element().into_string().contains("\"short\":{\"1\":\"16.8MB"));
    }

    #[test]
    fn what_is_too_large_is_left_out() {
        let mut builder = Builder::default();
        for input in 0..1024 {
            builder.add(0, &input.to_string(), 511, "o").expect("new");
        }
        let machine = builder.build_partial(0);
        assert_eq!(machine.states() as usize * machine.inputs().len(), MAX_TRANSITIONS);
        let mut machines = Machines::default();
        assert_eq!(machines.add(MachineKind::Model, "fits", &machine), Some(0));
        let mut one = Builder::default();
        one.add(0, "a", 0, "o").expect("new");
        assert_eq!(machines.add(MachineKind::Module, "no room", &one.build_partial(0)), None);
        assert_eq!(machines.machines.len(), 1, "nothing else has changed");
    }
}
