//! The model, the components that it is made of, and the way to each state.

use std::fmt::{self, Write};

use mealybug_core::{Division, Input, Mealy};

use super::{Report, counted};
use crate::export::shown;
use crate::learned::Learned;
use crate::machine::{Component, Gaps, Machine, Transition};
use crate::picture::{self, escaped, svg_without_style};
use crate::word;

/// Tables end after so many states, ...
const LISTED_STATES: u32 = 200;
/// ...inputs...
const LISTED_INPUTS: usize = 40;
/// ...or components.
const LISTED_COMPONENTS: usize = 200;
/// So many components are drawn.
const DRAWN: usize = 40;
/// The states of so many components stand beside those of the model.
const BESIDE: usize = 16;

pub(super) fn write(html: &mut String, report: &Report<'_>) -> fmt::Result {
    let note = report.statistics.note();
    let note = note.as_deref();
    html.push_str("<section><h2>The model</h2>\n");
    match report.model {
        Some(model) => {
            gaps(html, model.gaps())?;
            machine(html, model, note)?;
            table(html, model)?;
        }
        None => {
            html.push_str("<p>There is no model as one machine; the notes above say why.</p>\n");
        }
    }
    html.push_str("</section>\n");
    if let Some(learned) = report.learned {
        components(html, report, learned, note)?;
    }
    if let Some(model) = report.model {
        words(html, model, report.learned)?;
    }
    Ok(())
}

/// What the model does not know, if it is partial.
fn gaps(html: &mut String, gaps: Gaps) -> fmt::Result {
    if gaps.is_empty() {
        return Ok(());
    }
    let Gaps { open, unknown } = gaps;
    html.push_str("<p>The model is partial.");
    if open > 0 {
        let (counted, verb) = (counted(open, "transition"), if open == 1 { "is" } else { "are" });
        write!(
            html,
            " {counted} {verb} open: what the device says is known, where it leads is a guess"
        )?;
        html.push_str(" (dashed in the picture).");
    }
    if unknown > 0 {
        let (counted, verb) =
            (counted(unknown, "transition"), if unknown == 1 { "was" } else { "were" });
        write!(html, " {counted} {verb} never asked (<code>?</code>).")?;
    }
    html.push_str("</p>\n");
    Ok(())
}

/// The picture of a machine, if it is small enough for one.
fn machine(html: &mut String, machine: &Machine, note: Option<&str>) -> fmt::Result {
    match svg_without_style(machine, note) {
        Some(svg) => writeln!(html, "<div class=\"scroll\">{svg}</div>"),
        None => writeln!(
            html,
            "<p>{} are too many for a picture, which shows at most {} with few enough edges.</p>",
            counted(machine.states().into(), "state"),
            picture::MAX_STATES
        ),
    }
}

