//! A digest of each class of whole rows, so that a new row is compared with few of their samples.
//!
//! One byte for each class: the sum of a byte for each column and its symbol. So it follows when columns
//! are added, and no row is read again. Without the feature `fast` there are none, and a new row is
//! compared with all samples.

use crate::classes::Projection;
use crate::columns::Column;
use crate::memory::{Field, Memory, Want};
use crate::table::{Row, Table};

const FAST: bool = cfg!(feature = "fast");

/// Room for the digests of so many classes.
pub(crate) fn want(classes: u32) -> Want {
    Want::list(Field::Digest, if FAST { classes } else { 0 }, u8::MAX.into())
}

/// Sets the digest of a class.
pub(crate) fn set(m: &mut Memory<'_>, class: u32, digest: u8) {
    if FAST {
        m.set(Field::Digest, class, digest.into());
    }
}

/// A new class begins with the digest of another.
pub(crate) fn inherit(m: &mut Memory<'_>, class: u32, new: u32) {
    if FAST {
        m.set(Field::Digest, new, m.get(Field::Digest, class));
    }
}

impl Table {
    /// The class of the rows that are equal to a complete one as a whole, or else the digest of that.
    pub(crate) fn find_whole(&self, m: &Memory<'_>, row: Row) -> Result<u32, u8> {
        let is_equal = |&class: &u32| self.equal_whole(m, class, row);
        if !FAST {
            return (0..self.whole_classes).find(is_equal).ok_or(0);
        }
        let digest = self.digest(m, row);
        let digests = (0..self.whole_classes).zip(m.read().bytes(Field::Digest));
        let alike = digests.filter(|&(_, &other)| other == digest);
        alike.map(|(class, _)| class).find(is_equal).ok_or(digest)
    }

    /// The digest of a row.
    fn digest(&self, m: &Memory<'_>, row: Row) -> u8 {
        let columns = self.columns.iter();
        columns.fold(0_u8, |digest, c| digest.wrapping_add(part(c, self.symbol(m, row, c))))
    }

    /// Adds a column to the digests, which is being filled; once, if it is called
    /// again after an error.
    pub(crate) fn add_to_digests(&mut self, m: &mut Memory<'_>, column: Column) {
        if !FAST || column < self.digested {
            return;
        }
        self.digested = Column(column.0 + 1);
        for class in 0..self.whole_classes {
            let sample = self.sample(m, Projection::Whole, class);
            let part = part(column, self.symbol(m, sample, column));
            let digest = m.get(Field::Digest, class).wrapping_add(part.into());
            m.set(Field::Digest, class, digest);
        }
    }
}

/// What a symbol in a column adds to the digest of a row.
#[inline]
fn part(column: Column, symbol: u32) -> u8 {
    // The finaliser of MurmurHash3 (Appleby), shortened.
    let mixed = (column.0 ^ symbol.rotate_left(16)).wrapping_mul(0x85eb_ca6b);
    let [.., part] = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35).to_le_bytes();
    part
}
