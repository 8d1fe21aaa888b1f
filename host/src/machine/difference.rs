//! The places where two machines differ, with a shortest word to each.
//!
//! Whether machines without gaps differ at all is decided first, by [`separate_by`], in near-linear time. Only the list of
//! places is bounded.
//!
//! A place is a transition of the first machine whose output differs from that of the second
//! machine after the same word. A breadth-first walk over the pairs of states that some word
//! reaches in both machines finds a shortest word to each place. The walk continues past
//! differences only after it has visited all pairs that are reachable without one. Places beyond a
//! difference may be its consequences and are marked.
//!
//! Unknown behaviour is never a difference. A transition that either machine does not know is not
//! compared. For an open transition only the output is compared; the walk does not follow it,
//! because its target is a guess.

use std::collections::{HashSet, VecDeque};
use std::fmt;

use mealybug_core::{Input, Mealy};

use super::{Machine, Transition, separate_by};

/// The walk stops after this many pairs of states.
const MAX_PAIRS: usize = 2_000_000;

/// A place where two machines differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// A shortest word to it; the outputs differ at its last input.
    pub word: Vec<String>,
    /// The last output of the first machine.
    pub first: String,
    /// The last output of the second machine.
    pub second: String,
    /// Whether the outputs also differ earlier in the word, because every way there leads past a
    /// difference.
    pub is_behind_another: bool,
}

/// Places where two machines differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Inputs that only the first machine has.
    pub only_first: Vec<String>,
    /// Inputs that only the second machine has.
    pub only_second: Vec<String>,
    /// The first places, on the inputs that both have. Places behind another difference come last;
    /// within each group, shorter words come first.
    pub places: Vec<Difference>,
    /// How many transitions of the first and of the second machine were not compared, because a
    /// machine does not know them or does not know the way to them. The machines are minimal and
    /// restricted to the inputs that both have. `None` if the comparison was cut short.
    pub not_compared: Option<[u64; 2]>,
    /// What ended the comparison before all places were found.
    pub cut: Option<Cut>,
}

/// What ends a comparison early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// There are more places than were asked for.
    Places,
    /// There are too many pairs of states.
    Pairs,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Places => write!(f, "--limit shows more"),
            Self::Pairs => {
                write!(
                    f,
                    "the comparison stopped after {} million pairs of states",
                    MAX_PAIRS / 1_000_000
                )
            }
        }
    }
}

impl Differences {
    /// Whether each transition on the inputs that both machines have was compared.
    pub fn is_complete(&self) -> bool {
        self.not_compared == Some([0, 0])
    }

    /// The result in a few words: `Equal`, `DIFFERENT`.
    pub fn verdict(&self) -> &'static str {
        match (self.is_empty(), self.is_complete()) {
            (true, true) => "Equal",
            (true, false) => "Equal where both know what follows",
            (false, _) if self.is_undecided() => "NOT DECIDED",
            (false, _) => "DIFFERENT",
        }
    }

    /// Whether there are no differences. False if the comparison ended before that was known.
    pub fn is_empty(&self) -> bool {
        self.has_found_none() && self.cut.is_none()
    }

    /// Whether the comparison ended before it found a difference. Only machines with gaps can be too large for it.
    pub fn is_undecided(&self) -> bool {
        self.has_found_none() && self.cut.is_some()
    }

    /// What to say of places that were not looked for, if the comparison ended early.
    pub fn early_end(&self) -> Option<String> {
        let found = if self.is_undecided() {
            "No difference was found so far"
        } else {
            "There may be more"
        };
        self.cut.map(|cut| format!("{found}; {cut}."))
    }

    fn has_found_none(&self) -> bool {
        self.only_first.is_empty() && self.only_second.is_empty() && self.places.is_empty()
    }
}

/// Compares two machines: the inputs that only one of them has, and the first `limit` places where
/// they differ on the others, but at least one. Inputs and outputs are compared by name.
///
/// # Cost
/// A step for each pair of states and input, until `limit` places are found. Equal machines without gaps have as many
/// pairs as states.
pub fn differences(first: &Machine, second: &Machine, limit: usize) -> Differences {
    compare(first, second, limit.max(1), MAX_PAIRS)
}

