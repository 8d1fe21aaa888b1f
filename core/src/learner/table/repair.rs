//! What keeps the table from defining components, and what repairs the most of it.
//!
//! Several defects stand at once. Repairing all with the fewest rows or suffixes is a hitting-set
//! problem; the greedy choice is a good approximation (paper, section 3.1; Grossman and Wool,
//! *Computational experience with approximation algorithms for the set covering problem*, 1997).

use super::division::{self, DividedTable};
use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Index, Memory, fields};
use crate::observations::table::Table;
use crate::observations::table::classes::{self, Class};
use crate::prefixes::{Row, Short};
use crate::projection::Projection;
use crate::suffixes::{Suffix, is_leaf, parent, split_last};

fields! {
    before division::FIELDS_START;
    /// For each input: how many equal short rows have successors along it that are not equal.
    INCONSISTENT: Field<Input> = Format::Packed;
    /// For one input: how many differences the suffix `input · column` shows.
    GAIN: Field<Suffix> = Format::Packed;
    /// For two classes: to which classes a column leads them.
    AFTER: Field<Suffix, Side> = Format::Packed;
}

/// Which of two classes.
#[derive(Clone, Copy)]
enum Side {
    One,
    Other,
}

const SIDES: u32 = 2;

impl Index for Side {
    #[inline]
    fn index(self) -> u32 {
        self as u32
    }
}

/// How many pairs of successors along one input are compared in search of a suffix: the first ones.
const PAIRS: u32 = 1024;

/// Output-closedness: the long row that equals no short row under the most projections.
///
/// Of several the first, so rows with short words come before rows with long ones.
pub(super) fn most_helpful_row(division: &DividedTable, m: &Memory<'_>) -> Option<Row> {
    let mut best = None;
    let mut most = 1;
    for row in division.open_rows(m) {
        let repaired = division.table().projections().filter(|&projection| {
            let class = classes::of_row(m, projection, row);
            !classes::representative(m, projection, class).is_short()
        });
        let repaired = repaired.fold(0_u32, |repaired, _| repaired.wrapping_add(1));
        if repaired > most || repaired == most && best.is_none_or(|best| row < best) {
            most = repaired;
            best = Some(row);
        }
    }
    best
}

/// How many words must be asked to close the table in the ordinary sense, at least.
pub(super) fn words_to_close(division: &DividedTable, m: &Memory<'_>) -> u64 {
    let rows = division.open_rows(m).fold(0_u32, |rows, _| rows.wrapping_add(1));
    u64::from(rows).saturating_mul(words_of_successors(division, m))
}

/// How many words must be asked for the successors of a new short row, at most.
pub(super) fn words_of_successors(division: &DividedTable, m: &Memory<'_>) -> u64 {
    let table = division.table();
    let leaves = table.suffixes().leaves(m).fold(0_u32, |leaves, _| leaves.wrapping_add(1));
    // OK: a product of two 32-bit numbers has 64 bits.
    u64::from(leaves).wrapping_mul(table.prefixes().inputs().into())
}

/// Output-consistency: the suffix `a · e` that shows the most differences between the successors of
/// equal short rows. Its input `a` is the one along which the most pairs differ, its `e` one of the
/// suffixes that no other begins with.
///
/// A short row is compared with the representative of its class. The shortest word that shows a
/// difference would do as well, but then more suffixes are needed, and each costs a word for every
/// long row.
pub(super) fn most_helpful_suffix(
    division: &DividedTable,
    m: &mut Memory<'_>,
) -> Result<Option<(Input, Suffix)>, Refused> {
    let Some(input) = most_inconsistent_input(division, m)? else { return Ok(None) };
    let table = division.table();
    let columns = table.suffixes().end().0;
    let classes = table.full_rows();
    let shapes =
        [GAIN.list(columns, columns.saturating_mul(PAIRS)), AFTER.matrix(columns, SIDES, classes)];
    m.reserve(Resource::Suffixes, &shapes)?;
    m.fill(GAIN, columns, 0);
    let mut pairs = 0;
    for projection in table.projections() {
        for short in table.prefixes().iter() {
            let other = division.first_equal(m, projection, short);
            let successors =
                [short, other].map(|short| class_of_successor(table, m, projection, short, input));
            if pairs < PAIRS && successors[0] != successors[1] {
                note_differences(table, m, projection, successors);
                pairs = pairs.wrapping_add(1);
            }
        }
    }
    let mut best = None;
    let mut most = 0;
    for column in table.suffixes().iter() {
        let gain = m.get(GAIN, column).saturating_add(m.get(GAIN, parent(m, column)));
        m.set(GAIN, column, gain);
        if is_leaf(m, column) && gain > most {
            most = gain;
            best = Some((input, column));
        }
    }
    m.release(GAIN);
    m.release(AFTER);
    Ok(best)
}

/// Adds a difference to the gain of each column in which two classes differ. The table is output-closed,
/// so columns are walked as words are walked through a component; where they lead both classes to one,
/// longer columns show nothing.
fn note_differences(
    table: &Table,
    m: &mut Memory<'_>,
    projection: Projection,
    [one, other]: [Class; 2],
) {
    m.put(AFTER, Suffix::ROOT, Side::One, one.0);
    m.put(AFTER, Suffix::ROOT, Side::Other, other.0);
    for column in table.suffixes().iter() {
        let (before, input) = split_last(m, column);
        let at = |side| Class(m.at(AFTER, before, side));
        let (mut one, mut other) = (at(Side::One), at(Side::Other));
        if one != other {
            let (a, b);
            (one, a) = table.step(m, projection, one, input);
            (other, b) = table.step(m, projection, other, input);
            if a != b {
                m.set(GAIN, column, m.get(GAIN, column).wrapping_add(1));
            }
        }
        m.put(AFTER, column, Side::One, one.0);
        m.put(AFTER, column, Side::Other, other.0);
    }
}

/// The input along which the most equal short rows have successors that are not equal.
fn most_inconsistent_input(
    division: &DividedTable,
    m: &mut Memory<'_>,
) -> Result<Option<Input>, Refused> {
    let table = division.table();
    let prefixes = table.prefixes();
    let max = table.components().max(1).saturating_mul(prefixes.len());
    m.reserve(Resource::Suffixes, &[INCONSISTENT.list(prefixes.inputs(), max)])?;
    m.fill(INCONSISTENT, prefixes.inputs(), 0);
    for projection in table.projections() {
        for short in prefixes.iter() {
            let other = division.first_equal(m, projection, short);
            if other == short {
                continue;
            }
            for input in prefixes.alphabet() {
                let class = |short| class_of_successor(table, m, projection, short, input);
                if class(short) != class(other) {
                    m.set(INCONSISTENT, input, m.get(INCONSISTENT, input).wrapping_add(1));
                }
            }
        }
    }
    let pairs = |input: &Input| m.get(INCONSISTENT, *input);
    // Of several the first: the maximum is the last of its equals.
    let most = prefixes.alphabet().rev().max_by_key(pairs);
    let most = most.filter(|input| pairs(input) > 0);
    m.release(INCONSISTENT);
    Ok(most)
}

/// The class of the successor of a short row.
#[inline]
fn class_of_successor(
    table: &Table,
    m: &Memory<'_>,
    projection: Projection,
    short: Short,
    input: Input,
) -> Class {
    let row = table.prefixes().successor(short, input);
    classes::of_row(m, projection, row)
}
