//! Logs of boards beside an `answers.log`.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use mealybug_core::{Input, Sul};

use super::*;
use crate::store::log::{self, AnswerLog, LogRecord};
use crate::store::{
    DeviceAnswer, JudgeAnswer, LockedLog, LoggedReply, NodeId, Store, Stored, copy_kept,
};

const TIME: Duration = Duration::from_millis(7);

/// The folder of a run whose device has the inputs `a`, `b` and `c`.
struct AheadRun(tempfile::TempDir);

impl AheadRun {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn inputs() -> Vec<String> {
        ["a", "b", "c"].map(str::to_owned).to_vec()
    }

    fn ahead(&self) -> PathBuf {
        self.0.path().join("ahead")
    }

    fn log(&self, board: usize) -> PathBuf {
        log_path(&self.ahead(), board)
    }

    fn open(&self) -> Store {
        let answers = self.0.path().join("answers.log");
        Store::open_with_ahead(&answers, &self.ahead(), &Self::inputs()).expect("it opens")
    }

    fn logs(&self, store: &Store, boards: usize) -> Vec<BoardLog> {
        store.open_board_logs(&self.ahead(), boards, &Self::inputs()).expect("they open")
    }
}

fn word(text: &str) -> Vec<Input> {
    text.bytes().map(|letter| Input::new(u32::from(letter - b'a'))).collect()
}

/// The output to the last input: the word itself.
fn output(text: &str, at: usize) -> &[u8] {
    &text.as_bytes()[..=at]
}

/// The answer to the last input: its output, with a reply that it is a name for.
fn answer(text: &str, at: usize) -> DeviceAnswer {
    let output = output(text, at);
    let reply = Some([b"reply ", output].concat().into());
    DeviceAnswer { output: output.into(), reply, took: TIME }
}

/// A board says a word.
fn say(log: &mut BoardLog, text: &str) {
    log.reset().expect("there is room");
    for (at, input) in word(text).into_iter().enumerate() {
        log.answer(input, &answer(text, at)).expect("there is room");
    }
    log.sync().expect("there is room");
}

/// The learner takes the first `answers` answers to a word.
fn take(store: &mut Store, text: &str, answers: usize) {
    store.reset().expect("there is room");
    let mut node = NodeId::ROOT;
    for (at, input) in word(text).into_iter().enumerate().take(answers) {
        node = store.observe(node, input, &answer(text, at)).expect("there is room").node;
    }
}

/// The words that are there, in the order of their inputs.
fn kept(store: &Store) -> Vec<String> {
    let letter = |input: &Input| char::from(b'a' + u8::try_from(input.index()).expect("few"));
    let words = store.ahead().lock();
    let texts = words.iter().flat_map(|(word, all)| {
        std::iter::repeat_n(word.iter().map(letter).collect::<String>(), all.len())
    });
    texts.collect()
}

#[test]
fn words_that_answers_log_has_are_taken_out_once_and_the_others_stay() {
    let run = AheadRun::new();
    let mut store = run.open();
    take(&mut store, "ab", 2);
    let mut logs = run.logs(&store, 2);
    // This is not the one that was taken before the boards began.
    say(&mut logs[0], "ab");
    say(&mut logs[0], "ab");
    say(&mut logs[1], "abc");
    say(&mut logs[1], "cc");
    take(&mut store, "ab", 2);
    take(&mut store, "cc", 1);
    take(&mut store, "b", 1);
    drop((store, logs));
    for _ in 0..3 {
        let store = run.open();
        assert_eq!(kept(&store), ["ab", "abc"], "the test `cc` ended at its first output");
        assert_eq!(store.ahead().take(&word("abc")).map(|answers| answers.len()), Some(3));
    }
    let mut store = run.open();
    let mut logs = run.logs(&store, 3);
    take(&mut store, "ab", 2);
    say(&mut logs[2], "abb");
    take(&mut store, "abc", 3);
    take(&mut store, "abb", 3);
    drop((store, logs));
    assert_eq!(kept(&run.open()), Vec::<String>::new());
    assert!(!run.ahead().exists());
}

