//! Files cut off anywhere, devices that are wrong at times, and what these are asked.

mod connection_end;
mod doubt;

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use mealybug_core::{Budget, Mealy, Observations, Options, Projections, Sul};

use super::log::Medium;
use super::*;
use crate::demo_lock::DemoLock;
use crate::learn::{HostSession, Limits, Outcome, Scope, Teacher, learn, new_session};
use crate::learned_components::LearnedComponents;
use crate::machine::testing::{Random, random};
use crate::machine::{Machine, ProductComponent, separate};
use crate::simulate::Simulated;

/// A device that is wrong at times and records the words that it answered.
struct Liar<'m> {
    device: Simulated<'m>,
    random: Random,
    /// One of this many answers is replaced; 0 means none.
    one_in: u32,
    outputs: Vec<String>,
    answer: Vec<u8>,
    words: Vec<Vec<Input>>,
}

impl<'m> Liar<'m> {
    fn new(machine: &'m Machine, one_in: u32, seed: u64) -> Self {
        Self {
            device: Simulated::new(machine),
            random: Random::new(seed),
            one_in,
            outputs: machine.outputs().to_vec(),
            answer: Vec::new(),
            words: Vec::new(),
        }
    }
}

impl Sul for Liar<'_> {
    type Error = Infallible;

    fn reset(&mut self) -> Result<(), Infallible> {
        self.words.push(Vec::new());
        self.device.reset()
    }

    fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
        self.words.last_mut().expect("a reset first").push(input);
        self.answer = self.device.step(input)?.to_vec();
        let count = u32::try_from(self.outputs.len()).expect("few");
        if count > 1 && self.one_in > 0 && self.random.below(self.one_in) == 0 {
            let right = self.outputs.iter().position(|name| name.as_bytes() == self.answer);
            let right = u32::try_from(right.expect("one of its outputs")).expect("few");
            let wrong = (right + 1 + self.random.below(count - 1)) % count;
            self.answer = self.outputs[wrong as usize].clone().into_bytes();
        }
        Ok(&self.answer)
    }
}

fn session(machine: &Machine) -> HostSession {
    let inputs = u32::try_from(machine.inputs().len()).expect("few");
    new_session(vec![0; 1 << 12], inputs, Options::default()).expect("good options")
}

/// Learns from a store. Returns what was learned and how the run ended.
fn learn_from(
    machine: &Machine,
    stored: &mut Stored<Liar<'_>>,
) -> (Option<Machine>, Outcome<Infallible>) {
    let mut session = session(machine);
    let ending = learn(&mut session, stored, &Limits::UNLIMITED, &mut ());
    let learned = session
        .hypothesis()
        .map(|h| LearnedComponents::new(h, machine.inputs(), Projections::PerOutput));
    (learned.and_then(|learned| learned.product(10_000).ok()), ending)
}

/// A run with its store in a file.
fn run(machine: &Machine, path: &Path) -> Stored<Liar<'static>> {
    let machine: &'static Machine = Box::leak(Box::new(machine.clone()));
    let store = Store::open(path, machine.inputs()).expect("it opens");
    let mut stored = Stored::new(Liar::new(machine, 0, 0), store).with_noise(Some(0.0));
    let (learned, ending) = learn_from(machine, &mut stored);
    assert!(ending.is_converged(), "{ending:?}");
    assert_eq!(separate(&learned.expect("a model"), machine), Ok(None));
    stored
}

struct StoreFolder(tempfile::TempDir);

impl StoreFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("answers.log")
    }
}

#[test]
fn no_word_is_asked_twice_and_a_second_run_asks_nothing() {
    let lock = DemoLock::machine();
    let place = StoreFolder::new();
    let stored = run(&lock, &place.file());
    let words = stored.sul().words.clone();
    assert_eq!(stored.costs().resets, words.len() as u64);
    let mut known = HashSet::new();
    for word in words {
        assert!(!known.contains(&word), "{word:?}");
        known.extend((0..=word.len()).map(|len| word[..len].to_vec()));
    }
    assert!(stored.recalled() > 1000);
    drop(stored);
    assert_eq!(run(&lock, &place.file()).costs().resets, 0);
}

