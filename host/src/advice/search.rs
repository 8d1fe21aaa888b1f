//! Words on which a hypothesis and an older model differ, shortest first.

use mealybug_core::{Hypothesis, Input, Mealy};
use rustc_hash::FxHashSet;

use super::answers::MatchedName;

/// The search stops after this many pairs of states, which take about 100 MB with a few components.
const MAX_PAIRS: usize = 1 << 20;

/// What an older model says about a transition.
#[derive(Clone, Copy, Debug)]
pub(super) struct OldTransition {
    /// Its output.
    pub(super) output: MatchedName,
    /// Where it leads; `None` if the older model only guesses.
    pub(super) target: Option<u32>,
}

/// A word whose last input shows a difference between the hypothesis and the older model.
#[derive(Clone, Debug)]
pub(super) struct DifferingWord {
    pub(super) word: Vec<Input>,
    /// The state of the older model before the last input, and that input.
    last: (u32, Input),
    /// What the older model says there.
    pub(super) output: MatchedName,
}

impl DifferingWord {
    /// The transition of the older model: its state and the input.
    pub(super) fn transition(&self) -> (u32, Input) {
        self.last
    }
}

/// A breadth-first search through pairs of states, one of the hypothesis and one of an older model.
/// It visits the pairs that words reach on which both agree, and resumes where it found the last
/// difference.
#[derive(Clone, Debug)]
pub(super) struct AdviceSearch {
    /// In the order in which they were found.
    pairs: Vec<StatePair>,
    seen: FxHashSet<(Box<[u32]>, u32)>,
    /// The pair and the input to look at next.
    next: (usize, u32),
}

#[derive(Clone, Debug)]
struct StatePair {
    /// A state of each component of the hypothesis.
    learned: Box<[u32]>,
    older: u32,
    /// The previous pair, and the input that leads from it to this one.
    from: (usize, Input),
}

impl AdviceSearch {
    /// Starts at the initial states of both.
    pub(super) fn new(hypothesis: Hypothesis<'_>, older: u32) -> Self {
        let initial = hypothesis.components().map(|c| c.initial());
        let mut search = Self { pairs: Vec::new(), seen: FxHashSet::default(), next: (0, 0) };
        search.add(initial.collect(), older, (0, Input::new(0)));
        search
    }

    fn add(&mut self, learned: Box<[u32]>, older: u32, from: (usize, Input)) {
        if self.pairs.len() < MAX_PAIRS && self.seen.insert((learned.clone(), older)) {
            self.pairs.push(StatePair { learned, older, from });
        }
    }

    /// The next word on which they differ. `claim` returns what the older model says, if it knows;
    /// `names` are the names of the hypothesis' outputs.
    pub(super) fn difference(
        &mut self,
        hypothesis: Hypothesis<'_>,
        names: &[MatchedName],
        claim: impl Fn(u32, Input) -> Option<OldTransition>,
    ) -> Option<DifferingWord> {
        while let Some(pair) = self.pairs.get(self.next.0) {
            let at = self.next.0;
            let input = Input::new(self.next.1);
            self.next = match self.next.1 + 1 < hypothesis.inputs() {
                true => (at, self.next.1 + 1),
                false => (at + 1, 0),
            };
            let Some(claim) = claim(pair.older, input) else { continue };
            let mut learned = pair.learned.clone();
            let output = hypothesis.step(&mut learned, input);
            let output = output.ok().map(|output| names[output.index() as usize]);
            if output != Some(claim.output) {
                let last = (pair.older, input);
                return Some(DifferingWord {
                    word: self.word(at, input),
                    last,
                    output: claim.output,
                });
            }
            if let Some(target) = claim.target {
                self.add(learned, target, (at, input));
            }
        }
        None
    }

    /// The word that leads to a pair, followed by `last`.
    fn word(&self, mut pair: usize, last: Input) -> Vec<Input> {
        let mut word = vec![last];
        while pair != 0 {
            let (before, by) = self.pairs[pair].from;
            word.push(by);
            pair = before;
        }
        word.reverse();
        word
    }
}
