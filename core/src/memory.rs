//! One region of memory for everything that a learner holds, laid out by offsets.
//!
//! The caller hands over a `&mut [u32]`; its length is the capacity. What a learner holds is a
//! handful of [`Field`]s, each a matrix of packed numbers, which lie back to back from the start of the
//! region.
//!
//! [`Memory::reserve`] makes room for larger shapes and moves what is there. It is the only place
//! where memory runs out, and it changes nothing when it does: *full* means that no layout of what
//! is needed fits, never that one table is full beside an empty one. What a row takes only grows.
//! Cells are rounded up to whole words, always from the number of columns that there are: rounded up
//! again for each wider packing, they would take ever more.
//!
//! No index can panic: past the end of the region reading gives zero and writing does nothing. Past
//! the end of a field lies the next one, so rows and columns are checked where callers name them.

#[cfg(test)]
mod tests;

use core::cell::Cell;

use crate::bits::Packing;
use crate::components::Tuple;
use crate::error::{CapacityError, Misuse, Resource, SessionError, Stop};

/// What lies in the region, in this order; each a matrix `rows × columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Field {
    /// Bytes of the outputs' names, one after the other.
    NameByte,
    /// Where each name ends.
    NameEnd,
    /// The first name of each hash, plus one.
    NameHead,
    /// The next name of the same hash, plus one.
    NameNext,
    /// The block declared for each name, plus one.
    NameBlock,
    /// The output of each name, plus one.
    NameOutput,
    /// The name of each output.
    OutputName,
    /// The component of each output.
    OutputComponent,
    /// The component of each declared block, plus one.
    BlockComponent,
    /// A column's word without its last input.
    ColumnParent,
    /// A column's word without its first input.
    ColumnTail,
    /// The first input of a column's word.
    ColumnFirst,
    /// The last input of a column's word.
    ColumnLast,
    /// The first column one input longer, zero for a leaf.
    ColumnChild,
    /// The next column with the same parent.
    ColumnSibling,
    /// For each input: how many equal short rows have successors along it that are not equal.
    Inconsistencies,
    /// For one of them: how many differences the suffix `input · column` shows.
    Gain,
    /// The row of each short row.
    ShortRow,
    /// The output of a row's last input, as a symbol.
    RowOutput,
    /// The class of each whole row.
    WholeClass,
    /// For each such class: its short row, times two plus one, or another row of it, times two.
    WholeSample,
    /// A digest of these rows.
    Digest,
    /// Class of whole rows × component: the class that these rows are in.
    Class,
    /// Class × component: a row of the class, short if there is one.
    Sample,
    /// How many classes a component has.
    Classes,
    /// For each class that is being split: the class that leaves it, plus one.
    Split,
    /// Row × column that is being filled: the symbol.
    FreshSymbol,
    /// Whether a symbol appears in a column that classes are split by.
    Appears,
    /// The first state of each component, and the end of the last.
    ComponentStart,
    /// The initial state of each component.
    ComponentInitial,
    /// State × input: the next state within the component.
    Next,
    /// State × input: the output as a symbol, zero where it is not one of the component's.
    Out,
    /// The class of each state of a machine that is being minimised, and its class before.
    Minimal,
    /// The counterexample, and as it was before it was shortened (see `learner`) × position.
    CexInput,
    /// The device's outputs to these.
    CexOutput,
    /// Lane × 8: see `lane`.
    Lane,
    /// Lane × position: the word in flight.
    LaneInput,
    /// Lane × position: the names that came back.
    LaneAnswer,
    /// How often an input was tried in a state, by hash.
    #[cfg(feature = "mixture")]
    Tried,
    /// What a reset costs, then each input; empty where nobody said it.
    #[cfg(feature = "mixture")]
    Price,
    /// The infix of the test words that a suite is at.
    Infix,
    /// Tuples in use × component; see also `transitions`.
    Tuple,
    /// State of the product × input: see `transitions`.
    #[cfg(feature = "fast")]
    Transition,
    /// State of the product × component.
    WalkTuple,
    /// State of the product: where it was reached from.
    WalkParent,
    /// State of the product: the input that reached it.
    WalkInput,
    /// State of the product: the next one of the same hash.
    WalkNext,
    /// The first state of the product of each hash.
    WalkHead,
    /// Class of whole rows × column: the symbol; after these, rows that are being filled. Each row is a
    /// whole number of words, so that rows are compared a word at a time.
    Cell,
}

impl Field {
    /// Whether its values are as wide as a word, for speed: it is short, and read for every symbol.
    fn is_wide(self, rows: u32) -> bool {
        cfg!(feature = "fast")
            && match self {
                Self::NameEnd | Self::NameOutput | Self::ShortRow | Self::WholeSample => true,
                // With many lanes they are not short.
                Self::LaneInput | Self::LaneAnswer => rows == 1,
                Self::Tuple => rows == Tuple::lane(1).row(),
                _ => false,
            }
    }
}

const FIELDS: usize = Field::Cell as usize + 1;

/// The shape of a field and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Section {
    offset: u32,
    rows: u32,
    columns: u32,
    packing: Packing,
}

