//! Two machines laid over each other, so that as much as possible is the same.
//!
//! States of the two machines are paired when they behave alike. How much they do is a number from 0 to 1: the share
//! of inputs with the same output, in which those count more whose next states behave alike in turn. Pairs grow from the
//! initial states along transitions that both machines have, the most alike first; then what is left is paired. Whatever
//! the pairs are, each transition of each machine is in the overlay once, so the picture is right; good pairs only make
//! it small.
//!
//! Walkinshaw & Bogdanov, *Automated Comparison of State-Based Software Models in Terms of Their Language and
//! Structure*, 2013. They solve a system of linear equations for the numbers; here a few steps of iteration do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use mealybug_core::Input;

use super::Machine;

/// How many steps ahead states are compared.
const STEPS: usize = 8;

/// The largest number of pairs of states: 2000 of each machine.
const MAX_PAIRS: usize = 4_000_000;

/// The largest number of pairs of states and inputs.
const MAX_WORK: usize = 64_000_000;

/// States that are less alike are no pair.
const LEAST: u32 = ONE / 3;

/// The number of states that are the same, as far as was compared.
const ONE: u32 = 1 << 20;

/// The states of two machines, in pairs where they behave alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// The number in the first and in the second machine; one of them may lack the state. The pair of the initial
    /// states comes first.
    pub states: Vec<[Option<u32>; 2]>,
}

impl Overlay {
    /// Pairs the states of two machines. Inputs and outputs are compared by name. `None` if the machines are too large.
    ///
    /// # Cost
    /// The product of the numbers of states times the number of common inputs.
    pub fn new(first: &Machine, second: &Machine) -> Option<Self> {
        let inputs: Vec<_> = (0..first.inputs().len())
            .filter_map(|at| Some((at, second.find_input(&first.inputs()[at])?)))
            .map(|(at, other)| (Input::new(super::number(at)), other))
            .collect();
        let pairs = first.states() as usize * second.states() as usize;
        if pairs > MAX_PAIRS || pairs.saturating_mul(inputs.len()) > MAX_WORK {
            return None;
        }
        let likeness = Likeness::new(first, second, &inputs);
        let mut partners =
            [vec![None; first.states() as usize], vec![None; second.states() as usize]];
        let start = (first.initial, second.initial);
        join(&mut partners, start);
        // The most alike first; of these, those that were found first.
        let mut found = 0_u32;
        let mut waiting = BinaryHeap::new();
        let mut reach = |waiting: &mut BinaryHeap<_>, (one, other)| {
            for &(input, other_input) in &inputs {
                let known = first.transition(one, input).zip(second.transition(other, other_input));
                let Some((said, other_said)) = known else { continue };
                let pair = (said.target, other_said.target);
                found = found.saturating_add(1);
                waiting.push((likeness.of(pair), Reverse(found), pair));
            }
        };
        reach(&mut waiting, start);
        while let Some((likeness, _, pair)) = waiting.pop() {
            if likeness >= LEAST && join(&mut partners, pair) {
                reach(&mut waiting, pair);
            }
        }
        let mut left: Vec<_> = (0..first.states())
            .flat_map(|one| (0..second.states()).map(move |other| (one, other)))
            .filter(|&pair| likeness.of(pair) >= LEAST)
            .collect();
        left.sort_by_key(|&pair| Reverse(likeness.of(pair)));
        for pair in left {
            join(&mut partners, pair);
        }
        let [firsts, seconds] = partners;
        let mut states = vec![[Some(start.0), Some(start.1)]];
        let others = (0..).zip(&firsts).filter(|&(state, _)| state != start.0);
        states.extend(others.map(|(state, &partner)| [Some(state), partner]));
        let alone = (0..).zip(&seconds).filter(|(_, partner)| partner.is_none());
        states.extend(alone.map(|(state, _)| [None, Some(state)]));
        Some(Self { states })
    }

    /// For each state of the first (0) or second (1) machine its place in `states`.
    pub fn places(&self, machine: usize) -> Vec<usize> {
        let own = |(place, state): (usize, &[Option<u32>; 2])| Some((state[machine]?, place));
        let mut places: Vec<_> = self.states.iter().enumerate().filter_map(own).collect();
        places.sort_unstable();
        places.into_iter().map(|(_, place)| place).collect()
    }
}

/// Makes a pair of two states, if neither is in one.
fn join(partners: &mut [Vec<Option<u32>>; 2], (one, other): (u32, u32)) -> bool {
    let [firsts, seconds] = partners;
    let is_free = firsts[one as usize].is_none() && seconds[other as usize].is_none();
    if is_free {
        firsts[one as usize] = Some(other);
        seconds[other as usize] = Some(one);
    }
    is_free
}

/// How alike each pair of states is, from 0 to [`ONE`].
struct Likeness {
    width: usize,
    of: Vec<u32>,
}