fn compare(first: &Machine, second: &Machine, limit: usize, max_pairs: usize) -> Differences {
    let without = |one: &Machine, other: &Machine| {
        let names = one.inputs().iter().filter(|name| other.find_input(name).is_none());
        names.cloned().collect()
    };
    let place = |of: &Machine, name: &String| of.inputs().iter().position(|input| input == name);
    let both: (Vec<_>, Vec<_>) = (first.inputs().iter())
        .filter_map(|name| Some((place(first, name)?, place(second, name)?)))
        .unzip();
    let only = (without(first, second), without(second, first));
    let (first, second) = (first.select(&both.0).minimise(), second.select(&both.1).minimise());
    let found = compare_minimal(&first, &second, limit, max_pairs);
    Differences { only_first: only.0, only_second: only.1, ..found }
}

/// Compares minimal machines with the same inputs in the same order.
fn compare_minimal(
    first: &Machine,
    second: &Machine,
    limit: usize,
    max_pairs: usize,
) -> Differences {
    let walk = || Walk::new(first, second).places(limit, max_pairs);
    if !(first.gaps().is_empty() && second.gaps().is_empty()) {
        return walk();
    }
    let same = |one, other| first.output_name(one) == second.output_name(other);
    let Some(word) = separate_by(first, second, same) else {
        return Differences { not_compared: Some([0, 0]), ..Differences::default() };
    };
    let mut found = walk();
    if found.places.is_empty() {
        found.places.push(Difference {
            first: last_output(first, &word),
            second: last_output(second, &word),
            word: word.iter().map(|&input| first.input_name(input).to_owned()).collect(),
            is_behind_another: false,
        });
    }
    found
}

/// The last output of a complete machine on a word.
fn last_output(machine: &Machine, word: &[Input]) -> String {
    let mut state = machine.initial();
    let outputs = word.iter().filter_map(|&input| machine.step(&mut state, input));
    outputs.last().map_or_else(String::new, |output| machine.output_name(output).to_owned())
}

/// Pairs of states, in the order in which they were found.
struct Walk<'m> {
    machines: (&'m Machine, &'m Machine),
    found: Vec<PairFound>,
    known: HashSet<(u32, u32)>,
    /// The pairs to visit: those reached without a difference, and those behind one.
    open: [VecDeque<usize>; 2],
    /// The transitions of each machine that were compared.
    compared: [HashSet<(u32, Input)>; 2],
}

struct PairFound {
    pair: (u32, u32),
    /// The previous pair, and the input that leads from it to this one.
    from: usize,
    by: Input,
}

impl<'m> Walk<'m> {
    fn new(first: &'m Machine, second: &'m Machine) -> Self {
        let pair = (first.initial(), second.initial());
        Self {
            machines: (first, second),
            found: vec![PairFound { pair, from: 0, by: Input::new(0) }],
            known: HashSet::from([pair]),
            open: [VecDeque::from([0]), VecDeque::new()],
            compared: [HashSet::new(), HashSet::new()],
        }
    }

