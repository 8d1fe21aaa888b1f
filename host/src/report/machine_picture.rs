//! The picture of a machine in the page.

use maud::{Markup, PreEscaped, html};

use super::parts::counted;
use crate::machine::Machine;
use crate::picture::{self, svg_without_style};

/// The picture of a machine, if the machine is small enough.
pub(super) fn picture(machine: &Machine, note: Option<&str>) -> Markup {
    html! {
        @if let Some(svg) = svg_without_style(machine, note) {
            div.scroll { (PreEscaped(svg)) }
        } @else {
            p {
                (counted(machine.states().into(), "state")) " are too many for a picture, which shows at most "
                (picture::MAX_STATES) " with few enough edges."
            }
        }
    }
}
