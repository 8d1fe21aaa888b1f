//! `mealybug test`: a golden model against a device.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use mealybug::conformance::{
    self, Deviation, ObserveTests, TestOutcome, Tested, junit, junit_of_no_tests,
};
use mealybug::duration_text;
use mealybug::events::{CommandName, EndEvent, Event, ProgressEvent, TestEnd, TestProgress};
use mealybug::export;
use mealybug::interrupt;
use mealybug::learn::{Failure, Limits, Tally};
use mealybug::learned_components::output_name;
use mealybug::machine::Machine;
use mealybug::statistics::number;
use mealybug::store::{LineRules, Store, Stored, Unsettled};
use mealybug::word;
use mealybug_core::{Budget, Costs, EndReason, Input, Options, Sul, Tests};
use miette::{Report, Result};

use crate::endpoint::Subject;
use crate::endpoint::connect::Connect;
use crate::endpoint::{Endpoint, EndpointError, Means};
use crate::exit::{CliError, Exit};
use crate::files::model;
use crate::files::out_file::{OutFile, with_files};
use crate::option_values::{ABSENCE, InARow};
use crate::run::failure;
use crate::run::notes::Notes;
use crate::run::retry::Patience;
use crate::terminal::output::OutputMode;
use crate::terminal::{complain, complain_of};

/// How often standard error says how far it is, and how often programs hear of it.
const SAID: Duration = Duration::from_secs(10);
const TOLD: Duration = Duration::from_secs(1);
/// How many random tests are asked.
const TESTS: u64 = 1000;
/// The tests need memory as learning does; no model that fits on a disk needs more.
const MEMORY_BYTES: usize = 1 << 30;

/// Test whether a device does what its golden model says.
///
/// The tests are those with which `mealybug learn` tests a hypothesis. A failing word is confirmed, minimised,
/// and printed with the expected and the actual output. A test ends where the model does not know what
/// follows.
#[derive(Debug, Args)]
#[command(
    override_usage = "mealybug test [OPTIONS] <MODEL> [--port <PORT>] <DEVICE.toml>\n       \
                      mealybug test [OPTIONS] <MODEL> --agent [--port <PORT>] [DEVICE.toml]\n       \
                      mealybug test [OPTIONS] <MODEL> --adapter <COMMAND>\n       \
                      mealybug test [OPTIONS] <MODEL> --model <MODEL>",
    after_help = "\
Examples:
  mealybug test golden.dot --port /dev/ttyUSB0 lock.toml
  mealybug test golden.dot --port /dev/ttyUSB0 lock.toml --tests wp:1 --junit report.xml

Exit status:
    0  the device withstood all tests
    1  it differs from the model, or something else went wrong
    2  the command line is wrong
    3  a limit ended the tests
    4  the device contradicts itself
    5  the device failed, or the link to it was lost
    6  a disk, a folder or standard output cannot be used
  130  Ctrl-C, or a request to end"
)]
pub(crate) struct TestArgs {
    /// The golden model: a DOT file, the result of a run, or its folder
    #[arg(value_name = "MODEL")]
    golden: PathBuf,

    #[command(flatten)]
    connect: Connect,

    /// The kind of tests: mixture, random-wp, random-words, w:K, wp:K, components:K
    ///
    /// The mixture has the kinds systematic, splice, coverage, repetition and long-words, which can be asked for as well. w:K and
    /// wp:K are the complete suites for K extra states; components:K is the complete suite for K extra
    /// states of each component, what one output shows of the model: far fewer words where the model is
    /// much larger than its components. All of it is asked, as nothing is learned before.
    #[arg(long, value_name = "TESTS", default_value_t = Tests::Mixture, help_heading = "Testing")]
    tests: Tests,

    /// The number of random tests: a number, or unlimited [default: 1000]
    ///
    /// A complete suite has a number of its own, and takes no other.
    #[arg(long, value_name = "N", help_heading = "Testing")]
    tests_in_a_row: Option<InARow>,

    /// The seed of the random tests; the same seed asks the same words
    #[arg(long, value_name = "SEED", default_value_t = 0, help_heading = "Testing")]
    seed: u64,

    /// Go on after the first difference
    #[arg(long, help_heading = "Testing")]
    keep_going: bool,

    /// End after this many input symbols
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_symbols: Option<u64>,

    /// End after this time, such as 90s, 10m or 2h
    #[arg(long, value_name = "TIME", value_parser = duration_text::parse, help_heading = "Limits")]
    max_time: Option<Duration>,