/// No reset looks after the last word, so it is asked again where the device has said more.
#[test]
fn the_last_word_is_asked_again_where_something_came_after_it() {
    let lock = DemoLock::machine();
    let learned = |is_followed: fn(&mut Liar<'_>) -> bool| {
        let stored = Stored::new(Liar::new(&lock, 0, 0), Store::in_memory()).with_noise(Some(0.0));
        let mut stored = stored.with_line(LineRules { is_followed, ..LineRules::default() });
        let (_, ending) = learn_from(&lock, &mut stored);
        assert!(ending.is_converged(), "{ending:?}");
        stored.sul().words.clone()
    };
    let mut words = learned(|_| false);
    words.push(words[words.len() - 1].clone());
    assert_eq!(learned(|_| true), words);
}

/// The first run decides the costs once, so the second run asks the same words.
#[test]
fn a_second_run_over_a_slow_device_asks_nothing() {
    let lock = DemoLock::machine();
    let place = StoreFolder::new();
    let inputs = [40, 1, 1, 1, 1];
    let prices = Prices { reset: 300, inputs: inputs[..lock.inputs().len()].to_vec() };
    let mut store = Store::open(&place.file(), lock.inputs()).expect("it opens");
    store.decide_prices(1, |_, _| Some(prices.clone())).expect("room on the disk");
    drop(store);
    let first = run(&lock, &place.file());
    let fast = run(&lock, &StoreFolder::new().file());
    assert!(first.sul().words != fast.sul().words, "tests follow what it costs");
    drop(first);
    assert_eq!(run(&lock, &place.file()).costs().resets, 0);
    let mut store = Store::open(&place.file(), lock.inputs()).expect("it opens");
    let decided = store.decide_prices(1, |_, _| None).expect("nothing to write");
    assert_eq!(decided, Some(prices));
}

#[test]
fn prices_hold_until_others_are_measured_at_a_later_hypothesis() {
    let names = DemoLock::machine().inputs().to_vec();
    let place = StoreFolder::new();
    let mut store = Store::open(&place.file(), &names).expect("it opens");
    let prices = Some(Prices { reset: 7, inputs: vec![1; names.len()] });
    assert_eq!(store.decide_prices(1, |_, _| None).expect("room on the disk"), None);
    drop(store);
    let mut store = Store::open(&place.file(), &names).expect("it opens");
    let known = store.decide_prices(1, |_, _| panic!("that nothing is slow is decided"));
    assert_eq!(known.expect("nothing to write"), None);
    assert_eq!(store.decide_prices(3, |_, _| prices.clone()).expect("room on the disk"), prices);
    drop(store);
    let mut store = Store::open(&place.file(), &names).expect("it opens");
    for (round, decided) in [(1, &None), (2, &None), (3, &prices)] {
        let known = store.decide_prices(round, |_, _| panic!("{round} is decided"));
        assert_eq!(&known.expect("nothing to write"), decided);
    }
    let nothing_is_slow = |_: &_, before: Option<&_>| {
        assert_eq!(before, prices.as_ref());
        None
    };
    assert_eq!(store.decide_prices(4, nothing_is_slow).expect("room on the disk"), prices);
}

#[test]
fn prices_of_other_inputs_are_damage() {
    let names = DemoLock::machine().inputs().to_vec();
    let place = StoreFolder::new();
    let mut store = Store::open(&place.file(), &names).expect("it opens");
    store
        .decide_prices(1, |_, _| Some(Prices { reset: 1, inputs: vec![1] }))
        .expect("room on the disk");
    drop(store);
    let refused = Store::open(&place.file(), &names).expect_err("refused").to_string();
    assert!(refused.contains("is damaged at byte"), "{refused}");
}

