//! The suffixes `E`, a suffix-closed set of words, as a prefix tree.
//!
//! A node of the tree is a *prefix of a suffix*, here a [`Suffix`] too: it is what a column of the
//! observation table shows, the last output of that word. Suffixes share prefixes, and what a prefix
//! shows is the same in all of them, so a row stores every word once. Two rows are equal in these
//! symbols iff they are equal in the output words of `E` (paper, Definition 2, whose cells hold whole
//! output words).
//!
//! `E` starts as the inputs and grows by one input before a suffix, so the tree is closed under
//! prefixes and under suffixes. A node is (shorter prefix, last input) and also (first input, shorter
//! suffix); both links are kept. Only the leaves of the tree are ever asked.

use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, fields, index};
use crate::words::{self, Lane, Words};

index! {
    /// A prefix of a suffix. A word comes after its own prefixes and suffixes.
    Suffix
}

impl Suffix {
    /// The empty word: the root of the tree, for which there is no column.
    pub(crate) const ROOT: Self = Self(0);

    /// The one after it.
    #[inline]
    pub(crate) fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

fields! {
    after words::FIELDS_END;
    /// The word without its last input.
    PARENT: Field<Suffix> = Format::Packed;
    /// The word without its first input.
    TAIL: Field<Suffix> = Format::Packed;
    /// The first input.
    FIRST: Field<Suffix> = Format::Packed;
    /// The last input.
    LAST: Field<Suffix> = Format::Packed;
    /// The newest word one input longer; zero for a leaf.
    CHILD: Field<Suffix> = Format::Packed;
    /// The next older word with the same parent; zero for the oldest.
    SIBLING: Field<Suffix> = Format::Packed;
}

/// The suffixes and their prefixes, the root included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suffixes {
    len: u32,
    count: u32,
    inputs: u32,
}

impl Suffixes {
    pub(crate) const fn new(inputs: u32) -> Self {
        Self { len: 1, count: 0, inputs }
    }

    /// All nodes but the root, shorter prefixes and shorter suffixes before longer ones.
    pub(crate) fn iter(self) -> impl Iterator<Item = Suffix> {
        (1..self.len).map(Suffix)
    }

    /// The nodes from `first` on.
    pub(crate) fn since(self, first: Suffix) -> impl Iterator<Item = Suffix> {
        (first.0..self.len).map(Suffix)
    }

    /// All nodes but the root, from one on and then around.
    pub(crate) fn around(self, first: Suffix) -> impl Iterator<Item = Suffix> {
        let last = self.symbols();
        let around = first.0..first.0.saturating_add(last);
        around.map(move |node| Suffix(if node > last { node.wrapping_sub(last) } else { node }))
    }

    /// The suffixes that no other begins with.
    pub(crate) fn leaves<'a>(self, m: &'a Memory<'_>) -> impl Iterator<Item = Suffix> + 'a {
        self.iter().filter(|&suffix| is_leaf(m, suffix))
    }

    /// How many symbols the rows of a table have: one for each node but the root.
    pub(crate) fn symbols(self) -> u32 {
        self.len.wrapping_sub(1)
    }

    /// The node that comes next.
    pub(crate) fn end(self) -> Suffix {
        Suffix(self.len)
    }

    /// How many suffixes were added: the size of `E`.
    pub(crate) fn count(self) -> u32 {
        self.count
    }

    /// Adds the words of one input that are not there yet.
    pub(crate) fn add_inputs(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        // All at once: each growth moves what lies behind.
        self.reserve(m, self.inputs.saturating_sub(self.count))?;
        for input in self.count..self.inputs {
            self.add(m, Input::new(input), Suffix::ROOT);
        }
        Ok(())
    }

    /// How many nodes the suffix `first · tail` adds.
    pub(crate) fn new_nodes(self, m: &Memory<'_>, first: Input, tail: Suffix) -> u32 {
        let len = depth(m, tail).wrapping_add(1);
        len.wrapping_sub(self.known_prefix(m, first, tail).1)
    }

    /// Makes room for more nodes.
    pub(crate) fn reserve(self, m: &mut Memory<'_>, more: u32) -> Result<(), Refused> {
        let len = self.len.saturating_add(more);
        m.reserve(
            Resource::Suffixes,
            &[
                PARENT.list(len, len),
                TAIL.list(len, len),
                FIRST.list(len, self.inputs),
                LAST.list(len, self.inputs),
                CHILD.list(len, len),
                SIBLING.list(len, len),
            ],
        )
    }

