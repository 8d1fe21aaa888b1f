//! How long it takes, at the pace so far: until a tree learner's next hypothesis, and until the last test.
//!
//! A transition takes two steps: it is asked, and its target is confirmed. New states bring new
//! transitions, so the time to a hypothesis is a lower bound that grows with each state that is found.
//! A test that finds a difference makes the learner go on: the time to the last test is what is left if none does.

use std::time::{Duration, Instant};

use mealybug::duration_text;
use mealybug::statistics::number;
use mealybug_core::{Progress, Purpose};

/// The pace is that of a stretch of at least so many steps...
const STRETCH_STEPS: u64 = 20;
/// ...and so much time.
const STRETCH: Duration = Duration::from_secs(5);
/// There is no estimate before so many steps.
const MIN_STEPS: u64 = 10;
/// If the tests have no end, say how long this many take.
const MORE_TESTS: u64 = 1000;

/// Estimates how long it takes until the next hypothesis, or until the last test.
#[derive(Debug, Default)]
pub(crate) struct TimeLeft {
    learning: StepPace,
    testing: StepPace,
    estimate: Option<(Goal, f64)>,
}

/// What the estimate leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Hypothesis,
    LastTest,
    MoreTests,
}

/// How long a step takes.
#[derive(Debug, Default)]
struct StepPace {
    /// The beginnings of the last two stretches. The pace is measured from the first one on.
    stretches: Option<[Milestone; 2]>,
    seconds_per_step: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Milestone {
    at: Instant,
    done: u64,
}

impl TimeLeft {
    /// The run stands so now, and `enough` tests in a row are its end, if any number is. Answers that are known already
    /// (`is_replay`) take no time and say nothing about the pace.
    pub(crate) fn update(
        &mut self,
        at: Instant,
        progress: &Progress,
        enough: Option<u64>,
        is_replay: bool,
    ) {
        let Self { learning, testing, .. } = self;
        let is_learning = progress.purpose == Purpose::Learning;
        let (pace, other) = if is_learning { (learning, testing) } else { (testing, learning) };
        other.interrupt();
        self.estimate = None;
        if is_replay {
            return pace.interrupt();
        }
        let (goal, done, left) = match (is_learning, progress.tree) {
            (true, Some(basis)) => {
                let left = 2 * u64::from(basis.unknown) + u64::from(basis.open);
                let done = (2 * u64::from(basis.transitions)).saturating_sub(left);
                (Goal::Hypothesis, done, left)
            }
            (true, None) => return pace.interrupt(),
            (false, _) => {
                let passed = progress.passing_tests;
                match enough {
                    Some(enough) => (Goal::LastTest, passed, enough.saturating_sub(passed)),
                    None => (Goal::MoreTests, passed, MORE_TESTS),
                }
            }
        };
        pace.update(Milestone { at, done });
        let seconds = pace.seconds_per_step.filter(|_| left > 0).map(|pace| pace * as_f64(left));
        self.estimate = seconds.map(|seconds| (goal, seconds));
    }

    /// Seconds until the next hypothesis or the last test, if there is a pace to tell them from.
    pub(crate) fn seconds(&self) -> Option<f64> {
        let estimate = self.estimate.filter(|(goal, _)| *goal != Goal::MoreTests);
        estimate.map(|(_, seconds)| seconds)
    }

    /// The same in words, unless it is too short to be read.
    pub(crate) fn text(&self) -> Option<String> {
        let (goal, seconds) = self.estimate?;
        let time = duration_text::estimate(seconds)?;
        Some(match goal {
            Goal::Hypothesis => format!("at least {time} to the next hypothesis"),
            Goal::LastTest => format!("about {time} left if no difference is found"),
            Goal::MoreTests => format!("about {time} for {} more", number(MORE_TESTS)),
        })
    }

    /// The same, and when `--max-time` ends the run, if that is sooner: in this time.
    pub(crate) fn text_until(&self, end: Option<Duration>) -> Option<String> {
        let (text, (_, left)) = (self.text()?, self.estimate?);
        let sooner = end.map(|end| end.as_secs_f64()).filter(|seconds| *seconds < left);
        let Some(seconds) = sooner else { return Some(text) };
        let time = match duration_text::estimate(seconds) {
            Some(time) => format!("about {time}"),
            None => "some seconds".to_owned(),
        };
        Some(format!("{text}; --max-time ends the run in {time}"))
    }
}

impl StepPace {
    /// So much is done now.
    fn update(&mut self, now: Milestone) {
        let [first, last] = *self.stretches.get_or_insert([now; 2]);
        // A counterexample or a new state opens transitions again.
        if now.done < first.done {
            self.stretches = Some([now; 2]);
            return;
        }
        let (steps, time) = now.since(first);
        if steps >= MIN_STEPS {
            self.seconds_per_step = Some(time.as_secs_f64() / as_f64(steps));
        }
        let (steps, time) = now.since(last);
        if steps >= STRETCH_STEPS && time >= STRETCH {
            self.stretches = Some([last, now]);
        }
    }

