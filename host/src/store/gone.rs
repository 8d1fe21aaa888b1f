//! Words whose first answer came once and never again.
//!
//! A device that changes for good, such as a fuse or a file that no reset clears, answers a word in one way for the first time and
//! in another way ever after. The first answer is outvoted, just as if it had been garbled: from one such word alone the two cannot be
//! told apart. Noise also hits words that were asked before, and then this module says nothing.

use super::tree::{AnswerTree, NodeId};

/// The believed answers of all words whose first answer came once and was followed by one other answer only. Empty if
/// a word was contradicted in any other way.
///
/// Two answers that both end the connection say nothing of the reset: what a device says right before it closes may be
/// lost, and the rest is another answer.
///
/// # Cost
/// A look at each answer.
pub fn gone_answers(tree: &AnswerTree) -> Vec<NodeId> {
    if tree.strays() == 0 {
        return Vec::new();
    }
    let is_cut = |node: NodeId| tree.ring(node).all(|answer| tree.has_end(answer));
    let is_contested = |&node: &NodeId| {
        tree.is_believed(node) && tree.alternatives(node).nth(1).is_some() && !is_cut(node)
    };
    let is_gone = |&node: &NodeId| {
        let mut others = tree.ring(node).skip(1);
        let first = others.next();
        first.is_some_and(|first| first < node && tree.votes(first) == 1) && others.next().is_none()
    };
    let (gone, other): (Vec<_>, Vec<_>) = tree.nodes().filter(is_contested).partition(is_gone);
    if other.is_empty() { gone } else { Vec::new() }
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
        gone_answers(&tree).into_iter().map(|node| tree.word(node)).collect()
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
}
