//! One region of memory for everything that a session holds, laid out by offsets.
//!
//! The caller hands over a `&mut [u32]`; its length is the capacity. The region holds a few dozen
//! *fields*, each a matrix of packed numbers; they lie back to back from the start of the region.
//! This module knows their shapes only: each module above declares its own fields with [`fields!`],
//! together with the type of index that may touch them, so that an index of one table cannot read
//! another.
//!
//! [`Memory::reserve`] makes room for larger shapes and moves what is there. It is the only place
//! where memory runs out, and it changes nothing when it does: *full* means that no layout of what
//! is asked for fits, never that one table is full beside an empty one. What grows word by word asks for an eighth or a
//! quarter more than it needs, so that what lies behind it is moved seldom.
//!
//! Fields never shrink; but what is needed for a while only is then given up with [`Memory::release`],
//! and what is needed at another time takes its room. A field that often comes and goes has a high
//! number, so that little lies behind it and has to move.
//!
//! No index can panic: past the end of the region reading gives zero and writing does nothing. Past
//! the end of a field lies the next one, so rows and columns are checked where callers name them.
//!
//! **No number overflows unseen.** A field has less than 2³² − 1 numbers, so an index and the one after
//! it fit: there sums wrap, which asks for no proof. What callers want room for may be too large to
//! count: these sums saturate, and there is never room for `u32::MAX` numbers.

mod section;
#[cfg(test)]
mod tests;

use core::marker::PhantomData;

use crate::alphabet::{Input, Output};
use crate::error::{CapacityError, Misuse, Refused, Resource, SessionError};
use section::Section;
pub(crate) use section::Shape;

/// How many fields there are. `session` asserts it: each takes room in every layout.
pub(crate) const FIELDS: u8 = 48
    + if cfg!(feature = "fast") { 3 } else { 0 }
    + if cfg!(feature = "mixture") { 2 } else { 0 }
    + if cfg!(feature = "tree") { 48 } else { 0 };

/// A number that indexes the rows or the columns of certain fields, and of no others.
pub(crate) trait Index: Copy {
    /// The number.
    fn index(self) -> u32;
}

/// Declares a type of index.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) struct $name(pub(crate) u32);

        impl $crate::memory::Index for $name {
            #[inline]
            fn index(self) -> u32 {
                self.0
            }
        }
    };
}
pub(crate) use index;

index! {
    /// A place in a list that is read from its start to its end.
    Position
}

/// The only column of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Only;

impl Index for Only {
    #[inline]
    fn index(self) -> u32 {
        0
    }
}

impl Index for Input {
    #[inline]
    fn index(self) -> u32 {
        self.index()
    }
}

impl Index for Output {
    #[inline]
    fn index(self) -> u32 {
        self.index()
    }
}

/// How the numbers of a field are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// In as few bits as the largest number needs.
    Packed,
    /// With the feature `fast` a word each, since the field is short and read for every symbol.
    Wide,
    /// The same, but only while there are exactly this many rows.
    WideIf(u32),
}

impl Format {
    fn is_wide(self, rows: u32) -> bool {
        cfg!(feature = "fast")
            && match self {
                Self::Packed => false,
                Self::Wide => true,
                Self::WideIf(wanted) => rows == wanted,
            }
    }
}

/// A matrix of numbers in the region, indexed by `R` and `C`; a list if it has one column.
pub(crate) struct Field<R, C = Only> {
    id: u8,
    format: Format,
    index: PhantomData<fn(R, C)>,
}

impl<R, C> Clone for Field<R, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, C> Copy for Field<R, C> {}

impl<R: Index, C: Index> Field<R, C> {
    /// The field with this number; [`fields!`] gives the numbers.
    pub(crate) const fn new(id: u8, format: Format) -> Self {
        Self { id, format, index: PhantomData }
    }

    /// The shape with room for `rows × columns` numbers `0..=max`.
    pub(crate) fn matrix(self, rows: u32, columns: u32, max: u32) -> Shape {
        let max = if self.format.is_wide(rows) { u32::MAX } else { max };
        Shape { id: self.id, rows, columns, max }
    }
}

impl<R: Index> Field<R> {
    /// The shape with room for `len` numbers `0..=max`.
    pub(crate) fn list(self, len: u32, max: u32) -> Shape {
        self.matrix(len, 1, max)
    }
}

