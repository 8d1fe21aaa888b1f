//! Learns a device for a program.

use std::error::Error;
use std::time::Instant;

use mealybug_core::{Budget, EndReason, Input, Sul, Tests};

use super::comparison::GoldenComparison;
use super::device::Device;
use super::error::LearnError;
use super::learned::{Learned, MAX_STATES};
use super::options::LearnOptions;
use super::recorded::Recorded;
use super::watch::RunWatch;
use crate::algorithm::Algorithm;
use crate::confidence::Confidence;
use crate::learn::{
    self, Counted, FIRST_MEMORY_BYTES, Failure, HostSession, Limits, Outcome, Teacher, new_session,
};
use crate::learned_components::{LearnedComponents, output_name};
use crate::names::find_twice;
use crate::short_output::short_all;
use crate::statistics::{ComponentRecord, OptionsRecord, Statistics, number};
use crate::store::{AnswerTree, GoneAnswer, Store, Stored, Unsettled, gone_answers};
use crate::word;

/// The most memory of the learner.
const MEMORY_BYTES: usize = 1 << 30;

/// Learns a device: returns when the model has passed all tests that the options ask for.
///
/// ```
/// use mealybug::{Device, LearnOptions, dot, learn};
///
/// // A lamp that a long press dims.
/// let lamp = |level: &mut u8, button| {
///     *level = match (button, *level) {
///         ("press", 0) => 100,
///         ("hold", 100) => 30,
///         _ => 0,
///     };
///     *level
/// };
/// let device = Device::from_fn(["press", "hold"], || 0, lamp);
/// let learned = learn(device, &LearnOptions::new())?;
/// assert_eq!(learned.model().states(), 3);
/// println!("{}", dot::write(learned.model()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A model is *not sure* ([`Statistics::verdict`]) if an answer came at first and never again, which only
/// [`LearnOptions::retries`] lets pass: [`Statistics::warnings`] says which.
///
/// # Errors
/// The device failed or contradicted itself, a limit of the options was reached, or the inputs or the
/// options make no sense.
pub fn learn<S: Sul<Error: Error + 'static>>(
    device: Device<S>,
    options: &LearnOptions,
) -> Result<Learned, LearnError<S::Error>> {
    learn_compared(device, options, None)
}

/// As [`learn()`]; has the device confirm the shortest difference of each hypothesis from a golden model.
pub(super) fn learn_compared<S: Sul<Error: Error + 'static>>(
    device: Device<S>,
    options: &LearnOptions,
    comparison: Option<GoldenComparison<'_>>,
) -> Result<Learned, LearnError<S::Error>> {
    let Device { inputs, sul } = device;
    let mut session = session(&inputs, options)?;
    let mut watch = RunWatch::new(&inputs, options, comparison)?;
    let limits = Limits { memory_bytes: MEMORY_BYTES, time: options.max_time, ..Limits::UNLIMITED };
    let started = Instant::now();
    let (outcome, tally, answers) = if options.answers.is_none() && options.retries == 0 {
        let mut teacher = Counted::new(Recorded::new(sul));
        let outcome = learn::learn(&mut session, &mut teacher, &limits, &mut watch);
        (outcome, teacher.tally(), teacher.into_inner().into_answers())
    } else {
        let store = match &options.answers {
            Some(file) => Store::open(file, &inputs).map_err(LearnError::Store)?,
            None => Store::in_memory(),
        };
        let mut teacher = Stored::new(sul, store).with_retries(options.retries);
        let outcome = learn::learn(&mut session, &mut teacher, &limits, &mut watch);
        (outcome, teacher.tally(), teacher.store().tree().clone())
    };
    let gone = gone_answers(&answers);
    let doubt = reset_doubt(&gone, &answers, &inputs);
    let statistics = Statistics {
        refuted: !outcome.is_converged() && learn::is_contradicted(&session),
        inputs: inputs.len(),
        hypotheses: watch.rounds,
        confidence: Confidence::new(&session, tally.tried),
        device: tally.device.into(),
        recalled: tally.recalled,
        contradictions: answers.strays(),
        gone_answers: gone.len() as u64,
        warnings: doubt.into_iter().collect(),
        seconds: started.elapsed().as_secs_f64(),
        ..Statistics::new(record(options, &session), &outcome, session.progress())
    };
    let contradicted = (options.retries == 0).then(|| first_contradiction(&answers)).flatten();
    let learned = || learned(&session, &inputs, statistics, answers);
    let named = |word: &[Input]| word::format(word, &inputs);
    if let Some(unsettled) = contradicted {
        return Err(contradiction(&unsettled, &inputs));
    }
    Err(match outcome {
        Outcome::Failure(Failure { error, word, sent }) => {
            LearnError::Device { word: named(&word[..sent]), error }
        }
        Outcome::Contradiction(unsettled) => contradiction(&unsettled, &inputs),
        Outcome::Store(error) => LearnError::Store(error),
        outcome if outcome.is_converged() => match learned() {
            Some(learned) => return Ok(learned),
            None => {
                let reason = format!("the model has more than {MAX_STATES} states");
                LearnError::NotConverged { reason, learned: None }
            }
        },
        outcome => {
            LearnError::NotConverged { reason: reason(&outcome), learned: learned().map(Box::new) }
        }
    })
}

