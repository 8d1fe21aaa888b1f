//! Costs, counted by the rules of published figures.
//!
//! The experiments of Koenders & Moerman, *Output-decomposed Learning of Mealy Machines*, 2024, put
//! a cache before the learner and another before the tests. A word that its cache knows, or that is
//! a prefix of one, costs nothing; any other costs a query and its whole length.

use mealybug_core::{Costs, Input, Purpose};
use rustc_hash::FxHashMap;

/// The costs so far, by the rules of the published figures. Queries are counted as resets.
#[derive(Clone, Debug, Default)]
pub struct PublishedCosts {
    learning: Cache,
    testing: Cache,
}

impl PublishedCosts {
    /// Counts a word that is asked for this purpose.
    pub fn ask(&mut self, purpose: Purpose, word: impl Iterator<Item = Input>) {
        match purpose {
            Purpose::Learning => self.learning.ask(word),
            Purpose::Testing => self.testing.ask(word),
        }
    }

    /// What learning cost.
    pub fn learning(&self) -> Costs {
        self.learning.costs
    }

    /// What testing cost.
    pub fn testing(&self) -> Costs {
        self.testing.costs
    }

    /// The number of symbols in the known words; a common prefix counts once.
    pub fn known_symbols(&self) -> usize {
        self.learning.edges.len() + self.testing.edges.len()
    }
}

/// Words in a prefix tree, rooted at node 0: each node and input map to the next node.
#[derive(Clone, Debug, Default)]
struct Cache {
    edges: FxHashMap<(u32, Input), u32>,
    costs: Costs,
}

impl Cache {
    fn ask(&mut self, word: impl Iterator<Item = Input>) {
        let known = self.edges.len();
        let (mut node, mut len) = (0, 0);
        for input in word {
            let new = u32::try_from(self.edges.len() + 1).expect("memory ends before 2^32 nodes");
            node = *self.edges.entry((node, input)).or_insert(new);
            len += 1;
        }
        if self.edges.len() > known {
            self.costs.resets += 1;
            self.costs.symbols += len;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_words_cost_something_and_then_all_of_it() {
        let mut costs = PublishedCosts::default();
        let mut ask = |purpose, word: &[u32]| {
            costs.ask(purpose, word.iter().copied().map(Input::new));
            (costs.learning(), costs.testing())
        };
        let costs = |resets, symbols| Costs { resets, symbols };
        let (learning, testing) = (Purpose::Learning, Purpose::Testing);
        assert_eq!(ask(learning, &[0, 1, 0]), (costs(1, 3), costs(0, 0)));
        assert_eq!(ask(learning, &[0, 1]), (costs(1, 3), costs(0, 0)), "a prefix");
        assert_eq!(ask(learning, &[0, 1, 0]), (costs(1, 3), costs(0, 0)), "the same");
        assert_eq!(ask(learning, &[0, 1, 1]), (costs(2, 6), costs(0, 0)), "another end");
        assert_eq!(ask(testing, &[0, 1, 1]), (costs(2, 6), costs(1, 3)), "a cache of its own");
        assert_eq!(ask(learning, &[1, 0]), (costs(3, 8), costs(1, 3)), "no prefix of one");
        assert_eq!(ask(learning, &[]), (costs(3, 8), costs(1, 3)), "nothing");
    }
}
