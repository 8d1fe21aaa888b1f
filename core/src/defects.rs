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

/// Pairs of successors that are compared in search of a suffix: of more, the first.
const PAIRS: u32 = 4096;

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
        let mut pairs = 0;
        self.inconsistencies(m, |_, _, _, _| pairs += 1);
        if pairs == 0 {
            return Ok(None);
        }
        let columns = self.columns.end().0;
        let max = columns.saturating_mul(pairs.min(PAIRS));
        m.reserve(Resource::Suffixes, &[Want::matrix(Field::Gain, self.inputs, columns, max)])?;
        for input in 0..self.inputs {
            for column in 0..columns {
                m.put(Field::Gain, input, column, 0);
            }
        }
        let mut pairs = 0;
        self.inconsistencies(m, |m, projection, input, successors| {
            pairs += 1;
            if pairs > PAIRS {
                return;
            }
            self.differences(m, projection, successors, |m, column| {
                let gain = m.at(Field::Gain, input.index(), column.0);
                m.put(Field::Gain, input.index(), column.0, gain + 1);
            });
        });
        let mut best = None;
        let mut most = 0;
        for column in self.columns.iter() {
            let (parent, _) = split_last(m, column);
            for input in self.alphabet() {
                let before = m.at(Field::Gain, input.index(), parent.0);
                let gain = m.at(Field::Gain, input.index(), column.0) + before;
                m.put(Field::Gain, input.index(), column.0, gain);
                if gain > most && is_leaf(m, column) {
                    most = gain;
                    best = Some((input, column));
                }
            }
        }
        Ok(best)
    }

    /// Calls `found` with each projection, input and pair of rows that are not equal though they
    /// follow, along the input, short rows that are.
    fn inconsistencies(
        &self,
        m: &mut Memory<'_>,
        mut found: impl FnMut(&mut Memory<'_>, Projection, Input, (Row, Row)),
    ) {
        for projection in self.projections() {
            for short in (0..self.shorts).map(Short) {
                let twin = self.twin(m, projection, short);
                if twin == short {
                    continue;
                }
                for input in self.alphabet() {
                    let row = self.successor(short, input);
                    let other = self.successor(twin, input);
                    if self.class(m, projection, row) != self.class(m, projection, other) {
                        found(m, projection, input, (row, other));
                    }
                }
            }
        }
    }
}
