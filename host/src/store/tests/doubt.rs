//! What devices cost that are wrong at times, beside what they cost if they are not.

use std::path::Path;

use mealybug_core::Tests;

use super::*;
use crate::algorithm::Algorithm;
use crate::learn::{Counted, Oracle, set_noise};

/// The random tests that a hypothesis must pass on the command line.
const PASSING_TESTS: u64 = 1000;
/// The most states of a model.
const STATES: u32 = 40;
/// So many models from the folder `MEALYBUG_MODELS` are learned.
const MODELS: usize = 40;

/// When answers are wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    /// One symbol of the run.
    Once,
    /// This share of all symbols.
    Share(f64),
    /// This share of all symbols, and the user says so.
    Stated(f64),
}

/// A device whose answers are wrong at times; its state is what it should be.
struct Noisy<'m> {
    device: Simulated<'m>,
    outputs: &'m [String],
    rng: fastrand::Rng,
    share: f64,
    once: Option<u64>,
    symbols: u64,
    answer: Vec<u8>,
}

impl<'m> Noisy<'m> {
    /// `symbols` is the number of symbols of a run without wrong answers.
    fn new(machine: &'m Machine, wrong: Wrong, seed: u64, symbols: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (share, once) = match wrong {
            Wrong::Once => (0.0, Some(rng.u64(..symbols))),
            Wrong::Share(share) | Wrong::Stated(share) => (share, None),
        };
        let (device, outputs) = (Simulated::new(machine), machine.outputs());
        Self { device, outputs, rng, share, once, symbols: 0, answer: Vec::new() }
    }
}

impl Sul for Noisy<'_> {
    type Error = Infallible;

    fn reset(&mut self) -> Result<(), Infallible> {
        self.device.reset()
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
        let right = self.device.answer(input);
        let is_wrong =
            self.once == Some(self.symbols) || (self.share > 0.0 && self.rng.f64() < self.share);
        self.symbols += 1;
        let others = self.outputs.iter().filter(|output| output.as_bytes() != right);
        let wrong = others.clone().nth(self.rng.usize(..others.count().max(1)));
        self.answer = wrong.filter(|_| is_wrong).map_or(right, |wrong| wrong.as_bytes()).to_vec();
        Ok(&self.answer)
    }
}

