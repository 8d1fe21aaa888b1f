//! Which rows are equal under which projection.
//!
//! For every projection the rows are kept divided into classes of equal rows, numbered in the order
//! in which they came up. No comparison is made twice: a new row is compared with one representative
//! of each class, a new column splits classes in one pass, and a new output changes no class, since no
//! row holds it yet. A class has a short row as its representative if it has one, so *closed* means
//! that all representatives are short.
//!
//! First the full rows are divided, all outputs apart: the ordinary closedness of L*, and the only
//! division when the family is the identity. The components' projections divide the classes of that.
//!
//! Comparing under a projection takes a few word operations for each packed word (see
//! [`Finder`](crate::bits::Finder)); no row is unpacked.

use super::digests::{self, Digests};
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, fields, index};
use crate::observations::table::{FullRow, Table};
use crate::outputs::ComponentId;
use crate::prefixes::{Row, Short};
use crate::projection::{PackedProjection, Projection};
use crate::suffixes::Suffix;

index! {
    /// A class of rows that are equal under a projection.
    Class
}

index! {
    /// A symbol that appears in a column.
    Symbol
}

fields! {
    before digests::FIELDS_START;
    /// Full row × component: its class.
    CLASS: Field<FullRow, ComponentId> = Format::Packed;
    /// Class × component: a row of the class, short if there is one.
    REPRESENTATIVE: Field<Class, ComponentId> = Format::Packed;
    /// How many classes a component has.
    COUNT: Field<ComponentId> = Format::Packed;
    /// For each class that is being split: the class that leaves it, plus one.
    SPLIT: Field<Class> = Format::Packed;
    /// Whether a symbol appears in the column that classes are split by.
    APPEARS: Field<Symbol> = Format::Packed;
}

/// The table, with its rows divided into classes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Classes {
    table: Table,
    digests: Digests,
    /// Full rows before this one have a short row.
    closed_end: u32,
    /// Outputs before this one have room in the layout.
    admitted_end: u32,
    /// Components before this one have classes.
    divided_end: u32,
}

impl Classes {
    pub(super) const fn new(table: Table) -> Self {
        Self { table, digests: Digests::NONE, closed_end: 0, admitted_end: 0, divided_end: 0 }
    }

    /// The table.
    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    /// The table.
    pub(super) fn table_mut(&mut self) -> &mut Table {
        &mut self.table
    }

    /// The components' projections.
    pub(super) fn components(&self) -> impl Iterator<Item = Projection> + use<> {
        self.projections_from(1)
    }

    /// The projections that components are made of: that onto the full row, for the identity.
    pub(super) fn projections(&self) -> impl Iterator<Item = Projection> + use<> {
        self.projections_from(self.table.components().min(1))
    }

    /// Every projection that rows are divided under.
    fn divisions(&self) -> impl Iterator<Item = Projection> + use<> {
        self.projections_from(0)
    }

    /// The projections from a number on: 0 is that onto the full row, then come the components'.
    fn projections_from(&self, first: u32) -> impl Iterator<Item = Projection> + use<> {
        let end = self.table.components().saturating_add(1);
        (first..end).map(|number| match number.checked_sub(1) {
            None => Projection::Full,
            Some(component) => Projection::Component(ComponentId(component)),
        })
    }

    /// The class of a row.
    #[inline]
    pub(super) fn of_row(m: &Memory<'_>, projection: Projection, row: Row) -> Class {
        let full = Table::full_row(m, row);
        match projection {
            Projection::Full => Class(full.0),
            Projection::Component(component) => Class(m.at(CLASS, full, component)),
        }
    }

    /// How many classes there are.
    pub(super) fn len(&self, m: &Memory<'_>, projection: Projection) -> u32 {
        match projection {
            Projection::Full => self.table.full_rows(),
            Projection::Component(component) => m.get(COUNT, component),
        }
    }

