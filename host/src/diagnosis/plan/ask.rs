//! Asks words, and keeps what came.

use std::time::{Duration, Instant};

use mealybug_core::Input;

use super::super::checked_device::{CheckedDevice, FaultKind};
use super::super::evidence::Answer;
use super::super::exchange::ObservedExchange;
use super::{AskedInputs, CheckStage, LEN, Plan};
use crate::learned_components::output_name;
use crate::serial::TraceEvent;

/// How long a device may be away that an input has restarted.
const ABSENCE: Duration = Duration::from_secs(10);
/// How long to wait for a late answer in all: five times as long as a check listens anyway, for an answer that came in time
/// before.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long to wait before looking again for a device that is away.
const LOOKING: Duration = Duration::from_millis(100);

/// Tells the next input of a word, given the output of the one before.
type NextInput<'a> = &'a mut dyn FnMut(Option<&str>) -> Option<Input>;

/// A word that failed at this input, or at the reset.
pub(super) struct FailedWord<E> {
    pub(super) error: E,
    pub(super) input: Option<Input>,
}

/// What passed at an input that ended then, and `later`, if the check listened.
fn observed(
    during: &[TraceEvent],
    end: Duration,
    later: Option<Vec<TraceEvent>>,
) -> Option<ObservedExchange> {
    let is_heard_out = later.is_some();
    let exchange = ObservedExchange::new(during, end, &later.unwrap_or_default())?;
    Some(ObservedExchange { is_heard_out, ..exchange })
}