/// A session as the command line makes it.
fn default_session(machine: &Machine) -> HostSession {
    let algorithm = Algorithm::DEFAULT;
    let options = algorithm.options().tests(Tests::DEFAULT).passing_tests(PASSING_TESTS);
    let inputs = u32::try_from(machine.inputs().len()).expect("few");
    new_session(vec![0; 1 << 12], inputs, options).expect("good options")
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
struct Run {
    words: u64,
    symbols: u64,
    is_converged: bool,
    is_right: bool,
}

fn learn_noisy(machine: &Machine, device: Noisy<'_>, wrong: Wrong) -> Run {
    let mut session = default_session(machine);
    let mut stored = Stored::new(device, Store::in_memory());
    if let Wrong::Stated(share) = wrong {
        set_noise(&mut session, share);
        stored = stored.with_noise(Some(share));
    }
    let ending = learn(&mut session, &mut stored, &Limits::UNLIMITED, &mut ());
    let oracle = Oracle::new(machine);
    let is_right = session.hypothesis().is_some_and(|h| oracle.counterexample(h).is_none());
    let costs = stored.costs();
    let is_converged = ending.is_converged();
    Run { words: costs.resets, symbols: costs.symbols, is_converged, is_right }
}

/// Models with the cost of learning each without a wrong answer.
struct Models(Vec<(String, Machine, Run)>);

/// What came of the runs with devices that were wrong at times.
#[derive(Debug, Default)]
struct Figures {
    runs: u32,
    right: u32,
    /// Runs that believed a wrong model.
    silent: Vec<(String, u64)>,
    /// Of runs with the right result, beside the same runs without wrong answers.
    words: Ratio,
    symbols: Ratio,
}

/// How many times as much something is, in the geometric mean.
#[derive(Debug, Default)]
struct Ratio {
    of: u32,
    logarithms: f64,
}

#[expect(clippy::cast_precision_loss, reason = "a figure")]
impl Ratio {
    fn add(&mut self, one: u64, other: u64) {
        self.of += 1;
        self.logarithms += (one as f64 / other as f64).ln();
    }

    fn mean(&self) -> f64 {
        (self.logarithms / f64::from(self.of)).exp()
    }
}

impl Models {
    fn new(machines: impl IntoIterator<Item = (String, Machine)>) -> Self {
        let clean = |machine: &Machine| {
            let device = Noisy::new(machine, Wrong::Share(0.0), 0, 0);
            learn_noisy(machine, device, Wrong::Share(0.0))
        };
        let with_clean = machines.into_iter().map(|(name, machine)| {
            let run = clean(&machine);
            (name, machine, run)
        });
        Self(with_clean.filter(|(_, _, run)| run.is_converged && run.is_right).collect())
    }

    /// Random models of 1 to 40 states: those with these numbers.
    fn random(numbers: std::ops::Range<u32>) -> Self {
        let mut source = Random::new(40);
        let mut random = |number| random(&mut source, STATES, 2 + number % 5, 2 + number % 4);
        let all = (0..numbers.end).map(|number| (format!("random {number}"), random(number)));
        Self::new(all.skip(numbers.start as usize))
    }

    /// Learns each model with these seeds.
    fn learn(&self, wrong: Wrong, seeds: std::ops::Range<u64>) -> Figures {
        let mut figures = Figures::default();
        for seed in seeds {
            for (number, (name, machine, clean)) in (0..).zip(&self.0) {
                let device = Noisy::new(machine, wrong, 1000 * seed + number, clean.symbols);
                let run = learn_noisy(machine, device, wrong);
                figures.runs += 1;
                match (run.is_converged, run.is_right) {
                    (true, true) => {
                        figures.right += 1;
                        figures.words.add(run.words, clean.words);
                        figures.symbols.add(run.symbols, clean.symbols);
                    }
                    (true, false) => figures.silent.push((name.clone(), seed)),
                    (false, _) => {}
                }
            }
        }
        let Figures { runs, right, silent, words, symbols } = &figures;
        println!(
            "figures: wrong answers, {wrong:?}: {right} of {runs} runs right, {} silently wrong, {:.3} times \
             the words, {:.3} times the symbols",
            silent.len(),
            words.mean(),
            symbols.mean()
        );
        assert!(silent.is_empty(), "{silent:?} are wrong, {wrong:?}");
        figures
    }
}

impl Figures {
    /// Whether all runs, or at least `right` of 100, were right, with at most this many times the
    /// words.
    fn check(&self, right: u32, factor: f64) {
        assert!(self.right * 100 >= self.runs * right, "{self:?}");
        assert!(self.words.mean() <= factor, "{}: {self:?}", self.words.mean());
    }
}

/// What runs must come to, by when answers are wrong: how many of 100 are right, and at most how many
/// times the words they take.
const BOUNDS: [(Wrong, u32, f64); 6] = [
    (Wrong::Once, 100, 1.05),
    (Wrong::Share(0.001), 100, 1.3),
    (Wrong::Share(0.01), 97, 2.5),
    (Wrong::Share(0.05), 80, 3.3),
    (Wrong::Stated(0.01), 97, 2.5),
    (Wrong::Stated(0.05), 80, 3.3),
];

/// One run of each model with each of these seeds, and more of those with one wrong answer.
fn check(models: &Models, seeds: std::ops::Range<u64>) {
    for (wrong, right, factor) in BOUNDS {
        let times = if wrong == Wrong::Once { 2 } else { 1 };
        models.learn(wrong, times * seeds.start..times * seeds.end).check(right, factor);
    }
}

#[test]
fn wrong_answers_cost_what_rests_on_them() {
    check(&Models::random(0..8), 0..1);
}

#[test]
fn stated_noise_makes_tests_short_and_none_changes_no_word() {
    let machine = random(&mut Random::new(3), 20, 4, 3);
    let costs = |share: Option<f64>| {
        let mut session = default_session(&machine);
        if let Some(share) = share {
            set_noise(&mut session, share);
        }
        let mut device = Counted::new(Simulated::new(&machine));
        learn(&mut session, &mut device, &Limits::UNLIMITED, &mut ());
        (device.costs().resets, device.costs().symbols)
    };
    let without = costs(None);
    assert_eq!(costs(Some(0.0)), without);
    // The longest parts of tests have about 2√(4 / 0.05) = 18 inputs and 2√(4 / 0.2) = 9.
    let [long, some, short] = [without, costs(Some(0.05)), costs(Some(0.2))];
    let by_word = |(resets, symbols): (u64, u64)| symbols / resets;
    assert!(by_word(short) < by_word(some) && by_word(some) < by_word(long));
}

/// Tests follow how often the device is wrong, which is kept with the answers.
#[test]
fn tests_get_shorter_where_noise_is_seen_and_a_second_run_asks_nothing() {
    let machine = random(&mut Random::new(3), 20, 4, 3);
    let place = StoreFolder::new();
    let run = |share, path: &Path| {
        let device = Noisy::new(&machine, Wrong::Share(share), 1, 0);
        let store = Store::open(path, machine.inputs()).expect("it opens");
        let mut stored = Stored::new(device, store);
        let mut session = default_session(&machine);
        let ending = learn(&mut session, &mut stored, &Limits::UNLIMITED, &mut ());
        assert!(ending.is_converged(), "{ending:?}");
        let tests = session.progress().testing;
        (tests.symbols / tests.resets, stored.costs().resets)
    };
    let (short, asked) = run(0.1, &place.file());
    assert!(asked > 0);
    assert_eq!(run(0.1, &place.file()), (short, 0));
    let (long, _) = run(0.0, &StoreFolder::new().file());
    assert!(4 * short < 3 * long, "{short}, {long}");
}

/// Defines tests that learn a part of 40 random models, each with these seeds. A part ends within ten
/// minutes on a machine that does nothing else.
macro_rules! parts {
    ($($name:ident: $bound:expr, $part:expr, $seeds:expr;)*) => {$(
        #[test]
        #[ignore = "takes long"]
        fn $name() {
            let (wrong, right, factor) = BOUNDS[$bound];
            Models::random($part).learn(wrong, $seeds).check(right, factor);
        }
    )*};
}

parts! {
    one_wrong_answer_in_four_hundred_runs: 0, 0..40, 0..10;
    a_thousandth_wrong_in_two_hundred_runs: 1, 0..40, 0..5;
    a_hundredth_wrong_in_two_hundred_runs: 2, 0..40, 0..5;
    a_stated_hundredth_wrong_in_two_hundred_runs: 4, 0..40, 0..5;
    a_stated_twentieth_wrong_in_fifty_runs: 5, 0..10, 0..5;
    a_twentieth_wrong_in_fifty_runs: 3, 0..10, 0..5;
    a_twentieth_wrong_in_fifty_more_runs: 3, 10..20, 0..5;
    a_twentieth_wrong_in_a_third_fifty_runs: 3, 20..30, 0..5;
    a_twentieth_wrong_in_a_fourth_fifty_runs: 3, 30..40, 0..5;
}

#[test]
#[ignore = "takes long"]
fn wrong_answers_of_known_models_cost_what_rests_on_them() {
    let Some(folder) = std::env::var_os("MEALYBUG_MODELS") else {
        println!("wrong answers of known models skipped: MEALYBUG_MODELS is not set");
        return;
    };
    let mut files = Vec::new();
    find(Path::new(&folder), &mut files);
    files.sort();
    let small = files.iter().filter_map(|file| {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).ok()?;
        let machine = crate::dot::read_complete(&name, &text).ok()?.minimise();
        (2..=STATES).contains(&machine.states()).then_some((name, machine))
    });
    let small: Vec<_> = small.collect();
    let step = (small.len() / MODELS).max(1);
    check(&Models::new(small.into_iter().step_by(step).take(MODELS)), 0..1);
}

