//! Elements that several sections of a report share.

use maud::{Markup, html};

use crate::statistics::number;

/// A number and what it counts, such as `3 rounds`.
pub(super) fn counted(count: u64, thing: &str) -> String {
    format!("{} {thing}{}", number(count), if count == 1 { "" } else { "s" })
}

/// A table cell with a bar of this share of its width.
pub(super) fn bar(share: f64) -> Markup {
    html! {
        td style="width:12rem" { span.bar style=(format!("width:{:.1}%", 100.0 * share)) {} }
    }
}
