//! The observation table `(S, E, T)` of L* and OL* (paper, Definition 2).
//!
//! **Rows** are numbered as in [`prefixes`](crate::prefixes). A row whose word is in `S` is short, all
//! others are long. Each row keeps the output of its last input, and the number of its full row.
//! **Columns** are the nodes of the suffixes' tree (see [`suffixes`](crate::suffixes)). **Symbols** are
//! outputs' indices plus one; zero is *not asked yet*.
//!
//! **Cells** follow from each other, and most are not stored. For a short row `s`,
//! `T(s)(a·e)` is the output of `s·a` if `e` is empty, and else `T(s·a)(e)`; `e` is a column because the
//! columns are closed under suffixes. A long row shows under a projection what the row shows that stands
//! for its class. So a cell is found by a walk from class to class along its column, as a word is walked
//! through a component of the hypothesis; and a symbol is what one of the projections shows of it. Only
//! long rows that stand for a class have cells of their own (see [`cells`]). There are none once the table
//! is output-closed: it then takes no more than its components.
//!
//! **While words are asked** it is not known yet which rows are equal: new rows have cells of their own
//! until they have a class, and new columns a symbol for each row until they have divided the classes.
//!
//! **What is asked.** The table is its own cache: a word is asked only for a leaf of the columns in a
//! long row whose symbol is not there yet. When a long row becomes short, its successors begin with
//! the cells that follow from its own.

mod cells;
pub(crate) mod classes;

use crate::alphabet::{Input, Output};
use crate::error::{Contradiction, Refused, Resource};
use crate::memory::{Field, Format, Memory, fields};
use crate::options::Projections;
use crate::outputs::{ComponentId, Outputs, component_of};
use crate::prefixes::{Prefixes, Row, Short};
use crate::projection::{Projection, symbol_of};
use crate::suffixes::{Suffix, Suffixes, is_leaf, split_first};
use crate::words::{Lane, Words};
use cells::{Cells, NewColumn};
use classes::{Class, FullRow, Representative};

fields! {
    before classes::FIELDS_START;
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

impl Batch {
    fn rows(self) -> impl Iterator<Item = Row> {
        (self.from.0..self.to.0).map(Row)
    }
}

/// The table; its contents lie in the region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    outputs: Outputs,
    projections: Projections,
    prefixes: Prefixes,
    suffixes: Suffixes,
    cells: Cells,
    full_rows: u32,
    /// Rows before this one have a full row; the others are being filled.
    classified_end: u32,
    /// Columns before this one have divided the rows; the others are being filled.
    settled_end: Suffix,
}

