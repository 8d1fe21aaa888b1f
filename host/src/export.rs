//! Machines in the formats of others, and as text for people. [DOT](crate::dot) has a module of its
//! own, since it is read as well.

mod json;
mod mermaid;
mod table;

pub use json::json;
pub use mermaid::mermaid;
pub use table::table;
pub(crate) use table::{Group, groups, next, wrapped};

/// A name as people read it: an empty one would not be seen.
pub fn shown(name: &str) -> &str {
    if name.is_empty() { "(empty)" } else { name }
}
