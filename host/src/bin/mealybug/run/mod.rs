//! A run from its folder to its results, wherever its device is.

mod as_text;
pub(crate) mod board_news;
pub(crate) mod board_rules;
pub(crate) mod diagnosed;
mod earlier;
pub(crate) mod failure;
mod kept_note;
mod last_look;
mod live;
pub(crate) mod notes;
pub(crate) mod observer;
mod on_top;
mod one_state;
pub(crate) mod options;
pub(crate) mod progress;
pub(crate) mod projections;
mod reset_doubt;
pub(crate) mod results;
pub(crate) mod retry;
mod said_late;
pub(crate) mod saved_options;
pub(crate) mod state_names;
pub(crate) mod summary;
pub(crate) mod time_left;
mod truth;
mod unwritten;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mealybug::advice::OlderModel;
use mealybug::diagnosis::Diagnosis;
use mealybug::events::{CommandName, EndEvent, Event, RunEnd};
use mealybug::hypotheses::Hypotheses;
use mealybug::interrupt;
use mealybug::learn::{
    Counted, FIRST_MEMORY_BYTES, HostSession, Limits, Outcome, Teacher, grow, learn, new_session,
    set_noise,
};
use mealybug::machine::separate;
use mealybug::run_folder::RunFolder;
use mealybug::statistics::{EarlierSessions, Statistics};
use mealybug::store::{Store, Stored};
use mealybug::words::transcript;
use mealybug_core::{Input, SessionError};
use miette::{IntoDiagnostic, Result, WrapErr, miette};

use crate::endpoint::{Endpoint, EndpointError, Subject};
use crate::exit::Exit;
use crate::files::words;
use crate::run::diagnosed::{Diagnosed, line_rules};
use crate::run::last_look::{KnownDoubts, LastDoubts};
use crate::run::live::LiveRun;
use crate::run::observer::Observer;
use crate::run::options::RunOptions;
use crate::run::projections::ProjectionChoice;
use crate::run::results::Results;

/// Where runs have their folders.
const RUNS: &str = "mealybug-runs";

/// A run that is over.
#[derive(Debug)]
pub(crate) struct FinishedRun {
    pub(crate) results: Results,
    /// How the command ends, apart from files that could not be written: see [`Results::end`].
    pub(crate) exit: Result<Exit>,
}

/// Learns the device, writes down and shows what was learned, and says how the run ended.
pub(crate) fn run(
    folder: RunFolder,
    store: Option<Store>,
    subject: Subject<'_>,
    options: &RunOptions,
    device: Endpoint<'_>,
) -> Result<Exit> {
    let interrupted = interrupt::flag()?;
    let ended = run_in(folder, store, subject, options, device, &interrupted)?;
    options.output.say(&summary::text(&ended.results));
    ended.results.end(ended.exit)
}

/// Learns the device and writes down what was learned. What a device says is kept in the store of the folder;
/// a model needs none: it can be asked again for nothing.
pub(crate) fn run_in(
    folder: RunFolder,
    store: Option<Store>,
    subject: Subject<'_>,
    options: &RunOptions,
    device: Endpoint<'_>,
    interrupted: &AtomicBool,
) -> Result<FinishedRun> {
    let words = match options.has_words() {
        true => words::read(&folder.words_path(), subject.inputs)?,
        false => Vec::new(),
    };
    let Some(store) = store else {
        let mut asked = Counted::new(device);
        let background = Background { words, ..Background::default() };
        return learn_from(folder, subject, options, &mut asked, background, interrupted);
    };
    let noise = device.noise();
    let doubtful = device.board_news().map(|news| news.doubtful().clone()).unwrap_or_default();
    let diagnosis = Diagnosis::new(subject.inputs, device.has_file()).with_noise(noise);
    let diagnosis = diagnosis.with_words(&words).with_outputs_of_text(device.outputs_keep_text());
    let diagnosis = Rc::new(RefCell::new(diagnosis));
    let earlier = earlier::sessions(&folder, &store);
    let doubts = earlier::doubts(&folder);
    let device = Diagnosed::new(device, Rc::clone(&diagnosis));
    let asked = Stored::new(device, store);
    let asked = asked.with_retries(options.retries()).with_noise(noise);
    let mut asked = asked.with_doubtful(doubtful).with_line(line_rules());
    let background = Background { words, diagnosis: Some(diagnosis), earlier, doubts };
    learn_from(folder, subject, options, &mut asked, background, interrupted)
}

