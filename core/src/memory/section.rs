//! The place and the shape of one field.

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
    // PERF: its code exists once, which takes less flash (docs/measurements/firmware.txt).
    #[inline(never)]
    pub(super) fn words(&self) -> u32 {
        match self.len() {
            u32::MAX => u32::MAX,
            len => self.packing.words(len),
        }
    }

    /// The first word behind it.
    pub(super) fn end(&self) -> u32 {
        self.offset.wrapping_add(self.words())
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
        if self.columns == new.columns && self.packing == new.packing {
            self.shift_to(new, words);
        } else {
            self.repack_to(new, words);
        }
    }

    /// Moves the field, which has more rows now.
    fn shift_to(self, new: Self, words: &mut [u32]) {
        let (len, new_len) = (self.words(), new.words());
        move_words(words, (self.offset, new.offset), len);
        let rest = words.iter_mut().skip(new.offset.wrapping_add(len) as usize);
        rest.take(new_len.wrapping_sub(len) as usize).for_each(|word| *word = 0);
    }

    /// Moves the field, which has other columns or another packing now, number by number from the end.
    /// Each moves towards the end, so none is overwritten before it has moved.
    fn repack_to(self, new: Self, words: &mut [u32]) {
        let (before, end) = (self.end() as usize, new.end() as usize);
        words.iter_mut().take(end).skip(before).for_each(|word| *word = 0);
        for row in (0..new.rows).rev() {
            for column in (0..new.columns).rev() {
                let is_there = row < self.rows && column < self.columns;
                let value = if is_there { self.get(words, row, column) } else { 0 };
                new.packing.set(words, new.offset, new.index(row, column), value);
            }
        }
    }

    /// The number at `row`, `column`.
    #[inline]
    pub(super) fn get(&self, words: &[u32], row: u32, column: u32) -> u32 {
        self.packing.get(words, self.offset, self.index(row, column))
    }
}

/// Moves `len` words from one place to another; nothing if they do not fit there.
pub(super) fn move_words(words: &mut [u32], (from, to): (u32, u32), len: u32) {
    let (from, to, len) = (from as usize, to as usize, len as usize);
    let Some(last_place) = words.len().checked_sub(len) else { return };
    if from <= last_place && to <= last_place {
        words.copy_within(from..from.wrapping_add(len), to);
    }
}
