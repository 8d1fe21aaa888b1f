//! What a reset and each input cost, by the times that they took.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::tree::AnswerTree;
use crate::mean_time::MeanTime;

/// If a reset and all inputs are faster than this, all have the same cost. Such a run is short
/// anyway, and with one seed it then asks the same words every time.
const SLOW: Duration = Duration::from_millis(100);

/// The largest cost. Beyond it, tests no longer change.
const PRICE_MAX: f64 = 1000.0;

/// An input takes at least this long: shorter times are not measured.
const SHORTEST: Duration = Duration::from_millis(1);

/// The costs of a reset and of each input, relative to an ordinary input, which costs 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// The cost of a reset.
    pub reset: u32,
    /// The cost of each input.
    pub inputs: Vec<u32>,
}

/// How long a reset and each input take, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    reset: Option<Duration>,
    inputs: Vec<Option<Duration>>,
}

impl Times {
    /// The times of a device with this number of inputs: of resets, and of the answers in a tree.
    pub(super) fn of(tree: &AnswerTree, reset: MeanTime, inputs: usize) -> Self {
        let mut means = vec![MeanTime::default(); inputs];
        for node in tree.nodes() {
            let (_, input) = tree.origin(node);
            means[input.index() as usize].add(Duration::from_millis(tree.longest_ms(node).into()));
        }
        Self { reset: reset.value(), inputs: means.iter().map(MeanTime::value).collect() }
    }

    /// What a reset and each input cost; `None` if nothing is slow, or if the time of a reset or of all inputs is not known. A
    /// reset that this run has not measured costs what it did `before`.
    ///
    /// An ordinary input takes as long as inputs of tests on average, where one that takes `t` is drawn in proportion to
    /// `1/√t`.
    pub(super) fn prices(&self, before: Option<&Prices>) -> Option<Prices> {
        let known = self.inputs.iter().flatten();
        let slowest = known.clone().chain(&self.reset).max()?;
        let roots = known.map(|&time| time.max(SHORTEST).as_secs_f64().sqrt());
        let (roots, reciprocals) =
            roots.fold((0.0, 0.0), |(roots, sum), root| (roots + root, sum + 1.0 / root));
        if *slowest < SLOW || reciprocals == 0.0 {
            return None;
        }
        let unit = roots / reciprocals;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most PRICE_MAX"
        )]
        let price = |time: Duration| (time.as_secs_f64() / unit).round().min(PRICE_MAX) as u32;
        let reset = self.reset.map(price).or(before.map(|before| before.reset))?;
        let inputs = self.inputs.iter().map(|time| time.map_or(1, price).max(1)).collect();
        Some(Prices { reset, inputs })
    }
}

#[cfg(test)]
mod tests {
    use mealybug_core::Input;

    use super::*;
    use crate::store::tree::NodeId;

    fn times(reset_ms: impl Into<Option<u64>>, inputs_ms: &[u64]) -> Times {
        let inputs = inputs_ms.iter().map(|&ms| Some(Duration::from_millis(ms))).collect();
        Times { reset: reset_ms.into().map(Duration::from_millis), inputs }
    }

    fn some(reset: u32, inputs: &[u32]) -> Option<Prices> {
        Some(Prices { reset, inputs: inputs.to_vec() })
    }

    #[test]
    fn prices_are_times_beside_an_ordinary_input() {
        let prices = |reset: u64, inputs: &[u64]| times(reset, inputs).prices(None);
        // The second input is drawn a fourth as often as the others: 3¼ inputs take 3 · 20 ms + ¼ · 320 ms.
        assert_eq!(prices(4308, &[20, 320, 20, 20]), some(100, &[1, 7, 1, 1]));
        assert_eq!(prices(0, &[10, 160]), some(0, &[1, 4]), "a free reset");
        assert_eq!(prices(3_600_000, &[0, 0]), some(1000, &[1, 1]), "limited");
        assert_eq!(prices(100, &[50]), some(2, &[1]), "just slow enough");
        assert_eq!(prices(99, &[99]), None, "nothing to save");
        // An input that takes no time is taken for one of 1 ms: 1 1/10 inputs take 1 ms + 1/10 · 100 ms.
        assert_eq!(prices(100, &[0, 100]), some(10, &[1, 10]));
    }

    #[test]
    fn what_was_not_measured_costs_as_before_or_as_an_ordinary_input() {
        assert_eq!(Times::default().prices(None), None);
        let two =
            Times { inputs: vec![Some(Duration::from_millis(100)), None], ..times(1000, &[]) };
        assert_eq!(two.prices(None), some(10, &[1, 1]));
        let before = some(7, &[3, 3]);
        assert_eq!(two.prices(before.as_ref()), some(10, &[1, 1]), "it was measured again");
        let resumed = Times { reset: None, ..two };
        assert_eq!(resumed.prices(before.as_ref()), some(7, &[1, 1]));
        assert_eq!(resumed.prices(None), None, "a reset may cost anything");
        assert_eq!(times(1000, &[]).prices(None), None, "beside what?");
    }

    #[test]
    fn inputs_take_what_their_answers_took() {
        let mut tree = AnswerTree::default();
        let [slow, fast] = [0, 1].map(Input::new);
        let first = tree.observe(NodeId::ROOT, slow, b"a", 300).node;
        tree.observe(first, slow, b"a", 500);
        tree.observe(first, fast, b"b", 4);
        let mut reset = MeanTime::default();
        reset.add(Duration::from_secs(2));
        let times = Times::of(&tree, reset, 3);
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!((times.reset, times.inputs), (ms(2000), vec![ms(400), ms(4), None]));
    }
}
