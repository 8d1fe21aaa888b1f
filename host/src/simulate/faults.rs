//! The faults of a simulated device and of the line to it.

use std::ops::RangeInclusive;
use std::time::Duration;

/// The faults of a simulated device and of the line to it. The default has none.
///
/// The numbers are probabilities per input, per line or per byte. The same seed gives the same
/// faults for the same questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    /// The seed of the random numbers.
    pub seed: u64,
    /// How long the device thinks about a line, at least and at most.
    pub delay: RangeInclusive<Duration>,
    /// An input is answered with a wrong output.
    pub wrong: f64,
    /// The device returns to its initial state before an input.
    pub reboot: f64,
    /// At a line, the device stops listening and answering,
    pub hang: f64,
    /// for this long.
    pub hang_time: Duration,
    /// A byte is lost, in either direction.
    pub drop: f64,
    /// A bit of a byte is flipped.
    pub flip: f64,
    /// A byte arrives twice.
    pub duplicate: f64,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            seed: 0,
            delay: Duration::ZERO..=Duration::ZERO,
            wrong: 0.0,
            reboot: 0.0,
            hang: 0.0,
            hang_time: Duration::MAX,
            drop: 0.0,
            flip: 0.0,
            duplicate: 0.0,
        }
    }
}

/// Decides when faults happen.
#[derive(Clone, Debug)]
pub(super) struct Injector {
    faults: Faults,
    rng: fastrand::Rng,
}

impl Default for Injector {
    fn default() -> Self {
        Self::new(Faults::default())
    }
}

impl Injector {
    pub(super) fn new(faults: Faults) -> Self {
        let rng = fastrand::Rng::with_seed(faults.seed);
        Self { faults, rng }
    }

    /// Whether the device loses its state now.
    pub(super) fn reboots(&mut self) -> bool {
        self.happens(self.faults.reboot)
    }

    /// Which of `outputs` outputs to send instead of `output`, or `output` itself.
    pub(super) fn said(&mut self, output: usize, outputs: usize) -> usize {
        if outputs < 2 || !self.happens(self.faults.wrong) {
            return output;
        }
        let other = self.rng.usize(..outputs - 1);
        if other < output { other } else { other + 1 }
    }

    /// For how long the device hangs, if it starts to hang now.
    pub(super) fn hangs(&mut self) -> Option<Duration> {
        self.happens(self.faults.hang).then_some(self.faults.hang_time)
    }

    /// How long the device thinks about its answer.
    pub(super) fn delay(&mut self) -> Duration {
        let (least, most) = (*self.faults.delay.start(), *self.faults.delay.end());
        if most > least { least + (most - least).mul_f64(self.rng.f64()) } else { least }
    }

    /// The bytes as they arrive at the other end.
    pub(super) fn carry(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut carried = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            if self.happens(self.faults.drop) {
                continue;
            }
            let flip = self.happens(self.faults.flip);
            let byte = if flip { byte ^ 1 << self.rng.u8(..8) } else { byte };
            let times = if self.happens(self.faults.duplicate) { 2 } else { 1 };
            carried.extend(std::iter::repeat_n(byte, times));
        }
        carried
    }

    fn happens(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.rng.f64() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_faults_nothing_happens() {
        let mut none = Injector::default();
        let bytes: Vec<u8> = (0..=255).collect();
        for _ in 0..100 {
            assert_eq!(none.carry(&bytes), bytes);
            assert!(!none.reboots() && none.hangs().is_none());
            assert_eq!((none.said(1, 3), none.delay()), (1, Duration::ZERO));
        }
    }

    #[test]
    fn each_fault_is_as_frequent_as_it_should_be() {
        let close = |count: usize, expected: usize| {
            assert!(count.abs_diff(expected) < expected / 10, "{count} of {expected}");
        };
        let sent = vec![b'a'; 100_000];
        let faults = Faults { seed: 1, drop: 0.1, ..Faults::default() };
        close(sent.len() - Injector::new(faults).carry(&sent).len(), 10_000);
        let faults = Faults { seed: 2, duplicate: 0.1, ..Faults::default() };
        close(Injector::new(faults).carry(&sent).len() - sent.len(), 10_000);
        let faults = Faults { seed: 3, flip: 0.1, ..Faults::default() };
        let carried = Injector::new(faults).carry(&sent);
        assert!(carried.iter().all(|byte| (byte ^ b'a').count_ones() < 2), "one bit of a byte");
        close(carried.iter().filter(|byte| **byte != b'a').count(), 10_000);
        let faults = Faults { seed: 4, wrong: 0.1, ..Faults::default() };
        let mut wrong = Injector::new(faults);
        let said: Vec<_> = (0..100_000).map(|_| wrong.said(1, 3)).collect();
        close(said.iter().filter(|output| **output == 0).count(), 5_000);
        close(said.iter().filter(|output| **output == 2).count(), 5_000);
    }

    #[test]
    fn the_same_seed_gives_the_same_faults() {
        let carried = |seed| {
            let faults = Faults { seed, flip: 0.5, drop: 0.1, ..Faults::default() };
            Injector::new(faults).carry(&[0; 100])
        };
        assert_eq!(carried(7), carried(7));
        assert_ne!(carried(7), carried(8));
    }

    #[test]
    fn a_delay_is_between_its_ends() {
        let [least, most] = [2, 5].map(Duration::from_millis);
        let mut slow = Injector::new(Faults { delay: least..=most, ..Faults::default() });
        let delays: Vec<_> = (0..1000).map(|_| slow.delay()).collect();
        assert!(delays.iter().all(|delay| (least..=most).contains(delay)));
        assert!(delays.iter().any(|delay| *delay > least + (most - least) / 2));
        assert!(delays.iter().any(|delay| *delay < least + (most - least) / 2));
    }
}
