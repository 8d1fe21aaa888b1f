//! The model, its components, and a word to each state.

use maud::{Markup, html};
use mealybug_core::{Division, Input, Mealy};

use super::Report;
use super::legend::legend;
use super::machine_picture::picture;
use super::machines::{MachineKind, Machines};
use super::parts::{bar, counted};
use crate::export::shown;
use crate::learned_components::LearnedComponents;
use crate::machine::{Gaps, Machine, ProductComponent, Transition};
use crate::state_names;
use crate::statistics::number;
use crate::word;

/// The maximum number of states in a table.
const LISTED_STATES: u32 = 200;
/// The maximum number of inputs in a table.
const LISTED_INPUTS: usize = 40;
/// The maximum number of components in a table.
const LISTED_COMPONENTS: usize = 200;
/// The maximum number of components that are drawn.
const DRAWN: usize = 40;
/// With more components, the table of words omits the state of each component.
const BESIDE: usize = 16;

pub(super) fn sections(report: &Report<'_>, machines: &mut Machines) -> Markup {
    let note = report.statistics.note();
    let note = note.as_deref();
    html! {
        (model(report.model, note, machines))
        @if let Some(learned) = report.learned { (components(report, learned, note, machines)) }
        @if let Some(model) = report.model { (words(model, report.learned)) (names(model)) }
    }
}

/// The model as a picture and as a table.
pub(super) fn model(
    model: Option<&Machine>,
    note: Option<&str>,
    machines: &mut Machines,
) -> Markup {
    // The modules come first, and have the legend.
    let is_first = machines.is_empty();
    let number = model.and_then(|model| machines.add(MachineKind::Model, "the model", model));
    html! {
        section {
            h2 { "The model" }
            @if let Some(model) = model {
                (gaps(model.gaps()))
                @if is_first { (legend()) }
                (picture(model, note, number))
                (table(model, number))
            } @else {
                p { "There is no model as one machine; the notes above say why." }
            }
        }
    }
}

/// What the model does not know, if it is partial.
fn gaps(Gaps { open, unknown }: Gaps) -> Markup {
    html! {
        @if open > 0 || unknown > 0 {
            p {
                "The model is partial."
                @if open > 0 {
                    " " (counted(open, "transition")) @if open == 1 { " is" } @else { " are" }
                    " open: what the device says is known, where it leads is a guess (dashed in the picture)."
                }
                @if unknown > 0 {
                    " " (counted(unknown, "transition")) @if unknown == 1 { " was" } @else { " were" }
                    " never asked (" code { "?" } ")."
                }
            }
        }
    }
}

/// A table with a row for each state and a column for each input.
fn table(machine: &Machine, number: Option<usize>) -> Markup {
    let inputs = machine.inputs().len().min(LISTED_INPUTS);
    html! {
        h3 { "As a table" }
        p.faint {
            "A line for each state, a column for each input: the output, and the next state where it is another \
             one."
            @if !machine.gaps().is_empty() {
                " " code { "?" } " was never asked; of " code { "→ 0?" }
                " only the output is known, and the next state is a guess."
            }
        }
        div data-table=[number] {
            div.scroll.table {
                table {
                    thead {
                        tr {
                            th.number { "state" }
                            @for input in &machine.inputs()[..inputs] { th { (shown(input)) } }
                        }
                    }
                    tbody {
                        @for state in 0..machine.states().min(LISTED_STATES) {
                            tr {
                                (state_cell(machine, state))
                                @for input in (0..Mealy::inputs(machine)).take(inputs).map(Input::new) {
                                    (cell(machine, state, machine.transition(state, input)))
                                }
                            }
                        }
                    }
                }
            }
        }
        @if machine.states() > LISTED_STATES || machine.inputs().len() > LISTED_INPUTS {
            p.cut { "It is cut off here; all of it is in " code { "model.dot" } "." }
        }
    }
}

/// The number of a state, and its name if it has one.
fn state_cell(machine: &Machine, state: u32) -> Markup {
    html! { td.number { (state) @if let Some(name) = machine.state_name(state) { " " b { (name) } } } }
}