    /// A row of the class, short if there is one.
    #[inline]
    pub(super) fn representative(
        &self,
        m: &Memory<'_>,
        projection: Projection,
        class: Class,
    ) -> Row {
        match projection {
            Projection::Full => self.table.representative(m, FullRow(class.0)),
            Projection::Component(component) => Row(m.at(REPRESENTATIVE, class, component)),
        }
    }

    /// The first short row that is equal to a short row.
    pub(super) fn first_equal(
        &self,
        m: &Memory<'_>,
        projection: Projection,
        short: Short,
    ) -> Short {
        let row = self.table.prefixes().row(m, short);
        let class = Self::of_row(m, projection, row);
        self.table.short(m, self.representative(m, projection, class)).unwrap_or(short)
    }

    /// Whether the table is closed in the ordinary sense: each row equals a short one.
    pub(super) fn is_closed(&mut self, m: &Memory<'_>) -> bool {
        let full_rows = self.table.full_rows();
        while self.closed_end < full_rows && Table::short_of(m, FullRow(self.closed_end)).is_some()
        {
            self.closed_end = self.closed_end.wrapping_add(1);
        }
        self.closed_end == full_rows
    }

    /// The first row of each full row that equals no short one.
    pub(super) fn open_rows(&self, m: &Memory<'_>) -> impl Iterator<Item = Row> {
        let open = (self.closed_end..self.table.full_rows()).map(FullRow);
        let open = open.filter(|&full| Table::short_of(m, full).is_none());
        open.map(|full| self.table.representative(m, full))
    }

    /// Makes room for outputs that appeared. A group that one of them opened has no class yet if no
    /// row is complete, else one: all rows so far are equal in it.
    ///
    /// Calling it again after an error goes on where it ended.
    pub(super) fn admit_outputs(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        if self.admitted_end == self.table.outputs().len() {
            return Ok(());
        }
        self.table.widen(m)?;
        let classes = self.table.full_rows().min(1);
        for component in (self.divided_end..self.table.components()).map(ComponentId) {
            self.reserve(m, Projection::Component(component), classes)?;
            m.set(COUNT, component, classes);
            self.divided_end = component.next().0;
        }
        self.admitted_end = self.table.outputs().len();
        Ok(())
    }

    /// Divides what was filled: new rows, or all rows by new columns.
    ///
    /// Calling it again after an error goes on where it ended.
    pub(super) fn divide(&mut self, m: &mut Memory<'_>) -> Result<(), Refused> {
        if self.table.full_rows() == 0 {
            self.table.derive_empty_row(m);
            self.classify(m, Row::EMPTY)?;
        }
        while let Some(row) = self.table.unclassified() {
            self.classify(m, row)?;
        }
        for column in self.table.new_columns() {
            self.note_symbols(m, column)?;
            for projection in self.divisions() {
                for _ in 1..self.values(m, projection) {
                    if !self.split(m, projection, column)? {
                        break;
                    }
                }
            }
            self.digests.add_column(&self.table, m, column);
        }
        self.table.settle_columns(m);
        Ok(())
    }

    /// A long row has become short: it is a better representative of its classes.
    pub(super) fn prefer_short(&self, m: &mut Memory<'_>, row: Row) {
        for projection in self.divisions() {
            let class = Self::of_row(m, projection, row);
            if !self.table.is_short(m, self.representative(m, projection, class)) {
                Self::set_representative(m, projection, class, row);
            }
        }
    }

    /// Finds the classes of a new row.
    fn classify(&mut self, m: &mut Memory<'_>, row: Row) -> Result<(), Refused> {
        let digest = self.digests.of_row(&self.table, m, row);
        let is_equal = |&full: &FullRow| {
            let other = self.table.representative(m, full);
            self.table.equal(m, PackedProjection::Full, other, row)
        };
        let known = Digests::candidates(&self.table, m, digest).find(is_equal);
        let full = match known {
            Some(full) => full,
            None => self.add_full_row(m, row, digest)?,
        };
        self.table.set_full_row(m, row, full);
        Ok(())
    }

