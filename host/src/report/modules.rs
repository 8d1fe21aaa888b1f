//! The modules of the model: what the device is, in pictures that are as small as possible.

use maud::{Markup, html};

use super::legend::legend;
use super::machine_picture::picture;
use super::machines::{MachineKind, Machines};
use super::parts::counted;
use crate::export::shown;
use crate::modules::{Knows, Modules};
use crate::statistics::number;

/// The maximum number of modules that are drawn.
const DRAWN: usize = 40;

pub(super) fn section(modules: &Modules, note: Option<&str>, machines: &mut Machines) -> Markup {
    let is_divided = modules.modules.len() > 1;
    html! {
        section {
            h2 { "What it is" }
            p {
                (modules.sentence()) "."
                @if is_divided {
                    " Each gets all inputs and ignores those that are not in its picture."
                    @if is_shared(modules) { " An output " code { "·" } " is that of another machine." }
                    " They have " (counted(modules.total_states(), "state")) " in total. As one machine the device has "
                    (number(modules.states)) ", which is the model below."
                }
                @if let Some(constants) = modules.constants() { " " (constants) "." }
            }
            @if is_divided {
                (legend())
                @for module in modules.modules.iter().take(DRAWN) {
                    h3 { (shown(&module.name)) }
                    p.faint { (module.facts()) }
                    (picture(&module.machine, note, machines.add(MachineKind::Module, &module.name, &module.machine)))
                }
                @if modules.modules.len() > DRAWN {
                    p { "The others are in " code { "modules/" } "." }
                }
            }
        }
    }
}

/// Whether a module lacks the output of an input that it does not ignore.
fn is_shared(modules: &Modules) -> bool {
    let mut modules = modules.modules.iter();
    modules.any(|module| !module.moved_by.is_empty() || !matches!(module.knows, Knows::Inputs(_)))
}