/// The output for an input in a state, and the next state if it is another one.
fn cell(machine: &Machine, state: u32, transition: Option<Transition>) -> Markup {
    let Some(Transition { target, output, is_open }) = transition else {
        return html! { td.unknown { "?" } };
    };
    html! {
        td class=[is_open.then_some("open")] {
            (shown(machine.output_name(output)))
            @if target != state || is_open {
                " " span.next { "→ " (machine.state_text(target)) @if is_open { "?" } }
            }
        }
    }
}

/// What the components mean, how large they are, and how they combine to the model.
fn components(
    report: &Report<'_>,
    learned: &LearnedComponents,
    note: Option<&str>,
    machines: &mut Machines,
) -> Markup {
    let count = learned.components.len();
    html! {
        section {
            h2 { "Its components" }
            @if count == 1 {
                p { "It was learned as one component, which knows all outputs." }
                (forecast(report))
            } @else {
                p {
                    "The model was learned as " (counted(count as u64, "component"))
                    @if let Some(divided) = report.statistics.divided() { " that " (divided) }
                    ". " (meaning(learned.division))
                    " All components get the same inputs at the same time; exactly one of them knows each output, \
                     and that is what the model says."
                    @if let Some(model) = report.model {
                        (reached(combinations(&learned.components), model.states()))
                    }
                }
                (forecast(report))
                (sizes(report, learned))
                (pictures(learned, note, machines))
                @if count > DRAWN {
                    p { "The others are in " code { "components/" } "." }
                }
            }
        }
    }
}

/// The pictures of the components.
pub(super) fn pictures(
    learned: &LearnedComponents,
    note: Option<&str>,
    machines: &mut Machines,
) -> Markup {
    let components = learned.names.iter().zip(&learned.components).take(DRAWN);
    html! {
        @for (name, component) in components {
            h3 { (shown(name)) ": " (counted(component.states().into(), "state")) }
            @let machine = component.named(&learned.inputs, &learned.outputs);
            (picture(&machine, note, machines.add(MachineKind::Component, name, &machine)))
        }
    }
}

/// Explains the outputs of a component, if there are several components.
fn meaning(division: Division) -> Markup {
    let none = html! { code { "·" } };
    html! {
        @match division {
            Division::Inputs => {
                "A component knows what the device says to some of the inputs: for each word that ends with one \
                 of them it says the output at its end. For any other word it says " (none)
                ": another component knows the output."
            }
            Division::Pairs => {
                "A component knows some pairs of an input and an output: for each word it says the output at its \
                 end if it knows this output after this input. Otherwise it says " (none)
                ": another component knows the output."
            }
            _ => {
                "A component knows some of the outputs: for each word it says which of them comes at its end, or "
                (none) ", which is any other output."
            }
        }
    }
}

/// How many of the combinations of the components' states are states of the model.
fn reached(combinations: Option<u64>, states: u32) -> Markup {
    html! {
        @match combinations {
            Some(count) if count > u64::from(states) => {
                " Their states could be combined in " (number(count)) " ways, of which " (number(states))
                " can be reached: these are the states of the model."
            }
            Some(_) => {}
            None => {
                " Of the combinations of their states, too many to count, " (number(states))
                " can be reached: these are the states of the model."
            }
        }
    }
}

/// The reason for the division, if the learner chose it.
fn forecast(report: &Report<'_>) -> Markup {
    html! {
        @if let Some(choice) = report.statistics.choice() {
            p { (choice) "." }
        }
    }
}

/// The number of combinations of the components' states.
fn combinations(components: &[ProductComponent]) -> Option<u64> {
    components
        .iter()
        .try_fold(1_u64, |count, component| count.checked_mul(component.states().into()))
}

