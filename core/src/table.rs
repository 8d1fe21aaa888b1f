//! The observation table `(S, E, T)` of L* and OL* (paper, Definition 2), packed.
//!
//! **Rows.** The row of the empty word is row 0; the row of `s·a`, for the short row `s` and the
//! input `a`, is row `1 + s·|X| + a`. So no word is stored: a row that is a short row itself (`s·a ∈ S`)
//! is listed as such, all others are long. Every row keeps the output of its last input, and its class.
//!
//! **Cells.** Equal rows share their cells: each class of whole rows (see `classes`) has a slot of the
//! region, one symbol for each column (see `columns`). Of a closed table no more is kept than of a
//! table of its short rows.
//!
//! **While words are asked** what comes in is kept apart, since it is not known yet which rows are equal.
//! New rows have a slot each, after those of the classes, until they are classified. New columns have a
//! symbol for each long row until they have divided the classes; in a short row they follow from its
//! successors: `T(s)(a·e)` is the output of `s·a` followed by `T(s·a)(e)`, and `e` is a column because
//! the columns are closed under suffixes. There are never both.
//!
//! **Symbols.** A symbol is an output's index plus one; zero is *not asked yet*. A symbol's width
//! follows the number of outputs, and the slots' length follows the number of columns, while both grow.
//!
//! **What is asked.** The table is its own cache: a word is asked only for a leaf of the columns in a
//! long row whose symbol is not there yet. When a long row becomes short, its successors begin with
//! the cells that follow from its own.

