//! Words in flight, one a lane, and the answers to them so far.
//!
//! A lane is a list of numbers in the region (see [`Slot`]), a word and the names that came back.

use crate::Input;
use crate::columns::{Column, split_first};
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Read, Want};
use crate::outputs::Name;
use crate::table::{Row, Table};

/// What a lane is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It has no word.
    Free,
    /// Its device is being reset.
    Resetting,
    /// Its word is being asked.
    Asking,
    /// All outputs of its word are there.
    Complete,
    /// Its link failed: its word is asked again.
    Failed,
}

/// The numbers kept for a lane.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Slot {
    State,
    /// Words are handed out, and their answers taken in, in the order of this number.
    Turn,
    /// The number of the test, for a test.
    Test,
    Len,
    Asked,
    Answered,
    /// The row, plus one, whose access word the lane begins with; zero if that is not known.
    #[cfg(feature = "fast")]
    AccessRow,
    /// The length of that.
    #[cfg(feature = "fast")]
    AccessLen,
    Count,
}

/// Room for words grows by so many symbols.
const WORD_STEP: u32 = 8;

/// The lanes of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    count: u32,
    inputs: u32,
}

impl Lanes {
    pub(crate) const fn new(count: u32, inputs: u32) -> Self {
        Self { count, inputs }
    }

    /// How many there are.
    pub(crate) fn count(self) -> u32 {
        self.count
    }

    /// Makes room for the lanes themselves.
    pub(crate) fn begin(self, m: &mut Memory<'_>) -> Result<(), Stop> {
        let wants = [Want::matrix(Field::Lane, self.count, Slot::Count as u32, u32::MAX)];
        m.reserve(Resource::Words, &wants)
    }

    /// Whether there is such a lane, and room for it.
    pub(crate) fn has(self, m: Read<'_>, lane: u32) -> bool {
        lane < self.count.min(m.rows(Field::Lane))
    }

    /// A number of a lane.
    #[inline]
    fn number(self, m: Read<'_>, lane: u32, slot: Slot) -> u32 {
        m.at(Field::Lane, lane, slot as u32)
    }

    #[inline]
    fn set_number(self, m: &mut Memory<'_>, lane: u32, slot: Slot, number: u32) {
        m.put(Field::Lane, lane, slot as u32, number);
    }

    /// What a lane is doing.
    pub(crate) fn state(self, m: &Memory<'_>, lane: u32) -> State {
        match self.number(m.read(), lane, Slot::State) {
            0 => State::Free,
            1 => State::Resetting,
            2 => State::Asking,
            3 => State::Complete,
            _ => State::Failed,
        }
    }

    /// Starts an empty word.
    pub(crate) fn clear(self, m: &mut Memory<'_>, lane: u32) {
        self.set_number(m, lane, Slot::State, State::Free as u32);
        self.set_number(m, lane, Slot::Len, 0);
    }

    /// Appends an input to the word being made.
    pub(crate) fn push(self, m: &mut Memory<'_>, lane: u32, input: Input) -> Result<(), Stop> {
        let position = self.len(m, lane);
        self.extend(m, lane, 1)?;
        self.set_input(m, lane, position, input);
        Ok(())
    }

    /// Appends so many inputs, which are to be set.
    pub(crate) fn extend(self, m: &mut Memory<'_>, lane: u32, more: u32) -> Result<(), Stop> {
        let before = self.len(m, lane);
        let len = before + more;
        #[cfg(feature = "fast")]
        if before == 0 {
            self.set_number(m, lane, Slot::AccessRow, 0);
        }
        if len > m.columns(Field::LaneInput) || before == 0 {
            self.reserve(m, len)?;
        }
        self.set_number(m, lane, Slot::Len, len);
        Ok(())
    }

    /// Sets an input of the word being made.
    #[inline]
    pub(crate) fn set_input(self, m: &mut Memory<'_>, lane: u32, position: u32, input: Input) {
        m.put(Field::LaneInput, lane, position, input.index());
    }

    /// Makes room for words of this length.
    pub(crate) fn reserve(self, m: &mut Memory<'_>, len: u32) -> Result<(), Stop> {
        let columns = len.next_multiple_of(WORD_STEP);
        m.reserve(
            Resource::Words,
            &[
                Want::matrix(Field::LaneInput, self.count, columns, self.inputs),
                Want::matrix(Field::LaneAnswer, self.count, columns, 1),
            ],
        )
    }

    /// Makes the word that leads to a row the beginning of an empty word; nothing else sets inputs that
    /// are there without appending them.
    pub(crate) fn push_access(
        self,
        m: &mut Memory<'_>,
        lane: u32,
        table: &Table,
        row: Row,
    ) -> Result<(), Stop> {
        // Most words of the table begin as the one before.
        #[cfg(feature = "fast")]
        if self.number(m.read(), lane, Slot::AccessRow) == row.0 + 1 {
            let len = self.number(m.read(), lane, Slot::AccessLen);
            self.set_number(m, lane, Slot::Len, len);
            return Ok(());
        }
        let (mut len, mut at) = (0, row);
        while let Some((short, _)) = table.predecessor(at) {
            len += 1;
            at = Table::row_of(m, short);
        }
        self.extend(m, lane, len)?;
        #[cfg(feature = "fast")]
        {
            self.set_number(m, lane, Slot::AccessRow, row.0 + 1);
            self.set_number(m, lane, Slot::AccessLen, len);
        }
        at = row;
        while let Some((short, input)) = table.predecessor(at) {
            len -= 1;
            self.set_input(m, lane, len, input);
            at = Table::row_of(m, short);
        }
        Ok(())
    }

