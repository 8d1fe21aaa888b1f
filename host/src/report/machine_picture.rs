//! The picture of a machine in the page.

use maud::{Markup, PreEscaped, html};

use super::parts::counted;
use crate::machine::Machine;
use crate::picture::{self, PagePicture};

/// The picture of a machine, if the machine is small enough. `number` is that of the machine in the data of the page.
pub(super) fn picture(machine: &Machine, note: Option<&str>, number: Option<usize>) -> Markup {
    html! {
        div.picture data-machine=[number] {
            @if let Some(PagePicture { full, folded }) = picture::for_page(machine, note) {
                div.scroll { (PreEscaped(full)) }
                @if let Some(folded) = folded { template { (PreEscaped(folded)) } }
            } @else {
                p {
                    (counted(machine.states().into(), "state")) " are too many for a picture, which shows at most "
                    (picture::MAX_STATES) " with few enough edges."
                }
            }
        }
    }
}