/// The DOT files in a folder and below it.
fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "dot") {
            files.push(path);
        }
    }
}

/// The session asks what it asks a device without a store; the store asks a counterexample twice.
#[test]
fn a_device_that_is_never_wrong_is_asked_each_word_once_and_a_counterexample_twice() {
    let mut source = Random::new(7);
    for _ in 0..5 {
        let machine = random(&mut source, STATES, 3, 3);
        let mut sessions = [default_session(&machine), default_session(&machine)];
        let mut counted = Counted::new(Simulated::new(&machine));
        learn(&mut sessions[0], &mut counted, &Limits::UNLIMITED, &mut ());
        for noise in [None, Some(0.0)] {
            sessions[1] = default_session(&machine);
            let stored = Stored::new(Simulated::new(&machine), Store::in_memory());
            let mut stored = stored.with_noise(noise);
            learn(&mut sessions[1], &mut stored, &Limits::UNLIMITED, &mut ());
            let [counted, by_store] = sessions.each_ref().map(HostSession::progress);
            assert_eq!((counted.learning, counted.testing), (by_store.learning, by_store.testing));
            let words = by_store.learning.resets + by_store.testing.resets;
            let again = if noise.is_none() { by_store.rounds } else { 1 };
            assert!(stored.costs().resets < words + again, "{:?}, {words}", stored.costs());
        }
    }
}

