//! `mealybug target`: has a learner on a microcontroller learn the device attached to it.

mod end;
mod watch;

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use mealybug::algorithm::Algorithm;
use mealybug::device::DeviceFile;
use mealybug::events::CommandName;
use mealybug::interrupt;
use mealybug::learned_components::{LearnedComponents, output_name};
use mealybug::result_file;
use mealybug::run_folder::RunFolder;
use mealybug::serial::{PortAddress, TimedLink};
use mealybug::statistics::{Cost, Statistics};
use mealybug::target::{self, Client, Hello, LogReader, Program, TargetError, TargetEvent, Watch};
use mealybug_core::wire::message::{Phase, Refusal};
use mealybug_core::{Observations, Summary, Tests};
use miette::{Result, WrapErr};

use crate::endpoint::Subject;
use crate::endpoint::connect::host_line;
use crate::exit::{CliError, Exit};
use crate::files::device_file::{self, User};
use crate::files::model;
use crate::files::trust::Trust;
use crate::run::options::RunOptions;
use crate::run::projections::ProjectionChoice;
use crate::run::results::Results;
use crate::run::{ended, folder, state_names, summary};
use end::{EndedRun, exit, explain};
use watch::{Last, TargetObserver};

/// Start, watch and fetch a run of a learner on a microcontroller.
///
/// The microcontroller, the target, learns the device attached to it. A run does not need its host: called
/// again, with the same device file or without one, this command watches the run that is going on, or fetches the
/// result of the last one. The device file names the outputs. With another device file it starts another run, and
/// refuses to while a run goes on; the target's last result is fetched first. A target whose program knows its device needs no
/// device file.
///
/// Ctrl-C ends the run on the target and fetches what it has learned. The run goes on when this command loses its
/// terminal or gets SIGTERM.
#[derive(Debug, Args)]
#[command(
    mut_arg("algorithm", |algorithm| algorithm.default_value(Algorithm::TARGET_DEFAULT.name())),
    mut_arg("live", |live| live.hide(true)),
    after_help = "\
Examples:
  mealybug target --port /dev/ttyACM0 lock.toml           starts a run, watches it, fetches the result
  mealybug target --port /dev/ttyACM0 lock.toml           again: goes on to watch it, or fetches the result
  mealybug target --port /dev/ttyACM0 lock.toml --again   starts another run

The device file says how the target talks to the device; [port] in it is the line between these two.
--memory, --retries and --absence have no meaning here: the memory is that of the target. It asks a word up to four times if the device fails; a device that contradicts itself ends the run. Boards learn with ol-star and l-star only."
)]
pub(crate) struct TargetArgs {
    /// The device file: how to talk to the device that is attached to the target
    #[arg(value_name = "DEVICE.toml")]
    device: Option<PathBuf>,

    /// Where the target is: a serial port, tcp:HOST:PORT or rfc2217:HOST:PORT
    #[arg(long, value_name = "PORT", env = "MEALYBUG_TARGET")]
    port: String,

    /// The baud rate of the line between the host and the target; default 115200
    #[arg(long, value_name = "BAUD", value_parser = clap::value_parser!(u32).range(1..))]
    baud: Option<u32>,

    /// Start another run, even if the target has finished one
    #[arg(long)]
    again: bool,

    /// The ELF file of the target's program, to read the target's log
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,

    #[command(flatten)]
    trust: Trust,

    #[command(flatten)]
    options: RunOptions,
}

