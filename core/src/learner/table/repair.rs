//! What keeps the table from defining components, and what repairs the most of it.
//!
//! Several defects stand at once. Repairing all with the fewest rows or suffixes is a hitting-set
//! problem; the greedy choice is a good approximation (paper, section 3.1; Grossman and Wool,
//! *Computational experience with approximation algorithms for the set covering problem*, 1997).

use super::classes::{self, Classes};
use crate::alphabet::Input;
use crate::error::{Refused, Resource};
use crate::memory::{Field, Format, Memory, fields};
use crate::prefixes::{Row, Short};
use crate::projection::Projection;
use crate::suffixes::{Suffix, is_leaf, parent};

fields! {
    before classes::FIELDS_START;
    /// For each input: how many equal short rows have successors along it that are not equal.
    INCONSISTENT: Field<Input> = Format::Packed;
    /// For one input: how many differences the suffix `input · column` shows.
    GAIN: Field<Suffix> = Format::Packed;
}

/// How many pairs of successors along one input are compared in search of a suffix: the first ones.
const PAIRS: u32 = 1024;

/// Output-closedness: the long row that equals no short row under the most projections.
///
/// Of several the first, so rows with short words come before rows with long ones.
pub(super) fn most_helpful_row(classes: &Classes, m: &Memory<'_>) -> Option<Row> {
    let mut best = None;
    let mut most = 1;
    for row in classes.open_rows(m) {
        let repaired = classes.projections().filter(|&projection| {
            let class = Classes::of_row(m, projection, row);
            !classes.table().is_short(m, classes.representative(m, projection, class))
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
pub(super) fn words_to_close(classes: &Classes, m: &Memory<'_>) -> u64 {
    let rows = classes.open_rows(m).fold(0_u32, |rows, _| rows.wrapping_add(1));
    u64::from(rows).saturating_mul(words_of_successors(classes, m))
}

/// How many words must be asked for the successors of a new short row, at most.
pub(super) fn words_of_successors(classes: &Classes, m: &Memory<'_>) -> u64 {
    let table = classes.table();
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
    classes: &Classes,
    m: &mut Memory<'_>,
) -> Result<Option<(Input, Suffix)>, Refused> {
    let Some(input) = most_inconsistent_input(classes, m)? else { return Ok(None) };
    let table = classes.table();
    let columns = table.suffixes().end().0;
    m.reserve(Resource::Suffixes, &[GAIN.list(columns, columns.saturating_mul(PAIRS))])?;
    m.fill(GAIN, columns, 0);
    let mut pairs = 0;
    for projection in classes.projections() {
        for short in table.prefixes().iter() {
            let other = classes.first_equal(m, projection, short);
            if pairs < PAIRS && is_inconsistent(classes, m, projection, (short, other), input) {
                let successor = |short| table.prefixes().successor(short, input);
                let successors = (successor(short), successor(other));
                table.differences(m, projection, successors, |m, column| {
                    let gain = m.get(GAIN, column);
                    m.set(GAIN, column, gain.wrapping_add(1));
                });
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
    Ok(best)
}

/// The input along which the most equal short rows have successors that are not equal.
fn most_inconsistent_input(
    classes: &Classes,
    m: &mut Memory<'_>,
) -> Result<Option<Input>, Refused> {
    let prefixes = classes.table().prefixes();
    let max = classes.table().components().max(1).saturating_mul(prefixes.len());
    m.reserve(Resource::Suffixes, &[INCONSISTENT.list(prefixes.inputs(), max)])?;
    m.fill(INCONSISTENT, prefixes.inputs(), 0);
    for projection in classes.projections() {
        for short in prefixes.iter() {
            let other = classes.first_equal(m, projection, short);
            if other == short {
                continue;
            }
            for input in prefixes.alphabet() {
                if is_inconsistent(classes, m, projection, (short, other), input) {
                    m.set(INCONSISTENT, input, m.get(INCONSISTENT, input).wrapping_add(1));
                }
            }
        }
    }
    let pairs = |input: &Input| m.get(INCONSISTENT, *input);
    // Of several the first: the maximum is the last of its equals.
    let most = prefixes.alphabet().rev().max_by_key(pairs);
    Ok(most.filter(|input| pairs(input) > 0))
}

/// Whether the successors of two equal short rows are not equal.
#[inline]
fn is_inconsistent(
    classes: &Classes,
    m: &Memory<'_>,
    projection: Projection,
    (short, other): (Short, Short),
    input: Input,
) -> bool {
    let prefixes = classes.table().prefixes();
    let class = |short| Classes::of_row(m, projection, prefixes.successor(short, input));
    class(short) != class(other)
}
