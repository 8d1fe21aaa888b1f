//! Better time-outs, from how long replies took.

use std::time::Duration;

use super::timing::Timing;
use crate::device::{Device, ReplyRule};

/// A time-out that should be another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Its key.
    pub key: Key,
    /// The inputs whose replies were measured for it, by their numbers.
    pub inputs: Vec<usize>,
    /// What it is.
    pub now: Duration,
    /// What it should be.
    pub better: Duration,
    /// The longest time that it must bear, as it was measured.
    pub seen: Duration,
    /// Whether it is too short, and so a fault; else it only wastes time.
    pub is_too_short: bool,
}

/// A key of `[reply]`, or of the `reply` of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The patience for the first byte.
    Within,
    /// The silence that ends a reply.
    Quiet,
    /// The silence after the pattern.
    Grace,
}

/// A time-out is better so many times as long as what it must bear...
const MARGIN: u32 = 4;
/// ...and a fault, if it is not so many times as long.
const LEAST_MARGIN: u32 = 2;
/// It is only too long when it is so many times as long as it should be.
const WASTE: u32 = 3;
/// No patience is made shorter than this.
const LEAST_PATIENCE: Duration = Duration::from_millis(100);
/// No silence is made shorter than this: USB adapters hand over what they received 16 ms apart.
const LEAST_SILENCE: Duration = Duration::from_millis(40);

impl Key {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Within, Self::Quiet, Self::Grace];

    /// As it stands in the device file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Within => "within_ms",
            Self::Quiet => "quiet_ms",
            Self::Grace => "grace_ms",
        }
    }

    fn of(self, rule: &ReplyRule) -> Option<Duration> {
        match self {
            Self::Within => Some(rule.within),
            Self::Quiet => rule.quiet,
            Self::Grace => (!rule.patterns.is_empty()).then_some(rule.grace),
        }
    }

    /// What is better for inputs that share this time-out.
    fn judge(self, now: Duration, timings: &[&Timing]) -> Option<(Duration, Duration, bool)> {
        let answered = |timing: &&&Timing| timing.wait.mean().is_some();
        let measured: Vec<_> = timings.iter().filter(answered).collect();
        let longest = |time: fn(&Timing) -> Duration| {
            measured.iter().map(|timing| time(timing)).max().unwrap_or_default()
        };
        let any = |of: fn(&Timing) -> bool| measured.iter().any(|timing| of(timing));
        let (seen, least, is_paid) = match self {
            Self::Within => {
                let is_paid = timings.iter().any(|timing| timing.silences > 0 || timing.unmet > 0);
                (longest(|timing| timing.wait.longest), LEAST_PATIENCE, is_paid)
            }
            Self::Quiet => (longest(|timing| timing.gap.longest), LEAST_SILENCE, true),
            // Nothing must be borne where the pattern fits only at the end.
            Self::Grace if !any(|timing| timing.early_matches > 0 || timing.late > 0) => {
                return (!measured.is_empty() && !now.is_zero()).then_some((
                    Duration::ZERO,
                    Duration::ZERO,
                    false,
                ));
            }
            Self::Grace => (longest(|timing| timing.gap.longest), LEAST_SILENCE, true),
        };
        if measured.is_empty() {
            return None;
        }
        let better = round_up((seen * MARGIN).max(least));
        let is_too_short = now < seen * LEAST_MARGIN;
        let is_wasteful = is_paid && now > better * WASTE;
        (is_too_short || is_wasteful).then_some((better, seen, is_too_short))
    }
}

/// What should be changed; `owner` says which inputs share a time-out: those of the same owner.
pub(super) fn advise(
    device: &Device,
    timings: &[Timing],
    owner: impl Fn(usize, Key) -> Option<usize>,
) -> Vec<Advice> {
    let mut all = Vec::new();
    for key in Key::ALL {
        let mut groups: Vec<(Option<usize>, Duration, Vec<usize>)> = Vec::new();
        for (index, input) in device.inputs.iter().enumerate() {
            let Some(now) = key.of(&input.reply) else { continue };
            let owner = owner(index, key);
            match groups.iter_mut().find(|group| (group.0, group.1) == (owner, now)) {
                Some(group) => group.2.push(index),
                None => groups.push((owner, now, vec![index])),
            }
        }
        for (_, now, inputs) in groups {
            let timings: Vec<_> = inputs.iter().map(|&index| &timings[index]).collect();
            if let Some((better, seen, is_too_short)) = key.judge(now, &timings) {
                all.push(Advice { key, inputs, now, better, seen, is_too_short });
            }
        }
    }
    all
}

