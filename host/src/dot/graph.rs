//! The part of the DOT language that machines are written in: nodes, edges and their labels.
//!
//! The parser skips attributes other than labels and `open` of edges. It treats the statements of a subgraph as
//! statements of the graph, apart from `edge […]`: such defaults hold up to the closing brace.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use miette::SourceSpan;

use super::error::DotFault;
use super::token::{Id, Token, TokenKind, Tokens};

/// A parsed graph: nodes in the order in which they first appear, edges in the order of the file.
#[derive(Debug)]
pub(super) struct DotGraph<'a> {
    pub(super) nodes: Vec<DotNode<'a>>,
    pub(super) edges: Vec<DotEdge<'a>>,
    /// The position of the word `digraph`.
    pub(super) head: SourceSpan,
}

/// A node and the position where it first appears.
#[derive(Debug)]
pub(super) struct DotNode<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) at: SourceSpan,
}

/// An edge between two nodes, given by their indices.
#[derive(Debug)]
pub(super) struct DotEdge<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: Option<Id<'a>>,
    /// Whether it says `open="true"`.
    pub(super) is_open: bool,
    /// The position of the label, or of the edge if it has no label.
    pub(super) at: SourceSpan,
}

impl<'a> DotGraph<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, DotFault> {
        let mut tokens = Tokens::new(text);
        let current = tokens.next()?;
        let graph = Self { nodes: Vec::new(), edges: Vec::new(), head: (0..0).into() };
        let mut parser = Parser {
            tokens,
            current,
            end: 0,
            graph,
            numbers: HashMap::new(),
            defaults: Vec::new(),
        };
        parser.file()?;
        Ok(parser.graph)
    }
}

/// The attribute that marks an open transition.
pub(super) const OPEN: &str = "open";
/// The value of `OPEN`. The style of an edge means nothing: other tools dash edges for their own
/// reasons.
pub(super) const TRUE: &str = "true";

/// The attributes that matter for machines.
#[derive(Clone, Default)]
struct Attributes<'a> {
    /// The label and its position.
    label: Option<(Id<'a>, Range<usize>)>,
    is_open: bool,
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    current: Token<'a>,
    /// Where the token before the current one ends.
    end: usize,
    graph: DotGraph<'a>,
    numbers: HashMap<Cow<'a, str>, usize>,
    /// The default attributes of edges, for each open brace.
    defaults: Vec<Attributes<'a>>,
}

impl<'a> Parser<'a> {
    fn file(&mut self) -> Result<(), DotFault> {
        self.keyword("strict")?;
        self.graph.head = self.current.at.clone().into();
        if !self.keyword("digraph")? {
            return Err(self.expected("a machine, which begins with `digraph`"));
        }
        if let TokenKind::Id(_) = self.current.kind {
            self.advance()?;
        }
        self.block()?;
        match self.current.kind {
            TokenKind::End => Ok(()),
            _ => Err(self.expected("the end of the file after the graph")),
        }
    }

    /// Parses statements up to the closing brace.
    fn block(&mut self) -> Result<(), DotFault> {
        // No recursion: of each open brace only the defaults matter.
        loop {
            match self.current.kind {
                TokenKind::Mark(b'{') => {
                    self.advance()?;
                    self.defaults.push(self.defaults.last().cloned().unwrap_or_default());
                }
                _ if self.defaults.is_empty() => return Err(self.expected("`{`")),
                TokenKind::Mark(b'}') => {
                    self.advance()?;
                    self.defaults.pop();
                    if self.defaults.is_empty() {
                        return Ok(());
                    }
                    if self.current.kind == TokenKind::Arrow {
                        return Err(self.group());
                    }
                }
                TokenKind::Mark(b';') => self.advance()?,
                TokenKind::Id(id) => self.statement(id)?,
                TokenKind::End => return Err(self.expected("`}`, the end of the graph")),
                _ => return Err(self.expected("a node, an edge or `}`")),
            }
        }
    }

