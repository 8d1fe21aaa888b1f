//! Random numbers and machines that stay the same from version to version.

use mealybug::machine::{Builder, Machine};

/// SplitMix64: Steele, Lea & Flood, *Fast Splittable Pseudorandom Number Generators*, 2014.
///
/// Machines that were made with it are named by their seed alone, so it never changes; the generators
/// of libraries may.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`, by Lemire's multiplication; its bias is below `n / 2⁶⁴`.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        let product = (u128::from(self.next()) * u128::from(n)) >> 64;
        u32::try_from(product).expect("it is below n")
    }

    /// What is left of a machine of `states` states, each transition drawn uniformly, when it is minimal.
    pub(crate) fn machine(
        &mut self,
        states: u32,
        inputs: &[String],
        outputs: &[String],
    ) -> Machine {
        let mut builder = Builder::default();
        let count = u32::try_from(outputs.len()).expect("there are not so many names");
        for from in 0..states {
            for input in inputs {
                let to = self.below(states);
                let output = &outputs[self.below(count) as usize];
                builder.add(from, input, to, output).expect("each transition is added once");
            }
        }
        builder.build(0).expect("each state has each input").minimise()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers that the authors' code makes of the seed 1234567.
    #[test]
    fn it_is_splitmix64() {
        let mut random = SplitMix64::new(1_234_567);
        let numbers = [(); 3].map(|()| random.next());
        let published =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(numbers, published);
    }

    #[test]
    fn numbers_below_a_bound_are_all_there_is() {
        let mut random = SplitMix64::new(1);
        let mut counts = [0; 5];
        (0..5000).for_each(|_| counts[random.below(5) as usize] += 1);
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    }
}
