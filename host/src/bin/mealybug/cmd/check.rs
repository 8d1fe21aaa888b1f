//! `mealybug check`: whether a device file fits its device.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;
use mealybug::check::{self, Advice, Different, Finding, Key, Report, Rewrite, Timing};
use mealybug::device::Device;
use mealybug::export::shown;
use mealybug::interrupt;
use mealybug::serial::{Interruptible, SerialSul, Spent, Traced};
use mealybug::word;
use mealybug_core::Input;
use miette::{IntoDiagnostic, Result, WrapErr, miette};

use crate::endpoint::connect::Connect;
use crate::exit::Exit;
use crate::files::new_file::{must_be_new, write_new};
use crate::terminal::say;

/// How often standard error says how far it is.
const SAID: Duration = Duration::from_secs(5);
/// Longer answers are cut.
const SHOWN: usize = 24;

/// Finds out whether a device file fits its device, before an hour is spent on learning it.
///
/// Asks each input and a few longer words many times, from resets: is the reset real, are answers
/// stable, how late do they come, which time-outs are too short or wastefully long?
#[derive(Debug, Args)]
#[command(
    mut_arg("adapter", |adapter| adapter.hide(true)),
    mut_arg("agent", |agent| agent.hide(true)),
    mut_arg("model", |model| model.hide(true)),
    override_usage = "mealybug check [OPTIONS] [--port <PORT>] <DEVICE.toml>",
    after_help = "\
Examples:
  mealybug check --port /dev/ttyUSB0 lock.toml
  mealybug check --port /dev/ttyUSB0 lock.toml --write better.toml

Exit status: 0 when nothing is wrong, 1 when something is; time-outs that are only too long are not
wrong."
)]
pub(crate) struct Check {
    #[command(flatten)]
    connect: Connect,

    /// How often each word is asked
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,

    /// Write the device file with better time-outs, comments kept; the file must be new
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

impl Check {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        let (path, device) = self.connect.device_file()?;
        let mut rewrite = rewrite(path)?;
        self.write.as_deref().map_or(Ok(()), must_be_new)?;
        let interrupted = interrupt::flag()?;
        let link = Interruptible::new(self.connect.link(&device)?, Arc::clone(&interrupted));
        let link = Traced::new(link);
        let mut sul = SerialSul::new(link, device)?;
        let started = Instant::now();
        let mut said = started;
        let report = check::check(&mut sul, self.times, |asked, total| {
            if said.elapsed() > SAID {
                said = Instant::now();
                eprintln!("{asked} of {total} words asked");
            }
            !interrupted.load(Ordering::Relaxed)
        })?;
        let is_ended = interrupted.load(Ordering::Relaxed);
        let device = sul.device();
        let advice = rewrite.advise(device, &report.timings);
        let found = Shown { device, report: &report, advice: &advice, rewrite: &rewrite, is_ended };
        let seconds = started.elapsed().as_secs_f64();
        let ended = if is_ended { ", then it was interrupted: this is not all" } else { "" };
        say(&format!("Asked {} words in {seconds:.1} s{ended}.\n\n", report.words));
        say(&found.tables(&sul.statistics().resets));
        say(&found.findings());
        for warning in sul.warnings() {
            say(&format!("Note: {warning}.\n"));
        }
        if let Some(path) = &self.write {
            for advice in &advice {
                rewrite.apply(sul.device(), advice);
            }
            write_new(path, &rewrite.text())?;
            let changed = match advice.len() {
                0 => "no time-out had to be changed".to_owned(),
                1 => "1 time-out is better".to_owned(),
                count => format!("{count} time-outs are better"),
            };
            say(&format!("Written to {}: {changed}.\n", path.display()));
        }
        let is_wrong =
            !report.findings.is_empty() || advice.iter().any(|advice| advice.is_too_short);
        Ok(match is_ended {
            true => Exit::Interrupted,
            false if is_wrong => Exit::Failed,
            false => Exit::Done,
        })
    }
}

fn rewrite(path: &Path) -> Result<Rewrite> {
    let text = std::fs::read_to_string(path)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read the device file {}", path.display()))?;
    Rewrite::new(&text).ok_or_else(|| miette!("{} is not TOML", path.display()))
}

/// What was found out, on its way to people.
struct Shown<'a> {
    device: &'a Device,
    report: &'a Report,
    advice: &'a [Advice],
    rewrite: &'a Rewrite,
    /// Whether it was interrupted.
    is_ended: bool,
}

