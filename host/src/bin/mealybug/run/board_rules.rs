//! Which boards go on: each fails as a single one would.

use std::sync::Arc;
use std::time::Duration;

use mealybug::boards::{self, AfterFailure, Disagreement};
use mealybug::learn::{Failure, Tally};
use mealybug::serial::LinkError;
use mealybug_core::{Costs, Input};

use crate::endpoint::EndpointError;
use crate::run::board_news::BoardNews;
use crate::run::failure;
use crate::run::retry::{Patience, Retry};

/// The most disagreements that are told of one by one; statistics.json counts them all.
const TOLD: usize = 10;

/// The patience with each board.
pub(crate) struct BoardRules {
    patience: Vec<Patience>,
    news: Arc<BoardNews>,
    /// The names of the inputs.
    inputs: Vec<String>,
    told: usize,
}

impl BoardRules {
    /// The rules for boards that may be away for `absence`.
    pub(crate) fn new(news: Arc<BoardNews>, inputs: &[String], absence: Duration) -> Self {
        let patience = |name: &String| Patience::new(absence).of_board(name);
        let patience = news.names().iter().map(patience).collect();
        Self { patience, news, inputs: inputs.to_vec(), told: 0 }
    }
}

impl boards::BoardPolicy<EndpointError> for BoardRules {
    fn failed(
        &mut self,
        board: usize,
        failure: &Failure<EndpointError>,
        has_answered: bool,
        asked: Costs,
    ) -> AfterFailure {
        let Some(notes) = self.news.notes() else { return AfterFailure::LeaveOut };
        let patience = &mut self.patience[board];
        if has_answered {
            patience.device_is_there(notes);
        }
        match patience.judge(
            failure,
            &Tally { device: asked, ..Tally::default() },
            &self.inputs,
            notes,
        ) {
            Retry::Now => AfterFailure::AskAgain,
            Retry::In(time) => AfterFailure::Wait(time),
            Retry::Never => AfterFailure::LeaveOut,
        }
    }

    fn doubtful(&mut self, error: &EndpointError) -> Option<Vec<Input>> {
        let EndpointError::Port(LinkError::Suspect { inputs, .. }) = error else { return None };
        let word: Vec<_> = inputs.iter().copied().map(Input::new).collect();
        self.news.doubtful().add(word.clone());
        Some(word)
    }

    fn all_are_away(&mut self) {
        if let Some(notes) = self.news.notes() {
            notes.waits();
        }
    }

    fn is_over(&self) -> bool {
        self.news.is_over()
    }

    fn left_out(&mut self, board: usize, error: &EndpointError, left: usize) {
        self.news.set_left(left);
        if let Some(notes) = self.news.notes() {
            let name = &self.news.names()[board];
            notes.note("", &format!("{name} is left out: {error}; {}", self.news));
        }
    }

    fn disagree(&mut self, disagreement: &Disagreement) {
        let Some(notes) = self.news.notes().filter(|_| self.told < TOLD) else { return };
        self.told += 1;
        let Disagreement { word, answers } = disagreement;
        let place = failure::place(word, word.len(), &self.inputs);
        let outputs = failure::shown_outputs(answers.iter().map(|(_, output)| output.as_slice()));
        let said =
            |at: usize| format!("{} answered `{}`", self.news.names()[answers[at].0], outputs[at]);
        let [one, other] = [said(0), said(1)];
        let more = if self.told == TOLD { "; more is counted in statistics.json" } else { "" };
        notes.note("", &format!("boards disagree, {place}: {one}, {other}{more}"));
    }
}
