//! `mealybug target`: has a learner on a microcontroller learn the device attached to it.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use mealybug::device::{Device, Port};
use mealybug::escape::escape;
use mealybug::learn::{Ending, Failure};
use mealybug::learned::Learned;
use mealybug::result_file;
use mealybug::run_folder::RunFolder;
use mealybug::serial::Address;
use mealybug::statistics::{Cost, Round, Statistics};
use mealybug::store::Unsettled;
use mealybug::target::{
    Client, DeviceFault, End, Event, Hello, NotForTarget, TargetError, compile,
};
use mealybug_core::wire::Run;
use mealybug_core::wire::message::{Fault, Phase};
use mealybug_core::{Contradiction, Input, Output, Tests, Why};
use miette::{Report, Result};

use super::options::RunOptions;
use super::progress::Progress;
use super::projections::Projections;
use super::results::Results;
use super::run::{Subject, ended, folder};
use super::values::TestWords;
use super::{Exit, Trouble, interrupt, model, summary, trouble};

/// Has a learner on a microcontroller learn the device attached to it, and fetches what it learned.
///
/// With a device file a run is started. Without, the run that goes on is watched, or the result of
/// the last one fetched: a run does not need its host. If there was none, it is started where the
/// target knows its device already.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug target --port /dev/ttyACM0 lock.toml      starts a run, watches it, fetches the result
  mealybug target --port /dev/ttyACM0                the same for a run that was started before

The device file says how the target talks to the device. [port] in it has no meaning here, nor have
--memory, --retries and --absence: the memory is that of the target, and it asks a word four times.")]
pub(crate) struct Target {
    /// The device file: how to talk to the device that is attached to the target
    #[arg(value_name = "DEVICE.toml")]
    device: Option<PathBuf>,

    /// Where the target is: a serial port, tcp:HOST:PORT or rfc2217:HOST:PORT
    #[arg(long, value_name = "PORT", env = "MEALYBUG_TARGET")]
    port: String,

    /// Start another run of a target that needs no device file, though it had one already
    #[arg(long, conflicts_with = "device")]
    again: bool,

    #[command(flatten)]
    options: RunOptions,
}

impl Target {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        self.options.check(false)?;
        if matches!(self.options.projections(), Projections::Groups(_)) {
            return Err(Trouble::report(
                Exit::Usage,
                "a target knows no groups of outputs",
                "leave --projections out, or choose per-output or identity",
            ));
        }
        if self.options.has_words() {
            return Err(Trouble::report(
                Exit::Usage,
                "a target cannot try --words",
                "learn the device with `mealybug learn` to have them tried",
            ));
        }
        let interrupted = interrupt::flag()?;
        let device = self.device.as_deref().map(Device::load).transpose()?;
        if let Some(device) = &device {
            // Before anything is opened: it is the file that must change.
            compile(device, |_| Ok::<(), NotForTarget>(()))?;
        }
        let link = Address::parse(&self.port)?.open(&Port::default())?;
        let mut client = Client::new(link)?;
        let hello = client.hello()?;
        if hello.phase == Phase::Agent {
            return Err(Trouble::report(
                Exit::Usage,
                format!(
                    "the program on the board ({}) is an agent, which does not learn",
                    hello.board
                ),
                "learn through it with `mealybug learn --agent`, or load the learner",
            ));
        }
        let name = match &self.device {
            Some(path) => model::name(path),
            None => hello.board.clone(),
        };
        let has_run = hello.phase != Phase::Idle && !self.again;
        match &device {
            Some(device) => {
                client.tell(device)?;
                client.start(self.options.session())?;
            }
            None if has_run => {}
            None if hello.is_ready => client.start(self.options.session())?,
            None => {
                return Err(Trouble::report(
                    Exit::Usage,
                    format!("the target ({}) does not know its device", hello.board),
                    "name the device file to start a run",
                ));
            }
        }
        let folder = folder(&name, &self.options)?;
        let named =
            |device: &Device| device.inputs.iter().map(|input| input.name.clone()).collect();
        let inputs: Vec<String> = device.as_ref().map(named).unwrap_or_default();
        self.options.output.start("target", &name, &inputs);
        let mut watch = Watch {
            progress: Progress::new(&self.options),
            folder: folder.clone(),
            rounds: Vec::new(),
            warning: None,
        };
        let started = Instant::now();
        let is_over = || self.options.max_time().is_some_and(|time| started.elapsed() >= time);
        let stop = || interrupted.load(Ordering::Relaxed) || is_over();
        let end = client.watch(stop, |event| watch.take(event));
        watch.progress.finish();
        let end = end?;
        let output_name = |bytes: &[u8]| match &device {
            Some(device) => device.name_output(bytes),
            None => escape(bytes),
        };
        let (run, learned) =
            result_file::decode_named(&end.result, output_name).map_err(TargetError::Result)?;
        let ending = ending(&end, &run, interrupted.load(Ordering::Relaxed));
        let inputs = learned.as_ref().map_or(inputs, |learned| learned.inputs.clone());
        let statistics = Statistics {
            refuted: run.refuted,
            inputs: inputs.len(),
            device: Cost {
                resets: run.progress.learning.resets + run.progress.testing.resets,
                symbols: run.progress.learning.symbols + run.progress.testing.symbols,
            },
            hypotheses: watch.rounds,
            warnings: warnings(watch.warning, client.lost_frames(), learned.as_ref()),
            seconds: started.elapsed().as_secs_f64(),
            ..Statistics::new(self.told(&run, &hello), &ending, run.progress)
        };
        let subject = Subject { name: &name, inputs: &inputs, model: None };
        let results =
            Results::of(folder, &end.result, learned, subject, None, statistics, &self.options)?;
        let output = self.options.output;
        output.say(&summary::text(&results));
        output.event("end", ended(&results));
        exit(ending, &end, subject, &results)
    }

    /// What the run was told, by whomever.
    fn told(&self, run: &Run, hello: &Hello) -> mealybug::statistics::Options {
        let options = run.options;
        let is_random = matches!(options.tests, Tests::RandomWp | Tests::RandomWords);
        let limit = |limit: u64| Some(limit).filter(|&limit| limit < u64::MAX);
        mealybug::statistics::Options {
            tests: TestWords(options.tests).to_string(),
            tests_in_a_row: limit(options.tests_in_a_row).filter(|_| is_random),
            seed: options.seed,
            max_rounds: limit(options.budget.rounds),
            max_symbols: limit(options.budget.symbols),
            memory_bytes: hello.memory_bytes,
            walk_states: options.walk_states,
            ..self.options.statistics()
        }
    }
}

