//! What a run has found out, and its way into the run's folder.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use mealybug::learn::HostSession;
use mealybug::learned_components::LearnedComponents;
use mealybug::machine::{Machine, ProductError};
use mealybug::modules::Modules;
use mealybug::refutation::refuting_word;
use mealybug::report::{self, Report};
use mealybug::result_file;
use mealybug::run_folder::RunFolder;
use mealybug::statistics::{ComponentRecord, ModuleRecord, Statistics};
use mealybug::store::AnswerTree;
use miette::Result;

use crate::endpoint::Subject;
use crate::exit::Exit;
use crate::files::out_file::with_files;
use crate::run::options::RunOptions;
use crate::run::projections::ProjectionChoice;
use crate::run::unwritten::Unwritten;
use crate::run::{said_late, state_names};

/// The least time for pictures, even if the time of the run is over: enough for some dozens.
const DRAWING_MIN: Duration = Duration::from_secs(1);

/// What a run has found out.
#[derive(Debug)]
pub(crate) struct Results {
    /// Where it is written.
    pub(crate) folder: RunFolder,
    /// The last hypothesis.
    pub(crate) learned: Option<LearnedComponents>,
    /// The machine that its components make together, if it is not too large.
    pub(crate) model: Option<Machine>,
    /// The modules of the model, if it is complete.
    modules: Option<Modules>,
    /// How the run ended and what it cost.
    pub(crate) statistics: Statistics,
    /// How many modules and components have no picture, since the time was over.
    pub(crate) not_drawn: usize,
    /// Whether the device was away at the end.
    pub(crate) is_absent: bool,
    unwritten: Unwritten,
}

impl Results {
    /// Writes everything into the folder, and notes in the statistics what the user should know. A file that cannot
    /// be written keeps no other from being written: [`are_written`](Self::are_written) tells of it.
    pub(crate) fn write(
        folder: RunFolder,
        session: &HostSession,
        subject: Subject<'_>,
        answers: Option<&AnswerTree>,
        statistics: Statistics,
        options: &RunOptions,
    ) -> Self {
        let inputs = subject.inputs;
        let hypothesis = session.hypothesis();
        let mut summary = session.summary();
        summary.is_refuted |= statistics.refuted;
        let bytes = result_file::encode(&summary, inputs, hypothesis);
        let learned = hypothesis.map(|hypothesis| {
            LearnedComponents::new(hypothesis, inputs, session.options().projections)
        });
        Self::of(folder, &bytes, learned, subject, answers, statistics, options)
    }

    /// The same for what was learned elsewhere: the bytes of a result, and the model in it.
    pub(crate) fn of(
        folder: RunFolder,
        result: &[u8],
        learned: Option<LearnedComponents>,
        subject: Subject<'_>,
        answers: Option<&AnswerTree>,
        statistics: Statistics,
        options: &RunOptions,
    ) -> Self {
        let mut results = Self {
            folder,
            learned,
            model: None,
            modules: None,
            statistics,
            not_drawn: 0,
            is_absent: false,
            unwritten: Unwritten::default(),
        };
        results.unwritten.note(results.folder.write_result(result));
        results.write_model(subject, options.max_states());
        if let Some((model, answers)) =
            results.model.as_ref().zip(answers).filter(|_| results.statistics.refuted)
        {
            results.statistics.refuted_by = refuting_word(answers, model);
        }
        results.write_modules();
        results.write_components();
        results.statistics.warnings.extend(never_came(results.learned.as_ref(), options));
        results.unwritten.note(results.folder.write_statistics(&results.statistics));
        results.write_report(subject, answers);
        let time = options.max_time().map(|time| {
            let left = time.saturating_sub(Duration::from_secs_f64(results.statistics.seconds));
            left.max(DRAWING_MIN)
        });
        results.draw(time);
        results
    }

    /// Makes the model and writes it. Without one, the model of the run so far is removed.
    fn write_model(&mut self, subject: Subject<'_>, max_states: u32) {
        let Self { folder, learned, statistics, unwritten, .. } = self;
        let product = learned.as_ref().map(|learned| learned.product(max_states));
        statistics.gaps = match &product {
            Some(Ok(model)) => model.gaps(),
            _ => learned.as_ref().map(LearnedComponents::gaps).unwrap_or_default(),
        };
        self.model = match product {
            Some(Ok(model)) => {
                let (model, notes) = state_names::of(subject, folder).name(model);
                statistics.warnings.extend(notes);
                statistics.warnings.extend(said_late::notes(&model, folder.has_device_file()));
                statistics.states = Some(model.states());
                unwritten.note(folder.write_model(&model, statistics.note().as_deref()));
                unwritten.note(folder.write_state_names(&model));
                Some(model)
            }
            without => {
                unwritten.note(folder.remove_model());
                let earlier = folder.last_earlier_model();
                statistics.warnings.push(without_model(without, earlier.as_deref()));
                None
            }
        };
    }

    /// Divides the model into modules, and writes them if there are several.
    fn write_modules(&mut self) {
        let Self { folder, statistics, unwritten, .. } = self;
        self.modules = self.model.as_ref().and_then(Modules::new);
        match self.modules.as_ref().filter(|modules| modules.modules.len() > 1) {
            Some(modules) => {
                unwritten.note(folder.write_modules(modules, statistics.note().as_deref()));
                statistics.modules = module_records(modules, RunFolder::module_files(modules));
            }
            None => unwritten.note(folder.remove_modules()),
        }
    }

