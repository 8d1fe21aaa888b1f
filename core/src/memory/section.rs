//! The place and the shape of one field.

use core::cell::Cell;

use crate::bits::Packing;

/// A shape that a field must have at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The number of the field.
    pub(super) id: u8,
    pub(super) rows: u32,
    pub(super) columns: u32,
    /// The largest number.
    pub(super) max: u32,
}

/// Where a field lies and how its numbers are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) offset: u32,
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) packing: Packing,
}

impl Section {
    pub(super) const EMPTY: Self =
        Self { offset: 0, rows: 0, columns: 1, packing: Packing::up_to(1) };

    fn len(&self) -> u32 {
        self.rows.saturating_mul(self.columns)
    }

    /// How many words it takes; `u32::MAX`, for which there is no room, if its numbers cannot be counted.
    pub(super) fn words(&self) -> u32 {
        match self.len() {
            u32::MAX => u32::MAX,
            len => self.packing.words(len),
        }
    }

    /// The place of a number among those of the field.
    #[inline]
    pub(super) fn index(&self, row: u32, column: u32) -> u32 {
        row.wrapping_mul(self.columns).wrapping_add(column)
    }

    /// The same section with room for a shape.
    pub(super) fn grown(self, shape: &Shape) -> Self {
        Self {
            offset: self.offset,
            rows: self.rows.max(shape.rows),
            columns: self.columns.max(shape.columns),
            packing: self.packing.max(Packing::up_to(shape.max)),
        }
    }

    /// Moves the field to its new place and shape. New places are zero.
    pub(super) fn move_to(self, new: Self, words: &mut [u32]) {
        let same_shape = self.columns == new.columns && self.packing == new.packing;
        if same_shape && self.rows == new.rows && self.offset == new.offset {
            return;
        }
        let words = words.get_mut(self.offset as usize..).unwrap_or(&mut []);
        // OK: no field shrinks here, so none moves towards the start.
        let shift = new.offset.saturating_sub(self.offset) as usize;
        if same_shape {
            self.shift_to(new, words, shift);
        } else {
            self.repack_to(new, words, shift);
        }
    }

    /// Moves the field, which has more rows now.
    fn shift_to(self, new: Self, words: &mut [u32], shift: usize) {
        let words = Cell::from_mut(words).as_slice_of_cells();
        let (len, new_len) = (self.words() as usize, new.words() as usize);
        let kept = words.get(..len).unwrap_or(&[]).iter().rev();
        let moved = words.get(shift..).unwrap_or(&[]);
        for (place, word) in moved.get(..len).unwrap_or(&[]).iter().rev().zip(kept) {
            place.set(word.get());
        }
        for place in moved.get(len..new_len).unwrap_or(&[]) {
            place.set(0);
        }
    }

    /// Moves the field, which has other columns or another packing now, number by number.
    fn repack_to(self, new: Self, words: &mut [u32], shift: usize) {
        let per_word = new.packing.per_word();
        for i in (0..new.words()).rev() {
            let mut word = [0];
            for field in 0..per_word {
                let index = i.wrapping_mul(per_word).wrapping_add(field);
                let (row, column) = (index / new.columns.max(1), index % new.columns.max(1));
                if row < self.rows && column < self.columns {
                    let value = self.packing.get(words, 0, self.index(row, column));
                    new.packing.set(&mut word, 0, field, value);
                }
            }
            if let Some(place) = words.get_mut((i as usize).wrapping_add(shift)) {
                *place = word[0];
            }
        }
    }
}
