//! Observes a run: shows it, counts it, keeps its hypotheses, and decides what a hypothesis is worth.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use mealybug::advice::{Advice, OlderModel};
use mealybug::algorithm::Algorithm;
use mealybug::confidence::{self, Confidence};
use mealybug::diagnosis::{Diagnosis, Finding, FindingKind};
use mealybug::events::{AdviceProgress, Confirming, Event, ProgressEvent, RunProgress};
use mealybug::hypotheses::Hypotheses;
use mealybug::learn::{
    self, Failure, HostSession, ObserveRun, Outcome, PublishedCosts, Tally, Verdict,
};
use mealybug::learned_components::LearnedComponents;
use mealybug::machine::ProductComponent;
use mealybug::statistics::{Published, Statistics, number};
use mealybug::store::AnswerTree;
use mealybug_core::{Hypothesis, Input, Purpose};

use crate::endpoint::{Endpoint, EndpointError, Subject};
use crate::files::change_file::ChangeFile;
use crate::run::board_news::{BoardNews, Tell};
use crate::run::last_look::LastDoubts;
use crate::run::live::LiveRun;
use crate::run::notes::Notes;
use crate::run::one_state;
use crate::run::options::RunOptions;
use crate::run::progress::ProgressLine;
use crate::run::reset_doubt::ResetDoubt;
use crate::run::retry::{self, Patience};
use crate::run::truth::Truth;

/// How often programs hear of the progress.
pub(crate) const TOLD: Duration = Duration::from_secs(1);

/// Observes a run.
pub(crate) struct Observer<'a> {
    subject: Subject<'a>,
    algorithm: Algorithm,
    /// How sure the result must be, if no number of tests is given.
    confidence: Option<f64>,
    progress: ProgressLine,
    notes: Notes,
    is_json: bool,
    /// When programs hear of the progress again.
    due: Instant,
    truth: Option<Truth<'a>>,
    patience: Patience,
    /// What the device was asked.
    tally: Tally,
    interrupted: &'a AtomicBool,
    hypotheses: Hypotheses,
    /// How many hypotheses were shown and kept.
    shown: u64,
    /// What older models advise, if there are some.
    advice: Option<Advice>,
    /// Why their advice was not followed.
    doubts: Vec<String>,
    reset_doubt: ResetDoubt,
    last_doubts: LastDoubts,
    /// Words that are tests of every hypothesis, and how many this one has had.
    words: Vec<Vec<Input>>,
    tried: usize,
    published: Option<PublishedCosts>,
    diagnosis: Option<Rc<RefCell<Diagnosis>>>,
    /// How many access words there were when the diagnosis last heard of the newest one.
    access_words: u32,
    /// Whether the user knows that the device contradicts itself.
    is_contradiction_told: bool,
    /// Whether `mealybug check` can ask the device.
    can_be_checked: bool,
    /// The page of `--live`.
    live: Option<LiveRun>,
    /// The boards, if there are several.
    boards: Option<Arc<BoardNews>>,
}

impl<'a> Observer<'a> {
    /// Begins to observe; `hypotheses` keeps them, `words` are tests of every hypothesis.
    pub(crate) fn new(
        subject: Subject<'a>,
        options: &RunOptions,
        hypotheses: Hypotheses,
        diagnosis: Option<Rc<RefCell<Diagnosis>>>,
        interrupted: &'a AtomicBool,
        words: Vec<Vec<Input>>,
        can_be_checked: bool,
    ) -> Self {
        let progress = ProgressLine::new(options);
        Self {
            subject,
            algorithm: options.algorithm(),
            confidence: options.confidence(),
            notes: progress.notes(),
            progress,
            is_json: options.output.is_json(),
            due: Instant::now(),
            truth: Truth::new(subject, options),
            patience: Patience::new(options.absence()),
            tally: Tally::default(),
            interrupted,
            hypotheses,
            shown: 0,
            advice: None,
            doubts: Vec::new(),
            reset_doubt: ResetDoubt::default(),
            last_doubts: LastDoubts::default(),
            words,
            tried: 0,
            published: options.is_paper().then(PublishedCosts::default),
            diagnosis,
            access_words: 0,
            is_contradiction_told: false,
            can_be_checked,
            live: None,
            boards: None,
        }
    }

