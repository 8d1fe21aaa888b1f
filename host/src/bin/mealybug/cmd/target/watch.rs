//! What stands beside a run on a target: shows it, tells programs of it, and keeps hypotheses and log.

use std::time::Instant;

use mealybug::algorithm::Algorithm;
use mealybug::events::{Event, ProgressEvent, RunProgress};
use mealybug::hypotheses::Hypotheses;
use mealybug::learned_components::LearnedComponents;
use mealybug::result_file::{self, ResultFileError};
use mealybug::run_folder::{RunFolder, RunFolderError};
use mealybug::state_names::NameSources;
use mealybug::statistics::Statistics;
use mealybug::target::{DeviceFault, LogLine, LogReader, TargetEvent};
use mealybug_core::Summary;
use mealybug_core::wire::message::ATTEMPTS;

use crate::run::observer::TOLD;
use crate::run::options::RunOptions;
use crate::run::progress::ProgressLine;
use crate::terminal::output::OutputMode;
use crate::terminal::width;

/// Watches a run.
pub(crate) struct TargetObserver<N> {
    output: OutputMode,
    /// A board has a table.
    algorithm: Algorithm,
    progress: ProgressLine,
    hypotheses: Hypotheses,
    /// Gives names to the outputs of a result.
    named: N,
    last: Option<Last>,
    retries: u64,
    log: TargetLog,
    /// What the user was warned of.
    warnings: Vec<String>,
    /// When programs hear of the progress again.
    due: Instant,
}

/// The last hypothesis that came whole, or the result.
pub(crate) struct Last {
    pub(crate) bytes: Vec<u8>,
    pub(crate) run: Summary,
    pub(crate) learned: Option<LearnedComponents>,
}

impl<N: Fn(Vec<u8>) -> Result<Vec<u8>, ResultFileError>> TargetObserver<N> {
    /// Begins to watch; `folder` is that of the run, `states` are names of states, and `reader` reads the log.
    pub(crate) fn new(
        options: &RunOptions,
        folder: &RunFolder,
        states: NameSources,
        reader: Option<LogReader>,
        named: N,
    ) -> Self {
        Self {
            output: options.output,
            algorithm: options.algorithm(),
            progress: ProgressLine::new(options),
            hypotheses: Hypotheses::new(folder.clone(), states),
            named,
            last: None,
            retries: 0,
            log: TargetLog {
                reader,
                folder: folder.clone(),
                unreadable: 0,
                is_noted: false,
                full: None,
            },
            warnings: Vec::new(),
            due: Instant::now(),
        }
    }

    /// Something has happened.
    pub(crate) fn take(&mut self, event: TargetEvent) {
        match event {
            TargetEvent::Progress(progress) => {
                self.progress.standing(&progress);
                if self.due <= Instant::now() {
                    self.due = Instant::now() + TOLD;
                    let run = RunProgress::new(self.algorithm, &progress);
                    self.output.event(&Event::Progress(ProgressEvent::Run(Box::new(run))));
                }
            }
            TargetEvent::Hypothesis(bytes) => self.hypothesis(bytes),
            TargetEvent::Retry { error, sent, attempts } => {
                self.retries += 1;
                let (error, of) = (DeviceFault(error), ATTEMPTS - 1);
                let place = match sent.checked_sub(1) {
                    None => "at a reset".to_owned(),
                    Some(0) => "at an input after a reset".to_owned(),
                    Some(before) => format!("at an input after a reset and {before} inputs"),
                };
                let note = format!("{error}, {place}; asking the word again ({attempts} of {of})");
                self.progress.note(&note);
                self.output.event(&Event::Retry { message: note, attempt: attempts });
            }
            TargetEvent::Restarted { crash } => {
                let why = crash.map_or_else(String::new, |crash| {
                    format!(". The last crash that it knows of: {crash}. {}", crash.advice())
                });
                self.warn(format!(
                    "the target was reset, and goes on from the answers that it has kept{why}"
                ));
            }
            TargetEvent::Log(piece) => self.log.take(&piece, &self.progress, self.output),
        }
    }

    /// Tells the user something about the run.
    pub(crate) fn note(&self, text: &str) {
        note(&self.progress, self.output, text);
    }

    /// Warns the user, also in the results.
    pub(crate) fn warn(&mut self, text: String) {
        self.note(&text);
        self.warnings.push(text);
    }

