//! The observation table `(S, E, T)` of L* and OL* (paper, Definition 2), packed.
//!
//! **Rows.** The row of the empty word is row 0; the row of `s·a`, for the short row `s` and the
//! input `a`, is row `1 + s·|X| + a`. So no word is stored: a row that is a short row itself (`s·a ∈ S`)
//! is marked as such, all others are long. Every row keeps the output of its last input.
//!
//! **Cells.** Only long rows have cells: one symbol for each column (see `columns`), in a slot of the
//! region. The cells of a short row follow from its successors': `T(s)(a·e)` is the output of `s·a`
//! followed by `T(s·a)(e)`, and `e` is a column because the columns are closed under suffixes.
//!
//! **Symbols.** A symbol is an output's index plus one; zero is *not asked yet*. A symbol's width
//! follows the number of outputs, and the slots' length follows the number of columns, while both grow.
//!
//! **What is asked.** The table is its own cache: a word is asked only for a leaf of the columns in a
//! long row whose symbol is not there yet. When a long row becomes short, its cells move into its
//! successors' rows before its slot is given away.

use crate::columns::{Column, Columns, is_leaf, split_first};
use crate::error::{Resource, Stop};
use crate::memory::{Cells, Field, Memory, Read, Want};
use crate::outputs::{Family, Outputs};
use crate::{Input, Output};

/// A row: of the empty word, or of a short row and an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row(pub(crate) u32);

impl Row {
    /// The row of the empty word.
    pub(crate) const EMPTY: Self = Self(0);
}

/// A short row, numbered in the order in which rows became short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Short(pub(crate) u32);

/// Where the cells of a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// In the rows of its successors.
    Short(Short),
    /// In this slot.
    Long(u32),
}

/// The words that a step of the learner asks: leaves from `leaf` on, in rows `from..to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// The first row.
    pub(crate) from: Row,
    /// The row after the last.
    pub(crate) to: Row,
    /// The first column that is new in these rows.
    pub(crate) first: Column,
}

/// The table; its contents lie in the region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) outputs: Outputs,
    pub(crate) family: Family,
    pub(crate) columns: Columns,
    pub(crate) inputs: u32,
    pub(crate) shorts: u32,
    pub(crate) slots: u32,
    pub(crate) whole_classes: u32,
    /// Rows before this one equal short rows as a whole.
    pub(crate) settled: u32,
    /// Columns before this one are in the digests.
    pub(crate) digested: Column,
    /// Outputs, and components, that the layout has room for.
    pub(crate) admitted: u32,
    pub(crate) divided: u32,
}

impl Table {
    pub(crate) const fn new(inputs: u32, family: Family, outputs: Outputs) -> Self {
        let columns = Columns::new(inputs);
        Self {
            outputs,
            family,
            columns,
            inputs,
            shorts: 0,
            slots: 0,
            whole_classes: 0,
            settled: 0,
            digested: Column::ROOT,
            admitted: 0,
            divided: 0,
        }
    }

    /// `S = {ε}`, `E = X`: the table of the beginning, to be filled.
    pub(crate) fn begin(&mut self, m: &mut Memory<'_>) -> Result<Batch, Stop> {
        for input in self.columns.suffixes()..self.inputs {
            self.columns.add(m, Input::new(input), Column::ROOT, 1, 0)?;
        }
        self.reserve_rows(m, 1, self.inputs)?;
        m.set(Field::RowTarget, 0, 1);
        self.shorts = 1;
        self.slots = self.inputs;
        for input in 0..self.inputs {
            m.set(Field::RowTarget, 1 + input, input << 1);
        }
        Ok(self.rows_of(Short(0)))
    }

    fn reserve_rows(&self, m: &mut Memory<'_>, shorts: u32, slots: u32) -> Result<(), Stop> {
        let rows = 1 + shorts * self.inputs;
        let cells = Cells::new(slots, self.columns.symbols(), self.symbol_max());
        m.reserve_with(
            Resource::Rows,
            &[
                Want::list(Field::ShortRow, shorts, rows),
                Want::list(Field::RowOutput, rows, self.symbol_max()),
                Want::list(Field::RowTarget, rows, slots.max(shorts) << 1 | 1),
                Want::list(Field::WholeClass, rows, self.whole_classes),
            ],
            cells,
        )
    }

