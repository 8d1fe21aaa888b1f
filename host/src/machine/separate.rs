//! Compares two machines, and finds a shortest word on which they differ.
//!
//! A breadth-first walk over the pairs of states that some word reaches in both machines. The walk
//! skips a pair that earlier pairs imply (p with q and p′ with q imply p with p′), using a
//! union–find over the states of both machines. It thus visits at most as many pairs as there are
//! states: Hopcroft & Karp, *A linear algorithm for testing equivalence of finite automata*, 1971.
//! The word is still a shortest one. If a word tells a skipped pair apart, then the same word or a
//! shorter one tells one of the pairs that imply it apart, and that pair was reached no later.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use mealybug_core::{Input, Mealy, Output};

use super::{AlphabetError, Machine, number};

/// A shortest word on which two machines give outputs of different names; `None` if they have the
/// same behaviour. Inputs are matched by name; the word uses the inputs of `first`.
///
/// Unknown transitions count: where one machine does not know a transition, the other must not know
/// it either. [`differences`](super::differences()) compares only what both know.
///
/// ```
/// use mealybug::machine::{Builder, separate};
///
/// let mut lamp = Builder::default();
/// lamp.add(0, "press", 1, "on")?;
/// lamp.add(1, "press", 0, "off")?;
/// let mut stuck = Builder::default();
/// stuck.add(0, "press", 0, "on")?;
/// let word = separate(&lamp.build(0)?, &stuck.build(0)?)?.expect("they differ");
/// assert_eq!(word.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The machines have different inputs.
pub fn separate(first: &Machine, second: &Machine) -> Result<Option<Vec<Input>>, AlphabetError> {
    let second = second.with_inputs(first.inputs())?;
    let same = |one: Output, other: Output| {
        let is_unknown = [one, other].map(|output| output == Total::UNKNOWN);
        match is_unknown {
            [false, false] => first.output_name(one) == second.output_name(other),
            [one, other] => one == other,
        }
    };
    Ok(separate_by(&Total(first), &Total(&second), same))
}

/// A partial machine made total: an unknown transition gives an output of its own, and so does
/// every later one.
struct Total<'m>(&'m Machine);

impl Total<'_> {
    /// No machine has this many outputs.
    const UNKNOWN: Output = Output::new(u32::MAX);
}

impl Mealy for Total<'_> {
    /// `None` after an unknown transition.
    type State = Option<u32>;

    fn inputs(&self) -> u32 {
        Mealy::inputs(self.0)
    }

    fn initial(&self) -> Option<u32> {
        Some(self.0.initial)
    }

    fn step(&self, state: &mut Option<u32>, input: Input) -> Option<Output> {
        let known = state.and_then(|state| self.0.transition(state, input));
        *state = known.map(|known| known.target);
        Some(known.map_or(Self::UNKNOWN, |known| known.output))
    }
}

/// A shortest word on which two machines of any kind differ; `None` if there is none.
///
/// Inputs are matched by number. `same` returns whether an output of the first machine means the
/// same as one of the second. Outputs that are not the same must not both be the same as a third.
/// If either machine gives no output at a transition, the machines differ there.
///
/// # Panics
/// If the machines have different numbers of inputs.
///
/// # Cost
/// Visits at most as many pairs of states as both machines have states in total.
pub fn separate_by<A, B>(
    first: &A,
    second: &B,
    same: impl Fn(Output, Output) -> bool,
) -> Option<Vec<Input>>
where
    A: Mealy,
    B: Mealy,
    A::State: Eq + Hash,
    B::State: Eq + Hash,
{
    assert_eq!(first.inputs(), second.inputs(), "the machines have the same inputs");
    let mut states = PairGroups::default();
    let initial = (first.initial(), second.initial());
    states.merge(&initial.0, &initial.1);
    // All pairs in the order in which they were found: the previous pair, and the input that
    // follows it.
    let mut pairs = vec![(0, Input::new(0))];
    let mut open = VecDeque::from([(0, initial)]);
    while let Some((pair, (one, other))) = open.pop_front() {
        for input in (0..first.inputs()).map(Input::new) {
            let (mut one, mut other) = (one.clone(), other.clone());
            let outputs = (first.step(&mut one, input), second.step(&mut other, input));
            if !matches!(outputs, (Some(one), Some(other)) if same(one, other)) {
                return Some(word(&pairs, pair, input));
            }
            if states.merge(&one, &other) {
                open.push_back((pairs.len(), (one, other)));
                pairs.push((pair, input));
            }
        }
    }
    None
}

/// The word that leads to a pair, followed by `last`.
fn word(pairs: &[(usize, Input)], mut pair: usize, last: Input) -> Vec<Input> {
    let mut word = vec![last];
    while pair != 0 {
        let (before, by) = pairs[pair];
        word.push(by);
        pair = before;
    }
    word.reverse();
    word
}

/// The states of both machines, in groups of states that must have the same behaviour.
struct PairGroups<A, B> {
    first: HashMap<A, u32>,
    second: HashMap<B, u32>,
    /// A union–find forest: the parent of each state. A root is its own parent.
    parent: Vec<u32>,
}

impl<A, B> Default for PairGroups<A, B> {
    fn default() -> Self {
        Self { first: HashMap::new(), second: HashMap::new(), parent: Vec::new() }
    }
}

