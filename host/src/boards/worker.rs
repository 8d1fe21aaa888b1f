//! A board's thread: takes words and asks them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mealybug_core::{Input, Sul};

use super::schedule::{AfterAnswer, Schedule};
use crate::learn::Failure;
use crate::store::{BoardLog, DeviceAnswer, StoreError};

/// What the threads share.
#[derive(Debug)]
pub(super) struct Shared<E> {
    state: Mutex<BoardsState<E>>,
    /// The state has changed.
    changed: Condvar,
    /// Whether the user wants the run to end.
    interrupted: Arc<AtomicBool>,
}

#[derive(Debug)]
pub(super) struct BoardsState<E> {
    pub(super) schedule: Schedule,
    /// The boards that failed, and whether each has answered a whole word since it failed before.
    pub(super) failures: Vec<(usize, Failure<E>, bool)>,
    /// Why what a board said cannot be stored.
    pub(super) store_error: Option<StoreError>,
    /// Whether the boards are to stop.
    pub(super) is_over: bool,
}

impl<E> Shared<E> {
    pub(super) fn new(boards: usize, interrupted: Arc<AtomicBool>) -> Self {
        let schedule = Schedule::new(boards);
        let state =
            BoardsState { schedule, failures: Vec::new(), store_error: None, is_over: false };
        Self { state: Mutex::new(state), changed: Condvar::new(), interrupted }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, BoardsState<E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and tells the other threads.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut BoardsState<E>) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits until the state has changed, at most this long.
    pub(super) fn wait<'s>(
        &self,
        state: MutexGuard<'s, BoardsState<E>>,
        at_most: Duration,
    ) -> MutexGuard<'s, BoardsState<E>> {
        let waited = self.changed.wait_timeout(state, at_most);
        waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state)
    }
}

/// How long a thread waits at most before it looks again.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// Why a word is not asked to its end.
enum Unfinished<E> {
    Device(E),
    Store(StoreError),
}

impl<E> From<StoreError> for Unfinished<E> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Asks words on a board until the run is over or the board is left out. Returns the board.
pub(super) fn work<S: Sul>(
    board: usize,
    mut sul: S,
    mut log: BoardLog,
    shared: &Shared<S::Error>,
) -> S {
    while let Some((id, inputs)) = next_word(board, shared) {
        let mut sent = 0;
        let error = match ask(board, &mut sul, &mut log, shared, (id, &inputs), &mut sent) {
            Ok(()) => continue,
            Err(Unfinished::Device(error)) => error,
            Err(Unfinished::Store(error)) => {
                shared.change(|state| state.store_error = Some(error));
                break;
            }
        };
        // The board may have said something after its last word that belongs to it. A wait that Ctrl-C ends says nothing.
        if sent == 0
            && !shared.is_interrupted()
            && let Err(error) = log.doubt()
        {
            shared.change(|state| state.store_error = Some(error));
            break;
        }
        shared.change(|state| {
            let word = state.schedule.inputs(id).unwrap_or(&inputs).to_vec();
            let has_answered = state.schedule.fail(board, id);
            state.failures.push((board, Failure { error, word, sent }, has_answered));
        });
    }
    sul
}

fn next_word<E>(board: usize, shared: &Shared<E>) -> Option<(u64, Vec<Input>)> {
    let mut state = shared.lock();
    loop {
        if state.is_over || state.schedule.is_left_out(board) {
            return None;
        }
        let now = Instant::now();
        if let Some(word) = state.schedule.next_word(board, now) {
            return Some(word);
        }
        let away = state.schedule.away_until(board).map(|until| until - now);
        state = shared.wait(state, away.unwrap_or(Duration::MAX));
    }
}

/// Asks a word; `sent` is how many of its inputs were sent.
fn ask<S: Sul>(
    board: usize,
    sul: &mut S,
    log: &mut BoardLog,
    shared: &Shared<S::Error>,
    (id, inputs): (u64, &[Input]),
    sent: &mut usize,
) -> Result<(), Unfinished<S::Error>> {
    let started = Instant::now();
    sul.reset_for(inputs).map_err(Unfinished::Device)?;
    log.reset()?;
    shared.change(|state| state.schedule.reset(board, id, started.elapsed()));
    while let Some(input) = next_input(board, id, *sent, shared) {
        *sent += 1;
        let started = Instant::now();
        let output = sul.step(input).map_err(Unfinished::Device)?.into();
        let (reply, took) = (sul.reply().map(Into::into), started.elapsed());
        let answer = DeviceAnswer { output, reply, took };
        log.answer(input, &answer)?;
        shared.change(|state| state.schedule.answer(board, id, answer));
    }
    log.sync()?;
    Ok(())
}

/// The next input of a word; `None` if the board is done with it.
fn next_input<E>(board: usize, id: u64, sent: usize, shared: &Shared<E>) -> Option<Input> {
    let mut state = shared.lock();
    while !state.is_over {
        match state.schedule.next_input(board, id, sent) {
            AfterAnswer::Ask(input) => return Some(input),
            AfterAnswer::Over => {
                drop(state);
                shared.changed.notify_all();
                return None;
            }
            AfterAnswer::Wait => state = shared.wait(state, Duration::MAX),
        }
    }
    None
}
