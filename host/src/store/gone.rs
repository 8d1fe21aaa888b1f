//! Words that the device answered in one way at first, and in another way ever after.
//!
//! A device that changes for good answers like this: it has a fuse, or a file that no reset clears. Its first answers are outvoted as
//! if they had been garbled. One such word alone could be either. Noise also changes later answers of words. If it does, a word is
//! reported only if its order of answers is unlikely to be chance.

use super::tree::{AnswerTree, NodeId};

/// The chance of a false report in a run with noise.
const CHANCE: f64 = 0.05;

/// A word that the device does not answer any more as it did at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoneAnswer {
    /// The first answer.
    pub first: NodeId,
    /// The answer ever since, which is believed.
    pub now: NodeId,
}

/// All words whose believed answer came only after all other answers. If a word was contradicted in another way, there is noise:
/// then only the words whose order of answers is unlikely to be chance.
///
/// Two answers that both end the connection say nothing of the reset: what a device says right before it closes may be
/// lost, and the rest is another answer.
///
/// # Cost
/// A look at each answer.
pub fn gone_answers(tree: &AnswerTree) -> Vec<GoneAnswer> {
    if tree.strays() == 0 {
        return Vec::new();
    }
    let is_cut = |node: NodeId| tree.ring(node).all(|answer| tree.has_end(answer));
    let is_contested = |&node: &NodeId| {
        tree.is_believed(node) && tree.alternatives(node).nth(1).is_some() && !is_cut(node)
    };
    let is_gone = |&node: &NodeId| {
        tree.ring(node).all(|answer| answer <= node && !tree.has_come_back(answer))
    };
    let (gone, other): (Vec<_>, Vec<_>) = tree.nodes().filter(is_contested).partition(is_gone);
    let contested = u32::try_from(gone.len() + other.len()).unwrap_or(u32::MAX);
    // The Bonferroni correction: each contested word is a chance of such an order.
    let is_chance = |&node: &NodeId| chance(tree, node) * f64::from(contested) > CHANCE;
    let first = |now| tree.ring(now).min().unwrap_or(now);
    gone.into_iter()
        .filter(|node| other.is_empty() || !is_chance(node))
        .map(|now| GoneAnswer { first: first(now), now })
        .collect()
}

/// The chance that all other answers come before the first one that is believed, if each order of them is as likely.
fn chance(tree: &AnswerTree, believed: NodeId) -> f64 {
    let others: u32 = tree.ring(believed).skip(1).map(|other| tree.votes(other)).sum();
    let all = others.saturating_add(tree.votes(believed));
    (0..others).map(|at| f64::from(others - at) / f64::from(all - at)).product()
}

#[cfg(test)]
mod tests {
    use mealybug_core::Input;

    use super::*;

    const A: Input = Input::new(0);

    /// The words whose first answers are gone, if the first input is answered so and then the second one.
    fn gone(first: &[&str], second: &[&str]) -> Vec<Vec<Input>> {
        let mut tree = AnswerTree::default();
        for output in first {
            tree.observe(NodeId::ROOT, A, output.as_bytes(), 0);
        }
        let after = tree.answer(NodeId::ROOT, A).expect("an answer");
        for output in second {
            tree.observe(after, A, output.as_bytes(), 0);
        }
        gone_answers(&tree).into_iter().map(|word| tree.word(word.now)).collect()
    }

    #[test]
    fn what_was_lost_before_the_connection_ended_is_no_doubt() {
        for is_first_at_an_end in [true, false] {
            let mut tree = AnswerTree::default();
            let closed = tree.intern(b"closed");
            for (output, is_at_an_end) in
                [("closed", is_first_at_an_end), ("bye", true), ("bye", true)]
            {
                let node = tree.observe(NodeId::ROOT, A, output.as_bytes(), 0).node;
                if is_at_an_end {
                    tree.end(node, closed);
                }
            }
            assert_eq!(gone_answers(&tree).is_empty(), is_first_at_an_end);
        }
    }

    #[test]
    fn an_answer_that_came_first_and_never_again_is_told_from_noise() {
        let none: [Vec<Input>; 0] = [];
        assert_eq!(gone(&["on", "on"], &["x"]), none);
        assert_eq!(gone(&["safe", "bang", "bang"], &["x"]), [[A]]);
        assert_eq!(gone(&["safe", "bang", "bang"], &["safe", "x", "x"]), [vec![A], vec![A, A]]);
        // Noise came later, or made several answers.
        assert_eq!(gone(&["on", "off", "on"], &["x"]), none);
        assert_eq!(gone(&["safe", "bang", "bang"], &["x", "y", "x"]), none);
        assert_eq!(gone(&["a", "b", "b", "c"], &["x"]), none);
        assert_eq!(gone(&["a", "b", "b", "a", "b"], &["x"]), none, "it came again");
    }

    #[test]
    fn answers_that_came_a_few_times_and_never_again_are_gone() {
        let none: [Vec<Input>; 0] = [];
        assert_eq!(gone(&["done", "done", "no", "no", "no"], &["x"]), [[A]]);
        assert_eq!(gone(&["a", "b", "b", "c", "c", "c", "c"], &["x"]), [[A]]);
        assert_eq!(gone(&["done", "no", "done", "no", "no"], &["x"]), none);
        assert_eq!(gone(&["done", "done", "done", "no", "no"], &["x"]), none, "it is believed");
    }

    #[test]
    fn what_noise_can_make_is_no_doubt_where_there_is_noise() {
        let none: [Vec<Input>; 0] = [];
        let noisy = ["x", "y", "x"];
        let after = |first: usize, then: usize| {
            let said = [vec!["done"; first], vec!["no"; then]].concat();
            gone(&said, &noisy)
        };
        // One in n comes first by chance, and two words were contradicted: 2 / 41 and 2 / 40.
        assert_eq!(after(1, 40), [[A]]);
        assert_eq!(after(1, 38), none);
        // Two come first in one of n (n - 1) / 2 orders: 2 / 45, and 2 / 36.
        assert_eq!(after(2, 8), [[A]]);
        assert_eq!(after(2, 7), none);
    }

    #[test]
    fn the_first_of_several_answers_is_told() {
        let mut tree = AnswerTree::default();
        for output in ["a", "b", "c", "c", "c"] {
            tree.observe(NodeId::ROOT, A, output.as_bytes(), 0);
        }
        let [GoneAnswer { first, now }] = gone_answers(&tree)[..] else { panic!("none is gone") };
        assert_eq!((tree.output(first), tree.output(now)), (&b"a"[..], &b"c"[..]));
    }
}