/// What is said of a run that ended too early to have a better model than the session before.
const KEPT: &str = "The run ended while it took in what is known already. The files of the session before stay as they are";

/// What a run has beside its device and the answers.
#[derive(Default)]
struct Background {
    /// The words of the user.
    words: Vec<Vec<Input>>,
    diagnosis: Option<Rc<RefCell<Diagnosis>>>,
    earlier: Option<EarlierSessions>,
    /// What the last look of the session before has found.
    doubts: KnownDoubts,
}

impl Background {
    /// The mean time that an answer has taken, if it may come by itself. What came by itself before is listened for again.
    fn mean_time(&self, output: &str) -> Option<Duration> {
        let known = self.diagnosis.as_ref()?.borrow().mean_time(output);
        known.or_else(|| (self.doubts.late_words > 0).then_some(Duration::MAX))
    }
}

fn learn_from<'m, T: Teacher<Error = EndpointError> + Around<'m>>(
    folder: RunFolder,
    subject: Subject<'_>,
    options: &RunOptions,
    teacher: &mut T,
    background: Background,
    interrupted: &AtomicBool,
) -> Result<FinishedRun> {
    options.output.start(CommandName::Learn, subject.name, subject.inputs);
    let mut session = session(subject, options, teacher.device().lanes())?;
    if let Some(noise) = teacher.device().noise() {
        set_noise(&mut session, noise);
    }
    let memory_bytes = options.memory_bytes();
    let limits = Limits { memory_bytes, time: options.max_time(), interrupted };
    let device = teacher.device();
    let mut observer = observer(&folder, subject, options, device, &background, interrupted)?;
    let started = Instant::now();
    let ending = learn(&mut session, teacher, &limits, &mut observer);
    let mut tally = teacher.tally();
    let doubts = match ending.is_converged() {
        true => {
            let is_in_time = || options.max_time().is_none_or(|time| started.elapsed() < time);
            let goes_on = |what: &str| {
                observer.looks(what);
                !interrupted.load(Ordering::Relaxed) && is_in_time()
            };
            let (earlier, time) =
                (background.doubts.clone(), |output: &str| background.mean_time(output));
            let device = teacher.device_mut();
            last_look::look(device, &session, subject, options, earlier, time, goes_on)
        }
        false => LastDoubts::of_earlier(background.doubts.clone()),
    };
    tally.device.resets += doubts.asked.resets;
    tally.device.symbols += doubts.asked.symbols;
    observer.doubt_answers(doubts);
    let device = teacher.device();
    observer.tell_findings(&session, teacher.answers());
    observer.doubt_reset(teacher.answers(), device);
    // What is known of the device is not taken in yet: the model of an earlier session says more.
    let is_kept = !ending.is_converged() && tally.is_replay && folder.has_results();
    if !is_kept {
        observer.release_hypotheses();
    }
    let statistics = observer.finish(options, &ending, &session, tally, device, started.elapsed());
    let mut statistics = Statistics { earlier: background.earlier, ..statistics };
    let folder = if is_kept {
        statistics.warnings.push(KEPT.to_owned());
        folder.keeping_results()
    } else {
        folder
    };
    let answers = teacher.answers();
    let mut results = Results::write(folder, &session, subject, answers, statistics, options);
    if let Some(answers) = answers {
        results.write_transcript(&transcript(answers, subject.inputs));
    }
    results.is_absent = matches!(&ending, Outcome::Failure(failure) if failure.error.is_absence());
    options.output.event(&ended(&results));
    let exit = exit(ending, device, subject, &results);
    Ok(FinishedRun { results, exit })
}

/// What observes a run in this folder.
fn observer<'r>(
    folder: &RunFolder,
    subject: Subject<'r>,
    options: &'r RunOptions,
    device: &Endpoint<'_>,
    Background { words, diagnosis, .. }: &Background,
    interrupted: &'r AtomicBool,
) -> Result<Observer<'r>> {
    let older = folder.read_older()?;
    let names = state_names::of(subject, folder);
    let hypotheses = Hypotheses::new(folder.clone(), names.clone()).held();
    let can_be_checked = device.can_be_checked();
    let (diagnosis, words) = (diagnosis.clone(), words.clone());
    let mut observer =
        Observer::new(subject, options, hypotheses, diagnosis, interrupted, words, can_be_checked);
    if let Some(boards) = device.board_news() {
        observer.introduce(boards);
    }
    observer.follow(older);
    if options.is_live() {
        let live = LiveRun::start(subject, names, folder.path()).into_diagnostic();
        observer.show_on(live.wrap_err("--live has no page")?);
    }
    Ok(observer)
}

