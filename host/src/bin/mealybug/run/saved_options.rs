//! The settings of a run, which `--resume` goes on with.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use clap::parser::ValueSource;
use mealybug::device::{Demands, DeviceChanges, DeviceVersion, FileDigests, file_digests};
use mealybug::run_folder::{EarlierDevice, RunFolder};
use mealybug::serial::PortAddress;
use mealybug::store::{JudgeAnswer, LockedLog, Store};
use miette::{IntoDiagnostic, Report, Result, WrapErr};
use serde::{Deserialize, Serialize};

use crate::endpoint::connect::Connect;
use crate::exit::{CliError, Exit};
use crate::files::device_file;
use crate::files::trust::{self, Claim};
use crate::run::kept_note::kept_note;
use crate::run::options::RunOptions;
use crate::terminal::complain;

/// Options that cannot be combined: the one that is given later replaces the other.
const EXCLUSIVE: [[&str; 2]; 3] =
    [["tests_in_a_row", "confidence"], ["quiet", "json"], ["port", "place"]];

/// The settings of a run of `mealybug learn` with a device: the content of `options.json`.
///
/// The options have the names that they have on the command line, with `_` for `-`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedOptions {
    /// The folder in which the run was begun. Its adapter runs there, and the ports of that call are named from there.
    called_in: PathBuf,
    /// How many programs of --adapter run at the same time.
    #[serde(default = "one")]
    pub(crate) workers: u32,
    /// The digests of the files that the device file names. Runs of older versions kept none.
    #[serde(default)]
    files: FileDigests,
    #[serde(flatten)]
    pub(crate) connect: Connect,
    #[serde(flatten)]
    pub(crate) options: RunOptions,
}

/// The workers of runs that were begun when there was only one.
fn one() -> u32 {
    1
}

/// A run that goes on.
pub(crate) struct Resumed {
    pub(crate) folder: RunFolder,
    pub(crate) settings: SavedOptions,
    pub(crate) answers: ResumedAnswers,
}

/// The answers of a run that goes on.
pub(crate) struct ResumedAnswers {
    /// No other call goes on with this run meanwhile.
    lock: LockedLog,
    /// What has changed of the device file and the files that it names.
    change: Option<DeviceChanges>,
    /// What differs from each device file that the run went on with before, by its number.
    earlier: Vec<(u32, Option<DeviceChanges>)>,
}

impl ResumedAnswers {
    /// Opens the answers that the run in `folder` goes on with, and keeps its settings. `inputs` are those of the device.
    pub(crate) fn open(
        self,
        folder: &RunFolder,
        settings: &SavedOptions,
        inputs: &[String],
    ) -> Result<Store> {
        let Self { mut lock, change, earlier } = self;
        if let Some(change) = change {
            let fate: JudgeAnswer<'_> = &|answer| change.fate(answer);
            let (mut kept, moved_to) = folder.change_device(&mut lock, inputs, fate)?;
            if let Some(text) = &settings.connect.device_text {
                folder.write_device_file(text)?;
            }
            let mut changes = (None, Some(&change));
            for (number, change) in &earlier {
                let fate: JudgeAnswer<'_> = &|answer| match change {
                    Some(change) => change.fate(answer),
                    None => Ok(Cow::Borrowed(answer.output)),
                };
                let taken = folder.take_earlier((&mut lock, inputs), (*number, fate), kept.kept)?;
                if let Some(more) = taken {
                    (kept, changes) = (more, (Some(*number), change.as_ref()));
                }
            }
            if settings.options.output.shows_notes() {
                let stay = folder.earlier_device_path(moved_to);
                complain(&kept_note(changes, &kept, &stay));
            }
        }
        let store = folder.open_locked_store(lock, inputs)?;
        settings.write(folder)?;
        Ok(store)
    }
}

