//! `report.html`: what a run found out, on one page for people.
//!
//! The page needs nothing beside it and runs no scripts: pictures and plots are SVG within it. It is
//! made of what the other files of the run say, so it says nothing that cannot be checked there.
//!
//! HTML is written with maud, which escapes all text and checks elements at compile time; askama does so
//! as well, but needs a file for each template and brings twice as many crates.

mod answers;
mod costs;
mod model;
mod page;
mod plot;

use maud::{Markup, html};
use serde_json::Value;

use crate::confidence::{AHEAD, Confidence, percent};
use crate::duration;
use crate::learned::Learned;
use crate::machine::Machine;
use crate::statistics::{Statistics, number};
use crate::store::{Tree, Tried};

/// What is reported.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// How the run is called.
    pub name: &'a str,
    /// How it ended and what it cost.
    pub statistics: &'a Statistics,
    /// Its last hypothesis.
    pub learned: Option<&'a Learned>,
    /// The machine that its components make together, if it is not too large.
    pub model: Option<&'a Machine>,
    /// The names of the inputs.
    pub inputs: &'a [String],
    /// What the device said, if that was kept.
    pub answers: Option<&'a Tree>,
}

impl Report<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let report = html! {
            (self.summary())
            (model::sections(self))
            (costs::section(self.statistics))
            (answers::section(self))
            (options(self.statistics))
        };
        page::page(self.name, &report)
    }

    /// How the run ended, in plain words, before anything else.
    fn summary(&self) -> Markup {
        let Statistics { converged, reason, refuted, equals_model, warnings, .. } = self.statistics;
        let is_good = *converged && !refuted && *equals_model != Some(false);
        html! {
            h1 { (self.name) }
            div.verdict.good[is_good].bad[!is_good] {
                p {
                    strong { @if *converged { "Converged:" } @else { "NOT CONVERGED:" } }
                    " " (reason) "."
                }
                @if !converged {
                    p {
                        "The model below has not withstood all tests: it says what was seen so far, and may be \
                         wrong about the rest."
                    }
                }
                @if *refuted {
                    p { "An answer contradicts the model: it is wrong somewhere." }
                }
                @if *equals_model == Some(false) {
                    p { "It " strong { "differs" } " from the model that was simulated." }
                }
            }
            p { (self.facts()) }
            @if let Some(confidence) = &self.statistics.confidence { (tested(confidence)) }
            @if !warnings.is_empty() {
                ul.warnings {
                    @for warning in warnings { li { "Note: " (warning) "." } }
                }
            }
        }
    }

    /// The run in a sentence or two.
    fn facts(&self) -> String {
        let Statistics { states, gaps, components, inputs, outputs, rounds, device, .. } =
            self.statistics;
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
            duration::text(self.statistics.seconds),
        )
    }
}

/// How far the model was tested.
fn tested(Confidence { chance, tried }: &Confidence) -> Markup {
    html! {
        p {
            @if let Some(Tried { transitions, of_transitions, pairs, of_pairs }) = *tried {
                "The device was taken through " (number(transitions as u64)) " of the model's "
                (number(of_transitions as u64)) " transitions, and through " (number(pairs as u64)) " of "
                (number(of_pairs as u64)) " pairs of one transition after another. "
            }
            @if let Some(chance) = chance {
                "There is a chance of about " (percent(*chance)) " that " (number(AHEAD))
                " more tests find a difference (estimated from devices whose model is known)."
            }
        }
    }
}

/// What the run was told.
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

/// A number of things.
fn counted(count: u64, thing: &str) -> String {
    format!("{} {thing}{}", number(count), if count == 1 { "" } else { "s" })
}

/// A cell of a table with a bar as long as this share of it.
fn bar(share: f64) -> Markup {
    html! {
        td style="width:12rem" { span.bar style=(format!("width:{:.1}%", 100.0 * share)) {} }
    }
}

#[cfg(test)]
mod tests;
