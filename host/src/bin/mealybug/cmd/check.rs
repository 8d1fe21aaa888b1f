//! `mealybug check`: whether a device file fits its device.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;
use mealybug::adapter::Adapter;
use mealybug::device::DeviceFile;
use mealybug::diagnosis::{
    Certainty, CheckProgress, CheckSetup, CheckStage, Checked, CheckedAdapter, CheckedDevice,
    EditableDeviceFile, Evidence, Finding, FindingKind, Spread, check,
};
use mealybug::duration_text::{estimate, text};
use mealybug::export;
use mealybug::interrupt;
use mealybug::serial::{Interruptible, SerialSul, TimeSpent, Traced};
use mealybug_core::Input;
use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};

use crate::endpoint::connect::{Connect, program_address};
use crate::exit::Exit;
use crate::files::change_file::ChangeFile;
use crate::files::new_file::{must_be_new, write_new};
use crate::files::{device_file, words};
use crate::terminal::{complain, say, say_sentences};

/// How often standard error says how far it is.
const SAID: Duration = Duration::from_secs(5);
/// Longer answers are cut.
const SHOWN: usize = 24;
/// Why a longer time-out that is proposed is not written.
const LEFT_OUT: &str = "longer time-outs are not written where no answer was lost so far: each silence would take longer";

/// Check whether a device file fits its device, before you spend an hour on learning it.
///
/// Asks each input, explores the device by a short learning run, and then asks some words many
/// times, from resets: is the reset real, are answers stable, how late do they come, which time-outs
/// are too short or wastefully long, does every input matter?
#[derive(Debug, Args)]
#[command(
    mut_arg("agent", |agent| agent.hide(true)),
    mut_arg("model", |model| model.hide(true)),
    override_usage = "mealybug check [OPTIONS] <DEVICE.toml|--adapter <COMMAND>>",
    after_help = "\
Examples:
  mealybug check --port /dev/ttyUSB0 lock.toml
  mealybug check --port /dev/ttyUSB0 lock.toml --write better.toml
  mealybug check --adapter ./lock.py --words words.txt

Exit status: 0 when nothing is wrong, 1 when something is; time-outs that are only too long are not
wrong."
)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    connect: Connect,

    /// How often each word is asked
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,

    /// File of words to ask, too: one word a line
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,

    /// Write the device file with the proposed changes, comments kept; the file must be new. Nothing is written if there is no change
    #[arg(long, value_name = "FILE", conflicts_with = "adapter")]
    write: Option<PathBuf>,
}

impl CheckArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        if let Some(command) = &self.connect.adapter {
            let adapter = Adapter::start(command, interrupt::flag()?)?;
            let inputs = adapter.inputs().to_vec();
            let mut program = CheckedAdapter::new(adapter);
            let address = program_address(command);
            let finished = self.check(&mut program, inputs, None, address.as_deref())?;
            let table = input_table(&finished.checked.evidence);
            return Ok(report(&finished, &table, &[]));
        }
        let (path, device) = self.connect.device_file()?;
        let file = editable(path, &device)?;
        self.write.as_deref().map_or(Ok(()), must_be_new)?;
        let inputs = device.inputs.iter().map(|input| input.name.clone()).collect();
        let address = self.connect.address(&device);
        let link = Interruptible::new(self.connect.link(&device)?, interrupt::flag()?);
        let mut sul = SerialSul::new(Traced::new(link), device)?;
        let finished = self.check(&mut sul, inputs, Some(file.clone()), address.as_deref())?;
        let resets = reset_table(&sul.statistics().resets);
        let table = format!("{resets}\n{}", input_table(&finished.checked.evidence));
        let exit = report(&finished, &table, sul.warnings());
        if let Some(path) = &self.write {
            write(path, file, &finished)?;
        }
        Ok(exit)
    }

    /// Checks a device, and says meanwhile how long it takes.
    fn check<D: CheckedDevice<Error: Error + Send + Sync + 'static>>(
        &self,
        device: &mut D,
        inputs: Vec<String>,
        file: Option<EditableDeviceFile>,
        address: Option<&str>,
    ) -> Result<FinishedCheck>
    where
        Report: From<D::Error>,
    {
        let words = match &self.words {
            Some(path) => words::read(path, &inputs)?,
            None => Vec::new(),
        };
        let known = address.map(ChangeFile::of);
        let earlier_change = known.as_ref().and_then(|known| known.read(&inputs));
        let names = inputs.clone();
        let setup = CheckSetup { inputs, file, words, earlier_change, rounds: self.times };
        let interrupted = interrupt::flag()?;
        let started = Instant::now();
        let mut speaker = Speaker::new();
        let checked = check(device, setup, &mut |progress: &CheckProgress| {
            speaker.say(progress);
            !interrupted.load(Ordering::Relaxed)
        })?;
        let is_ended = interrupted.load(Ordering::Relaxed);
        let kept = known.and_then(|known| remember(&known, &checked, &names));
        Ok(FinishedCheck { checked, seconds: started.elapsed().as_secs_f64(), is_ended, kept })
    }
}

