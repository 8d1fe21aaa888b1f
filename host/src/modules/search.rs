//! The division of atoms into groups whose machines are smallest in total.
//!
//! The machine of a group has a state for each class of the meet of its atoms. The division of a few
//! atoms is the best of all; with many atoms, groups are merged greedily until they are few.

use std::cmp::Reverse;

use super::classes::Classes;

/// The best of all divisions is found for at most this number of groups.
const MAX_EXACT: usize = 14;

/// To find the best division, all sets of groups are met: states times sets.
const MAX_EXACT_STEPS: u64 = 1 << 24;

/// To merge groups greedily, all pairs of groups are met: states times pairs.
const MAX_MERGE_STEPS: u64 = 1 << 26;

/// Atoms whose machine is one.
#[derive(Clone, Debug)]
pub(super) struct AtomGroup {
    /// The numbers of the atoms.
    pub(super) atoms: Vec<usize>,
    /// The states of their machine.
    pub(super) classes: Classes,
}

impl AtomGroup {
    fn merged(&self, other: &Self) -> Self {
        let atoms = [&self.atoms[..], &other.atoms].concat();
        Self { atoms, classes: self.classes.meet(&other.classes) }
    }
}

/// Divides atoms into groups. Each of `starts` is a division to begin with.
///
/// # Panics
/// There is no atom.
pub(super) fn divide(atoms: &[&Classes], starts: &[Vec<Vec<usize>>]) -> Vec<AtomGroup> {
    let single = |at: usize| AtomGroup { atoms: vec![at], classes: atoms[at].clone() };
    let group = |atoms: &[usize]| {
        let groups = atoms.iter().map(|&at| single(at));
        groups.reduce(|one, other| one.merged(&other)).expect("no group is empty")
    };
    let singles: Vec<_> = (0..atoms.len()).map(single).collect();
    if is_exact(&singles) {
        return exact(&singles);
    }
    let all: Vec<_> = (0..atoms.len()).collect();
    let starts = starts.iter().map(|start| start.iter().map(|atoms| group(atoms)).collect());
    let candidates = std::iter::once(singles).chain(starts).filter_map(merge);
    let candidates = std::iter::once(vec![group(&all)]).chain(candidates);
    candidates.min_by_key(|groups| total(groups)).expect("there is the first")
}

/// The measure of a division: the less the better.
///
/// What counts is the number of states in total. Of divisions with the same number, the best is the
/// one with the fewest combinations of states: machines that depend on each other are better merged,
/// and those that do not stay apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DivisionCost {
    states: u64,
    combinations: u64,
    groups: Reverse<usize>,
}

impl DivisionCost {
    const NONE: Self = Self { states: 0, combinations: 1, groups: Reverse(0) };

    fn of(classes: &Classes) -> Self {
        let states = classes.count().into();
        Self { states, combinations: states, groups: Reverse(1) }
    }

    fn and(self, other: Self) -> Self {
        Self {
            states: self.states + other.states,
            combinations: self.combinations.saturating_mul(other.combinations),
            groups: Reverse(self.groups.0 + other.groups.0),
        }
    }
}

fn total(groups: &[AtomGroup]) -> DivisionCost {
    groups
        .iter()
        .fold(DivisionCost::NONE, |total, group| total.and(DivisionCost::of(&group.classes)))
}

fn is_exact(groups: &[AtomGroup]) -> bool {
    groups.len() <= MAX_EXACT && (states(groups) << groups.len()) <= MAX_EXACT_STEPS
}

/// The number of states that are divided.
fn states(groups: &[AtomGroup]) -> u64 {
    groups.first().map_or(0, |group| group.classes.of().len() as u64)
}

/// The best of all divisions that keep these groups together.
///
/// # Cost
/// All sets of groups are met, and 3ⁿ sums for n groups.
fn exact(groups: &[AtomGroup]) -> Vec<AtomGroup> {
    let sets = 1 << groups.len();
    let mut costs = vec![DivisionCost::NONE; sets];
    meet_all(groups, None, 0, &mut costs);
    // For each set, the least cost, and the part of its division with the set's first group.
    let mut best = vec![(DivisionCost::NONE, 0); sets];
    for set in 1..sets {
        let first = set & set.wrapping_neg();
        let rest = set ^ first;
        let with = |part: usize| (costs[first | part].and(best[rest ^ part].0), first | part);
        // All subsets of the rest.
        let parts =
            std::iter::successors(Some(rest), |&part| (part > 0).then(|| (part - 1) & rest));
        best[set] = parts.map(with).min().expect("there is the empty part");
    }
    let mut division = Vec::new();
    let mut left = sets - 1;
    while left > 0 {
        let part = best[left].1;
        left ^= part;
        let members = groups.iter().enumerate().filter(|(at, _)| part >> at & 1 == 1);
        let merged = members.map(|(_, group)| group.clone()).reduce(|one, two| one.merged(&two));
        division.extend(merged);
    }
    division
}

