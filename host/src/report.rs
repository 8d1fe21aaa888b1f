//! `report.html`: the results of a run, on one page for people.
//!
//! The page is a single file that needs no network: pictures and plots are inline SVG. All its contents
//! come from the other files of the run and can be checked there. It says everything without scripts; with them,
//! pictures can be moved and asked (`page.js`, which knows the machines from the data that `machines` writes).
//!
//! The HTML is written with maud, which escapes all text and checks elements at compile time.
//! askama does so too, but needs a file for each template and has twice as many dependencies.

mod answers;
mod comparison;
mod costs;
mod legend;
mod live;
mod machine_picture;
mod machines;
mod model;
mod modules;
mod page;
mod parts;
mod plot;
mod subject;

use maud::{Markup, html};
use serde_json::Value;

use crate::confidence::{Confidence, HourMore, hiding, one_in};
use crate::duration_text;
use crate::statistics::{Statistics, number};
use crate::store::Tried;

pub use comparison::{Comparison, comparison_html};
pub use live::{live_html, live_model_html};
pub use subject::Report;

use machines::Machines;
use parts::counted;

/// Writes the page.
pub fn html(report: &Report<'_>) -> String {
    let mut machines = Machines::default();
    let sections = html! {
        (summary(report))
        @if let Some(modules) = report.modules {
            (modules::section(modules, report.statistics.note().as_deref(), &mut machines))
        }
        (model::sections(report, &mut machines))
        (costs::section(report.statistics))
        (answers::section(report))
        (options(report.statistics))
        p.faint { "The files beside this page hold all of it for programs." }
    };
    let title = format!("{}: what Mealybug learned", report.name);
    page::page(&title, &sections, &machines, "")
}

/// How the run ended, in plain words, at the top of the page.
fn summary(report: &Report<'_>) -> Markup {
    let Statistics { converged, refuted, equals_model, warnings, .. } = report.statistics;
    let verdict = report.statistics.verdict();
    let is_good = report.statistics.is_sure() && !refuted && *equals_model != Some(false);
    html! {
        h1 { (report.name) }
        div.verdict.good[is_good].bad[!is_good] {
            p {
                strong { @if *converged { (verdict) ":" } @else { "NOT CONVERGED:" } }
                " " (report.statistics.full_reason()) "."
            }
            @if !converged {
                p {
                    "The model below has not withstood all tests: it says what was seen so far, and may be \
                     wrong about the rest."
                }
            }
            @if let Some(refutation) = report.statistics.refutation() {
                p { (refutation) "." }
            }
            @if *equals_model == Some(false) {
                p { "It " strong { "differs" } " from the model that was simulated." }
            }
        }
        p { (facts(report)) }
        @if let Some(confidence) = &report.statistics.confidence { (tested(confidence)) }
        @if !warnings.is_empty() {
            ul.warnings {
                @for warning in warnings { li { "Note: " (warning) @if !warning.contains('\n') { "." } } }
            }
        }
    }
}

/// The facts of the run in one or two sentences.
fn facts(report: &Report<'_>) -> String {
    let Statistics { states, gaps, components, inputs, outputs, rounds, .. } = report.statistics;
    let device = report.statistics.device_in_all();
    let model = match states {
        Some(states) if gaps.is_empty() => {
            format!("a model of {}", counted(u64::from(*states), "state"))
        }
        Some(states) => {
            format!("a model of {} ({gaps})", counted(u64::from(*states), "state"))
        }
        None => "no single model".to_owned(),
    };
    format!(
        "The run ended with {model} and {}. It knows {} and saw {}. That took {}, {} and {} of \
         the device, and {}.",
        counted(components.len() as u64, "component"),
        counted(*inputs as u64, "input"),
        counted(u64::from(*outputs), "output"),
        counted(*rounds, "round"),
        counted(device.resets, "reset"),
        counted(device.symbols, "symbol"),
        duration_text::text(report.statistics.seconds_in_all()),
    )
}

/// How thoroughly the model was tested.
fn tested(Confidence { chance, tried, hour }: &Confidence) -> Markup {
    html! {
        p {
            @if let Some(Tried { transitions, of_transitions, pairs, of_pairs }) = *tried {
                "The device was taken through " (number(transitions as u64)) " of the model's "
                (number(of_transitions as u64)) " transitions, and through " (number(pairs as u64)) " of "
                (number(of_pairs as u64)) " pairs of one transition after another. "
            }
            @if let Some(chance) = chance {
                "About " (hiding(*chance)) " (estimated from devices whose model is known). "
            }
            @if let Some(HourMore { tests, chance }) = hour {
                "An hour more, about " (number(*tests)) " tests, would make it " (one_in(*chance)) "."
            }
        }
    }
}

/// The options of the run.
fn options(statistics: &Statistics) -> Markup {
    let value = serde_json::to_value(&statistics.options).expect("numbers and names");
    let text = |key: &str, value: &Value| match value {
        _ if key == "algorithm" => statistics.options.algorithm.title().to_owned(),
        Value::Null => "no limit".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    html! {
        section {
            h2 { "Options" }
            table.facts {
                @for (key, value) in value.as_object().into_iter().flatten() {
                    tr { th { (key.replace('_', " ")) } td { (text(key, value)) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