    /// Something else is done: its time is not that of these steps.
    fn interrupt(&mut self) {
        self.stretches = None;
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

    const ENOUGH: Option<u64> = Some(1000);

    fn learning(transitions: u32, open: u32, unknown: u32) -> Progress {
        let session = Session::new(vec![0; 1024], 2, Options::default()).expect("there is room");
        let mut basis = TreeProgress::default();
        (basis.transitions, basis.open, basis.unknown) = (transitions, open, unknown);
        let mut progress = session.progress();
        progress.tree = Some(basis);
        progress
    }

    fn testing(passing_tests: u64) -> Progress {
        let mut progress = learning(100, 0, 0);
        (progress.purpose, progress.passing_tests) = (Purpose::Testing, passing_tests);
        progress
    }

    #[test]
    fn what_is_left_takes_as_long_as_the_last_stretch() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut left = TimeLeft::default();
        left.update(at(0), &learning(100, 0, 100), ENOUGH, false);
        assert_eq!((left.seconds(), left.text()), (None, None));
        left.update(at(8), &learning(100, 8, 92), ENOUGH, false);
        assert_eq!(left.seconds(), None, "eight steps say nothing");
        // 10 transitions asked, half of them confirmed: 15 steps in 15 s; 185 are left.
        left.update(at(15), &learning(100, 5, 90), ENOUGH, false);
        assert_eq!(left.seconds(), Some(185.0));
        assert_eq!(left.text().as_deref(), Some("at least 3 min to the next hypothesis"));
        let until = |seconds| left.text_until(Some(Duration::from_secs(seconds)));
        assert_eq!(until(200), left.text());
        let ends = "at least 3 min to the next hypothesis; --max-time ends the run in ";
        assert_eq!(until(60), Some(format!("{ends}about 60 s")));
        assert_eq!(until(3), Some(format!("{ends}some seconds")));
        // A new state: more is left, at the same pace.
        left.update(at(15), &learning(110, 5, 100), ENOUGH, false);
        assert_eq!(left.seconds(), Some(205.0));
        // Then it goes ten times as slowly. The pace is that of this stretch and the one before it.
        left.update(at(20), &learning(110, 0, 100), ENOUGH, false);
        left.update(at(220), &learning(110, 0, 90), ENOUGH, false);
        left.update(at(420), &learning(110, 0, 80), ENOUGH, false);
        assert_eq!(left.seconds(), Some(10.0 * 160.0));
        left.update(at(430), &learning(110, 0, 0), ENOUGH, false);
        assert_eq!((left.seconds(), left.text()), (None, None));
    }

    #[test]
    fn neither_tests_nor_known_answers_count() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut left = TimeLeft::default();
        left.update(at(0), &learning(100, 0, 100), ENOUGH, true);
        left.update(at(1), &learning(100, 0, 50), ENOUGH, true);
        assert_eq!(left.seconds(), None);
        left.update(at(2), &learning(100, 0, 50), ENOUGH, false);
        left.update(at(52), &learning(100, 0, 25), ENOUGH, false);
        assert_eq!(left.seconds(), Some(50.0));
        left.update(at(77), &testing(0), ENOUGH, false);
        left.update(at(5000), &testing(0), ENOUGH, false);
        assert_eq!(left.seconds(), None);
        // A test has found something.
        left.update(at(5001), &learning(100, 3, 10), ENOUGH, false);
        assert_eq!(left.seconds(), Some(23.0));
        left.update(at(5013), &learning(100, 1, 5), ENOUGH, false);
        assert_eq!(left.seconds(), Some(11.0));
        // A table has none.
        let mut table = learning(100, 3, 10);
        table.tree = None;
        left.update(at(5014), &table, ENOUGH, false);
        assert_eq!(left.seconds(), None);
    }

    #[test]
    fn tests_that_are_left_take_as_long_as_those_that_passed() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut left = TimeLeft::default();
        left.update(at(0), &testing(0), ENOUGH, false);
        left.update(at(18), &testing(9), ENOUGH, false);
        assert_eq!(left.seconds(), None, "nine tests say nothing");
        left.update(at(40), &testing(20), ENOUGH, false);
        assert_eq!(left.seconds(), Some(2.0 * 980.0));
        assert_eq!(left.text().as_deref(), Some("about 33 min left if no difference is found"));
        left.update(at(42), &testing(21), None, false);
        let text = "about 33 min for 1 000 more";
        assert_eq!((left.seconds(), left.text().as_deref()), (None, Some(text)));
        // A difference was found; the time of learning is not that of tests, but their pace is known.
        left.update(at(50), &learning(100, 3, 10), ENOUGH, false);
        assert_eq!(left.seconds(), None);
        left.update(at(5000), &testing(0), ENOUGH, false);
        assert_eq!(left.seconds(), Some(2000.0));
        // What passes again after a resume is known, and took no time.
        left.update(at(5001), &testing(500), ENOUGH, true);
        left.update(at(5002), &testing(510), ENOUGH, false);
        left.update(at(5022), &testing(520), ENOUGH, false);
        assert_eq!(left.seconds(), Some(2.0 * 480.0));
        left.update(at(9000), &testing(1000), ENOUGH, false);
        assert_eq!((left.seconds(), left.text()), (None, None));
    }
}
