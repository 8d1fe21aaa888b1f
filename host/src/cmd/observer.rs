//! What stands beside a run: shows it, counts it, and in simulation knows the right model.

use std::error::Error;
use std::time::Duration;

use mealybug::hypotheses::Hypotheses;
use mealybug::learn::{
    Counted, Ending, Failure, HostSession, Oracle, PublishedCosts, Verdict, Watch,
};
use mealybug::run_folder::RunFolder;
use mealybug::statistics::{Published, Statistics};
use mealybug_core::{Hypothesis, Tests};

use super::device::Device;
use super::options::RunOptions;
use super::progress::Progress;
use super::run::Subject;
use super::trouble;

/// A word is asked so often before the run gives up.
const ATTEMPTS: u32 = 4;

/// Watches a run with a device whose errors are `E`.
pub(crate) struct Observer<'a, E> {
    subject: Subject<'a>,
    progress: Progress,
    oracle: Option<Oracle<'a>>,
    /// Whether a hypothesis that equals the model ends the run.
    ends_at_equality: bool,
    /// Whether the model says what is wrong.
    tests_by_model: bool,
    published: Option<PublishedCosts>,
    is_worth_a_retry: fn(&E) -> bool,
    retries: u64,
    hypotheses: Hypotheses,
}

impl<'a, E> Observer<'a, E> {
    /// Begins to watch; `folder` is that of the run.
    pub(crate) fn new<D: Device<Error = E>>(
        subject: Subject<'a>,
        options: &RunOptions,
        folder: &RunFolder,
    ) -> Self {
        let is_suite = matches!(options.tests(), Tests::W { .. } | Tests::Wp { .. });
        Self {
            subject,
            progress: Progress::new(options),
            oracle: subject.model.map(Oracle::new),
            ends_at_equality: options.is_paper() || !is_suite,
            tests_by_model: options.tests() == Tests::External,
            published: options.is_paper().then(PublishedCosts::default),
            is_worth_a_retry: D::is_worth_a_retry,
            retries: 0,
            hypotheses: Hypotheses::new(folder.clone()),
        }
    }

    /// The run is over: what it cost.
    pub(crate) fn finish<D: Device<Error = E>>(
        &self,
        options: &RunOptions,
        ending: &Ending<E>,
        session: &HostSession,
        sul: &Counted<D>,
        elapsed: Duration,
    ) -> Statistics {
        self.progress.finish();
        let hypothesis = self.oracle.as_ref().zip(session.hypothesis());
        let mut warnings = sul.sul().warnings().to_vec();
        warnings.extend(self.hypotheses.warning().map(str::to_owned));
        Statistics {
            refuted: session.is_refuted(),
            equals_model: hypothesis.map(|(oracle, h)| oracle.counterexample(h).is_none()),
            inputs: self.subject.inputs.len(),
            device: sul.costs().into(),
            published: self.published.as_ref().map(Published::from),
            retries: self.retries,
            hypotheses: self.hypotheses.rounds().to_vec(),
            warnings,
            serial: sul.sul().serial(),
            seconds: elapsed.as_secs_f64(),
            ..Statistics::new(options.statistics(), ending, session.progress())
        }
    }
}

impl<E: Error> Watch<E> for Observer<'_, E> {
    fn asking(&mut self, session: &HostSession) {
        self.progress.asking(session);
    }

    fn word(&mut self, session: &HostSession) {
        if let Some(published) = &mut self.published {
            published.ask(session.purpose(), session.word(0));
        }
    }

    fn hypothesis(&mut self, session: &HostSession, hypothesis: Hypothesis<'_>) -> Verdict {
        self.progress.hypothesis(session);
        self.hypotheses.take(session, hypothesis, self.subject.inputs);
        let Some(oracle) = self.oracle.as_ref().filter(|_| self.ends_at_equality) else {
            return Verdict::Test;
        };
        match oracle.counterexample(hypothesis) {
            None => Verdict::Equivalent,
            Some(word) if self.tests_by_model => Verdict::Counterexample(word),
            Some(_) => Verdict::Test,
        }
    }

    fn retry(&mut self, failure: &Failure<E>, attempts: u32) -> bool {
        let again = attempts < ATTEMPTS && (self.is_worth_a_retry)(&failure.error);
        if again {
            self.retries += 1;
            let place = trouble::place(&failure.word, failure.sent, self.subject.inputs);
            let (error, of) = (&failure.error, ATTEMPTS - 1);
            let note = format!("{error}, {place}; asking the word again ({attempts} of {of})");
            self.progress.note(&note);
        }
        again
    }
}