/// Keeps what a check has seen change for good, for the next one, or forgets what is undone. Returns where it is kept.
fn remember(known: &ChangeFile, checked: &Checked, inputs: &[String]) -> Option<PathBuf> {
    match &checked.lasting_change {
        Some(change) => {
            known.keep(change, inputs);
            known.path().map(Path::to_owned)
        }
        None => {
            if checked.is_undone {
                known.forget();
            }
            None
        }
    }
}

/// Says on standard error how far a check is.
struct Speaker {
    said: Instant,
    stage: CheckStage,
    asked: u32,
    /// When the check ends at the latest, as it was said before the last step.
    latest_end: Instant,
}

impl Speaker {
    fn new() -> Self {
        let now = Instant::now();
        Self { said: now, stage: CheckStage::First, asked: 0, latest_end: now }
    }

    fn say(&mut self, progress: &CheckProgress) {
        let CheckProgress { stage, asked, left, trials, is_answered, is_no_end_met, .. } =
            *progress;
        let is_new = stage > self.stage;
        if std::mem::replace(&mut self.asked, asked) > asked {
            complain(
                "an answer came after its `within_ms`: the check begins anew with a longer one",
            );
        }
        if stage < CheckStage::Compare {
            self.latest_end = Instant::now() + left + trials;
        }
        if !is_new && self.said.elapsed() < SAID {
            return;
        }
        let was = std::mem::replace(&mut self.stage, stage);
        self.said = Instant::now();
        if is_new && was == CheckStage::First && !is_answered {
            complain(&format!(
                "none of the first {asked} words was answered; looking for one that is, Ctrl-C ends this"
            ));
        }
        if is_new && was == CheckStage::First && is_no_end_met {
            complain(&format!(
                "no reply to the first {asked} words met its `match`, `last_line`, `lines` or `length`: silence ended \
                 each. Looking for one that does for half a minute"
            ));
        }
        let until_latest = self.latest_end.saturating_duration_since(Instant::now());
        complain(&progress_text(progress, until_latest));
    }
}

/// How far a check is. What its last step looks into is not known beforehand: it keeps to the end that was said before it, unless a
/// word takes longer.
fn progress_text(progress: &CheckProgress, until_latest: Duration) -> String {
    let CheckProgress { stage, asked, total, left, exploring, listening, trials, .. } = *progress;
    let time = |time: Duration| estimate(time.as_secs_f64()).unwrap_or_else(|| "10 s".to_owned());
    let of = format!("{asked} of about {total} words asked");
    let step = match stage {
        CheckStage::First => format!("step 1 of 4, each input once: {of}"),
        CheckStage::Explore => format!(
            "step 2 of 4, exploring: {of}, at most {} left of this step, then about {}",
            time(exploring),
            time(left.saturating_sub(exploring))
        ),
        CheckStage::Repeat => {
            let about = match estimate(left.saturating_sub(exploring).as_secs_f64()) {
                Some(time) => format!("about {time}"),
                None => "some seconds".to_owned(),
            };
            let then = match estimate(exploring.as_secs_f64()) {
                Some(time) => format!(" of this step, then at most {time}"),
                None => String::new(),
            };
            format!("step 3 of 4, words again and again: {of}, {about} left{then}")
        }
        CheckStage::Compare => {
            let at_most = time(until_latest.max(left.saturating_sub(exploring)));
            let what = match listening {
                Some(listening) => {
                    format!("listening for up to {} while nothing is asked", time(listening))
                }
                None => format!("{asked} words asked"),
            };
            return format!("step 4 of 4, a closer look: {what}, at most {at_most} left");
        }
    };
    match estimate(trials.as_secs_f64()) {
        Some(time) => format!("{step}; answers differ: at most {time} more to find out why"),
        None => step,
    }
}

