//! How a run on a target ended: for its statistics, for people, and for the shell.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use mealybug::device::DeviceFile;
use mealybug::learn::{Failure, Outcome};
use mealybug::result_file::ResultFileError;
use mealybug::short_output::short_all;
use mealybug::statistics::{EndCode, Statistics, number};
use mealybug::store::Unsettled;
use mealybug::target::{DeviceFault, TargetEnd, TargetError};
use mealybug_core::wire::message::{DeviceError, Fault};
use mealybug_core::{EndReason, Input, Summary};
use miette::{Report, Result};

use super::watch::{Last, TargetObserver};
use crate::endpoint::{Means, Subject};
use crate::exit::{CliError, Exit};
use crate::run::failure;
use crate::run::results::Results;

/// What failed.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The device at the target.
    Device(DeviceError),
    /// The target, or the line to it: how the run ends is not known.
    Target(TargetError),
}

/// A run that is no longer watched.
pub(crate) struct EndedRun {
    /// Why the run is over.
    pub(crate) ending: Outcome<Failed>,
    /// After a contradiction, the names of the output before and of the output now.
    pub(crate) contradicting: Option<[String; 2]>,
    /// The result, or the last hypothesis if the target was lost from view.
    pub(crate) last: Last,
}

impl EndedRun {
    /// Reads how the run ended; `name` names an output. The loss of the target is an error if no hypothesis came before it.
    pub(crate) fn new<N>(
        end: Result<TargetEnd, TargetError>,
        watch: &mut TargetObserver<N>,
        interrupted: &AtomicBool,
        name: impl Fn(&[u8]) -> String,
    ) -> Result<Self>
    where
        N: Fn(Vec<u8>) -> Result<Vec<u8>, ResultFileError>,
    {
        match end {
            Ok(end) => {
                let last = watch.read(end.result.clone()).map_err(TargetError::Result)?;
                let ending = ending(&end, &last.run, interrupted.load(Ordering::SeqCst));
                let contradicting =
                    end.contradicting.map(|outputs| outputs.map(|output| name(&output)));
                Ok(Self { ending, contradicting, last })
            }
            Err(error) => {
                let Some(last) = watch.last() else { return Err(error.into()) };
                let failure = Failure { error: Failed::Target(error), word: Vec::new(), sent: 0 };
                Ok(Self { ending: Outcome::Failure(failure), contradicting: None, last })
            }
        }
    }
}

/// Why the run is over.
fn ending(end: &TargetEnd, run: &Summary, is_interrupted: bool) -> Outcome<Failed> {
    match (end.fault, run.end) {
        (Some(Fault::Capacity(error)), _) => Outcome::Memory(error.into()),
        (Some(Fault::Contradiction(error)), _) => {
            let word = end.word.iter().take(error.position as usize + 1).copied().collect();
            Outcome::Contradiction(Unsettled { word, answers: Vec::new() })
        }
        (Some(Fault::Device { error, sent, .. }), _) => {
            let (error, word) = (Failed::Device(error), end.word.clone());
            Outcome::Failure(Failure { error, word, sent: sent as usize })
        }
        (None, None | Some(EndReason::Stopped)) if is_interrupted => Outcome::Interrupted,
        (None, None | Some(EndReason::Stopped)) => Outcome::Time,
        (None, Some(why)) => Outcome::Session(why),
    }
}

/// Says it where a target is not what the host is; `is_over` says whether this command ended the run at its `--max-time`.
pub(crate) fn explain(
    ending: &Outcome<Failed>,
    is_over: bool,
    statistics: Statistics,
) -> Statistics {
    match ending {
        Outcome::Time if !is_over => {
            let reason = "a host ended the run before".to_owned();
            Statistics { reason, ..statistics }
        }
        Outcome::Memory(error) => {
            let [has, needed] = [error.capacity, error.needed].map(|bytes| number(bytes as u64));
            let reason = format!("the target has {has} bytes of memory, and {needed} are needed");
            Statistics { reason, ..statistics }
        }
        Outcome::Failure(Failure { error: Failed::Target(error), .. }) => {
            let (why, reason) = match error {
                TargetError::Left => (
                    EndCode::Interrupted,
                    "this command was told to end; the run on the target goes on",
                ),
                _ => (EndCode::TargetLost, "the target was lost from view"),
            };
            Statistics { why, reason: reason.to_owned(), ..statistics }
        }
        _ => statistics,
    }
}

