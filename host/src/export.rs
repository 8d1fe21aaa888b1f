//! Machines in other formats and as text for people. [DOT](crate::dot) has its own module because
//! it is also read.

mod json;
mod mermaid;
mod plantuml;
mod scxml;
mod table;

#[cfg(test)]
pub(crate) use json::{Document, ModulesDocument};
pub use json::{json, modules_json};
pub use mermaid::mermaid;
pub use plantuml::plantuml;
pub use scxml::scxml;
pub use table::table;
pub(crate) use table::{InputGroup, groups, wrapped};

/// A name for people to read: shows an empty one as `(empty)`.
pub fn shown(name: &str) -> &str {
    if name.is_empty() { "(empty)" } else { name }
}

/// A name in a format in which characters have codes: `code` gives that of each character that is
/// not plain, and of each blank at the beginning or end.
fn coded(name: &str, is_plain: impl Fn(char) -> bool, code: impl Fn(u32) -> String) -> String {
    let inner = name.trim_matches(' ').len();
    let begin = name.len() - name.trim_start_matches(' ').len();
    let mut text = String::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        let is_outer_blank = c == ' ' && !(begin..begin + inner).contains(&at);
        if is_plain(c) && !is_outer_blank {
            text.push(c);
        } else {
            text.push_str(&code(c.into()));
        }
    }
    text
}

/// Whether a character stands for itself in the labels of diagrams.
fn is_plain_in_diagram(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ' ' | '_' | '.' | ',' | '(' | ')' | '=' | '+')
}
