//! Errors in DOT files, with their positions.

use std::fmt;

use miette::{Diagnostic, LabeledSpan, NamedSource, Severity, SourceCode, SourceSpan};
use thiserror::Error;

/// A DOT file that is not a machine: the fault, and the text that it points into.
#[derive(Clone, Debug)]
pub struct DotError {
    fault: DotFault,
    source: NamedSource<String>,
}

/// What is wrong with a DOT file.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
pub enum DotFault {
    /// It is text in another encoding.
    #[error("the file is not UTF-8: byte {byte} of line {line} is 0x{value:02X}")]
    #[diagnostic(help("if it is Latin-1, convert it: iconv -f latin1 -t utf8 FILE > NEW"))]
    Encoding {
        /// The line of the first byte that does not fit, from 1.
        line: usize,
        /// Its number in the line, from 1.
        byte: usize,
        /// The byte.
        value: u8,
        /// Where U+FFFD stands for it.
        #[label("here")]
        at: SourceSpan,
    },
    /// It is not DOT, or a part of DOT that machines do not need.
    #[error("expected {expected}")]
    #[diagnostic(help(
        "a machine looks like this: digraph {{ s0 -> s1 [label=\"input / output\"]; … }}"
    ))]
    Syntax {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        #[label("not here")]
        at: SourceSpan,
    },
    /// An edge leads to or from a group of nodes.
    #[error("an edge to or from a group of nodes, `{{…}}`, is not read")]
    #[diagnostic(help(
        "write an edge for each node: s2 -> s0 [label=\"input / output\"]; s2 -> s1 [label=\"input / output\"];"
    ))]
    Group {
        /// The group, or the arrow after it.
        #[label("here")]
        at: SourceSpan,
    },
    /// The label of an edge cannot be interpreted.
    #[error("the label of this edge {problem}")]
    #[diagnostic(help("{help}"))]
    Label {
        /// What is wrong with it.
        problem: &'static str,
        /// How to correct it.
        help: &'static str,
        /// The label, or the edge if it has none.
        #[label("here")]
        at: SourceSpan,
    },
    /// The file has no transition.
    #[error("there is no transition in this file")]
    #[diagnostic(help(
        "a transition is an edge with a label: s0 -> s1 [label=\"input / output\"];"
    ))]
    NoTransitions {
        /// The head of the graph.
        #[label("this graph")]
        at: SourceSpan,
    },
    /// No edge leaves the start node.
    #[error("the initial state is not said: no edge leaves the start node `{node}`")]
    #[diagnostic(help("add an edge without a label: {node} -> s0;"))]
    NoInitialState {
        /// The name of the start node.
        node: String,
        /// Where it is declared.
        #[label("the start node")]
        at: SourceSpan,
    },
    /// No transition leaves the initial state.
    #[error("no transition leaves the initial state `{node}`")]
    #[diagnostic(help(
        "an edge without a label says which state is the initial one: __start0 -> s0;"
    ))]
    NoWayOut {
        /// The name of the initial state.
        node: String,
        /// Where it comes up first.
        #[label("the initial state")]
        at: SourceSpan,
    },
    /// Two edges without a label point to an initial state.
    #[error("the initial state is said twice")]
    #[diagnostic(help("an edge without a label says which state is the initial one"))]
    TwoInitialStates {
        /// The first edge without a label.
        #[label("here")]
        first: SourceSpan,
        /// The second one.
        #[label("and here")]
        second: SourceSpan,
    },
    /// A state has two different transitions for one input.
    #[error("nondeterministic: the state `{state}` has two transitions for the input `{input}`")]
    #[diagnostic(help("remove one of them: the same word must always give the same answer"))]
    Nondeterministic {
        /// The name of the state.
        state: String,
        /// The name of the input.
        input: String,
        /// The first transition.
        #[label("one transition")]
        first: SourceSpan,
        /// The one that contradicts it.
        #[label("and another one")]
        second: SourceSpan,
    },
    /// A state has no transition for an input that occurs elsewhere.
    #[error("incomplete: the state `{state}` has no transition for the input `{input}`")]
    #[diagnostic(help(
        "a device answers every input in every state: give a model with exactly one transition for each"
    ))]
    Incomplete {
        /// The name of the state.
        state: String,
        /// The name of the input.
        input: String,
        /// Where the state first appears.
        #[label("this state")]
        at: SourceSpan,
        /// A transition of another state for this input.
        #[label("another state has it")]
        elsewhere: SourceSpan,
    },
}

impl DotError {
    pub(super) fn new(fault: DotFault, name: &str, text: &str) -> Self {
        Self { fault, source: NamedSource::new(name, text.to_owned()) }
    }

    /// What is wrong.
    pub const fn fault(&self) -> &DotFault {
        &self.fault
    }
}

impl fmt::Display for DotError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(formatter)
    }
}

impl std::error::Error for DotError {}

/// Delegates to the fault, and adds the text that it points into.
impl Diagnostic for DotError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.fault.code()
    }

    fn severity(&self) -> Option<Severity> {
        self.fault.severity()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.fault.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.fault.labels()
    }
}
