//! Many runs, on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use mealybug::learn::Limits;

use crate::row_file::CsvRecord;

/// A run that can be made.
pub(crate) trait Task: Sync {
    /// What is known about it when it has ended.
    type Row: CsvRecord;

    /// The key of its row.
    fn key(&self) -> <Self::Row as CsvRecord>::Key;

    /// A few words, for people.
    fn name(&self) -> String;

    /// Makes the run. `None` if it was interrupted.
    fn run(&self, caps: &Caps<'_>) -> Option<Self::Row>;
}

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caps<'a> {
    /// The most symbols of testing.
    pub(crate) testing_symbols: u64,
    /// Memory, time, and whether to stop now.
    pub(crate) limits: Limits<'a>,
}

/// What a worker has done.
#[derive(Debug)]
pub(crate) enum RunEvent<R> {
    /// It has begun the run at this position.
    Begun(usize),
    /// The run at this position has ended, with this row if it was not interrupted.
    Ended(usize, Option<R>),
}

/// Makes runs on this many threads, in their order; `hear` is told when they begin and end.
pub(crate) fn work<T: Task>(
    tasks: &[T],
    threads: usize,
    caps: &Caps<'_>,
    hear: impl FnMut(RunEvent<T::Row>),
) {
    let next = AtomicUsize::new(0);
    let worker = |sender: Sender<RunEvent<T::Row>>| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(at) else { return };
            if caps.limits.interrupted.load(Ordering::Relaxed) {
                return;
            }
            let send = |event| sender.send(event).expect("it is heard until all workers are done");
            send(RunEvent::Begun(at));
            send(RunEvent::Ended(at, task.run(caps)));
        }
    };
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..threads.min(tasks.len()) {
            let sender = sender.clone();
            scope.spawn(|| worker(sender));
        }
        drop(sender);
        receiver.into_iter().for_each(hear);
    });
}
