//! How often a device is wrong, and how many answers that agree are enough.
//!
//! This is Wald's sequential test (Abraham Wald, *Sequential Tests of Statistical Hypotheses*, The
//! Annals of Mathematical Statistics 16, 1945) for each place of the tree: an answer is asked for
//! until it is ahead of the others by so many votes that it is wrong too rarely to matter. If an
//! answer is wrong with probability `p`, independent of others, a lead of `k` votes is wrong with a
//! probability of about `p^k`.
//!
//! Outputs differ in how much they are worth. Noise makes outputs that the device itself does not
//! have: bytes are lost and changed, answers cut off. So how often an output was wrong is counted
//! for each one, and an output that never came twice in one place is as doubtful as such outputs
//! are on this device. The first vote of an answer is wrong as often as its output, each further
//! vote as often as any.

use super::tree::{AnswerTree, NodeId, OutputCounts, OutputKinds};

/// Number of right answers to assume at the start, and of answers with an output that are wrong as
/// often as others. Without them, one wrong answer among the first few would look like a device that
/// is wrong half the time.
const PRIOR: f64 = 100.0;

/// A learner may be given answers of which so many are expected to be wrong: tests find out which.
const WRONG_WHILE_LEARNING: f64 = 0.3;

/// So many wrong answers are expected below a model when a run ends.
const WRONG_AT_END: f64 = 0.01;

/// A device that is wrong more often is beyond what asking again can settle.
const HOPELESS: f64 = 0.2;

/// Give up on a place once it has this many minority answers, they make up more than a quarter, and
/// chance explains that in less than one of [`PLACES`] places.
const MISTAKES: u64 = 4;
const PLACES: f64 = 1e7;

/// The rate of wrong answers of a device, from what it said and what the user knows about it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Noise {
    /// The rate that the user states; `None` if nobody knows.
    pub(super) stated: Option<f64>,
}

#[expect(clippy::cast_precision_loss, reason = "estimates")]
impl Noise {
    /// Whether the user says that the device is never wrong.
    fn is_none(self) -> bool {
        self.stated == Some(0.0)
    }

    /// The share of wrong answers: 0 as long as none was seen and none is stated.
    pub(super) fn rate(self, tree: &AnswerTree) -> f64 {
        self.rate_of(tree.strays(), tree.heard())
    }

    fn rate_of(self, strays: u64, heard: u64) -> f64 {
        let stated = self.stated.unwrap_or(0.0);
        (strays as f64 + stated * PRIOR) / (heard as f64 + PRIOR)
    }

    /// One of how many symbols is lost or wrong, where `lost` of `symbols` were lost in this session; `before` is what was
    /// measured last. `None` if the user states how often answers are wrong, or if it happened once at most, which may be
    /// chance.
    pub(super) fn symbols_per_fault(
        self,
        tree: &AnswerTree,
        (lost, symbols): (u64, u64),
        before: Option<u32>,
    ) -> Option<u32> {
        if self.stated.is_some() || tree.strays() + lost <= 1 {
            return None;
        }
        let before = before.map_or(0.0, |symbols| 1.0 / f64::from(symbols.max(1)));
        let rate = self.rate(tree) + (lost as f64 + before * PRIOR) / (symbols as f64 + PRIOR);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        Some((1.0 / rate) as u32)
    }

    /// The lead that this answer needs before a learner may rely on it, if it relies on so many.
    pub(super) fn need(self, tree: &AnswerTree, node: NodeId, answers: usize) -> u32 {
        lead(self.doubt(tree, node), self.rate(tree), answers, WRONG_WHILE_LEARNING)
    }

    /// The lead that this answer needs to be a difference from a model that nobody doubts: of all answers heard hardly one
    /// has it by chance.
    pub(super) fn difference(self, tree: &AnswerTree, node: NodeId) -> u32 {
        if self.is_none() {
            return 1;
        }
        let heard = tree.heard();
        let rate = match self.stated {
            Some(_) => self.rate(tree),
            // From few answers the rate cannot be told: it may be as high as this (the rule of three).
            None => (tree.strays() + 3) as f64 / heard.max(1) as f64,
        };
        let answers = usize::try_from(heard).unwrap_or(usize::MAX);
        lead(self.doubt(tree, node).max(rate), rate, answers, WRONG_AT_END).max(self.surprise())
    }

    /// How often the output of this answer is wrong.
    fn doubt(self, tree: &AnswerTree, node: NodeId) -> f64 {
        let OutputCounts { heard, strays, is_repeated } = tree.counts(node);
        let rate = self.rate(tree);
        let known = (strays as f64 + rate * PRIOR) / (heard as f64 + PRIOR);
        if is_repeated || rate == 0.0 {
            return known;
        }
        let OutputKinds { repeated, doubtful } = tree.kinds();
        known.max(f64::from(doubtful) / f64::from((repeated + doubtful).max(1)))
    }

    /// The number of votes that a transition of a model needs that has this many.
    pub(super) fn support(self, tree: &AnswerTree, transitions: usize) -> u32 {
        let rate = self.rate(tree);
        lead(rate, rate, transitions, WRONG_AT_END)
    }

    /// The lead that an answer needs that is a surprise: it contradicts the hypothesis or another
    /// answer.
    pub(super) fn surprise(self) -> u32 {
        if self.is_none() { 1 } else { 2 }
    }