/// A board finds out at its next reset that its last word was not over.
#[test]
fn words_that_others_doubt_are_asked_again() {
    let machine = random(&mut Random::new(7), STATES, 3, 3);
    let doubtful = DoubtfulWords::default();
    let stored = Stored::new(Simulated::new(&machine), Store::in_memory());
    let mut stored = stored.with_doubtful(doubtful.clone());
    let mut ask = |word: &[Input]| {
        Sul::reset(&mut stored).expect("it answers");
        for &input in word {
            Sul::step(&mut stored, input).expect("it answers");
        }
        stored.costs().resets
    };
    let [a, b] = [0, 1].map(Input::new);
    assert_eq!((ask(&[a, b]), ask(&[b])), (1, 2));
    doubtful.add(vec![a, b]);
    doubtful.add(vec![b, a, a]);
    assert_eq!(ask(&[a]), 4, "two words again, and what is known is known");
    assert_eq!(ask(&[b]), 4);
}

/// A device of which a reset fails if what was asked before is such. It keeps what it was asked.
#[derive(Debug)]
struct LateFaults {
    fails_after: fn(&[Vec<Input>]) -> bool,
    asked: Vec<Vec<Input>>,
}

#[derive(Debug)]
struct Lost;

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("lost")
    }
}

impl std::error::Error for Lost {}

impl Sul for LateFaults {
    type Error = Lost;