    /// A row is the first of its kind.
    fn add_full_row(
        &mut self,
        m: &mut Memory<'_>,
        row: Row,
        digest: u8,
    ) -> Result<FullRow, Refused> {
        let full = FullRow(self.table.full_rows());
        self.reserve(m, Projection::Full, full.0.wrapping_add(1))?;
        for component in (0..self.table.components()).map(ComponentId) {
            let class = self.find_or_add(m, component, row)?;
            m.put(CLASS, full, component, class.0);
        }
        // Last, so that a row whose classes were not all found is new again.
        Digests::set(m, full, digest);
        self.table.add_full_row(m, row);
        Ok(full)
    }

    /// The class of a row under the projection of a component; adds a class if no class is equal.
    fn find_or_add(
        &self,
        m: &mut Memory<'_>,
        component: ComponentId,
        row: Row,
    ) -> Result<Class, Refused> {
        let projection = Projection::Component(component);
        let packed = self.table.packed(m, projection);
        let classes = self.len(m, projection);
        let is_equal = |&class: &Class| {
            self.table.equal(m, packed, self.representative(m, projection, class), row)
        };
        if let Some(class) = (0..classes).map(Class).find(is_equal) {
            return Ok(class);
        }
        let (new, len) = (Class(classes), classes.wrapping_add(1));
        self.reserve(m, projection, len)?;
        Self::set_representative(m, projection, new, row);
        m.set(COUNT, component, len);
        Ok(new)
    }

    fn set_representative(m: &mut Memory<'_>, projection: Projection, class: Class, row: Row) {
        match projection {
            Projection::Full => Table::set_representative(m, FullRow(class.0), row),
            Projection::Component(component) => m.put(REPRESENTATIVE, class, component, row.0),
        }
    }

    /// Makes room for `classes` classes.
    fn reserve(
        &self,
        m: &mut Memory<'_>,
        projection: Projection,
        classes: u32,
    ) -> Result<(), Refused> {
        let (full_rows, components) = (self.table.full_rows(), self.table.components());
        match projection {
            Projection::Full => {
                self.table.reserve_full_rows(m, classes)?;
                m.reserve(
                    Resource::Classes,
                    &[
                        Digests::shape(classes),
                        CLASS.matrix(classes, components, 0),
                        SPLIT.list(classes, classes),
                    ],
                )
            }
            Projection::Component(_) => m.reserve(
                Resource::Classes,
                &[
                    CLASS.matrix(full_rows, components, classes),
                    REPRESENTATIVE.matrix(classes, components, self.table.rows()),
                    COUNT.list(components, classes),
                    SPLIT.list(classes, classes),
                ],
            ),
        }
    }

    /// Notes the symbols of a new column in all rows, short ones too, and which there are.
    fn note_symbols(&self, m: &mut Memory<'_>, column: Suffix) -> Result<(), Refused> {
        let symbols = self.table.symbol_max().saturating_add(1);
        m.reserve(Resource::Classes, &[APPEARS.list(symbols, 1)])?;
        m.fill(APPEARS, symbols, 0);
        for row in (0..self.table.rows()).map(Row) {
            let place = self.table.place(m, row, column);
            if let Some(short) = self.table.short(m, row) {
                place.set(m, self.table.derived(m, short, column));
            }
            m.set(APPEARS, Symbol(place.get(m)), 1);
        }
        Ok(())
    }

    /// How many values the projection of the noted column can have.
    fn values(&self, m: &Memory<'_>, projection: Projection) -> u32 {
        let appears = |symbol: &u32| m.get(APPEARS, Symbol(*symbol)) == 1;
        let symbols = (1..=self.table.symbol_max()).filter(appears);
        // ⊥ is one more.
        symbols
            .filter(|&symbol| projection.of(m, symbol) != 0)
            .fold(1, |values, _| values.wrapping_add(1))
    }