    /// Makes the symbols wide enough for all outputs known.
    pub(crate) fn widen(&self, m: &mut Memory<'_>) -> Result<(), Stop> {
        m.reserve_with(
            Resource::Outputs,
            &[Want::list(Field::RowOutput, 0, self.symbol_max())],
            Cells::new(self.slots, self.columns.symbols(), self.symbol_max()),
        )
    }

    /// The largest symbol.
    pub(crate) fn symbol_max(&self) -> u32 {
        self.outputs.len()
    }

    /// The number of components that are learned beside the whole machine.
    pub(crate) fn components(&self) -> u32 {
        match self.family {
            Family::Identity => 0,
            Family::PerOutput => self.outputs.components(),
        }
    }

    /// How many rows there are, short and long.
    pub(crate) fn rows(&self) -> u32 {
        1 + self.shorts * self.inputs
    }

    /// All inputs.
    pub(crate) fn alphabet(&self) -> impl DoubleEndedIterator<Item = Input> + use<> {
        (0..self.inputs).map(Input::new)
    }

    /// The row of `s·a`.
    pub(crate) fn successor(&self, short: Short, input: Input) -> Row {
        Row(1 + short.0 * self.inputs + input.index())
    }

    /// The short row and the input of a row, unless it is the empty word's.
    pub(crate) fn predecessor(&self, row: Row) -> Option<(Short, Input)> {
        let entry = row.0.checked_sub(1)?;
        let short = entry.checked_div(self.inputs)?;
        Some((Short(short), Input::new(entry - short * self.inputs)))
    }

    /// The short row before a short row, and the input between; `None` for the empty word's.
    pub(crate) fn before(&self, read: Read<'_>, short: Short) -> Option<(Short, Input)> {
        self.predecessor(Row(read.get(Field::ShortRow, short.0)))
    }

    /// The row of a short row.
    pub(crate) fn row_of(m: &Memory<'_>, short: Short) -> Row {
        Row(m.get(Field::ShortRow, short.0))
    }

    /// Where the cells of a row are.
    #[inline]
    pub(crate) fn target(m: &Memory<'_>, row: Row) -> Target {
        let target = m.get(Field::RowTarget, row.0);
        if target & 1 == 1 { Target::Short(Short(target >> 1)) } else { Target::Long(target >> 1) }
    }

    /// Whether a row is short.
    pub(crate) fn is_short(m: &Memory<'_>, row: Row) -> bool {
        matches!(Self::target(m, row), Target::Short(_))
    }

    /// The symbol of a row's last output.
    pub(crate) fn row_symbol(m: &Memory<'_>, row: Row) -> u32 {
        m.get(Field::RowOutput, row.0)
    }

    /// The symbol of a column in a row, short or long.
    #[inline]
    pub(crate) fn symbol(&self, m: &Memory<'_>, row: Row, column: Column) -> u32 {
        let (mut row, mut column) = (row, column);
        loop {
            match Self::target(m, row) {
                Target::Long(slot) => return m.cell(slot, column.index()),
                Target::Short(short) => {
                    let (first, tail) = split_first(m, column);
                    row = self.successor(short, first);
                    if tail == Column::ROOT {
                        return Self::row_symbol(m, row);
                    }
                    column = tail;
                }
            }
        }
    }

    /// Word `index` of a row as its slot holds it, put together where the row is short.
    #[inline]
    pub(crate) fn packed(&self, m: &Memory<'_>, row: Row, index: u32) -> u32 {
        match Self::target(m, row) {
            Target::Long(slot) => m.slot(slot).get(index as usize).copied().unwrap_or(0),
            Target::Short(_) => {
                let packing = m.cells().packing;
                let mut word = [0];
                for field in 0..packing.per_word() {
                    let column = index * packing.per_word() + field + 1;
                    if column <= self.columns.symbols() {
                        packing.set(&mut word, 0, field, self.symbol(m, row, Column(column)));
                    }
                }
                word[0]
            }
        }
    }