/// A check that is over.
struct FinishedCheck {
    checked: Checked,
    seconds: f64,
    /// Whether the user ended it.
    is_ended: bool,
    /// Where a change is kept that a finding is about.
    kept: Option<PathBuf>,
}

/// Says what a check found.
fn report(finished: &FinishedCheck, table: &str, warnings: &[String]) -> Exit {
    let FinishedCheck { checked, seconds, is_ended, kept } = finished;
    let Checked { evidence, findings, is_cut_short, .. } = checked;
    let is_ended = *is_ended;
    let ended = match (is_ended, is_cut_short) {
        (true, _) => ", then it was interrupted: this is not all",
        (false, true) => "; there is more to check, once what is wrong here is mended",
        (false, false) => "",
    };
    say(&format!("Asked {} words in {}{ended}.\n\n", evidence.words(), text(*seconds)));
    say(&format!("{table}\n"));
    findings.iter().for_each(|finding| say_sentences(&shown(finding)));
    if !findings.iter().any(Finding::is_wrong) && !is_ended && !is_cut_short {
        let kinds: Vec<_> = findings.iter().map(|finding| finding.kind).collect();
        say_sentences(&format!("{}\n", all_clear(&kinds)));
    }
    warnings.iter().for_each(|warning| say_sentences(&format!("Note: {warning}.\n")));
    if let Some(path) = kept {
        let path = path.display();
        say_sentences(&format!(
            "Note: the answer that came at first is kept in {path}, for the next check or run. Delete that file if that answer was a \
             fault, or the device may stay as it is.\n"
        ));
    }
    match is_ended {
        true => Exit::Interrupted,
        false if findings.iter().any(Finding::is_wrong) => Exit::Failed,
        false => Exit::Done,
    }
}

/// What can be said where nothing is wrong for certain: no more than the findings leave.
fn all_clear(found: &[FindingKind]) -> String {
    let is_open = |kinds: &[FindingKind]| found.iter().any(|it| kinds.contains(it));
    let [changing, leaves] = [FindingKind::ChangingOutput, FindingKind::ResetLeaves];
    let unstable = [
        changing,
        leaves,
        FindingKind::ActsLate,
        FindingKind::GrowingWord,
        FindingKind::Garbled,
        FindingKind::Unasked,
        FindingKind::LateFault,
        FindingKind::ResetFault,
        FindingKind::Fault,
    ];
    let claims = [
        ("answers are stable", &unstable[..]),
        (
            "the reset is real as far as this can tell",
            &[changing, leaves, FindingKind::ShortTimeOut, FindingKind::OneOutput],
        ),
        (
            "no time-out is too short",
            &[FindingKind::ShortTimeOut, FindingKind::LateBytes, FindingKind::ActsLate],
        ),
    ];
    let claims: Vec<_> =
        claims.iter().filter(|(_, open)| !is_open(open)).map(|(claim, _)| *claim).collect();
    match (&claims[..], found.is_empty()) {
        ([one, two, three], true) => format!("Nothing is wrong: {one}, {two}, and {three}."),
        ([one, two, three], false) => format!(
            "Nothing is wrong: {one}, {two}, and {three}. Whether the above may stay is for you to say."
        ),
        ([], _) => {
            "Nothing is wrong for certain. Find out what the above is before you learn.".to_owned()
        }
        (some, _) => format!(
            "Nothing is wrong for certain: {}. Find out what the above is before you learn.",
            some.join(", and ")
        ),
    }
}