/// Declares the fields of a module: `after` those of the module below it. Learners count down from
/// [`FIELDS`] with `before`, so that two learners can have the same numbers: a session has one.
macro_rules! fields {
    (after $before:expr; $($fields:tt)*) => {
        /// The number after those of this module's fields.
        pub(crate) const FIELDS_END: u8 = $before + FieldPosition::Count as u8;
        $crate::memory::fields!(@numbered |position| $before + position; $($fields)*);
    };
    (before $after:expr; $($fields:tt)*) => {
        /// The number of the first of this module's fields.
        pub(crate) const FIELDS_START: u8 = $after - FieldPosition::Count as u8;
        $crate::memory::fields!(@numbered |position| $after - 1 - position; $($fields)*);
    };
    (@numbered |$position:ident| $number:expr;
        $($(#[$doc:meta])* $name:ident: $field:ty = $format:expr;)*) => {
        #[allow(clippy::upper_case_acronyms, non_camel_case_types, reason = "names of constants")]
        #[repr(u8)]
        enum FieldPosition { $($(#[$doc])* $name,)* Count }
        $(
            $(#[$doc])*
            const $name: $field = {
                let $position = FieldPosition::$name as u8;
                <$field>::new($number, $format)
            };
        )*
    };
}
pub(crate) use fields;

/// Where everything lies in the region.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    sections: [Section; FIELDS as usize],
    used_words: u32,
    high_water_words: u32,
    /// Why the session could not go on, last.
    refused: SessionError,
}

impl Layout {
    pub(crate) const fn new() -> Self {
        Self {
            sections: [Section::EMPTY; FIELDS as usize],
            used_words: 0,
            high_water_words: 0,
            refused: SessionError::Misuse(Misuse::UnexpectedReply),
        }
    }

    /// Why the session could not go on when [`Refused`] was last returned.
    pub(crate) fn refused(&self) -> SessionError {
        self.refused
    }

    #[inline]
    fn section(&self, id: u8) -> Section {
        self.sections.get(id as usize).copied().unwrap_or(Section::EMPTY)
    }

    /// The most that was ever laid out, in bytes.
    pub(crate) fn high_water_bytes(&self) -> usize {
        (self.high_water_words as usize).saturating_mul(size_of::<u32>())
    }

    /// Copies what is laid out from `old` to `new` memory. `false` when it is too small.
    #[must_use]
    pub(crate) fn transfer(&self, old: &[u32], new: &mut [u32]) -> bool {
        let used = self.used_words as usize;
        if new.len() < used || old.len() < used {
            return false;
        }
        for (to, from) in new.iter_mut().zip(old).take(used) {
            *to = *from;
        }
        true
    }
}

/// The region and its layout, to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryRef<'m> {
    words: &'m [u32],
    layout: &'m Layout,
}

impl<'m> MemoryRef<'m> {
    pub(crate) fn new(words: &'m [u32], layout: &'m Layout) -> Self {
        Self { words, layout }
    }

    /// The number at `row` of a list.
    #[inline]
    pub(crate) fn get<R: Index>(self, field: Field<R>, row: R) -> u32 {
        self.at(field, row, Only)
    }

    /// The number at `row`, `column` of a matrix.
    #[inline]
    pub(crate) fn at<R: Index, C: Index>(self, field: Field<R, C>, row: R, column: C) -> u32 {
        self.number(field.id, row.index(), column.index())
    }

    /// Not generic, so that its code exists once.
    #[inline]
    fn number(self, id: u8, row: u32, column: u32) -> u32 {
        self.layout.section(id).get(self.words, row, column)
    }

    /// How many rows a field has.
    pub(crate) fn rows<R, C>(self, field: Field<R, C>) -> u32 {
        self.layout.section(field.id).rows
    }

    /// A field of bytes, as it lies in memory.
    pub(crate) fn bytes<R, C>(self, field: Field<R, C>) -> &'m [u8] {
        let section = self.layout.section(field.id);
        let words = self.words.get(section.offset as usize..).unwrap_or(&[]);
        bytemuck::cast_slice(words.get(..section.words() as usize).unwrap_or(&[]))
    }
}

/// The region and its layout.
#[derive(Debug)]
pub(crate) struct Memory<'m> {
    words: &'m mut [u32],
    layout: &'m mut Layout,
}

impl<'m> Memory<'m> {
    pub(crate) fn new(words: &'m mut [u32], layout: &'m mut Layout) -> Self {
        Self { words, layout }
    }

    /// The same, to be read.
    #[inline]
    pub(crate) fn read(&self) -> MemoryRef<'_> {
        MemoryRef::new(self.words, self.layout)
    }

    /// The number at `row` of a list.
    #[inline]
    pub(crate) fn get<R: Index>(&self, field: Field<R>, row: R) -> u32 {
        self.number(field.id, row.index(), 0)
    }

    /// The number at `row`, `column` of a matrix.
    #[inline]
    pub(crate) fn at<R: Index, C: Index>(&self, field: Field<R, C>, row: R, column: C) -> u32 {
        self.number(field.id, row.index(), column.index())
    }

    /// Not generic, so that its code exists once.
    #[inline]
    fn number(&self, id: u8, row: u32, column: u32) -> u32 {
        self.read().number(id, row, column)
    }

    /// Writes the number at `row` of a list.
    #[inline]
    pub(crate) fn set<R: Index>(&mut self, field: Field<R>, row: R, value: u32) {
        self.put(field, row, Only, value);
    }

    /// Writes the number at `row`, `column` of a matrix.
    #[inline]
    pub(crate) fn put<R, C>(&mut self, field: Field<R, C>, row: R, column: C, value: u32)
    where
        R: Index,
        C: Index,
    {
        self.put_number(field.id, row.index(), column.index(), value);
    }

    /// Not generic, so that its code exists once.
    #[inline]
    fn put_number(&mut self, id: u8, row: u32, column: u32, value: u32) {
        let section = self.layout.section(id);
        debug_assert!(row < section.rows && column < section.columns, "{id} {row} {column}");
        section.packing.set(self.words, section.offset, section.index(row, column), value);
    }

    /// Writes `value` into the first `len` places of a list.
    pub(crate) fn fill<R: Index>(&mut self, field: Field<R>, len: u32, value: u32) {
        self.fill_numbers(field.id, len, value);
    }

    /// Not generic, so that its code exists once.
    fn fill_numbers(&mut self, id: u8, len: u32, value: u32) {
        (0..len).for_each(|row| self.put_number(id, row, 0, value));
    }

    /// How many words a field takes.
    pub(crate) fn words<R, C>(&self, field: Field<R, C>) -> u32 {
        self.layout.section(field.id).words()
    }

    /// How many columns a field has.
    pub(crate) fn columns<R, C>(&self, field: Field<R, C>) -> u32 {
        self.layout.section(field.id).columns
    }

    /// A field of bytes, to be written.
    pub(crate) fn bytes_mut<R, C>(&mut self, field: Field<R, C>) -> &mut [u8] {
        let section = self.layout.section(field.id);
        let words = self.words.get_mut(section.offset as usize..).unwrap_or(&mut []);
        bytemuck::cast_slice_mut(words.get_mut(..section.words() as usize).unwrap_or(&mut []))
    }

    /// Keeps why the session cannot go on.
    pub(crate) fn refuse(&mut self, why: SessionError) -> Refused {
        self.layout.refused = why;
        Refused
    }

    /// Gives a field up: it has no rows, and what lies behind it moves to where it was.
    pub(crate) fn release<R, C>(&mut self, field: Field<R, C>) {
        self.release_section(field.id);
    }

    /// Not generic, so that its code exists once.
    fn release_section(&mut self, id: u8) {
        let mut sections = self.layout.sections.iter_mut().skip(id as usize);
        let Some(released) = sections.next() else { return };
        let (start, gap) = (released.offset, released.words());
        *released = Section { offset: start, ..Section::EMPTY };
        for section in sections {
            section.offset = section.offset.wrapping_sub(gap);
        }
        self.layout.used_words = self.layout.used_words.wrapping_sub(gap);
        let behind = self.layout.used_words.wrapping_sub(start);
        section::move_words(self.words, (start.wrapping_add(gap), start), behind);
    }

    /// Makes room for all shapes, or for none.
    ///
    /// # Errors
    /// No layout fits; nothing was changed.
    pub(crate) fn reserve(&mut self, what: Resource, shapes: &[Shape]) -> Result<(), Refused> {
        let has_room = |shape: &Shape| {
            let section = self.layout.section(shape.id);
            section.grown(shape) == section
        };
        if shapes.iter().all(has_room) {
            return Ok(());
        }
        let grown = |section: &Section, id: u8| {
            let shapes = shapes.iter().filter(|shape| shape.id == id);
            shapes.fold(*section, Section::grown)
        };
        // What lies before the first of them stays where it is.
        let first = shapes.iter().fold(FIELDS, |first, shape| first.min(shape.id));
        let start = self.layout.section(first).offset;
        let sections = &mut self.layout.sections;
        let moved = sections.iter().zip(0..FIELDS).skip(first as usize);
        let words = moved.map(|(section, id)| grown(section, id).words());
        let offset = words.fold(start, u32::saturating_add);
        if offset as usize > self.words.len() || offset == u32::MAX {
            let capacity = size_of_val(self.words);
            let needed = (offset as usize).saturating_mul(size_of::<u32>());
            let error = CapacityError { what, capacity, needed };
            return Err(self.refuse(SessionError::Capacity(error)));
        }
        // From the last, since all move towards the end. What keeps its shape moves with what lies behind it. Each
        // is reversed before they are zipped: a zip that is reversed can panic.
        let mut end = self.layout.used_words;
        let mut shift = offset.wrapping_sub(end);
        for (section, id) in sections.iter_mut().rev().zip((first..FIELDS).rev()) {
            let (old, mut new) = (*section, grown(section, id));
            if new == old {
                section.offset = old.offset.wrapping_add(shift);
                continue;
            }
            let behind = old.end();
            section::move_words(
                self.words,
                (behind, behind.wrapping_add(shift)),
                end.wrapping_sub(behind),
            );
            shift = shift.wrapping_sub(new.words()).wrapping_add(old.words());
            new.offset = old.offset.wrapping_add(shift);
            old.move_to(new, self.words);
            *section = new;
            end = old.offset;
        }
        self.layout.used_words = offset;
        self.layout.high_water_words = self.layout.high_water_words.max(offset);
        Ok(())
    }
}
