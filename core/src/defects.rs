//! What keeps the table from defining components, and what mends the most of it.
//!
//! Several defects stand at once. Mending all with the fewest rows or suffixes is a hitting-set
//! problem; the greedy choice is a good approximation (paper, section 3.1; Grossman and Wool,
//! *Computational experience with approximation algorithms for the set covering problem*, 1997).

use crate::Input;
use crate::classes::Projection;
use crate::columns::Column;
use crate::error::{CapacityError, Resource};
use crate::memory::{Field, Memory, Want};
use crate::table::{Row, Short, Table};

impl Table {
    /// Output-closedness: the long row that equals no short row under the most projections.
    ///
    /// Of several the first, so rows with short words come before rows with long ones.
    pub(crate) fn most_helpful_row(&self, m: &Memory<'_>) -> Option<Row> {
        let mut best = None;
        let mut most = 0;
        for row in (0..self.rows()).map(Row) {
            if Self::is_short(m, row) {
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

    /// Output-consistency: the suffix `a · e` that tells the most pairs of equal short rows apart.
    ///
    /// A short row is paired with the sample of its class. Where a column `e` tells successors apart,
    /// so does every longer column: the shortest is enough, and it costs the least.
    pub(crate) fn most_helpful_suffix(
        &self,
        m: &mut Memory<'_>,
    ) -> Result<Option<(Input, Column)>, CapacityError> {
        let Some(max) = self.inconsistencies(m, |_, _, _| {}) else { return Ok(None) };
        let columns = self.columns.end().0;
        m.reserve(Resource::Suffixes, &[Want::matrix(Field::Gain, self.inputs, columns, max)])?;
        let stride = m.columns(Field::Gain);
        for input in 0..self.inputs {
            for column in 0..stride {
                m.put(Field::Gain, input, column, 0);
            }
        }
        self.inconsistencies(m, |m, input, column| {
            let gain = m.at(Field::Gain, input.index(), column.0);
            m.put(Field::Gain, input.index(), column.0, gain + 1);
        });
        let mut best = None;
        let mut most = 0;
        for column in self.columns.iter() {
            for input in self.alphabet() {
                let gain = m.at(Field::Gain, input.index(), column.0);
                if gain > most {
                    most = gain;
                    best = Some((input, column));
                }
            }
        }
        Ok(best)
    }

    /// Calls `found` for each input and column in which the successors of a short row and of its
    /// twin differ. The number of pairs of short rows looked at, or `None` if no two differ.
    fn inconsistencies(
        &self,
        m: &mut Memory<'_>,
        mut found: impl FnMut(&mut Memory<'_>, Input, Column),
    ) -> Option<u32> {
        let mut pairs = 0;
        for projection in self.projections() {
            for short in (0..self.shorts).map(Short) {
                let twin = self.twin(m, projection, short);
                if twin == short {
                    continue;
                }
                for input in self.alphabet() {
                    let row = self.successor(short, input);
                    let other = self.successor(twin, input);
                    if self.class(m, projection, row) == self.class(m, projection, other) {
                        continue;
                    }
                    pairs += 1;
                    let mut column = Column(0);
                    while let Some(next) = self.next_differing(m, projection, row, other, column) {
                        found(m, input, next);
                        column = next;
                    }
                }
            }
        }
        (pairs > 0).then_some(pairs)
    }
}