impl<D: CheckedDevice> Plan<'_, D> {
    /// Asks a word from a reset on. `None` if it failed in a way that may not happen again.
    pub(super) fn ask(&mut self, word: &[Input]) -> Result<Option<AskedInputs>, D::Error> {
        let mut inputs = word.iter().copied();
        self.ask_by(&mut |_| inputs.next())
    }

    /// The same with a word whose next input `next` tells, given the output of the one before.
    pub(super) fn ask_by(&mut self, next: NextInput<'_>) -> Result<Option<AskedInputs>, D::Error> {
        let mut asked = AskedInputs::new();
        let started = self.device.now();
        let result = self.ask_word(next, &mut asked);
        if matches!(self.stage, CheckStage::Explore | CheckStage::Compare) {
            self.pace.word(self.device.now().saturating_sub(started));
        }
        match result {
            Ok(()) => Ok(Some(asked)),
            Err(FailedWord { error, input }) => match (D::fault(&error), input) {
                (FaultKind::Interruption, _) => Ok(None),
                // A word of this length may take too long without a fault in the file.
                (FaultKind::WordTooLong, _) if asked.len() >= LEN => Ok(None),
                (FaultKind::Gone, Some(last)) => {
                    let word = asked.iter().map(|(input, _)| *input).chain([last]).collect();
                    self.find_end(word, error.to_string()).map(|()| None)
                }
                (FaultKind::Away, _) if !self.goes_on() => Ok(None),
                (FaultKind::Gone | FaultKind::Away | FaultKind::Device, _) => Err(error),
                _ => {
                    let word: Vec<_> = asked.iter().map(|(it, _)| *it).chain(input).collect();
                    if let Some(reason) = self.fail(&error) {
                        let mut inputs = word.into_iter();
                        let again = self.ask_word(&mut |_| inputs.next(), &mut AskedInputs::new());
                        self.judge_again(&reason, again.as_ref().map_err(|failed| &failed.error));
                    }
                    Ok(None)
                }
            },
        }
    }

    /// Asks a word whose next input `next` tells. What is asked is `asked`, also where the word fails.
    pub(super) fn ask_word(
        &mut self,
        next: NextInput<'_>,
        asked: &mut AskedInputs,
    ) -> Result<(), FailedWord<D::Error>> {
        self.begin_word().map_err(|error| FailedWord { error, input: None })?;
        let mut following = next(None);
        while let Some(input) = following {
            let failed = |error| FailedWord { error, input: Some(input) };
            let started = self.device.now();
            self.evidence.sent = Some(input);
            let output = self.device.step(input).map(output_name);
            let end = self.device.now();
            let took = end.saturating_sub(started);
            let during = self.device.take_events();
            self.pace.input(input, took);
            let output = match output {
                Ok(output) => output,
                Err(error) => {
                    self.keep_failed(input, &error, &during, [end, took]);
                    return Err(failed(error));
                }
            };
            following = next(Some(&output));
            let is_silence = self.device.is_silence(input, &output);
            let later = match following {
                None if self.listens(is_silence) => {
                    Some(self.hear_out(input, &during, end, asked).map_err(failed)?)
                }
                _ => None,
            };
            // An end of the connection takes no time that a setting could change.
            let exchange = observed(&during, end, later).filter(|_| !self.device.is_end(&output));
            let reply = self.evidence.measure(input, exchange.as_ref(), took);
            self.evidence.answer(&Answer { input, output: &output, is_silence, took }, reply);
            asked.push((input, output));
        }
        Ok(())
    }

    /// Resets the device before a word, and keeps what came.
    fn begin_word(&mut self) -> Result<(), D::Error> {
        let result = self.count_reset();
        let during = self.device.take_events();
        self.evidence.hear_reset(&during, self.device.now());
        if result.is_err() {
            self.look_into_failed_reset(&during);
        }
        result
    }

    /// Keeps what came where an input failed: when it ended, and how long it took.
    fn keep_failed(
        &mut self,
        input: Input,
        error: &D::Error,
        during: &[TraceEvent],
        [end, took]: [Duration; 2],
    ) {
        if D::fault(error) != FaultKind::LateReply {
            self.evidence.overhear(Some(input), during, end);
            return;
        }
        self.evidence.late(input);
        // The rest may come in several pieces.
        let listens = self.listens_always || self.stage == CheckStage::First;
        let is_heard_out = listens && self.listen(input, during).is_ok();
        let later = is_heard_out.then(|| self.device.take_events());
        let exchange = observed(during, end, later);
        self.evidence.measure(input, exchange.as_ref(), took);
    }

    /// Whether a word is listened to whose last answer is silence or not.
    fn listens(&self, is_silence: bool) -> bool {
        matches!(self.stage, CheckStage::First | CheckStage::Repeat)
            || self.listens_always
            || self.is_patient && is_silence
    }

    /// Listens for what comes after the end of a word's last reply. The inputs before it are `asked`.
    fn hear_out(
        &mut self,
        input: Input,
        during: &[TraceEvent],
        end: Duration,
        asked: &AskedInputs,
    ) -> Result<Vec<TraceEvent>, D::Error> {
        match self.listen(input, during) {
            Ok(true) => self.evidence.late(input),
            Ok(false) => {}
            Err(error) if D::fault(&error) == FaultKind::Gone => {
                let before = asked.iter().map(|(input, _)| *input);
                self.end(before.chain([input]).collect());
            }
            Err(error) => return Err(error),
        }
        let later = self.device.take_events();
        self.pace.listen(self.device.now().saturating_sub(end));
        Ok(later)
    }

    /// Listens after an input for late bytes; as long as [`PATIENCE`] where a late answer would explain what was found.
    pub(super) fn listen(&mut self, input: Input, during: &[TraceEvent]) -> Result<bool, D::Error> {
        let until = self.device.now() + if self.is_patient { PATIENCE } else { Duration::ZERO };
        loop {
            let is_late = self.device.listen(input, during)?;
            // A device without a link has nothing to listen to.
            if is_late || self.device.now() >= until || self.device.port().is_none() {
                return Ok(is_late);
            }
        }
    }

    /// Resets the device, and waits for one that is away because an input restarted it. Returns how long the last try took,
    /// too.
    pub(super) fn reset(&mut self) -> (Result<(), D::Error>, Duration) {
        let since = Instant::now();
        let mut may_be_gone = true;
        loop {
            let started = self.device.now();
            let result = self.device.reset();
            let took = self.device.now().saturating_sub(started);
            match result.as_ref().map_err(D::fault) {
                // The word before has ended the connection. The next try opens a new one.
                Err(FaultKind::Gone) if may_be_gone => may_be_gone = false,
                Err(FaultKind::Away) if since.elapsed() < ABSENCE && self.goes_on() => {
                    std::thread::sleep(LOOKING);
                }
                _ => return (result, took),
            }
        }
    }
}
