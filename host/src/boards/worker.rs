//! A board's thread: takes words and asks them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mealybug_core::{Input, Sul};

use super::schedule::{Answer, NextInput, Schedule};
use crate::learn::Failure;

/// What the threads share.
#[derive(Debug)]
pub(super) struct Shared<E> {
    state: Mutex<State<E>>,
    /// The state has changed.
    changed: Condvar,
}

#[derive(Debug)]
pub(super) struct State<E> {
    pub(super) schedule: Schedule,
    /// The boards that failed, and whether each has answered a whole word since it failed before.
    pub(super) failures: Vec<(usize, Failure<E>, bool)>,
    /// Whether the boards are to stop.
    pub(super) is_over: bool,
}

impl<E> Shared<E> {
    pub(super) fn new(boards: usize) -> Self {
        let schedule = Schedule::new(boards);
        let state = State { schedule, failures: Vec::new(), is_over: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State<E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and tells the other threads.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut State<E>) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits until the state has changed, at most this long.
    pub(super) fn wait<'s>(
        &self,
        state: MutexGuard<'s, State<E>>,
        at_most: Duration,
    ) -> MutexGuard<'s, State<E>> {
        let waited = self.changed.wait_timeout(state, at_most);
        waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state)
    }
}

/// How long a thread waits at most before it looks again.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// Asks words on a board until the run is over or the board is left out. Returns the board.
pub(super) fn work<S: Sul>(board: usize, mut sul: S, shared: &Shared<S::Error>) -> S {
    while let Some((id, inputs)) = next_word(board, shared) {
        let mut sent = 0;
        if let Err(error) = ask(board, &mut sul, shared, (id, &inputs), &mut sent) {
            shared.change(|state| {
                let word = state.schedule.inputs(id).unwrap_or(&inputs).to_vec();
                let has_answered = state.schedule.fail(board, id);
                state.failures.push((board, Failure { error, word, sent }, has_answered));
            });
        }
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
    shared: &Shared<S::Error>,
    (id, inputs): (u64, &[Input]),
    sent: &mut usize,
) -> Result<(), S::Error> {
    let started = Instant::now();
    sul.reset_for(inputs)?;
    shared.change(|state| state.schedule.reset(board, id, started.elapsed()));
    while let Some(input) = next_input(board, id, *sent, shared) {
        *sent += 1;
        let started = Instant::now();
        let output = sul.step(input)?.into();
        let answer = Answer { output, took: started.elapsed() };
        shared.change(|state| state.schedule.answer(board, id, answer));
    }
    Ok(())
}

/// The next input of a word; `None` if the board is done with it.
fn next_input<E>(board: usize, id: u64, sent: usize, shared: &Shared<E>) -> Option<Input> {
    let mut state = shared.lock();
    while !state.is_over {
        match state.schedule.next_input(board, id, sent) {
            NextInput::Ask(input) => return Some(input),
            NextInput::Over => {
                drop(state);
                shared.changed.notify_all();
                return None;
            }
            NextInput::Wait => state = shared.wait(state, Duration::MAX),
        }
    }
    None
}
