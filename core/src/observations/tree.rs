//! The observation tree: everything that the device ever answered.
//!
//! Each node is a word that was asked, with the output of its last input. Two answers that contradict
//! each other meet at a node. In the region a node takes five numbers: an input and a symbol, packed, and three nodes, which
//! are packed without the feature `fast` and words with it. With many inputs there is also a hash table of nodes by
//! parent and input, which takes two to four numbers for each node.

use crate::alphabet::{Input, Output};
use crate::error::{Contradiction, Refused, Resource};
use crate::hash;
use crate::known_answer::KnownAnswer;
use crate::machines::separating;
use crate::memory::{Field, Format, Memory, MemoryRef, fields, index};
use crate::outputs::Outputs;
use crate::projection::symbol_of;
use crate::words::{Lane, Words};

index! {
    /// A word that was asked.
    Node
}

index! {
    /// A place in the hash table of nodes.
    EdgePlace
}

impl Node {
    /// The empty word.
    pub(crate) const ROOT: Self = Self(0);
}

fields! {
    before separating::FIELDS_START;
    /// The output of the last input, as a symbol.
    SYMBOL: Field<Node> = Format::Packed;
    /// The last input.
    INPUT: Field<Node> = Format::Packed;
    /// The word without its last input.
    PARENT: Field<Node> = Format::Wide;
    /// The oldest word that is one input longer; zero if there is none.
    CHILD: Field<Node> = Format::Wide;
    /// Of the oldest word the newest one with the same parent, of any other the next older one; zero if there is none.
    SIBLING: Field<Node> = Format::Wide;
    /// With many inputs: each node at a place that its parent and its input say, or at the next free one.
    EDGE: Field<EdgePlace> = Format::Wide;
}

/// With more inputs there is a hash table. With fewer it is not worth its room: most nodes have one child.
const FEW_INPUTS: u32 = 16;

/// The tree; its nodes lie in the region. A copy goes on to be the tree as it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    len: u32,
    inputs: u32,
    /// The length of the longest word.
    depth: u32,
}

impl Tree {
    pub(crate) const fn new(inputs: u32) -> Self {
        Self { len: 1, inputs, depth: 0 }
    }

    /// How many nodes there are.
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// The length of the longest word.
    pub(crate) fn depth(self) -> u32 {
        self.depth
    }

    /// The answer to the word of this number. Words are numbered from 1 on, each after its beginnings.
    pub(crate) fn answer(self, read: MemoryRef<'_>, number: u32) -> Option<KnownAnswer> {
        let node = Some(Node(number)).filter(|node| *node != Node::ROOT && number < self.len)?;
        Some(KnownAnswer {
            before: read.get(PARENT, node),
            input: Input::new(read.get(INPUT, node)),
            output: Output::new(read.get(SYMBOL, node).wrapping_sub(1)),
        })
    }

    /// Makes room for a word of this length.
    pub(crate) fn reserve(
        self,
        m: &mut Memory<'_>,
        word_len: u32,
        outputs: u32,
    ) -> Result<(), Refused> {
        let needed = self.len.saturating_add(word_len);
        // Room grows by an eighth, so that what lies in the region is moved seldom.
        let len =
            if needed <= m.read().rows(SYMBOL) { 0 } else { needed.saturating_add(needed / 8) };
        m.reserve(
            Resource::Tree,
            &[
                SYMBOL.list(len, outputs),
                INPUT.list(len, self.inputs),
                PARENT.list(len, len),
                CHILD.list(len, len),
                SIBLING.list(len, len),
            ],
        )?;
        self.reserve_edges(m, needed)
    }

    /// Makes room for so many nodes in the hash table, half of which stays free.
    fn reserve_edges(self, m: &mut Memory<'_>, nodes: u32) -> Result<(), Refused> {
        let has = m.read().rows(EDGE);
        if self.inputs <= FEW_INPUTS || nodes <= has / 2 {
            return Ok(());
        }
        let size = nodes.saturating_mul(2).checked_next_power_of_two().unwrap_or(u32::MAX);
        m.reserve(Resource::Tree, &[EDGE.list(size, size / 2)])?;
        m.fill(EDGE, size, 0);
        for node in (1..self.len).map(Node) {
            set_edge(m, node);
        }
        Ok(())
    }

    /// Enters the answer of a lane, whose outputs are known and for which there is room: the last node.
    ///
    /// # Errors
    /// An output differs from the one that the word had before.
    pub(crate) fn enter(
        &mut self,
        m: &mut Memory<'_>,
        outputs: &Outputs,
        words: Words,
        lane: Lane,
    ) -> Result<Node, Contradiction> {
        let mut node = Node::ROOT;
        let word_len = words.len(m, lane);
        for position in 0..word_len {
            let input = words.input(m, lane, position);
            let now = words.output(m, outputs, lane, position);
            node = match self.child(m, node, input) {
                None => self.add(m, node, input, symbol_of(now)),
                Some(child) => {
                    let before = m.get(SYMBOL, child);
                    if before != symbol_of(now) {
                        let before = Output::new(before.wrapping_sub(1));
                        let lane = lane.0;
                        return Err(Contradiction { lane, word_len, position, before, now });
                    }
                    child
                }
            };
        }
        self.depth = self.depth.max(word_len);
        Ok(node)
    }

