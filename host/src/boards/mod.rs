//! Several boards with the same device, which answer words at the same time.
//!
//! [`Boards`] is a [`Sul`]. It hands announced words to boards that are free, each board in a thread of its own, and
//! gives their answers to the caller in the order in which the caller asks. So the learner's words are the same as with
//! one board.
//!
//! - A word that may go on ([`Sul::announce_open`]) keeps its board until the caller goes on with it or drops it: the
//!   board need not be reset again for the rest.
//! - A word that is asked again is asked on a board that has not answered it yet, if there is one.
//! - A board that failed asks its word again, waits, or is left out, as [`BoardPolicy`] say; the words of a board that
//!   waits or is left out are asked on others.
//! - The answers of each board are kept, and compared with those of the others ([`Disagreement`]).
//!
//! Each answer is in the log of its board ([`BoardLog`]) before the board is asked the next input. The caller is given it, and
//! stores it in order, when its turn comes. Words that the caller drops (tests of a hypothesis that another test refuted)
//! are added to [`AheadAnswers`] if they were answered: whoever wants such a word after all need not ask it again.

mod error;
mod rules;
mod schedule;
#[cfg(test)]
mod tests;
mod worker;

use std::cell::{OnceCell, RefCell};
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mealybug_core::{Input, Sul};

use crate::store::{AheadAnswers, BoardLog};
pub use error::BoardsError;

pub use rules::{AfterFailure, BoardCounts, BoardPolicy, Disagreement};

use worker::{BoardsState, LOOK, Shared};

/// For each board so many words should be announced. While one board asks a long test, the others then have words: the
/// longest tests are about 16 times as long as the mean (docs/measurements/boards.md).
pub const LANES_PER_BOARD: u32 = 16;

/// Several boards with the same device.
pub struct Boards<S: Sul> {
    shared: Arc<Shared<S::Error>>,
    threads: RefCell<Vec<JoinHandle<S>>>,
    stopped: OnceCell<Vec<S>>,
    rules: Box<dyn BoardPolicy<S::Error> + Send>,
    ahead: AheadAnswers,
    /// The outputs to the current word that the caller was given; `None` after a plain reset.
    given: Option<Vec<Arc<[u8]>>>,
    /// How long the last reset or input took.
    took: Option<Duration>,
    /// What the board said for the last output.
    reply: Option<Arc<[u8]>>,
}

impl<S: Sul> fmt::Debug for Boards<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Boards").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

impl<S> Boards<S>
where
    S: Sul<Error: Error + Send + 'static> + Send + 'static,
{
    /// Starts a thread for each board, which writes what the board says to its log. Words that are answered and dropped are
    /// added to `ahead`. Waiting for an answer fails once `interrupted` is true.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(
        boards: Vec<(S, BoardLog)>,
        ahead: AheadAnswers,
        rules: Box<dyn BoardPolicy<S::Error> + Send>,
        interrupted: Arc<AtomicBool>,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::new(boards.len(), interrupted));
        let all = Self {
            shared: Arc::clone(&shared),
            threads: RefCell::default(),
            stopped: OnceCell::new(),
            rules,
            ahead,
            given: None,
            took: None,
            reply: None,
        };
        for (number, (board, log)) in boards.into_iter().enumerate() {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name(format!("board {number}"));
            let thread = thread.spawn(move || worker::work(number, board, log, &shared))?;
            all.threads.borrow_mut().push(thread);
        }
        Ok(all)
    }
}

impl<S: Sul> Boards<S> {
    /// What each board was asked and did.
    pub fn counts(&self) -> Vec<BoardCounts> {
        self.shared.lock().schedule.counts()
    }

    /// What each board says to the last input of a word: its number, an output, and how often that came.
    pub fn said(&self, word: &[Input]) -> Vec<(usize, Vec<u8>, u32)> {
        self.shared.lock().schedule.said(word)
    }

    /// Ends the run on all boards, each after the input that it is asking, and returns them in their order.
    pub fn stop(&self) -> &[S] {
        self.stopped.get_or_init(|| {
            self.shared.change(|state| state.is_over = true);
            // A thread that panicked has said so.
            self.threads.take().into_iter().filter_map(|thread| thread.join().ok()).collect()
        })
    }

