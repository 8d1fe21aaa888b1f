//! A sample of words that are pairwise apart, and which inputs and outputs show it.
//!
//! The words are taken from the transitions that were asked, in that order. Two of them are apart *for an atom* if, after
//! both, some word ends with different outputs of which one belongs to the atom. The sample grows with the tree and
//! belongs to no family, so that all families are measured on the same words.

use super::family::{self, Atom};
use crate::alphabet::Output;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, Position, fields, index};
use crate::observations::tree::{self, Node, Tree};
use crate::outputs::{Outputs, component_of};
use crate::progress::Forecast;

index! {
    /// A word of the sample.
    Pick
}

index! {
    /// An atom, and 32 words of the sample.
    AtomBits
}

impl Pick {
    /// The empty word, which is always there.
    const EMPTY: Self = Self(0);
}

fields! {
    before family::FIELDS_START;
    /// The words.
    WORD: Field<Pick> = Format::Packed;
    /// Their lengths.
    LEN: Field<Pick> = Format::Packed;
    /// From which other words each is apart for an atom, a bit for each.
    APART: Field<Pick, AtomBits> = Format::Packed;
    /// On the way down a subtree: the same word after the other word.
    TWIN: Field<Position> = Format::Wide;
}

/// Words in the sample, at most.
pub(super) const MAX_LEN: u32 = Forecast::MAX_WORDS;

/// Groups of 32 words.
pub(super) const GROUPS: u32 = MAX_LEN / 32;

/// The sample; it lies in the region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    len: u32,
    inputs: u32,
    /// Inputs and groups of outputs.
    atoms: u32,
    /// Whether it shows more than when it was looked at last.
    has_changed: bool,
    /// The size of the tree before which it is not looked at again.
    next_look: u32,
}

/// So many comparisons of words are worth what one symbol costs.
const COMPARISONS: u32 = 256;

impl Sample {
    /// Only the empty word.
    pub(super) const fn new(inputs: u32) -> Self {
        Self { len: 1, inputs, atoms: inputs, has_changed: false, next_look: 0 }
    }

    /// How many words there are.
    pub(super) fn len(self) -> u32 {
        self.len
    }

    /// Whether no more words are taken.
    pub(super) fn is_full(self) -> bool {
        self.len == MAX_LEN
    }

    /// All words.
    pub(super) fn picks(self) -> impl Iterator<Item = Pick> + use<> {
        (0..self.len).map(Pick)
    }

    /// The groups of 32 words in which there are any.
    pub(super) fn groups(self) -> core::ops::Range<u32> {
        0..self.len.div_ceil(32)
    }

    /// All inputs.
    pub(super) fn inputs(self) -> core::ops::Range<u32> {
        0..self.inputs
    }

    /// All groups of outputs.
    pub(super) fn outputs(self) -> core::ops::Range<u32> {
        self.inputs..self.atoms
    }

    /// Whether it shows more than when it was looked at last, and enough was asked since then.
    pub(super) fn is_worth_a_look(self, tree: Tree) -> bool {
        self.has_changed && tree.len() >= self.next_look
    }

    /// It was looked at, which took so many comparisons of words.
    pub(super) fn is_looked_at(&mut self, tree: Tree, compared: u32) {
        self.has_changed = false;
        self.next_look = tree.len().saturating_add(compared / COMPARISONS);
    }

    /// Makes room for what a word can show.
    pub(super) fn reserve(
        &mut self,
        m: &mut Memory<'_>,
        tree: Tree,
        outputs: &Outputs,
    ) -> Result<(), Refused> {
        let atoms = self.inputs.saturating_add(outputs.components());
        // Room grows by some words and atoms at once, so that what lies in the region is moved seldom.
        let (len, room) = ((self.len | 7).saturating_add(1).min(MAX_LEN), atoms | 15);
        let nodes = tree.len().checked_next_power_of_two().unwrap_or(u32::MAX);
        m.reserve(
            Resource::Tree,
            &[
                WORD.list(len, nodes),
                LEN.list(len, tree.depth()),
                APART.matrix(len, room.saturating_mul(GROUPS), u32::MAX),
                TWIN.list(tree.depth().saturating_add(2), nodes),
            ],
        )?;
        self.atoms = atoms;
        Ok(())
    }

