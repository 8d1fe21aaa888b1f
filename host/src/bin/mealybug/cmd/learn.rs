//! `mealybug learn`: learns a device at a serial port, or a model in simulation.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgMatches, Args};
use mealybug::boards::Boards;
use mealybug::interrupt;
use mealybug::run_folder::RunFolder;
use mealybug::store::Store;
use miette::{IntoDiagnostic, Result};

use crate::endpoint::connect::{Connect, Opened};
use crate::endpoint::{Endpoint, ManyBoards, Subject};
use crate::exit::{CliError, Exit};
use crate::files::out_file::with_files;
use crate::run::board_news::BoardNews;
use crate::run::board_rules::BoardRules;
use crate::run::options::RunOptions;
use crate::run::saved_options::{Resumed, SavedOptions};
use crate::run::{folder, keep_older, keep_words, run, session};

/// The most programs that may run at the same time.
const WORKERS_MAX: i64 = 256;

/// Learn the state machine of a device, or of a model.
///
/// The run writes its results into a new folder: report.html, model.dot, components/, result.postcard and
/// statistics.json.
#[derive(Debug, Args)]
#[command(
    mut_arg("device", |device| device.required_unless_present("resume")),
    override_usage = "mealybug learn [OPTIONS] [--port <PORT>]... <DEVICE.toml>\n       \
                      mealybug learn [OPTIONS] --agent [--port <PORT>]... [DEVICE.toml]\n       \
                      mealybug learn [OPTIONS] --adapter <COMMAND> [--workers <N>]\n       \
                      mealybug learn [OPTIONS] --model <MODEL>\n       \
                      mealybug learn [OPTIONS] --resume <DIR>",
    after_help = "\
Examples:
  mealybug learn --port /dev/ttyUSB0 lock.toml
  mealybug learn --port /dev/ttyUSB0 lock.toml --tests wp:1 --max-time 2h
  mealybug learn --port rfc2217:desk.local:4000 lock.toml
  mealybug learn --port /dev/ttyACM0 --agent lock.toml
  mealybug learn --port /dev/ttyUSB0 --port /dev/ttyUSB1 lock.toml      # two boards
  mealybug learn --place lock-1 --place lock-2 lock.toml                # two boards of a labgrid coordinator
  mealybug learn --adapter 'python3 lock.py'
  mealybug learn --port /dev/ttyUSB0 lock.toml --like mealybug-runs/lock-1
  mealybug learn --model lock.dot
  mealybug learn --port /dev/ttyUSB0 lock.toml --live                   # watch it in a browser
  mealybug learn --resume mealybug-runs/lock-1 --max-time 8h
  mealybug learn --resume mealybug-runs/lock-1 --device lock.toml    # lock.toml has changed since

`mealybug --help` lists the exit statuses. What was learned is written in any case."
)]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    pub(crate) connect: Connect,

    /// Go on with the run in this folder, with its options and device file
    ///
    /// No word is asked again whose answer is in answers.log or ahead/. Other options, such as a larger --memory or --max-time,
    /// replace those of the run, for later calls too. A program of --adapter runs in the folder in which the run was
    /// begun.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["device", "adapter", "model", "agent", "out"])]
    resume: Option<PathBuf>,

    /// With --resume, go on with this device file instead of the copy in the folder
    ///
    /// Answers are kept where they mean the same: up to the first input of a word that the file describes otherwise, if
    /// the resets and what all replies have in common are the same. All earlier answers stay in answers-N.log.
    #[arg(id = "new_device", long = "device", value_name = "FILE", requires = "resume", conflicts_with_all = ["adapter", "model", "agent"])]
    new_device: Option<PathBuf>,

    /// With --adapter, how many of these programs run at the same time, each with a board of its own
    ///
    /// Each program finds its number, from 1 on, in the environment variable MEALYBUG_WORKER.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=WORKERS_MAX))]
    pub(crate) workers: u32,

    #[command(flatten)]
    pub(crate) options: RunOptions,
}