impl Shown<'_> {
    /// What resets and replies cost.
    fn tables(&self, resets: &[Spent]) -> String {
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
        let reset = aligned(&rows);
        let header = [
            "input",
            "times",
            "first answer",
            "first byte",
            "longest pause",
            "whole reply, longest ms",
        ];
        let mut rows = vec![header.map(str::to_owned)];
        let timings = self.device.inputs.iter().zip(&self.report.timings).zip(&self.report.answers);
        for ((input, timing), answer) in timings {
            let Timing { count, wait, gap, whole, .. } = timing;
            let time =
                |spread: &check::Spread| spread.mean().map_or_else(dash, |_| ms(spread.longest));
            let answer = answer.as_deref().map_or_else(dash, cut);
            rows.push([
                input.name.clone(),
                count.to_string(),
                answer,
                time(wait),
                time(gap),
                time(whole),
            ]);
        }
        format!("{reset}\n{}\n", aligned(&rows))
    }

    /// What is wrong, and what could be better.
    fn findings(&self) -> String {
        let mut text = String::new();
        for finding in &self.report.findings {
            text += &format!("WRONG: {}\n", self.finding(finding));
        }
        for advice in self.advice {
            let word = if advice.is_too_short { "WRONG: " } else { "Slow: " };
            text += &format!("{word}{}\n", self.advice(advice));
        }
        let unmet: Vec<_> =
            self.named(|timing| timing.unmet == timing.count - timing.silences && timing.unmet > 0);
        if !unmet.is_empty() {
            let names = unmet.join("`, `");
            text += &format!(
                "Slow: no reply to `{names}` met its `match`, `lines` or `length`; silence ended \
                 them. Does the rule fit? `mealybug try` shows what comes.\n"
            );
        }
        let silent = self.named(|timing| timing.silences == timing.count && timing.count > 0);
        if silent.len() == self.device.inputs.len() {
            text += "WRONG: the device never said anything. Are port and `baud` right, is it on, do \
                     its lines end in \\r or \\n?\n";
        }
        if text.is_empty() && !self.is_ended {
            text += "Nothing is wrong: answers are stable, the reset is real as far as this can tell, \
                     and no time-out is too short.\n";
        }
        text
    }

    /// The inputs of which this is true.
    fn named(&self, is: impl Fn(&Timing) -> bool) -> Vec<&str> {
        let inputs = self.device.inputs.iter().zip(&self.report.timings);
        inputs.filter(|(_, timing)| is(timing)).map(|(input, _)| input.name.as_str()).collect()
    }

    fn finding(&self, finding: &Finding) -> String {
        match finding {
            Finding::ResetLeaves { answers, after } => {
                let after = after.each_ref().map(|word| match word {
                    Some(word) => {
                        format!("when `{}` had been asked before the reset", self.word(word))
                    }
                    None => "as the first word of all".to_owned(),
                });
                let [one, other] = &answers.outputs;
                format!(
                    "the reset leaves something behind. {}\n    `{}` {},\n    `{}` {}.\n  \
                     A [[reset]] must bring back everything that an answer shows.",
                    self.asked(answers),
                    cut(one),
                    after[0],
                    cut(other),
                    after[1],
                )
            }
            Finding::Unstable { answers, varying } => {
                let [one, other] = &answers.outputs;
                let asked = self.asked(answers);
                let what = format!(
                    "answers change for no reason that shows. {asked} `{}` or `{}`.\n  ",
                    cut(one),
                    cut(other)
                );
                what + &match varying {
                    Some(varying) => format!(
                        "What changes is a field: {}. In [reply], take it away with\n    {}",
                        varying.shown,
                        varying.strip_line(),
                    ),
                    None => {
                        "Is it a time-out that is too short, a device that speaks unasked, or one \
                             that is really random?"
                            .to_owned()
                    }
                }
            }
            Finding::Fault { message, count } => {
                format!("{count} of {} words failed: {message}", self.report.words)
            }
        }
    }

    fn asked(&self, answers: &Different) -> String {
        match &answers.word[..] {
            [input] => format!("From a reset, `{}` is answered", self.word(&[*input])),
            word => format!("The last input of `{}` is answered", self.word(word)),
        }
    }

    fn advice(&self, advice: &Advice) -> String {
        let Advice { key, now, better, seen, is_too_short, .. } = advice;
        let place = match self.rewrite.is_own(self.device, advice) {
            true => format!("`{}`", self.device.inputs[advice.inputs[0]].name),
            false => "[reply]".to_owned(),
        };
        let (name, now, better, seen) =
            (key.name(), now.as_millis(), better.as_millis(), ms(*seen));
        let why = match key {
            Key::Within => format!("the slowest answer began after {seen} ms"),
            Key::Quiet => format!("the longest pause in a reply was {seen} ms"),
            Key::Grace if *is_too_short => format!("the longest pause in a reply was {seen} ms"),
            Key::Grace => "the pattern never fitted before the end of a reply".to_owned(),
        };
        let is = if *is_too_short { "is too short" } else { "could be shorter" };
        format!("{name} = {now} of {place} {is}: {why}; {name} = {better} is better.")
    }

    fn word(&self, word: &[Input]) -> String {
        let names: Vec<_> = self.device.inputs.iter().map(|input| input.name.clone()).collect();
        word::format(word, &names)
    }
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
    let answer = shown(answer);
    if answer.chars().count() <= SHOWN {
        return answer.to_owned();
    }
    answer.chars().take(SHOWN - 1).chain(['…']).collect()
}