    /// Shows the run on a page, and says where that is.
    pub(crate) fn show_on(&mut self, live: LiveRun) {
        self.notes.note("", &format!("the run can be seen at {}", live.url()));
        self.notes.keep(live.notes());
        self.live = Some(live);
    }

    /// Several boards answer: they speak through this observer.
    pub(crate) fn introduce(&mut self, boards: &Arc<BoardNews>) {
        boards.begin(self.notes.clone());
        self.progress.show_boards(Arc::clone(boards));
        self.boards = Some(Arc::clone(boards));
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
            self.notes.note("Note: ", &note);
            self.doubts.push(note);
        }
    }

    /// The run is over: whether all answers agree with the reset. With a stated `noise`, a single odd answer proves nothing.
    pub(crate) fn doubt_reset(&mut self, answers: Option<&AnswerTree>, device: &Endpoint<'_>) {
        let is_noisy = device.noise().is_some_and(|noise| noise > 0.0);
        if let Some(answers) = answers.filter(|_| !is_noisy) {
            let is_silence = |input, output: &str| device.is_silence(input, output);
            let (names, means) = (self.subject.inputs, device.means());
            let doubt = ResetDoubt::find(answers, names, means, is_silence);
            self.reset_doubt = match self.subject.address.map(ChangeFile::of) {
                Some(known) => doubt.with_known(&known, answers, names, means),
                None => doubt,
            };
        }
    }

    /// The run has converged, and takes a last look at the device.
    pub(crate) fn looks(&mut self, what: &str) {
        self.progress.look(what);
    }

    /// Keeps what the last look has found.
    pub(crate) fn doubt_answers(&mut self, doubts: LastDoubts) {
        self.last_doubts = doubts;
    }

    /// The results of this session take the place of those of an earlier one.
    pub(crate) fn release_hypotheses(&mut self) {
        self.hypotheses.release();
    }

    /// The run is over: what it cost.
    pub(crate) fn finish(
        &self,
        options: &RunOptions,
        ending: &Outcome<EndpointError>,
        session: &HostSession,
        tally: Tally,
        device: &Endpoint<'_>,
        elapsed: Duration,
    ) -> Statistics {
        self.progress.finish();
        let boards = device.boards();
        let failures: u64 = boards.iter().map(|board| board.failures).sum();
        let retries = self.patience.retries() + failures;
        let mut warnings = device.warnings();
        warnings.extend(retry::note(retries, tally.device.resets));
        warnings.extend(self.warnings(ending));
        let of_device =
            session.hypothesis().filter(|_| ending.is_converged() && self.truth.is_none());
        warnings.extend(of_device.and_then(|it| one_state::note(it, device.has_file())));
        let refuted = !ending.is_converged() && learn::is_contradicted(session);
        // What a partial model does not know is no difference, and what it guesses may be one.
        let is_partial = session.hypothesis().is_some_and(is_partial);
        let compared = self.truth.as_ref().zip(session.hypothesis()).filter(|_| !is_partial);
        let equals_model = compared.map(|(truth, hypothesis)| truth.equals(hypothesis));
        let is_right = equals_model == Some(true);
        let is_open = !is_partial && !refuted && !is_right && !is_mute(ending);
        let confidence = Confidence::new(session, tally.tried).filter(|_| is_open);
        let pace = self.pace(&tally, elapsed);
        let goal = 1.0 - options.confidence().unwrap_or(confidence::DEFAULT);
        let confidence = confidence.map(|it| it.with_pace(session, goal, pace));
        Statistics {
            refuted,
            equals_model,
            inputs: self.subject.inputs.len(),
            device: tally.device.into(),
            recalled: tally.recalled,
            contradictions: tally.strays,
            gone_answers: self.reset_doubt.words,
            late_words: self.last_doubts.known.late_words,
            refuting_words: self.last_doubts.known.refuting_words.clone(),
            confidence,
            published: self.published.as_ref().map(Published::from),
            advice: self.advice.iter().flat_map(Advice::advised).map(Into::into).collect(),
            retries,
            hypotheses: self.hypotheses.rounds().to_vec(),
            warnings,
            serial: device.serial(),
            boards,
            seconds: elapsed.as_secs_f64(),
            ..Statistics::new(options.statistics(), ending, session.progress())
        }
    }

    /// What was found in this run that may make its model wrong.
    fn warnings(&self, ending: &Outcome<EndpointError>) -> Vec<String> {
        let is_moot = |finding: &Finding| match finding.kind {
            // The doubt says the same, and better.
            FindingKind::ResetLeaves => self.reset_doubt.text.is_some(),
            // What grew has come to an end.
            FindingKind::GrowingWord => ending.is_converged(),
            // The error says it.
            FindingKind::NoAnswer => is_mute(ending),
            _ => false,
        };
        let mut warnings: Vec<_> =
            self.hypotheses.warning().map(str::to_owned).into_iter().collect();
        warnings.extend(self.doubts.iter().cloned());
        if let Some(diagnosis) = &self.diagnosis {
            let findings = diagnosis.borrow().findings();
            warnings.extend(findings.into_iter().filter(|it| !is_moot(it)).map(|it| it.text));
        }
        warnings.extend(self.reset_doubt.text.clone());
        warnings.extend(self.last_doubts.notes.iter().cloned());
        warnings
    }

    /// How many resets and symbols a second took, without the last look. In simulation nothing takes time.
    fn pace(&self, tally: &Tally, elapsed: Duration) -> f64 {
        let LastDoubts { asked: looked, took, .. } = &self.last_doubts;
        let asked = (tally.device.resets + tally.device.symbols)
            .saturating_sub(looked.resets + looked.symbols);
        let asked = if self.truth.is_none() { asked } else { 0 };
        let spent = elapsed.saturating_sub(*took).as_secs_f64();
        f64::from(u32::try_from(asked).unwrap_or(u32::MAX)) / spent
    }
}

