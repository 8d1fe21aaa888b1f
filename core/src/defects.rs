//! What keeps the table from defining components, and what mends the most of it.
//!
//! Several defects stand at once. Mending all with the fewest rows or suffixes is a hitting-set
//! problem; the greedy choice is a good approximation (paper, section 3.1; Grossman and Wool,
//! *Computational experience with approximation algorithms for the set covering problem*, 1997).

use crate::Input;
use crate::classes::Projection;
use crate::columns::{Column, is_leaf, split_last};
use crate::error::{CapacityError, Resource};
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
        let mut most = 0;
        for row in (0..self.rows()).map(Row) {
            let equal = self.sample(m, Projection::Whole, self.class(m, Projection::Whole, row));
            if Self::is_short(m, equal) {
                continue;
            }
            let mended = self.projections().filter(|&projection| {
                let class = self.class(m, projection, row);
                !Self::is_short(m, self.sample(m, projection, class))
            });
            let mended = mended.count();
            if mended > most {
                most = mended;
                best = Some(row);
            }
        }
        best
    }

    /// Output-consistency: the suffix `a · e` that shows the most differences between the successors
    /// of equal short rows, of all suffixes `e` that no other begins with.
    ///
    /// A short row is compared with the sample of its class. The shortest word that shows a difference
    /// would do as well, but then more suffixes are needed, and each costs a word for every long row.
    pub(crate) fn most_helpful_suffix(
        &self,
        m: &mut Memory<'_>,
    ) -> Result<Option<(Input, Column)>, CapacityError> {
        let columns = self.columns.end().0;
        let mut best = None;
        let mut most = 0;
        for input in self.alphabet() {
            if self.inconsistencies(m, input, |_, _, _| {}) == 0 {
                continue;
            }
            let max = columns.saturating_mul(PAIRS);
            m.reserve(Resource::Suffixes, &[Want::list(Field::Gain, columns, max)])?;
            m.fill(Field::Gain, columns, 0);
            self.inconsistencies(m, input, |m, projection, successors| {
                self.differences(m, projection, successors, |m, column| {
                    let gain = m.get(Field::Gain, column.0);
                    m.set(Field::Gain, column.0, gain + 1);
                });
            });
            for column in self.columns.iter() {
                let (parent, _) = split_last(m, column);
                let gain = m.get(Field::Gain, column.0) + m.get(Field::Gain, parent.0);
                m.set(Field::Gain, column.0, gain);
                let before = best.is_none_or(|(_, best)| column < best);
                if is_leaf(m, column) && (gain > most || gain == most && before) {
                    most = gain;
                    best = Some((input, column));
                }
            }
        }
        Ok(best)
    }

    /// Calls `found` with each projection and pair of rows that are not equal though they follow, along
    /// the input, short rows that are; with [`PAIRS`] at most. Says how many there were.
    fn inconsistencies(
        &self,
        m: &mut Memory<'_>,
        input: Input,
        mut found: impl FnMut(&mut Memory<'_>, Projection, (Row, Row)),
    ) -> u32 {
        let mut pairs = 0;
        for projection in self.projections() {
            for short in (0..self.shorts).map(Short) {
                let twin = self.twin(m, projection, short);
                let row = self.successor(short, input);
                let other = self.successor(twin, input);
                if self.class(m, projection, row) != self.class(m, projection, other) {
                    found(m, projection, (row, other));
                    pairs += 1;
                    if pairs == PAIRS {
                        return pairs;
                    }
                }
            }
        }
        pairs
    }
}