impl Section {
    const EMPTY: Self = Self { offset: 0, rows: 0, columns: 1, packing: Packing::up_to(1) };

    fn len(&self) -> u32 {
        self.rows.saturating_mul(self.columns)
    }

    fn words(&self) -> u32 {
        self.packing.words(self.len())
    }

    fn index(&self, row: u32, column: u32) -> u32 {
        row * self.columns + column
    }

    /// The same, with room for what is wanted.
    fn grown(self, want: &Want) -> Self {
        let packing = self.packing.max(Packing::up_to(want.max));
        let columns = match want.field {
            // What is there was rounded up for another packing.
            Field::Cell => packing.words(want.columns) * packing.per_word(),
            _ => self.columns.max(want.columns),
        };
        Self { offset: self.offset, rows: self.rows.max(want.rows), columns, packing }
    }
}

/// A shape that a field must have at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Want {
    field: Field,
    rows: u32,
    columns: u32,
    max: u32,
}

impl Want {
    /// A list of `len` values `0..=max`.
    pub(crate) fn list(field: Field, len: u32, max: u32) -> Self {
        Self::matrix(field, len, 1, max)
    }

    /// A matrix of values `0..=max`.
    pub(crate) fn matrix(field: Field, rows: u32, columns: u32, max: u32) -> Self {
        let max = if field.is_wide(rows) { u32::MAX } else { max };
        Self { field, rows, columns, max }
    }

    /// Slots of cells `0..=max`, for all columns that there are, even if only slots or values are more.
    pub(crate) fn cells(slots: u32, columns: u32, max: u32) -> Self {
        Self::matrix(Field::Cell, slots, columns, max)
    }
}

/// Where everything lies in the region.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    sections: [Section; FIELDS],
    used_words: u32,
    high_water_words: u32,
    /// Why the session could not go on, last.
    refused: SessionError,
}

impl Plan {
    pub(crate) const fn new() -> Self {
        Self {
            sections: [Section::EMPTY; FIELDS],
            used_words: 0,
            high_water_words: 0,
            refused: SessionError::Misuse(Misuse::UnexpectedReply),
        }
    }

    /// Why the session could not go on when [`Stop`] was last said.
    pub(crate) fn refused(&self) -> SessionError {
        self.refused
    }

    fn section(&self, field: Field) -> Section {
        self.sections.get(field as usize).copied().unwrap_or(Section::EMPTY)
    }

    /// The most that was ever laid out, in bytes.
    pub(crate) fn high_water_bytes(&self) -> usize {
        self.high_water_words as usize * size_of::<u32>()
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

/// The region and its plan, to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read<'m> {
    words: &'m [u32],
    plan: &'m Plan,
}

impl<'m> Read<'m> {
    pub(crate) fn new(words: &'m [u32], plan: &'m Plan) -> Self {
        Self { words, plan }
    }

    /// The value at `row` of a list.
    #[inline]
    pub(crate) fn get(self, field: Field, row: u32) -> u32 {
        self.at(field, row, 0)
    }

    /// The value at `row`, `column` of a matrix.
    #[inline]
    pub(crate) fn at(self, field: Field, row: u32, column: u32) -> u32 {
        let section = self.plan.section(field);
        section.packing.get(self.words, section.offset, section.index(row, column))
    }

    /// How many rows a field has.
    pub(crate) fn rows(self, field: Field) -> u32 {
        self.plan.section(field).rows
    }

    /// A field of bytes, as it lies in memory.
    pub(crate) fn bytes(self, field: Field) -> &'m [u8] {
        let section = self.plan.section(field);
        let words = self.words.get(section.offset as usize..).unwrap_or(&[]);
        bytemuck::cast_slice(words.get(..section.words() as usize).unwrap_or(&[]))
    }
}

/// The region and its plan.
#[derive(Debug)]
pub(crate) struct Memory<'m> {
    words: &'m mut [u32],
    plan: &'m mut Plan,
}

impl<'m> Memory<'m> {
    pub(crate) fn new(words: &'m mut [u32], plan: &'m mut Plan) -> Self {
        Self { words, plan }
    }

