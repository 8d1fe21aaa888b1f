//! The counterexample that the hypothesis is being refined with, and the word that it was made of.
//!
//! A counterexample is cut at its first wrong output and shortened (see [`shorten`](super::shorten)). A
//! shortened one may lose the bug that the *original* shows, so that is kept, until the
//! hypothesis explains it too.

use super::repair;
use crate::alphabet::{Input, Output};
use crate::error::{Refused, Resource};
use crate::machines::product::Product;
use crate::memory::{Field, Format, Index, Memory, Position, fields};

/// Which of the two words.
#[derive(Clone, Copy)]
enum Which {
    Counterexample,
    Original,
}

impl Index for Which {
    #[inline]
    fn index(self) -> u32 {
        self as u32
    }
}

const WORDS: u32 = 2;

fields! {
    before repair::FIELDS_START;
    /// The inputs of both words.
    INPUT: Field<Which, Position> = Format::Packed;
    /// The device's outputs to them.
    OUTPUT: Field<Which, Position> = Format::Packed;
}

/// The lengths of the counterexample and of the original; 0 if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counterexample {
    len: u32,
    original_len: u32,
}

impl Counterexample {
    pub(super) const NONE: Self = Self { len: 0, original_len: 0 };

    /// The length of the counterexample.
    pub(super) fn len(self) -> u32 {
        self.len
    }

    /// Makes room for a counterexample of this length.
    pub(super) fn reserve(
        self,
        m: &mut Memory<'_>,
        len: u32,
        inputs: u32,
        outputs: u32,
    ) -> Result<(), Refused> {
        let shapes = [INPUT.matrix(WORDS, len, inputs), OUTPUT.matrix(WORDS, len, outputs)];
        m.reserve(Resource::Words, &shapes)
    }

    /// Sets a symbol of the counterexample that there is room for.
    pub(super) fn set(self, m: &mut Memory<'_>, position: u32, input: Input, output: Output) {
        let at = Position(position);
        m.put(INPUT, Which::Counterexample, at, input.index());
        m.put(OUTPUT, Which::Counterexample, at, output.index());
    }

    /// The counterexample has this length now.
    pub(super) fn set_len(&mut self, len: u32) {
        self.len = len;
    }

    /// The hypothesis explains it.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Keeps the counterexample as the original.
    pub(super) fn keep_original(&mut self, m: &mut Memory<'_>) {
        copy(m, Which::Counterexample, Which::Original, self.len);
        self.original_len = self.len;
    }

    /// The counterexample is explained. If the original is not, that is the next counterexample.
    pub(super) fn recall_original(&mut self, m: &mut Memory<'_>, product: &Product) -> bool {
        let Some(wrong) = first_wrong(m, Which::Original, self.original_len, product) else {
            self.original_len = 0;
            return false;
        };
        self.len = wrong.wrapping_add(1);
        copy(m, Which::Original, Which::Counterexample, self.len);
        true
    }

    /// Whether the hypothesis explains the counterexample.
    pub(super) fn is_explained(self, m: &mut Memory<'_>, product: &Product) -> bool {
        first_wrong(m, Which::Counterexample, self.len, product).is_none()
    }

    /// An input of the counterexample.
    pub(super) fn input(self, m: &Memory<'_>, position: u32) -> Input {
        input(m, Which::Counterexample, position)
    }

    /// The device's output to it.
    pub(super) fn output(self, m: &Memory<'_>, position: u32) -> Output {
        output(m, Which::Counterexample, position)
    }
}

fn first_wrong(m: &mut Memory<'_>, which: Which, len: u32, product: &Product) -> Option<u32> {
    product.first_wrong(m, len, |m, i| input(m, which, i), |m, i| output(m, which, i))
}

fn input(m: &Memory<'_>, which: Which, position: u32) -> Input {
    Input::new(m.at(INPUT, which, Position(position)))
}

fn output(m: &Memory<'_>, which: Which, position: u32) -> Output {
    Output::new(m.at(OUTPUT, which, Position(position)))
}

/// Copies the beginning of one word to the other.
fn copy(m: &mut Memory<'_>, from: Which, to: Which, len: u32) {
    for position in (0..len).map(Position) {
        m.put(INPUT, to, position, m.at(INPUT, from, position));
        m.put(OUTPUT, to, position, m.at(OUTPUT, from, position));
    }
}