    /// Splits each class into the rows that are equal to its representative in the noted column and
    /// the others.
    ///
    /// `true` if a class was split; the others may then have to be split again. What is divided are
    /// rows, or, for a component, full rows: rows with the same full row are equal under all.
    fn split(
        &mut self,
        m: &mut Memory<'_>,
        projection: Projection,
        column: Suffix,
    ) -> Result<bool, Refused> {
        let before = self.len(m, projection);
        let members = match projection {
            Projection::Full => self.table.rows(),
            Projection::Component(_) => self.table.full_rows(),
        };
        m.fill(SPLIT, before, 0);
        let mut classes = before;
        for member in 0..members {
            let class = Self::of_member(m, projection, member);
            if m.get(SPLIT, class) == 0 && self.leaves(m, projection, member, column) {
                m.set(SPLIT, class, 1);
                classes = classes.wrapping_add(1);
            }
        }
        if classes == before {
            return Ok(false);
        }
        self.reserve(m, projection, classes)?;
        let mut new = before;
        for class in (0..before).map(Class) {
            if m.get(SPLIT, class) == 1 {
                self.add_beside(m, projection, class, Class(new));
                new = new.wrapping_add(1);
                m.set(SPLIT, class, new);
            }
        }
        for member in 0..members {
            let class = Self::of_member(m, projection, member);
            if let Some(new) = m.get(SPLIT, class).checked_sub(1).map(Class)
                && class.0 < before
                && self.leaves(m, projection, member, column)
            {
                self.set_class(m, projection, member, new);
                let row = self.row_of_member(m, projection, member);
                let representative = self.representative(m, projection, new);
                if representative == Row::EMPTY
                    || !self.table.is_short(m, representative) && self.table.is_short(m, row)
                {
                    Self::set_representative(m, projection, new, row);
                }
            }
        }
        match projection {
            Projection::Full => self.table.set_full_rows(classes),
            Projection::Component(component) => m.set(COUNT, component, classes),
        }
        Ok(true)
    }

    /// Opens the class `new` for those that leave `class`, still without a representative.
    fn add_beside(&self, m: &mut Memory<'_>, projection: Projection, class: Class, new: Class) {
        if projection == Projection::Full {
            let (from, to) = (FullRow(class.0), FullRow(new.0));
            for component in (0..self.table.components()).map(ComponentId) {
                m.put(CLASS, to, component, m.at(CLASS, from, component));
            }
            Digests::copy(m, from, to);
            Table::copy_full_row(m, from, to);
        }
        // The empty word's row stands for none: it represents its own class, which it never leaves.
        Self::set_representative(m, projection, new, Row::EMPTY);
    }

    /// The class of a row, or of a full row.
    #[inline]
    fn of_member(m: &Memory<'_>, projection: Projection, member: u32) -> Class {
        Class(match projection {
            Projection::Full => Table::full_row(m, Row(member)).0,
            Projection::Component(component) => m.at(CLASS, FullRow(member), component),
        })
    }

    fn set_class(&mut self, m: &mut Memory<'_>, projection: Projection, member: u32, class: Class) {
        match projection {
            Projection::Full => self.table.set_full_row(m, Row(member), FullRow(class.0)),
            Projection::Component(component) => m.put(CLASS, FullRow(member), component, class.0),
        }
    }

    /// A row that stands for a member.
    fn row_of_member(&self, m: &Memory<'_>, projection: Projection, member: u32) -> Row {
        match projection {
            Projection::Full => Row(member),
            Projection::Component(_) => self.table.representative(m, FullRow(member)),
        }
    }

    /// Whether a member differs from the representative of its class in the noted column.
    fn leaves(&self, m: &Memory<'_>, projection: Projection, member: u32, column: Suffix) -> bool {
        let row = self.row_of_member(m, projection, member);
        let class = Self::of_member(m, projection, member);
        let representative = self.representative(m, projection, class);
        let symbol = |row: Row| projection.of(m, self.table.symbol(m, row, column));
        symbol(representative) != symbol(row)
    }
}