    /// The same, to be read.
    #[inline]
    pub(crate) fn read(&self) -> Read<'_> {
        Read::new(self.words, self.plan)
    }

    /// The value at `row` of a list.
    #[inline]
    pub(crate) fn get(&self, field: Field, row: u32) -> u32 {
        self.read().at(field, row, 0)
    }

    /// The value at `row`, `column` of a matrix.
    #[inline]
    pub(crate) fn at(&self, field: Field, row: u32, column: u32) -> u32 {
        self.read().at(field, row, column)
    }

    /// Writes the value at `row` of a list.
    #[inline]
    pub(crate) fn set(&mut self, field: Field, row: u32, value: u32) {
        self.put(field, row, 0, value);
    }

    /// Writes the value at `row`, `column` of a matrix.
    #[inline]
    pub(crate) fn put(&mut self, field: Field, row: u32, column: u32, value: u32) {
        let section = self.plan.section(field);
        debug_assert!(row < section.rows && column < section.columns, "{field:?} {row} {column}");
        section.packing.set(self.words, section.offset, section.index(row, column), value);
    }

    /// Writes `value` into the first `len` places of a list.
    pub(crate) fn fill(&mut self, field: Field, len: u32, value: u32) {
        for row in 0..len {
            self.set(field, row, value);
        }
    }

    /// How many words a field takes.
    pub(crate) fn words(&self, field: Field) -> u32 {
        self.plan.section(field).words()
    }

    /// How many columns a field has.
    pub(crate) fn columns(&self, field: Field) -> u32 {
        self.plan.section(field).columns
    }

    /// A field of bytes, to be written.
    pub(crate) fn bytes_mut(&mut self, field: Field) -> &mut [u8] {
        let section = self.plan.section(field);
        let words = self.words.get_mut(section.offset as usize..).unwrap_or(&mut []);
        bytemuck::cast_slice_mut(words.get_mut(..section.words() as usize).unwrap_or(&mut []))
    }

    /// How the symbols of the cells are packed.
    #[inline]
    pub(crate) fn packing(&self) -> Packing {
        self.plan.section(Field::Cell).packing
    }

    /// Word `index` of a slot.
    #[inline]
    pub(crate) fn cell_word(&self, slot: u32, index: u32) -> u32 {
        self.words.get(self.cell_place(slot, index)).copied().unwrap_or(0)
    }

    /// Copies the cells of a slot to another.
    pub(crate) fn copy_slot(&mut self, from: u32, to: u32) {
        let Section { columns, packing, .. } = self.plan.section(Field::Cell);
        for index in 0..packing.words(columns) {
            let word = self.cell_word(from, index);
            let place = self.cell_place(to, index);
            if let Some(place) = self.words.get_mut(place) {
                *place = word;
            }
        }
    }

    #[inline]
    fn cell_place(&self, slot: u32, index: u32) -> usize {
        let Section { offset, columns, packing, .. } = self.plan.section(Field::Cell);
        (offset + slot * packing.words(columns) + index) as usize
    }

    /// Keeps why the session cannot go on.
    pub(crate) fn refuse(&mut self, why: SessionError) -> Stop {
        self.plan.refused = why;
        Stop
    }

    /// Makes room for what is wanted, all of it or nothing.
    ///
    /// # Errors
    /// No layout fits; nothing was changed.
    pub(crate) fn reserve(&mut self, what: Resource, wants: &[Want]) -> Result<(), Stop> {
        let grown = |want: &Want| self.plan.section(want.field).grown(want);
        if wants.iter().all(|want| grown(want) == self.plan.section(want.field)) {
            return Ok(());
        }
        let mut next = self.plan.sections;
        for want in wants {
            if let Some(section) = next.get_mut(want.field as usize) {
                *section = section.grown(want);
            }
        }
        let mut offset = 0_u32;
        for section in &mut next {
            section.offset = offset;
            offset = offset.saturating_add(section.words());
        }
        if offset as usize > self.words.len() || offset == u32::MAX {
            let capacity = size_of_val(self.words);
            let needed = offset as usize * size_of::<u32>();
            let error = CapacityError { what, capacity, needed };
            return Err(self.refuse(SessionError::Capacity(error)));
        }
        // Both the other way round before they are zipped: a zip that is turned can panic.
        for (new, old) in next.iter().rev().zip(self.plan.sections.iter().rev()) {
            move_section(self.words, *old, *new);
        }
        self.plan.sections = next;
        self.plan.used_words = offset;
        self.plan.high_water_words = self.plan.high_water_words.max(offset);
        Ok(())
    }
}

/// Moves a field to its new place and shape. New places are zero.
fn move_section(words: &mut [u32], old: Section, new: Section) {
    let same_shape = old.columns == new.columns && old.packing == new.packing;
    if same_shape && old.rows == new.rows && old.offset == new.offset {
        return;
    }
    let words = words.get_mut(old.offset as usize..).unwrap_or(&mut []);
    let shift = (new.offset - old.offset) as usize;
    if same_shape {
        let words = Cell::from_mut(words).as_slice_of_cells();
        let (len, new_len) = (old.words() as usize, new.words() as usize);
        let kept = words.get(..len).unwrap_or(&[]).iter().rev();
        let places = words.get(shift..shift + len).unwrap_or(&[]).iter().rev();
        for (place, word) in places.zip(kept) {
            place.set(word.get());
        }
        for place in words.get(shift + len..shift + new_len).unwrap_or(&[]) {
            place.set(0);
        }
        return;
    }
    for i in (0..new.words()).rev() {
        let per_word = new.packing.per_word();
        let mut word = [0];
        for field in 0..per_word {
            let index = i * per_word + field;
            let (row, column) = (index / new.columns.max(1), index % new.columns.max(1));
            if row < old.rows && column < old.columns {
                let value = old.packing.get(words, 0, old.index(row, column));
                new.packing.set(&mut word, 0, field, value);
            }
        }
        if let Some(place) = words.get_mut(i as usize + shift) {
            *place = word[0];
        }
    }
}
