//! The division of rows into classes, for every projection.
//!
//! Rows are kept divided into classes of equal rows, numbered in the order in which they came up (see
//! [`classes`]). No comparison is made twice: a new row is compared with each class, a new column splits
//! classes in one pass, and a new output changes no class, since no row holds it yet. A class has a short
//! row as its representative if it has one, so *closed* means that all representatives are short.
//!
//! First the full rows are divided, all outputs apart: the ordinary closedness of L*, and the only
//! division when the family is the identity. The components' projections divide the classes of that.

use super::digests::{self, Digests};
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, fields};
use crate::observations::table::Table;
use crate::observations::table::classes::{self, Class, FullRow, Representative};
use crate::outputs::ComponentId;
use crate::prefixes::{Row, Short};
use crate::projection::Projection;
use crate::suffixes::Suffix;

fields! {
    before digests::FIELDS_START;
    /// For each class that is being split: the number of the [`Representative`] of those that leave it,
    /// then their class plus one; zero if none leave it.
    SPLIT: Field<Class> = Format::Packed;
}

/// The table, with its rows divided into classes.
#[derive(Clone, Copy, Debug)]
pub(super) struct DividedTable {
    table: Table,
    digests: Digests,
    /// Full rows before this one have a short row.
    closed_end: u32,
    /// Outputs before this one have room in the layout.
    admitted_end: u32,
    /// Components before this one have classes.
    divided_end: u32,
}

impl DividedTable {
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

    /// How many classes there are.
    pub(super) fn len(&self, m: &Memory<'_>, projection: Projection) -> u32 {
        match projection {
            Projection::Full => self.table.full_rows(),
            Projection::Component(component) => classes::count(m, component),
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
        let class = classes::of_row(m, projection, row);
        match classes::representative(m, projection, class) {
            Representative::Short(first) => first,
            Representative::Long(_) => short,
        }
    }

    /// Whether the table is closed in the ordinary sense: each row equals a short one.
    pub(super) fn is_closed(&mut self, m: &Memory<'_>) -> bool {
        let full_rows = self.table.full_rows();
        let is_closed = |full| classes::short_of(m, FullRow(full)).is_some();
        while self.closed_end < full_rows && is_closed(self.closed_end) {
            self.closed_end = self.closed_end.wrapping_add(1);
        }
        self.closed_end == full_rows
    }

    /// The first row of each full row that equals no short one.
    pub(super) fn open_rows(&self, m: &Memory<'_>) -> impl Iterator<Item = Row> {
        let full_rows = (self.closed_end..self.table.full_rows()).map(Class);
        full_rows.filter_map(|full| match classes::representative(m, Projection::Full, full) {
            Representative::Short(_) => None,
            Representative::Long(row) => Some(row),
        })
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
        let len = self.table.full_rows().min(1);
        for component in (self.divided_end..self.table.components()).map(ComponentId) {
            self.reserve(m, Projection::Component(component), len)?;
            classes::set_count(m, component, len);
            if len > 0 {
                let projection = Projection::Component(component);
                let empty = Representative::Short(Short::EMPTY);
                classes::set_representative(m, projection, Class(0), empty);
            }
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
            self.classify(m, Row::EMPTY)?;
        }
        while let Some(row) = self.table.unclassified() {
            self.classify(m, row)?;
        }
        for column in self.table.new_columns() {
            self.table.fill_short_rows(m, column);
            for projection in self.table.divisions() {
                while self.split(m, projection, column)? {}
            }
            self.digests.add_column(&self.table, m, column);
        }
        self.table.settle_columns(m);
        Ok(())
    }

    /// A long row has become short: it is a better representative of its classes.
    pub(super) fn prefer_short(&mut self, m: &mut Memory<'_>, row: Row) {
        let short = self.table.as_representative(m, row);
        for projection in self.table.divisions() {
            let class = classes::of_row(m, projection, row);
            if let Representative::Long(long) = classes::representative(m, projection, class) {
                classes::set_representative(m, projection, class, short);
                self.table.drop_cells(m, long);
            }
        }
        // The full row has got its representative already.
        self.table.drop_cells(m, row);
    }

    /// Finds the classes of a new row.
    fn classify(&mut self, m: &mut Memory<'_>, row: Row) -> Result<(), Refused> {
        let digest = self.digests.of_row(&self.table, m, row);
        let is_equal = |&full: &FullRow| {
            let table = &self.table;
            table.settled_columns().all(|c| table.shows(m, full, c, table.symbol(m, row, c)))
        };
        let known = Digests::candidates(&self.table, m, digest).find(is_equal);
        let full = match known {
            Some(full) => full,
            None => self.add_full_row(m, row, digest)?,
        };
        self.table.set_full_row(m, row, full);
        self.table.drop_cells(m, row);
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
        let len = full.0.wrapping_add(1);
        self.reserve(m, Projection::Full, len)?;
        for component in (0..self.table.components()).map(ComponentId) {
            let class = self.find_or_add(m, component, row)?;
            classes::set_class(m, component, full, class);
        }
        // Last, so that a row whose classes were not all found is new again.
        Digests::set(m, full, digest);
        let representative = self.table.as_representative(m, row);
        classes::set_representative(m, Projection::Full, Class(full.0), representative);
        self.table.set_full_rows(len);
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
        let table = &self.table;
        let is_equal = |&class: &Class| {
            table.settled_columns().all(|column| {
                let symbol = projection.of(m, table.symbol(m, row, column));
                table.shown(m, projection, class, column) == symbol
            })
        };
        let classes = self.len(m, projection);
        if let Some(class) = (0..classes).map(Class).find(is_equal) {
            return Ok(class);
        }
        let (new, len) = (Class(classes), classes.wrapping_add(1));
        self.reserve(m, projection, len)?;
        let representative = table.as_representative(m, row);
        classes::set_representative(m, projection, new, representative);
        classes::set_count(m, component, len);
        Ok(new)
    }

    /// Makes room for `len` classes.
    fn reserve(&self, m: &mut Memory<'_>, projection: Projection, len: u32) -> Result<(), Refused> {
        if projection == Projection::Full {
            self.table.reserve_full_rows(m, len)?;
            m.reserve(Resource::Classes, &[Digests::shape(len)])
        } else {
            self.table.reserve_classes(m, len)
        }
    }

    /// Splits each class into the rows that are equal to its representative in a new column and
    /// the others.
    ///
    /// `true` if the others are to be split again. What is divided are rows, or, for a component, full rows:
    /// rows with the same full row are equal under all.
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
        let max = Representative::max(self.table.rows());
        m.reserve(Resource::Classes, &[SPLIT.list(before, max)])?;
        m.fill(SPLIT, before, 0);
        let (mut classes, mut long) = (before, 0_u32);
        for member in 0..members {
            let class = Self::of_member(m, projection, member);
            let leaving = m.get(SPLIT, class);
            let row = self.row_of_member(m, projection, member);
            let is_better = leaving == 0
                || !Representative::of(leaving).is_short() && self.table.is_short(m, row);
            if is_better && self.leaves(m, projection, member, column) {
                let representative = self.table.as_representative(m, row);
                if leaving == 0 {
                    classes = classes.wrapping_add(1);
                    long = long.wrapping_add(1);
                }
                if representative.is_short() {
                    long = long.wrapping_sub(1);
                }
                m.set(SPLIT, class, representative.number());
            }
        }
        if classes == before {
            return Ok(false);
        }
        self.reserve(m, projection, classes)?;
        // A call that is repeated after an error begins with these.
        m.reserve(Resource::Classes, &[SPLIT.list(classes, max)])?;
        if self.table.is_component(projection) {
            self.table.reserve_cells(m, long)?;
        }
        let mut new = before;
        for class in (0..before).map(Class) {
            let leaving = m.get(SPLIT, class);
            if leaving != 0 {
                self.add_beside(m, projection, class, (Class(new), Representative::of(leaving)));
                new = new.wrapping_add(1);
                m.set(SPLIT, class, new);
            }
        }
        let mut again = false;
        for member in 0..members {
            let class = Self::of_member(m, projection, member);
            if class.0 < before
                && let Some(new) = m.get(SPLIT, class).checked_sub(1).map(Class)
                && self.leaves(m, projection, member, column)
            {
                self.set_class(m, projection, member, new);
                again |= self.leaves(m, projection, member, column);
            }
        }
        match projection {
            Projection::Full => self.table.set_full_rows(classes),
            Projection::Component(component) => classes::set_count(m, component, classes),
        }
        Ok(again)
    }