/// The last event of a run.
pub(crate) fn ended(results: &Results) -> Event {
    let statistics = results.statistics.clone();
    Event::End(EndEvent::Run(Box::new(RunEnd {
        converged: statistics.converged,
        why: statistics.why,
        folder: results.folder.path().display().to_string(),
        statistics,
    })))
}

/// What stands around a device.
trait Around<'m> {
    fn device(&self) -> &Endpoint<'m>;

    /// The device; what it is asked this way is no part of the run.
    fn device_mut(&mut self) -> &mut Endpoint<'m>;
}

impl<'m> Around<'m> for Counted<Endpoint<'m>> {
    fn device(&self) -> &Endpoint<'m> {
        self.sul()
    }

    fn device_mut(&mut self) -> &mut Endpoint<'m> {
        self.sul_mut()
    }
}

impl<'m> Around<'m> for Stored<Diagnosed<'m>> {
    fn device(&self) -> &Endpoint<'m> {
        self.sul().device()
    }

    fn device_mut(&mut self) -> &mut Endpoint<'m> {
        self.sul_mut().device_mut()
    }
}

/// How the command ends.
fn exit(
    ending: Outcome<EndpointError>,
    device: &Endpoint<'_>,
    subject: Subject<'_>,
    results: &Results,
) -> Result<Exit> {
    let is_converged = ending.is_converged();
    match ending {
        Outcome::Failure(failure) => Err(failure::failure(failure, subject, results)),
        Outcome::Contradiction(unsettled) => {
            Err(failure::contradiction(&unsettled, device, subject, results))
        }
        Outcome::Store(error) => Err(failure::store(error, results)),
        Outcome::Interrupted => Ok(Exit::Interrupted),
        _ if is_converged => Ok(Exit::Done),
        _ => Ok(Exit::Limit),
    }
}

/// The folder that the options name, or a new one.
pub(crate) fn folder(name: &str, options: &RunOptions) -> Result<RunFolder> {
    Ok(match &options.out {
        Some(path) => RunFolder::create(path)?,
        None => RunFolder::create_numbered(Path::new(RUNS), name)?,
    })
}

/// Keeps older models in the folder of a run, each once: from there it is given their advice, whenever it
/// goes on.
pub(crate) fn keep_older(folder: &RunFolder, older: &[OlderModel]) -> Result<()> {
    for older in older {
        let is_same = |kept: &OlderModel| {
            kept.name == older.name && separate(&kept.machine, &older.machine) == Ok(None)
        };
        if !folder.read_older()?.iter().any(is_same) {
            folder.add_older(older)?;
        }
    }
    Ok(())
}

/// Keeps the words of --words in the folder of a run: from there they are read, whenever it goes on.
pub(crate) fn keep_words(folder: &RunFolder, options: &RunOptions) -> Result<()> {
    let Some(path) = &options.words else { return Ok(()) };
    let kept = folder.words_path();
    // They are there already if the run goes on with them.
    if *path != std::path::absolute(kept).into_diagnostic()? {
        folder.write_words(&words::text(path)?)?;
    }
    Ok(())
}

/// A session that is told everything and has asked nothing.
pub(crate) fn session(
    subject: Subject<'_>,
    options: &RunOptions,
    lanes: u32,
) -> Result<HostSession> {
    let limit_bytes = options.memory_bytes();
    let memory = vec![0; limit_bytes.min(FIRST_MEMORY_BYTES) / size_of::<u32>()];
    let inputs = u32::try_from(subject.inputs.len()).unwrap_or(u32::MAX);
    let mut session = new_session(memory, inputs, options.session().lanes(lanes))
        .map_err(|_| miette!("a device must have 1 to 65536 inputs, this one has {inputs}"))?;
    let ProjectionChoice::Groups(groups) = options.projections() else { return Ok(session) };
    for (block, names) in (0..).zip(&groups) {
        for name in names {
            loop {
                match session.declare_group(name.as_bytes(), block) {
                    Ok(()) => break,
                    Err(SessionError::Capacity(error)) => {
                        grow(&mut session, limit_bytes, error).map_err(failure::no_memory)?;
                    }
                    Err(error) => return Err(miette!("{error}")),
                }
            }
        }
    }
    Ok(session)
}
