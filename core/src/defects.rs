//! What keeps the table from defining components, and what mends the most of it.
//!
//! Several defects stand at once. Mending all with the fewest rows or suffixes is a hitting-set
//! problem; the greedy choice is a good approximation (paper, section 3.1; Grossman and Wool,
//! *Computational experience with approximation algorithms for the set covering problem*, 1997).

use crate::Input;
use crate::classes::Projection;
use crate::columns::{Column, is_leaf, split_last};
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Want};
use crate::table::{Row, Short, Table};

/// Pairs of successors along one input that are compared in search of a suffix: of more, the first.
const PAIRS: u32 = 1024;

impl Table {
    /// Output-closedness: the long row that equals no short row under the most projections.
    ///
    /// Of several the first, so rows with short words come before rows with long ones.
    pub(crate) fn most_helpful_row(&self, m: &Memory<'_>) -> Option<Row> {
        let mut best = None;
        let mut most = 1;
        for row in self.open_rows(m) {
            let mended = self.projections().filter(|&projection| {
                let class = self.class(m, projection, row);
                !self.is_short(m, self.sample(m, projection, class))
            });
            let mended = mended.count();
            if mended > most || mended == most && best.is_none_or(|best| row < best) {
                most = mended;
                best = Some(row);
            }
        }
        best
    }

    /// The open row of the class that came up first.
    pub(crate) fn first_open_row(&self, m: &Memory<'_>) -> Option<Row> {
        self.open_rows(m).next()
    }

    /// Words that must be asked to close the table in the ordinary sense, at least.
    pub(crate) fn words_to_close(&self, m: &Memory<'_>) -> u64 {
        let rows = self.open_rows(m).fold(0_u64, |rows, _| rows + 1);
        rows.saturating_mul(self.words_of_rows(m))
    }

    /// Words that must be asked for the successors of a new short row, at most.
    pub(crate) fn words_of_rows(&self, m: &Memory<'_>) -> u64 {
        let leaves = self.columns.iter().filter(|&column| is_leaf(m, column));
        leaves.fold(0, |words, _| words + u64::from(self.inputs))
    }

    /// Output-consistency: the suffix `a · e` that shows the most differences between the successors
    /// of equal short rows. Its input `a` is the one along which the most pairs differ, its `e` one of
    /// the suffixes that no other begins with.
    ///
    /// A short row is compared with the sample of its class. The shortest word that shows a difference
    /// would do as well, but then more suffixes are needed, and each costs a word for every long row.
    pub(crate) fn most_helpful_suffix(
        &self,
        m: &mut Memory<'_>,
    ) -> Result<Option<(Input, Column)>, Stop> {
        let Some(input) = self.most_inconsistent_input(m)? else { return Ok(None) };
        let columns = self.columns.end().0;
        let max = columns.saturating_mul(PAIRS);
        m.reserve(Resource::Suffixes, &[Want::list(Field::Gain, columns, max)])?;
        m.fill(Field::Gain, columns, 0);
        let mut pairs = 0;
        for projection in self.projections() {
            for short in (0..self.shorts).map(Short) {
                let twin = self.twin(m, projection, short);
                if pairs < PAIRS && self.is_inconsistent(m, projection, (short, twin), input) {
                    let successors = (self.successor(short, input), self.successor(twin, input));
                    self.differences(m, projection, successors, |m, column| {
                        let gain = m.get(Field::Gain, column.0);
                        m.set(Field::Gain, column.0, gain + 1);
                    });
                    pairs += 1;
                }
            }
        }
        let mut best = None;
        let mut most = 0;
        for column in self.columns.iter() {
            let (parent, _) = split_last(m, column);
            let gain = m.get(Field::Gain, column.0) + m.get(Field::Gain, parent.0);
            m.set(Field::Gain, column.0, gain);
            if is_leaf(m, column) && gain > most {
                most = gain;
                best = Some((input, column));
            }
        }
        Ok(best)
    }

    /// The input along which the most equal short rows have successors that are not equal.
    fn most_inconsistent_input(&self, m: &mut Memory<'_>) -> Result<Option<Input>, Stop> {
        let max = self.components().max(1).saturating_mul(self.shorts);
        m.reserve(Resource::Suffixes, &[Want::list(Field::Inconsistencies, self.inputs, max)])?;
        m.fill(Field::Inconsistencies, self.inputs, 0);
        for projection in self.projections() {
            for short in (0..self.shorts).map(Short) {
                let twin = self.twin(m, projection, short);
                if twin == short {
                    continue;
                }
                for input in self.alphabet() {
                    if self.is_inconsistent(m, projection, (short, twin), input) {
                        let pairs = m.get(Field::Inconsistencies, input.index());
                        m.set(Field::Inconsistencies, input.index(), pairs + 1);
                    }
                }
            }
        }
        let pairs = |input: &Input| m.get(Field::Inconsistencies, input.index());
        // Of several the first: the maximum is the last of its equals.
        let most = self.alphabet().rev().max_by_key(pairs);
        Ok(most.filter(|input| pairs(input) > 0))
    }

    /// Whether the successors of two equal short rows are not equal.
    #[inline]
    fn is_inconsistent(
        &self,
        m: &Memory<'_>,
        projection: Projection,
        (short, twin): (Short, Short),
        input: Input,
    ) -> bool {
        let class = |short| self.class(m, projection, self.successor(short, input));
        class(short) != class(twin)
    }
}
