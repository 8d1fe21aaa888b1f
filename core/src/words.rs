//! Words in flight, one a lane, and the answers to them so far.
//!
//! A word is a list of inputs, an answer a list of names. What becomes of a word while it is asked is
//! in `lanes`.

use crate::alphabet::{Input, Output};
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, MemoryRef, Position, fields, index};
use crate::outputs::{self, Name, Outputs};

index! {
    /// A lane: room for one word in flight.
    Lane
}

index! {
    /// A number that is kept for the word of a lane.
    WordNumber
}

/// The length of the word.
const LEN: WordNumber = WordNumber(0);
/// The mark of the prefix that the word begins with, plus one; zero if that is not known.
const PREFIX: WordNumber = WordNumber(1);
/// The length of that prefix.
const PREFIX_LEN: WordNumber = WordNumber(2);

const FAST: bool = cfg!(feature = "fast");
const SLOTS: u32 = if FAST { 3 } else { 1 };

fields! {
    after outputs::FIELDS_END;
    /// Numbers of each lane's word.
    NUMBER: Field<Lane, WordNumber> = Format::Packed;
    /// The inputs of each lane's word. With many lanes they are not short.
    INPUT: Field<Lane, Position> = Format::WideIf(1);
    /// The names that came back.
    ANSWER: Field<Lane, Position> = Format::WideIf(1);
}

/// The number of symbols by which room for words grows.
const LEN_STEP: u32 = 8;

/// The words of all lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    lanes: u32,
    inputs: u32,
}

/// Forgets the marks of prefixes, which get another meaning.
#[cfg(feature = "tree")]
pub(crate) fn forget_prefixes(m: &mut Memory<'_>) {
    if FAST {
        for lane in (0..m.read().rows(NUMBER)).map(Lane) {
            m.put(NUMBER, lane, PREFIX, 0);
        }
    }
}

impl Words {
    pub(crate) const fn new(lanes: u32, inputs: u32) -> Self {
        Self { lanes, inputs }
    }

    /// How many lanes there are.
    pub(crate) fn lanes(self) -> u32 {
        self.lanes
    }

    /// How many inputs there are.
    pub(crate) fn inputs(self) -> u32 {
        self.inputs
    }

    /// Makes room for an empty word in each lane.
    pub(crate) fn begin(self, m: &mut Memory<'_>) -> Result<(), Refused> {
        m.reserve(Resource::Words, &[NUMBER.matrix(self.lanes, SLOTS, u32::MAX)])
    }

    /// Whether there is such a lane, and room for it.
    pub(crate) fn has(self, m: MemoryRef<'_>, lane: Lane) -> bool {
        lane.0 < self.lanes.min(m.rows(NUMBER))
    }

    /// Starts an empty word.
    pub(crate) fn clear(self, m: &mut Memory<'_>, lane: Lane) {
        m.put(NUMBER, lane, LEN, 0);
    }

    /// Appends an input.
    pub(crate) fn push(self, m: &mut Memory<'_>, lane: Lane, input: Input) -> Result<(), Refused> {
        let position = self.len(m, lane);
        self.extend(m, lane, 1)?;
        self.set_input(m, lane, position, input);
        Ok(())
    }