    /// Opens the class `new`, with this representative, for those that are to leave `class`.
    fn add_beside(
        &mut self,
        m: &mut Memory<'_>,
        projection: Projection,
        class: Class,
        (new, representative): (Class, Representative),
    ) {
        if projection == Projection::Full {
            let (from, to) = (FullRow(class.0), FullRow(new.0));
            for component in (0..self.table.components()).map(ComponentId) {
                let class = classes::of_full_row(m, Projection::Component(component), from);
                classes::set_class(m, component, to, class);
            }
            Digests::copy(m, from, to);
        }
        classes::set_representative(m, projection, new, representative);
        if let Representative::Long(row) = representative
            && self.table.is_component(projection)
        {
            self.table.keep_cells(m, row);
        }
    }

    /// The class of a row, or of a full row.
    #[inline]
    fn of_member(m: &Memory<'_>, projection: Projection, member: u32) -> Class {
        match projection {
            Projection::Full => classes::of_row(m, projection, Row(member)),
            Projection::Component(_) => classes::of_full_row(m, projection, FullRow(member)),
        }
    }

    fn set_class(&mut self, m: &mut Memory<'_>, projection: Projection, member: u32, class: Class) {
        match projection {
            Projection::Full => self.table.set_full_row(m, Row(member), FullRow(class.0)),
            Projection::Component(component) => {
                classes::set_class(m, component, FullRow(member), class);
            }
        }
    }

    /// A row that stands for a member.
    fn row_of_member(&self, m: &Memory<'_>, projection: Projection, member: u32) -> Row {
        match projection {
            Projection::Full => Row(member),
            Projection::Component(_) => self.table.row_of_full(m, FullRow(member)),
        }
    }

    /// Whether a member differs from the representative of its class in a new column.
    fn leaves(&self, m: &Memory<'_>, projection: Projection, member: u32, column: Suffix) -> bool {
        let row = self.row_of_member(m, projection, member);
        let class = Self::of_member(m, projection, member);
        let representative = classes::representative(m, projection, class);
        let representative = self.table.row_of(m, representative);
        let symbol = |row: Row| projection.of(m, self.table.new_symbol(m, row, column));
        symbol(representative) != symbol(row)
    }
}
