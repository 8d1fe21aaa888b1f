//! The smallest machines that see some of the outputs: the coarsest stable refinement.
//!
//! An equivalence of states is *stable* if each input leads equivalent states to equivalent ones.
//! States that a projection does not tell apart are the coarsest stable equivalence that tells apart
//! what the projection shows at once.
//!
//! J. Hopcroft, *An n log n algorithm for minimizing states in a finite automaton*, 1971. Each
//! splitter is a class of states that was cut off as the smaller half, taken with all inputs.

use mealybug_core::{Input, Mealy};

use super::classes::Classes;
use crate::machine::Machine;

/// The transitions of a machine backwards.
#[derive(Debug)]
pub(super) struct Refiner {
    states: u32,
    columns: Vec<InputColumn>,
}

/// Where an input comes from. Inputs that lead everywhere to the same states share a column, and an
/// input that changes no state has none.
#[derive(Debug)]
struct InputColumn {
    /// All states, ordered by where the input leads them.
    sources: Vec<u32>,
    /// For each state, where its sources begin; one entry more.
    begins: Vec<u32>,
}

impl Refiner {
    /// For a complete machine.
    pub(super) fn new(machine: &Machine) -> Self {
        let states = machine.states();
        let targets = (0..Mealy::inputs(machine)).map(|input| {
            let input = Input::new(input);
            (0..states).map(|state| machine.expect_transition(state, input).0).collect::<Vec<_>>()
        });
        let mut targets: Vec<_> =
            targets.filter(|targets| !targets.iter().copied().eq(0..states)).collect();
        targets.sort_unstable();
        targets.dedup();
        Self { states, columns: targets.iter().map(|targets| InputColumn::new(targets)).collect() }
    }

    /// The steps that one refinement may take.
    pub(super) fn cost(&self) -> u64 {
        let levels = u64::from(u32::BITS - self.states.leading_zeros());
        u64::from(self.states) * (self.columns.len() as u64 + 1) * levels
    }

    /// The coarsest stable equivalence that refines `seed`.
    pub(super) fn refine(&self, seed: &Classes) -> Classes {
        let mut partition = Partition::new(seed);
        let mut splitters: Vec<u32> = (0..seed.count()).collect();
        let (mut members, mut sources) = (Vec::new(), Vec::new());
        while let Some(splitter) = splitters.pop() {
            members.clear();
            members.extend_from_slice(partition.members(splitter));
            for column in &self.columns {
                sources.clear();
                for &member in &members {
                    sources.extend_from_slice(column.sources(member));
                }
                partition.split(&sources, &mut splitters);
            }
        }
        Classes::by_mark(partition.class.iter().map(|&class| class.into()))
    }
}

impl InputColumn {
    /// `targets` has the state to which each state is led.
    fn new(targets: &[u32]) -> Self {
        let mut begins = vec![0; targets.len() + 1];
        for &target in targets {
            begins[target as usize + 1] += 1;
        }
        for at in 1..begins.len() {
            begins[at] += begins[at - 1];
        }
        let mut next = begins.clone();
        let mut sources = vec![0; targets.len()];
        for (&target, state) in targets.iter().zip(0..) {
            let place = &mut next[target as usize];
            sources[*place as usize] = state;
            *place += 1;
        }
        Self { sources, begins }
    }

    fn sources(&self, target: u32) -> &[u32] {
        let target = target as usize;
        &self.sources[self.begins[target] as usize..self.begins[target + 1] as usize]
    }
}

