//! What becomes of the words in flight: reset, asked input by input, answered, taken in.

use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, MemoryRef, fields, index};
use crate::testing::tester;
use crate::words::{Lane, Words};

/// What a lane is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneState {
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

index! {
    /// A number that is kept for a lane.
    LaneNumber
}

/// The [`LaneState`].
const STATE: LaneNumber = LaneNumber(0);
/// Words are handed out, and their answers taken in, in the order of this number.
const TURN: LaneNumber = LaneNumber(1);
/// The number of the test, for a test.
const TEST: LaneNumber = LaneNumber(2);
/// How many inputs were asked.
const ASKED: LaneNumber = LaneNumber(3);
/// How many outputs came back, 0 for a word that is not asked.
const ANSWERED: LaneNumber = LaneNumber(4);
const SLOTS: u32 = 5;

fields! {
    after tester::FIELDS_END;
    /// The numbers of each lane.
    NUMBER: Field<Lane, LaneNumber> = Format::Packed;
}

/// The lanes of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    words: Words,
}

impl Lanes {
    pub(crate) const fn new(words: Words) -> Self {
        Self { words }
    }

    /// Makes room for the lanes themselves.
    pub(crate) fn begin(self, m: &mut Memory<'_>) -> Result<(), Refused> {
        m.reserve(Resource::Words, &[NUMBER.matrix(self.words.lanes(), SLOTS, u32::MAX)])?;
        self.words.begin(m)
    }

    /// The words.
    #[inline]
    pub(crate) fn words(self) -> Words {
        self.words
    }

    /// All lanes.
    pub(crate) fn iter(self) -> impl Iterator<Item = Lane> {
        (0..self.words.lanes()).map(Lane)
    }

    #[inline]
    fn number(self, m: &Memory<'_>, lane: Lane, slot: LaneNumber) -> u32 {
        m.at(NUMBER, lane, slot)
    }

    #[inline]
    fn set_number(self, m: &mut Memory<'_>, lane: Lane, slot: LaneNumber, number: u32) {
        m.put(NUMBER, lane, slot, number);
    }

    /// What a lane is doing.
    pub(crate) fn state(self, m: &Memory<'_>, lane: Lane) -> LaneState {
        match self.number(m, lane, STATE) {
            0 => LaneState::Free,
            1 => LaneState::Resetting,
            2 => LaneState::Asking,
            3 => LaneState::Complete,
            _ => LaneState::Failed,
        }
    }

    /// How many lanes are being reset.
    pub(crate) fn resetting(self, m: &Memory<'_>) -> u32 {
        let is_resetting = |lane: &Lane| self.state(m, *lane) == LaneState::Resetting;
        self.iter().fold(0, |sum, lane| sum.wrapping_add(is_resetting(&lane).into()))
    }

    fn set_state(self, m: &mut Memory<'_>, lane: Lane, state: LaneState) {
        self.set_number(m, lane, STATE, state as u32);
    }

    /// Drops the word of a lane.
    pub(crate) fn clear(self, m: &mut Memory<'_>, lane: Lane) {
        self.set_state(m, lane, LaneState::Free);
        self.words.clear(m, lane);
    }

    /// The word is written: it is asked from a reset on.
    pub(crate) fn hand_out(self, m: &mut Memory<'_>, lane: Lane, turn: u32, test: u32) {
        self.set_number(m, lane, TURN, turn);
        self.set_number(m, lane, TEST, test);
        self.start(m, lane);
    }

    /// The word is asked from a reset on.
    pub(crate) fn start(self, m: &mut Memory<'_>, lane: Lane) {
        self.restart(m, lane, LaneState::Resetting);
    }

    /// The link failed while the word was being asked.
    pub(crate) fn fail(self, m: &mut Memory<'_>, lane: Lane) {
        self.restart(m, lane, LaneState::Failed);
    }

    fn restart(self, m: &mut Memory<'_>, lane: Lane, state: LaneState) {
        self.set_answered(m, lane, 0);
        self.set_state(m, lane, state);
    }

    /// The device is reset, or has answered: the next input, or none if the word is complete.
    pub(crate) fn ask(self, m: &mut Memory<'_>, lane: Lane) -> Option<Input> {
        let asked = self.number(m, lane, ASKED);
        if asked == self.words.len(m, lane) {
            self.set_state(m, lane, LaneState::Complete);
            return None;
        }
        self.set_number(m, lane, ASKED, asked.wrapping_add(1));
        self.set_state(m, lane, LaneState::Asking);
        Some(self.words.input(m, lane, asked))
    }

    /// Whether all inputs of the word were asked and answered.
    pub(crate) fn is_answered(self, m: &Memory<'_>, lane: Lane) -> bool {
        self.answered(m, lane) == self.words.len(m, lane)
    }

    /// All outputs of the word are known, so that it is not asked.
    pub(crate) fn recall(self, m: &mut Memory<'_>, lane: Lane) {
        self.set_number(m, lane, ASKED, self.words.len(m, lane));
        self.set_number(m, lane, ANSWERED, 0);
        self.set_state(m, lane, LaneState::Complete);
    }

    /// How many outputs of the word came back.
    pub(crate) fn answered(self, m: &Memory<'_>, lane: Lane) -> u32 {
        self.number(m, lane, ANSWERED)
    }

    /// The position of the input that is being asked, if its answer has not come yet.
    pub(crate) fn pending(self, m: &Memory<'_>, lane: Lane) -> Option<u32> {
        let answered = self.answered(m, lane);
        (self.number(m, lane, ASKED).checked_sub(1) == Some(answered)).then_some(answered)
    }

    /// Sets how many inputs were asked and answered.
    pub(crate) fn set_answered(self, m: &mut Memory<'_>, lane: Lane, len: u32) {
        self.set_number(m, lane, ASKED, len);
        self.set_number(m, lane, ANSWERED, len);
    }

    /// The number of the test.
    pub(crate) fn test(self, m: &Memory<'_>, lane: Lane) -> u32 {
        self.number(m, lane, TEST)
    }

    /// How many inputs of the word were asked, zero for a lane that is not there.
    pub(crate) fn asked(self, m: MemoryRef<'_>, lane: Lane) -> u32 {
        if self.words.has(m, lane) { m.at(NUMBER, lane, ASKED) } else { 0 }
    }

    /// The lane whose answers are complete and whose turn it is.
    pub(crate) fn complete(self, m: &Memory<'_>, turn: u32) -> Option<Lane> {
        self.iter().find(|&lane| {
            self.state(m, lane) == LaneState::Complete && self.number(m, lane, TURN) == turn
        })
    }
}
