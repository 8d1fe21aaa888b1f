//! Which rows are equal under which projection, and which row stands for them.
//!
//! ```text
//! row  ──FULL_ROW──▶  full row  ──CLASS──▶  class of a component
//!                        │                         │
//!              FULL_REPRESENTATIVE           REPRESENTATIVE
//!                        ▼                         ▼
//!                     a row, short if one of the class is
//! ```
//!
//! Rows that are equal in all cells share a *full row*, and so their classes under all projections. Full
//! rows, and the classes of a component, are numbered in the order in which they came up. Under the
//! projection of the identity the classes are the full rows.

use super::cells;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, fields, index};
use crate::outputs::ComponentId;
use crate::prefixes::{Row, Short};
use crate::projection::Projection;

index! {
    /// Rows that are equal in all cells.
    FullRow
}

index! {
    /// A class of rows that are equal under a projection.
    Class
}

fields! {
    before cells::FIELDS_START;
    /// For each full row: the number of its [`Representative`].
    FULL_REPRESENTATIVE: Field<FullRow> = Format::Wide;
    /// The full row of each row.
    FULL_ROW: Field<Row> = Format::Packed;
    /// Full row × component: its class.
    CLASS: Field<FullRow, ComponentId> = Format::Packed;
    /// Class × component: the number of its [`Representative`].
    REPRESENTATIVE: Field<Class, ComponentId> = Format::Packed;
    /// How many classes a component has.
    COUNT: Field<ComponentId> = Format::Packed;
}

/// The row that stands for a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Representative {
    /// A short row.
    Short(Short),
    /// A long row: no row of the class is short.
    Long(Row),
}

impl Representative {
    /// Twice the row, or twice the short row plus one. Never zero: the empty word's row is short.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Short(short) => short.0 << 1 | 1,
            Self::Long(row) => row.0 << 1,
        }
    }

    /// The representative with a number.
    #[inline]
    pub(crate) fn of(number: u32) -> Self {
        if number & 1 == 1 { Self::Short(Short(number >> 1)) } else { Self::Long(Row(number >> 1)) }
    }

    /// The largest number with this many rows.
    pub(crate) fn max(rows: u32) -> u32 {
        rows << 1 | 1
    }

    /// Whether it is a short row.
    pub(crate) fn is_short(self) -> bool {
        matches!(self, Self::Short(_))
    }
}

/// Makes room for the rows of the table.
pub(super) fn reserve_rows(m: &mut Memory<'_>, full_rows: u32, rows: u32) -> Result<(), Refused> {
    let representatives = FULL_REPRESENTATIVE.list(full_rows, Representative::max(rows));
    m.reserve(Resource::Rows, &[FULL_ROW.list(rows, 0), representatives])
}

/// Makes room for `len` full rows.
pub(super) fn reserve_full_rows(
    m: &mut Memory<'_>,
    len: u32,
    components: u32,
    rows: u32,
) -> Result<(), Refused> {
    m.reserve(
        Resource::Classes,
        &[
            FULL_ROW.list(rows, len),
            FULL_REPRESENTATIVE.list(len, Representative::max(rows)),
            CLASS.matrix(len, components, 0),
        ],
    )
}

/// Makes room for `len` classes of a component.
pub(super) fn reserve_classes(
    m: &mut Memory<'_>,
    len: u32,
    components: u32,
    (full_rows, rows): (u32, u32),
) -> Result<(), Refused> {
    m.reserve(
        Resource::Classes,
        &[
            CLASS.matrix(full_rows, components, len),
            REPRESENTATIVE.matrix(len, components, Representative::max(rows)),
            COUNT.list(components, len),
        ],
    )
}

/// The full row of a row.
#[inline]
pub(crate) fn full_row(m: &Memory<'_>, row: Row) -> FullRow {
    FullRow(m.get(FULL_ROW, row))
}

/// A row is equal to a full row.
pub(super) fn set_full_row(m: &mut Memory<'_>, row: Row, full: FullRow) {
    m.set(FULL_ROW, row, full.0);
}

/// The class of a row.
#[inline]
pub(crate) fn of_row(m: &Memory<'_>, projection: Projection, row: Row) -> Class {
    of_full_row(m, projection, full_row(m, row))
}

/// The class of a full row.
#[inline]
pub(crate) fn of_full_row(m: &Memory<'_>, projection: Projection, full: FullRow) -> Class {
    match projection {
        Projection::Full => Class(full.0),
        Projection::Component(component) => Class(m.at(CLASS, full, component)),
    }
}

/// Sets the class of a full row.
pub(crate) fn set_class(m: &mut Memory<'_>, component: ComponentId, full: FullRow, class: Class) {
    m.put(CLASS, full, component, class.0);
}

/// The row that stands for a class.
#[inline]
pub(crate) fn representative(
    m: &Memory<'_>,
    projection: Projection,
    class: Class,
) -> Representative {
    Representative::of(match projection {
        Projection::Full => m.get(FULL_REPRESENTATIVE, FullRow(class.0)),
        Projection::Component(component) => m.at(REPRESENTATIVE, class, component),
    })
}

/// Sets the row that stands for a class.
pub(crate) fn set_representative(
    m: &mut Memory<'_>,
    projection: Projection,
    class: Class,
    representative: Representative,
) {
    let number = representative.number();
    match projection {
        Projection::Full => m.set(FULL_REPRESENTATIVE, FullRow(class.0), number),
        Projection::Component(component) => m.put(REPRESENTATIVE, class, component, number),
    }
}

/// The short row that is equal to a full row, if there is one.
#[inline]
pub(crate) fn short_of(m: &Memory<'_>, full: FullRow) -> Option<Short> {
    match representative(m, Projection::Full, Class(full.0)) {
        Representative::Short(short) => Some(short),
        Representative::Long(_) => None,
    }
}

/// How many classes a component has.
pub(crate) fn count(m: &Memory<'_>, component: ComponentId) -> u32 {
    m.get(COUNT, component)
}

/// A component has this many classes.
pub(crate) fn set_count(m: &mut Memory<'_>, component: ComponentId, len: u32) {
    m.set(COUNT, component, len);
}
