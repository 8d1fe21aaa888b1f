//! Machines in other formats and as text for people. [DOT](crate::dot) has its own module because
//! it is also read.

mod json;
mod mermaid;
mod table;

pub use json::json;
pub use mermaid::mermaid;
pub use table::table;
pub(crate) use table::{Group, groups, next, wrapped};

/// A name for people to read: shows an empty one as `(empty)`.
pub fn shown(name: &str) -> &str {
    if name.is_empty() { "(empty)" } else { name }
}