impl Likeness {
    fn new(first: &Machine, second: &Machine, inputs: &[(Input, Input)]) -> Self {
        let width = second.states() as usize;
        let number = |output: &String| second.outputs().iter().position(|other| other == output);
        let outputs: Vec<_> = first.outputs().iter().map(number).collect();
        let mut likeness = Self { width, of: vec![ONE; first.states() as usize * width] };
        for _ in 0..STEPS {
            let pair = |(one, other)| {
                let mut sum = 0_u64;
                for &(input, other_input) in inputs {
                    let known =
                        first.transition(one, input).zip(second.transition(other, other_input));
                    let Some((said, other_said)) = known else {
                        // What is not known is no difference.
                        sum += u64::from(ONE);
                        continue;
                    };
                    let output = outputs[said.output.index() as usize];
                    if output == Some(other_said.output.index() as usize) {
                        let next = likeness.of((said.target, other_said.target));
                        sum += u64::from(ONE / 2 + next / 2);
                    }
                }
                let mean = sum.checked_div(inputs.len() as u64).unwrap_or(0);
                u32::try_from(mean).unwrap_or(ONE)
            };
            let states = |machine: &Machine| 0..machine.states();
            let pairs = states(first).flat_map(|one| states(second).map(move |other| (one, other)));
            let of = pairs.map(pair).collect();
            likeness.of = of;
        }
        likeness
    }

    fn of(&self, (one, other): (u32, u32)) -> u32 {
        self.of[one as usize * self.width + other as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Builder;
    use super::super::testing::{Random, random};
    use super::*;
    use crate::demo_lock::DemoLock;

    /// The transitions of the first machine that the second does not have, with states as the overlay pairs them.
    fn differing(first: &Machine, second: &Machine, overlay: &Overlay) -> usize {
        let [places, others] = [overlay.places(0), overlay.places(1)];
        let all = |machine: &Machine, places: &[usize]| -> Vec<_> {
            let named = machine.named_transitions().map(|(from, input, to, output)| {
                (places[from as usize], input.to_owned(), places[to as usize], output.to_owned())
            });
            named.collect()
        };
        let other = all(second, &others);
        all(first, &places).iter().filter(|one| !other.contains(one)).count()
    }

    fn pairs(overlay: &Overlay) -> usize {
        overlay.states.iter().filter(|states| states.iter().all(Option::is_some)).count()
    }

    #[test]
    fn equal_machines_are_one() {
        let mut source = Random::new(71);
        for _ in 0..100 {
            let machine = random(&mut source, 12, 3, 3).minimise();
            let overlay = Overlay::new(&machine, &machine).expect("small");
            assert_eq!(pairs(&overlay), machine.states() as usize);
            assert_eq!(differing(&machine, &machine, &overlay), 0);
        }
    }

    #[test]
    fn one_change_is_one_difference() {
        let lock = DemoLock::machine();
        for changed in 0..lock.named_transitions().count() {
            let mut builder = Builder::default();
            for (at, (from, input, to, output)) in lock.named_transitions().enumerate() {
                let output = if at == changed { "smoke" } else { output };
                builder.add(from, input, to, output).expect("new");
            }
            let other = builder.build(0).expect("complete").minimise();
            let overlay = Overlay::new(&lock, &other).expect("small");
            assert_eq!(pairs(&overlay), 28, "{changed}");
            assert_eq!(overlay.states.len(), 28);
            assert_eq!(differing(&lock, &other, &overlay), 1, "{changed}");
            assert_eq!(differing(&other, &lock, &overlay), 1, "{changed}");
        }
    }

    /// The second lamp has a third level of light.
    #[test]
    fn a_state_that_only_one_has_stands_alone() {
        let ring = |levels: u32| {
            let mut builder = Builder::default();
            for level in 0..levels {
                let output = format!("level {}", (level + 1) % levels);
                builder.add(level, "press", (level + 1) % levels, &output).expect("new");
                builder.add(level, "off", 0, "dark").expect("new");
                builder.add(level, "ask", level, &level.to_string()).expect("new");
            }
            builder.build(0).expect("complete")
        };
        let overlay = Overlay::new(&ring(3), &ring(4)).expect("small");
        let expected = [[Some(0); 2], [Some(1); 2], [Some(2); 2], [None, Some(3)]];
        assert_eq!(overlay.states, expected);
        let turned = Overlay::new(&ring(4), &ring(3)).expect("small");
        assert_eq!(turned.states.last(), Some(&[Some(3), None]));
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let mut builder = Builder::default();
        for state in 0..3000_u32 {
            builder.add(state, "a", (state + 1) % 3000, &state.to_string()).expect("new");
        }
        let large = builder.build(0).expect("complete");
        assert_eq!(Overlay::new(&large, &large), None);
    }
}