impl<A: Clone + Eq + Hash, B: Clone + Eq + Hash> PairGroups<A, B> {
    /// Merges the groups of two states. Returns false if they already were in one group.
    fn merge(&mut self, one: &A, other: &B) -> bool {
        let one = known(&mut self.first, one, &mut self.parent);
        let other = known(&mut self.second, other, &mut self.parent);
        let (one, other) = (self.root(one), self.root(other));
        self.parent[one as usize] = other;
        one != other
    }

    fn root(&mut self, mut state: u32) -> u32 {
        while self.parent[state as usize] != state {
            // Path halving: each state on the way moves up to its grandparent.
            let above = self.parent[self.parent[state as usize] as usize];
            self.parent[state as usize] = above;
            state = above;
        }
        state
    }
}

/// The number of a state. A new state forms its own group.
fn known<S: Clone + Eq + Hash>(
    numbers: &mut HashMap<S, u32>,
    state: &S,
    parent: &mut Vec<u32>,
) -> u32 {
    if let Some(&known) = numbers.get(state) {
        return known;
    }
    let new = number(parent.len());
    parent.push(new);
    numbers.insert(state.clone(), new);
    new
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::testing::{Random, random};
    use super::super::{Builder, Transition};
    use super::*;

    /// The naive reference: breadth first over all pairs.
    fn shortest(first: &Machine, second: &Machine) -> Option<usize> {
        let mut layer = HashSet::from([(first.initial, second.initial)]);
        let mut seen = layer.clone();
        for len in 1.. {
            let mut next = HashSet::new();
            for (one, other) in layer {
                for input in (0..Mealy::inputs(first)).map(Input::new) {
                    let (one, output) = first.expect_transition(one, input);
                    let (other, other_output) = second.expect_transition(other, input);
                    if first.output_name(output) != second.output_name(other_output) {
                        return Some(len);
                    }
                    if seen.insert((one, other)) {
                        next.insert((one, other));
                    }
                }
            }
            if next.is_empty() {
                return None;
            }
            layer = next;
        }
        unreachable!("an endless range")
    }

    fn run<'m>(machine: &'m Machine, word: &[Input]) -> Vec<&'m str> {
        let mut state = machine.initial;
        let step = |&input| machine.output_name(machine.step(&mut state, input).expect("complete"));
        word.iter().map(step).collect()
    }

    #[test]
    fn the_word_is_a_shortest_one() {
        let mut random_source = Random::new(3);
        let mut lengths = HashMap::<_, u32>::new();
        for _ in 0..3000 {
            let machine = random(&mut random_source, 8, 2, 2);
            let mut other = machine.clone();
            let at = random_source.below(number(machine.table.len())) as usize;
            let target = random_source.below(machine.states);
            other.table[at] = other.table[at].map(|known| Transition { target, ..known });
            let word = separate(&machine, &other).expect("the same inputs");
            assert_eq!(word.as_ref().map(Vec::len), shortest(&machine, &other));
            *lengths.entry(word.as_ref().map_or(0, Vec::len)).or_default() += 1;
            if let Some(word) = word {
                let (last, before) = word.split_last().expect("not empty");
                assert_eq!(run(&machine, before), run(&other, before));
                assert_ne!(run(&machine, &word).last(), run(&other, &word).last(), "{last:?}");
            }
        }
        assert!((0..=6).all(|len| len == 1 || lengths.contains_key(&len)), "{lengths:?}");
    }

    #[test]
    fn inputs_and_outputs_are_matched_by_name() {
        let mut one = Builder::default();
        one.add(0, "a", 0, "x").expect("new");
        one.add(0, "b", 0, "y").expect("new");
        let mut other = Builder::default();
        other.add(0, "b", 0, "y").expect("new");
        other.add(0, "a", 0, "x").expect("new");
        let [one, other] = [one, other].map(|builder| builder.build(0).expect("complete"));
        assert_eq!(separate(&one, &other), Ok(None));
    }

    #[test]
    fn only_what_is_unknown_in_both_is_the_same() {
        let mut builder = Builder::default();
        builder.add(0, "a", 1, "x").expect("new");
        builder.add(1, "b", 0, "x").expect("new");
        let one = builder.clone().build_partial(0);
        assert_eq!(separate(&one, &one), Ok(None));
        builder.add(1, "a", 0, "x").expect("new");
        let other = builder.build_partial(0);
        let word = Ok(Some(vec![Input::new(0); 2]));
        assert_eq!((separate(&one, &other), separate(&other, &one)), (word.clone(), word));
    }

    #[test]
    fn different_inputs_are_named() {
        let mut one = Builder::default();
        one.add(0, "a", 0, "x").expect("new");
        let mut other = one.clone();
        other.add(0, "b", 0, "x").expect("new");
        one.add(0, "c", 0, "x").expect("new");
        one.add(0, "d", 0, "x").expect("new");
        let [one, other] = [one, other].map(|builder| builder.build(0).expect("complete"));
        let error = separate(&one, &other).expect_err("different inputs");
        assert_eq!(
            error.to_string(),
            "the machines do not have the same inputs; only the first has `c`, `d`; \
             only the second has `b`"
        );
    }
}
