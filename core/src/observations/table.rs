//! The observation table `(S, E, T)` of L* and OL* (paper, Definition 2), packed.
//!
//! **Rows** are numbered as in [`prefixes`]. A row whose word is in `S` is short, all others are long.
//! Each row keeps the output of its last input, and the number of its full row.
//!
//! **Cells.** Equal rows share their cells: each class of rows that are equal in all cells (*full
//! rows*) has a slot of the region, one symbol for each column; columns are the nodes of the suffixes'
//! tree (see [`suffixes`]). A closed table takes no more than a table of its short rows.
//!
//! **While words are asked** their answers are kept apart, since it is not known yet which rows are
//! equal. New rows have a slot each, after those of the classes, until they are classified. New
//! columns have a symbol for each long row until they have divided the classes; in a short row they
//! follow from its successors: `T(s)(a·e)` is the output of `s·a` followed by `T(s·a)(e)`, and `e` is
//! a column because the columns are closed under suffixes. There are never new rows and new columns.
//!
//! **Symbols** are outputs' indices plus one; zero is *not asked yet*. Their width follows the number
//! of outputs, and the length of slots the number of columns, while both grow.
//!
//! **What is asked.** The table is its own cache: a word is asked only for a leaf of the columns in a
//! long row whose symbol is not there yet. When a long row becomes short, its successors begin with
//! the cells that follow from its own.

use crate::alphabet::{Input, Output};
use crate::error::{Contradiction, Refused, Resource};
use crate::memory::{self, Field, Format, Index, Memory, fields, index};
use crate::options::Projections;
use crate::outputs::Outputs;
use crate::prefixes::{Prefixes, Row, Short};
use crate::projection::{PackedProjection, Projection, symbol_of};
use crate::suffixes::{Suffix, Suffixes, is_leaf, split_first};
use crate::words::{Lane, Words};

index! {
    /// Rows that are equal in all cells, numbered in the order in which they came up; also the slot of
    /// their cells.
    FullRow
}

index! {
    /// A column of those that are being filled.
    NewColumn
}

/// A column of cells.
#[derive(Clone, Copy)]
struct Column(Suffix);

impl Index for Column {
    #[inline]
    fn index(self) -> u32 {
        self.0.index().saturating_sub(1)
    }
}

fields! {
    before memory::FIELDS;
    /// Full row × column: the symbol; after these, rows that are being filled.
    CELL: Field<FullRow, Column> = Format::PaddedRows;
    /// Row × column that is being filled: the symbol.
    NEW_CELL: Field<Row, NewColumn> = Format::Packed;
    /// For each full row: its short row times two plus one, or another row times two.
    REPRESENTATIVE: Field<FullRow> = Format::Wide;
    /// The full row of each row.
    FULL_ROW: Field<Row> = Format::Packed;
    /// The symbol of each row's last input.
    LAST_SYMBOL: Field<Row> = Format::Packed;
}

/// The words that a step of the learner asks: leaves from `first` on, in rows `from..to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// The first row.
    pub(crate) from: Row,
    /// The row after the last.
    pub(crate) to: Row,
    /// The first column that is new in these rows.
    pub(crate) first: Suffix,
}

/// The table; its contents lie in the region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    outputs: Outputs,
    projections: Projections,
    prefixes: Prefixes,
    suffixes: Suffixes,
    full_rows: u32,
    /// Rows before this one have a full row; the others are being filled.
    classified_end: u32,
    /// Columns before this one are in the slots; the others are being filled.
    settled_end: Suffix,
    /// The slot of the first row that is being filled.
    filling_slot: u32,
}

impl Table {
    pub(crate) const fn new(inputs: u32, projections: Projections) -> Self {
        Self {
            outputs: Outputs::NONE,
            projections,
            prefixes: Prefixes::new(inputs),
            suffixes: Suffixes::new(inputs),
            full_rows: 0,
            classified_end: 0,
            settled_end: Suffix(1),
            filling_slot: 0,
        }
    }

    /// The outputs that were seen so far: `Y`.
    pub(crate) fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// The outputs that were seen so far: `Y`.
    pub(crate) fn outputs_mut(&mut self) -> &mut Outputs {
        &mut self.outputs
    }

    /// `S`.
    pub(crate) fn prefixes(&self) -> Prefixes {
        self.prefixes
    }

