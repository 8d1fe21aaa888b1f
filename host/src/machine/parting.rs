//! Where two machines part ways: the transitions to which their differences go back.
//!
//! A word that tells two machines apart says where the difference is seen, and not where it comes from: a transition to a
//! wrong state may show many inputs later. An [`Overlay`] pairs the states, so the first step of the word that the machines do
//! not take alike is known. Many words part at the same transition.

use mealybug_core::Output;

use super::{Difference, Machine, Overlay, Transition};

/// How many places before the parting a part of the machines shows.
const BEFORE: usize = 2;

/// The most places that it shows.
const MAX_PLACES: usize = 16;

/// A transition at which two machines part ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// A word to it, with the input on which they part.
    pub word: Vec<String>,
    /// What each machine does on it: its output, and the place to which it goes.
    pub steps: [(String, usize); 2],
    /// The places of the overlay on the words around it. Each but the first is reached from those before it.
    pub places: Vec<usize>,
    /// The place at which they part.
    pub from: usize,
    /// The numbers of the differences that go back to it.
    pub differences: Vec<usize>,
}

impl Parting {
    /// The partings to which differences of two machines go back, in the order of the differences.
    pub fn all(
        machines: [&Machine; 2],
        overlay: &Overlay,
        differences: &[Difference],
    ) -> Vec<Self> {
        let places = [overlay.places(0), overlay.places(1)];
        let mut partings: Vec<Self> = Vec::new();
        for (number, Difference { word, .. }) in differences.iter().enumerate() {
            let [first, second] = [0, 1].map(|at| walk(machines[at], &places[at], word));
            let is_alike = |(one, other): &(&PartingStep, &PartingStep)| {
                let is_same_way = one.to == other.to || one.is_open || other.is_open;
                let output = |at: usize, output| machines[at].output_name(output);
                is_same_way && output(0, one.output) == output(1, other.output)
            };
            let alike = first.iter().zip(&second).take_while(is_alike).count();
            let (Some(one), Some(other)) = (first.get(alike), second.get(alike)) else { continue };
            let before = |at: usize| at.checked_sub(1).map_or(0, |last| first[last].to);
            let after = first[alike..].iter().zip(&second[alike..]);
            let after = after.flat_map(|(one, other)| [one.to, other.to]);
            let (from, word) = (before(alike), &word[..=alike]);
            let is_here =
                |parting: &&mut Self| parting.from == from && parting.word.last() == word.last();
            if let Some(parting) = partings.iter_mut().find(is_here) {
                parting.differences.push(number);
                parting.show(after);
                continue;
            }
            let steps = [(0, one), (1, other)]
                .map(|(at, step)| (machines[at].output_name(step.output).to_owned(), step.to));
            let (word, differences) = (word.to_vec(), vec![number]);
            let mut parting = Self { word, steps, places: Vec::new(), from, differences };
            parting.show((alike.saturating_sub(BEFORE)..=alike).map(before).chain(after));
            partings.push(parting);
        }
        partings
    }

    /// Shows these places, too, as far as there is room.
    fn show(&mut self, places: impl Iterator<Item = usize>) {
        for place in places {
            if !self.places.contains(&place) && self.places.len() < MAX_PLACES {
                self.places.push(place);
            }
        }
    }
}

/// A step of a machine.
struct PartingStep {
    output: Output,
    /// The place to which it goes.
    to: usize,
    is_open: bool,
}

/// The steps of a machine on a word, as far as they are known.
fn walk(machine: &Machine, places: &[usize], word: &[String]) -> Vec<PartingStep> {
    let mut state = machine.initial;
    let step = |name: &String| {
        let known = machine.transition(state, machine.find_input(name)?)?;
        let Transition { target, output, is_open } = known;
        state = target;
        Some(PartingStep { output, to: places[target as usize], is_open })
    };
    word.iter().map_while(step).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, random};
    use super::super::{Builder, differences};
    use super::*;

    /// The partings of two machines, with all their differences.
    fn partings(machines: [&Machine; 2]) -> (Vec<Parting>, Overlay, Vec<Difference>) {
        let overlay = Overlay::new(machines[0], machines[1]).expect("small");
        let places = differences(machines[0], machines[1], 1000).places;
        (Parting::all(machines, &overlay, &places), overlay, places)
    }

    /// A ring whose lamp is lit at 65; the jump from 10 leads to this state.
    fn ring(jump: u32) -> Machine {
        let mut builder = Builder::default();
        for state in 0..100 {
            let output = if state == 65 { "lit" } else { "dark" };
            builder.add(state, "step", (state + 1) % 100, output).expect("new");
            let to = if state == 10 { jump } else { (state + 50) % 100 };
            builder.add(state, "jump", to, "dark").expect("new");
        }
        builder.build(0).expect("complete")
    }

    #[test]
    fn a_wrong_target_is_found_where_it_is_and_not_where_it_shows() {
        let [golden, wrong] = [60, 61].map(ring);
        let (found, _, differences) = partings([&golden, &wrong]);
        let [parting] = &found[..] else { panic!("{found:?}") };
        assert_eq!(parting.word.len(), 11, "ten steps and a jump");
        assert_eq!(parting.word.last().map(String::as_str), Some("jump"));
        assert_eq!(parting.steps, [("dark".to_owned(), 60), ("dark".to_owned(), 61)]);
        assert_eq!(parting.from, 10);
        assert_eq!(parting.places[..5], [8, 9, 10, 60, 61]);
        assert!(parting.places.len() <= MAX_PLACES);
        assert_eq!(parting.differences.len(), differences.len());
        assert!(differences.iter().all(|difference| difference.word.len() > 11));
    }

    /// Each difference goes back to one parting, and a part shows how to get there and what follows.
    #[test]
    fn each_difference_has_its_parting() {
        let mut source = Random::new(83);
        for _ in 0..200 {
            let machines = [0, 1].map(|_| random(&mut source, 12, 3, 2).minimise());
            let machines = machines.each_ref();
            let (found, overlay, differences) = partings(machines);
            let mut numbers: Vec<_> =
                found.iter().flat_map(|parting| parting.differences.clone()).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..differences.len()).collect::<Vec<_>>());
            for Parting { word, steps, places, from, differences: shown } in &found {
                assert!(differences[shown[0]].word.starts_with(word));
                assert!(places.contains(from) && places.len() <= MAX_PLACES);
                let ways = [0, 1].map(|at| walk(machines[at], &overlay.places(at), word));
                let [one, other] = ways.each_ref().map(|way| way.last().expect("an input"));
                assert!(places.contains(&one.to) && places.contains(&other.to));
                assert_eq!([steps[0].1, steps[1].1], [one.to, other.to]);
                assert!(steps[0].0 != steps[1].0 || one.to != other.to, "{word:?}");
                for (one, other) in ways[0].iter().zip(&ways[1]).take(word.len() - 1) {
                    assert_eq!(one.to, other.to, "alike before");
                }
                // What follows a place that is shown is shown, or leads back.
                for (at, &place) in places.iter().enumerate().skip(1) {
                    let leads = |machine: usize| {
                        let numbers = overlay.places(machine);
                        let mut all = machines[machine].transitions();
                        all.any(|(state, _, known)| {
                            numbers[known.target as usize] == place
                                && places[..at].contains(&numbers[state as usize])
                        })
                    };
                    assert!(leads(0) || leads(1), "{place} of {places:?}");
                }
            }
        }
    }
}