    fn hypothesis(&mut self, bytes: Vec<u8>) {
        // One that makes no sense is not worth a word: the next one will, or the result says why.
        let Ok(Last { bytes, run, learned }) = self.read(bytes) else { return };
        self.progress.made_elsewhere(&run.progress);
        let progress = RunProgress::new(Algorithm::of(&run.options), &run.progress);
        self.output.event(&Event::Hypothesis(progress));
        if let Some(learned) = &learned {
            self.hypotheses.keep(run.progress, || learned.clone(), || bytes.clone());
        }
        self.last = Some(Last { bytes, run, learned });
    }

    /// Reads what a target sent, and gives names to the outputs.
    pub(crate) fn read(&self, bytes: Vec<u8>) -> Result<Last, ResultFileError> {
        let bytes = (self.named)(bytes)?;
        let (run, learned) = result_file::decode(&bytes)?;
        Ok(Last { bytes, run, learned })
    }

    /// Nothing more happens.
    pub(crate) fn finish(&self) {
        self.progress.finish();
    }

    /// What came last, in case the run is lost from view.
    pub(crate) fn last(&mut self) -> Option<Last> {
        self.last.take()
    }

    /// What was seen of the run.
    pub(crate) fn add_to(&self, statistics: Statistics) -> Statistics {
        let mut warnings: Vec<_> =
            self.hypotheses.warning().map(str::to_owned).into_iter().collect();
        warnings.extend(self.log.warnings());
        warnings.extend(self.warnings.iter().cloned());
        warnings.extend(statistics.warnings);
        let (retries, hypotheses) = (self.retries, self.hypotheses.rounds().to_vec());
        Statistics { retries, hypotheses, warnings, ..statistics }
    }
}

/// The log of the target.
struct TargetLog {
    reader: Option<LogReader>,
    folder: RunFolder,
    /// How many messages could not be read.
    unreadable: u64,
    /// Whether the user knows that there is a log.
    is_noted: bool,
    /// Why not all of it is kept.
    full: Option<String>,
}

impl TargetLog {
    fn take(&mut self, piece: &[u8], progress: &ProgressLine, output: OutputMode) {
        let Some(reader) = &self.reader else {
            if !std::mem::replace(&mut self.is_noted, true) {
                let file = self.folder.path().join("log.defmt");
                let file = file.display();
                note(
                    progress,
                    output,
                    &format!("the target logs, into {file}; --elf FILE shows what it says"),
                );
            }
            return self.keep(RunFolder::append_raw_log, piece);
        };
        let lines = reader.read(piece);
        if lines.iter().any(Result::is_err) {
            if self.unreadable == 0 {
                note(progress, output, "the target logs something that its --elf does not know");
            }
            self.unreadable += lines.iter().filter(|line| line.is_err()).count() as u64;
            self.keep(RunFolder::append_raw_log, piece);
        }
        for line in lines.into_iter().flatten() {
            show(&line, progress, output);
            let place = line.place().map_or_else(String::new, |place| format!("  ({place})"));
            self.keep(|folder, text| folder.append_log(text), &format!("{line}{place}\n"));
        }
    }

    /// A disk that is full ends no run for the sake of its log.
    fn keep<T: ?Sized>(
        &mut self,
        append: impl FnOnce(&RunFolder, &T) -> Result<(), RunFolderError>,
        what: &T,
    ) {
        if let Err(error) = append(&self.folder, what) {
            self.full.get_or_insert(format!("not all of the target's log is kept: {error}"));
        }
    }

    fn warnings(&self) -> impl Iterator<Item = String> {
        let count = self.unreadable;
        let unreadable = (count > 0).then(|| {
            format!(
                "{count} messages of the target's log cannot be read and are in log.defmt; is --elf the \
                 program that runs on it?"
            )
        });
        unreadable.into_iter().chain(self.full.clone())
    }
}

fn note(progress: &ProgressLine, output: OutputMode, text: &str) {
    progress.note(text);
    output.event(&Event::Note { message: text.to_owned() });
}

/// Shows a message of the log, with the place where it is said if it fits into the line.
fn show(line: &LogLine, progress: &ProgressLine, output: OutputMode) {
    let place = line.place();
    let text = format!("target {line}");
    let with_place = place.as_ref().map(|place| format!("{text}  ({place})"));
    let fitting = with_place.filter(|text| text.chars().count() <= width());
    if output.shows_progress() || matches!(line.level, Some("warn" | "error")) {
        progress.note(fitting.as_ref().unwrap_or(&text));
    }
    let LogLine { time, level, message, .. } = line.clone();
    let level = level.map(str::to_owned);
    output.event(&Event::Log { time, level, message, place });
}