#[test]
fn a_word_that_was_being_taken_is_taken_to_its_end() {
    for taken in 0..=3 {
        let run = AheadRun::new();
        let mut store = run.open();
        say(&mut run.logs(&store, 1)[0], "abc");
        take(&mut store, "abc", taken);
        drop(store);
        for _ in 0..2 {
            let store = run.open();
            let outputs: Vec<_> =
                store.tree().nodes().map(|node| store.tree().output(node).to_vec()).collect();
            if taken == 0 {
                assert_eq!((kept(&store), outputs.len()), (vec!["abc".to_owned()], 0));
            } else {
                assert_eq!(outputs, [&b"a"[..], b"ab", b"abc"], "{taken} were taken");
                assert!(
                    store.ahead().is_empty()
                        && store.tree().nodes().all(|node| store.tree().votes(node) == 1)
                );
            }
        }
    }
}

#[test]
fn a_log_that_is_cut_off_anywhere_holds_all_that_is_before() {
    let run = AheadRun::new();
    let mut log = run.logs(&run.open(), 1).remove(0);
    let mut words = vec![(0, Vec::new())];
    for text in ["ab", "c", "ba"] {
        log.reset().expect("there is room");
        let before = words.last().expect("some").1.clone();
        for (at, input) in word(text).into_iter().enumerate() {
            log.answer(input, &answer(text, at)).expect("there is room");
            let len = fs::metadata(run.log(1)).expect("a file").len();
            words.push((len, [&before[..], &[text[..=at].to_owned()]].concat()));
        }
    }
    drop(log);
    let bytes = fs::read(run.log(1)).expect("a file");
    for cut in 0..=bytes.len() {
        fs::create_dir_all(run.ahead()).expect("a folder");
        fs::write(run.log(1), &bytes[..cut]).expect("a file");
        let (_, expected) =
            words.iter().rfind(|(len, _)| *len <= cut as u64).expect("the first one");
        let mut expected = expected.clone();
        expected.sort();
        for _ in 0..2 {
            assert_eq!(kept(&run.open()), expected, "cut after {cut} bytes");
        }
        let store = run.open();
        say(&mut run.logs(&store, 1)[0], "cccc");
        drop(store);
        expected.push("cccc".to_owned());
        expected.sort();
        assert_eq!(kept(&run.open()), expected, "cut after {cut} bytes, and went on");
    }
}

#[test]
fn a_word_in_doubt_is_not_taken() {
    let run = AheadRun::new();
    let mut log = run.logs(&run.open(), 1).remove(0);
    for text in ["a", "b", "c"] {
        say(&mut log, text);
        if text == "b" {
            log.doubt().expect("there is room");
        }
    }
    drop(log);
    let store = run.open();
    assert_eq!(kept(&store), ["a", "c"]);
    store.ahead().forget(&word("a"));
    assert_eq!(kept(&store), ["c"]);
}

/// As a board that is away fails again and again, and one that fails before its first word of this session.
#[test]
fn several_doubts_in_a_row_are_about_one_word() {
    let run = AheadRun::new();
    let mut log = run.logs(&run.open(), 1).remove(0);
    for text in ["a", "b"] {
        say(&mut log, text);
    }
    for _ in 0..3 {
        log.doubt().expect("there is room");
    }
    drop(log);
    let store = run.open();
    assert_eq!(kept(&store), ["a"]);
    let mut log = run.logs(&store, 1).remove(0);
    log.doubt().expect("there is room");
    drop((store, log));
    assert_eq!(kept(&run.open()), ["a"]);
    // Logs of earlier versions have doubts in a row.
    let mut log = AnswerLog::open(&run.log(1), &AheadRun::inputs(), |_| Ok(())).expect("a log");
    for record in [LogRecord::Reset, LogRecord::Doubt, LogRecord::Doubt] {
        log.append(&record).expect("there is room");
    }
    drop(log);
    assert_eq!(kept(&run.open()), ["a"]);
}