    /// From which words of a group a word is apart for an atom.
    pub(super) fn apart(m: &Memory<'_>, pick: Pick, atom: Atom, group: u32) -> u32 {
        m.at(APART, pick, bits(atom, group))
    }

    /// A word was asked: looks at what it shows of the longest word of the sample that it begins with. `path` says
    /// the node of each beginning, from one input on.
    pub(super) fn look_along(
        &mut self,
        m: &mut Memory<'_>,
        tree: Tree,
        path: impl Fn(&Memory<'_>, u32) -> Node,
        len: u32,
    ) {
        let begins = |&pick: &Pick| {
            let last = m.get(LEN, pick).checked_sub(1);
            last.is_none_or(|last| last < len && path(m, last) == word(m, pick))
        };
        let longest = self.picks().filter(begins).max_by_key(|&pick| m.get(LEN, pick));
        let own = longest.unwrap_or(Pick::EMPTY);
        let start = m.get(LEN, own);
        for other in self.picks().filter(|&other| other != own) {
            let mut twin = word(m, other);
            for at in start..len {
                let node = path(m, at);
                let Some(next) = tree.child(m, twin, tree::input(m, node)) else { break };
                twin = next;
                if tree::symbol(m, node) != tree::symbol(m, twin) {
                    self.keep(m, (own, other), (node, twin));
                }
            }
        }
    }

    /// Takes a word into the sample if it is apart from all that are there.
    pub(super) fn consider(
        &mut self,
        m: &mut Memory<'_>,
        tree: Tree,
        outputs: &Outputs,
        node: Node,
    ) -> Result<(), Refused> {
        let is_there = self.picks().any(|pick| word(m, pick) == node);
        let mut is_apart = |other| {
            let pair = (node, word(m, other));
            first_difference(m, tree, pair, |_, _, _| true)
        };
        if is_there || self.is_full() || !self.picks().all(&mut is_apart) {
            return Ok(());
        }
        self.reserve(m, tree, outputs)?;
        let new = Pick(self.len);
        m.set(WORD, new, node.0);
        m.set(LEN, new, tree::depth(m, node));
        for other in self.picks() {
            let pair = (node, word(m, other));
            first_difference(m, tree, pair, |m, node, twin| {
                self.keep(m, (new, other), (node, twin));
                false
            });
        }
        self.len = self.len.wrapping_add(1);
        self.has_changed = true;
        Ok(())
    }

    /// Keeps for which atoms two words are apart, as two nodes show.
    fn keep(&mut self, m: &mut Memory<'_>, (one, other): (Pick, Pick), (node, twin): (Node, Node)) {
        let group = |m: &Memory<'_>, node| {
            let output = Output::new(tree::symbol(m, node).wrapping_sub(1));
            self.inputs.wrapping_add(component_of(m.read(), output).0)
        };
        let atoms = [tree::input(m, node).index(), group(m, node), group(m, twin)];
        for atom in atoms.map(Atom) {
            for (pick, from) in [(one, other), (other, one)] {
                let place = bits(atom, from.0 / 32);
                let before = m.at(APART, pick, place);
                let now = before | 1 << (from.0 % 32);
                m.put(APART, pick, place, now);
                self.has_changed |= now != before;
            }
        }
    }
}

/// Looks for a word after which two nodes differ, until one is enough; whether there was one.
fn first_difference(
    m: &mut Memory<'_>,
    tree: Tree,
    (top, other): (Node, Node),
    mut is_enough: impl FnMut(&mut Memory<'_>, Node, Node) -> bool,
) -> bool {
    m.set(TWIN, Position(0), other.0);
    let mut next = tree.next_below(m, top, (top, 0), false);
    while let Some((node, depth)) = next {
        let above = Node(m.get(TWIN, Position(depth.wrapping_sub(1))));
        let twin = tree.child(m, above, tree::input(m, node));
        if let Some(twin) = twin {
            if tree::symbol(m, node) != tree::symbol(m, twin) && is_enough(m, node, twin) {
                return true;
            }
            m.set(TWIN, Position(depth), twin.0);
        }
        next = tree.next_below(m, top, (node, depth), twin.is_none());
    }
    false
}

/// The node of a word.
fn word(m: &Memory<'_>, pick: Pick) -> Node {
    Node(m.get(WORD, pick))
}

fn bits(atom: Atom, group: u32) -> AtomBits {
    AtomBits(atom.0.wrapping_mul(GROUPS).wrapping_add(group))
}