/// A session that has asked nothing.
fn session<E: Error>(
    inputs: &[String],
    options: &LearnOptions,
) -> Result<HostSession, LearnError<E>> {
    if let Some(twice) = find_twice(inputs) {
        return Err(LearnError::Inputs(format!("the device has two inputs called `{twice}`")));
    }
    let algorithm = Algorithm::DEFAULT;
    let budget = Budget::UNLIMITED.symbols(options.max_symbols.unwrap_or(u64::MAX));
    let session = algorithm
        .options()
        .tests(Tests::Mixture)
        .seed(options.seed)
        .passing_tests(u64::MAX)
        .budget(budget);
    let count = u32::try_from(inputs.len()).unwrap_or(u32::MAX);
    new_session(vec![0; FIRST_MEMORY_BYTES / size_of::<u32>()], count, session).map_err(|_| {
        LearnError::Inputs(format!("a device has 1 to 65536 inputs, and this one has {count}"))
    })
}

/// The options as the report lists them.
fn record(options: &LearnOptions, session: &HostSession) -> OptionsRecord {
    let used = session.options();
    OptionsRecord {
        algorithm: Algorithm::of(used),
        projections: used.projections.to_string(),
        tests: used.tests.to_string(),
        tests_in_a_row: None,
        confidence_wanted: Some(options.confidence),
        seed: options.seed,
        profile: "default".to_owned(),
        max_rounds: None,
        max_symbols: options.max_symbols,
        max_seconds: options.max_time.map(|time| time.as_secs_f64()),
        max_states: MAX_STATES,
        memory_bytes: MEMORY_BYTES,
        product_states: used.product_states,
    }
}

/// What the session knows, if its hypothesis is one machine.
fn learned(
    session: &HostSession,
    inputs: &[String],
    mut statistics: Statistics,
    answers: AnswerTree,
) -> Option<Learned> {
    let components =
        LearnedComponents::new(session.hypothesis()?, inputs, session.options().projections);
    let model = components.product(MAX_STATES).ok()?;
    statistics.states = Some(model.states());
    statistics.gaps = model.gaps();
    statistics.division = Some(components.division.into());
    let each = components.names.iter().zip(&components.components);
    let each = each.map(|(name, component)| ComponentRecord {
        name: name.clone(),
        states: component.states(),
        gaps: component.gaps(),
        file: String::new(),
    });
    statistics.components = each.collect();
    Some(Learned { model, components, statistics, answers })
}

/// What to say of words that are not answered any more as they were at first.
fn reset_doubt(gone: &[GoneAnswer], answers: &AnswerTree, inputs: &[String]) -> Option<String> {
    let &GoneAnswer { first, now } = gone.iter().min_by_key(|it| answers.word(it.now).len())?;
    let word = word::format(&answers.word(now), inputs);
    let times = match answers.votes(first) {
        1 => "once".to_owned(),
        times => format!("{} times", number(times)),
    };
    let [now, first] = [now, first].map(|node| output_name(answers.output(node)));
    let [now, first] = &short_all(&[&now, &first])[..] else { return None };
    let more = match gone.len() - 1 {
        0 => String::new(),
        more => format!(" ({} more like it)", number(more as u64)),
    };
    Some(format!(
        "the word `{word}` ended with `{first}` {times} at first, and with `{now}` in the end{more}. Either what came first was garbled, or \
         the reset does not clear everything; then the model shows only how the device behaves now"
    ))
}

fn contradiction<E: Error>(unsettled: &Unsettled, inputs: &[String]) -> LearnError<E> {
    let Unsettled { word, answers } = unsettled;
    let answers = answers.iter().map(|(output, count)| (output_name(output), *count));
    LearnError::Contradiction { word: word::format(word, inputs), answers: answers.collect() }
}