/// Shows what happens, and keeps the hypotheses.
struct Watch {
    progress: Progress,
    folder: RunFolder,
    rounds: Vec<Round>,
    warning: Option<String>,
}

impl Watch {
    fn take(&mut self, event: Event) {
        match event {
            Event::Progress(standing) => self.progress.standing(&standing),
            Event::Hypothesis(bytes) => self.hypothesis(&bytes),
            // Nothing here can read it yet.
            Event::Log(_) => {}
        }
    }

    fn hypothesis(&mut self, bytes: &[u8]) {
        let Ok((run, _)) = result_file::decode(bytes) else { return };
        self.progress.made(&run.progress);
        self.rounds.push(Round::new(None, run.progress));
        let file = format!("{}.postcard", run.progress.rounds);
        if let Err(error) = self.folder.write_hypothesis(&file, bytes) {
            self.warning.get_or_insert(error.to_string());
        }
    }
}

fn warnings(folder: Option<String>, lost_frames: u64, learned: Option<&Learned>) -> Vec<String> {
    let mut warnings = Vec::from_iter(folder);
    if lost_frames > 0 {
        warnings.push(format!("{lost_frames} frames of the target were lost on their way"));
    }
    let mut names = learned.map(|learned| learned.outputs.clone()).unwrap_or_default();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    if names.len() < all {
        warnings.push(
            "the target told replies apart that [[output]] gives one name: the model may have \
             states that differ in nothing but these"
                .to_owned(),
        );
    }
    warnings
}

/// Why the run is over.
fn ending(end: &End, run: &Run, is_interrupted: bool) -> Ending<DeviceFault> {
    match (end.fault, run.why) {
        (Some(Fault::Capacity(error)), _) => Ending::Memory(error),
        (Some(Fault::Contradiction(error)), _) => {
            let word = end.word.iter().take(error.position as usize + 1).copied().collect();
            Ending::Contradiction(Unsettled { word, answers: Vec::new() })
        }
        (Some(Fault::Device { error, sent, .. }), _) => {
            let (error, word) = (DeviceFault(error), end.word.clone());
            Ending::Failure(Failure { error, word, sent: sent as usize })
        }
        (None, None | Some(Why::Stopped)) if is_interrupted => Ending::Interrupted,
        (None, None | Some(Why::Stopped)) => Ending::Time,
        (None, Some(why)) => Ending::Session(why),
    }
}

fn exit(
    ending: Ending<DeviceFault>,
    end: &End,
    subject: Subject<'_>,
    results: &Results,
) -> Result<Exit> {
    let is_converged = ending.is_converged();
    match ending {
        Ending::Failure(failure) => {
            let place = trouble::place(&failure.word, failure.sent, subject.inputs);
            let (error, kept) = (failure.error, trouble::kept(results));
            Err(Trouble::report(
                Exit::Device,
                format!("the device at the target failed: {error}, {place}"),
                format!("is it attached, switched on, and does the device file fit? {kept}"),
            ))
        }
        Ending::Contradiction(unsettled) => {
            Err(contradiction(&unsettled.word, end, subject, results))
        }
        Ending::Interrupted => Ok(Exit::Interrupted),
        _ if is_converged => Ok(Exit::Done),
        _ => Ok(Exit::Limit),
    }
}

fn contradiction(word: &[Input], end: &End, subject: Subject<'_>, results: &Results) -> Report {
    let outputs = results.learned.as_ref().map_or(&[][..], |learned| &learned.outputs);
    let name = |output: Output| {
        outputs.get(output.index() as usize).map_or("another output", String::as_str)
    };
    let (before, now) = match end.fault {
        Some(Fault::Contradiction(Contradiction { before, now, .. })) => (name(before), name(now)),
        _ => ("something", "something else"),
    };
    let place = trouble::place(word, word.len(), subject.inputs);
    let kept = trouble::kept(results);
    Trouble::report(
        Exit::Contradiction,
        format!(
            "the device contradicts itself: it answered `{before}` before, and `{now}` now, {place}"
        ),
        format!(
            "does [[reset]] really bring it to the same state, or does it keep something? {kept}"
        ),
    )
}