    /// How long to wait for a disconnected device, such as 10s or 5m
    #[arg(long, value_name = "TIME", value_parser = duration_text::parse, default_value = ABSENCE, help_heading = "Faults")]
    absence: Duration,

    /// Write a report as JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    junit: Option<PathBuf>,

    #[command(flatten)]
    output: OutputMode,
}

impl TestArgs {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Exit> {
        if self.tests == Tests::External {
            return Err(CliError::report(
                Exit::Usage,
                "--tests model makes no tests here",
                "one of mixture, random-wp, random-words, w:K, wp:K, components:K",
            ));
        }
        if let Some(in_a_row) = self.tests_in_a_row {
            in_a_row.require_random(self.tests)?;
        }
        let mut report = self.junit.as_deref().map(OutFile::try_at).transpose()?;
        let exit = model::read_with_verdict(&self.golden).and_then(|(golden, converged)| {
            let report = &mut report;
            self.connect.open(|subject, end| self.test(golden, converged, subject, end, report))
        });
        // Nothing was tested.
        let written = match (report, &exit) {
            (Some(file), Err(error)) => {
                let why = error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ");
                file.write(junit_of_no_tests(&model::name(&self.golden), &why))
            }
            _ => Ok(()),
        };
        with_files(exit, written)
    }

    fn test(
        &self,
        golden: Machine,
        converged: Option<bool>,
        subject: Subject<'_>,
        end: Endpoint<'_>,
        report: &mut Option<OutFile<'_>>,
    ) -> Result<Exit> {
        let golden = &model::with_names(golden, Some(subject.states));
        let numbers = numbers(golden, subject.inputs)?;
        let interrupted = interrupt::flag()?;
        let limits =
            Limits { memory_bytes: MEMORY_BYTES, time: self.max_time, interrupted: &interrupted };
        let (names, output) = (golden.inputs(), self.output);
        output.start(CommandName::Test, &model::name(&self.golden), names);
        let mut watch = ShownTests {
            golden,
            output,
            said: Instant::now(),
            notes: Notes::new(None, output),
            patience: Patience::new(self.absence),
            interrupted: &interrupted,
        };
        let means = end.means();
        let tested = conformance::test(
            golden,
            stored(end, numbers),
            self.options(golden),
            &limits,
            self.keep_going,
            &mut watch,
        );
        output.say(&coverage(golden, &tested));
        let unknown = subject.inputs.iter().filter(|name| golden.find_input(name).is_none());
        let unknown: Vec<_> = unknown.map(|name| format!("`{name}`")).collect();
        if !unknown.is_empty() {
            note(output, format!("the model says nothing about {}", unknown.join(", ")));
        }
        if converged == Some(false) {
            let text = "the run that made the model did not converge: where the device differs, the model may be wrong";
            note(output, text.to_owned());
        }
        let early = early_end(&tested.ending, names);
        if let Some(early) = &early {
            output.say(&format!("It ended early: {early}.\n"));
        }
        output.event(&ended(golden, &tested, early.clone()));
        let written = report.take().map(|file| {
            file.write(junit(&model::name(&self.golden), golden, &tested, early.as_deref()))
        });
        output.say(&verdict(&tested));
        let differs = !tested.differences.is_empty();
        let exit = exit(tested, names, means).or_else(|error| {
            if !differs {
                return Err(error);
            }
            complain_of(&error);
            Ok(Exit::Failed)
        });
        with_files(exit, written.unwrap_or(Ok(())))
    }

    fn options(&self, golden: &Machine) -> Options {
        Options::new()
            .tests(self.tests)
            .seed(self.seed)
            .passing_tests(self.tests_in_a_row.unwrap_or(InARow::Tests(TESTS)).number())
            .product_states(golden.states().max(1))
            .budget(Budget::UNLIMITED.symbols(self.max_symbols.unwrap_or(u64::MAX)))
    }
}

/// Says something beside the result.
fn note(output: OutputMode, message: String) {
    output.say(&format!("Note: {message}.\n"));
    output.event(&Event::Note { message });
}

/// For each input of the model its number at the device.
fn numbers(golden: &Machine, inputs: &[String]) -> Result<Vec<Input>> {
    let number = |name: &String| (0..).zip(inputs).find(|(_, input)| *input == name);
    let numbers = golden.inputs().iter().map(|name| {
        let (number, _) = number(name).ok_or_else(|| {
            let known: Vec<_> = inputs.iter().map(|name| format!("`{name}`")).collect();
            CliError::report(
                Exit::Usage,
                format!("the model has an input `{name}`, which the device does not have"),
                format!("inputs are matched by their names; the device has {}", known.join(", ")),
            )
        })?;
        Ok(Input::new(number))
    });
    numbers.collect()
}

