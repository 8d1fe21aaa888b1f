//! How the runs of a command go on: a bar on a terminal, now and then a line elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mealybug::statistics::number;

use super::text::note;
use crate::task::RunEvent;

/// Time between two lines where standard error is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Shows how the runs go on.
pub(super) struct BenchProgress<'n> {
    /// The names of the runs that are to be made.
    names: &'n [String],
    /// The number of runs, with those that were made before.
    wanted: usize,
    ended: usize,
    running: Vec<usize>,
    next_line: Instant,
    /// None where standard error is no terminal.
    bar: Option<ProgressBar>,
}

impl<'n> BenchProgress<'n> {
    /// Shows the runs with these names, of `wanted` in total; the others were made before.
    pub(super) fn new(names: &'n [String], wanted: usize) -> Self {
        let known = wanted - names.len();
        let bar = io::stderr().is_terminal().then(|| {
            let target = ProgressDrawTarget::stderr();
            let bar = ProgressBar::with_draw_target(Some(wanted as u64), target);
            let style =
                ProgressStyle::with_template("{bar:30} {pos} of {len} runs · {elapsed}\n  {msg}")
                    .expect("the template is right");
            bar.set_style(style);
            bar.set_position(known as u64);
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        if known > 0 {
            let [known, wanted] = [known, wanted].map(|count| number(count as u64));
            note(&format!("{known} of {wanted} runs have rows already"));
        }
        let next_line = Instant::now() + LINE_INTERVAL;
        Self { names, wanted, ended: 0, running: Vec::new(), next_line, bar }
    }

    /// A run has begun or ended.
    pub(super) fn hear<R>(&mut self, event: &RunEvent<R>) {
        match event {
            RunEvent::Begun(at) => self.running.push(*at),
            RunEvent::Ended(at, row) => {
                self.running.retain(|running| running != at);
                self.ended += usize::from(row.is_some());
            }
            RunEvent::Failed(at, _) => {
                self.running.retain(|running| running != at);
                self.ended += 1;
            }
        }
        let running: Vec<_> = self.running.iter().map(|&at| self.names[at].as_str()).collect();
        let done = self.wanted - self.left();
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
            bar.set_message(running.join("\n  "));
        } else if Instant::now() >= self.next_line && !running.is_empty() {
            let [done, wanted] = [done, self.wanted].map(|count| number(count as u64));
            note(&format!("{done} of {wanted} runs; now {}", running.join(", ")));
            self.next_line = Instant::now() + LINE_INTERVAL;
        }
    }

    /// The number of runs that have neither ended with a row nor failed.
    pub(super) fn left(&self) -> usize {
        self.names.len() - self.ended
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
