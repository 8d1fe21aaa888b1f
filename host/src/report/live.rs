//! The page of a run that goes on: its frame, and the hypothesis in it.

use maud::{Markup, html};

use super::machines::Machines;
use super::{model, modules, page};
use crate::learned_components::LearnedComponents;
use crate::modules::Modules;
use crate::state_names::NameSources;

/// What the page does while the run goes on.
const SCRIPT: &str = include_str!("live.js");

/// A hypothesis with more states is shown by its components only.
const MAX_STATES: u32 = 1000;

/// The modules of a larger hypothesis are not looked for: the next one may come soon.
const MAX_STATES_OF_MODULES: u32 = 200;

/// Writes the frame of the page; its script fills it.
pub fn live_html(name: &str) -> String {
    let body = html! {
        h1 { (name) }
        div.verdict { p { strong id="phase" { "Learning" } } }
        noscript { p { "This page needs scripts. The run goes on without it." } }
        section {
            h2 { "Where it stands" }
            div.columns {
                table.facts id="facts" {}
                div { h4 { "Notes" } ul.warnings id="notes" {} }
            }
        }
        div id="model" {}
        section {
            h2 { "The last answers" }
            div.scroll.table { table id="answers" {} }
        }
        section {
            h2 { "Where the time goes" }
            div.scroll { table id="times" {} }
        }
    };
    page::page(&format!("{name}: learning"), &body, &Machines::default(), SCRIPT)
}

/// Writes the hypothesis with this number and those of the names that fit its states, with the data for the script.
pub fn live_model_html(round: u64, learned: &LearnedComponents, names: &NameSources) -> String {
    let note = format!("hypothesis {round} of a run that goes on");
    let note = Some(note.as_str());
    let mut machines = Machines::default();
    let product = learned.product(MAX_STATES).ok().map(|model| names.name(model).0);
    let small = product.as_ref().filter(|model| model.states() <= MAX_STATES_OF_MODULES);
    let sections: Markup = html! {
        p.faint { "Hypothesis " (round) ": what is believed now. A later one may differ." }
        @if let Some(modules) = small.and_then(Modules::new) {
            (modules::section(&modules, note, &mut machines))
        }
        (model::model(product.as_ref(), note, &mut machines))
        @if learned.components.len() > 1 {
            section {
                h2 { "Its components" }
                (model::pictures(learned, note, &mut machines))
            }
        }
        (machines.element())
    };
    page::visible(&sections.into_string())
}