impl SavedOptions {
    /// The settings that this command line gives; its files have absolute paths.
    pub(crate) fn new(connect: &Connect, workers: u32, options: &RunOptions) -> Result<Self> {
        let absolute = |path: &PathBuf| std::path::absolute(path).into_diagnostic();
        let (mut connect, mut options) = (connect.clone(), options.clone());
        connect.device = connect.device.as_ref().map(absolute).transpose()?;
        if connect.place.is_empty() {
            connect.port = connect.given_ports();
        }
        options.words = options.words.as_ref().map(absolute).transpose()?;
        Ok(Self {
            called_in: std::env::current_dir().into_diagnostic()?,
            workers,
            files: FileDigests::new(),
            connect,
            options,
        })
    }

    /// Reads the device file. The run uses this text and keeps it, even if the file changes before the device is open.
    pub(crate) fn read_device_file(&mut self) -> Result<()> {
        if let Some(path) = &self.connect.device {
            let text = self.connect.read_device_text(path)?;
            // A file that changes from here on differs from its digest, and its answers are asked again.
            self.files = file_digests(&Demands::of(path, &text)?.files);
            self.connect.device_text = Some(text);
        }
        Ok(())
    }

    /// A run begins: writes its settings and its device file into its folder.
    pub(crate) fn begin(&self, folder: &RunFolder) -> Result<()> {
        if let Some(text) = &self.connect.device_text {
            folder.write_device_file(text)?;
        }
        self.write(folder)
    }

    /// Finds options that do not go together.
    pub(crate) fn check(&self) -> Result<()> {
        self.options.check(self.connect.is_simulation())?;
        if self.workers > 1 && self.connect.adapter.is_none() {
            return Err(CliError::report(
                Exit::Usage,
                "--workers is for --adapter only",
                "for several boards at ports give --port or --place several times",
            ));
        }
        Ok(())
    }

    /// Writes the settings into the folder of their run.
    pub(crate) fn write(&self, folder: &RunFolder) -> Result<()> {
        folder.write_options(self)?;
        trust::remember(folder.path(), &folder.instructions()?);
        Ok(())
    }

    /// The run in the folder at `path` and its settings, with those that this command line changes.
    ///
    /// `matches` are those of `mealybug learn`. From here on this process works in the folder in which the run was begun.
    pub(crate) fn resume(&self, path: &Path, matches: &ArgMatches) -> Result<Resumed> {
        let mut folder = RunFolder::resume(path)?;
        // First of all: a call that is refused because the run is still going on must change nothing.
        let lock = folder.lock()?;
        let saved: Self = folder.read_options()?;
        let given = given(matches);
        saved.check_port(&given)?;
        let now =
            if saved.called_in == self.called_in { self } else { &self.with_absolute_ports() };
        let mut settings = saved.with(now, &given).into_diagnostic()?;
        let words = folder.words_path();
        if settings.options.has_words() && !given.contains("words") && words.is_file() {
            settings.options.words = Some(std::path::absolute(words).into_diagnostic()?);
        }
        let kept = match settings.connect.device {
            Some(_) => Some(folder.read_device_file()?),
            None => None,
        };
        let new = self.connect.device.as_ref();
        if new.is_none() {
            if let Some(kept) = &kept {
                // The file whose copy this is may be right.
                let demands = Demands::of(&folder.device_path(), kept).map_err(Report::from);
                demands.wrap_err(
                    "the run cannot go on with its copy of the device file; --device FILE takes another one",
                )?;
            }
            settings.connect.device_text.clone_from(&kept);
        } else if kept.is_none() {
            return Err(CliError::report(
                Exit::Usage,
                "--device is for a run with a device file, and this run has none",
                "leave --device out",
            ));
        }
        let content = folder.instructions()?;
        let acts = settings.acts(&given)?;
        let claim = Claim { kind: "run folder", path, content: &content, acts };
        self.connect.trust.require(&claim)?;
        let mut answers = ResumedAnswers { lock, change: None, earlier: Vec::new() };
        if let Some(kept) = &kept {
            settings.take_device_file(kept, &self.connect, &folder, &mut answers)?;
        }
        if settings.called_in != self.called_in {
            folder = RunFolder::resume(&std::path::absolute(path).into_diagnostic()?)?;
            // If it was removed, perhaps nothing is named from there.
            if settings.called_in.is_dir() {
                let entered = std::env::set_current_dir(&settings.called_in).into_diagnostic();
                let called_in = settings.called_in.display();
                entered.wrap_err_with(|| format!("the run was begun in {called_in}"))?;
            }
        }
        Ok(Resumed { folder, settings, answers })
    }