/// The device, with the input numbers of the model, behind a store in memory.
fn stored(end: Endpoint<'_>, numbers: Vec<Input>) -> Stored<Renumbered<Endpoint<'_>>> {
    let noise = end.noise();
    let device = Renumbered { device: end, numbers };
    let device = Stored::new(device, Store::in_memory()).with_noise(noise);
    device.with_line(LineRules {
        garbled: EndpointError::garbled,
        is_silence: |end, input, output| end.is_silence(input, output),
        is_away: EndpointError::is_away,
        is_followed: |end| end.device.is_followed(),
        // Each test asks the device, whatever is known.
        ..LineRules::default()
    })
}

/// A device whose inputs have the numbers that they have in the model.
struct Renumbered<D> {
    device: D,
    numbers: Vec<Input>,
}

impl Renumbered<Endpoint<'_>> {
    fn is_silence(&self, input: Input, output: &[u8]) -> bool {
        self.device.is_silence(self.numbers[input.index() as usize], &output_name(output))
    }
}

impl<D: Sul> Sul for Renumbered<D> {
    type Error = D::Error;

    fn reset(&mut self) -> Result<(), D::Error> {
        self.device.reset()
    }

    fn step(&mut self, input: Input) -> Result<&[u8], D::Error> {
        self.device.step(self.numbers[input.index() as usize])
    }

    fn reset_for(&mut self, word: &[Input]) -> Result<(), D::Error> {
        let word: Vec<_> = word.iter().map(|input| self.numbers[input.index() as usize]).collect();
        self.device.reset_for(&word)
    }
}

/// Shows how the tests go on.
struct ShownTests<'a> {
    golden: &'a Machine,
    output: OutputMode,
    said: Instant,
    notes: Notes,
    patience: Patience,
    interrupted: &'a AtomicBool,
}

impl ObserveTests<EndpointError> for ShownTests<'_> {
    fn answered(&mut self) {
        self.patience.device_is_there(&self.notes);
    }

    fn tests(&mut self, tests: u64, costs: Costs) {
        let due = if self.output.is_json() { TOLD } else { SAID };
        if self.said.elapsed() < due {
            return;
        }
        self.said = Instant::now();
        let progress = TestProgress::new(tests, costs);
        self.output.event(&Event::Progress(ProgressEvent::Test(progress)));
        if self.output.shows_progress() && !self.output.is_json() {
            complain(&format!("{} tests, {} symbols", number(tests), number(costs.symbols)));
        }
    }

    fn difference(&mut self, difference: &Deviation) {
        let Deviation { word, expected, said, state, .. } = difference;
        let name = |input: &Input| self.golden.input_name(*input).to_owned();
        self.output.event(&Event::Difference {
            word: word.iter().map(name).collect(),
            state: self.golden.state_name(*state).map(str::to_owned),
            expected: expected.clone(),
            said: said.clone(),
        });
        self.output.say(&shown(difference, self.golden));
    }

    fn retry(&mut self, failure: &Failure<EndpointError>, tally: &Tally) -> bool {
        let Self { golden, notes, patience, interrupted, .. } = self;
        patience.retry(failure, tally, golden.inputs(), notes, interrupted)
    }
}

/// A difference as people read it.
fn shown(difference: &Deviation, golden: &Machine) -> String {
    let Deviation { word, expected, said, state, .. } = difference;
    let [expected, said] = [expected, said].map(|output| export::shown(output));
    let state = match (golden.state_name(*state), word.last()) {
        (Some(name), Some(last)) => {
            let last = golden.input_name(*last);
            format!(", where `{last}` comes in the state `{name}`")
        }
        _ => String::new(),
    };
    format!(
        "DIFFERENT after a reset and `{}`{state}:\n  the model says   {expected}\n  \
         the device says  {said}\n\n",
        word::format(word, golden.inputs())
    )
}

/// What of the model was tried.
fn coverage<E>(golden: &Machine, tested: &Tested<E>) -> String {
    let (covered, all) = tested.covered(golden);
    let [covered, all] = [covered, all].map(number);
    let states = number(golden.states());
    let mut text =
        format!("{covered} of the {all} transitions of the model ({states} states) were taken.\n");
    let gaps = golden.gaps();
    if !gaps.is_empty() {
        writeln!(text, "The model is partial: {gaps}. Tests end there.")
            .expect("a string takes everything");
    }
    text
}