    /// Waits for something about the wanted word, and meanwhile decides about boards that failed.
    fn wait_for<T>(
        &mut self,
        found: impl Fn(&BoardsState<S::Error>) -> Option<T>,
    ) -> Result<T, BoardsError<S::Error>>
    where
        S::Error: Error + 'static,
    {
        loop {
            self.tell();
            self.judge()?;
            let mut state = self.shared.lock();
            if let Some(error) = state.store_error.take() {
                return Err(BoardsError::Store(error));
            }
            if let Some(found) = found(&state) {
                return Ok(found);
            }
            if self.shared.is_interrupted() || state.is_over || self.rules.is_over() {
                return Err(BoardsError::Interrupted);
            }
            if state.schedule.all_are_away() {
                self.rules.all_are_away();
            }
            if state.failures.is_empty() {
                drop(self.shared.wait(state, LOOK));
            }
        }
    }

    /// Tells of disagreements.
    fn tell(&mut self) {
        loop {
            let next = self.shared.lock().schedule.take_disagreement();
            let Some(disagreement) = next else { return };
            self.rules.disagree(&disagreement);
        }
    }

    /// Decides about boards that failed.
    fn judge(&mut self) -> Result<(), BoardsError<S::Error>>
    where
        S::Error: Error + 'static,
    {
        let failures = std::mem::take(&mut self.shared.lock().failures);
        for (board, failure, has_answered) in failures {
            // A wait that Ctrl-C ends is no failure of the board.
            if self.shared.is_interrupted() {
                return Err(BoardsError::Interrupted);
            }
            if let Some(word) = self.rules.doubtful(&failure.error) {
                self.shared.change(|state| state.schedule.doubt(board, &word));
                self.ahead.forget(&word);
            }
            let asked = self.shared.lock().schedule.counts()[board].asked;
            match self.rules.failed(board, &failure, has_answered, asked) {
                AfterFailure::AskAgain => {
                    self.shared.change(|state| state.schedule.ask_again(board));
                }
                AfterFailure::Wait(time) => {
                    let until = Instant::now() + time;
                    self.shared.change(|state| state.schedule.send_away(board, until));
                }
                AfterFailure::LeaveOut => {
                    let why = failure.error.to_string();
                    let left = self.shared.change(|state| state.schedule.leave_out(board, why));
                    self.rules.left_out(board, &failure.error, left);
                    if left == 0 {
                        return Err(BoardsError::NoneLeft(failure.error));
                    }
                }
            }
        }
        Ok(())
    }
}

impl<S: Sul<Error: Error + 'static>> Sul for Boards<S> {
    type Error = BoardsError<S::Error>;

    /// Asks nothing: the first input of a word comes with the reset.
    fn reset(&mut self) -> Result<(), Self::Error> {
        self.given = None;
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Self::Error> {
        if self.given.is_none() {
            self.reset_for(&[input])?;
        }
        let given = self.given.take().unwrap_or_default();
        self.shared.change(|state| {
            let Some(mut word) = state.schedule.wanted_inputs() else { return };
            if word.get(given.len()) != Some(&input) && !state.schedule.go_on(given.len(), input) {
                word.truncate(given.len());
                word.push(input);
                state.schedule.want(&word);
            }
        });
        let at = given.len();
        let (answers, last) = self.wait_for(|state| {
            let answers = state.schedule.answers();
            let last = answers.get(at)?.clone();
            let outputs = answers[..=at].iter().map(|answer| Arc::clone(&answer.output));
            Some((outputs.collect::<Vec<_>>(), last))
        })?;
        // The word was asked once more, since a board failed: mixing both answers would make one up.
        if answers[..at] != given[..] {
            return Err(BoardsError::Otherwise);
        }
        (self.took, self.reply) = (Some(last.took), last.reply);
        let given = self.given.insert(answers);
        Ok(given.last().map_or(&[], |output| output))
    }

    fn announce(&mut self, word: &[Input]) {
        self.shared.change(|state| state.schedule.announce(word, false));
    }

    fn announce_open(&mut self, word: &[Input]) {
        self.shared.change(|state| state.schedule.announce(word, true));
    }

    fn elapsed(&self) -> Option<Duration> {
        self.took
    }

    fn reply(&self) -> Option<&[u8]> {
        self.reply.as_deref()
    }

    fn reset_for(&mut self, word: &[Input]) -> Result<(), Self::Error> {
        self.given = Some(Vec::new());
        let dropped = self.shared.change(|state| {
            state.schedule.begin();
            state.schedule.want(word);
            state.schedule.take_dropped()
        });
        for (word, answers) in dropped {
            self.ahead.add(word, answers);
        }
        self.took = Some(self.wait_for(|state| state.schedule.reset_time())?);
        Ok(())
    }
}

impl<S: Sul> Drop for Boards<S> {
    fn drop(&mut self) {
        self.stop();
    }
}