impl ObserveRun<EndpointError> for Observer<'_> {
    fn begins(&mut self, until: Option<Instant>) {
        if let Some((boards, until)) = self.boards.as_ref().zip(until) {
            boards.end_at(until);
        }
    }

    fn asking(&mut self, session: &HostSession, tally: &Tally) {
        self.tally = *tally;
        if !tally.is_replay {
            self.hypotheses.release();
        }
        self.progress.asking(session, tally);
        if let Some(live) = self.live.as_mut().filter(|live| live.is_due()) {
            let (phase, mut facts) = self.progress.facts(session, tally);
            facts.push(("asked again after faults", number(self.patience.retries())));
            live.show(phase, facts);
        }
        if self.is_json && self.due <= Instant::now() {
            self.due = Instant::now() + TOLD;
            let run = self.run_progress(session);
            // A table does not tell how much of it is left.
            let is_foreseen = run.known.is_some() || session.progress().purpose == Purpose::Testing;
            let run = RunProgress {
                confirming: tally.confirming.map(|(done, of)| Confirming { done, of }),
                confidence: Some(self.progress.confidence(session, tally)),
                seconds_left: is_foreseen.then(|| self.progress.seconds_left()),
                ..run
            };
            self.notes.event(&Event::Progress(ProgressEvent::Run(Box::new(run))));
        }
    }

    fn begins_anew(&mut self, _: &Tally) {
        if !self.is_contradiction_told {
            self.is_contradiction_told = true;
            let check = match self.can_be_checked {
                true => "; `mealybug check` finds out whether the reset is real",
                false => "",
            };
            let note = format!(
                "the device has contradicted itself: what rests on the doubtful answer is asked again, and \
                 what it says most often stands{check}"
            );
            self.notes.note("", &note);
        }
        self.progress.begin_anew();
        self.hypotheses.begin_anew();
        if let Some(advice) = &mut self.advice {
            advice.begin_anew();
        }
        self.shown = 0;
    }

    fn word(&mut self, session: &HostSession, answers: Option<&AnswerTree>) {
        self.patience.device_is_there(&self.notes);
        self.tell_findings(session, answers);
        if let Some(live) = &mut self.live {
            live.word();
        }
    }

    fn heard(&mut self, position: usize, output: &[u8]) {
        if let Some(live) = &mut self.live {
            live.heard(position, output);
        }
        if let Some(advice) = &mut self.advice {
            advice.hear(position, output);
        }
    }

    fn answered(&mut self, purpose: Purpose, word: &[Input]) {
        if let Some(live) = &mut self.live {
            live.answered(purpose, word);
        }
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
        if round > self.shown {
            self.shown = round;
            self.tried = 0;
            self.progress.hypothesis(session);
            self.notes.event(&Event::Hypothesis(self.run_progress(session)));
            self.hypotheses.take(session, hypothesis, self.subject.inputs);
            if let Some(live) = &mut self.live {
                let projections = session.options().projections;
                live.hypothesis(
                    round,
                    LearnedComponents::new(hypothesis, self.subject.inputs, projections),
                );
            }
        }
        self.tell_advice();
        if let Some(word) = advised {
            return Verdict::Advice(word);
        }
        if let Some(word) = self.words.get(self.tried) {
            self.tried += 1;
            return Verdict::Counterexample(word.clone());
        }
        self.truth.as_ref().map_or(Verdict::Test, |truth| truth.verdict(hypothesis))
    }

    fn tests_in_a_row(&mut self, session: &HostSession) -> Option<u64> {
        confidence::tests_in_a_row(self.confidence?, session)
    }

    fn retry(&mut self, failure: &Failure<EndpointError>, _: u32) -> bool {
        if failure.error.is_away() {
            self.progress.wait_for_device();
            if let Some(live) = &mut self.live {
                live.waits();
            }
        }
        let Self { subject, tally, notes, interrupted, .. } = self;
        self.patience.retry(failure, tally, subject.inputs, notes, interrupted)
    }
}

