//! What stands beside a run: shows it, counts it, and in simulation knows the right model.

use std::cell::RefCell;
use std::error::Error;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mealybug::advice::{Advice, OlderModel};
use mealybug::algorithm::Algorithm;
use mealybug::confidence::{self, Confidence};
use mealybug::diagnosis::Diagnosis;
use mealybug::events::{AdviceProgress, Event, ProgressEvent, RunProgress};
use mealybug::hypotheses::Hypotheses;
use mealybug::learn::{
    Failure, HostSession, ObserveRun, Oracle, Outcome, PublishedCosts, Tally, Verdict,
};
use mealybug::machine::Component;
use mealybug::run_folder::RunFolder;
use mealybug::statistics::{Published, Statistics};
use mealybug_core::{Hypothesis, Input, Purpose, Tests};

use crate::endpoint::Subject;
use crate::endpoint::device::DeviceUnderTest;
use crate::run::failure;
use crate::run::options::RunOptions;
use crate::run::progress::ProgressLine;
use crate::terminal::output::Output;

/// A word is asked so often before the run gives up.
const ATTEMPTS: u32 = 4;

/// A device that is away is looked for so often.
const LOOKING: Duration = Duration::from_millis(500);

/// How often programs hear of the progress.
pub(crate) const TOLD: Duration = Duration::from_secs(1);

/// Watches a run with a device whose errors are `E`.
pub(crate) struct Observer<'a, E> {
    subject: Subject<'a>,
    progress: ProgressLine,
    oracle: Option<Oracle<'a>>,
    /// Whether a hypothesis that equals the model ends the run.
    ends_at_equality: bool,
    /// Whether the model says what is wrong.
    tests_by_model: bool,
    published: Option<PublishedCosts>,
    is_worth_a_retry: fn(&E) -> bool,
    is_away: fn(&E) -> bool,
    help: fn(&E) -> Option<String>,
    /// Since when the device is away.
    away: Option<Instant>,
    /// How long it may be.
    absence: Duration,
    interrupted: &'a AtomicBool,
    retries: u64,
    hypotheses: Hypotheses,
    /// What older models advise, if there are some.
    advice: Option<Advice>,
    /// Why it was not followed.
    doubts: Vec<String>,
    /// Words that are tests of every hypothesis, and how many this one has had.
    words: Vec<Vec<Input>>,
    tried: usize,
    /// Hypotheses that were shown and kept.
    told: u64,
    /// Whether the user knows that the device contradicts itself.
    is_noted: bool,
    output: Output,
    algorithm: Algorithm,
    diagnosis: Option<Rc<RefCell<Diagnosis>>>,
    /// How many access words there were when the newest one was last looked at.
    states: u32,
    /// What to do about failures, as it was told.
    helps: Vec<String>,
    /// How sure the result must be, if not so many tests are told.
    confidence: Option<f64>,
    /// When programs hear of the progress again.
    due: Instant,
}

impl<'a, E> Observer<'a, E> {
    /// Begins to watch; `folder` is that of the run.
    pub(crate) fn new<D: DeviceUnderTest<Error = E>>(
        subject: Subject<'a>,
        options: &RunOptions,
        folder: &RunFolder,
        diagnosis: Option<Rc<RefCell<Diagnosis>>>,
        interrupted: &'a AtomicBool,
        words: Vec<Vec<Input>>,
    ) -> Self {
        let is_suite = matches!(
            options.tests(),
            Tests::W { .. } | Tests::Wp { .. } | Tests::Components { .. }
        );
        Self {
            subject,
            progress: ProgressLine::new(options),
            oracle: subject.model.map(Oracle::new),
            ends_at_equality: options.is_paper() || !is_suite,
            tests_by_model: options.tests() == Tests::External,
            published: options.is_paper().then(PublishedCosts::default),
            is_worth_a_retry: D::is_worth_a_retry,
            is_away: D::is_away,
            help: D::help,
            away: None,
            absence: options.absence(),
            interrupted,
            retries: 0,
            hypotheses: Hypotheses::new(folder.clone()),
            advice: None,
            doubts: Vec::new(),
            words,
            tried: 0,
            told: 0,
            is_noted: false,
            output: options.output,
            algorithm: options.algorithm(),
            diagnosis,
            states: 0,
            helps: Vec::new(),
            confidence: options.confidence(),
            due: Instant::now(),
        }
    }