    fn places(mut self, limit: usize, max_pairs: usize) -> Differences {
        let (first, second) = self.machines;
        let mut differences = Differences::default();
        let mut seen = HashSet::new();
        let mut behind = 0;
        // Pairs behind a difference, to visit once no other pairs are left.
        let mut after = Vec::new();
        loop {
            let Some(at) = self.open[behind].pop_front() else {
                if behind == 1 || after.is_empty() {
                    return Differences { not_compared: Some(self.not_compared()), ..differences };
                }
                behind = 1;
                for (pair, from, by) in std::mem::take(&mut after) {
                    self.reach(pair, from, by, 1);
                }
                continue;
            };
            let (one, other) = self.found[at].pair;
            for input in (0..first.inputs().len()).map(|input| Input::new(super::number(input))) {
                let known = first.transition(one, input).zip(second.transition(other, input));
                let Some((said, other_said)) = known else { continue };
                self.compared[0].insert((one, input));
                self.compared[1].insert((other, input));
                let names = (first.output_name(said.output), second.output_name(other_said.output));
                let pair = targets(said, other_said);
                if names.0 == names.1 {
                    if let Some(pair) = pair {
                        self.reach(pair, at, input, behind);
                    }
                } else {
                    if seen.insert((one, input)) {
                        if differences.places.len() == limit {
                            return Differences { cut: Some(Cut::Places), ..differences };
                        }
                        differences.places.push(Difference {
                            word: self.word(at, input),
                            first: names.0.to_owned(),
                            second: names.1.to_owned(),
                            is_behind_another: behind == 1,
                        });
                    }
                    match (behind, pair) {
                        (_, None) => {}
                        (0, Some(pair)) => after.push((pair, at, input)),
                        (_, Some(pair)) => self.reach(pair, at, input, 1),
                    }
                }
                if self.found.len() > max_pairs {
                    return Differences { cut: Some(Cut::Pairs), ..differences };
                }
            }
        }
    }

    fn reach(&mut self, pair: (u32, u32), from: usize, by: Input, behind: usize) {
        if self.known.insert(pair) {
            self.open[behind].push_back(self.found.len());
            self.found.push(PairFound { pair, from, by });
        }
    }

    fn not_compared(&self) -> [u64; 2] {
        let count = |machine: &Machine, compared: &HashSet<_>| {
            let all = u64::from(machine.states()) * machine.inputs().len() as u64;
            all - compared.len() as u64
        };
        let [first, second] = &self.compared;
        [count(self.machines.0, first), count(self.machines.1, second)]
    }

    /// The word that leads to a pair, followed by `last`.
    fn word(&self, mut at: usize, last: Input) -> Vec<String> {
        let mut word = vec![last];
        while at != 0 {
            let PairFound { from, by, .. } = self.found[at];
            word.push(by);
            at = from;
        }
        word.iter().rev().map(|&input| self.machines.0.input_name(input).to_owned()).collect()
    }
}