impl Table {
    pub(crate) const fn new(inputs: u32, projections: Projections) -> Self {
        Self {
            outputs: Outputs::NONE,
            projections,
            prefixes: Prefixes::new(inputs),
            suffixes: Suffixes::new(inputs),
            cells: Cells::NONE,
            full_rows: 0,
            classified_end: 0,
            settled_end: Suffix(1),
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
        let batch = self.successors(short);
        batch.rows().for_each(|row| self.cells.add(m, row));
        Ok(batch)
    }

    /// Makes room for `shorts` short rows, and for the cells of the successors of the last one.
    fn reserve_rows(&self, m: &mut Memory<'_>, shorts: u32) -> Result<(), Refused> {
        self.prefixes.reserve(m, shorts)?;
        let rows = self.prefixes.rows_with(shorts);
        m.reserve(Resource::Rows, &[LAST_SYMBOL.list(rows, self.symbol_max())])?;
        classes::reserve_rows(m, self.full_rows.max(1), rows)?;
        let new = (self.prefixes.inputs(), rows);
        self.cells.reserve(m, new, self.suffixes.symbols(), self.symbol_max())
    }

    /// Makes room for the cells of `more` long rows.
    pub(crate) fn reserve_cells(&self, m: &mut Memory<'_>, more: u32) -> Result<(), Refused> {
        self.cells.reserve(m, (more, self.rows()), self.suffixes.symbols(), self.symbol_max())
    }

    /// Makes the symbols wide enough for all outputs known.
    pub(crate) fn widen(&self, m: &mut Memory<'_>) -> Result<(), Refused> {
        m.reserve(Resource::Outputs, &[LAST_SYMBOL.list(0, self.symbol_max())])?;
        self.cells.widen(m, self.symbol_max())
    }

    /// Makes room for `len` full rows.
    pub(crate) fn reserve_full_rows(&self, m: &mut Memory<'_>, len: u32) -> Result<(), Refused> {
        classes::reserve_full_rows(m, len, self.components(), self.rows())
    }

    /// Makes room for `len` classes of a component.
    pub(crate) fn reserve_classes(&self, m: &mut Memory<'_>, len: u32) -> Result<(), Refused> {
        let rows = (self.full_rows, self.rows());
        classes::reserve_classes(m, len, self.components(), rows)
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

    /// The projections that it was made with.
    pub(crate) fn family(&self) -> Projections {
        self.projections
    }

    /// The projections that components are made of: that onto the full row, for the identity.
    pub(crate) fn projections(&self) -> impl Iterator<Item = Projection> + use<> {
        self.projections_from(self.components().min(1))
    }

    /// Every projection that rows are divided under: that onto the full row first.
    pub(crate) fn divisions(&self) -> impl Iterator<Item = Projection> + use<> {
        self.projections_from(0)
    }

    /// The projections from a number on: 0 is that onto the full row, then come the components'.
    fn projections_from(&self, first: u32) -> impl Iterator<Item = Projection> + use<> {
        let end = self.components().saturating_add(1);
        (first..end).map(|number| match number.checked_sub(1) {
            None => Projection::Full,
            Some(component) => Projection::Component(ComponentId(component)),
        })
    }

    /// Whether a component is made of a projection.
    pub(crate) fn is_component(&self, projection: Projection) -> bool {
        projection != Projection::Full || self.components() == 0
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

    /// There are this many full rows.
    pub(crate) fn set_full_rows(&mut self, len: u32) {
        self.full_rows = len;
    }

    /// The first row that has no full row yet, if there is one.
    pub(crate) fn unclassified(&self) -> Option<Row> {
        (self.classified_end < self.rows()).then_some(Row(self.classified_end))
    }

    /// The columns that divide the rows.
    pub(crate) fn settled_columns(&self) -> impl Iterator<Item = Suffix> + use<> {
        (1..self.settled_end.0).map(Suffix)
    }

    /// The columns that are being filled.
    pub(crate) fn new_columns(&self) -> impl Iterator<Item = Suffix> + use<> {
        self.suffixes.since(self.settled_end)
    }

    /// A row is equal to a full row.
    pub(crate) fn set_full_row(&mut self, m: &mut Memory<'_>, row: Row, full: FullRow) {
        classes::set_full_row(m, row, full);
        self.classified_end = self.classified_end.max(row.next().0);
    }

    fn set_short_of(m: &mut Memory<'_>, full: FullRow, short: Short) {
        let short = Representative::Short(short);
        classes::set_representative(m, Projection::Full, Class(full.0), short);
    }

    /// The row that stands for a class.
    #[inline]
    pub(crate) fn row_of(&self, m: &Memory<'_>, representative: Representative) -> Row {
        match representative {
            Representative::Short(short) => self.prefixes.row(m, short),
            Representative::Long(row) => row,
        }
    }

    /// A row that is equal to a full row, short if there is one.
    pub(crate) fn row_of_full(&self, m: &Memory<'_>, full: FullRow) -> Row {
        self.row_of(m, classes::representative(m, Projection::Full, Class(full.0)))
    }

    /// The short row that a row is, if it is one.
    #[inline]
    pub(crate) fn short(&self, m: &Memory<'_>, row: Row) -> Option<Short> {
        if row.0 >= self.classified_end {
            return None;
        }
        let short = classes::short_of(m, classes::full_row(m, row))?;
        (self.prefixes.row(m, short) == row).then_some(short)
    }

    /// Whether a row is short.
    pub(crate) fn is_short(&self, m: &Memory<'_>, row: Row) -> bool {
        self.short(m, row).is_some()
    }

    /// What a row is as the one that stands for a class.
    pub(crate) fn as_representative(&self, m: &Memory<'_>, row: Row) -> Representative {
        self.short(m, row).map_or(Representative::Long(row), Representative::Short)
    }

    /// Whether a row stands for a class of a component.
    fn is_representative(&self, m: &Memory<'_>, row: Row) -> bool {
        let itself = Representative::Long(row);
        self.projections().any(|projection| {
            let class = classes::of_row(m, projection, row);
            classes::representative(m, projection, class) == itself
        })
    }

    /// The symbol of a row's last output.
    pub(crate) fn last_symbol(m: &Memory<'_>, row: Row) -> u32 {
        m.get(LAST_SYMBOL, row)
    }

    /// The row and the column that have the symbol of a column in a short row: `T(s)(a·e) = T(s·a)(e)`.
    #[inline]
    fn after(&self, m: &Memory<'_>, short: Short, column: Suffix) -> (Row, Suffix) {
        let (first, tail) = split_first(m, column);
        (self.prefixes.successor(short, first), tail)
    }

    /// The symbol of a column in a row, if it is stored. The root stands for the row's last input.
    #[inline]
    fn stored(&self, m: &Memory<'_>, row: Row, column: Suffix) -> Option<u32> {
        if column == Suffix::ROOT {
            return Some(Self::last_symbol(m, row));
        }
        if let Some(new) = self.new_column(column) {
            return Some(cells::new_symbol(m, row, new));
        }
        self.cells.get(m, row, column)
    }

    /// Writes a symbol that is stored.
    fn store(&self, m: &mut Memory<'_>, row: Row, column: Suffix, symbol: u32) {
        if column == Suffix::ROOT {
            m.set(LAST_SYMBOL, row, symbol);
        } else if let Some(new) = self.new_column(column) {
            cells::set_new_symbol(m, row, new, symbol);
        } else {
            self.cells.set(m, row, column, symbol);
        }
    }

    /// Which of the new columns a column is.
    #[inline]
    fn new_column(&self, column: Suffix) -> Option<NewColumn> {
        column.0.checked_sub(self.settled_end.0).map(NewColumn)
    }

    /// Where an input leads a class of an output-closed table, and what the projection shows of its output.
    #[inline]
    pub(crate) fn step(
        &self,
        m: &Memory<'_>,
        projection: Projection,
        class: Class,
        input: Input,
    ) -> (Class, u32) {
        // OK: the table is output-closed.
        let Representative::Short(short) = classes::representative(m, projection, class) else {
            return (class, 0);
        };
        let row = self.prefixes.successor(short, input);
        (classes::of_row(m, projection, row), projection.of(m, Self::last_symbol(m, row)))
    }

    /// What a projection shows of a column in a class.
    ///
    /// # Cost
    /// As many steps as the column has inputs, at most.
    pub(crate) fn shown(
        &self,
        m: &Memory<'_>,
        projection: Projection,
        class: Class,
        column: Suffix,
    ) -> u32 {
        let (mut class, mut column) = (class, column);
        let symbol = loop {
            let short = match classes::representative(m, projection, class) {
                Representative::Short(short) => short,
                Representative::Long(row) => break self.cells.get(m, row, column).unwrap_or(0),
            };
            let (row, tail) = self.after(m, short, column);
            if let Some(symbol) = self.stored(m, row, tail) {
                break symbol;
            }
            (class, column) = (classes::of_row(m, projection, row), tail);
        };
        projection.of(m, symbol)
    }

    /// Whether rows with a full row have this symbol in a column: looks at one projection.
    pub(crate) fn shows(&self, m: &Memory<'_>, full: FullRow, column: Suffix, symbol: u32) -> bool {
        let projection = match symbol.checked_sub(1) {
            Some(output) if self.components() > 0 => {
                Projection::Component(component_of(m.read(), Output::new(output)))
            }
            _ => Projection::Full,
        };
        self.shown(m, projection, classes::of_full_row(m, projection, full), column) == symbol
    }

    /// The symbol of a column in rows with a full row.
    fn composed(&self, m: &Memory<'_>, full: FullRow, column: Suffix) -> u32 {
        let shown = |projection| {
            self.shown(m, projection, classes::of_full_row(m, projection, full), column)
        };
        self.projections().map(shown).find(|&symbol| symbol != 0).unwrap_or(0)
    }

    /// The symbol of a column in a row.
    pub(crate) fn symbol(&self, m: &Memory<'_>, row: Row, column: Suffix) -> u32 {
        let (mut row, mut column) = (row, column);
        while column != Suffix::ROOT
            && let Some(short) = self.short(m, row)
        {
            (row, column) = self.after(m, short, column);
        }
        self.stored(m, row, column)
            .unwrap_or_else(|| self.composed(m, classes::full_row(m, row), column))
    }

    /// The symbol of a row in a column that is being filled.
    #[inline]
    pub(crate) fn new_symbol(&self, m: &Memory<'_>, row: Row, column: Suffix) -> u32 {
        self.stored(m, row, column).unwrap_or(0)
    }

    /// A new column is there for all long rows: enters it for the short ones.
    pub(crate) fn fill_short_rows(&self, m: &mut Memory<'_>, column: Suffix) {
        for short in self.prefixes.iter() {
            let row = self.prefixes.row(m, short);
            let symbol = self.symbol(m, row, column);
            self.store(m, row, column, symbol);
        }
    }

    /// A long row is to stand for a class: gives it cells of its own, unless it has; there is room for
    /// them.
    pub(crate) fn keep_cells(&mut self, m: &mut Memory<'_>, row: Row) {
        if self.cells.has(m, row) {
            return;
        }
        self.cells.add(m, row);
        // In this order each cell follows from those of other rows, and from shorter ones of its own.
        for column in self.settled_columns() {
            let symbol = self.composed(m, classes::full_row(m, row), column);
            self.cells.set(m, row, column, symbol);
        }
    }

    /// A row has cells of its own only if it stands for a class.
    pub(crate) fn drop_cells(&mut self, m: &mut Memory<'_>, row: Row) {
        if !self.is_representative(m, row) {
            self.cells.remove(m, row);
        }
    }

    /// The new columns have divided the rows.
    pub(crate) fn settle_columns(&mut self, m: &mut Memory<'_>) {
        let end = self.suffixes.end();
        if self.settled_end == end {
            return;
        }
        for row in (0..self.rows()).map(Row) {
            if !self.cells.has(m, row) {
                continue;
            }
            for column in self.new_columns() {
                let symbol = self.new_symbol(m, row, column);
                self.cells.set(m, row, column, symbol);
            }
        }
        cells::remove_columns(m);
        self.settled_end = end;
    }

    /// Moves a long row, whose full row has no short one, to the short rows; its successors are to be
    /// filled.
    pub(crate) fn promote(&mut self, m: &mut Memory<'_>, row: Row) -> Result<Batch, Refused> {
        self.reserve_rows(m, self.prefixes.len().saturating_add(1))?;
        let short = Short(self.prefixes.len());
        let batch = self.successors(short);
        batch.rows().for_each(|row| self.cells.add(m, row));
        for column in self.suffixes.iter() {
            let symbol = self.symbol(m, row, column);
            let (row, column) = self.after(m, short, column);
            self.store(m, row, column, symbol);
        }
        self.prefixes.add(m, row);
        Self::set_short_of(m, classes::full_row(m, row), short);
        Ok(batch)
    }

    /// The rows that follow a short row, to be filled.
    fn successors(&self, short: Short) -> Batch {
        let from = self.prefixes.successor(short, Input::new(0));
        let to = Row(from.0.wrapping_add(self.prefixes.inputs()));
        Batch { from, to, first: Suffix(1) }
    }

    /// Adds the suffix `first · tail`; all long rows are to be filled. The table is output-closed.
    pub(crate) fn add_suffix(
        &mut self,
        m: &mut Memory<'_>,
        first: Input,
        tail: Suffix,
    ) -> Result<Batch, Refused> {
        let new = self.suffixes.end();
        let more = self.suffixes.new_nodes(m, first, tail);
        self.suffixes.reserve(m, more)?;
        cells::add_columns(m, self.rows(), more, self.symbol_max())?;
        self.suffixes.add(m, first, tail);
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
                    if is_leaf(m, column) && self.stored(m, row, column) == Some(0) {
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
        self.walk(m, word_len, input, |m, position, (row, column)| {
            let now = words.output(m, &self.outputs, lane, position);
            let symbol = symbol_of(now);
            match self.stored(m, row, column) {
                Some(0) => self.store(m, row, column, symbol),
                Some(before) if before == symbol => {}
                None if self.shows(m, classes::full_row(m, row), column, symbol) => {}
                _ => {
                    let before = Output::new(self.symbol(m, row, column).wrapping_sub(1));
                    let lane = lane.0;
                    let first = Contradiction { lane, word_len, position, before, now };
                    contradiction.get_or_insert(first);
                }
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

    /// Walks a word through the table: calls `found` with the row and the column of each of its outputs,
    /// until the table has no place for the rest. The root stands for the row's last input.
    fn walk(
        &self,
        m: &mut Memory<'_>,
        len: u32,
        input: impl Fn(&Memory<'_>, u32) -> Input,
        mut found: impl FnMut(&mut Memory<'_>, u32, (Row, Suffix)),
    ) {
        let (mut row, mut column) = (Row::EMPTY, Suffix::ROOT);
        for position in 0..len {
            let input = input(m, position);
            if column == Suffix::ROOT
                && let Some(short) = self.short(m, row)
            {
                row = self.prefixes.successor(short, input);
            } else if let Some(child) = self.suffixes.child(m, column, input) {
                column = child;
            } else {
                return;
            }
            found(m, position, (row, column));
        }
    }
}