    /// Appends the inputs of a column to the word being made.
    pub(crate) fn push_column(
        self,
        m: &mut Memory<'_>,
        lane: u32,
        column: Column,
    ) -> Result<(), Stop> {
        let mut rest = column;
        while rest != Column::ROOT {
            let (first, tail) = split_first(m, rest);
            self.push(m, lane, first)?;
            rest = tail;
        }
        Ok(())
    }

    /// Turns the end of the word being made around, from a position on.
    pub(crate) fn reverse(self, m: &mut Memory<'_>, lane: u32, from: u32) {
        let (mut low, mut high) = (from, self.len(m, lane));
        while low + 1 < high {
            high -= 1;
            let (first, last) = (self.input(m, lane, low), self.input(m, lane, high));
            self.set_input(m, lane, low, last);
            self.set_input(m, lane, high, first);
            low += 1;
        }
    }

    /// The word is made: it is asked from a reset on.
    pub(crate) fn hand_out(self, m: &mut Memory<'_>, lane: u32, turn: u32, test: u32) {
        self.set_number(m, lane, Slot::Turn, turn);
        self.set_number(m, lane, Slot::Test, test);
        self.start(m, lane);
    }

    /// The word is asked from a reset on.
    pub(crate) fn start(self, m: &mut Memory<'_>, lane: u32) {
        self.restart(m, lane, State::Resetting);
    }

    /// The link failed while the word was being asked.
    pub(crate) fn fail(self, m: &mut Memory<'_>, lane: u32) {
        self.restart(m, lane, State::Failed);
    }

    fn restart(self, m: &mut Memory<'_>, lane: u32, state: State) {
        self.set_number(m, lane, Slot::Asked, 0);
        self.set_number(m, lane, Slot::Answered, 0);
        self.set_number(m, lane, Slot::State, state as u32);
    }

    /// The device is reset, or has answered: the next input, or none if the word is complete.
    pub(crate) fn ask(self, m: &mut Memory<'_>, lane: u32) -> Option<Input> {
        let asked = self.number(m.read(), lane, Slot::Asked);
        if asked == self.len(m, lane) {
            self.set_number(m, lane, Slot::State, State::Complete as u32);
            return None;
        }
        self.set_number(m, lane, Slot::Asked, asked + 1);
        self.set_number(m, lane, Slot::State, State::Asking as u32);
        Some(self.input(m, lane, asked))
    }

    /// The position of the input that is being asked, if its answer has not come yet.
    pub(crate) fn pending(self, m: &Memory<'_>, lane: u32) -> Option<u32> {
        let answered = self.answered(m, lane);
        (self.number(m.read(), lane, Slot::Asked) == answered + 1).then_some(answered)
    }

    /// Takes an answer; for names as large there is room since they are known.
    pub(crate) fn answer(self, m: &mut Memory<'_>, lane: u32, name: Name) {
        let answered = self.answered(m, lane);
        self.set_name(m, lane, answered, name);
        self.set_number(m, lane, Slot::Answered, answered + 1);
    }

    /// All inputs before `end` are asked, and answered.
    #[cfg(feature = "fast")]
    pub(crate) fn answer_until(self, m: &mut Memory<'_>, lane: u32, end: u32) {
        self.set_number(m, lane, Slot::Asked, end);
        self.set_number(m, lane, Slot::Answered, end);
    }

    /// Ends the word here.
    #[cfg(feature = "fast")]
    pub(crate) fn cut(self, m: &mut Memory<'_>, lane: u32, end: u32) {
        self.set_number(m, lane, Slot::Len, end);
    }

    /// Ends the word with the answer that comes next.
    pub(crate) fn cut_after(self, m: &mut Memory<'_>, lane: u32) {
        self.set_number(m, lane, Slot::Len, self.answered(m, lane) + 1);
    }

    /// Outputs that came back.
    pub(crate) fn answered(self, m: &Memory<'_>, lane: u32) -> u32 {
        self.number(m.read(), lane, Slot::Answered)
    }

    /// The number of the test.
    pub(crate) fn test(self, m: &Memory<'_>, lane: u32) -> u32 {
        self.number(m.read(), lane, Slot::Test)
    }

    /// The length of the word.
    pub(crate) fn len(self, m: &Memory<'_>, lane: u32) -> u32 {
        self.number(m.read(), lane, Slot::Len)
    }

    /// The length of the word, zero for a lane that is not there.
    pub(crate) fn word_len(self, m: Read<'_>, lane: u32) -> u32 {
        if self.has(m, lane) { self.number(m, lane, Slot::Len) } else { 0 }
    }

    /// Inputs of the word that were asked, zero for a lane that is not there.
    pub(crate) fn asked(self, m: Read<'_>, lane: u32) -> u32 {
        if self.has(m, lane) { self.number(m, lane, Slot::Asked) } else { 0 }
    }

    /// An input of the word.
    pub(crate) fn input(self, m: &Memory<'_>, lane: u32, position: u32) -> Input {
        Input::new(m.at(Field::LaneInput, lane, position))
    }

    /// Sets the answer to an input of the word.
    pub(crate) fn set_name(self, m: &mut Memory<'_>, lane: u32, position: u32, name: Name) {
        m.put(Field::LaneAnswer, lane, position, name.0);
    }

    /// The answer to an input of the word.
    pub(crate) fn name(self, m: &Memory<'_>, lane: u32, position: u32) -> Name {
        Name(m.at(Field::LaneAnswer, lane, position))
    }

    /// The lane whose answers are complete and whose turn it is.
    pub(crate) fn complete(self, m: &Memory<'_>, turn: u32) -> Option<u32> {
        (0..self.count).find(|&lane| {
            self.state(m, lane) == State::Complete
                && self.number(m.read(), lane, Slot::Turn) == turn
        })
    }
}
