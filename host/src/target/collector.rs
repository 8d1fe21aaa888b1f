//! The messages of a target, assembled from pieces: events during a run, and its end.

use std::collections::BTreeMap;

use mealybug_core::wire::message::{DeviceError, Fault, Message};
use mealybug_core::{Input, Progress};

use super::crash::TargetCrash;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetEvent {
    /// How far the run has come.
    Progress(Progress),
    /// A hypothesis, in the format of a result.
    Hypothesis(Vec<u8>),
    /// The device failed, and the word is asked again.
    Retry {
        /// How the device failed.
        error: DeviceError,
        /// How many symbols of the word were sent; 0 if the reset failed.
        sent: u32,
        /// How often the word has been asked so far.
        attempts: u32,
    },
    /// A piece of the target's log, in its own encoding.
    Log(Vec<u8>),
    /// The target was reset, and goes on with the run from the answers that it has kept.
    Restarted {
        /// Why its program ended, if the target knows.
        crash: Option<TargetCrash>,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetEnd {
    /// The fault that ended the run; `None` if the session ended by itself.
    pub fault: Option<Fault>,
    /// The word that failed.
    pub word: Vec<Input>,
    /// After a contradiction, the output before and the output now, each at most
    /// [`MAX_PART`](mealybug_core::wire::message::MAX_PART) bytes of it.
    pub contradicting: Option<[Vec<u8>; 2]>,
    /// The bytes of the result.
    pub result: Vec<u8>,
}

/// Assembles the pieces. Missing ones are requested from [`from`](Self::from) on.
#[derive(Debug, Default)]
pub(super) struct Collector {
    hypothesis: Pieces,
    round: u64,
    fault: Option<Option<Fault>>,
    word: BTreeMap<u32, Input>,
    /// The outputs that contradict each other, as far as they came after the last [`Message::Ended`].
    contradicting: Vec<Vec<u8>>,
    result: Pieces,
    /// What the run has cost so far, in resets and symbols. It only grows, unless the target begins the run anew.
    cost: u64,
    has_started_anew: bool,
}

/// Bytes that arrive in pieces.
#[derive(Debug, Default)]
struct Pieces {
    bytes: Vec<u8>,
    is_whole: bool,
}

impl Pieces {
    /// Takes a piece that begins within the bytes received so far, or right after them.
    fn take(&mut self, from: u32, bytes: &[u8], is_last: bool) {
        if self.is_whole || from as usize > self.bytes.len() {
            return;
        }
        let new = bytes.get(self.bytes.len() - from as usize..).unwrap_or_default();
        self.bytes.extend_from_slice(new);
        self.is_whole = is_last;
    }
}

impl Collector {
    /// Takes a message; returns an event if it completes one.
    pub(super) fn take(&mut self, message: Message<'_>) -> Option<TargetEvent> {
        match message {
            Message::Progress(progress) => {
                let progress = Progress::try_from(&progress).ok()?;
                let Progress { learning, testing, .. } = &progress;
                let cost = [learning.resets, learning.symbols, testing.resets, testing.symbols];
                let cost = cost.into_iter().fold(0, u64::saturating_add);
                if cost < self.cost {
                    // What came before is of another life of the target.
                    *self = Self { has_started_anew: true, ..Self::default() };
                }
                self.cost = cost;
                return Some(TargetEvent::Progress(progress));
            }
            Message::Retry { error, sent, attempts } => {
                return Some(TargetEvent::Retry { error, sent, attempts });
            }
            Message::Part { round: Some(round), from, bytes, is_last } => {
                if round != self.round {
                    self.hypothesis = Pieces::default();
                    self.round = round;
                }
                let was_whole = self.hypothesis.is_whole;
                self.hypothesis.take(from, bytes, is_last);
                if self.hypothesis.is_whole && !was_whole {
                    return Some(TargetEvent::Hypothesis(self.hypothesis.bytes.clone()));
                }
            }
            Message::Part { round: None, from, bytes, is_last } => {
                self.result.take(from, bytes, is_last);
            }
            Message::Ended(fault) => {
                self.fault = Some(fault);
                self.contradicting.clear();
            }
            Message::Symbol { position, input } => {
                self.word.insert(position, Input::new(input));
            }
            Message::Output(output) => self.contradicting.push(output.to_vec()),
            // Answers to requests and messages of agents are not for the collector. The client
            // keeps the log, which may come at any time.
            _ => {}
        }
        None
    }

    /// Whether the target has begun the run anew since this was last called.
    pub(super) fn has_started_anew(&mut self) -> bool {
        std::mem::take(&mut self.has_started_anew)
    }

    /// The bytes of the result, once they are complete.
    pub(super) fn result(&self) -> Option<&[u8]> {
        self.result.is_whole.then_some(&self.result.bytes)
    }

    /// The first byte of the result that is missing.
    pub(super) fn from(&self) -> u32 {
        // The result is complete, but its end reason is missing: start over, which costs little.
        let has = if self.result.is_whole { 0 } else { self.result.bytes.len() };
        u32::try_from(has).unwrap_or(0)
    }

    /// The end, once it is complete.
    pub(super) fn end(&self) -> Option<TargetEnd> {
        let fault = self.fault?;
        let len = fault.map_or(0, |fault| fault.word_len());
        let word: Vec<_> = (0..len).map_while(|at| self.word.get(&at).copied()).collect();
        let contradicting = match fault {
            Some(Fault::Contradiction(_)) => Some(self.contradicting.clone().try_into().ok()?),
            _ => None,
        };
        let is_whole = self.result.is_whole && word.len() == len as usize;
        is_whole.then(|| TargetEnd {
            fault,
            word,
            contradicting,
            result: self.result.bytes.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use mealybug_core::wire::types;

    use super::*;

    fn part(from: u32, bytes: &[u8], is_last: bool) -> Message<'_> {
        Message::Part { round: None, from, bytes, is_last }
    }

    #[test]
    fn an_end_comes_together_whatever_is_missing_at_first() {
        let fault = Fault::Contradiction(types::Contradiction {
            lane: 0,
            word_len: 2,
            position: 1,
            before: 0,
            now: 3,
        });
        let symbol = |position| Message::Symbol { position, input: 5 + position };
        let all = [
            Message::Ended(Some(fault)),
            symbol(0),
            symbol(1),
            Message::Output(b"ok"),
            Message::Output(b"busy"),
            part(0, b"abc", false),
            part(3, b"def", false),
            part(6, b"", true),
        ];
        let end = TargetEnd {
            fault: Some(fault),
            word: vec![Input::new(5), Input::new(6)],
            contradicting: Some([b"ok".to_vec(), b"busy".to_vec()]),
            result: b"abcdef".to_vec(),
        };
        for lost in 0..1_u32 << all.len() {
            let mut collector = Collector::default();
            let came = (0..).zip(all).filter(|(at, _)| lost & 1 << at == 0);
            came.for_each(|(_, message)| assert_eq!(collector.take(message), None));
            if lost == 0 {
                assert_eq!(collector.end(), Some(end.clone()));
                continue;
            }
            assert_eq!(collector.end(), None, "{lost:b}");
            let from = collector.from();
            for message in all {
                collector.take(match message {
                    Message::Part { from: at, bytes, is_last, .. } => {
                        let skipped = from.saturating_sub(at) as usize;
                        part(at.max(from), bytes.get(skipped..).unwrap_or_default(), is_last)
                    }
                    other => other,
                });
            }
            assert_eq!(collector.end(), Some(end.clone()), "{lost:b}");
        }
    }

    #[test]
    fn a_hypothesis_is_told_once_and_only_whole() {
        let mut collector = Collector::default();
        let mut take = |round, from, bytes, is_last| {
            collector.take(Message::Part { round: Some(round), from, bytes, is_last })
        };
        assert_eq!(take(1, 0, b"ab", false), None);
        assert_eq!(take(1, 2, b"c", true), Some(TargetEvent::Hypothesis(b"abc".to_vec())));
        assert_eq!(take(1, 2, b"c", true), None);
        assert_eq!(take(2, 0, b"x", false), None);
        assert_eq!(take(2, 2, b"z", true), None, "a piece is missing");
        assert_eq!(take(3, 0, b"y", true), Some(TargetEvent::Hypothesis(b"y".to_vec())));
    }
}