/// What the target does before this command has told it anything. `untold` are rules that it does not have.
enum Standing<'p> {
    /// It learns, or has ended a run that is wanted; what to say of that.
    Begun(&'static str),
    /// It waits.
    Idle { untold: Option<&'p Program> },
    /// It has ended a run, and another one is wanted.
    Ended { untold: Option<&'p Program> },
}

/// What there is to tell before a run is watched.
#[derive(Default)]
struct Before {
    notes: Vec<String>,
    /// Pieces of the target's log.
    log: Vec<Vec<u8>>,
}

impl TargetArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        self.check()?;
        let terminated = interrupt::terminated()?;
        let interrupted = interrupt::flag()?;
        let read = |path| device_file::read(path, User::Target, self.trust);
        let file = self.device.as_deref().map(read).transpose()?;
        let (device, device_text) = file.unzip();
        // Before anything is opened: if it is not for a target it is the file that must change.
        let program = device.as_ref().map(Program::new).transpose()?;
        let reader = self.elf.as_deref().map(LogReader::load).transpose()?;
        let (mut client, hello) = self.connect()?;
        let crash = client.crash()?;
        let standing = self.standing(&mut client, &hello, program.as_ref())?;
        let name = match &self.device {
            Some(path) => model::name(path),
            None => hello.board.clone(),
        };
        let folder = folder(&name, &self.options)?;
        let is_told_to_end = || interrupted.load(Ordering::SeqCst);
        let before = self.begin(&mut client, &hello, standing, &folder, is_told_to_end);
        if before.is_err() {
            // It is empty unless the last result is in it.
            let _ = std::fs::remove_dir(folder.path());
        }
        let before = before?;
        if let Some(text) = &device_text {
            folder.write_device_file(text)?;
        }
        let inputs = device.as_ref().map(input_names).unwrap_or_default();
        let output = self.options.output;
        output.start(CommandName::Target, &name, &inputs);
        let named = |bytes: Vec<u8>| match &device {
            Some(device) => {
                result_file::with_names(&bytes, |reply| target::output_name(device, reply))
            }
            None => Ok(bytes),
        };
        let states = self.device.as_deref().zip(device.as_ref());
        let states = states.map(|(path, device)| device.state_names(path)).unwrap_or_default();
        let subject =
            Subject { name: &name, inputs: &inputs, states: &states, address: None, model: None };
        let name = |output: &[u8]| match &device {
            Some(device) => target::output_name(device, output),
            None => output_name(output),
        };
        let names = state_names::of(subject, &folder);
        let mut watch = TargetObserver::new(&self.options, &folder, names, reader, named);
        if let Some(crash) = &crash {
            watch.warn(format!("the target has started anew: {crash}. {}", crash.advice()));
        }
        before.notes.iter().for_each(|note| watch.note(note));
        before.log.into_iter().for_each(|piece| watch.take(TargetEvent::Log(piece)));
        let started = Instant::now();
        let is_over = || self.options.max_time().is_some_and(|time| started.elapsed() >= time);
        let order = || {
            let is_told_to_end = is_told_to_end();
            match () {
                () if terminated.load(Ordering::SeqCst) => Watch::Leave,
                () if is_told_to_end || is_over() => Watch::StopRun,
                () => Watch::GoOn,
            }
        };
        let end = client.watch(order, |event| watch.take(event));
        watch.finish();
        let ended_run = EndedRun::new(end, &mut watch, &interrupted, name)?;
        let EndedRun { ending, contradicting, last: Last { bytes, run, learned } } = ended_run;
        let inputs = learned.as_ref().map_or(inputs.clone(), |learned| learned.inputs.clone());
        let statistics = Statistics {
            refuted: run.is_refuted,
            inputs: inputs.len(),
            device: device_cost(&run),
            warnings: warnings(client.lost_frames(), learned.as_ref()),
            seconds: started.elapsed().as_secs_f64(),
            ..Statistics::new(self.told(&run, &hello), &ending, run.progress)
        };
        let statistics = explain(&ending, is_over(), watch.add_to(statistics));
        let subject = Subject { inputs: &inputs, ..subject };
        let results =
            Results::of(folder, &bytes, learned, subject, None, statistics, &self.options);
        output.say(&summary::text(&results));
        output.event(&ended(&results));
        let exit = exit(ending, contradicting.as_ref(), device.as_ref(), subject, &results);
        results.end(exit)
    }

    /// Opens the line to the target, on which a learner must answer.
    fn connect(&self) -> Result<(Client<Box<dyn TimedLink + Send>>, Hello)> {
        let link = PortAddress::parse(&self.port)?.open(&host_line(self.baud))?;
        let mut client = Client::new(link)?;
        let hello = client.hello()?;
        if hello.phase == Phase::Agent {
            return Err(CliError::report(
                Exit::Usage,
                format!(
                    "the program on the board ({}) is an agent, which does not learn",
                    hello.board
                ),
                "learn through it with `mealybug learn --agent`, or load the learner",
            ));
        }
        Ok((client, hello))
    }

    /// What a target cannot do.
    fn check(&self) -> Result<()> {
        self.options.check(false)?;
        if self.options.is_live() {
            return Err(CliError::report(
                Exit::Usage,
                "--live is not for targets",
                "a target learns without its host: learn through an agent with `mealybug learn --agent --live`",
            ));
        }
        if self.options.has_confidence() {
            return Err(CliError::report(
                Exit::Usage,
                "--confidence is not for targets",
                "a target is told beforehand how many tests a hypothesis must pass: give --tests-in-a-row",
            ));
        }
        let algorithm = self.options.algorithm();
        if algorithm.observations() != Observations::Table {
            let table = algorithm.with_table();
            return Err(CliError::report(
                Exit::Usage,
                format!("--algorithm {algorithm} is not for targets"),
                format!(
                    "the learner for boards has OL* and L* only: leave --algorithm out or give {table}, \
                     or load the agent and learn here with `mealybug learn --agent --algorithm {algorithm}`"
                ),
            ));
        }
        let usage = |message, help| Err(CliError::report(Exit::Usage, message, help));
        if matches!(self.options.projections(), ProjectionChoice::Groups(_)) {
            let help = "leave --projections out, or choose per-output or identity";
            return usage("a target knows no groups of outputs", help);
        }
        if self.options.has_words() {
            let help = "learn the device with `mealybug learn` to have them tried";
            return usage("a target cannot try --words", help);
        }
        if !self.options.like.is_empty() {
            let help =
                "learn the device with `mealybug learn` to have an older model's advice asked";
            return usage("a target knows no older models: --like is not for it", help);
        }
        Ok(())
    }

    /// What there is to do: to watch a run, to fetch its result, or to start one.
    fn standing<'p, L: TimedLink>(
        &self,
        client: &mut Client<L>,
        hello: &Hello,
        program: Option<&'p Program>,
    ) -> Result<Standing<'p>> {
        let untold = match program {
            Some(program) if client.rules()? != program.digest() => Some(program),
            _ => None,
        };
        let is_running = |what| {
            Err(CliError::report(
                Exit::Usage,
                format!("the target is learning{what}"),
                "`mealybug target` without a device file and without --again watches the run; Ctrl-C ends it there and \
                 fetches what it has learned",
            ))
        };
        match (hello.phase, untold) {
            (Phase::Running, Some(_)) => is_running(", by another device file"),
            (Phase::Running, None) if self.again => is_running("; --again starts no second run"),
            (Phase::Running, None) => Ok(Standing::Begun(
                "the target is learning; this run was started before, with the options given then, and its time counts from now",
            )),
            (Phase::Ended, None) if !self.again => Ok(Standing::Begun(
                "this is the result of the target's last run, with the options given then, and its time is that of fetching it; \
                 --again starts another run, with those given now",
            )),
            (Phase::Ended, untold) => Ok(Standing::Ended { untold }),
            (_, untold) => Ok(Standing::Idle { untold }),
        }
    }

    /// Starts a run unless it has begun. The result of a run before it is fetched first, since nobody knows whether a
    /// host has it, and the target forgets it.
    fn begin<L: TimedLink>(
        &self,
        client: &mut Client<L>,
        hello: &Hello,
        standing: Standing<'_>,
        folder: &RunFolder,
        is_told_to_end: impl Fn() -> bool,
    ) -> Result<Before> {
        let mut before = Before::default();
        match standing {
            Standing::Begun(note) => before.notes.push(note.to_owned()),
            Standing::Idle { untold } => self.start(client, hello, untold)?,
            Standing::Ended { untold } => {
                let order = || if is_told_to_end() { Watch::Leave } else { Watch::GoOn };
                let last = client.watch(order, |event| {
                    if let TargetEvent::Log(piece) = event {
                        before.log.push(piece);
                    }
                });
                if matches!(last, Err(TargetError::Left)) {
                    return Err(CliError::report(
                        Exit::Interrupted,
                        "stopped before a run was started",
                        "the target still has its last result",
                    ));
                }
                let what =
                    "the target's last result cannot be fetched, so no other run was started";
                let last = last.wrap_err(what)?;
                let file = folder.write_previous(&last.result)?;
                let kept =
                    format!("the result of the target's last run is kept in {}", file.display());
                self.start(client, hello, untold).wrap_err_with(|| kept.clone())?;
                before.notes.push(kept);
            }
        }
        Ok(before)
    }

    /// Starts a run, by these rules unless the target knows its rules.
    fn start<L: TimedLink>(
        &self,
        client: &mut Client<L>,
        hello: &Hello,
        untold: Option<&Program>,
    ) -> Result<()> {
        if let Some(program) = untold {
            client.tell(program)?;
        }
        // The mixture takes more flash than a target may have.
        let tests = self.options.tests_or(Tests::RandomWp);
        match client.start(self.options.session_with(tests)) {
            Err(TargetError::Refused { refusal: Refusal::NoRules, .. }) => Err(CliError::report(
                Exit::Usage,
                format!("the target ({}) does not know its device", hello.board),
                "name the device file to start a run. If its program has one built in, that is back when the board is \
                 reset",
            )),
            Err(TargetError::Refused { refusal: Refusal::Options, .. }) => Err(CliError::report(
                Exit::Usage,
                format!("the target ({}) has no tests `{tests}`", hello.board),
                "give --tests random-wp, random-words, w:K or wp:K, which every board has; the others need the feature \
                 `mixture` of its program",
            )),
            started => Ok(started?),
        }
    }

    /// What the run was told, by whomever.
    fn told(&self, run: &Summary, hello: &Hello) -> mealybug::statistics::OptionsRecord {
        let options = run.options;
        let is_random = options.tests.is_random();
        let limit = |limit: u64| Some(limit).filter(|&limit| limit < u64::MAX);
        mealybug::statistics::OptionsRecord {
            algorithm: Algorithm::of(&options),
            projections: options.projections.to_string(),
            tests: options.tests.to_string(),
            tests_in_a_row: limit(options.passing_tests).filter(|_| is_random),
            confidence_wanted: None,
            seed: options.seed,
            max_rounds: limit(options.budget.rounds),
            max_symbols: limit(options.budget.symbols),
            memory_bytes: hello.memory_bytes,
            product_states: options.product_states,
            ..self.options.statistics()
        }
    }
}

fn input_names(device: &DeviceFile) -> Vec<String> {
    device.inputs.iter().map(|input| input.name.clone()).collect()
}

/// What the device was asked in learning and in testing.
fn device_cost(run: &Summary) -> Cost {
    let (learning, testing) = (run.progress.learning, run.progress.testing);
    Cost { resets: learning.resets + testing.resets, symbols: learning.symbols + testing.symbols }
}

fn warnings(lost_frames: u64, learned: Option<&LearnedComponents>) -> Vec<String> {
    let mut warnings = Vec::new();
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