/// Writes the device file with the changes that were found; nothing if there are none.
fn write(path: &Path, mut file: EditableDeviceFile, finished: &FinishedCheck) -> Result<()> {
    let findings = &finished.checked.findings;
    let mut changes = Vec::new();
    for change in findings.iter().filter_map(Finding::change_to_write) {
        // Two words may show the same.
        if !changes.contains(&change) {
            file.apply(change);
            changes.push(change);
        }
    }
    let left_out = findings.iter().filter(|finding| is_left_out(finding)).count();
    let path_shown = path.display();
    let changed = match changes.len() {
        0 => {
            let is_wrong = findings.iter().any(Finding::is_wrong);
            let why = why_unwritten(finished.is_ended, is_wrong, findings.len(), left_out);
            say_sentences(&format!("{path_shown} was not written: {why}.\n"));
            return Ok(());
        }
        1 => "with 1 change".to_owned(),
        count => format!("with {count} changes"),
    };
    let text = file.text();
    write_new(path, &text)?;
    device_file::remember(path, &text);
    let left = if left_out > 0 { format!("; {LEFT_OUT}") } else { String::new() };
    say_sentences(&format!("Written to {path_shown}: {changed}{left}.\n"));
    Ok(())
}

/// Whether a finding proposes a change that is not written.
fn is_left_out(finding: &Finding) -> bool {
    finding.change.is_some() && finding.change_to_write().is_none()
}

/// Why there was nothing to write: how many findings there are, and how many of them have a change that was left out.
fn why_unwritten(is_ended: bool, is_wrong: bool, found: usize, left_out: usize) -> &'static str {
    match (is_ended, found, left_out) {
        (true, 0, _) => "the check was interrupted before it found anything",
        (false, 0, _) => "nothing has to be changed",
        (_, _, 0) if is_wrong => "what is said above is for you to mend",
        (_, _, 0) => "no change is proposed",
        _ => LEFT_OUT,
    }
}

fn editable(path: &Path, device: &DeviceFile) -> Result<EditableDeviceFile> {
    let text = std::fs::read_to_string(path)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read the device file {}", path.display()))?;
    EditableDeviceFile::new(device.clone(), &text)
        .ok_or_else(|| miette!("{} is not TOML", path.display()))
}

/// What resets cost.
fn reset_table(resets: &[TimeSpent]) -> String {
    let mut rows = vec![["reset", "times", "", "mean ms", "longest ms"].map(str::to_owned)];
    for (number, spent) in (1..).zip(resets) {
        let count = u32::try_from(spent.count).unwrap_or(u32::MAX);
        let mean = spent.total.checked_div(count);
        rows.push([
            format!("[[reset]] {number}"),
            count.to_string(),
            String::new(),
            mean.map_or_else(dash, ms),
            if count == 0 { dash() } else { ms(spent.longest) },
        ]);
    }
    aligned(&rows)
}

/// What replies cost.
fn input_table(evidence: &Evidence) -> String {
    let header = [
        "input",
        "times",
        "first answer",
        "first byte",
        "longest pause",
        "whole reply, longest ms",
    ];
    let mut rows = vec![header.map(str::to_owned)];
    for ((number, name), timing) in (0..).zip(evidence.names()).zip(evidence.timings()) {
        let longest = |spread: Spread| match spread.count {
            0 => dash(),
            _ => ms(spread.longest),
        };
        rows.push([
            name.clone(),
            timing.count.to_string(),
            evidence.first_answer(Input::new(number)).map_or_else(dash, cut),
            longest(timing.wait),
            longest(timing.gap),
            longest(timing.whole),
        ]);
    }
    aligned(&rows)
}

/// A finding, with how much it matters and how sure it is.
fn shown(finding: &Finding) -> String {
    let word = match finding.certainty {
        Certainty::Possible => "Perhaps",
        Certainty::Shown if finding.is_wrong() => "WRONG",
        Certainty::Shown => "Slow",
    };
    format!("{word}: {}\n", finding.text)
}