    /// `E`.
    pub(crate) fn suffixes(&self) -> Suffixes {
        self.suffixes
    }

    /// The table of the beginning, to be filled: `S = {ε}`, `E = X`.
    pub(crate) fn begin(&mut self, m: &mut Memory<'_>) -> Result<Batch, Refused> {
        self.suffixes.add_inputs(m)?;
        self.reserve_rows(m, 1)?;
        self.settled_end = self.suffixes.end();
        let short = self.prefixes.add(m, Row::EMPTY);
        Self::set_short_of(m, FullRow(0), short);
        self.classified_end = 1;
        self.filling_slot = 1;
        Ok(self.successors(short))
    }

    /// Makes room for `shorts` short rows, and for the cells of the successors of the last one.
    fn reserve_rows(&self, m: &mut Memory<'_>, shorts: u32) -> Result<(), Refused> {
        self.prefixes.reserve(m, shorts)?;
        let rows = self.prefixes.rows_with(shorts);
        let full_rows = self.full_rows.max(1);
        let slots = full_rows.saturating_add(self.prefixes.inputs());
        m.reserve(
            Resource::Rows,
            &[
                LAST_SYMBOL.list(rows, self.symbol_max()),
                FULL_ROW.list(rows, 0),
                REPRESENTATIVE.list(full_rows, rows << 1 | 1),
                CELL.matrix(slots, self.suffixes.symbols(), self.symbol_max()),
            ],
        )
    }

    /// Makes the symbols wide enough for all outputs known.
    pub(crate) fn widen(&self, m: &mut Memory<'_>) -> Result<(), Refused> {
        m.reserve(
            Resource::Outputs,
            &[
                LAST_SYMBOL.list(0, self.symbol_max()),
                NEW_CELL.matrix(0, 1, self.symbol_max()),
                CELL.matrix(0, self.suffixes.symbols(), self.symbol_max()),
            ],
        )
    }

    /// Makes room for `len` full rows.
    pub(crate) fn reserve_full_rows(&self, m: &mut Memory<'_>, len: u32) -> Result<(), Refused> {
        let rows = self.rows();
        m.reserve(
            Resource::Classes,
            &[
                FULL_ROW.list(rows, len),
                REPRESENTATIVE.list(len, rows << 1 | 1),
                CELL.matrix(len, self.suffixes.symbols(), 0),
            ],
        )
    }

    /// The largest symbol.
    pub(crate) fn symbol_max(&self) -> u32 {
        self.outputs.len()
    }

    /// How many components are learned beside the full machine: none for the identity.
    pub(crate) fn components(&self) -> u32 {
        match self.projections {
            Projections::Identity => 0,
            _ => self.outputs.components(),
        }
    }

    /// How many rows there are, short and long.
    pub(crate) fn rows(&self) -> u32 {
        self.prefixes.rows()
    }

    /// How many rows are long.
    pub(crate) fn long_rows(&self) -> u32 {
        self.rows().wrapping_sub(self.prefixes.len())
    }

    /// How many full rows there are.
    pub(crate) fn full_rows(&self) -> u32 {
        self.full_rows
    }

    /// The first row that has no full row yet, if there is one.
    pub(crate) fn unclassified(&self) -> Option<Row> {
        (self.classified_end < self.rows()).then_some(Row(self.classified_end))
    }

    /// The columns that are being filled.
    pub(crate) fn new_columns(&self) -> impl Iterator<Item = Suffix> + use<> {
        self.suffixes.since(self.settled_end)
    }

    /// The full row of a row.
    #[inline]
    pub(crate) fn full_row(m: &Memory<'_>, row: Row) -> FullRow {
        FullRow(m.get(FULL_ROW, row))
    }

    /// A row is equal to a full row.
    pub(crate) fn set_full_row(&mut self, m: &mut Memory<'_>, row: Row, full: FullRow) {
        m.set(FULL_ROW, row, full.0);
        self.classified_end = self.classified_end.max(row.next().0);
    }

    /// The next full row is that of a row; there is room for it.
    pub(crate) fn add_full_row(&mut self, m: &mut Memory<'_>, row: Row) {
        let full = FullRow(self.full_rows);
        Self::set_representative(m, full, row);
        m.copy_row(CELL, self.slot(m, row), full);
        self.full_rows = self.full_rows.wrapping_add(1);
    }

