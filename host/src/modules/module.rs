//! One module of a model.

use std::collections::BTreeSet;

use mealybug_core::{Input, Mealy, Output};
use serde::{Deserialize, Serialize};

use super::classes::Classes;
use super::pairs::IoPair;
use crate::export::shown;
use crate::machine::{Builder, Machine, ProductComponent, Transition};

/// One of the machines that a model consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name: what it knows, shortened.
    pub name: String,
    /// What it knows.
    pub knows: Knows,
    /// Inputs after which it has no output and which yet change its state.
    pub moved_by: Vec<String>,
    /// Its machine, with all inputs of the model. It has the outputs of its pairs.
    pub component: ProductComponent,
    /// The same machine for people. Inputs that it ignores are left out.
    pub machine: Machine,
}

/// The pairs of an input and an output that a module knows, by names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Knows {
    /// All outputs after these inputs.
    Inputs(Vec<String>),
    /// These outputs, after all inputs.
    Outputs(Vec<String>),
    /// These pairs.
    Pairs(Vec<(String, String)>),
}

impl Module {
    /// The module of `model` that knows `own`, of all pairs of inputs with several outputs. It has a
    /// state for each class.
    pub(super) fn new(
        model: &Machine,
        all: &[IoPair],
        own: &BTreeSet<IoPair>,
        classes: &Classes,
    ) -> Self {
        let component = component(model, own, classes);
        let is_moved = |input: Input| {
            let target = |state| component.transition(state, input).map(|known| known.target);
            (0..component.states()).any(|state| target(state) != Some(state))
        };
        let is_known = |input: Input| own.iter().any(|pair| pair.input == input);
        let inputs = || (0..Mealy::inputs(model)).map(Input::new);
        let moved_by = inputs().filter(|&input| is_moved(input) && !is_known(input));
        let name = |input: Input| model.input_name(input).to_owned();
        let moved_by = moved_by.map(name).collect();
        let uses: Vec<_> = inputs().filter(|&input| is_known(input) || is_moved(input)).collect();
        let knows = Knows::new(model, all, own);
        let machine = machine(model, &component, &uses);
        Self { name: knows.name(), knows, moved_by, component, machine }
    }

    /// The number of states.
    pub fn states(&self) -> u32 {
        self.component.states()
    }

    /// Its size and what it knows, such as `2 states; inputs: light`.
    pub fn facts(&self) -> String {
        let (what, items) = match &self.knows {
            Knows::Inputs(inputs) => ("inputs", names(inputs)),
            Knows::Outputs(outputs) => ("outputs", names(outputs)),
            Knows::Pairs(_) => ("inputs with outputs", self.knows.items()),
        };
        let mut text = format!("{} states; {what}: {}", self.states(), listed(&items));
        if !self.moved_by.is_empty() {
            text += &format!("; moved also by: {}", listed(&names(&self.moved_by)));
        }
        text
    }
}

/// A state for each class of states of the model.
fn component(model: &Machine, own: &BTreeSet<IoPair>, classes: &Classes) -> ProductComponent {
    let mut members = vec![0; classes.count() as usize];
    for (&class, state) in classes.of().iter().zip(0..) {
        members[class as usize] = state;
    }
    let inputs = || (0..Mealy::inputs(model)).map(Input::new);
    let table = members.iter().flat_map(|&state| {
        inputs().map(move |input| {
            let (target, output) = model.expect_transition(state, input);
            let output = Some(output).filter(|&output| own.contains(&IoPair { input, output }));
            Some(Transition { target: classes.of()[target as usize], output, is_open: false })
        })
    });
    let initial = classes.of()[Mealy::initial(model) as usize];
    ProductComponent::partial(Mealy::inputs(model), initial, table.collect()).renumbered()
}

/// The machine of a component with some of its inputs.
fn machine(model: &Machine, component: &ProductComponent, inputs: &[Input]) -> Machine {
    let all = component.named(model.inputs(), model.outputs());
    let mut machine = Builder::default();
    for (from, input, Transition { target, output, .. }) in all.transitions() {
        if inputs.contains(&input) {
            let (input, output) = (all.input_name(input), all.output_name(output));
            machine.add(from, input, target, output).expect("each transition is added once");
        }
    }
    machine.build_partial(component.initial())
}