    /// Follows the advice of older models, if there are some.
    pub(crate) fn follow(&mut self, older: Vec<OlderModel>) {
        self.advice = (!older.is_empty()).then(|| Advice::new(self.subject.inputs, older));
        self.tell_advice();
    }

    /// What is new about older models.
    fn tell_advice(&mut self) {
        let news = self.advice.as_mut().map(Advice::take_news).unwrap_or_default();
        for note in news {
            self.progress.note(&format!("Note: {note}"));
            self.output.event(&Event::Note { message: note.clone() });
            self.doubts.push(note);
        }
    }

    /// The run is over: what it cost.
    pub(crate) fn finish<D: DeviceUnderTest<Error = E>>(
        &self,
        options: &RunOptions,
        ending: &Outcome<E>,
        session: &HostSession,
        tally: Tally,
        device: &D,
        elapsed: Duration,
    ) -> Statistics {
        self.progress.finish();
        let hypothesis = self.oracle.as_ref().zip(session.hypothesis());
        let mut warnings = device.warnings().to_vec();
        warnings.extend(self.hypotheses.warning().map(str::to_owned));
        warnings.extend(self.doubts.iter().cloned());
        if let Some(diagnosis) = &self.diagnosis {
            warnings.extend(diagnosis.borrow().findings().iter().map(|it| it.text.clone()));
        }
        let refuted = session.is_refuted();
        // What a partial model does not know is no difference, and what it guesses may be one.
        let is_partial = session.hypothesis().is_some_and(is_partial);
        let hypothesis = hypothesis.filter(|_| !is_partial);
        let equals_model = hypothesis.map(|(oracle, h)| oracle.counterexample(h).is_none());
        let is_open = !is_partial && !refuted && equals_model != Some(true);
        let confidence = Confidence::new(session, tally.tried).filter(|_| is_open);
        Statistics {
            refuted,
            equals_model,
            inputs: self.subject.inputs.len(),
            device: tally.device.into(),
            recalled: tally.recalled,
            contradictions: tally.strays,
            confidence,
            published: self.published.as_ref().map(Published::from),
            advice: self.advice.iter().flat_map(Advice::advised).map(Into::into).collect(),
            retries: self.retries,
            hypotheses: self.hypotheses.rounds().to_vec(),
            warnings,
            serial: device.serial(),
            seconds: elapsed.as_secs_f64(),
            ..Statistics::new(options.statistics(), ending, session.progress())
        }
    }
}