impl LearnArgs {
    /// Runs the command; `matches` say which options the command line gives.
    pub(crate) fn run(&self, matches: &ArgMatches) -> Result<Exit> {
        let older = self.options.older()?;
        let connect = Connect {
            device: self.new_device.clone().or_else(|| self.connect.device.clone()),
            ..self.connect.clone()
        };
        let mut settings = SavedOptions::new(&connect, self.workers, &self.options)?;
        if let Some(path) = &self.resume {
            let Resumed { folder, mut settings, answers } = settings.resume(path, matches)?;
            settings.options.live = self.options.live;
            settings.check()?;
            return learn(&settings, |subject| {
                let store = answers.open(&folder, &settings, subject.inputs)?;
                keep_older(&folder, &older)?;
                keep_words(&folder, &settings.options)?;
                Ok((folder, Some(store)))
            });
        }
        settings.check()?;
        settings.read_device_file()?;
        learn(&settings, |subject| {
            let folder = folder(subject.name, &self.options)?;
            keep_older(&folder, &older)?;
            keep_words(&folder, &settings.options)?;
            if subject.model.is_some() {
                return Ok((folder, None));
            }
            settings.begin(&folder)?;
            let store = folder.open_store(subject.inputs)?;
            Ok((folder, Some(store)))
        })
    }
}

/// Learns what is at the other end; `begin` opens the folder of the run and the store of its answers, once
/// the device is there.
fn learn(
    settings: &SavedOptions,
    begin: impl FnOnce(Subject<'_>) -> Result<(RunFolder, Option<Store>)>,
) -> Result<Exit> {
    let SavedOptions { connect, options, workers, .. } = settings;
    let begin = |subject: Subject<'_>| {
        // A mistake leaves no folder behind.
        options.check_words(subject.inputs)?;
        session(subject, options, 1)?;
        begin(subject)
    };
    let boards = connect.open_boards(*workers)?;
    if boards.is_empty() {
        return connect.open(|subject, mut end| {
            let (folder, store) = begin(subject)?;
            match (&mut end, store) {
                (Endpoint::Agent(agent), Some(store)) => {
                    let logs = folder.open_board_logs(&store, 1, subject.inputs)?;
                    logs.into_iter().for_each(|log| agent.keep(log, store.ahead().clone()));
                    run_ahead(folder, store, subject, options, end)
                }
                (_, store) => run(folder, store, subject, options, end),
            }
        });
    }
    let (names, boards): (Vec<_>, Vec<_>) = boards.into_iter().unzip();
    require_same_inputs(&names, &boards)?;
    let Opened { name, inputs, states, .. } = &boards[0];
    let (name, inputs, states) = (name.clone(), inputs.clone(), states.clone());
    // What has changed one board is not known of another.
    let (address, model) = (None, None);
    let subject = Subject { name: &name, inputs: &inputs, states: &states, address, model };
    let (folder, store) = begin(subject)?;
    let store = store.expect("boards are no model");
    let end = together(names, boards, &folder, &store, options)?;
    run_ahead(folder, store, subject, options, end)
}

/// Learns what answers ahead of its turn.
fn run_ahead(
    folder: RunFolder,
    store: Store,
    subject: Subject<'_>,
    options: &RunOptions,
    end: Endpoint<'_>,
) -> Result<Exit> {
    let exit = run(folder.clone(), Some(store), subject, options, end);
    // What was said ahead has its place now, but for words that nobody asked for after all.
    let tidied = folder.open_store(subject.inputs);
    with_files(exit, tidied.map(drop).map_err(Into::into))
}

/// Whether all boards have the same inputs.
fn require_same_inputs(names: &[String], boards: &[Opened]) -> Result<()> {
    let Some(other) = boards.iter().position(|board| board.inputs != boards[0].inputs) else {
        return Ok(());
    };
    Err(CliError::report(
        Exit::Usage,
        format!("{} has other inputs than {}", names[other], names[0]),
        "all boards must have the same device, with the same inputs in the same order",
    ))
}

/// Makes one end of several boards, whose logs are in `folder`.
fn together(
    names: Vec<String>,
    boards: Vec<Opened>,
    folder: &RunFolder,
    store: &Store,
    options: &RunOptions,
) -> Result<Endpoint<'static>> {
    let Opened { inputs, end, .. } = &boards[0];
    let file = match end {
        Endpoint::Port(sul) => Some(sul.device().clone()),
        _ => None,
    };
    let logs = folder.open_board_logs(store, boards.len(), inputs)?;
    let news = Arc::new(BoardNews::new(names));
    let rules = Box::new(BoardRules::new(Arc::clone(&news), inputs, options.absence()));
    let boards = boards.into_iter().map(|board| board.end).zip(logs).collect();
    let boards = Boards::start(boards, store.ahead().clone(), rules, interrupt::flag()?);
    let boards = boards.into_diagnostic()?;
    Ok(Endpoint::Boards(Box::new(ManyBoards { boards, news, file })))
}