impl Knows {
    fn new(model: &Machine, all: &[IoPair], own: &BTreeSet<IoPair>) -> Self {
        let inputs: BTreeSet<Input> = own.iter().map(|pair| pair.input).collect();
        let outputs: BTreeSet<Output> = own.iter().map(|pair| pair.output).collect();
        let input = |input: &Input| model.input_name(*input).to_owned();
        let output = |output: &Output| model.output_name(*output).to_owned();
        let count = |is_in: &dyn Fn(&IoPair) -> bool| all.iter().filter(|pair| is_in(pair)).count();
        if count(&|pair| inputs.contains(&pair.input)) == own.len() {
            Self::Inputs(inputs.iter().map(input).collect())
        } else if count(&|pair| outputs.contains(&pair.output)) == own.len() {
            Self::Outputs(outputs.iter().map(output).collect())
        } else {
            Self::Pairs(own.iter().map(|pair| (input(&pair.input), output(&pair.output))).collect())
        }
    }

    /// The inputs, the outputs, or the pairs as `input/output`.
    pub(super) fn items(&self) -> Vec<String> {
        match self {
            Self::Inputs(names) | Self::Outputs(names) => names.clone(),
            Self::Pairs(pairs) => {
                pairs.iter().map(|(input, output)| format!("{input}/{output}")).collect()
            }
        }
    }

    /// What several names have in common, such as `led` of `led_on` and `led_off`; or else the
    /// first names.
    fn name(&self) -> String {
        let items = self.items();
        if let Some(common) = common_word(&items) {
            return common.to_owned();
        }
        let mut name = String::new();
        for (at, item) in items.iter().enumerate() {
            if at > 0 && name.chars().count() + item.chars().count() > MAX_NAME {
                return name + ",…";
            }
            name += if at > 0 { "," } else { "" };
            name += item;
        }
        name
    }
}

/// The maximum number of inputs, outputs or pairs in a list.
const LISTED: usize = 12;

fn names(names: &[String]) -> Vec<String> {
    names.iter().map(|name| shown(name).to_owned()).collect()
}

/// Items separated by commas, or the first ones and how many more there are.
pub(super) fn listed(items: &[String]) -> String {
    let text = items[..items.len().min(LISTED)].join(", ");
    match items.len().saturating_sub(LISTED) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// About the greatest length of a name, in characters.
const MAX_NAME: usize = 24;

/// The words with which all of several names begin, of at least two characters.
fn common_word(names: &[String]) -> Option<&str> {
    let [first, others @ ..] = names else { return None };
    let is_common = |word: &&str| {
        let follows = |name: &String| {
            let rest = name.strip_prefix(word)?;
            rest.starts_with(|next: char| !next.is_alphanumeric()).then_some(())
        };
        word.chars().count() > 1
            && word.ends_with(char::is_alphanumeric)
            && names.iter().all(|name| follows(name).is_some())
    };
    let words = first.char_indices().rev().map(|(at, _)| &first[..at]);
    words.filter(|_| !others.is_empty()).find(is_common)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_after_what_it_knows() {
        let name =
            |names: &[&str]| Knows::Inputs(names.iter().map(ToString::to_string).collect()).name();
        assert_eq!(name(&["light"]), "light");
        assert_eq!(name(&["1", "2", "enter"]), "1,2,enter");
        assert_eq!(name(&["led_on", "led_off"]), "led");
        assert_eq!(name(&["AT+CREG?", "AT+CREG=1"]), "AT+CREG");
        assert_eq!(name(&["lead", "led"]), "lead,led", "no whole word");
        assert_eq!(name(&["a-1", "a-2"]), "a-1,a-2", "one letter says nothing");
        let many = ["first", "second", "third", "fourth", "fifth"];
        assert_eq!(name(&many), "first,second,third,fourth,…");
        let pairs = vec![("go".to_owned(), "on".to_owned()), ("stop".to_owned(), "off".to_owned())];
        assert_eq!(Knows::Pairs(pairs).name(), "go/on,stop/off");
    }
}
