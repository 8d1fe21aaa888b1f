//! What to do when the device or its link fails: ask the word again, wait, or give up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mealybug::learn::{Failure, LinkFailures, Tally};
use mealybug::statistics::number;
use mealybug::word;
use mealybug_core::Input;
use mealybug_core::wire::message::ATTEMPTS;
use miette::Diagnostic;

use crate::endpoint::EndpointError;
use crate::run::board_news::Tell;
use crate::run::failure;

/// How long to wait before looking again for a device that is away.
const LOOKING: Duration = Duration::from_millis(500);

/// The most failures that people are shown one by one.
const SHOWN: u64 = 5;

/// A link is bad if more than one in this many resets was for a word that had failed.
const TOO_OFTEN: u64 = 5;

/// A word is given up when this many resets before it have failed. Resets count that failed before other words were asked
/// again in between, too.
const MOST_RESETS: u32 = 30;

/// What to say at the end of a run about the words that were asked again after a failure. The first [`SHOWN`] failures were shown when
/// they happened; if there were no more, nothing is left to say.
pub(crate) fn note(retries: u64, resets: u64) -> Option<String> {
    let too_often = match retries.saturating_mul(TOO_OFTEN) > resets {
        true => ". That is often: `mealybug check` shows how they failed",
        false => "",
    };
    let [retried, all] = [retries, resets].map(number);
    (retries > SHOWN).then(|| {
        format!("the device or its link failed {retried} times in {all} resets, and the words were asked again{too_often}")
    })
}

/// What to do after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    /// Ask the word again.
    Now,
    /// The device is away: look after this time whether it is back.
    In(Duration),
    /// Give up.
    Never,
}

/// The patience with a device.
pub(crate) struct Patience {
    /// What messages begin with: the name of the board, if there are several.
    prefix: String,
    /// Since when the device has been away.
    away: Option<Instant>,
    /// How long it may be away.
    absence: Duration,
    /// How many resets have failed before the current word.
    failed_resets: u32,
    /// After which inputs of the current word it went away, and how often it did so there.
    gone: (Vec<Input>, u32),
    retries: u64,
    failures: LinkFailures,
    /// The help that was given; each is given once.
    helps: Vec<String>,
}

impl Patience {
    /// The patience with a device that may be away for `absence`.
    pub(crate) fn new(absence: Duration) -> Self {
        Self {
            prefix: String::new(),
            away: None,
            absence,
            failed_resets: 0,
            gone: (Vec::new(), 0),
            retries: 0,
            failures: LinkFailures::default(),
            helps: Vec::new(),
        }
    }

    /// The device is the board with this name.
    pub(crate) fn of_board(self, name: &str) -> Self {
        Self { prefix: format!("{name}: "), ..self }
    }

    /// How often a word was asked again, or a device waited for.
    pub(crate) fn retries(&self) -> u64 {
        self.retries
    }

    /// The device is there, and another word is asked.
    pub(crate) fn device_is_there(&mut self, notes: &dyn Tell) {
        self.is_back(notes);
        self.gone = (Vec::new(), 0);
        self.failed_resets = 0;
        self.failures.forget_word();
    }

    /// The device answers: says so if it was away.
    fn is_back(&mut self, notes: &dyn Tell) {
        if self.away.take().is_some() {
            notes.note("", &format!("{}the device is back", self.prefix));
        }
    }

