//! The cells that are stored.
//!
//! ```text
//! SLOT[row]                 slot + 1      zero: the row has no cells of its own
//! CELL[slot, column - 1]    symbol        zero: not asked yet
//! USED[slot]                1 if a row has this slot
//! NEW_CELL[row, column]     symbol of a column that is being filled; columns from the first such on
//! ```
//!
//! Few rows have cells of their own (see [`table`](super)), and for a short time: a new row from when it
//! is asked until it has a class, and a long row as long as it stands for a class. New columns are
//! filled in all rows and then divide them. There are never new rows and new columns at the same time. Each field is
//! given up when it is not needed; they lie at the end of the region, so nothing has to move then.

use crate::error::{Refused, Resource};
use crate::memory::{self, Field, Format, Index, Memory, fields, index};
use crate::prefixes::Row;
use crate::suffixes::Suffix;

index! {
    /// Room for the cells of a row.
    RowRoom
}

/// A column of a slot.
#[derive(Clone, Copy)]
struct Column(Suffix);

impl Index for Column {
    #[inline]
    fn index(self) -> u32 {
        // The root has no column.
        self.0.index().saturating_sub(1)
    }
}

index! {
    /// A column of those that are being filled.
    NewColumn
}

fields! {
    before memory::FIELDS;
    /// Row × column that is being filled: the symbol.
    NEW_CELL: Field<Row, NewColumn> = Format::Packed;
    /// Room for a row × column: the symbol.
    CELL: Field<RowRoom, Column> = Format::Packed;
    /// Whether a row has the slot.
    USED: Field<RowRoom> = Format::Packed;
    /// The slot of a row, plus one.
    SLOT: Field<Row> = Format::Packed;
}

/// The cells of rows that have cells of their own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    /// How many rows have.
    rows: u32,
}

impl Cells {
    pub(super) const NONE: Self = Self { rows: 0 };

    /// Makes room for cells of `more` rows among `all`.
    pub(super) fn reserve(
        self,
        m: &mut Memory<'_>,
        (more, all): (u32, u32),
        columns: u32,
        symbol_max: u32,
    ) -> Result<(), Refused> {
        let slots = self.rows.saturating_add(more);
        let shapes =
            [SLOT.list(all, slots), USED.list(slots, 1), CELL.matrix(slots, columns, symbol_max)];
        m.reserve(Resource::Rows, &shapes)
    }

    /// Makes symbols wide enough.
    pub(super) fn widen(self, m: &mut Memory<'_>, symbol_max: u32) -> Result<(), Refused> {
        let shapes = [CELL.matrix(0, 1, symbol_max), NEW_CELL.matrix(0, 1, symbol_max)];
        m.reserve(Resource::Outputs, &shapes)
    }

    /// The slot of a row, if it has cells of its own.
    fn slot(self, m: &Memory<'_>, row: Row) -> Option<RowRoom> {
        if self.rows == 0 {
            return None;
        }
        m.get(SLOT, row).checked_sub(1).map(RowRoom)
    }

    /// Whether a row has cells of its own.
    pub(super) fn has(self, m: &Memory<'_>, row: Row) -> bool {
        self.slot(m, row).is_some()
    }

    /// A row gets cells of its own, not asked yet; there is room for them.
    pub(super) fn add(&mut self, m: &mut Memory<'_>, row: Row) {
        let free = |slot: &RowRoom| m.get(USED, *slot) == 0;
        // OK: fewer slots are used than there are rows with cells and this one.
        let Some(slot) = (0..=self.rows).map(RowRoom).find(free) else { return };
        m.set(USED, slot, 1);
        m.set(SLOT, row, slot.0.wrapping_add(1));
        for column in 0..m.columns(CELL) {
            m.put(CELL, slot, Column(Suffix(column).next()), 0);
        }
        self.rows = self.rows.wrapping_add(1);
    }

    /// A row has no cells of its own any more.
    pub(super) fn remove(&mut self, m: &mut Memory<'_>, row: Row) {
        let Some(slot) = self.slot(m, row) else { return };
        m.set(SLOT, row, 0);
        m.set(USED, slot, 0);
        self.rows = self.rows.wrapping_sub(1);
        if self.rows == 0 {
            m.release(SLOT);
            m.release(USED);
            m.release(CELL);
        }
    }

    /// The symbol in a cell of a row, if it has cells of its own.
    #[inline]
    pub(super) fn get(self, m: &Memory<'_>, row: Row, column: Suffix) -> Option<u32> {
        self.slot(m, row).map(|slot| m.at(CELL, slot, Column(column)))
    }

    /// Writes the symbol in a cell of a row that has cells of its own.
    pub(super) fn set(self, m: &mut Memory<'_>, row: Row, column: Suffix, symbol: u32) {
        if let Some(slot) = self.slot(m, row) {
            m.put(CELL, slot, Column(column), symbol);
        }
    }
}

/// Makes room for new columns, not asked yet.
pub(super) fn add_columns(
    m: &mut Memory<'_>,
    rows: u32,
    columns: u32,
    symbol_max: u32,
) -> Result<(), Refused> {
    // The field was given up since the last columns, so that all of it is zero.
    m.reserve(Resource::Suffixes, &[NEW_CELL.matrix(rows, columns, symbol_max)])
}

/// There are no new columns any more.
pub(super) fn remove_columns(m: &mut Memory<'_>) {
    m.release(NEW_CELL);
}

/// The symbol of a row in a new column.
#[inline]
pub(super) fn new_symbol(m: &Memory<'_>, row: Row, column: NewColumn) -> u32 {
    m.at(NEW_CELL, row, column)
}

/// Writes the symbol of a row in a new column.
pub(super) fn set_new_symbol(m: &mut Memory<'_>, row: Row, column: NewColumn, symbol: u32) {
    m.put(NEW_CELL, row, column, symbol);
}