    fn reset(&mut self) -> Result<(), Lost> {
        let fails = (self.fails_after)(&self.asked);
        self.asked.push(Vec::new());
        if fails { Err(Lost) } else { Ok(()) }
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Lost> {
        self.asked.last_mut().expect("a reset first").push(input);
        Ok(b"x")
    }
}

/// Asks these inputs, each after a reset, at most five times until it is answered. The errors say that the connection has
/// ended if `is_away`. Returns what the device was asked; `None` if an input was not answered.
fn asked_until_answered(
    fails_after: fn(&[Vec<Input>]) -> bool,
    is_away: fn(&Lost) -> bool,
    inputs: &[Input],
) -> Option<Vec<Vec<Input>>> {
    let device = LateFaults { fails_after, asked: Vec::new() };
    let stored = Stored::new(device, Store::in_memory());
    let mut stored = stored.with_line(LineRules { is_away, ..LineRules::default() });
    for &input in inputs {
        let mut ask =
            || Sul::reset(&mut stored).and_then(|()| Sul::step(&mut stored, input).map(drop));
        (0..5).find(|_| ask().is_ok())?;
    }
    Some(stored.sul().asked.clone())
}

/// A lost answer that came after its word had ended makes the reset fail.
#[test]
fn an_answer_before_a_reset_that_failed_is_asked_for_again() {
    let [a, b] = [0, 1].map(Input::new);
    let asked = asked_until_answered(|asked| asked.len() == 1, |_| false, &[a, b]);
    assert_eq!(asked.expect("answers"), [vec![a], vec![], vec![a], vec![b]]);
}

/// As after an input that ends the connection.
#[test]
fn an_answer_before_each_reset_that_fails_is_asked_for_again_once_if_the_connection_has_ended() {
    let [a, b, c] = [0, 1, 2].map(Input::new);
    let after_a = |asked: &[Vec<Input>]| asked.last().is_some_and(|word| *word == [Input::new(0)]);
    let asked = asked_until_answered(after_a, |_| true, &[a, b, c]);
    assert_eq!(asked.expect("answers"), [vec![a], vec![], vec![a], vec![], vec![b], vec![c]]);
    assert_eq!(
        asked_until_answered(after_a, |_| false, &[a, b]),
        None,
        "any answer may be garbled"
    );
}

/// Counts its inputs since the reset. Some of its answers are garbled on their way.
struct GarbledCounter {
    count: u8,
    symbols: u32,
    said: [u8; 1],
}

impl Sul for GarbledCounter {
    type Error = Lost;

    fn reset(&mut self) -> Result<(), Lost> {
        self.count = 0;
        Ok(())
    }

    fn step(&mut self, _: Input) -> Result<&[u8], Lost> {
        self.count += 1;
        self.symbols += 1;
        self.said = [b'0' + self.count];
        if self.symbols.is_multiple_of(13) { Err(Lost) } else { Ok(&self.said) }
    }
}

/// What comes after a garbled answer belongs behind the believed one, in the log too.
#[test]
fn a_log_with_garbled_answers_says_what_the_tree_knew() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("answers.log");
    let names = ["a", "b"].map(str::to_owned);
    let store = Store::open(&path, &names).expect("a new store");
    let device = GarbledCounter { count: 0, symbols: 0, said: [0] };
    let rules = LineRules { garbled: |_| Garbled::Answered(None), ..LineRules::default() };
    let mut stored = Stored::new(device, store).with_line(rules);
    let (mut lost, mut inputs) = (0, fastrand::Rng::with_seed(1));
    for _ in 0..40 {
        let word: Vec<_> = (0..6).map(|_| Input::new(inputs.u32(..2))).collect();
        let mut ask = || {
            Sul::reset(&mut stored)?;
            word.iter().try_for_each(|&input| Sul::step(&mut stored, input).map(drop))
        };
        while ask().is_err() {
            lost += 1;
        }
    }
    let said = |store: &Store| {
        let tree = store.tree();
        let answers = tree.nodes().map(|node| (tree.word(node), tree.output(node).to_vec()));
        answers.collect::<std::collections::BTreeMap<_, _>>()
    };
    let live = said(stored.store());
    drop(stored);
    let log = Store::open(&path, &names).expect("the log");
    assert_eq!(said(&log), live);
    assert!(live.iter().all(|(word, output)| usize::from(output[0] - b'0') == word.len()));
    println!("{lost} words were begun again");
}