    /// Appends inputs.
    pub(crate) fn push_all(
        self,
        m: &mut Memory<'_>,
        lane: Lane,
        len: u32,
        input: impl Fn(&Memory<'_>, u32) -> Input,
    ) -> Result<(), Refused> {
        let from = self.len(m, lane);
        self.extend(m, lane, len)?;
        for position in 0..len {
            let input = input(m, position);
            self.set_input(m, lane, from.wrapping_add(position), input);
        }
        Ok(())
    }

    /// Appends `more` inputs, which the caller then sets.
    pub(crate) fn extend(self, m: &mut Memory<'_>, lane: Lane, more: u32) -> Result<(), Refused> {
        let before = self.len(m, lane);
        let len = before.saturating_add(more);
        if FAST && before == 0 {
            m.put(NUMBER, lane, PREFIX, 0);
        }
        if len > m.columns(INPUT) || before == 0 {
            self.reserve(m, len)?;
        }
        m.put(NUMBER, lane, LEN, len);
        Ok(())
    }

    /// Sets an input.
    #[inline]
    pub(crate) fn set_input(self, m: &mut Memory<'_>, lane: Lane, position: u32, input: Input) {
        m.put(INPUT, lane, Position(position), input.index());
    }

    /// Makes room for words of this length.
    pub(crate) fn reserve(self, m: &mut Memory<'_>, len: u32) -> Result<(), Refused> {
        let columns = len.checked_next_multiple_of(LEN_STEP).unwrap_or(len);
        let shapes =
            [INPUT.matrix(self.lanes, columns, self.inputs), ANSWER.matrix(self.lanes, columns, 1)];
        m.reserve(Resource::Words, &shapes)
    }

    /// Notes that the word so far is the prefix with this mark.
    pub(crate) fn mark_prefix(self, m: &mut Memory<'_>, lane: Lane, mark: u32) {
        if FAST {
            m.put(NUMBER, lane, PREFIX, mark.wrapping_add(1));
            m.put(NUMBER, lane, PREFIX_LEN, self.len(m, lane));
        }
    }

    /// Makes the prefix with this mark the word, if the word before began with it.
    ///
    /// Inputs that are there are only ever overwritten by appending, so the prefix is still there.
    pub(crate) fn restore_prefix(self, m: &mut Memory<'_>, lane: Lane, mark: u32) -> bool {
        let is_there = FAST && m.at(NUMBER, lane, PREFIX).checked_sub(1) == Some(mark);
        if is_there {
            m.put(NUMBER, lane, LEN, m.at(NUMBER, lane, PREFIX_LEN));
        }
        is_there
    }

    /// Reverses the end of the word, from a position on.
    pub(crate) fn reverse(self, m: &mut Memory<'_>, lane: Lane, from: u32) {
        let (mut low, mut high) = (from, self.len(m, lane));
        while low.saturating_add(1) < high {
            high = high.wrapping_sub(1);
            let (first, last) = (self.input(m, lane, low), self.input(m, lane, high));
            self.set_input(m, lane, low, last);
            self.set_input(m, lane, high, first);
            low = low.wrapping_add(1);
        }
    }

    /// Ends the word after `len` inputs.
    pub(crate) fn truncate(self, m: &mut Memory<'_>, lane: Lane, len: u32) {
        m.put(NUMBER, lane, LEN, len);
    }

    /// The length of the word.
    pub(crate) fn len(self, m: &Memory<'_>, lane: Lane) -> u32 {
        m.at(NUMBER, lane, LEN)
    }

    /// The length of the word, zero for a lane that is not there.
    pub(crate) fn len_of(self, m: MemoryRef<'_>, lane: Lane) -> u32 {
        if self.has(m, lane) { m.at(NUMBER, lane, LEN) } else { 0 }
    }

    /// An input of the word.
    pub(crate) fn input(self, m: &Memory<'_>, lane: Lane, position: u32) -> Input {
        self.input_of(m.read(), lane, position)
    }

    /// An input of the word.
    pub(crate) fn input_of(self, m: MemoryRef<'_>, lane: Lane, position: u32) -> Input {
        Input::new(m.at(INPUT, lane, Position(position)))
    }

    /// Sets the answer to an input of the word.
    pub(crate) fn set_answer(self, m: &mut Memory<'_>, lane: Lane, position: u32, name: Name) {
        m.put(ANSWER, lane, Position(position), name.0);
    }

    /// The answer to an input of the word.
    pub(crate) fn answer(self, m: &Memory<'_>, lane: Lane, position: u32) -> Name {
        Name(m.at(ANSWER, lane, Position(position)))
    }

    /// The output that was the answer to an input of the word; the answer was taken in.
    pub(crate) fn output(
        self,
        m: &Memory<'_>,
        outputs: &Outputs,
        lane: Lane,
        position: u32,
    ) -> Output {
        outputs.known(m, self.answer(m, lane, position)).unwrap_or(Output::new(0))
    }

    /// The number of a name that a device answered at this position, new or known. Words in a row
    /// often begin alike, and so do their answers: the last one here is looked at first.
    pub(crate) fn name(
        self,
        m: &mut Memory<'_>,
        outputs: &mut Outputs,
        lane: Lane,
        position: u32,
        bytes: &[u8],
    ) -> Result<Name, Refused> {
        let guess = self.answer(m, lane, position);
        if let Some(name) = outputs.find_name(m, bytes, guess) {
            return Ok(name);
        }
        self.reserve_names(m, outputs.names().wrapping_add(1))?;
        outputs.add_name(m, bytes)
    }

    /// Makes answers wide enough for this many names.
    pub(crate) fn reserve_names(self, m: &mut Memory<'_>, names: u32) -> Result<(), Refused> {
        m.reserve(Resource::Outputs, &[ANSWER.matrix(0, 1, names)])
    }
}
