//! The frame of a page: its head, and its style in light, in dark and on paper.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::machines::Machines;
use crate::escape::is_not_markup;
use crate::picture::STYLE;

/// The style sheet, in addition to that of the pictures.
const PAGE: &str = include_str!("page.css");

/// What the page does in a browser that runs scripts.
const SCRIPT: &str = include_str!("page.js");

/// What a page may do: run its own scripts, load nothing, and ask only where it came from.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'";

/// The page with this body.
///
/// A name may hold control characters, which HTML cannot represent. They become replacement
/// characters.
pub(super) fn page(title: &str, body: &Markup, machines: &Machines, script: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ "mealybug " (version) };
                title { (title) }
                style { (PreEscaped(PAGE)) (PreEscaped(STYLE)) }
            }
            body {
                (body)
                p.faint { "Written by mealybug " (version) "." }
                (machines.element())
                script { (PreEscaped(SCRIPT)) (PreEscaped(script)) }
            }
        }
    };
    visible(&page.into_string())
}

/// HTML without the characters that it cannot represent.
pub(super) fn visible(html: &str) -> String {
    html.replace(is_not_markup, "\u{fffd}")
}
