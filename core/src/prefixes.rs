//! The prefixes `S`, a prefix-closed set of access words, and the words one input longer.
//!
//! A [`Short`] is a word of `S`, numbered in the order in which they were added. A [`Row`] is a word of
//! `S ∪ S·X`, numbered by its last step: row 0 is the empty word, row `1 + s·|X| + a` the word of the
//! short row `s` and the input `a`. So no word is stored, only the row of each short row.

use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, MemoryRef, fields, index};
use crate::suffixes;
use crate::words::{Lane, Words};

index! {
    /// A word of `S ∪ S·X`: the empty word, or a short row's word and an input.
    Row
}

index! {
    /// A word of `S`.
    Short
}

impl Row {
    /// The empty word.
    pub(crate) const EMPTY: Self = Self(0);

    /// The one after it.
    pub(crate) fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

impl Short {
    /// The empty word.
    pub(crate) const EMPTY: Self = Self(0);
}

fields! {
    after suffixes::FIELDS_END;
    /// The row of each short row.
    ROW: Field<Short> = Format::Wide;
}

/// The access words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefixes {
    len: u32,
    inputs: u32,
}

impl Prefixes {
    pub(crate) const fn new(inputs: u32) -> Self {
        Self { len: 0, inputs }
    }

    /// How many there are.
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// How many inputs there are.
    pub(crate) fn inputs(self) -> u32 {
        self.inputs
    }

    /// All inputs.
    pub(crate) fn alphabet(self) -> impl DoubleEndedIterator<Item = Input> + use<> {
        (0..self.inputs).map(Input::new)
    }

    /// All of them.
    pub(crate) fn iter(self) -> impl Iterator<Item = Short> + use<> {
        (0..self.len).map(Short)
    }

    /// How many rows there are, short and long.
    pub(crate) fn rows(self) -> u32 {
        self.successor(Short(self.len), Input::new(0)).0
    }

    /// How many rows there are if `len` of them are short.
    pub(crate) fn rows_with(self, len: u32) -> u32 {
        len.saturating_mul(self.inputs).saturating_add(1)
    }

    /// Makes room for `len` words. There is none for more than 2³¹ rows: twice the number of a row is counted, too.
    pub(crate) fn reserve(self, m: &mut Memory<'_>, len: u32) -> Result<(), Refused> {
        let rows = self.rows_with(len);
        let len = if rows > 1 << 31 { u32::MAX } else { len };
        m.reserve(Resource::Rows, &[ROW.list(len, rows)])
    }

    /// Adds a word; there is room for it.
    pub(crate) fn add(&mut self, m: &mut Memory<'_>, row: Row) -> Short {
        let short = Short(self.len);
        m.set(ROW, short, row.0);
        self.len = self.len.wrapping_add(1);
        short
    }

    /// The word one input longer.
    #[inline]
    pub(crate) fn successor(self, short: Short, input: Input) -> Row {
        Row(short.0.wrapping_mul(self.inputs).wrapping_add(input.index()).wrapping_add(1))
    }

    /// The word one input shorter, and that input; `None` for the empty word.
    pub(crate) fn predecessor(self, row: Row) -> Option<(Short, Input)> {
        let entry = row.0.checked_sub(1)?;
        let short = entry.checked_div(self.inputs)?;
        Some((Short(short), Input::new(entry.wrapping_sub(short.wrapping_mul(self.inputs)))))
    }

    /// The word one input shorter, and that input; `None` for the empty word.
    pub(crate) fn before(self, m: MemoryRef<'_>, short: Short) -> Option<(Short, Input)> {
        self.predecessor(Row(m.get(ROW, short)))
    }

    /// The row of a short row.
    #[inline]
    pub(crate) fn row(self, m: &Memory<'_>, short: Short) -> Row {
        Row(m.get(ROW, short))
    }

    /// Whether a row is short: looks at all short rows.
    pub(crate) fn contains(self, m: &Memory<'_>, row: Row) -> bool {
        self.iter().any(|short| self.row(m, short) == row)
    }

    /// Makes the word of a row the word of a lane, which is empty.
    pub(crate) fn push(
        self,
        m: &mut Memory<'_>,
        words: Words,
        lane: Lane,
        row: Row,
    ) -> Result<(), Refused> {
        // Most words of a table begin as the one before.
        if words.restore_prefix(m, lane, row.0) {
            return Ok(());
        }
        let (mut len, mut at) = (0, row);
        while let Some((short, _)) = self.predecessor(at) {
            len = u32::saturating_add(len, 1);
            at = self.row(m, short);
        }
        words.extend(m, lane, len)?;
        words.mark_prefix(m, lane, row.0);
        at = row;
        while let Some((short, input)) = self.predecessor(at) {
            len = len.wrapping_sub(1);
            words.set_input(m, lane, len, input);
            at = self.row(m, short);
        }
        Ok(())
    }
}