/// The targets of two transitions, if neither is a guess.
fn targets(first: Transition, second: Transition) -> Option<(u32, u32)> {
    (!first.is_open && !second.is_open).then_some((first.target, second.target))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, lamp, random};
    use super::super::{Builder, separate};
    use super::*;

    /// The outputs of a machine on a word.
    fn outputs<'m>(machine: &'m Machine, word: &[String]) -> Vec<&'m str> {
        let mut state = machine.initial();
        let step = |name: &String| {
            let input = machine.find_input(name).expect("it has this input");
            let (next, output) = machine.expect_transition(state, input);
            state = next;
            machine.output_name(output)
        };
        word.iter().map(step).collect()
    }

    /// All words of at most `len` inputs, shorter ones first.
    fn words(machine: &Machine, len: usize) -> Vec<Vec<String>> {
        let mut words = vec![Vec::new()];
        let mut at = 0;
        while at < words.len() {
            if words[at].len() < len {
                for input in machine.inputs() {
                    words.push([&words[at][..], std::slice::from_ref(input)].concat());
                }
            }
            at += 1;
        }
        words
    }

    /// The machine with some of its transitions changed.
    fn mutated(machine: &Machine, source: &mut Random) -> Machine {
        let changed = source.below(3);
        let mut transitions: Vec<_> = machine
            .named_transitions()
            .map(|(from, input, to, output)| (from, input.to_owned(), to, output.to_owned()))
            .collect();
        let len = u32::try_from(transitions.len()).expect("few");
        for _ in 0..changed {
            let (_, _, to, output) = &mut transitions[source.below(len) as usize];
            match source.below(2) {
                0 => *to = source.below(machine.states()),
                _ => *output = format!("o{}", source.below(4)),
            }
        }
        let mut builder = Builder::default();
        for (from, input, to, output) in &transitions {
            builder.add(*from, input, *to, output).expect("new");
        }
        builder.build(machine.initial()).expect("complete")
    }

    #[test]
    fn mutants_differ_where_brute_force_says() {
        let mut source = Random::new(31);
        let (mut equal, mut several, mut behind) = (0, 0, 0);
        for _ in 0..300 {
            let first = random(&mut source, 5, 2, 3).minimise();
            let second = mutated(&first, &mut source);
            let found = differences(&first, &second, usize::MAX);
            assert_eq!(found.cut, None);
            assert_eq!(found.is_empty(), separate(&first, &second) == Ok(None));
            // The shortest word to each transition of the first machine that ends in the word's
            // first difference.
            let mut expected = std::collections::HashMap::new();
            for word in words(&first, 9).iter().filter(|word| !word.is_empty()) {
                let (one, other) = (outputs(&first, word), outputs(&second, word));
                let last = word.len() - 1;
                if one[..last] == other[..last] && one[last] != other[last] {
                    let mut state = first.initial();
                    for name in &word[..last] {
                        let input = first.find_input(name).expect("known");
                        state = first.expect_transition(state, input).0;
                    }
                    expected.entry((state, word[last].clone())).or_insert(word.len());
                }
            }
            let mut expected: Vec<_> = expected.into_values().collect();
            expected.sort_unstable();
            let plain = found.places.iter().filter(|place| !place.is_behind_another);
            let lens: Vec<_> = plain.map(|place| place.word.len()).collect();
            assert_eq!(lens, expected);
            for place in &found.places {
                let (one, other) = (outputs(&first, &place.word), outputs(&second, &place.word));
                let last = place.word.len() - 1;
                assert_eq!((one[last], other[last]), (&*place.first, &*place.second));
                assert_eq!(place.is_behind_another, one[..last] != other[..last]);
                behind += u32::from(place.is_behind_another);
            }
            equal += u32::from(found.places.is_empty());
            several += u32::from(found.places.len() > 1);
        }
        assert!(equal > 20 && several > 20 && behind > 20, "{equal} {several} {behind}");
    }

    /// The machine with some of its transitions made open or unknown.
    fn hidden(machine: &Machine, source: &mut Random) -> Machine {
        let mut builder = Builder::default();
        // The first edge names all inputs, even those of transitions left out.
        for (from, input, to, output) in machine.named_transitions() {
            match source.below(5) {
                0 if from > 0 => {}
                1 => builder.add_open(from, input, to, output).expect("new"),
                _ => builder.add(from, input, to, output).expect("new"),
            }
        }
        builder.build_partial(machine.initial()).minimise()
    }

    /// The last state and output of a machine on a word. `None` unless all transitions before the
    /// last are confirmed and the last is known.
    fn end<'m>(machine: &'m Machine, word: &[String]) -> Option<(u32, &'m str)> {
        let (last, way) = word.split_last().expect("an input");
        let input = |name: &String| machine.find_input(name).expect("it has this input");
        let mut state = machine.initial();
        for name in way {
            let known = machine.transition(state, input(name))?;
            state = (!known.is_open).then_some(known.target)?;
        }
        let known = machine.transition(state, input(last))?;
        Some((state, machine.output_name(known.output)))
    }

    #[test]
    fn what_is_not_known_is_no_difference() {
        let mut source = Random::new(32);
        let (mut different, mut without) = (0, 0);
        for _ in 0..500 {
            let whole = random(&mut source, 3, 2, 3).minimise();
            if whole.states() < 2 {
                continue;
            }
            let first = hidden(&whole, &mut source);
            let same = differences(&first, &hidden(&whole, &mut source), usize::MAX);
            assert_eq!(same.places, [], "two views of one machine");

            let second = hidden(&mutated(&whole, &mut source), &mut source);
            let found = differences(&first, &second, usize::MAX);
            let mut compared = [HashSet::new(), HashSet::new()];
            let mut differs = HashSet::new();
            for word in words(&first, 9).iter().filter(|word| !word.is_empty()) {
                let Some((one, other)) = end(&first, word).zip(end(&second, word)) else {
                    continue;
                };
                let last = &word[word.len() - 1];
                compared[0].insert((one.0, last.clone()));
                compared[1].insert((other.0, last.clone()));
                if one.1 != other.1 {
                    differs.insert((one.0, last.clone()));
                }
            }
            let all = [&first, &second].map(|machine| machine.states() as usize * 2);
            let expected = [0, 1].map(|at| (all[at] - compared[at].len()) as u64);
            assert_eq!(found.not_compared, Some(expected));
            assert_eq!(found.is_complete(), expected == [0, 0]);
            let place = |place: &Difference| {
                let (state, output) = end(&first, &place.word).expect("known");
                assert_eq!(
                    (output, &*place.second),
                    (&*place.first, end(&second, &place.word).expect("known").1)
                );
                (state, place.word[place.word.len() - 1].clone())
            };
            assert_eq!(found.places.iter().map(place).collect::<HashSet<_>>(), differs);
            different += u32::from(!differs.is_empty());
            without += u32::from(found.is_empty() && !found.is_complete());
        }
        assert!(different > 50 && without > 50, "{different} {without}");
    }

    #[test]
    fn the_limit_is_exact() {
        let mut dark = Builder::default();
        for (from, input, to, output) in lamp().named_transitions() {
            dark.add(from, input, to, &format!("not {output}")).expect("new");
        }
        let dark = dark.build(0).expect("complete");
        let all = differences(&lamp(), &dark, 4);
        assert_eq!((all.places.len(), all.cut), (4, None));
        let some = differences(&lamp(), &dark, 3);
        assert_eq!((some.places.len(), some.cut), (3, Some(Cut::Places)));
        assert_eq!(some.places[..], all.places[..3]);
        let least = differences(&lamp(), &dark, 0);
        assert_eq!(
            (least.places.len(), least.is_empty(), least.verdict()),
            (1, false, "DIFFERENT")
        );
    }

    /// A ring of these states, whose last step has another output.
    fn ring(states: u32) -> Builder {
        let mut builder = Builder::default();
        for state in 0..states {
            let output = if state + 1 == states { "turn" } else { "step" };
            builder.add(state, "go", (state + 1) % states, output).expect("new");
        }
        builder
    }

    #[test]
    fn a_comparison_that_is_cut_before_a_difference_is_not_equal() {
        let rings = [7, 8].map(|states| ring(states).build(0).expect("complete"));
        let found = compare(&rings[0], &rings[1], 9, 3);
        assert_eq!((found.places.len(), found.cut), (1, Some(Cut::Pairs)));
        assert_eq!(found.places, compare(&rings[0], &rings[1], 1, 100).places);
        assert!(found.early_end().is_some_and(|said| said.starts_with("There may be more; ")));
        assert_eq!(compare(&rings[0], &rings[0], 9, 3).verdict(), "Equal");

        // With gaps, only a walk over all pairs of states can tell.
        let partial = [7, 8].map(|states| {
            let mut builder = ring(states);
            builder.add(0, "look", 0, "here").expect("new");
            builder.build_partial(0)
        });
        let found = compare(&partial[0], &partial[1], 9, 3);
        assert_eq!((found.verdict(), found.is_empty()), ("NOT DECIDED", false));
        assert!(found.is_undecided() && !found.is_complete());
        let said = found.early_end().expect("it was cut");
        assert!(
            said.starts_with("No difference was found so far; the comparison stopped"),
            "{said}"
        );
        assert_eq!(compare(&partial[0], &partial[1], 9, 100).verdict(), "DIFFERENT");
    }

    #[test]
    fn inputs_of_only_one_are_named_and_the_others_compared() {
        let mut other = Builder::default();
        for (from, input, to, output) in lamp().named_transitions() {
            let output = if input == "press" { output } else { "never" };
            other.add(from, input.strip_prefix("ho").unwrap_or(input), to, output).expect("new");
        }
        let found = differences(&lamp(), &other.build(0).expect("complete"), 9);
        assert_eq!((found.only_first, found.only_second), (vec!["hold".into()], vec!["ld".into()]));
        assert_eq!(found.places, []);
        let nothing = Builder::default().build(0).expect("a state");
        assert_eq!(differences(&lamp(), &nothing, 9).only_first, ["press", "hold"]);
    }
}
