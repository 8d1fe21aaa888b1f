//! Parts that several sections of a report have.

use maud::{Markup, html};

use crate::statistics::number;

/// A number of things.
pub(super) fn counted(count: u64, thing: &str) -> String {
    format!("{} {thing}{}", number(count), if count == 1 { "" } else { "s" })
}

/// A cell of a table with a bar as long as this share of it.
pub(super) fn bar(share: f64) -> Markup {
    html! {
        td style="width:12rem" { span.bar style=(format!("width:{:.1}%", 100.0 * share)) {} }
    }
}
