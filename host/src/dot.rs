//! Machines as DOT files: reads what LearnLib, AALpy and the automata wiki write, and writes what
//! all of them read.
//!
//! ```text
//! digraph lamp {
//!   s0 [label="s0"];
//!   s1 [label="s1"];
//!   __start0 [label="" shape="none"];
//!   __start0 -> s0;
//!   s0 -> s1 [label="press / on"];
//!   s1 -> s0 [label="press / off"];
//! }
//! ```
//!
//! ```
//! use mealybug::dot;
//!
//! let lamp = dot::read("lamp.dot", r#"digraph { off -> on -> off [label="press / click"]; }"#)?;
//! assert_eq!(lamp.states(), 2);
//! let lamp = lamp.minimise();
//! assert_eq!(lamp.states(), 1);
//! assert_eq!(dot::read("again", &dot::write(&lamp))?, lamp);
//! # Ok::<(), Box<dot::DotError>>(())
//! ```
//!
//! # What an edge says
//! - Its label is an input and an output, `input / output`. Blanks around either do not count.
//! - Of several slashes, the only one that stands between blanks separates; if there is none such
//!   or more than one, the label has no clear reading and is refused.
//! - An HTML label (`label=<…>`) says one transition in each row of a table, or in each line.
//! - An edge without a label leads from a node that is no state to the initial state. In a file
//!   without such an edge, the first node is the initial state, unless there is a node whose name
//!   begins with `__start`: that no edge leaves it is an error.
//! - A node that no transition touches is not a state.
//! - Where a state has no transition for an input that another state has, the transition is unknown.
//! - An edge with `open="true"` is an open transition: its target is a guess. We dash it as well, but a
//!   dashed edge without this mark, in a file of others, is a transition like any other.
//!
//! # What symbols look like
//! LearnLib cuts a label at *every* slash, and AALpy ends it at *every* quotation mark, so neither
//! may be within a symbol, not even after a backslash. In a symbol, `%` and two hexadecimal digits
//! stand for what a label cannot hold: `%2F` a slash, `%22` a quotation mark, `%20` a blank at the
//! symbol's beginning or end, `%0A` a line feed and the other control characters likewise, and `%25`
//! a percent sign that would read as one of these. All else stands for itself, so `50%` and `%d` are
//! what they look like, in both directions. A backslash is doubled, as DOT has it; in files of others
//! `\"` is a quotation mark, and a single backslash stands for itself.
//!
//! # Why a parser of our own
//! The crates that parse DOT either drop what we need or are no choice: `dot-parser` is
//! GPL-licensed, `graphviz-dot-parser` handles neither comments nor attribute statements,
//! `graphviz-rust` and `graphviz_parser` give a tree without positions, and errors here must point
//! at a line long after parsing (an edge that contradicts another one). What machines need of DOT is small.

mod error;
mod graph;
mod label;
mod read;
mod token;
mod write;

#[cfg(test)]
mod tests;

pub use error::{DotError, Fault};
pub use read::{read, read_complete};
pub use write::{note, write, write_with_note};