/// The components and their numbers of states, as a table with bars.
fn sizes(report: &Report<'_>, learned: &LearnedComponents) -> Markup {
    let count = learned.components.len();
    let largest = learned.components.iter().map(ProductComponent::states).max().unwrap_or(1);
    let what = match learned.division {
        Division::Inputs => "knows the outputs after",
        Division::Pairs => "knows the pairs",
        _ => "knows the outputs",
    };
    let file =
        |at: usize| report.statistics.components.get(at).map_or("", |component| &component.file);
    let rows = learned.names.iter().zip(&learned.components).enumerate();
    html! {
        div.scroll {
            table {
                thead { tr { th { (what) } th.number { "states" } th {} th { "file" } } }
                tbody {
                    @for (at, (name, component)) in rows.take(LISTED_COMPONENTS) {
                        tr {
                            td { (shown(name)) }
                            td.number { (component.states()) }
                            (bar(f64::from(component.states()) / f64::from(largest)))
                            td { @if !file(at).is_empty() { code { "components/" (file(at)) } } }
                        }
                    }
                }
            }
        }
        @if count > LISTED_COMPONENTS {
            p { "And " (counted((count - LISTED_COMPONENTS) as u64, "component")) " more." }
        }
    }
}

/// A shortest word to each state, and the state in which it leaves each component.
fn words(model: &Machine, learned: Option<&LearnedComponents>) -> Markup {
    let (names, components): (&[String], &[ProductComponent]) = match learned {
        Some(learned) if (2..=BESIDE).contains(&learned.components.len()) => {
            (&learned.names, &learned.components)
        }
        _ => (&[], &[]),
    };
    let inputs = |word: &[Input]| match word {
        [] => "(none)".to_owned(),
        word => word::format(word, model.inputs()),
    };
    html! {
        section {
            h2 { "The shortest word to every state" }
            @if !components.is_empty() {
                p.faint { "On the right: the state that each component is in." }
            }
            div.scroll.table {
                table {
                    thead {
                        tr {
                            th.number { "state" }
                            th { "word from a reset" }
                            th { "outputs on the way" }
                            @for name in names { th.number { (shown(name)) } }
                        }
                    }
                    tbody {
                        @for (state, word) in model.access_words().iter().take(LISTED_STATES as usize) {
                            tr {
                                (state_cell(model, state))
                                td.word { (inputs(&word)) }
                                td.word { (outputs(model, &word).join(", ")) }
                                @for component in components {
                                    td.number { (state_after(component, &word)) }
                                }
                            }
                        }
                    }
                }
            }
            @if model.states() > LISTED_STATES {
                p { "And " (counted((model.states() - LISTED_STATES).into(), "state")) " more." }
            }
        }
    }
}

/// The names of the states as a file, in which scripts let the reader write.
fn names(model: &Machine) -> Markup {
    html! {
        section id="names" {
            h2 { "Names of the states" }
            p {
                "A name for a state is a line in " code { "states.toml" } " beside this page: the name, and a word that leads there. "
                "From then on " code { "mealybug show" } ", " code { "diff" } " and " code { "test" } " call the state so."
            }
            pre { (state_names::text(model)) }
        }
    }
}

/// The state of a component after a word. If the component does not know the whole word, its last
/// known state.
fn state_after(component: &ProductComponent, word: &[Input]) -> u32 {
    let step = |state, &input: &Input| {
        component.transition(state, input).map_or(state, |known| known.target)
    };
    word.iter().fold(component.initial(), step)
}

fn outputs<'m>(model: &'m Machine, word: &[Input]) -> Vec<&'m str> {
    let mut state = model.initial();
    let step = |&input: &Input| {
        let (next, output) = model.expect_transition(state, input);
        state = next;
        shown(model.output_name(output))
    };
    word.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo_lock::DemoLock;

    #[test]
    fn words_lead_to_their_states_and_are_no_longer_than_their_prefixes_allow() {
        let lock = DemoLock::machine();
        let words = lock.access_words();
        assert_eq!(words.states().len(), 28);
        let mut before = 0;
        for (state, word) in words.iter() {
            let reached =
                word.iter().fold(lock.initial(), |at, &input| lock.expect_transition(at, input).0);
            assert_eq!(reached, state);
            assert!(word.len() >= before, "breadth first");
            before = word.len();
        }
        // Three wrong codes and the light are the longest way.
        assert_eq!(before, 7);
    }
}