#[test]
fn answers_are_kept_up_to_the_first_input_that_has_changed() {
    let run = AheadRun::new();
    let mut log = run.logs(&run.open(), 2).remove(1);
    say(&mut log, "acb");
    drop(log);
    let to = run.0.path().join("new");
    for _ in 0..2 {
        let fate: JudgeAnswer<'_> =
            &|answer| if answer.input == "b" { Err(0) } else { Ok(answer.output.into()) };
        copy_kept_logs(&run.ahead(), &to, &AheadRun::inputs(), fate).expect("a copy");
    }
    fs::remove_dir_all(run.ahead()).expect("it is there");
    fs::rename(&to, run.ahead()).expect("it is there");
    assert_eq!(kept(&run.open()), ["ac"]);
    // Opened, copied and read again, the answers are those that the board gave.
    let answers = run.open().ahead().take(&word("ac")).expect("it is there");
    assert_eq!(answers, [answer("ac", 0), answer("ac", 1)]);
}

/// A log without replies does not come to say that a reply has no name.
#[test]
fn replies_of_a_log_that_an_older_version_began_stay_unknown() {
    let run = AheadRun::new();
    let inputs = AheadRun::inputs();
    let header = log::header(log::WITH_REPLIES - 1, &inputs);
    let answer = LogRecord::Answer { input: 0, output: 0, ms: 0 };
    let said = [LogRecord::Since(0), LogRecord::Reset, LogRecord::Output(b"up".to_vec()), answer];
    // The second word is in doubt, so the log is written anew.
    let doubt = [LogRecord::Reset, LogRecord::Doubt];
    let records = [header].into_iter().chain(said).chain(doubt);
    fs::create_dir_all(run.ahead()).expect("a folder");
    let bytes: Vec<_> = records.flat_map(|record| log::frame(&record)).collect();
    fs::write(run.log(1), &bytes).expect("a file");
    for _ in 0..2 {
        assert_eq!(kept(&run.open()), ["a"]);
        assert!(fs::metadata(run.log(1)).expect("a file").len() < bytes.len() as u64);
        let mut written = LockedLog::open(&run.log(1)).expect("nobody has it open");
        let fate: JudgeAnswer<'_> = &|answer| {
            assert_eq!(answer.reply, LoggedReply::Unknown);
            Ok(answer.output.into())
        };
        let to = run.0.path().join("copy.log");
        let count = copy_kept(&mut written, &to, &inputs, fate).expect("a copy");
        assert_eq!(count.kept, 1);
    }
}

/// What the device says is counted where it is taken, and a word is asked again once its answers are used up.
#[test]
fn the_device_is_not_asked_what_a_board_said_ahead() {
    let run = AheadRun::new();
    let mut log = run.logs(&run.open(), 1).remove(0);
    say(&mut log, "a");
    say(&mut log, "ab");
    drop(log);
    let mut asked = 0;
    let mut said = Vec::new();
    let device = mealybug_core::sul::from_fn(|input: Option<Input>| {
        match input {
            None => said.clear(),
            Some(input) => {
                asked += 1;
                said.push(b'a' + u8::try_from(input.index()).expect("few"));
            }
        }
        said.clone()
    });
    let mut stored = Stored::new(device, run.open());
    for (text, at) in [("ab", 0), ("ab", 1), ("abc", 2)] {
        if at == 0 {
            stored.reset().expect("it is there");
        }
        assert_eq!(stored.step(word(text)[at]).expect("it answers"), output(text, at));
    }
    let costs = stored.costs();
    assert_eq!((costs.resets, costs.symbols), (3, 6), "`a`, `ab`, and `abc` from a reset");
    drop(stored);
    assert_eq!(asked, 3);
    let store = run.open();
    let votes: Vec<_> = store.tree().nodes().map(|node| store.tree().votes(node)).collect();
    assert_eq!((votes, store.ahead().len()), (vec![3, 2, 1], 0));
}