/// A line for each state, a column for each input.
fn table(html: &mut String, machine: &Machine) -> fmt::Result {
    html.push_str(
        "<h3>As a table</h3>\n<p class=\"faint\">A line for each state, a column for each input: the \
         output, and the next state where it is another one.",
    );
    if !machine.gaps().is_empty() {
        html.push_str(
            " <code>?</code> was never asked; of <code>→ 0?</code> only the output is known, and the next \
             state is a guess.",
        );
    }
    html.push_str("</p>\n<div class=\"scroll\"><table><thead><tr><th class=\"number\">state</th>");
    let inputs = machine.inputs().len().min(LISTED_INPUTS);
    for input in &machine.inputs()[..inputs] {
        write!(html, "<th>{}</th>", escaped(shown(input)))?;
    }
    html.push_str("</tr></thead><tbody>\n");
    for state in 0..machine.states().min(LISTED_STATES) {
        write!(html, "<tr><td class=\"number\">{state}</td>")?;
        for input in (0..Mealy::inputs(machine)).take(inputs).map(Input::new) {
            let Some(Transition { target, output, is_open }) = machine.transition(state, input)
            else {
                html.push_str("<td class=\"unknown\">?</td>");
                continue;
            };
            let output = escaped(shown(machine.output_name(output)));
            match (target == state, is_open) {
                (true, false) => write!(html, "<td>{output}</td>")?,
                (false, false) => {
                    write!(html, "<td>{output} <span class=\"next\">→ {target}</span></td>")?;
                }
                (_, true) => write!(
                    html,
                    "<td class=\"open\">{output} <span class=\"next\">→ {target}?</span></td>"
                )?,
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    if machine.states() > LISTED_STATES || machine.inputs().len() > LISTED_INPUTS {
        html.push_str("<p>It is cut off here; all of it is in <code>model.dot</code>.</p>\n");
    }
    Ok(())
}

/// What the components mean, how large they are, and how they make the model together.
fn components(
    html: &mut String,
    report: &Report<'_>,
    learned: &Learned,
    note: Option<&str>,
) -> fmt::Result {
    html.push_str("<section><h2>Its components</h2>\n");
    if learned.components.len() == 1 {
        html.push_str("<p>It was learned as one component, which knows all outputs.</p>\n");
        forecast(html, report)?;
        html.push_str("</section>\n");
        return Ok(());
    }
    let count = counted(learned.components.len() as u64, "component");
    write!(html, "<p>The model was learned as {count}")?;
    if let Some(divided) = report.statistics.divided() {
        write!(html, " that {divided}")?;
    }
    html.push_str(". ");
    html.push_str(meaning(learned.division));
    html.push_str(
        " All components get the same inputs at the same time; exactly one of them knows each output, and \
         that is what the model says.",
    );
    if let Some(model) = report.model {
        let states = model.states();
        match combinations(&learned.components) {
            Some(count) if count > u64::from(states) => write!(
                html,
                " Their states could be combined in {} ways, of which {} can be reached: these are the \
                 states of the model.",
                crate::statistics::number(count),
                crate::statistics::number(states)
            )?,
            Some(_) => {}
            None => write!(
                html,
                " Of the combinations of their states, too many to count, {} can be reached: these are \
                 the states of the model.",
                crate::statistics::number(states)
            )?,
        }
    }
    html.push_str("</p>\n");
    forecast(html, report)?;
    sizes(html, report, learned)?;
    for (name, component) in learned.names.iter().zip(&learned.components).take(DRAWN) {
        let states = counted(component.states().into(), "state");
        writeln!(html, "<h3>{}: {states}</h3>", escaped(shown(name)))?;
        machine(html, &component.named(&learned.inputs, &learned.outputs), note)?;
    }
    if learned.components.len() > DRAWN {
        html.push_str("<p>The others are in <code>components/</code>.</p>\n");
    }
    html.push_str("</section>\n");
    Ok(())
}

/// What a component says that is one of several.
fn meaning(division: Division) -> &'static str {
    match division {
        Division::Inputs => {
            "A component knows what the device says to some of the inputs: for each word that ends with one of \
             them it says the output at its end. For any other word it says <code>·</code>: another \
             component knows the output."
        }
        Division::Pairs => {
            "A component knows some pairs of an input and an output: for each word it says the output at its end \
             if it knows this output after this input. Otherwise it says <code>·</code>: another component \
             knows the output."
        }
        _ => {
            "A component knows some of the outputs: for each word it says which of them comes at its end, or \
             <code>·</code>, which is any other output."
        }
    }
}

/// Why the device was divided so, if the learner chose it.
fn forecast(html: &mut String, report: &Report<'_>) -> fmt::Result {
    let Some(choice) = report.statistics.choice() else { return Ok(()) };
    writeln!(html, "<p>The learner chose this. {choice}.</p>")
}

/// How many states a product of components could have.
fn combinations(components: &[Component]) -> Option<u64> {
    components
        .iter()
        .try_fold(1_u64, |count, component| count.checked_mul(component.states().into()))
}

/// The components with the number of their states, as a table with bars.
fn sizes(html: &mut String, report: &Report<'_>, learned: &Learned) -> fmt::Result {
    let largest = learned.components.iter().map(Component::states).max().unwrap_or(1);
    let what = match learned.division {
        Division::Inputs => "knows the outputs after",
        Division::Pairs => "knows the pairs",
        _ => "knows the outputs",
    };
    writeln!(
        html,
        "<div class=\"scroll\"><table><thead><tr><th>{what}</th>\
         <th class=\"number\">states</th><th></th><th>file</th></tr></thead><tbody>",
    )?;
    let rows = learned.names.iter().zip(&learned.components).enumerate();
    for (at, (name, component)) in rows.take(LISTED_COMPONENTS) {
        let file = report.statistics.components.get(at).map_or("", |component| &component.file);
        let share = 100.0 * f64::from(component.states()) / f64::from(largest);
        writeln!(
            html,
            "<tr><td>{}</td><td class=\"number\">{}</td><td style=\"width:12rem\">\
             <span class=\"bar\" style=\"width:{share:.1}%\"></span></td>\
             <td><code>components/{}</code></td></tr>",
            escaped(shown(name)),
            component.states(),
            escaped(file)
        )?;
    }
    html.push_str("</tbody></table></div>\n");
    if learned.components.len() > LISTED_COMPONENTS {
        let more = counted((learned.components.len() - LISTED_COMPONENTS) as u64, "component");
        writeln!(html, "<p>And {more} more.</p>")?;
    }
    Ok(())
}

/// A shortest word to each state, and where it leads in the components.
fn words(html: &mut String, model: &Machine, learned: Option<&Learned>) -> fmt::Result {
    let components: &[Component] = match learned {
        Some(learned) if (2..=BESIDE).contains(&learned.components.len()) => &learned.components,
        _ => &[],
    };
    html.push_str("<section><h2>The shortest word to every state</h2>\n");
    if !components.is_empty() {
        html.push_str(
            "<p class=\"faint\">On the right: the state that each component is in.</p>\n",
        );
    }
    html.push_str(
        "<div class=\"scroll\"><table><thead><tr><th class=\"number\">state</th>\
         <th>word from a reset</th><th>outputs on the way</th>",
    );
    if let Some(learned) = learned {
        for name in learned.names.iter().take(components.len()) {
            write!(html, "<th class=\"number\">{}</th>", escaped(shown(name)))?;
        }
    }
    html.push_str("</tr></thead><tbody>\n");
    for (state, input_word) in model.access_words().iter().take(LISTED_STATES as usize) {
        let text = if input_word.is_empty() {
            "(none)".to_owned()
        } else {
            word::format(input_word, model.inputs())
        };
        write!(
            html,
            "<tr><td class=\"number\">{state}</td><td class=\"word\">{}</td><td class=\"word\">{}</td>",
            escaped(&text),
            escaped(&outputs(model, input_word).join(", "))
        )?;
        for component in components {
            // A product knows no more than its components.
            let step = |state, &input: &Input| {
                component.transition(state, input).map_or(state, |known| known.target)
            };
            let state = input_word.iter().fold(component.initial(), step);
            write!(html, "<td class=\"number\">{state}</td>")?;
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    if model.states() > LISTED_STATES {
        let more = counted((model.states() - LISTED_STATES).into(), "state");
        writeln!(html, "<p>And {more} more.</p>")?;
    }
    html.push_str("</section>\n");
    Ok(())
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
    use crate::demo_lock::DoorLock;

    #[test]
    fn words_lead_to_their_states_and_are_no_longer_than_their_prefixes_allow() {
        let lock = DoorLock::machine();
        let words = lock.access_words();
        assert_eq!(words.len(), 28);
        let mut before = 0;
        for (state, word) in &words {
            let reached =
                word.iter().fold(lock.initial(), |at, &input| lock.expect_transition(at, input).0);
            assert_eq!(reached, *state);
            assert!(word.len() >= before, "breadth first");
            before = word.len();
        }
        // Three wrong codes and the light are the longest way.
        assert_eq!(before, 7);
    }
}
