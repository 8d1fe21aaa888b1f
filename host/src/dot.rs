//! Machines as DOT files. Reads the files of LearnLib, AALpy and the automata wiki, and writes
//! files that all of them read.
//!
//! ```text
//! digraph lamp {
//!   s0 [label="s0"];
//!   s1 [label="s1"];
//!   __start0 [label="" shape="none"];
//!   __start0 -> s0;
//!   s0 -> s1 [label="press/on"];
//!   s1 -> s0 [label="press/off"];
//! }
//! ```
//!
//! ```
//! use mealybug::dot;
//!
//! let lamp = dot::read("lamp.dot", r#"digraph { off -> on -> off [label="press/click"]; }"#)?;
//! assert_eq!(lamp.states(), 2);
//! let lamp = lamp.minimise();
//! assert_eq!(lamp.states(), 1);
//! assert_eq!(dot::read("again", &dot::write(&lamp))?, lamp);
//! # Ok::<(), Box<dot::DotError>>(())
//! ```
//!
//! # What an edge means
//! - A label is an input and an output, `input/output`. Blanks around either do not count.
//! - If a label has several slashes, the only one with blanks around it separates. If none or more
//!   than one has blanks, the label is ambiguous and refused.
//! - An HTML label (`label=<…>`) holds one transition in each row of a table, or in each line. Of entities it may have
//!   numbers, `lt`, `gt`, `amp`, `quot`, `apos` and `nbsp`; one with another name is refused.
//! - `edge [label="…"]` is the label of the later edges up to the closing brace that have none of their own.
//! - `a -> b -> c` is two edges. An edge to or from a group, `a -> {b c}`, is refused.
//! - An edge without a label leads from a node that is not a state to the initial state. In a file
//!   without such an edge, the first node is the initial state. If such a file has a node whose
//!   name begins with `__start`, that is an error: the edge is missing.
//! - A node that no transition touches is not a state.
//! - If a state has no transition for an input that another state has, the transition is unknown.
//! - An edge with `open="true"` is an open transition: its target is a guess. Such edges are
//!   written dashed as well. A dashed edge without this mark, in a file of another tool, is an
//!   ordinary transition.
//!
//! # How symbols are written
//! A label is written as `input/output`, without blanks around the slash: AALpy takes them for a
//! part of the symbols. Blanks inside a symbol are written as they are: `GET index/200 OK`.
//!
//! LearnLib splits a label at *every* slash, and AALpy ends it at *every* quotation mark, so
//! neither may occur in a symbol, not even after a backslash. In a symbol, `%` and two hexadecimal
//! digits stand for what a label cannot hold: `%2F` is a slash, `%22` a quotation mark, `%20` a
//! blank at the symbol's beginning or end, `%0A` a line feed (other control characters likewise),
//! `%7B` a brace `{` that an input begins with, `%5C` a backslash that an output ends with, and
//! `%25` a percent sign that would otherwise read as one of these. Everything else stands for
//! itself, so `50%` and `%d` are read and written as they are. Any other backslash is doubled, as
//! DOT requires. In files of other tools `\"` is a quotation mark, and a single backslash stands
//! for itself.
//!
//! So in LearnLib and AALpy a symbol has the name that stands in the label, with these escapes.
//! AALpy also leaves a backslash doubled, turns a symbol of digits alone into a number, and has a
//! blank for an empty output. LearnLib refuses letters beyond U+00FF.
//!
//! # Why a separate parser
//! No crate that parses DOT fits: `dot-parser` is GPL-licensed, `graphviz-dot-parser` handles
//! neither comments nor attribute statements, and `graphviz-rust` and `graphviz_parser` give a tree
//! without positions. Errors here must point at a line long after parsing, such as an edge that
//! contradicts another one. Machines need only a small part of DOT.

mod error;
mod graph;
mod label;
mod read;
mod token;
mod write;

#[cfg(test)]
mod tests;

pub use error::{DotError, DotFault};
pub use read::{decode, read, read_complete};
pub use write::{note, write, write_with_note};
