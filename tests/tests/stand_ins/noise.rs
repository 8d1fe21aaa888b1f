//! Devices whose line loses, changes and repeats bytes: what runs come to, on a line with a clock
//! of its own.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use mealybug::algorithm::Algorithm;
use mealybug::device::DeviceFile;
use mealybug::learn::{
    Failure, HostSession, Limits, LinkFailures, ObserveRun, Oracle, Tally, learn, new_session,
};
use mealybug::machine::{Builder, Machine};
use mealybug::serial::{LinkError, SerialSul};
use mealybug::store::{AnswerTree, LineRules, Store, Stored};
use mealybug_core::{Input, Tests};
use mealybug_tests::stand_in::StandIn;
use mealybug_tests::stand_in::boot_console::BootConsole;
use mealybug_tests::stand_in::login::Login;
use mealybug_tests::stand_in::modbus::Modbus;
use mealybug_tests::stand_in::modelled::{self, Dialect, Modelled};
use mealybug_tests::stand_in::noisy_line::{ByteFault, NoisyLine};
use mealybug_tests::stand_in::stk500::Stk500;
use mealybug_tests::{device_file, golden};

/// The random tests that a hypothesis must pass.
const PASSING_TESTS: u64 = 1000;
/// A run may ask so many words. Without faults it asks about a thousand.
const MAX_WORDS: u64 = 50_000;

const FAULTS: [ByteFault; 3] = [ByteFault::Drop, ByteFault::Flip, ByteFault::Duplicate];

/// How a run ended.
#[derive(Clone, Copy, Debug)]
struct NoisyRun {
    words: u64,
    is_converged: bool,
    is_right: bool,
}

/// Asks words again as the command line does, and ends the run after too many.
struct Again<'a> {
    failures: LinkFailures,
    tally: Tally,
    is_over: &'a AtomicBool,
}

impl ObserveRun<LinkError> for Again<'_> {
    fn asking(&mut self, _: &HostSession, tally: &Tally) {
        self.tally = *tally;
        self.is_over.store(tally.device.resets >= MAX_WORDS, Ordering::Relaxed);
    }

    fn word(&mut self, _: &HostSession, _: Option<&AnswerTree>) {
        self.failures.forget_word();
    }

    fn retry(&mut self, failure: &Failure<LinkError>, _: u32) -> bool {
        let attempt = self.failures.count(&failure.word, failure.sent, &self.tally);
        let error = &failure.error;
        let may_help = error.is_worth_a_retry() || matches!(error, LinkError::Suspect { .. });
        attempt.is_worth_another() && may_help
    }
}

fn is_silence<D: StandIn>(sul: &SerialSul<NoisyLine<D>>, input: Input, output: &[u8]) -> bool {
    sul.device().inputs[input.index() as usize].reply.silent.as_bytes() == output
}

fn learn_noisy<D: StandIn>(file: &DeviceFile, model: &Machine, line: NoisyLine<D>) -> NoisyRun {
    let algorithm = Algorithm::DEFAULT;
    let options = algorithm.options().tests(Tests::DEFAULT).passing_tests(PASSING_TESTS);
    let inputs = u32::try_from(file.inputs.len()).expect("few");
    let mut session = new_session(vec![0; 1 << 12], inputs, options).expect("good options");
    let sul = SerialSul::new(line, file.clone()).expect("the line does not fail");
    let rules = LineRules {
        garbled: LinkError::garbled,
        is_silence,
        is_away: LinkError::is_gone,
        ended: SerialSul::ended,
        reconnects: |sul, input| sul.device().reconnects(input),
        is_followed: SerialSul::is_followed,
    };
    let mut stored = Stored::new(sul, Store::in_memory()).with_line(rules);
    let is_over = AtomicBool::new(false);
    let limits = Limits { interrupted: &is_over, ..Limits::UNLIMITED };
    let failures = LinkFailures::default();
    let mut again = Again { failures, tally: Tally::default(), is_over: &is_over };
    let is_converged = learn(&mut session, &mut stored, &limits, &mut again).is_converged();
    let is_right =
        session.hypothesis().is_some_and(|h| Oracle::new(model).counterexample(h).is_none());
    NoisyRun { words: stored.costs().resets, is_converged, is_right }
}

/// A run on a line with this fault in this share of the bytes, and a seed.
type LearnOnce = dyn Fn(&NoisySubject, ByteFault, f64, u64) -> NoisyRun;

/// A device, with its file and its model.
struct NoisySubject {
    name: String,
    file: DeviceFile,
    model: Machine,
    learn: Box<LearnOnce>,
}

impl NoisySubject {
    fn new(name: String, file: &str, model: &Machine, device: impl StandIn + Clone) -> Self {
        let file = DeviceFile::parse(Path::new(&name), file).expect("a good file");
        let names: Vec<_> = file.inputs.iter().map(|input| input.name.clone()).collect();
        let model = model.with_inputs(&names).expect("the same inputs");
        let learn = move |it: &Self, fault, share, seed| {
            let line = NoisyLine::new(device.clone(), fault, share, seed);
            learn_noisy(&it.file, &it.model, line)
        };
        Self { name, file, model, learn: Box::new(learn) }
    }