use crate::columns::{Column, Columns, is_leaf, split_first};
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Read, Want};
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
    pub(crate) whole_classes: u32,
    /// Classes before this one have a short row.
    pub(crate) settled: u32,
    /// Rows before this one have a class, the others are being filled.
    pub(crate) classified: u32,
    /// The slot of the first row that the last short row brought.
    filling: u32,
    /// Columns from this one on are being filled.
    pub(crate) fresh: Column,
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
            whole_classes: 0,
            settled: 0,
            classified: 0,
            filling: 0,
            fresh: Column(1),
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
        self.reserve_rows(m, 1)?;
        self.fresh = self.columns.end();
        Self::set_short_of(m, 0, Short(0));
        self.shorts = 1;
        self.classified = 1;
        self.filling = 1;
        Ok(self.rows_of(Short(0)))
    }

    /// Makes room for so many short rows, and for the cells of the rows that the last one brings.
    fn reserve_rows(&self, m: &mut Memory<'_>, shorts: u32) -> Result<(), Stop> {
        let rows = 1 + shorts * self.inputs;
        let classes = self.whole_classes.max(1);
        let slots = classes + self.inputs;
        m.reserve(
            Resource::Rows,
            &[
                Want::list(Field::ShortRow, shorts, rows),
                Want::list(Field::RowOutput, rows, self.symbol_max()),
                Want::list(Field::WholeClass, rows, 0),
                Want::list(Field::WholeSample, classes, rows << 1 | 1),
                Want::cells(slots, self.columns.symbols(), self.symbol_max()),
            ],
        )
    }

    /// Makes the symbols wide enough for all outputs known.
    pub(crate) fn widen(&self, m: &mut Memory<'_>) -> Result<(), Stop> {
        m.reserve(
            Resource::Outputs,
            &[
                Want::list(Field::RowOutput, 0, self.symbol_max()),
                Want::list(Field::FreshSymbol, 0, self.symbol_max()),
                Want::cells(0, self.columns.symbols(), self.symbol_max()),
            ],
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

    /// How many rows are long.
    pub(crate) fn long_rows(&self) -> u32 {
        self.rows() - self.shorts
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

    /// The slot of a row.
    #[inline]
    pub(crate) fn slot(&self, m: &Memory<'_>, row: Row) -> u32 {
        if row.0 < self.classified {
            return m.get(Field::WholeClass, row.0);
        }
        self.filling + row.0 + self.inputs - self.rows()
    }

    /// The short row of a class of whole rows, if it has one.
    #[inline]
    pub(crate) fn short_of(m: &Memory<'_>, class: u32) -> Option<Short> {
        let sample = m.get(Field::WholeSample, class);
        (sample & 1 == 1).then_some(Short(sample >> 1))
    }

    fn set_short_of(m: &mut Memory<'_>, class: u32, short: Short) {
        m.set(Field::WholeSample, class, short.0 << 1 | 1);
    }

    /// The short row that a row is, if it is one.
    #[inline]
    pub(crate) fn short(&self, m: &Memory<'_>, row: Row) -> Option<Short> {
        if row.0 >= self.classified {
            return None;
        }
        let short = Self::short_of(m, m.get(Field::WholeClass, row.0))?;
        (Self::row_of(m, short) == row).then_some(short)
    }

    /// Whether a row is short.
    pub(crate) fn is_short(&self, m: &Memory<'_>, row: Row) -> bool {
        self.short(m, row).is_some()
    }

    /// The symbol of a row's last output.
    pub(crate) fn row_symbol(m: &Memory<'_>, row: Row) -> u32 {
        m.get(Field::RowOutput, row.0)
    }

    /// Where the symbol of a column in a row is.
    #[inline]
    pub(crate) fn place(&self, m: &Memory<'_>, row: Row, column: Column) -> Place {
        match column.0.checked_sub(self.fresh.0) {
            Some(fresh) => Place::Fresh(row, fresh),
            None => Place::Cell(self.slot(m, row), column),
        }
    }

    /// The symbol of a column in a row.
    #[inline]
    pub(crate) fn symbol(&self, m: &Memory<'_>, row: Row, column: Column) -> u32 {
        self.place(m, row, column).get(m)
    }

    /// The symbol of a column in a short row, as it follows from its successors.
    pub(crate) fn derived(&self, m: &Memory<'_>, short: Short, column: Column) -> u32 {
        let (first, tail) = split_first(m, column);
        let row = self.successor(short, first);
        if tail == Column::ROOT { Self::row_symbol(m, row) } else { self.symbol(m, row, tail) }
    }

    /// Word `index` of the cells of a row.
    #[inline]
    pub(crate) fn packed(&self, m: &Memory<'_>, row: Row, index: u32) -> u32 {
        m.cell_word(self.slot(m, row), index)
    }

    /// Moves a long row, of a class without a short one, to the short rows; its successors are to be
    /// filled.
    pub(crate) fn promote(&mut self, m: &mut Memory<'_>, row: Row) -> Result<Batch, Stop> {
        let class = m.get(Field::WholeClass, row.0);
        let short = Short(self.shorts);
        self.reserve_rows(m, self.shorts + 1)?;
        m.set(Field::ShortRow, short.0, row.0);
        Self::set_short_of(m, class, short);
        self.shorts += 1;
        self.filling = self.whole_classes;
        for slot in self.filling..self.filling + self.inputs {
            for column in self.columns.iter() {
                m.put(Field::Cell, slot, column.index(), 0);
            }
        }
        for column in self.columns.iter() {
            let symbol = m.at(Field::Cell, class, column.index());
            let (first, tail) = split_first(m, column);
            let row = self.successor(short, first);
            if tail == Column::ROOT {
                m.set(Field::RowOutput, row.0, symbol);
            } else {
                m.put(Field::Cell, self.slot(m, row), tail.index(), symbol);
            }
        }
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
        self.columns.add(m, first, tail, self.symbol_max(), self.rows())?;
        for row in (0..self.rows()).map(Row) {
            for column in 0..self.columns.end().0 - self.fresh.0 {
                Place::Fresh(row, column).set(m, 0);
            }
        }
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
            if !self.is_short(m, Row(row)) {
                for column in self.columns.since(first) {
                    if is_leaf(m, column) && self.symbol(m, Row(row), column) == 0 {
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
        while position < len
            && let Some(short) = self.short(m, row)
        {
            row = self.successor(short, input(m, position));
            place(m, position, Place::Row(row));
            position += 1;
        }
        let mut column = Column::ROOT;
        while position < len {
            let Some(next) = self.columns.child(m, column, input(m, position)) else { return };
            place(m, position, self.place(m, row, next));
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
    /// A row's cell in this column of those that are being filled.
    Fresh(Row, u32),
}

impl Place {
    /// The symbol that is there; zero if none.
    pub(crate) fn get(self, m: &Memory<'_>) -> u32 {
        match self {
            Self::Row(row) => Table::row_symbol(m, row),
            Self::Cell(slot, column) => m.at(Field::Cell, slot, column.index()),
            Self::Fresh(row, column) => m.at(Field::FreshSymbol, row.0, column),
        }
    }

    /// Writes the symbol.
    pub(crate) fn set(self, m: &mut Memory<'_>, symbol: u32) {
        match self {
            Self::Row(row) => m.set(Field::RowOutput, row.0, symbol),
            Self::Cell(slot, column) => m.put(Field::Cell, slot, column.index(), symbol),
            Self::Fresh(row, column) => m.put(Field::FreshSymbol, row.0, column, symbol),
        }
    }
}

/// The symbol of an output.
pub(crate) fn symbol_of(output: Output) -> u32 {
    output.index() + 1
}