    fn write_components(&mut self) {
        let Self { folder, statistics, unwritten, .. } = self;
        match &self.learned {
            Some(learned) => {
                unwritten.note(folder.write_components(learned, statistics.note().as_deref()));
                statistics.components = components(learned, RunFolder::component_files(learned));
                statistics.division = Some(learned.division.into());
            }
            None => unwritten.note(folder.remove_components()),
        }
    }

    fn write_report(&mut self, subject: Subject<'_>, answers: Option<&AnswerTree>) {
        let report = Report {
            name: subject.name,
            statistics: &self.statistics,
            learned: self.learned.as_ref(),
            model: self.model.as_ref(),
            modules: self.modules.as_ref(),
            inputs: subject.inputs,
            answers,
        };
        self.unwritten.note(self.folder.write_report(&report::html(&report)));
    }

    /// Writes the transcript. It comes last, since it is the largest: a disk that has no room for it may have room for
    /// the model.
    pub(crate) fn write_transcript(&mut self, text: &str) {
        self.unwritten.note(self.folder.write_transcript(text));
    }

    /// Whether all files were written.
    pub(crate) fn are_written(&self) -> bool {
        self.unwritten.is_empty()
    }

    /// Adds the files that could not be written to how the command ends. That error comes after all that is to be said
    /// of the device.
    pub(crate) fn end(self, exit: Result<Exit>) -> Result<Exit> {
        // A disk that takes no answers takes no results either: that error says more.
        if exit.as_ref().is_err_and(|report| Exit::of(report) == Exit::Disk) {
            return exit;
        }
        match self.unwritten.report(&self.folder) {
            Some(error) => with_files(exit, Err(error)),
            None => exit,
        }
    }

    /// Writes the pictures, as far as there is time, and counts those that are left out. They come last: a
    /// run that is killed meanwhile has written all else.
    fn draw(&mut self, time: Option<Duration>) {
        let note = self.statistics.note();
        let note = note.as_deref();
        if let Some(model) = &self.model {
            self.unwritten.note(self.folder.write_picture("model.dot", model, note));
        }
        let modules = self.modules.iter().flat_map(|modules| &modules.modules);
        let modules =
            modules.zip(&self.statistics.modules).map(|(module, ModuleRecord { file, .. })| {
                (format!("modules/{file}"), Cow::Borrowed(&module.machine))
            });
        let components = self.learned.iter().flat_map(|learned| {
            let components = learned.components.iter().zip(&self.statistics.components);
            components.map(|(component, ComponentRecord { file, .. })| {
                let machine = component.named(&learned.inputs, &learned.outputs);
                (format!("components/{file}"), Cow::Owned(machine))
            })
        });
        let draw = |(file, machine): (String, Cow<'_, Machine>)| {
            self.unwritten.note(self.folder.write_picture(&file, &machine, note));
        };
        self.not_drawn = as_far_as_there_is_time(modules.chain(components), time, draw);
    }
}

/// Does it with each item until the time is over. Returns how many items were left out.
fn as_far_as_there_is_time<T>(
    mut items: impl Iterator<Item = T>,
    time: Option<Duration>,
    mut each: impl FnMut(T),
) -> usize {
    let started = Instant::now();
    while time.is_none_or(|time| started.elapsed() < time) {
        let Some(item) = items.next() else { return 0 };
        each(item);
    }
    items.count()
}

/// Why there is no model. `earlier` is the file of one that was learned with another device file.
fn without_model(product: Option<Result<Machine, ProductError>>, earlier: Option<&str>) -> String {
    match product {
        Some(Err(ProductError::TooManyStates { max_states })) => format!(
            "the model has more than {max_states} states and is written as its components only; \
             --max-states raises the limit"
        ),
        Some(Err(error @ ProductError::Defect { .. })) => {
            format!("there is no model, only components: {error}")
        }
        Some(Ok(_)) | None => {
            let before = earlier.map_or_else(String::new, |file| {
                format!("; {file} is what was learned with the device file before")
            });
            format!("there is no model: the run ended before the first one{before}")
        }
    }
}

fn module_records(modules: &Modules, files: Vec<String>) -> Vec<ModuleRecord> {
    let modules = modules.modules.iter().zip(files);
    modules
        .map(|(module, file)| ModuleRecord {
            name: module.name.clone(),
            states: module.states(),
            knows: module.knows.clone(),
            moved_by: module.moved_by.clone(),
            file,
        })
        .collect()
}

fn components(learned: &LearnedComponents, files: Vec<String>) -> Vec<ComponentRecord> {
    let components = learned.names.iter().zip(&learned.components).zip(files);
    components
        .map(|((name, component), file)| ComponentRecord {
            name: name.clone(),
            states: component.states(),
            gaps: component.gaps(),
            file,
        })
        .collect()
}

/// Outputs that the options name and the device never gave: a mistake, perhaps.
fn never_came(learned: Option<&LearnedComponents>, options: &RunOptions) -> Vec<String> {
    let ProjectionChoice::Groups(groups) = options.projections() else { return Vec::new() };
    let outputs = learned.map_or(&[][..], |learned| &learned.outputs);
    let unseen = groups.iter().flatten().filter(|name| !outputs.contains(name));
    unseen.map(|name| format!("the output `{name}` of --projections never came")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_no_time_for_is_counted() {
        let done = |time| {
            let mut done = 0;
            let wait = |_| {
                done += 1;
                std::thread::sleep(Duration::from_millis(20));
            };
            let left = as_far_as_there_is_time(0..10, time, wait);
            (done, left)
        };
        assert_eq!(done(None), (10, 0));
        assert_eq!(done(Some(Duration::ZERO)), (0, 10));
        assert_eq!(done(Some(Duration::from_millis(1))), (1, 9));
    }
}