    /// A device with a folder in `tests/devices`. Its power switch is a break on the line.
    fn stand_in(name: &str, device: impl StandIn + Clone) -> Self {
        let path = device_file(name).join("device.toml");
        let text = std::fs::read_to_string(path).expect("a device file");
        let switch =
            r#"run = 'echo >"${STAND_IN:?}/reset" && read -r answer <"$STAND_IN/started"'"#;
        let text = text.replace(switch, "break_ms = 1");
        Self::new(name.to_owned(), &text, &golden(&format!("{name}/golden.dot")), device)
    }

    fn stand_ins() -> Vec<Self> {
        vec![
            Self::stand_in("boot-console", BootConsole::default()),
            Self::stand_in("login", Login::default()),
            Self::stand_in("modbus", Modbus::default()),
            Self::stand_in("stk500", Stk500::default()),
        ]
    }

    /// Devices that do what random models say.
    fn random(talk: Dialect, count: u64) -> Vec<Self> {
        let random = |seed| {
            let model = random(seed);
            let device = Modelled::new(&model, talk);
            let file = modelled::device_file(&model, talk);
            Self::new(format!("{talk:?} {seed}"), &file, &model, device)
        };
        (0..count).map(random).collect()
    }
}

/// A machine whose names are those of a small device.
fn random(seed: u64) -> Machine {
    const INPUTS: [&str; 6] = ["open", "close", "status", "arm", "test 1", "test 2"];
    const OUTPUTS: [&str; 6] = ["ok", "error 1", "error 2", "door open", "door closed", "armed"];
    let mut rng = fastrand::Rng::with_seed(seed);
    let (states, inputs, outputs) = (rng.u32(3..=14), rng.usize(3..=6), rng.usize(3..=6));
    let mut builder = Builder::default();
    for state in 0..states {
        for input in &INPUTS[..inputs] {
            let (next, output) = (rng.u32(..states), OUTPUTS[rng.usize(..outputs)]);
            builder.add(state, input, next, output).expect("each once");
        }
    }
    builder.build(0).expect("complete").minimise()
}

/// What came of the runs with a share of faulty bytes.
#[derive(Debug, Default)]
struct NoiseFigures {
    runs: u32,
    /// Runs that ended with the right model, and those that something else ended with it.
    right: u32,
    right_so_far: u32,
    /// Runs that believed a wrong model.
    silent: Vec<String>,
    /// Words of runs that ended with the right model, and of the same runs without faults.
    words: u64,
    words_clean: u64,
}

/// Learns each device with each kind of fault.
#[expect(clippy::cast_precision_loss, reason = "a figure")]
fn figures(what: &str, subjects: &[NoisySubject], share: f64) -> NoiseFigures {
    let mut figures = NoiseFigures::default();
    for (seed, subject) in (0..).zip(subjects) {
        let clean = (subject.learn)(subject, ByteFault::Drop, 0.0, 0);
        assert!(clean.is_converged && clean.is_right, "{}: {clean:?}", subject.name);
        for fault in FAULTS {
            let run = (subject.learn)(subject, fault, share, seed);
            figures.runs += 1;
            match (run.is_converged, run.is_right) {
                (true, true) => {
                    figures.right += 1;
                    figures.words += run.words;
                    figures.words_clean += clean.words;
                }
                (true, false) => figures.silent.push(format!("{} {fault:?}", subject.name)),
                (false, is_right) => figures.right_so_far += u32::from(is_right),
            }
        }
    }
    let NoiseFigures { runs, right, right_so_far, silent, words, words_clean } = &figures;
    let factor = *words as f64 / *words_clean as f64;
    println!(
        "figures: faulty bytes, {what}, {share}: {right} of {runs} runs right at {factor:.2} times \
         the words, {right_so_far} right but not ended, {} silently wrong",
        silent.len()
    );
    assert!(silent.is_empty(), "{silent:?} are wrong, {share} of the bytes");
    figures
}

#[test]
fn faulty_bytes_are_told_from_answers() {
    for talk in [Dialect::Console, Dialect::Frames] {
        let subjects = NoisySubject::random(talk, 2);
        for (share, times) in [(0.001, 3), (0.01, 9)] {
            let figures = figures(&format!("{talk:?}"), &subjects, share);
            assert_eq!(figures.right, figures.runs, "{figures:?}");
            assert!(figures.words < times * figures.words_clean, "{figures:?}");
        }
    }
}

#[test]
#[ignore = "takes long"]
fn faulty_bytes_are_told_from_answers_in_many_runs() {
    let random = [Dialect::Console, Dialect::Frames, Dialect::Lines]
        .map(|talk| (format!("{talk:?}"), NoisySubject::random(talk, 14)));
    let stand_ins = ("stand-ins".to_owned(), NoisySubject::stand_ins());
    for (what, subjects) in random.into_iter().chain([stand_ins]) {
        let NoiseFigures { runs, right, .. } = figures(&what, &subjects, 0.001);
        assert!(20 * right >= 19 * runs, "{what}: {right} of {runs}");
        let NoiseFigures { runs, right, .. } = figures(&what, &subjects, 0.01);
        assert!(2 * right >= runs, "{what}: {right} of {runs}");
    }
}
