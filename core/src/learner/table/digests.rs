//! A digest of each full row, so that a new row is compared with few of them.
//!
//! One byte each: the sum of a byte for each column and its symbol, so it can be kept up to date when
//! columns are added, and no row is read again. Without the feature `fast` there are none, and a new
//! row is compared with all full rows.

use crate::hash;
use crate::memory::{Field, Format, Memory, Shape, fields};
use crate::observations::table::classes::FullRow;
use crate::observations::table::{self, Table};
use crate::prefixes::Row;
use crate::suffixes::Suffix;

fields! {
    before table::FIELDS_START;
    /// The digest of each full row.
    DIGEST: Field<FullRow> = Format::Packed;
}

const FAST: bool = cfg!(feature = "fast");
/// Whether the digests lie in memory byte by byte: numbers are packed from the least significant bit of a word on.
const IS_BYTES: bool = cfg!(target_endian = "little");

/// The digests, which lie in the region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digests {
    /// Columns before this one are in the digests.
    end: Suffix,
}

impl Digests {
    pub(super) const NONE: Self = Self { end: Suffix::ROOT };

    /// Room for the digests of `len` full rows.
    pub(super) fn shape(len: u32) -> Shape {
        DIGEST.list(if FAST { len } else { 0 }, u8::MAX.into())
    }

    /// The digest of a row in all columns.
    pub(super) fn of_row(&mut self, table: &Table, m: &Memory<'_>, row: Row) -> u8 {
        self.end = table.suffixes().end();
        if !FAST {
            return 0;
        }
        let columns = table.suffixes().iter();
        columns.fold(0, |digest: u8, c| digest.wrapping_add(part(c, table.symbol(m, row, c))))
    }

    /// The full rows that may be equal to a row with this digest.
    pub(super) fn candidates<'a>(
        table: &Table,
        m: &'a Memory<'_>,
        digest: u8,
    ) -> impl Iterator<Item = FullRow> + use<'a> {
        let all = 0..table.full_rows();
        let digests = if FAST { m.read().bytes(DIGEST) } else { &[] };
        let is_equal = move |full: u32| match IS_BYTES {
            true => digests.get(full as usize) == Some(&digest),
            false => m.get(DIGEST, FullRow(full)) == digest.into(),
        };
        all.filter(move |&full| !FAST || is_equal(full)).map(FullRow)
    }

    /// Sets the digest of a full row.
    pub(super) fn set(m: &mut Memory<'_>, full: FullRow, digest: u8) {
        if FAST {
            m.set(DIGEST, full, digest.into());
        }
    }

    /// A full row begins with the digest of another.
    pub(super) fn copy(m: &mut Memory<'_>, from: FullRow, to: FullRow) {
        if FAST {
            m.set(DIGEST, to, m.get(DIGEST, from));
        }
    }

    /// Adds a column that is being filled; once, if it is called again after an error.
    pub(super) fn add_column(&mut self, table: &Table, m: &mut Memory<'_>, column: Suffix) {
        if !FAST || column < self.end {
            return;
        }
        self.end = column.next();
        for full in (0..table.full_rows()).map(FullRow) {
            let row = table.row_of_full(m, full);
            let part = part(column, table.new_symbol(m, row, column));
            let digest = m.get(DIGEST, full).wrapping_add(part.into());
            m.set(DIGEST, full, digest);
        }
    }
}

/// What a symbol in a column adds to the digest of a row.
#[inline]
fn part(column: Suffix, symbol: u32) -> u8 {
    let [.., part] = hash::mix(hash::mix(0, column.0), symbol).to_le_bytes();
    part
}