/// Notes the cost of each set that adds later groups to those in `set`, whose meet is `classes`.
fn meet_all(
    groups: &[AtomGroup],
    classes: Option<&Classes>,
    set: usize,
    costs: &mut [DivisionCost],
) {
    let next = (usize::BITS - set.leading_zeros()) as usize;
    for (at, group) in groups.iter().enumerate().skip(next) {
        let met = classes.map_or_else(|| group.classes.clone(), |met| met.meet(&group.classes));
        let set = set | 1 << at;
        costs[set] = DivisionCost::of(&met);
        meet_all(groups, Some(&met), set, costs);
    }
}

/// Merges the two groups that gain most, as long as there is a gain, or until the best division of
/// the groups can be found. `None` if there are too many groups.
fn merge(mut groups: Vec<AtomGroup>) -> Option<Vec<AtomGroup>> {
    let pairs = groups.len() as u64 * groups.len() as u64;
    if pairs.saturating_mul(states(&groups)) > MAX_MERGE_STEPS {
        return None;
    }
    // For each group, the gain with each group before it.
    let mut gains: Vec<Vec<Option<u64>>> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        gains.push(groups[..at].iter().map(|other| gain(other, group)).collect());
    }
    while !is_exact(&groups) {
        let places = gains.iter().enumerate().flat_map(|(second, row)| {
            row.iter().enumerate().filter_map(move |(first, &gain)| Some((gain?, (first, second))))
        });
        let Some((_, (first, second))) = places.max_by_key(|&(gain, place)| (gain, Reverse(place)))
        else {
            return Some(groups);
        };
        let other = groups.remove(second);
        gains.remove(second);
        for row in &mut gains[second..] {
            row.remove(second);
        }
        let merged = groups[first].merged(&other);
        groups[first] = merged;
        for at in 0..groups.len() {
            let (low, high) = (first.min(at), first.max(at));
            if low < high {
                gains[high][low] = gain(&groups[low], &groups[high]);
            }
        }
    }
    Some(exact(&groups))
}

/// How many states merging two groups saves; `None` if they are better apart.
fn gain(one: &AtomGroup, other: &AtomGroup) -> Option<u64> {
    let apart = DivisionCost::of(&one.classes).and(DivisionCost::of(&other.classes));
    let merged = DivisionCost::of(&one.classes.meet(&other.classes));
    (merged < apart).then(|| apart.states - merged.states)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All numbers of three digits. Each atom tells one digit of one place from all others.
    fn digits() -> Vec<Classes> {
        let atom = |place: u32, digit: u32| {
            let is_digit = move |number: u32| number / 10_u32.pow(place) % 10 == digit;
            Classes::by_mark((0..1000).map(move |number| is_digit(number).into()))
        };
        (1..10).flat_map(|digit| (0..3).map(move |place| atom(place, digit))).collect()
    }

    #[test]
    fn many_atoms_are_merged_where_that_saves_states() {
        let atoms = digits();
        assert!(atoms.len() > MAX_EXACT);
        let atoms: Vec<_> = atoms.iter().collect();
        let mut groups = divide(&atoms, &[]);
        groups.sort_by_key(|group| group.atoms.iter().min().copied());
        for (group, place) in groups.iter().zip(0..) {
            assert_eq!(group.classes.count(), 10, "{groups:?}");
            assert!(group.atoms.iter().all(|atom| atom % 3 == place), "{groups:?}");
        }
        assert_eq!(groups.len(), 3);
    }

    #[test]
    fn too_many_atoms_begin_together_as_they_are_given() {
        let atoms = digits();
        let atoms: Vec<_> = atoms.iter().cycle().take(1000).collect();
        let places: Vec<Vec<usize>> =
            (0..3).map(|place| (0..1000).filter(|atom| atom % 3 == place).collect()).collect();
        assert_eq!(total(&divide(&atoms, &[places])).states, 30);
        assert_eq!(total(&divide(&atoms, &[])).states, 1000);
    }
}