/// Classes that are split in place. The states of a class lie side by side in `order`, those that
/// are marked first.
struct Partition {
    order: Vec<u32>,
    /// Where each state is in `order`.
    place: Vec<u32>,
    class: Vec<u32>,
    /// For each class, where it begins and ends in `order`, and how many of it are marked.
    ranges: Vec<Range>,
    /// The classes with marked states.
    touched: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Range {
    begin: u32,
    end: u32,
    marked: u32,
}

impl Partition {
    fn new(seed: &Classes) -> Self {
        let class = seed.of().to_vec();
        let mut order: Vec<u32> = (0..).take(class.len()).collect();
        order.sort_by_key(|&state| class[state as usize]);
        let mut place = vec![0; class.len()];
        let mut ranges = vec![Range::default(); seed.count() as usize];
        for (&state, at) in order.iter().zip(0..) {
            place[state as usize] = at;
            let range = &mut ranges[class[state as usize] as usize];
            if range.end == 0 {
                range.begin = at;
            }
            range.end = at + 1;
        }
        Self { order, place, class, ranges, touched: Vec::new() }
    }

    fn members(&self, class: u32) -> &[u32] {
        let Range { begin, end, .. } = self.ranges[class as usize];
        &self.order[begin as usize..end as usize]
    }

    /// Splits each class into the states among `marked`, each once, and the others. The smaller half
    /// becomes a new class, and a splitter.
    fn split(&mut self, marked: &[u32], splitters: &mut Vec<u32>) {
        for &state in marked {
            self.mark(state);
        }
        let mut touched = std::mem::take(&mut self.touched);
        for &old in &touched {
            let range = &mut self.ranges[old as usize];
            let Range { begin, end, marked } =
                std::mem::replace(range, Range { marked: 0, ..*range });
            let middle = begin + marked;
            if middle == end {
                continue;
            }
            let (smaller, larger) = if marked <= end - middle {
                ((begin, middle), (middle, end))
            } else {
                ((middle, end), (begin, middle))
            };
            *range = Range { begin: larger.0, end: larger.1, marked: 0 };
            let new = u32::try_from(self.ranges.len()).expect("no more classes than states");
            for &state in &self.order[smaller.0 as usize..smaller.1 as usize] {
                self.class[state as usize] = new;
            }
            self.ranges.push(Range { begin: smaller.0, end: smaller.1, marked: 0 });
            splitters.push(new);
        }
        touched.clear();
        self.touched = touched;
    }

    /// Moves a state to the marked ones of its class.
    fn mark(&mut self, state: u32) {
        let class = self.class[state as usize];
        let range = &mut self.ranges[class as usize];
        if range.marked == 0 {
            self.touched.push(class);
        }
        let (from, to) = (self.place[state as usize], range.begin + range.marked);
        range.marked += 1;
        let other = self.order[to as usize];
        self.order.swap(from as usize, to as usize);
        self.place[state as usize] = to;
        self.place[other as usize] = from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::testing::{Random, random};

    /// Splits by what each input shows and where it leads, until nothing changes.
    fn naive(machine: &Machine, seed: &Classes) -> Classes {
        let mut classes = seed.clone();
        loop {
            let mut finer = classes.clone();
            for input in (0..Mealy::inputs(machine)).map(Input::new) {
                let next = |state| classes.of()[machine.expect_transition(state, input).0 as usize];
                let next = (0..machine.states()).map(|state| next(state).into());
                finer = finer.meet(&Classes::by_mark(next));
            }
            if finer == classes {
                return classes;
            }
            classes = finer;
        }
    }

    #[test]
    fn refinement_is_that_of_the_naive_way() {
        let mut source = Random::new(31);
        let mut between = 0;
        for _ in 0..2000 {
            let machine = random(&mut source, 40, 2, 2);
            let marks = 1 + source.below(3);
            let seed: Vec<_> = (0..machine.states()).map(|_| source.below(marks).into()).collect();
            let seed = Classes::by_mark(seed.into_iter());
            let refined = Refiner::new(&machine).refine(&seed);
            assert_eq!(refined, naive(&machine, &seed), "{machine:?} {seed:?}");
            between += u32::from(!refined.are_single() && refined != seed);
        }
        assert!(between > 100, "only {between} were neither the seed nor all states");
    }
}