/// How the command ends.
pub(crate) fn exit(
    ending: Outcome<Failed>,
    contradicting: Option<&[String; 2]>,
    device: Option<&DeviceFile>,
    subject: Subject<'_>,
    results: &Results,
) -> Result<Exit> {
    let is_converged = ending.is_converged();
    let kept = failure::kept(results);
    match ending {
        Outcome::Failure(Failure { error: Failed::Target(error), .. }) => {
            Err(Report::from(error).wrap_err(format!("the run is no longer watched. {kept}")))
        }
        Outcome::Failure(Failure { error: Failed::Device(error), word, sent }) => {
            let place = failure::place(&word, sent, subject.inputs);
            let (what, help) = (DeviceFault(error), advice(error));
            Err(CliError::report(
                Exit::Device,
                format!("the device at the target failed: {what}, {place}"),
                format!("{help} {kept}"),
            ))
        }
        Outcome::Contradiction(unsettled) => {
            Err(contradiction(&unsettled.word, contradicting, device, subject, results))
        }
        Outcome::Interrupted => Ok(Exit::Interrupted),
        _ if is_converged => Ok(Exit::Done),
        _ => Ok(Exit::Limit),
    }
}

fn contradiction(
    word: &[Input],
    outputs: Option<&[String; 2]>,
    device: Option<&DeviceFile>,
    subject: Subject<'_>,
    results: &Results,
) -> Report {
    let outputs: Vec<_> = outputs.into_iter().flatten().map(String::as_str).collect();
    let last = word.last().and_then(|input| device?.inputs.get(input.index() as usize));
    let is_silence = |name: &&str| last.is_some_and(|input| input.reply.silent == **name);
    // The board asks the device; a program that knows its own device has no file.
    let means = Means {
        has_file: device.is_some(),
        can_be_checked: false,
        drops_late: device.is_some_and(DeviceFile::drops_late),
    };
    let is_silent = outputs.iter().any(is_silence);
    let advice = failure::contradiction_advice(means, is_silent, &outputs);
    let place = failure::place(word, word.len(), subject.inputs);
    let answers = match &short_all(&outputs)[..] {
        [before, now] => format!("`{before}` before and `{now}` now"),
        _ => "something else than before".to_owned(),
    };
    CliError::report(
        Exit::Contradiction,
        format!("the device contradicts itself: it answered {answers}, {place}"),
        failure::with_kept(&advice, &failure::kept(results)),
    )
}

/// What to do about it.
fn advice(error: DeviceError) -> &'static str {
    match error {
        DeviceError::NotReset => {
            "is it attached to the target's port for devices, switched on, at the same baud rate, and does \
             the [[reset]] expect what it says?"
        }
        DeviceError::Unending => "raise `max_ms` of [reply], or let it end earlier.",
        DeviceError::Late => "let [reply] end later: a stricter `match`, a longer `quiet_ms`.",
        DeviceError::TooLong => "learn it with `mealybug learn`, or let [reply] end earlier.",
        DeviceError::Framing | DeviceError::Parity | DeviceError::Break => {
            "are `baud` and `format` in [port] those of the device? If it is meant to do this, say \
             line_errors = \"output\" in [reply]."
        }
        DeviceError::Overrun => "a lower baud rate helps, or shorter replies.",
        DeviceError::TooManyOutputs => "does an answer hold a time or a counter?",
        DeviceError::Pin => "are the pins of the board configured as its program says?",
        DeviceError::Bus => {
            "is the device on the bus, with its pull-ups, and is its address right?"
        }
        _ => "build the host and the program of the board from the same sources.",
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(error) => DeviceFault(*error).fmt(f),
            Self::Target(error) => error.fmt(f),
        }
    }
}