    fn statement(&mut self, id: Id<'a>) -> Result<(), DotFault> {
        if self.keyword("subgraph")? {
            return match self.current.kind {
                TokenKind::Id(_) => self.advance(),
                _ => Ok(()),
            };
        }
        if self.keyword("node")? || self.keyword("graph")? {
            return self.attributes(Attributes::default()).map(drop);
        }
        let defaults = self.defaults.last().cloned().unwrap_or_default();
        if self.keyword("edge")? {
            let defaults = self.attributes(defaults)?;
            self.defaults.last_mut().into_iter().for_each(|last| *last = defaults.clone());
            return Ok(());
        }
        let start = self.current.at.start;
        self.advance()?;
        if self.mark(b'=')? {
            return self.id("a value").map(drop);
        }
        let mut nodes = vec![self.node(id, start)?];
        while self.current.kind == TokenKind::Arrow {
            self.advance()?;
            let start = self.current.at.start;
            let is_group = matches!(self.current.kind, TokenKind::Id(id) if id.is("subgraph"));
            if is_group || self.current.kind == TokenKind::Mark(b'{') {
                return Err(self.group());
            }
            let id = self.id("a node")?;
            nodes.push(self.node(id, start)?);
        }
        let edge = start..self.end;
        let Attributes { label, is_open } = self.attributes(defaults)?;
        let at = label.as_ref().map_or(edge, |(_, at)| at.clone());
        for ends in nodes.windows(2) {
            let label = label.as_ref().map(|(label, _)| *label);
            let (from, to) = (ends[0], ends[1]);
            self.graph.edges.push(DotEdge { from, to, label, is_open, at: at.clone().into() });
        }
        Ok(())
    }

    /// The number of a named node. Skips a port after the name.
    fn node(&mut self, id: Id<'a>, start: usize) -> Result<usize, DotFault> {
        let at = start..self.end;
        while self.mark(b':')? {
            self.id("a port")?;
        }
        let DotGraph { nodes, .. } = &mut self.graph;
        Ok(*self.numbers.entry(id.name()).or_insert_with_key(|name| {
            nodes.push(DotNode { name: name.clone(), at: at.into() });
            nodes.len() - 1
        }))
    }

    /// Parses lists of attributes, `[…]`, if there are any. The last value of each name counts; names that do not
    /// occur have their values of before.
    fn attributes(&mut self, before: Attributes<'a>) -> Result<Attributes<'a>, DotFault> {
        let mut attributes = before;
        while self.mark(b'[')? {
            while !self.mark(b']')? {
                let key = self.id("an attribute or `]`")?;
                if self.mark(b'=')? {
                    let at = self.current.at.clone();
                    let value = self.id("a value")?;
                    match &*key.name() {
                        "label" => attributes.label = Some((value, at)),
                        OPEN => attributes.is_open = value.name() == TRUE,
                        _ => {}
                    }
                }
                while self.mark(b',')? || self.mark(b';')? {}
            }
        }
        Ok(attributes)
    }

    fn advance(&mut self) -> Result<(), DotFault> {
        self.end = self.current.at.end;
        self.current = self.tokens.next()?;
        Ok(())
    }

    /// Skips `mark` if it is the current token, and returns whether it was.
    fn mark(&mut self, mark: u8) -> Result<bool, DotFault> {
        let here = self.current.kind == TokenKind::Mark(mark);
        if here {
            self.advance()?;
        }
        Ok(here)
    }

    /// Skips a keyword if it is the current token, and returns whether it was.
    fn keyword(&mut self, keyword: &str) -> Result<bool, DotFault> {
        let here = matches!(self.current.kind, TokenKind::Id(id) if id.is(keyword));
        if here {
            self.advance()?;
        }
        Ok(here)
    }

    fn id(&mut self, expected: &'static str) -> Result<Id<'a>, DotFault> {
        let TokenKind::Id(id) = self.current.kind else {
            return Err(self.expected(expected));
        };
        self.advance()?;
        Ok(id)
    }

    fn group(&self) -> DotFault {
        DotFault::Group { at: self.current.at.clone().into() }
    }

    fn expected(&self, expected: &'static str) -> DotFault {
        DotFault::Syntax { expected, at: self.current.at.clone().into() }
    }
}