    fn add(&mut self, m: &mut Memory<'_>, parent: Node, input: Input, symbol: u32) -> Node {
        let node = Node(self.len);
        m.set(SYMBOL, node, symbol);
        m.set(INPUT, node, input.index());
        m.set(PARENT, node, parent.0);
        m.set(CHILD, node, 0);
        // The oldest stays the first: it tells most states apart.
        match m.get(CHILD, parent) {
            0 => {
                m.set(SIBLING, node, 0);
                m.set(CHILD, parent, node.0);
            }
            oldest => {
                m.set(SIBLING, node, m.get(SIBLING, Node(oldest)));
                m.set(SIBLING, Node(oldest), node.0);
            }
        }
        if self.inputs > FEW_INPUTS {
            set_edge(m, node);
        }
        self.len = self.len.wrapping_add(1);
        node
    }

    /// The word one input longer, if it was asked.
    pub(crate) fn child(self, m: &Memory<'_>, node: Node, input: Input) -> Option<Node> {
        if self.inputs > FEW_INPUTS {
            if m.get(CHILD, node) == 0 {
                return None;
            }
            let mut found = edges(m, node, input).map(|edge| m.get(EDGE, edge));
            let found = found.find(|&child| is_child(m, Node(child), (node, input)))?;
            return (found > 0 && found < self.len).then_some(Node(found));
        }
        let mut at = self.first_child(m, node);
        while let Some(child) = at
            && self::input(m, child) != input
        {
            at = self.sibling(m, child);
        }
        at
    }

    /// The first of the words one input longer.
    #[inline]
    pub(crate) fn first_child(self, m: &Memory<'_>, node: Node) -> Option<Node> {
        self.known(m, m.get(CHILD, node))
    }

    /// The next word with the same parent.
    #[inline]
    pub(crate) fn sibling(self, m: &Memory<'_>, node: Node) -> Option<Node> {
        self.known(m, m.get(SIBLING, node))
    }

    /// On a walk through all nodes below `top`, the next node with its depth below `top`: its first child, unless
    /// what is below is skipped, or else a sibling of the node or of one above it.
    pub(crate) fn next_below(
        self,
        m: &Memory<'_>,
        top: Node,
        (mut node, mut depth): (Node, u32),
        skip: bool,
    ) -> Option<(Node, u32)> {
        if !skip && let Some(child) = self.first_child(m, node) {
            return Some((child, depth.wrapping_add(1)));
        }
        while node != top {
            if let Some(sibling) = self.sibling(m, node) {
                return Some((sibling, depth));
            }
            node = parent(m, node);
            depth = depth.wrapping_sub(1);
        }
        None
    }

    /// The first of a list of siblings that this tree has: a copy of it knows only what was asked before.
    fn known(self, m: &Memory<'_>, mut node: u32) -> Option<Node> {
        while node >= self.len {
            node = m.get(SIBLING, Node(node));
        }
        (node != 0).then_some(Node(node))
    }
}

/// The places in the hash table where a child may be, in their order.
fn edges(m: &Memory<'_>, node: Node, input: Input) -> impl Iterator<Item = EdgePlace> + use<> {
    let size = m.read().rows(EDGE);
    let last = size.saturating_sub(1);
    let first = hash::finish(hash::mix(hash::mix(0, node.0), input.index()));
    (0..size).map(move |step| EdgePlace(first.wrapping_add(step) & last))
}

/// Whether what stands in the hash table is the child of a node, or nothing.
fn is_child(m: &Memory<'_>, child: Node, (node, input): (Node, Input)) -> bool {
    child == Node::ROOT || (parent(m, child) == node && self::input(m, child) == input)
}

/// Enters a node into the hash table.
fn set_edge(m: &mut Memory<'_>, node: Node) {
    let mut places = edges(m, parent(m, node), input(m, node));
    if let Some(edge) = places.find(|&edge| m.get(EDGE, edge) == 0) {
        m.set(EDGE, edge, node.0);
    }
}

/// The word without its last input; the empty word is its own parent.
#[inline]
pub(crate) fn parent(m: &Memory<'_>, node: Node) -> Node {
    Node(m.get(PARENT, node))
}

/// The last input of a word.
#[inline]
pub(crate) fn input(m: &Memory<'_>, node: Node) -> Input {
    Input::new(m.get(INPUT, node))
}

/// Its output, as a symbol.
#[inline]
pub(crate) fn symbol(m: &Memory<'_>, node: Node) -> u32 {
    m.get(SYMBOL, node)
}

/// The length of a word.
pub(crate) fn depth(m: &Memory<'_>, mut node: Node) -> u32 {
    let mut depth = 0_u32;
    while node != Node::ROOT {
        node = parent(m, node);
        depth = depth.wrapping_add(1);
    }
    depth
}