    /// Whether asking again cannot settle this node's place, which deviated so often in a row.
    pub(super) fn is_hopeless(self, tree: &AnswerTree, node: NodeId, in_a_row: u32) -> bool {
        let mut votes: Vec<_> =
            tree.alternatives(node).map(|(_, votes)| u64::from(votes)).collect();
        votes.sort_unstable();
        let all: u64 = votes.iter().sum();
        let strays = all - votes.pop().unwrap_or(0);
        // Answers that are garbled on their way differ from each other.
        let rival = votes.pop().unwrap_or(0);
        // One more than elsewhere, so that a device that was never wrong elsewhere may be wrong.
        let elsewhere = self.rate_of(tree.strays().saturating_sub(strays) + 1, tree.heard() - all);
        let power = |times: u64| elsewhere.powi(i32::try_from(times).unwrap_or(i32::MAX));
        if u64::from(in_a_row) >= MISTAKES && power(in_a_row.into()) < 1.0 / PLACES {
            return true;
        }
        if strays < MISTAKES || strays <= all / 4 {
            return false;
        }
        let choose = (0..strays)
            .fold(1.0, |product, taken| product * (all - taken) as f64 / (taken + 1) as f64);
        let is_beyond = elsewhere > HOPELESS && rival >= MISTAKES && rival > all / 4;
        is_beyond || choose * power(strays) < 1.0 / PLACES
    }
}

/// The smallest lead with which at most `wrong` of the answers are expected to be wrong: their first
/// votes are so with the probability `first`, others with the probability `rate`.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn lead(first: f64, rate: f64, answers: usize, wrong: f64) -> u32 {
    let rate = rate.min(HOPELESS);
    let mut expected = answers as f64 * first;
    let mut lead = 1;
    while expected > wrong {
        expected *= rate;
        lead += 1;
    }
    lead
}

#[cfg(test)]
mod tests {
    use mealybug_core::Input;

    use super::*;

    const A: Input = Input::new(0);
    const B: Input = Input::new(1);

    /// The answers `right` and `wrong`, so many each, and many others that agree.
    fn tree(right: u32, wrong: u32, others: u32) -> (AnswerTree, NodeId) {
        let mut tree = AnswerTree::default();
        for _ in 0..others {
            tree.observe(NodeId::ROOT, B, b"x", 0);
        }
        let node = tree.observe(NodeId::ROOT, A, b"right", 0).node;
        for _ in 1..right {
            tree.observe(NodeId::ROOT, A, b"right", 0);
        }
        for _ in 0..wrong {
            tree.observe(NodeId::ROOT, A, b"wrong", 0);
        }
        (tree, node)
    }

    #[test]
    fn the_lead_follows_the_rate_and_the_number_of_answers() {
        let noise = Noise::default();
        let need = |right, wrong, answers| {
            let (tree, node) = tree(right, wrong, 10_000);
            noise.need(&tree, node, answers)
        };
        assert_eq!(need(100, 0, 1_000_000), 1, "it was never wrong");
        assert_eq!((need(100, 1, 1000), need(100, 10, 1000), need(100, 10, 10)), (1, 2, 1));
        assert_eq!((need(100, 10, 100_000), need(100, 50, 100_000)), (2, 3));
        let stated = Noise { stated: Some(0.05) };
        let stated = |others, answers| {
            let (tree, node) = tree(1, 0, others);
            stated.need(&tree, node, answers)
        };
        assert_eq!(stated(0, 100), 2, "before the second answer");
        assert_eq!(stated(1_000_000, 100), 1, "answers weigh more");
    }

    #[test]
    fn outputs_that_noise_makes_are_doubted_more() {
        let (mut tree, _) = tree(50, 0, 50);
        let noise = Noise::default();
        let after = tree.observe(NodeId::ROOT, A, b"right", 0).node;
        let new = |tree: &mut AnswerTree, output: &[u8]| {
            let node = tree.observe(after, A, output, 0).node;
            noise.need(tree, node, 10)
        };
        assert_eq!(new(&mut tree, b"new"), 1, "it was never wrong");
        for garbled in [&b"ri\xe7ht"[..], b"riight", b"righ\0"] {
            tree.observe(NodeId::ROOT, A, garbled, 0);
        }
        let other = tree.observe(after, B, b"newer", 0).node;
        assert_eq!(noise.need(&tree, other, 10), 2, "as doubtful as the garbled ones");
        let known = tree.observe(other, A, b"right", 0).node;
        assert_eq!(noise.need(&tree, known, 10), 1, "it is one of the device's");
    }

    #[test]
    fn a_place_that_contradicts_itself_more_often_than_chance_explains_is_hopeless() {
        let is_hopeless = |right, wrong, others| {
            let (tree, node) = tree(right, wrong, others);
            Noise::default().is_hopeless(&tree, node, 1)
        };
        assert!(is_hopeless(5, 5, 10_000), "a timer, or a reset that is none");
        assert!(!is_hopeless(5, 3, 10_000), "too early to say");
        assert!(!is_hopeless(100, 10, 10_000), "noise");
        let (often, node) = tree(100, 4, 200);
        assert!(Noise::default().is_hopeless(&often, node, 4), "something has changed");
        let (mut tree, node) = tree(5, 5, 1000);
        for _ in 0..100 {
            tree.observe(NodeId::ROOT, B, b"y", 0);
        }
        assert!(!Noise::default().is_hopeless(&tree, node, 1), "a device that is wrong often");
        for _ in 0..300 {
            tree.observe(NodeId::ROOT, B, b"y", 0);
        }
        assert!(Noise::default().is_hopeless(&tree, node, 1), "a device that is wrong too often");
    }
}