    /// Whether to ask the word again; waits for a device that is away until it may be back.
    pub(crate) fn retry(
        &mut self,
        failure: &Failure<EndpointError>,
        tally: &Tally,
        names: &[String],
        notes: &dyn Tell,
        interrupted: &AtomicBool,
    ) -> bool {
        let retry = self.judge(failure, tally, names, notes);
        if let Retry::In(time) = retry {
            let again = Instant::now() + time;
            while Instant::now() < again && !interrupted.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        retry != Retry::Never
    }

    /// What to do after a failure. `tally` says what the device was asked by then; `names` are those
    /// of the inputs.
    pub(crate) fn judge(
        &mut self,
        failure: &Failure<EndpointError>,
        tally: &Tally,
        names: &[String],
        notes: &dyn Tell,
    ) -> Retry {
        if failure.error.is_away() {
            if self.goes_away(&failure.word[..failure.sent.min(failure.word.len())]) {
                let (prefix, place) =
                    (&self.prefix, failure::place(&failure.word, failure.sent, names));
                let message = format!(
                    "{prefix}it went away {ATTEMPTS} times {place}, and came back each time. If {} ends the \
                     connection or restarts the device, say so in the device file: closed = \"(closed)\" in the \
                     `reply` of that input makes an output of it. Or leave the input out",
                    last_inputs(&self.gone.0, names)
                );
                notes.note("", &message);
                return Retry::Never;
            }
            // It was back in between: the reset worked.
            if failure.sent > 0 {
                self.is_back(notes);
            }
            return self.wait_for_device(failure, names, notes);
        }
        let is_failed_reset = failure.error.is_failed_reset();
        if !is_failed_reset {
            self.is_back(notes);
        }
        let attempt = self.failures.count(&failure.word, failure.sent, tally);
        if is_failed_reset && !attempt.is_worth_another() {
            return self.wait_for_device(failure, names, notes);
        }
        self.failed_resets += u32::from(failure.sent == 0);
        let again = self.failed_resets < MOST_RESETS
            && attempt.is_worth_another()
            && failure.error.is_worth_a_retry();
        if again {
            self.retries += 1;
            let prefix = &self.prefix;
            let message = format!("{prefix}{}", failure::asked_again(failure, attempt, names));
            // A line that fails often does so everywhere.
            let is_shown = self.retries <= SHOWN || 2 * attempt.number > attempt.of - 1;
            notes.retry(&message, attempt.number, is_shown);
            if self.retries == SHOWN {
                let rest = format!(
                    "{prefix}later failures are counted, and shown where a word keeps failing"
                );
                notes.note("", &rest);
            }
            self.give_help(&failure.error, notes);
        }
        if again { Retry::Now } else { Retry::Never }
    }

    /// Says what to do about a failure, once.
    fn give_help(&mut self, error: &EndpointError, notes: &dyn Tell) {
        let help = error.help().map(|help| help.to_string());
        if let Some(help) = help.filter(|help| !self.helps.contains(help)) {
            notes.note("  ", &help);
            self.helps.push(help);
        }
    }

    /// Whether an input makes the device go away: it does so again and again after this many inputs of the word, and
    /// resets in between find it.
    fn goes_away(&mut self, sent: &[Input]) -> bool {
        // A device that is away fails at the reset.
        if sent.is_empty() {
            return false;
        }
        let (place, times) = &self.gone;
        self.gone = (sent.to_vec(), if sent == place { times + 1 } else { 1 });
        self.gone.1 >= ATTEMPTS
    }

    /// The device is away: whether it has been so for too long. Asking the word again finds out whether it is back.
    fn wait_for_device(
        &mut self,
        failure: &Failure<EndpointError>,
        names: &[String],
        notes: &dyn Tell,
    ) -> Retry {
        let absence = self.absence.as_secs_f64();
        let since = match self.away {
            Some(since) => since,
            None => {
                let message = format!(
                    "{}{}; waiting up to {absence} s for it to come back",
                    self.prefix,
                    failure::error_with_place(failure, names)
                );
                notes.note("", &message);
                self.retries += 1;
                *self.away.insert(Instant::now())
            }
        };
        let left = self.absence.checked_sub(since.elapsed()).filter(|left| !left.is_zero());
        left.map_or(Retry::Never, |left| Retry::In(LOOKING.min(left)))
    }
}

/// The inputs that may have made a device go away: the last one, and the one before, whose answer came.
fn last_inputs(sent: &[Input], names: &[String]) -> String {
    let name = |input: &Input| format!("`{}`", word::quote(&names[input.index() as usize]));
    let mut last: Vec<_> = sent[sent.len().saturating_sub(2)..].iter().map(name).collect();
    last.dedup();
    last.join(" or ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mealybug::serial::LinkError;
    use mealybug_core::Costs;

    use super::*;
    use crate::run::notes::{KeptNotes, Notes};
    use crate::terminal::output::OutputMode;

    #[test]
    fn failures_that_were_only_counted_are_told_at_the_end() {
        assert_eq!(note(5, 1000), None);
        let text = |retries, resets| note(retries, resets).expect("a note");
        assert_eq!(
            text(6, 30),
            "the device or its link failed 6 times in 30 resets, and the words were asked again"
        );
        assert!(
            text(1200, 3000)
                .starts_with("the device or its link failed 1 200 times in 3 000 resets, and")
        );
        assert!(
            text(7, 34).ends_with("again. That is often: `mealybug check` shows how they failed")
        );
    }

    #[test]
    fn the_inputs_that_may_have_ended_the_connection_are_named() {
        let names = ["user", "log out", "stat"].map(str::to_owned);
        let named = |sent: &[u32]| {
            let sent: Vec<_> = sent.iter().copied().map(Input::new).collect();
            last_inputs(&sent, &names)
        };
        assert_eq!(named(&[0, 1, 2]), "`'log out'` or `stat`");
        assert_eq!((named(&[0]), named(&[2, 0, 0])), ("`user`".to_owned(), "`user`".to_owned()));
    }

    #[test]
    fn a_device_is_back_only_if_a_reset_has_worked() {
        let mut patience = Patience::new(Duration::from_secs(30));
        let mut notes = Notes::new(None, OutputMode::default());
        let kept = KeptNotes::default();
        notes.keep(Arc::clone(&kept));
        let mut asked = 0;
        let mut goes = |sent| {
            asked += 5;
            let error =
                EndpointError::Port(LinkError::Gone { during: "`a` was answered".to_owned() });
            let failure = Failure { error, word: vec![Input::new(0); 3], sent };
            let device = Costs { resets: 1, symbols: asked };
            let tally = Tally { device, ..Tally::default() };
            patience.judge(&failure, &tally, &["a".to_owned()], &notes);
            let said = std::mem::take(&mut *kept.lock().expect("nobody panicked"));
            said.iter().any(|note| note == "the device is back")
        };
        assert_eq!([goes(2), goes(0), goes(0), goes(1)], [false, false, false, true]);
    }

    #[test]
    fn a_device_that_came_back_from_resets_before_is_waited_for() {
        let mut patience = Patience::new(Duration::from_millis(400));
        let mut notes = Notes::new(None, OutputMode::default());
        let kept = KeptNotes::default();
        notes.keep(Arc::clone(&kept));
        let mut fails = |history: &str| {
            let (history, tried) = (history.to_owned(), String::new());
            let error = EndpointError::Port(LinkError::Reset { history, tried, help: "is it on?" });
            let failure = Failure { error, word: vec![Input::new(0)], sent: 0 };
            patience.judge(&failure, &Tally::default(), &["a".to_owned()], &notes)
        };
        assert_eq!(fails(""), Retry::Never, "it never came back");
        let it_did = ", though it did once";
        let judged: Vec<_> = (1..ATTEMPTS).map(|_| fails(it_did)).collect();
        let (last, before) = judged.split_last().expect("there are some");
        assert!(before.iter().all(|retry| *retry == Retry::Now), "{judged:?}");
        assert!(matches!(last, Retry::In(_)), "{judged:?}");
        std::thread::sleep(Duration::from_millis(400));
        assert_eq!(fails(it_did), Retry::Never);
        let said = kept.lock().expect("nobody panicked").join("\n");
        assert!(said.contains("waiting up to 0.4 s") && !said.contains("is back"), "{said}");
        patience.device_is_there(&notes);
        let said = kept.lock().expect("nobody panicked").join("\n");
        assert!(said.contains("the device is back"), "{said}");
    }

    #[test]
    fn an_input_after_which_the_device_is_gone_each_time_is_given_up() {
        let mut patience = Patience::new(Duration::from_secs(30));
        let notes = Notes::new(None, OutputMode::default());
        let mut goes = |sent: &[usize]| {
            let word = [Input::new(0); 3];
            let judged: Vec<_> =
                sent.iter().map(|&sent| patience.goes_away(&word[..sent])).collect();
            patience.device_is_there(&notes);
            judged
        };
        assert_eq!(goes(&[2, 0, 0, 2, 2, 2]), [false, false, false, false, false, true]);
        // A line that breaks here and there, a device that is away, and a word that got through in between.
        assert_eq!(goes(&[2, 3, 2, 3, 2]), [false; 5]);
        assert_eq!(goes(&[0; 9]), [false; 9]);
        assert_eq!((goes(&[1; 3]), goes(&[1; 3])), (vec![false; 3], vec![false; 3]));
    }
}