impl<E: Error> ObserveRun<E> for Observer<'_, E> {
    fn asking(&mut self, session: &HostSession, tally: &Tally) {
        self.progress.asking(session, tally);
        if self.output.is_json() && self.due <= Instant::now() {
            self.due = Instant::now() + TOLD;
            let run = self.run_progress(session);
            let run = RunProgress {
                confidence: Some(Confidence::new(session, tally.tried)),
                seconds_left: run.known.map(|_| self.progress.seconds_left()),
                ..run
            };
            self.output.event(&Event::Progress(ProgressEvent::Run(run)));
        }
    }

    fn begins_anew(&mut self, _: &Tally) {
        if !self.is_noted {
            self.is_noted = true;
            let note = "the device has contradicted itself: what was learned is confirmed by asking \
                        again, and what it says most often stands; `mealybug check` finds out whether the \
                        reset is real";
            self.progress.note(note);
            self.output.event(&Event::Note { message: note.to_owned() });
        }
        self.hypotheses.begin_anew();
        if let Some(advice) = &mut self.advice {
            advice.begin_anew();
        }
        self.told = 0;
    }

    fn word(&mut self, session: &HostSession, _: u32) {
        self.away = None;
        self.tell_findings(session);
    }

    fn heard(&mut self, position: usize, output: &[u8]) {
        if let Some(advice) = &mut self.advice {
            advice.hear(position, output);
        }
    }

    fn answered(&mut self, purpose: Purpose, word: &[Input]) {
        if let Some(advice) = &mut self.advice {
            advice.answered(word);
        }
        if let Some(published) = &mut self.published {
            published.ask(purpose, word.iter().copied());
        }
    }

    fn hypothesis(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>) -> Verdict {
        let round = session.progress().rounds;
        let advised = self.advice.as_mut().and_then(|advice| advice.word(round, hypothesis));
        self.progress.advised(self.advice.as_ref().map(Advice::total));
        if round > self.told {
            self.told = round;
            self.tried = 0;
            self.progress.hypothesis(session);
            self.output.event(&Event::Hypothesis(self.run_progress(session)));
            self.hypotheses.take(session, hypothesis, self.subject.inputs);
        }
        self.tell_advice();
        if let Some(word) = advised {
            return Verdict::Advice(word);
        }
        if let Some(word) = self.words.get(self.tried) {
            self.tried += 1;
            return Verdict::Counterexample(word.clone());
        }
        let Some(oracle) = self.oracle.as_ref().filter(|_| self.ends_at_equality) else {
            return Verdict::Test;
        };
        match oracle.counterexample(hypothesis) {
            None => Verdict::Equivalent,
            Some(word) if self.tests_by_model => Verdict::Counterexample(word),
            Some(_) => Verdict::Test,
        }
    }

    fn tests_in_a_row(&mut self, session: &HostSession) -> Option<u64> {
        confidence::tests_in_a_row(self.confidence?, session)
    }

    fn retry(&mut self, failure: &Failure<E>, attempts: u32) -> bool {
        if (self.is_away)(&failure.error) {
            return self.wait_for_device(&failure.error);
        }
        self.away = None;
        let again = attempts < ATTEMPTS && (self.is_worth_a_retry)(&failure.error);
        if again {
            self.retries += 1;
            let place = failure::place(&failure.word, failure.sent, self.subject.inputs);
            let (error, of) = (&failure.error, ATTEMPTS - 1);
            let note = format!("{error}, {place}; asking the word again ({attempts} of {of})");
            self.progress.note(&note);
            self.output.event(&Event::Retry { message: note, attempt: attempts });
            self.tell_help(&failure.error);
        }
        again
    }
}

impl<E: Error> Observer<'_, E> {
    /// The state of the run, for programs.
    fn run_progress(&self, session: &HostSession) -> RunProgress {
        let advice = self.advice.as_ref().map(|advice| AdviceProgress::from(advice.total()));
        RunProgress { advice, ..RunProgress::new(self.algorithm, &session.progress()) }
    }

    /// What to do about a failure, once.
    fn tell_help(&mut self, error: &E) {
        let Some(help) = (self.help)(error).filter(|help| !self.helps.contains(help)) else {
            return;
        };
        self.progress.note(&format!("  {help}"));
        self.output.event(&Event::Note { message: help.clone() });
        self.helps.push(help);
    }

    /// Findings that are new.
    fn tell_findings(&mut self, session: &HostSession) {
        let Some(diagnosis) = &self.diagnosis else { return };
        let mut diagnosis = diagnosis.borrow_mut();
        let states = session.progress().short_rows;
        if states != self.states {
            self.states = states;
            let mut access: Vec<_> = session.newest_access().collect();
            access.reverse();
            diagnosis.state(access, states);
        }
        for finding in diagnosis.take() {
            self.progress.note(&format!("Hint: {}", finding.text));
            let (kind, message) = (finding.kind.name().to_owned(), finding.text.clone());
            self.output.event(&Event::Hint { kind, message });
        }
    }

    /// Lets some time pass, unless the device has been away for too long; it is looked for again by
    /// asking the word again.
    fn wait_for_device(&mut self, error: &E) -> bool {
        let absence = self.absence.as_secs_f64();
        let since = match self.away {
            Some(since) => since,
            None => {
                let note = format!("{error}; waiting up to {absence} s for it to come back");
                self.progress.note(&note);
                self.output.event(&Event::Note { message: note });
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

/// Whether there are transitions whose target or output is not known.
fn is_partial(hypothesis: Hypothesis<'_>) -> bool {
    hypothesis.components().any(|component| !Component::from(&component).gaps().is_empty())
}