/// Rows with columns of one width: the first and third to the left, numbers to the right.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: BTreeMap<usize, usize> = (0..N)
        .map(|column| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            (column, widths.max().unwrap_or(0))
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate().filter(|(column, _)| widths[column] > 0) {
            let width = widths[&column];
            let written = match column {
                0 | 2 => write!(line, "{cell:<width$}  "),
                _ => write!(line, "{cell:>width$}  "),
            };
            written.expect("a string takes everything");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn ms(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1000.0)
}

fn dash() -> String {
    "-".to_owned()
}

/// An answer that fits a column.
fn cut(answer: &str) -> String {
    let answer = export::shown(answer);
    if answer.chars().count() <= SHOWN {
        return answer.to_owned();
    }
    answer.chars().take(SHOWN - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_named_with_what_is_known_of_it() {
        let seconds = Duration::from_secs;
        let said_of = |stage, trials: u64, listening: Option<u64>| {
            let progress = CheckProgress {
                stage,
                asked: 7,
                total: 90,
                left: seconds(180),
                exploring: seconds(60),
                listening: listening.map(seconds),
                trials: seconds(trials),
                is_answered: true,
                is_no_end_met: false,
            };
            progress_text(&progress, seconds(240))
        };
        let said = |stage, trials| said_of(stage, trials, None);
        assert_eq!(
            said_of(CheckStage::Compare, 0, Some(40)),
            "step 4 of 4, a closer look: listening for up to 40 s while nothing is asked, at most 4 min left"
        );
        let of = "7 of about 90 words asked";
        for (stage, trials, expected) in [
            (CheckStage::First, 0, format!("step 1 of 4, each input once: {of}")),
            (
                CheckStage::Explore,
                0,
                format!(
                    "step 2 of 4, exploring: {of}, at most 60 s left of this step, then about 2 min"
                ),
            ),
            (
                CheckStage::Repeat,
                300,
                format!(
                    "step 3 of 4, words again and again: {of}, about 2 min left of this step, then at most 60 s; answers \
                     differ: at most 5 min more to find out why"
                ),
            ),
            // The time that was said before does not start again, whatever is looked into now.
            (
                CheckStage::Compare,
                0,
                "step 4 of 4, a closer look: 7 words asked, at most 4 min left".to_owned(),
            ),
        ] {
            assert_eq!(said(stage, trials), expected);
        }
    }

    #[test]
    fn a_longer_time_that_is_left_out_needs_no_other_remedy() {
        assert_eq!(why_unwritten(false, true, 1, 1), LEFT_OUT);
        assert_eq!(why_unwritten(false, false, 2, 1), LEFT_OUT);
        assert_eq!(why_unwritten(true, true, 1, 1), LEFT_OUT);
        assert!(why_unwritten(true, false, 0, 0).starts_with("the check was interrupted"));
        assert_eq!(why_unwritten(false, true, 2, 0), "what is said above is for you to mend");
        assert_eq!(why_unwritten(false, false, 2, 0), "no change is proposed");
        assert_eq!(why_unwritten(false, false, 0, 0), "nothing has to be changed");
    }

    #[test]
    fn an_all_clear_claims_no_more_than_the_findings_leave() {
        assert!(
            all_clear(&[]).starts_with("Nothing is wrong: answers are stable, the reset is real")
        );
        assert!(
            all_clear(&[FindingKind::IdleInput])
                .ends_with("Whether the above may stay is for you to say.")
        );
        // A reset that the device refuses is answered like all else.
        assert!(!all_clear(&[FindingKind::OneOutput]).contains("reset"));
        let unstable = all_clear(&[FindingKind::ChangingOutput]);
        assert!(unstable.starts_with("Nothing is wrong for certain: no time-out"), "{unstable}");
        let paced = all_clear(&[FindingKind::ActsLate]);
        assert!(paced.starts_with("Nothing is wrong for certain: the reset is real"), "{paced}");
        assert!(!paced.contains("time-out"), "{paced}");
        assert!(!all_clear(&[FindingKind::Unasked]).contains("answers are stable"));
        let late = all_clear(&[FindingKind::ShortTimeOut]);
        assert!(late.starts_with("Nothing is wrong for certain: answers are stable."), "{late}");
        let both = all_clear(&[FindingKind::ChangingOutput, FindingKind::ShortTimeOut]);
        assert!(both.starts_with("Nothing is wrong for certain. Find"), "{both}");
    }
}