#[test]
fn prices_of_an_earlier_hypothesis_after_those_of_a_later_one_are_damage() {
    let names = ["a".to_owned()];
    let open = |rounds: [u64; 2]| {
        let place = StoreFolder::new();
        let priced = rounds.map(|round| LogRecord::Priced { round, prices: None });
        let records = [log::header(log::VERSION, &names)].into_iter().chain(priced);
        let bytes: Vec<_> = records.flat_map(|record| log::frame(&record)).collect();
        std::fs::write(place.file(), bytes).expect("room");
        Store::open(&place.file(), &names).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(open([1, 3]), Ok(()));
    let refused = open([3, 1]).expect_err("refused");
    assert!(refused.contains("is damaged at byte"), "{refused}");
}

/// The reachable tuples of states of the lock's components are the states of the lock.
#[test]
fn what_was_tried_is_what_the_words_went_through() {
    let lock = DemoLock::machine();
    let place = StoreFolder::new();
    let stored = run(&lock, &place.file());
    let (mut transitions, mut pairs) = (HashSet::new(), HashSet::new());
    for word in &stored.sul().words {
        let (mut state, mut before) = (lock.initial(), None);
        for &input in word {
            transitions.insert((state, input));
            pairs.extend(before.map(|before| (before, input)));
            before = Some((state, input));
            state = lock.expect_transition(state, input).0;
        }
    }
    let tried = Tried {
        transitions: transitions.len(),
        of_transitions: 28 * 5,
        pairs: pairs.len(),
        of_pairs: 28 * 5 * 5,
    };
    assert_eq!(Teacher::tally(&stored).tried, Some(tried));
    assert!(tried.transitions == 140 && (500..700).contains(&tried.pairs), "{tried:?}");
    drop(stored);
    // Known answers have tried the same.
    assert_eq!(Teacher::tally(&run(&lock, &place.file())).tried, Some(tried));
}

/// The known part of a partial hypothesis was asked; the unknown part does not count as untried.
#[test]
fn unknown_transitions_are_not_there_to_be_tried() {
    let lock = DemoLock::machine();
    let inputs = u32::try_from(lock.inputs().len()).expect("few");
    let mut partial = 0;
    for symbols in (5..100).step_by(2) {
        let place = StoreFolder::new();
        let store = Store::open(&place.file(), lock.inputs()).expect("it opens");
        let mut stored = Stored::new(Liar::new(&lock, 0, 0), store);
        let options = Options::new()
            .observations(Observations::Tree)
            .projections(Projections::Identity)
            .budget(Budget::UNLIMITED.symbols(symbols));
        let mut session = new_session(vec![0; 1 << 12], inputs, options).expect("good options");
        learn(&mut session, &mut stored, &Limits::UNLIMITED, &mut ());
        stored.refute(&session, Scope::Session);
        let tried = Teacher::tally(&stored).tried.expect("it is small");
        let component = session.hypothesis().and_then(|h| h.components().next()).expect("one");
        let unknown = ProductComponent::from(&component).gaps().unknown;
        let all = u64::from(component.states() * inputs);
        assert_eq!(tried.transitions, tried.of_transitions, "{symbols}");
        assert_eq!(tried.of_transitions as u64, all - unknown, "{symbols}");
        assert!(tried.pairs <= tried.of_pairs, "{symbols}: {tried:?}");
        partial += u32::from(unknown > 0);
    }
    assert!(partial > 10, "{partial}");
}

#[test]
fn a_file_that_is_cut_off_anywhere_holds_all_that_is_before() {
    let lock = DemoLock::machine();
    let place = StoreFolder::new();
    let path = place.file();
    let names = lock.inputs().to_vec();
    let mut stored = Stored::new(Liar::new(&lock, 0, 0), Store::open(&path, &names).expect("new"));
    let mut answered = vec![(0_u64, 0)];
    for word in [[0, 1, 2], [0, 1, 3], [4, 4, 4], [0, 0, 0]] {
        Sul::reset(&mut stored).expect("it is there");
        for input in word {
            Sul::step(&mut stored, Input::new(input)).expect("it answers");
            let len = std::fs::metadata(&path).expect("a file").len();
            answered.push((len, stored.store().tree().nodes().count()));
        }
    }
    drop(stored);
    let bytes = std::fs::read(&path).expect("a file");
    assert_eq!(answered.last().expect("some").0, bytes.len() as u64);
    for cut in 0..=bytes.len() {
        std::fs::write(&path, &bytes[..cut]).expect("a file");
        let store = Store::open(&path, &names).unwrap_or_else(|error| panic!("{cut}: {error}"));
        let kept = store.tree().nodes().count();
        let expected =
            answered.iter().filter(|(len, _)| *len <= cut as u64).map(|(_, count)| *count).max();
        assert_eq!(Some(kept), expected, "cut after {cut} bytes");
        // In memory the log is read the same.
        let read = Store::from_log(&path, &bytes[..cut], &names);
        let (in_memory, complete) = read.unwrap_or_else(|error| panic!("{cut}: {error}"));
        assert_eq!(in_memory.tree().nodes().count(), kept, "cut after {cut} bytes");
        let len = std::fs::metadata(&path).expect("a file").len();
        assert!(complete == 0 || complete as u64 == len, "cut after {cut} bytes");
        // Records appended now can be read again.
        let mut stored = Stored::new(Liar::new(&lock, 0, 0), store);
        Sul::reset(&mut stored).expect("it is there");
        for _ in 0..5 {
            Sul::step(&mut stored, Input::new(4)).expect("it answers");
        }
        let expected = stored.store().tree().nodes().count();
        drop(stored);
        let store = Store::open(&path, &names).unwrap_or_else(|error| panic!("{cut}: {error}"));
        assert_eq!(store.tree().nodes().count(), expected, "cut after {cut} bytes, and went on");
    }
}

#[test]
fn what_is_no_store_of_this_device_is_refused_and_left_alone() {
    let lock = DemoLock::machine();
    let place = StoreFolder::new();
    let path = place.file();
    let names = lock.inputs().to_vec();
    drop(run(&lock, &path));
    let bytes = std::fs::read(&path).expect("a file");
    let refused = |names: &[String]| Store::open(&path, names).expect_err("refused").to_string();

    let first = Store::open(&path, &names).expect("it opens");
    assert!(refused(&names).contains("belongs to a run that is going on"));
    drop(first);
    assert!(refused(&names[1..]).contains("a device with other inputs"));

    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    std::fs::write(&path, &damaged).expect("a file");
    assert!(refused(&names).contains("is damaged at byte"));
    assert_eq!(std::fs::read(&path).expect("a file"), damaged, "nothing was changed");

    for other in [&b"digraph"[..], &b"MEALYBUG"[..], &[0; 100][..]] {
        std::fs::write(&path, other).expect("a file");
        assert!(refused(&names).contains("holds no answers of a device"), "{other:?}");
        assert_eq!(std::fs::read(&path).expect("a file"), other, "nothing was changed");
    }
}

/// A disk with limited space.
#[derive(Debug)]
struct SmallDisk {
    room: usize,
}

impl Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = bytes.len().min(self.room);
        self.room -= written;
        if written == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(written) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Medium for SmallDisk {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A disk that writes half of the second record, and has room for all later ones.
#[derive(Debug)]
struct HalfRecord {
    bytes: Arc<Mutex<Vec<u8>>>,
    calls: u32,
}

impl Write for HalfRecord {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        let mut written = self.bytes.lock().expect("nobody panics");
        match self.calls {
            2 => written.extend(&bytes[..bytes.len() / 2]),
            _ => written.extend(bytes),
        }
        if self.calls == 2 { Err(io::ErrorKind::Other.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Medium for HalfRecord {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn nothing_is_written_behind_half_a_record() {
    let bytes = Arc::default();
    let mut log = AnswerLog::new(HalfRecord { bytes: Arc::clone(&bytes), calls: 0 });
    log.append(&log::LogRecord::Reset).expect("the first one");
    log.append(&log::LogRecord::Reset).expect_err("the second one");
    let len = bytes.lock().expect("nobody panics").len();
    log.append(&log::LogRecord::Reset).expect_err("the log has failed");
    log.sync().expect_err("the log has failed");
    assert_eq!(bytes.lock().expect("nobody panics").len(), len);
}

#[test]
fn a_full_disk_ends_the_run_before_the_learner_sees_the_answer() {
    let lock = DemoLock::machine();
    let log = Some(AnswerLog::new(SmallDisk { room: 5000 }));
    let store = Store { log, path: "answers.log".into(), ..Store::default() };
    let mut stored = Stored::new(Liar::new(&lock, 0, 0), store);
    let mut session = session(&lock);
    let ending = learn(&mut session, &mut stored, &Limits::UNLIMITED, &mut ());
    let Outcome::Store(StoreError::Io { source, .. }) = ending else { panic!("{ending:?}") };
    assert_eq!(source.kind(), io::ErrorKind::StorageFull);
    let symbols: usize = stored.sul().words.iter().map(Vec::len).sum();
    let tree = stored.store().tree();
    let kept: u32 = tree.nodes().map(|node| tree.votes(node)).sum();
    assert!((kept as usize..=kept as usize + 1).contains(&symbols), "{kept} of {symbols}");
}

#[test]
fn a_reset_that_does_not_reset_is_told_with_all_answers() {
    #[derive(Debug)]
    struct Stuck(u32);
    impl Sul for Stuck {
        type Error = Infallible;
        fn reset(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
        fn step(&mut self, _: Input) -> Result<&[u8], Infallible> {
            self.0 += 1;
            Ok(if self.0.is_multiple_of(2) { b"even" } else { b"odd" })
        }
    }
    let lock = DemoLock::machine();
    let mut session = session(&lock);
    let mut stored = Stored::new(Stuck(0), Store::in_memory());
    let ending = learn(&mut session, &mut stored, &Limits::UNLIMITED, &mut ());
    let Outcome::Contradiction(Unsettled { word, answers }) = ending else { panic!("{ending:?}") };
    assert!(!word.is_empty());
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert!(answers.iter().all(|(_, count)| *count > 3), "{answers:?}");
}

#[test]
fn a_single_wrong_answer_is_found_wherever_it_comes() {
    /// A device that is wrong at exactly one symbol.
    struct Once<'m>(Liar<'m>, u32);
    impl Sul for Once<'_> {
        type Error = Infallible;
        fn reset(&mut self) -> Result<(), Infallible> {
            self.0.reset()
        }
        fn step(&mut self, input: Input) -> Result<&[u8], Infallible> {
            self.0.one_in = u32::from(self.1 == 0);
            self.1 = self.1.wrapping_sub(1);
            self.0.step(input)
        }
    }
    impl fmt::Debug for Once<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("Once").field(&self.1).finish()
        }
    }
    let lock = DemoLock::machine();
    for at in (0..300).step_by(7) {
        let mut session = session(&lock);
        let mut stored = Stored::new(Once(Liar::new(&lock, 0, 0), at), Store::in_memory());
        let ending = learn(&mut session, &mut stored, &Limits::UNLIMITED, &mut ());
        assert!(ending.is_converged(), "{at}: {ending:?}");
        let learned = LearnedComponents::new(
            session.hypothesis().expect("one"),
            lock.inputs(),
            Projections::PerOutput,
        );
        assert_eq!(separate(&learned.product(1000).expect("one"), &lock), Ok(None), "{at}");
    }
}

/// Runs with a device that is wrong once in a hundred symbols. Returns how many results were right,
/// how many runs gave up, and the seeds of those with a wrong result.
fn noisy_runs(seeds: std::ops::Range<u32>) -> (u32, u32, Vec<u32>) {
    let (mut equivalent, mut refused, mut wrong) = (0, 0, Vec::new());
    for seed in seeds {
        let mut source = Random::new(seed.into());
        let machine = random(&mut source, 20, 2 + seed % 3, 2 + seed % 4);
        let liar = Liar::new(&machine, 100, u64::from(seed) + 1000);
        let mut stored = Stored::new(liar, Store::in_memory());
        let (learned, ending) = learn_from(&machine, &mut stored);
        let right = learned.is_some_and(|model| separate(&model, &machine) == Ok(None));
        match (ending.is_converged(), right) {
            (true, true) => equivalent += 1,
            (true, false) => wrong.push(seed),
            (false, _) => refused += 1,
        }
        let (costs, tree) = (stored.costs(), stored.store().tree());
        println!(
            "seed {seed}: {} states, {} symbols, {} wrong answers, {}, {}",
            machine.minimise().states(),
            costs.symbols,
            tree.strays(),
            if ending.is_converged() { "converged" } else { "refused" },
            if right { "right" } else { "not right" },
        );
    }
    (equivalent, refused, wrong)
}

#[test]
fn a_device_that_is_wrong_once_in_a_hundred_symbols_is_learned() {
    let (equivalent, refused, wrong) = noisy_runs(0..10);
    assert!(wrong.is_empty(), "seeds {wrong:?}");
    assert!(equivalent >= 9, "{equivalent} of 10; {refused} refused");
}

#[test]
#[ignore = "takes long"]
fn a_hundred_devices_that_are_wrong_once_in_a_hundred_symbols_are_learned() {
    let (equivalent, refused, wrong) = noisy_runs(0..100);
    println!("{equivalent} of 100 equivalent to the truth, {refused} refused");
    assert!(wrong.is_empty(), "seeds {wrong:?}");
}

#[test]
fn no_model_is_reported_that_known_answers_contradict() {
    let lock = DemoLock::machine();
    let mut stored = Stored::new(Liar::new(&lock, 0, 0), Store::in_memory());
    let (_, ending) = learn_from(&lock, &mut stored);
    assert!(ending.is_converged());
    // The new run has no tests, but it knows the answers to earlier ones.
    let options = Options::new().passing_tests(0);
    let mut session = new_session(vec![0; 1 << 12], 5, options).expect("good options");
    let ending = learn(&mut session, &mut stored, &Limits::UNLIMITED, &mut ());
    assert!(ending.is_converged());
    assert!(session.progress().rounds > 1, "its first hypothesis was refuted");
    let learned = LearnedComponents::new(
        session.hypothesis().expect("one"),
        lock.inputs(),
        Projections::PerOutput,
    );
    assert_eq!(separate(&learned.product(1000).expect("one"), &lock), Ok(None));
}

/// Nothing is reset while known answers are asked again, so the price of a reset cannot be measured then.
#[test]
fn a_run_over_a_log_of_version_8_goes_on_with_its_price_of_a_reset() {
    let place = StoreFolder::new();
    let names = ["a".to_owned()];
    let prices = Some(Prices { reset: 50, inputs: vec![1] });
    let old = [
        log::header(8, &names),
        LogRecord::Output(b"x".to_vec()),
        LogRecord::Reset,
        LogRecord::Answer { input: 0, output: 0, ms: 200 },
        LogRecord::Prices(prices),
    ];
    std::fs::write(place.file(), old.iter().flat_map(log::frame).collect::<Vec<_>>())
        .expect("room");
    let mut store = Store::open(&place.file(), &names).expect("it opens");
    let measured = |tree: &AnswerTree, before: Option<&Prices>| {
        prices::Times::of(tree, crate::mean_time::MeanTime::default(), 1).prices(before)
    };
    let decided = store.decide_prices(1, measured).expect("room").expect("it is slow");
    assert_eq!(decided.reset, 50);
}
