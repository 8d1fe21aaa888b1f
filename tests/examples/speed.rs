//! How long the learner takes for each symbol that it asks:
//! `cargo run --release -p mealybug-tests --example speed -- [--algorithm A] [--tests T] [--seed N] MODEL.dot…`
//!
//! Measures the time of the simulation apart: the simulator is asked the words of a run once more,
//! without a learner. The search for perfect counterexamples, and the comparison of hypothesis and
//! model, do not count.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use mealybug::dot;
use mealybug::learn::Oracle;
use mealybug::machine::Machine;
use mealybug::simulate::Simulated;
use mealybug_core::{
    Action, EndReason, Input, Mealy, Options, Progress, Projections, Reply, Session, SessionError,
    Sul, Tests,
};

/// How many symbols are kept before the simulator is asked them again.
const KEPT: usize = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut options = Options::new().tests(Tests::External).passing_tests(u64::MAX);
    let mut models = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--algorithm" => {
                options.projections = match value()?.as_str() {
                    "l-star" => Projections::Identity,
                    "ol-star" => Projections::PerOutput,
                    other => return Err(format!("{other} is neither l-star nor ol-star").into()),
                }
            }
            "--tests" => {
                options.tests = match value()?.as_str() {
                    "perfect" => Tests::External,
                    "random-wp" => Tests::RandomWp,
                    "mixture" => Tests::Mixture,
                    other => return Err(format!("{other}: perfect, random-wp or mixture").into()),
                }
            }
            "--seed" => options.seed = value()?.parse()?,
            _ => models.push(word),
        }
    }
    println!(
        "{:<34} {:>6} {:>6} {:>12} {:>9} {:>9} {:>9} {:>9}  words",
        "model", "states", "inputs", "symbols", "bytes", "seconds", "ns/symbol", "simulator"
    );
    for model in models {
        let name = Path::new(&model).file_name().unwrap_or_default().to_string_lossy();
        let machine = dot::read(&name, &std::fs::read_to_string(&model)?)?;
        let states = machine.minimise().states();
        let run = learn(&machine, options)?;
        let Progress { learning, testing, learner_bytes, .. } = run.progress;
        let symbols = learning.symbols + testing.symbols;
        let each = |time: Duration| time.as_nanos() as f64 / symbols as f64;
        println!(
            "{name:<34} {states:>6} {:>6} {symbols:>12} {learner_bytes:>9} {:>9.3} {:>9.1} {:>9.1}  {:016x}",
            Mealy::inputs(&machine),
            run.time.as_secs_f64(),
            each(run.time),
            each(run.simulation),
            run.words,
        );
    }
    Ok(())
}

struct TimedRun {
    progress: Progress,
    /// Without the search for counterexamples.
    time: Duration,
    simulation: Duration,
    /// A hash of all words in their order.
    words: u64,
}

fn learn(machine: &Machine, options: Options) -> Result<TimedRun, Box<dyn Error>> {
    let mut session = Session::new(vec![0; 1 << 12], Mealy::inputs(machine), options)?;
    let (mut device, oracle) = (Simulated::new(machine), Oracle::new(machine));
    let mut kept: Vec<u32> = Vec::with_capacity(KEPT + (1 << 16));
    let (mut outside, mut simulation) = (Duration::ZERO, Duration::ZERO);
    let mut words = 0xcbf2_9ce4_8422_2325;
    let start = Instant::now();
    let mut action = Action::Idle;
    let (mut word, mut outputs) = (Vec::new(), Vec::new());
    let mut symbols = 0;
    let progress = loop {
        let cex;
        let reply = match action {
            Action::Reset => {
                if kept.len() >= KEPT {
                    let paused = Instant::now();
                    words = hash(words, &kept);
                    simulation += replay(machine, &kept);
                    kept.clear();
                    outside += paused.elapsed();
                }
                kept.push(RESET);
                device.reset()?;
                Reply::Ready
            }
            Action::Input(input) => {
                word.push(input);
                word.extend(session.ahead(0));
                outputs.clear();
                outputs.extend(word.iter().map(|&input| device.answer(input)));
                Reply::Outputs(&outputs)
            }
            Action::Hypothesis => {
                let paused = Instant::now();
                let hypothesis = session.hypothesis().ok_or("no hypothesis")?;
                cex = oracle.counterexample(hypothesis);
                outside += paused.elapsed();
                match &cex {
                    None => Reply::Equivalent,
                    Some(word) if options.tests == Tests::External => Reply::Counterexample(word),
                    Some(_) => Reply::Ready,
                }
            }
            Action::Idle => Reply::Ready,
            Action::Done(EndReason::Equivalent) => break session.progress(),
            Action::Done(why) => return Err(format!("not learned: {why:?}").into()),
        };
        action = loop {
            match session.next(0, reply) {
                Ok(action) => break action,
                Err(SessionError::Capacity(error)) => {
                    let words = 2 * error.needed / size_of::<u32>();
                    session.move_into(vec![0; words]).map_err(|_| "smaller")?;
                }
                Err(error) => return Err(error.into()),
            }
        };
        if !word.is_empty() {
            // A test may have ended before its last input.
            let asked = asked(&session) - symbols;
            kept.extend(word.drain(..).map(Input::index).take(usize::try_from(asked)?));
            symbols += asked;
        }
    };
    let time = start.elapsed() - outside;
    words = hash(words, &kept);
    simulation += replay(machine, &kept);
    Ok(TimedRun { progress, time, simulation, words })
}

/// The number of symbols asked so far.
fn asked(session: &Session<Vec<u32>>) -> u64 {
    let Progress { learning, testing, .. } = session.progress();
    learning.symbols + testing.symbols
}

/// Stands for a reset among inputs.
const RESET: u32 = u32::MAX;

/// Asks the simulator alone the words once more.
fn replay(machine: &Machine, kept: &[u32]) -> Duration {
    let mut device = Simulated::new(machine);
    let start = Instant::now();
    for &input in kept {
        if input == RESET {
            let _ = device.reset();
        } else {
            let _ = black_box(device.step(Input::new(input)));
        }
    }
    start.elapsed()
}

/// FNV-1a of the symbols asked.
fn hash(before: u64, kept: &[u32]) -> u64 {
    kept.iter()
        .fold(before, |hash, &input| (hash ^ u64::from(input)).wrapping_mul(0x0100_0000_01b3))
}