    /// Refuses another port for a run whose device is a program.
    fn check_port(&self, given: &HashSet<String>) -> Result<()> {
        let option = ["port", "place"].into_iter().find(|&name| given.contains(name));
        let Some(option) = option.filter(|_| self.connect.adapter.is_some()) else {
            return Ok(());
        };
        Err(CliError::report(
            Exit::Usage,
            format!(
                "--{option} is for a device behind a port, and the device of this run is a program"
            ),
            format!("leave --{option} out"),
        ))
    }

    /// Takes the device file that `given` names, or else `kept`, the copy in the folder of the run. Notes in `answers` what
    /// differs from `kept` and from the device files before it.
    fn take_device_file(
        &mut self,
        kept: &String,
        given: &Connect,
        folder: &RunFolder,
        answers: &mut ResumedAnswers,
    ) -> Result<()> {
        let Some(old_path) = self.connect.device.clone() else { return Ok(()) };
        // A file without a digest is taken as it is now. A copy that an older version wrote may make no sense to this
        // one; it says what each input sends all the same.
        let old_demands = Demands::of(&old_path, kept).unwrap_or_default();
        let mut old_files = file_digests(&old_demands.files);
        old_files.append(&mut self.files);
        let new = given.device.as_ref();
        let text = match new {
            Some(path) => device_file::read(path, self.connect.user(), given.trust)?.1,
            None => kept.clone(),
        };
        let path = new.unwrap_or(&old_path);
        self.files = file_digests(&Demands::of(path, &text)?.files);
        self.say_what_has_changed(&old_files, new.is_none().then_some(kept));
        let old = DeviceVersion { path: &old_path, text: kept, files: &old_files };
        let now = DeviceVersion { path, text: &text, files: &self.files };
        // An agent asks ahead, and says no times.
        let is_timed = !self.connect.agent;
        answers.change = DeviceChanges::between(&old, &now, is_timed);
        for EarlierDevice { number, text } in folder.earlier_devices() {
            // Nobody knows what the files held then that a device file names.
            if Demands::of(&old_path, &text).is_ok_and(|demands| demands.files.is_empty()) {
                let files = &FileDigests::new();
                let then = DeviceVersion { path: &old_path, text: &text, files };
                answers.earlier.push((number, DeviceChanges::between(&then, &now, is_timed)));
            }
        }
        self.connect.device = Some(path.clone());
        self.connect.device_text = Some(text);
        Ok(())
    }

    /// These settings for another folder: the path of a port is that of a file in the current one.
    fn with_absolute_ports(&self) -> Self {
        let mut settings = self.clone();
        for port in &mut settings.connect.port {
            if let Ok(PortAddress::Path(path)) = PortAddress::parse(port)
                && let Some(path) = std::path::absolute(path).ok().as_deref().and_then(Path::to_str)
            {
                *port = path.to_owned();
            }
        }
        settings
    }

    /// Says which files have changed since the run last went on: those that the device file names, and the device file itself
    /// where the run goes on with its copy, `kept`.
    fn say_what_has_changed(&self, old_files: &FileDigests, kept: Option<&String>) {
        if !self.options.output.shows_notes() {
            return;
        }
        for (path, digest) in old_files {
            if self.files.get(path).is_some_and(|now| now != digest) {
                let path = path.display();
                complain(&format!(
                    "Note: {path} has changed since the run last went on. Answers that depend on it are asked again."
                ));
            }
        }
        let Some((path, kept)) = self.connect.device.as_ref().zip(kept) else { return };
        if std::fs::read_to_string(path).is_ok_and(|text| text != *kept) {
            let path = path.display();
            complain(&format!(
                "Note: {path} has changed since this run was begun with it. The run goes on with its copy; \
                 --device {path} takes the file, and keeps the answers that mean the same."
            ));
        }
    }

