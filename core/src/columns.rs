//! The columns of the observation table: the suffixes `E` as a prefix tree.
//!
//! A cell of the paper's table holds the whole output word of a suffix. Suffixes share prefixes, and
//! what a prefix shows is the same in all of them, so a column here is a *prefix of a suffix* and its
//! symbol is the last output of that word: every word of a row is stored once. Two rows are equal in
//! these symbols iff they are equal in the output words of `E`.
//!
//! `E` is suffix-closed (it starts as `X` and grows by one input before a column), so the columns
//! are closed under prefixes and under suffixes. A column is (shorter prefix, last input) and also
//! (first input, shorter suffix); both links are kept. Only the leaves of the tree are ever asked.

use crate::Input;
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Want};

/// A column: a prefix of a suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Column(pub(crate) u32);

impl Column {
    /// The empty word: the root of the tree, not itself a column of cells.
    pub(crate) const ROOT: Self = Self(0);

    /// Where its symbol lies in a slot.
    pub(crate) fn index(self) -> u32 {
        self.0.saturating_sub(1)
    }
}

/// The columns, the root included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    len: u32,
    suffixes: u32,
    inputs: u32,
}

impl Columns {
    pub(crate) const fn new(inputs: u32) -> Self {
        Self { len: 1, suffixes: 0, inputs }
    }

    /// All columns, shorter prefixes and shorter suffixes before longer ones.
    pub(crate) fn iter(self) -> impl Iterator<Item = Column> {
        (1..self.len).map(Column)
    }

    /// The columns from `first` on.
    pub(crate) fn since(self, first: Column) -> impl Iterator<Item = Column> {
        (first.0..self.len).map(Column)
    }

    /// How many columns there are, which is how many symbols a row has.
    pub(crate) fn symbols(self) -> u32 {
        self.len - 1
    }

    /// The column that comes next.
    pub(crate) fn end(self) -> Column {
        Column(self.len)
    }

    /// How many suffixes were added: the size of `E`.
    pub(crate) fn suffixes(self) -> u32 {
        self.suffixes
    }

    /// Adds the suffix `first · tail`; its proper suffixes are columns already.
    ///
    /// # Errors
    /// There is no room for the columns, or for their symbols in the slots and, new, in `rows` rows.
    pub(crate) fn add(
        &mut self,
        m: &mut Memory<'_>,
        first: Input,
        tail: Column,
        symbol_max: u32,
        rows: u32,
    ) -> Result<(), Stop> {
        let depth = depth(m, tail);
        let mut parent = Column::ROOT;
        let mut known = 0;
        while known <= depth {
            let Some(child) = self.child(m, parent, self.input_at(m, first, tail, known)) else {
                break;
            };
            parent = child;
            known += 1;
        }
        let len = self.len + (depth + 1 - known);
        m.reserve(
            Resource::Suffixes,
            &[
                Want::list(Field::ColumnParent, len, len),
                Want::list(Field::ColumnTail, len, len),
                Want::list(Field::ColumnFirst, len, self.inputs),
                Want::list(Field::ColumnLast, len, self.inputs),
                Want::list(Field::ColumnChild, len, len),
                Want::list(Field::ColumnSibling, len, len),
                Want::matrix(Field::FreshSymbol, rows, len - self.len, symbol_max),
                Want::cells(0, len - 1, symbol_max),
            ],
        )?;
        for position in known..=depth {
            let column = Column(self.len);
            m.set(Field::ColumnParent, column.0, parent.0);
            m.set(Field::ColumnTail, column.0, ancestor(m, tail, depth - position).0);
            m.set(Field::ColumnFirst, column.0, first.index());
            m.set(Field::ColumnLast, column.0, self.input_at(m, first, tail, position).index());
            m.set(Field::ColumnSibling, column.0, m.get(Field::ColumnChild, parent.0));
            m.set(Field::ColumnChild, parent.0, column.0);
            self.len += 1;
            parent = column;
        }
        self.suffixes += 1;
        Ok(())
    }

    /// The input at a position of `first · tail`.
    fn input_at(self, m: &Memory<'_>, first: Input, tail: Column, position: u32) -> Input {
        match position.checked_sub(1) {
            None => first,
            Some(in_tail) => input(m, tail, in_tail),
        }
    }

    /// The column one input longer.
    #[inline]
    pub(crate) fn child(self, m: &Memory<'_>, column: Column, input: Input) -> Option<Column> {
        if column == Column::ROOT {
            // The inputs were added first, in their order.
            let child = Column(input.index() + 1);
            return (child < self.end()).then_some(child);
        }
        let first = m.get(Field::ColumnChild, column.0);
        let siblings =
            core::iter::successors(Some(first), |&next| Some(m.get(Field::ColumnSibling, next)));
        siblings
            .take_while(|&next| next != 0)
            .find(|&next| m.get(Field::ColumnLast, next) == input.index())
            .map(Column)
    }

    /// The column of a word.
    pub(crate) fn find(self, m: &Memory<'_>, word: impl Iterator<Item = Input>) -> Option<Column> {
        let mut column = Column::ROOT;
        for input in word {
            column = self.child(m, column, input)?;
        }
        Some(column)
    }
}

/// Whether no longer column begins with this one.
pub(crate) fn is_leaf(m: &Memory<'_>, column: Column) -> bool {
    m.get(Field::ColumnChild, column.0) == 0
}

/// The first input and what follows it.
pub(crate) fn split_first(m: &Memory<'_>, column: Column) -> (Input, Column) {
    let first = Input::new(m.get(Field::ColumnFirst, column.0));
    (first, Column(m.get(Field::ColumnTail, column.0)))
}

/// The column without its last input, and that input.
pub(crate) fn split_last(m: &Memory<'_>, column: Column) -> (Column, Input) {
    let parent = Column(m.get(Field::ColumnParent, column.0));
    (parent, Input::new(m.get(Field::ColumnLast, column.0)))
}

/// The length of a column's word.
pub(crate) fn depth(m: &Memory<'_>, column: Column) -> u32 {
    let mut depth = 0;
    let mut column = column;
    while column != Column::ROOT {
        column = split_last(m, column).0;
        depth += 1;
    }
    depth
}

/// The inputs of a column's word, first to last.
pub(crate) fn inputs<'a>(m: &'a Memory<'_>, column: Column) -> impl Iterator<Item = Input> + 'a {
    let mut rest = column;
    core::iter::from_fn(move || {
        if rest == Column::ROOT {
            return None;
        }
        let (input, tail) = split_first(m, rest);
        rest = tail;
        Some(input)
    })
}

fn input(m: &Memory<'_>, column: Column, position: u32) -> Input {
    // OK: callers ask for positions below the depth.
    inputs(m, column).nth(position as usize).unwrap_or(Input::new(0))
}

/// The column's word without its last `shorter` inputs.
fn ancestor(m: &Memory<'_>, column: Column, shorter: u32) -> Column {
    (0..shorter).fold(column, |column, _| split_last(m, column).0)
}
