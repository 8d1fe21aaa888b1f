//! An equivalence of states.

use rustc_hash::FxHashMap;

/// The class of each state. Classes are numbered in the order of their first states, so equal
/// equivalences have equal numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Classes {
    of: Vec<u32>,
    count: u32,
}

impl Classes {
    /// All of these states in one class.
    pub(super) fn one(states: u32) -> Self {
        Self { of: vec![0; states as usize], count: states.min(1) }
    }

    /// States with the same mark in one class.
    pub(super) fn by_mark(marks: impl Iterator<Item = u64>) -> Self {
        let mut numbers = FxHashMap::default();
        let mut count = 0;
        let number = |mark| {
            *numbers.entry(mark).or_insert_with(|| {
                count += 1;
                count - 1
            })
        };
        let of = marks.map(number).collect();
        Self { of, count }
    }

    /// The number of classes.
    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// The class of each state.
    pub(super) fn of(&self) -> &[u32] {
        &self.of
    }

    /// Whether each state is alone in its class.
    pub(super) fn are_single(&self) -> bool {
        self.count as usize == self.of.len()
    }

    /// Two states are in one class if they are in one class of both.
    pub(super) fn meet(&self, other: &Self) -> Self {
        if self.are_single() {
            return self.clone();
        }
        let both = self.of.iter().zip(&other.of);
        Self::by_mark(both.map(|(&one, &two)| u64::from(one) << 32 | u64::from(two)))
    }

    /// Whether all states of a class have the same mark, for each class.
    pub(super) fn determine<M: Copy + PartialEq>(&self, mut mark: impl FnMut(u32) -> M) -> bool {
        let mut known = vec![None; self.count as usize];
        self.of.iter().zip(0..).all(|(&class, state)| {
            let mark = mark(state);
            *known[class as usize].get_or_insert(mark) == mark
        })
    }

    /// Whether states of one class are always in one class of `other`.
    pub(super) fn refine(&self, other: &Self) -> bool {
        self.count >= other.count && self.determine(|state| other.of[state as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(marks: &[u64]) -> Classes {
        Classes::by_mark(marks.iter().copied())
    }

    #[test]
    fn equal_equivalences_are_equal_however_they_are_marked() {
        assert_eq!(classes(&[7, 3, 7, 9]), classes(&[0, 1, 0, 2]));
        assert_ne!(classes(&[7, 3, 7, 9]), classes(&[0, 1, 1, 2]));
        assert_eq!(classes(&[5, 5, 5]), Classes::one(3));
    }

    #[test]
    fn the_meet_refines_both_and_no_other_less() {
        let (one, two) = (classes(&[0, 0, 1, 1]), classes(&[0, 1, 1, 1]));
        let meet = one.meet(&two);
        assert_eq!(meet, classes(&[0, 1, 2, 2]));
        assert!(meet.refine(&one) && meet.refine(&two) && !one.refine(&two) && !two.refine(&one));
        assert!(one.meet(&classes(&[0, 1, 2, 3])).are_single());
        assert!(one.refine(&one) && one.refine(&Classes::one(4)));
    }
}