/// The first word to which there are several answers.
fn first_contradiction(answers: &AnswerTree) -> Option<Unsettled> {
    let is_contested = |node| answers.alternatives(node).nth(1).is_some();
    let node = answers.nodes().find(|&node| is_contested(node)).filter(|_| answers.strays() > 0)?;
    let said = answers.alternatives(node).map(|(output, votes)| (output.to_vec(), votes));
    Some(Unsettled { word: answers.word(node), answers: said.collect() })
}

/// Which limit ended the run.
fn reason<E>(outcome: &Outcome<E>) -> String {
    match outcome {
        Outcome::Session(EndReason::Symbols) => "the limit of symbols is reached".to_owned(),
        Outcome::Time => "the limit of time is reached".to_owned(),
        Outcome::Memory(error) => error.to_string(),
        _ => "the run ended before the model had passed all tests".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use super::*;

    /// A lamp; it says something else at this symbol, counted over all resets.
    fn lamp(symbols: &Cell<u32>, wrong_at: u32) -> Device<impl Sul<Error = Infallible>> {
        let step = move |is_on: &mut bool, input| {
            symbols.set(symbols.get() + 1);
            *is_on ^= input == "press";
            if symbols.get() == wrong_at {
                "noise"
            } else if *is_on {
                "on"
            } else {
                "off"
            }
        };
        Device::from_fn(["press", "look"], || false, step)
    }

    #[test]
    fn answers_that_are_kept_are_not_asked_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = LearnOptions::new().answers(folder.path().join("answers.log"));
        let symbols = Cell::new(0);
        let first = learn(lamp(&symbols, 0), &options).expect("it is learned");
        assert_eq!(first.model().states(), 2);
        assert!(symbols.replace(0) > 0);
        let second = learn(lamp(&symbols, 0), &options).expect("it is learned");
        assert_eq!((second.model(), symbols.get()), (first.model(), 0));
        let press = "press".to_owned();
        assert!(second.has_said(&[press.clone(), "look".to_owned()]));
        assert!(!second.has_said(&vec![press; 1000]));
    }

    #[test]
    fn a_wrong_answer_ends_the_run_unless_words_are_asked_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let strict = LearnOptions::new();
        for options in [strict.clone(), strict.answers(folder.path().join("answers.log"))] {
            let symbols = Cell::new(0);
            let failed = learn(lamp(&symbols, 20), &options).expect_err("it contradicts itself");
            assert!(matches!(failed, LearnError::Contradiction { .. }), "{failed}");
            assert!(symbols.get() < 150, "{} symbols", symbols.get());
        }
        let patient = LearnOptions::new().retries(20);
        let learned = learn(lamp(&Cell::new(0), 100), &patient).expect("it is learned");
        assert_eq!((learned.model().states(), learned.statistics().contradictions), (2, 1));
    }

    #[test]
    fn an_answer_that_never_comes_again_makes_a_model_unsure() {
        let is_spent = Cell::new(false);
        let step = |(): &mut (), input| match input {
            "arm" if !is_spent.replace(true) => "safe",
            "arm" => "spent",
            _ => "ok",
        };
        let latch = Device::from_fn(["look", "arm"], || (), step);
        let learned = learn(latch, &LearnOptions::new().retries(20)).expect("it is learned");
        let statistics = learned.statistics();
        assert_eq!((statistics.verdict(), statistics.gone_answers), ("Not sure", 1));
        let [doubt] = &statistics.warnings[..] else { panic!("{:?}", statistics.warnings) };
        let start =
            "the word `arm` ended with `safe` once at first, and with `spent` in the end. Either";
        assert!(doubt.starts_with(start), "{doubt}");
    }

    #[test]
    fn the_same_words_are_asked_each_time() {
        let cost = |options: &LearnOptions| {
            let symbols = Cell::new(0);
            learn(lamp(&symbols, 0), options).expect("it is learned");
            symbols.get()
        };
        let [default, sure] = [LearnOptions::new(), LearnOptions::new().confidence(0.99)];
        assert_eq!(cost(&default), cost(&default));
        assert!(cost(&sure) > 4 * cost(&default));
        assert_ne!(cost(&default), cost(&LearnOptions::new().seed(1)));
    }

    #[test]
    fn words_name_inputs() {
        let options = LearnOptions::new().words(["press pres"]);
        let error = learn(lamp(&Cell::new(0), 0), &options).expect_err("no such input");
        assert_eq!(error.to_string(), "there is no input `pres`: did you mean `press`?");
    }
}
