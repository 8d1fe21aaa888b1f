//! How long a tree learner needs until its next hypothesis, at the pace of the last transitions.
//!
//! A transition takes two steps: it is asked, and its target is confirmed. New states bring new
//! transitions, so this is a lower bound that grows with each state that is found.

use std::time::{Duration, Instant};

use mealybug::duration_text;
use mealybug_core::{Progress, Purpose};

/// The pace is that of a stretch of at least so many steps...
const STRETCH_STEPS: u64 = 20;
/// ...and so much time.
const STRETCH: Duration = Duration::from_secs(5);
/// There is no estimate before so many steps.
const MIN_STEPS: u64 = 10;

/// Estimates how long it takes until the next hypothesis.
#[derive(Debug, Default)]
pub(crate) struct TimeLeft {
    /// The beginnings of the last two stretches. The pace is measured from the first one on.
    stretches: Option<[Milestone; 2]>,
    seconds_per_step: Option<f64>,
    seconds: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Milestone {
    at: Instant,
    done: u64,
}

impl TimeLeft {
    /// The run stands so now. Answers that are known already (`is_replay`) take no time and say
    /// nothing about the pace.
    pub(crate) fn update(&mut self, at: Instant, progress: &Progress, is_replay: bool) {
        self.seconds = None;
        let is_learning = progress.purpose == Purpose::Learning && !is_replay;
        let Some(basis) = progress.tree.filter(|_| is_learning) else {
            self.stretches = None;
            return;
        };
        let left = 2 * u64::from(basis.unknown) + u64::from(basis.open);
        let now = Milestone { at, done: (2 * u64::from(basis.transitions)).saturating_sub(left) };
        let [first, last] = *self.stretches.get_or_insert([now; 2]);
        // A counterexample or a new state opens transitions again.
        if now.done < first.done {
            self.stretches = Some([now; 2]);
        } else {
            let (steps, time) = now.since(first);
            if steps >= MIN_STEPS {
                self.seconds_per_step = Some(time.as_secs_f64() / as_f64(steps));
            }
            let (steps, time) = now.since(last);
            if steps >= STRETCH_STEPS && time >= STRETCH {
                self.stretches = Some([last, now]);
            }
        }
        self.seconds = self.seconds_per_step.filter(|_| left > 0).map(|pace| pace * as_f64(left));
    }

    /// Seconds until the next hypothesis, if there is a pace to tell them from.
    pub(crate) fn seconds(&self) -> Option<f64> {
        self.seconds
    }

    /// The same in words, unless it is too short to be read.
    pub(crate) fn text(&self) -> Option<String> {
        let time = duration_text::estimate(self.seconds?)?;
        Some(format!("at least {time} to the next hypothesis"))
    }
}

impl Milestone {
    /// Steps and time since another one.
    fn since(self, earlier: Self) -> (u64, Duration) {
        let steps = self.done.saturating_sub(earlier.done);
        (steps, self.at.saturating_duration_since(earlier.at))
    }
}

fn as_f64(steps: u64) -> f64 {
    f64::from(u32::try_from(steps).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use mealybug_core::{Options, Session, TreeProgress};

    use super::*;

    fn learning(transitions: u32, open: u32, unknown: u32) -> Progress {
        let session = Session::new(vec![0; 1024], 2, Options::default()).expect("there is room");
        let mut basis = TreeProgress::default();
        (basis.transitions, basis.open, basis.unknown) = (transitions, open, unknown);
        let mut progress = session.progress();
        progress.tree = Some(basis);
        progress
    }

    fn testing(transitions: u32) -> Progress {
        let mut progress = learning(transitions, 0, 0);
        progress.purpose = Purpose::Testing;
        progress
    }

    #[test]
    fn what_is_left_takes_as_long_as_the_last_stretch() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut left = TimeLeft::default();
        left.update(at(0), &learning(100, 0, 100), false);
        assert_eq!((left.seconds(), left.text()), (None, None));
        left.update(at(8), &learning(100, 8, 92), false);
        assert_eq!(left.seconds(), None, "eight steps say nothing");
        // 10 transitions asked, half of them confirmed: 15 steps in 15 s; 185 are left.
        left.update(at(15), &learning(100, 5, 90), false);
        assert_eq!(left.seconds(), Some(185.0));
        assert_eq!(left.text().as_deref(), Some("at least 3 min to the next hypothesis"));
        // A new state: more is left, at the same pace.
        left.update(at(15), &learning(110, 5, 100), false);
        assert_eq!(left.seconds(), Some(205.0));
        // Then it goes ten times as slowly. The pace is that of this stretch and the one before it.
        left.update(at(20), &learning(110, 0, 100), false);
        left.update(at(220), &learning(110, 0, 90), false);
        left.update(at(420), &learning(110, 0, 80), false);
        assert_eq!(left.seconds(), Some(10.0 * 160.0));
        left.update(at(430), &learning(110, 0, 0), false);
        assert_eq!((left.seconds(), left.text()), (None, None));
    }

    #[test]
    fn neither_tests_nor_known_answers_count() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut left = TimeLeft::default();
        left.update(at(0), &learning(100, 0, 100), true);
        left.update(at(1), &learning(100, 0, 50), true);
        assert_eq!(left.seconds(), None);
        left.update(at(2), &learning(100, 0, 50), false);
        left.update(at(52), &learning(100, 0, 25), false);
        assert_eq!(left.seconds(), Some(50.0));
        left.update(at(77), &testing(100), false);
        left.update(at(5000), &testing(100), false);
        assert_eq!(left.seconds(), None);
        // A test has found something.
        left.update(at(5001), &learning(100, 3, 10), false);
        assert_eq!(left.seconds(), Some(23.0));
        left.update(at(5013), &learning(100, 1, 5), false);
        assert_eq!(left.seconds(), Some(11.0));
        // A table has none.
        let mut table = learning(100, 3, 10);
        table.tree = None;
        left.update(at(5014), &table, false);
        assert_eq!(left.seconds(), None);
    }
}