/// How it ended and what it cost.
fn verdict<E>(tested: &Tested<E>) -> String {
    let Tested { tests, costs, differences, retries, contradictions, .. } = tested;
    let verdict = match &tested.ending {
        TestOutcome::Over(_) if differences.is_empty() => "The device does what the model says",
        TestOutcome::Over(_) | TestOutcome::Deviation => "The device DIFFERS from the model",
        _ if differences.is_empty() => "NOT all tests were asked; no difference was found so far",
        _ => "NOT all tests were asked, and the device DIFFERS from the model",
    };
    let retries = match retries {
        0 => String::new(),
        retries => format!(", {} words asked again after a failure", number(*retries)),
    };
    let contradictions = match contradictions {
        0 => String::new(),
        1 => ", 1 answer that it did not repeat".to_owned(),
        count => format!(", {} answers that it did not repeat", number(*count)),
    };
    format!(
        "{verdict}: {} tests, {} resets, {} symbols, {}{retries}{contradictions}.\n",
        number(*tests),
        number(costs.resets),
        number(costs.symbols),
        duration_text::text(tested.time.as_secs_f64()),
    )
}

/// The last event.
fn ended<E>(golden: &Machine, tested: &Tested<E>, early: Option<String>) -> Event {
    let is_over = matches!(tested.ending, TestOutcome::Over(_)) && early.is_none();
    Event::End(EndEvent::Test(TestEnd {
        passed: is_over && tested.differences.is_empty(),
        tests: TestProgress::new(tested.tests, tested.costs),
        differences: tested.differences.len(),
        contradictions: tested.contradictions,
        seconds: tested.time.as_secs_f64(),
        gaps: golden.gaps(),
        ended_early: early,
    }))
}

/// Why not all tests were asked, where that was not a difference.
fn early_end(ending: &TestOutcome<EndpointError>, names: &[String]) -> Option<String> {
    match ending {
        TestOutcome::Over(EndReason::SuiteCut) => {
            Some("the suite does not start in all states".to_owned())
        }
        TestOutcome::Over(_) | TestOutcome::Deviation => None,
        TestOutcome::Symbols => Some("the symbols are used up (--max-symbols)".to_owned()),
        TestOutcome::Time => Some("the time is used up (--max-time)".to_owned()),
        TestOutcome::Interrupted => Some("it was interrupted".to_owned()),
        TestOutcome::Memory(error) => Some(error.to_string()),
        TestOutcome::Refused(error) => Some(format!("this model cannot be tested: {error}")),
        TestOutcome::Unstable(Unsettled { word, answers }) => Some(format!(
            "the device contradicts itself: it answered {}, at the end of `{}`",
            failure::answers(answers),
            word::format(word, names)
        )),
        TestOutcome::Failure(failure) => Some(failure.error.to_string()),
        TestOutcome::Store(error) => Some(error.to_string()),
    }
}

/// How the command ends.
fn exit(tested: Tested<EndpointError>, names: &[String], means: Means) -> Result<Exit> {
    let early = early_end(&tested.ending, names);
    match tested.ending {
        TestOutcome::Failure(Failure { error, word, sent }) => {
            let place = failure::place(&word, sent, names);
            Err(Report::from(error).wrap_err(format!("the tests ended early, {place}")))
        }
        TestOutcome::Store(error) => Err(Report::new(error)),
        TestOutcome::Unstable(Unsettled { answers, .. }) => Err(CliError::report(
            Exit::Contradiction,
            early.unwrap_or_default(),
            failure::advice_on(&answers, means, false),
        )),
        TestOutcome::Refused(_) => Err(CliError::report(
            Exit::Usage,
            early.unwrap_or_default(),
            "a smaller part of it can be: leave inputs or states out",
        )),
        _ if !tested.differences.is_empty() => Ok(Exit::Failed),
        TestOutcome::Interrupted => Ok(Exit::Interrupted),
        TestOutcome::Over(EndReason::SuiteCut)
        | TestOutcome::Symbols
        | TestOutcome::Time
        | TestOutcome::Memory(_) => Ok(Exit::Limit),
        TestOutcome::Over(_) | TestOutcome::Deviation => Ok(Exit::Done),
    }
}