/// A rounder number of ms, not smaller.
fn round_up(time: Duration) -> Duration {
    let ms = u64::try_from(time.as_micros().div_ceil(1000)).unwrap_or(u64::MAX);
    let step = match ms {
        ..100 => 10,
        100..1000 => 50,
        _ => 500,
    };
    Duration::from_millis(ms.div_ceil(step).saturating_mul(step))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::timing::tests::{received, sent};
    use super::*;
    use crate::serial::Event;

    const MS: Duration = Duration::from_millis(1);

    fn device(reply: &str) -> Device {
        let text = format!(
            "[[reset]]\nsteps = [{{ send = \"r\" }}]\n[reply]\n{reply}\n[inputs]\na = \"a\"\nb = \"b\""
        );
        Device::parse(Path::new("lock.toml"), &text).expect("a device file")
    }

    /// What is advised when `a` is answered like this, and `b` not at all.
    fn advised(reply: &str, during: &[Event], end_ms: u32, later: &[Event]) -> Vec<Advice> {
        let device = device(reply);
        let rule = &device.inputs[0].reply;
        let mut timings = [Timing::default(), Timing::default()];
        timings[0].add(rule, during, end_ms * MS, later);
        timings[1].add(rule, &[sent(0)], rule.within, &[]);
        advise(&device, &timings, |_, _| None)
    }

    #[test]
    fn a_patience_that_silences_waste_is_made_shorter() {
        let during = [sent(0), received(30, "ok\n")];
        let advice = advised("lines = 1\nwithin_ms = 5000", &during, 30, &[]);
        let [Advice { key: Key::Within, now, better, seen, is_too_short: false, .. }] = &advice[..]
        else {
            panic!("{advice:?}");
        };
        assert_eq!((*now, *better, *seen), (5000 * MS, 150 * MS, 30 * MS));
        assert_eq!(advice[0].inputs, [0, 1]);
        assert_eq!(advised("lines = 1\nwithin_ms = 400", &during, 30, &[]), []);
    }

    #[test]
    fn a_patience_that_an_answer_outlasts_is_made_longer() {
        let advice =
            advised("lines = 1\nwithin_ms = 100", &[sent(0)], 100, &[received(600, "ok\n")]);
        assert_eq!(advice.len(), 1, "{advice:?}");
        assert!(advice[0].is_too_short);
        assert_eq!(advice[0].better, 2500 * MS);
    }

    #[test]
    fn silences_alone_prove_nothing() {
        assert_eq!(advised("quiet_ms = 50\nwithin_ms = 5000", &[sent(0)], 5000, &[]), []);
    }

    #[test]
    fn a_quiet_time_must_bear_the_pauses() {
        let during = [sent(0), received(5, "one "), received(40, "two")];
        let advice = advised("quiet_ms = 50\nwithin_ms = 100", &during, 90, &[]);
        let quiet: Vec<_> = advice.iter().filter(|advice| advice.key == Key::Quiet).collect();
        assert_eq!((quiet[0].better, quiet[0].is_too_short), (150 * MS, true));
        let advice =
            advised("quiet_ms = 500\nwithin_ms = 100", &[sent(0), received(5, "x")], 505, &[]);
        assert_eq!(
            (advice[0].key, advice[0].better, advice[0].is_too_short),
            (Key::Quiet, 40 * MS, false)
        );
    }

    #[test]
    fn grace_is_for_patterns_that_fit_too_early() {
        let rule = "match = '> $'\nwithin_ms = 100";
        let advice = advised(rule, &[sent(0), received(5, "ok\n> ")], 25, &[]);
        assert_eq!((advice[0].key, advice[0].better), (Key::Grace, Duration::ZERO));
        let pieces = [sent(0), received(5, "a> "), received(17, "b\n> ")];
        let advice = advised(rule, &pieces, 37, &[]);
        assert_eq!(
            (advice[0].key, advice[0].better, advice[0].is_too_short),
            (Key::Grace, 50 * MS, true)
        );
    }
}
