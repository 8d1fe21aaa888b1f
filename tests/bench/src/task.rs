//! Many runs, on several threads.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use mealybug::learn::Limits;

use crate::origin::MeasuredModel;
use crate::row_file::CsvRecord;

/// A run that can be made.
pub(crate) trait BenchTask: Sync {
    /// What is known about it when it has ended.
    type RunRow: CsvRecord;

    /// The key of its row.
    fn key(&self) -> <Self::RunRow as CsvRecord>::Key;

    /// Which model it learns.
    fn model(&self) -> MeasuredModel;

    /// A few words, for people.
    fn name(&self) -> String;

    /// Makes the run. `None` if it was interrupted.
    fn run(&self, caps: &Caps<'_>) -> Option<Self::RunRow>;
}

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caps<'a> {
    /// The most symbols of testing.
    pub(crate) testing_symbols: u64,
    /// Memory, time, and whether to stop now.
    pub(crate) limits: Limits<'a>,
}

impl Caps<'_> {
    /// The limits of symbols and time, as on the command line.
    pub(crate) fn written(&self) -> String {
        let time = self.limits.time.map(humantime::format_duration);
        let time = time.map_or_else(String::new, |time| format!(" --max-time {time}"));
        format!("--max-symbols {}{time}", self.testing_symbols)
    }
}

/// What a worker has done.
#[derive(Debug)]
pub(crate) enum RunEvent<R> {
    /// It has begun the run at this position.
    Begun(usize),
    /// The run at this position has ended, with this row if it was not interrupted.
    Ended(usize, Option<R>),
    /// The run at this position panicked, with this message.
    Failed(usize, String),
}

/// Makes runs on this many threads, in their order; `hear` is told when they begin and end.
pub(crate) fn work<T: BenchTask>(
    tasks: &[T],
    threads: usize,
    caps: &Caps<'_>,
    hear: impl FnMut(RunEvent<T::RunRow>),
) {
    let next = AtomicUsize::new(0);
    let worker = |sender: Sender<RunEvent<T::RunRow>>| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(at) else { return };
            if caps.limits.interrupted.load(Ordering::Relaxed) {
                return;
            }
            let send = |event| sender.send(event).expect("it is heard until all workers are done");
            send(RunEvent::Begun(at));
            // A fault that one model brings to light must not end a night of other runs.
            let ended = catch_unwind(AssertUnwindSafe(|| task.run(caps)));
            send(match ended {
                Ok(row) => RunEvent::Ended(at, row),
                Err(panic) => RunEvent::Failed(at, message(panic.as_ref())),
            });
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

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("a fault of this program: {}", text.unwrap_or("it panicked"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::testing::row;
    use crate::row::{RowKey, RunRow};

    /// A run that panics if its number is odd.
    struct OddPanics(u64);

    impl BenchTask for OddPanics {
        type RunRow = RunRow;

        fn key(&self) -> RowKey {
            row(["s", "m", "l-star", "mixture"], self.0, 1, 1).key()
        }

        fn model(&self) -> MeasuredModel {
            MeasuredModel { name: "s/m".to_owned(), states: 6 }
        }

        fn name(&self) -> String {
            self.0.to_string()
        }

        fn run(&self, _: &Caps<'_>) -> Option<RunRow> {
            assert!(self.0.is_multiple_of(2), "{} is odd", self.0);
            Some(row(["s", "m", "l-star", "mixture"], self.0, 1, 1))
        }
    }

    #[test]
    fn a_run_that_panics_stops_no_other() {
        let tasks = [0, 1, 2, 3, 4].map(OddPanics);
        let caps = Caps { testing_symbols: u64::MAX, limits: Limits::UNLIMITED };
        let (mut ended, mut failed) = (Vec::new(), Vec::new());
        work(&tasks, 1, &caps, |event| match event {
            RunEvent::Begun(_) => {}
            RunEvent::Ended(at, row) => ended.push((at, row.is_some())),
            RunEvent::Failed(at, why) => failed.push((at, why)),
        });
        assert_eq!(ended, [(0, true), (2, true), (4, true)]);
        let why = |at| (at, format!("a fault of this program: {at} is odd"));
        assert_eq!(failed, [why(1), why(3)]);
    }
}