impl Observer<'_> {
    /// The state of the run, for programs.
    fn run_progress(&self, session: &HostSession) -> RunProgress {
        let advice = self.advice.as_ref().map(|advice| AdviceProgress::from(advice.total()));
        RunProgress { advice, ..RunProgress::new(self.algorithm, &session.progress()) }
    }

    /// Findings that are new; what they propose is tried on all answers.
    pub(crate) fn tell_findings(&mut self, session: &HostSession, answers: Option<&AnswerTree>) {
        let Some((diagnosis, answers)) = self.diagnosis.as_ref().zip(answers) else { return };
        let mut diagnosis = diagnosis.borrow_mut();
        let states = session.progress().short_rows;
        if states != self.access_words {
            self.access_words = states;
            let mut access: Vec<_> = session.newest_access().collect();
            access.reverse();
            diagnosis.state(access, states);
        }
        for finding in diagnosis.take(answers) {
            self.notes.hint(finding.kind.name(), &finding.text);
        }
    }
}

/// Whether the run ended because the device says nothing.
fn is_mute(ending: &Outcome<EndpointError>) -> bool {
    matches!(ending, Outcome::Failure(Failure { error: EndpointError::Mute { .. }, .. }))
}

/// Whether there are transitions whose target or output is not known.
fn is_partial(hypothesis: Hypothesis<'_>) -> bool {
    hypothesis.components().any(|component| !ProductComponent::from(&component).gaps().is_empty())
}