    /// What a run with these settings does that this command line, whose options are `given`, does not say.
    fn acts(&self, given: &HashSet<String>) -> Result<Vec<String>> {
        let Self { called_in, connect, options, .. } = self;
        let demands = match (&connect.device, &connect.device_text) {
            (Some(path), Some(text)) => Demands::of(path, text)?,
            _ => Demands::default(),
        };
        let mut acts: Vec<_> =
            connect.adapter.iter().map(|command| device_file::run(command, called_in)).collect();
        acts.extend(device_file::acts(demands, connect.user()));
        let words = options.words.iter().filter(|_| !given.contains("words"));
        acts.extend(words.map(|file| format!("read  {}", file.display())));
        let is_told = given.contains("port") || given.contains("place");
        let ports = connect.named_ports().into_iter().filter(|_| !is_told);
        acts.extend(ports.map(|port| device_file::open(&port)));
        Ok(acts)
    }

    /// These settings, with the options of `now` whose names are in `given`.
    fn with(&self, now: &Self, given: &HashSet<String>) -> serde_json::Result<Self> {
        let mut settings = serde_json::to_value(self)?;
        let mut now = serde_json::to_value(now)?;
        for (name, value) in settings.as_object_mut().into_iter().flatten() {
            let is_replaced = EXCLUSIVE.iter().any(|pair| {
                pair.contains(&name.as_str()) && pair.iter().any(|other| given.contains(*other))
            });
            if given.contains(name) || is_replaced {
                *value = now[name].take();
            }
        }
        let mut settings: Self = serde_json::from_value(settings)?;
        if !given.contains("tests_in_a_row") {
            settings.options.forget_tests_in_a_row_of_a_suite();
        }
        if !given.contains("confidence") {
            settings.options.forget_unknown_confidence();
        }
        Ok(settings)
    }
}

/// The names of the options of `mealybug learn` that this command line gives.
fn given(learn: &ArgMatches) -> HashSet<String> {
    let names = learn.ids().map(|id| id.as_str());
    let is_given = |name: &&str| learn.value_source(name) == Some(ValueSource::CommandLine);
    names.filter(is_given).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, FromArgMatches};

    use super::*;
    use crate::cli::{Cli, Command};

    fn settings(arguments: &[&str]) -> SavedOptions {
        let matches = Cli::command().get_matches_from([&["mealybug", "learn"], arguments].concat());
        let cli = Cli::from_arg_matches(&matches).expect("clap takes it");
        let Command::Learn(learn) = cli.command else { panic!("it is learn") };
        SavedOptions::new(&learn.connect, learn.workers, &learn.options)
            .expect("there is a current folder")
    }

    #[test]
    fn every_option_of_learn_is_kept() {
        let kept = serde_json::to_value(settings(&["lock.toml"])).expect("text");
        let command = Cli::command();
        let learn = command.find_subcommand("learn").expect("it is there");
        let names = learn.get_arguments().map(|option| option.get_id().as_str());
        let lost: Vec<_> = names.filter(|name| kept.get(name).is_none()).collect();
        // The folder has models of --like; a run with --model is not resumed; --live is for one command.
        assert_eq!(lost, ["model", "trust", "resume", "new_device", "like", "out", "live"]);
    }

    #[test]
    fn what_is_given_later_counts() {
        let saved = settings(&["lock.toml", "--seed", "7", "--tests-in-a-row", "60", "--json"]);
        let now = settings(&["--resume", "run", "--confidence", "99%", "--memory", "2M"]);
        let given = ["confidence", "memory", "resume"].map(str::to_owned).into();
        let text = |settings| serde_json::to_value(settings).expect("text");
        let mut expected = text(&saved);
        expected["tests_in_a_row"] = serde_json::Value::Null;
        expected["confidence"] = 0.99.into();
        expected["memory"] = (2 << 20).into();
        assert_eq!(text(&saved.with(&now, &given).expect("options")), expected);
    }
}