    /// Moves a long row to the short rows; its successors are to be filled.
    pub(crate) fn promote(&mut self, m: &mut Memory<'_>, row: Row) -> Result<Batch, Stop> {
        let Target::Long(old) = Self::target(m, row) else {
            return Ok(Batch { from: row, to: row, first: self.columns.end() });
        };
        let short = Short(self.shorts);
        self.reserve_rows(m, self.shorts + 1, self.slots + self.inputs - 1)?;
        m.set(Field::ShortRow, short.0, row.0);
        m.set(Field::RowTarget, row.0, short.0 << 1 | 1);
        self.shorts += 1;
        // The last successor gets the old slot; the others are new, and empty.
        let slot = |input: Input| {
            if input.index() + 1 == self.inputs { old } else { self.slots + input.index() }
        };
        for input in self.alphabet() {
            m.set(Field::RowTarget, self.successor(short, input).0, slot(input) << 1);
        }
        // A symbol moves to a column before its own, whose symbol has moved already.
        for column in self.columns.iter() {
            let symbol = m.cell(old, column.index());
            m.set_cell(old, column.index(), 0);
            let (first, tail) = split_first(m, column);
            if tail == Column::ROOT {
                m.set(Field::RowOutput, self.successor(short, first).0, symbol);
            } else {
                m.set_cell(slot(first), tail.index(), symbol);
            }
        }
        self.slots += self.inputs - 1;
        Ok(self.rows_of(short))
    }

    /// The rows that follow a short row, to be filled.
    fn rows_of(&self, short: Short) -> Batch {
        let from = self.successor(short, Input::new(0));
        Batch { from, to: Row(from.0 + self.inputs), first: Column(1) }
    }

    /// Adds the suffix `first · tail`; all long rows are to be filled.
    pub(crate) fn add_suffix(
        &mut self,
        m: &mut Memory<'_>,
        first: Input,
        tail: Column,
    ) -> Result<Batch, Stop> {
        let new = self.columns.end();
        self.columns.add(m, first, tail, self.symbol_max(), self.slots)?;
        Ok(Batch { from: Row(0), to: Row(self.rows()), first: new })
    }

    /// The first word of a batch at or after (row, column) that is to be asked.
    pub(crate) fn missing(
        &self,
        m: &Memory<'_>,
        batch: Batch,
        at: (Row, Column),
    ) -> Option<(Row, Column)> {
        let (row, mut first) = at;
        for row in row.0..batch.to.0 {
            if let Target::Long(slot) = Self::target(m, Row(row)) {
                for column in self.columns.since(first) {
                    if is_leaf(m, column) && m.cell(slot, column.index()) == 0 {
                        return Some((Row(row), column));
                    }
                }
            }
            first = batch.first;
        }
        None
    }

    /// Walks a word through the table: calls `place` with each place where its outputs belong.
    ///
    /// Stops where the table has no place for the rest.
    pub(crate) fn places(
        &self,
        m: &mut Memory<'_>,
        len: u32,
        input: impl Fn(&Memory<'_>, u32) -> Input,
        mut place: impl FnMut(&mut Memory<'_>, u32, Place),
    ) {
        let mut row = Row::EMPTY;
        let mut position = 0;
        let slot = loop {
            match Self::target(m, row) {
                Target::Long(slot) => break slot,
                Target::Short(_) if position == len => return,
                Target::Short(short) => row = self.successor(short, input(m, position)),
            }
            place(m, position, Place::Row(row));
            position += 1;
        };
        let mut column = Column::ROOT;
        while position < len {
            let Some(next) = self.columns.child(m, column, input(m, position)) else { return };
            place(m, position, Place::Cell(slot, next));
            column = next;
            position += 1;
        }
    }
}

/// Where the output of a symbol belongs in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The output of a row's last input.
    Row(Row),
    /// A cell of a slot.
    Cell(u32, Column),
}

impl Place {
    /// The symbol that is there; zero if none.
    pub(crate) fn get(self, m: &Memory<'_>) -> u32 {
        match self {
            Self::Row(row) => Table::row_symbol(m, row),
            Self::Cell(slot, column) => m.cell(slot, column.index()),
        }
    }

    /// Writes the symbol.
    pub(crate) fn set(self, m: &mut Memory<'_>, symbol: u32) {
        match self {
            Self::Row(row) => m.set(Field::RowOutput, row.0, symbol),
            Self::Cell(slot, column) => m.set_cell(slot, column.index(), symbol),
        }
    }
}

/// The symbol of an output.
pub(crate) fn symbol_of(output: Output) -> u32 {
    output.index() + 1
}