    /// Some rows of a full row get a full row of their own, still with its cells.
    pub(crate) fn copy_full_row(m: &mut Memory<'_>, from: FullRow, to: FullRow) {
        m.copy_row(CELL, from, to);
    }

    /// There are more full rows.
    pub(crate) fn set_full_rows(&mut self, len: u32) {
        self.full_rows = len;
    }

    /// The short row that is equal to a full row, if there is one.
    #[inline]
    pub(crate) fn short_of(m: &Memory<'_>, full: FullRow) -> Option<Short> {
        let entry = m.get(REPRESENTATIVE, full);
        (entry & 1 == 1).then_some(Short(entry >> 1))
    }

    fn set_short_of(m: &mut Memory<'_>, full: FullRow, short: Short) {
        m.set(REPRESENTATIVE, full, short.0 << 1 | 1);
    }

    /// A row that is equal to a full row, short if there is one.
    #[inline]
    pub(crate) fn representative(&self, m: &Memory<'_>, full: FullRow) -> Row {
        match Self::short_of(m, full) {
            Some(short) => self.prefixes.row(m, short),
            None => Row(m.get(REPRESENTATIVE, full) >> 1),
        }
    }

    /// Makes a row the representative of its full row, unless that has a short one.
    pub(crate) fn set_representative(m: &mut Memory<'_>, full: FullRow, row: Row) {
        if Self::short_of(m, full).is_none() {
            m.set(REPRESENTATIVE, full, row.0 << 1);
        }
    }

    /// The short row that a row is, if it is one.
    #[inline]
    pub(crate) fn short(&self, m: &Memory<'_>, row: Row) -> Option<Short> {
        if row.0 >= self.classified_end {
            return None;
        }
        let short = Self::short_of(m, Self::full_row(m, row))?;
        (self.prefixes.row(m, short) == row).then_some(short)
    }

    /// Whether a row is short.
    pub(crate) fn is_short(&self, m: &Memory<'_>, row: Row) -> bool {
        self.short(m, row).is_some()
    }

    /// The slot of a row's cells.
    #[inline]
    fn slot(&self, m: &Memory<'_>, row: Row) -> FullRow {
        if row.0 < self.classified_end {
            return Self::full_row(m, row);
        }
        let before = self.rows().wrapping_sub(self.prefixes.inputs());
        FullRow(self.filling_slot.wrapping_add(row.0).wrapping_sub(before))
    }

    /// The symbol of a row's last output.
    pub(crate) fn last_symbol(m: &Memory<'_>, row: Row) -> u32 {
        m.get(LAST_SYMBOL, row)
    }

    /// Where the symbol of a column in a row is.
    #[inline]
    pub(crate) fn place(&self, m: &Memory<'_>, row: Row, column: Suffix) -> Place {
        match column.0.checked_sub(self.settled_end.0) {
            Some(new) => Place::NewCell(row, NewColumn(new)),
            None => Place::Cell(self.slot(m, row), column),
        }
    }

    /// The symbol of a column in a row.
    #[inline]
    pub(crate) fn symbol(&self, m: &Memory<'_>, row: Row, column: Suffix) -> u32 {
        self.place(m, row, column).get(m)
    }

    /// The symbol of a column in a short row, as it follows from its successors.
    pub(crate) fn derived(&self, m: &Memory<'_>, short: Short, column: Suffix) -> u32 {
        let (first, tail) = split_first(m, column);
        let row = self.prefixes.successor(short, first);
        if tail == Suffix::ROOT { Self::last_symbol(m, row) } else { self.symbol(m, row, tail) }
    }

    /// A projection of packed cells.
    pub(crate) fn packed(&self, m: &Memory<'_>, projection: Projection) -> PackedProjection {
        PackedProjection::new(projection, &self.outputs, m, m.packing(CELL))
    }

    /// Whether two rows are equal under a projection.
    pub(crate) fn equal(
        &self,
        m: &Memory<'_>,
        projection: PackedProjection,
        row: Row,
        other: Row,
    ) -> bool {
        let words = m.packing(CELL).words(self.suffixes.symbols());
        (0..words).all(|i| {
            let (a, b) = (self.cell_word(m, row, i), self.cell_word(m, other, i));
            let projected = |word| projection.of(&self.outputs, m, word);
            a == b || projected(a) == projected(b)
        })
    }