    /// Adds the suffix `first · tail`, whose proper suffixes are there already; there is room for it.
    pub(crate) fn add(&mut self, m: &mut Memory<'_>, first: Input, tail: Suffix) {
        let len = depth(m, tail).wrapping_add(1);
        let (mut parent, known) = self.known_prefix(m, first, tail);
        for position in known..len {
            let suffix = self.end();
            m.set(PARENT, suffix, parent.0);
            m.set(TAIL, suffix, ancestor(m, tail, len.wrapping_sub(position).wrapping_sub(1)).0);
            m.set(FIRST, suffix, first.index());
            m.set(LAST, suffix, self.input_at(m, first, tail, position).index());
            m.set(SIBLING, suffix, m.get(CHILD, parent));
            m.set(CHILD, parent, suffix.0);
            self.len = suffix.next().0;
            parent = suffix;
        }
        self.count = self.count.wrapping_add(1);
    }

    /// Takes all nodes back that were added since these were all suffixes.
    #[cfg(feature = "tree")]
    pub(crate) fn take_back(&mut self, m: &mut Memory<'_>, before: Self) {
        // The newest first: each is the newest child of its parent then.
        for suffix in (before.len..self.len).rev().map(Suffix) {
            let sibling = m.get(SIBLING, suffix);
            m.set(CHILD, parent(m, suffix), sibling);
        }
        *self = before;
    }

    /// The longest prefix of `first · tail` that is a node, and its length.
    fn known_prefix(self, m: &Memory<'_>, first: Input, tail: Suffix) -> (Suffix, u32) {
        let (mut node, mut known) = (Suffix::ROOT, 0_u32);
        for input in core::iter::once(first).chain(inputs(m, tail)) {
            let Some(child) = self.child(m, node, input) else { break };
            node = child;
            known = known.wrapping_add(1);
        }
        (node, known)
    }

    /// The input at a position of `first · tail`.
    fn input_at(self, m: &Memory<'_>, first: Input, tail: Suffix, position: u32) -> Input {
        match position.checked_sub(1) {
            None => first,
            // OK: positions are below the length.
            Some(in_tail) => inputs(m, tail).nth(in_tail as usize).unwrap_or(first),
        }
    }

    /// The node one input longer.
    #[inline]
    pub(crate) fn child(self, m: &Memory<'_>, suffix: Suffix, input: Input) -> Option<Suffix> {
        if suffix == Suffix::ROOT {
            // The inputs were added first, in their order.
            let child = Suffix(input.index()).next();
            return (child < self.end()).then_some(child);
        }
        let mut next = Suffix(m.get(CHILD, suffix));
        while next != Suffix::ROOT {
            if m.get(LAST, next) == input.index() {
                return Some(next);
            }
            next = Suffix(m.get(SIBLING, next));
        }
        None
    }

    /// The node of a word.
    pub(crate) fn find(self, m: &Memory<'_>, word: impl Iterator<Item = Input>) -> Option<Suffix> {
        let mut suffix = Suffix::ROOT;
        for input in word {
            suffix = self.child(m, suffix, input)?;
        }
        Some(suffix)
    }
}

/// Whether no longer word begins with this one.
pub(crate) fn is_leaf(m: &Memory<'_>, suffix: Suffix) -> bool {
    m.get(CHILD, suffix) == 0
}

/// The first input and what follows it.
pub(crate) fn split_first(m: &Memory<'_>, suffix: Suffix) -> (Input, Suffix) {
    (Input::new(m.get(FIRST, suffix)), Suffix(m.get(TAIL, suffix)))
}

/// What comes before the last input, and the last input.
pub(crate) fn split_last(m: &Memory<'_>, suffix: Suffix) -> (Suffix, Input) {
    (parent(m, suffix), Input::new(m.get(LAST, suffix)))
}

/// The word without its last input.
pub(crate) fn parent(m: &Memory<'_>, suffix: Suffix) -> Suffix {
    Suffix(m.get(PARENT, suffix))
}

/// The length of a word.
pub(crate) fn depth(m: &Memory<'_>, suffix: Suffix) -> u32 {
    inputs(m, suffix).fold(0, |len, _| u32::wrapping_add(len, 1))
}

/// The inputs of a word, first to last.
pub(crate) fn inputs<'a>(m: &'a Memory<'_>, suffix: Suffix) -> impl Iterator<Item = Input> + 'a {
    let mut rest = suffix;
    core::iter::from_fn(move || {
        if rest == Suffix::ROOT {
            return None;
        }
        let (input, tail) = split_first(m, rest);
        rest = tail;
        Some(input)
    })
}

/// Appends a suffix to the word of a lane.
pub(crate) fn push(
    m: &mut Memory<'_>,
    words: Words,
    lane: Lane,
    suffix: Suffix,
) -> Result<(), Refused> {
    let mut rest = suffix;
    while rest != Suffix::ROOT {
        let (first, tail) = split_first(m, rest);
        words.push(m, lane, first)?;
        rest = tail;
    }
    Ok(())
}

/// The word without its last `shorter` inputs.
fn ancestor(m: &Memory<'_>, suffix: Suffix, shorter: u32) -> Suffix {
    (0..shorter).fold(suffix, |suffix, _| parent(m, suffix))
}
