//! The words that a check asks.

use mealybug_core::Input;

/// How long the words are that lead away from the initial state.
const LEN: usize = 6;

/// Each input alone, in their order, and as many longer words.
pub(super) fn words(inputs: usize) -> Vec<Vec<Input>> {
    let input = |number: usize| Input::new(u32::try_from(number).unwrap_or(u32::MAX));
    let alone = (0..inputs).map(|number| vec![input(number)]);
    let mut random = Random(1);
    let longer = (0..inputs).map(|_| (0..LEN).map(|_| input(random.below(inputs))).collect());
    alone.chain(longer).collect()
}

/// The order of a round: another one each time, so that each word comes after different ones.
pub(super) fn order(words: usize, round: u32) -> Vec<usize> {
    let mut order: Vec<_> = (0..words).collect();
    let mut random = Random(u64::from(round) + 1);
    for last in (1..words).rev() {
        order.swap(last, random.below(last + 1));
    }
    order
}

/// Numbers that are the same each time: a check can be repeated. SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let below = (z ^ (z >> 31)) % u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from(below).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_asks_all_words_in_an_order_of_its_own() {
        let words = words(4);
        assert_eq!(words.len(), 8);
        assert_eq!(words[3], [Input::new(3)]);
        assert!(words[4..].iter().all(|word| word.len() == LEN));
        let orders: Vec<_> = (0..3).map(|round| order(8, round)).collect();
        assert_ne!(orders[0], orders[1]);
        for mut order in orders {
            order.sort_unstable();
            assert_eq!(order, (0..8).collect::<Vec<_>>());
        }
    }
}