    /// Calls `found` with each column in which two rows differ under a projection.
    pub(crate) fn differences(
        &self,
        m: &mut Memory<'_>,
        projection: Projection,
        (row, other): (Row, Row),
        mut found: impl FnMut(&mut Memory<'_>, Suffix),
    ) {
        let projection = self.packed(m, projection);
        let packing = m.packing(CELL);
        for i in 0..packing.words(self.suffixes.symbols()) {
            let projected = |row| [projection.of(&self.outputs, m, self.cell_word(m, row, i))];
            let (a, b) = (projected(row), projected(other));
            if a == b {
                continue;
            }
            for field in 0..packing.per_word() {
                if packing.get(&a, 0, field) != packing.get(&b, 0, field) {
                    let column = i.wrapping_mul(packing.per_word()).wrapping_add(field);
                    found(m, Suffix(column).next());
                }
            }
        }
    }

    /// Word `index` of the cells of a row.
    #[inline]
    fn cell_word(&self, m: &Memory<'_>, row: Row, index: u32) -> u32 {
        m.row_word(CELL, self.slot(m, row), index)
    }

    /// Fills the empty word's row, which follows from its successors.
    pub(crate) fn derive_empty_row(&self, m: &mut Memory<'_>) {
        for column in self.suffixes.iter() {
            let symbol = self.derived(m, Short::EMPTY, column);
            m.put(CELL, FullRow(0), Column(column), symbol);
        }
    }

    /// The new columns have divided the full rows, which take their symbols in.
    pub(crate) fn settle_columns(&mut self, m: &mut Memory<'_>) {
        for full in (0..self.full_rows).map(FullRow) {
            let row = self.representative(m, full);
            for column in self.new_columns() {
                let symbol = self.symbol(m, row, column);
                m.put(CELL, full, Column(column), symbol);
            }
        }
        self.settled_end = self.suffixes.end();
    }

    /// Moves a long row, whose full row has no short one, to the short rows; its successors are to be
    /// filled.
    pub(crate) fn promote(&mut self, m: &mut Memory<'_>, row: Row) -> Result<Batch, Refused> {
        let full = Self::full_row(m, row);
        self.reserve_rows(m, self.prefixes.len().saturating_add(1))?;
        let short = self.prefixes.add(m, row);
        Self::set_short_of(m, full, short);
        self.filling_slot = self.full_rows;
        let end = self.filling_slot.wrapping_add(self.prefixes.inputs());
        for slot in (self.filling_slot..end).map(FullRow) {
            for column in self.suffixes.iter() {
                m.put(CELL, slot, Column(column), 0);
            }
        }
        for column in self.suffixes.iter() {
            let symbol = m.at(CELL, full, Column(column));
            let (first, tail) = split_first(m, column);
            let row = self.prefixes.successor(short, first);
            if tail == Suffix::ROOT {
                m.set(LAST_SYMBOL, row, symbol);
            } else {
                m.put(CELL, self.slot(m, row), Column(tail), symbol);
            }
        }
        Ok(self.successors(short))
    }

    /// The rows that follow a short row, to be filled.
    fn successors(&self, short: Short) -> Batch {
        let from = self.prefixes.successor(short, Input::new(0));
        let to = Row(from.0.wrapping_add(self.prefixes.inputs()));
        Batch { from, to, first: Suffix(1) }
    }

    /// Adds the suffix `first · tail`; all long rows are to be filled.
    pub(crate) fn add_suffix(
        &mut self,
        m: &mut Memory<'_>,
        first: Input,
        tail: Suffix,
    ) -> Result<Batch, Refused> {
        let new = self.suffixes.end();
        let more = self.suffixes.new_nodes(m, first, tail);
        self.suffixes.reserve(m, more)?;
        m.reserve(
            Resource::Suffixes,
            &[
                NEW_CELL.matrix(self.rows(), more, self.symbol_max()),
                CELL.matrix(0, self.suffixes.symbols().saturating_add(more), self.symbol_max()),
            ],
        )?;
        self.suffixes.add(m, first, tail);
        for row in (0..self.rows()).map(Row) {
            for column in (0..more).map(NewColumn) {
                m.put(NEW_CELL, row, column, 0);
            }
        }
        Ok(Batch { from: Row::EMPTY, to: Row(self.rows()), first: new })
    }

    /// The first word of a batch, at or after a row and a column, that is to be asked.
    pub(crate) fn missing(
        &self,
        m: &Memory<'_>,
        batch: Batch,
        at: (Row, Suffix),
    ) -> Option<(Row, Suffix)> {
        let (row, mut first) = at;
        for row in (row.0..batch.to.0).map(Row) {
            if !self.is_short(m, row) {
                for column in self.suffixes.since(first) {
                    if is_leaf(m, column) && self.symbol(m, row, column) == 0 {
                        return Some((row, column));
                    }
                }
            }
            first = batch.first;
        }
        None
    }

    /// Enters the answer to the word of a lane into each place that the table has for it. Returns the
    /// first place where the table has another output.
    pub(crate) fn enter(
        &self,
        m: &mut Memory<'_>,
        words: Words,
        lane: Lane,
    ) -> Option<Contradiction> {
        let word_len = words.len(m, lane);
        let mut contradiction = None;
        let input = |m: &Memory<'_>, position| words.input(m, lane, position);
        self.walk(m, word_len, input, |m, position, place| {
            let now = self.answer(m, words, lane, position);
            match place.get(m).checked_sub(1).map(Output::new) {
                None => place.set(m, symbol_of(now)),
                Some(before) if before != now && contradiction.is_none() => {
                    let lane = lane.0;
                    contradiction = Some(Contradiction { lane, word_len, position, before, now });
                }
                Some(_) => {}
            }
        });
        contradiction
    }

    /// Whether the table has a place for each output of a word. It then has the outputs, too, unless
    /// their row is being filled.
    pub(crate) fn is_known(
        &self,
        m: &mut Memory<'_>,
        len: u32,
        input: impl Fn(&Memory<'_>, u32) -> Input,
    ) -> bool {
        let mut known = 0;
        self.walk(m, len, input, |_, position, _| known = position.wrapping_add(1));
        known == len
    }

    /// The output that the device of a lane gave at a position; it was taken in.
    pub(crate) fn answer(&self, m: &Memory<'_>, words: Words, lane: Lane, position: u32) -> Output {
        self.outputs.known(m, words.answer(m, lane, position)).unwrap_or(Output::new(0))
    }

    /// Walks a word through the table: calls `found` with each place where its outputs belong, until
    /// the table has no place for the rest.
    fn walk(
        &self,
        m: &mut Memory<'_>,
        len: u32,
        input: impl Fn(&Memory<'_>, u32) -> Input,
        mut found: impl FnMut(&mut Memory<'_>, u32, Place),
    ) {
        let mut row = Row::EMPTY;
        let mut position = 0;
        while position < len
            && let Some(short) = self.short(m, row)
        {
            row = self.prefixes.successor(short, input(m, position));
            found(m, position, Place::LastSymbol(row));
            position = position.wrapping_add(1);
        }
        let mut column = Suffix::ROOT;
        while position < len {
            let Some(next) = self.suffixes.child(m, column, input(m, position)) else { return };
            found(m, position, self.place(m, row, next));
            column = next;
            position = position.wrapping_add(1);
        }
    }
}

/// Where the output of a symbol belongs in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The output of a row's last input.
    LastSymbol(Row),
    /// A cell of a slot.
    Cell(FullRow, Suffix),
    /// A row's cell in this column of those that are being filled.
    NewCell(Row, NewColumn),
}

impl Place {
    /// The symbol that is there; zero if none.
    pub(crate) fn get(self, m: &Memory<'_>) -> u32 {
        match self {
            Self::LastSymbol(row) => m.get(LAST_SYMBOL, row),
            Self::Cell(slot, column) => m.at(CELL, slot, Column(column)),
            Self::NewCell(row, column) => m.at(NEW_CELL, row, column),
        }
    }

    /// Writes the symbol.
    pub(crate) fn set(self, m: &mut Memory<'_>, symbol: u32) {
        match self {
            Self::LastSymbol(row) => m.set(LAST_SYMBOL, row, symbol),
            Self::Cell(slot, column) => m.put(CELL, slot, Column(column), symbol),
            Self::NewCell(row, column) => m.put(NEW_CELL, row, column, symbol),
        }
    }
}
