//! What to do when the device or its link fails: ask the word again, wait, or give up.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mealybug::learn::Failure;
use mealybug_core::Input;
use mealybug_core::wire::message::ATTEMPTS;

use crate::endpoint::device::DeviceUnderTest;
use crate::run::failure;
use crate::run::speaker::Speaker;

/// How long to wait before looking again for a device that is away.
const LOOKING: Duration = Duration::from_millis(500);

/// The patience with a device whose errors are `E`.
pub(crate) struct Patience<'a, E> {
    is_worth_a_retry: fn(&E) -> bool,
    is_away: fn(&E) -> bool,
    help: fn(&E) -> Option<String>,
    /// Since when the device has been away.
    away: Option<Instant>,
    /// How long it may be away.
    absence: Duration,
    interrupted: &'a AtomicBool,
    retries: u64,
    /// The word that failed last, and how often it did so after this many of its inputs, without ever getting further
    /// in between.
    word: Vec<Input>,
    failures: BTreeMap<usize, u32>,
    /// The help that was given; each is given once.
    helps: Vec<String>,
}

impl<'a, E: Error> Patience<'a, E> {
    /// The patience with a device of type `D`, which may be away for `absence`.
    pub(crate) fn new<D: DeviceUnderTest<Error = E>>(
        absence: Duration,
        interrupted: &'a AtomicBool,
    ) -> Self {
        Self {
            is_worth_a_retry: |error| D::is_worth_a_retry(error) || D::is_suspect(error),
            is_away: D::is_away,
            help: D::help,
            away: None,
            absence,
            interrupted,
            retries: 0,
            word: Vec::new(),
            failures: BTreeMap::new(),
            helps: Vec::new(),
        }
    }

    /// How often a word was asked again, or a device waited for.
    pub(crate) fn retries(&self) -> u64 {
        self.retries
    }

    /// The device is there, and another word is asked.
    pub(crate) fn device_is_there(&mut self) {
        self.away = None;
        self.failures.clear();
    }

    /// Whether to ask the word again. A link that fails at times fails here and there; a word that
    /// fails again and again in one place is not noise. `names` are those of the inputs.
    pub(crate) fn retry(
        &mut self,
        failure: &Failure<E>,
        names: &[String],
        speaker: &Speaker,
    ) -> bool {
        if (self.is_away)(&failure.error) {
            return self.wait_for_device(&failure.error, speaker);
        }
        self.away = None;
        if self.word != failure.word {
            self.word.clone_from(&failure.word);
            self.failures.clear();
        }
        // It got past these places.
        self.failures.retain(|&place, _| place >= failure.sent);
        let attempts = self.failures.entry(failure.sent).or_default();
        *attempts += 1;
        let attempts = *attempts;
        let again = attempts < ATTEMPTS && (self.is_worth_a_retry)(&failure.error);
        if again {
            self.retries += 1;
            let place = failure::place(&failure.word, failure.sent, names);
            let (error, of) = (&failure.error, ATTEMPTS - 1);
            let message = format!("{error}, {place}; asking the word again ({attempts} of {of})");
            speaker.retry(&message, attempts);
            self.give_help(error, speaker);
        }
        again
    }

    /// Says what to do about a failure, once.
    fn give_help(&mut self, error: &E, speaker: &Speaker) {
        if let Some(help) = (self.help)(error).filter(|help| !self.helps.contains(help)) {
            speaker.note("  ", &help);
            self.helps.push(help);
        }
    }

    /// Waits a little, unless the device has been away for too long. Asking the word again finds out
    /// whether it is back.
    fn wait_for_device(&mut self, error: &E, speaker: &Speaker) -> bool {
        let absence = self.absence.as_secs_f64();
        let since = match self.away {
            Some(since) => since,
            None => {
                speaker
                    .note("", &format!("{error}; waiting up to {absence} s for it to come back"));
                self.retries += 1;
                *self.away.insert(Instant::now())
            }
        };
        let Some(left) = self.absence.checked_sub(since.elapsed()).filter(|left| !left.is_zero())
        else {
            return false;
        };
        let again = Instant::now() + LOOKING.min(left);
        while Instant::now() < again && !self.interrupted.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20));
        }
        true
    }
}
