//! Boards that are counters in this process.

use std::io;
use std::sync::Mutex;

use super::schedule::{AfterAnswer, Schedule};
use super::*;
use crate::learn::Failure;
use crate::store::DeviceAnswer;

const TIME: Duration = Duration::from_millis(1);

fn answer(output: &str) -> DeviceAnswer {
    DeviceAnswer { output: output.as_bytes().into(), reply: None, took: TIME }
}

fn word(inputs: &[u32]) -> Vec<Input> {
    inputs.iter().copied().map(Input::new).collect()
}

/// A board asks the next word, as far as it is known.
fn ask(schedule: &mut Schedule, board: usize) -> u64 {
    let (id, _) = schedule.next_word(board, Instant::now()).expect("there is a word");
    schedule.reset(board, id, TIME);
    let mut position = 0;
    while let AfterAnswer::Ask(input) = schedule.next_input(board, id, position) {
        schedule.answer(board, id, answer(&input.index().to_string()));
        position += 1;
    }
    id
}

/// A schedule whose words are asked.
fn begun(boards: usize) -> Schedule {
    let mut schedule = Schedule::new(boards);
    schedule.begin();
    schedule
}

fn inputs(schedule: &mut Schedule, board: usize) -> Option<Vec<Input>> {
    schedule.next_word(board, Instant::now()).map(|(_, inputs)| inputs)
}

#[test]
fn words_are_asked_in_order_and_a_beginning_of_another_is_not() {
    let mut schedule = begun(2);
    for inputs in [&[0, 1][..], &[0], &[1]] {
        schedule.announce(&word(inputs), false);
    }
    assert_eq!(inputs(&mut schedule, 1), Some(word(&[0, 1])));
    assert_eq!(inputs(&mut schedule, 0), Some(word(&[1])));
    let mut schedule = begun(2);
    schedule.announce(&word(&[0]), false);
    schedule.announce(&word(&[1]), false);
    schedule.want(&word(&[1]));
    assert_eq!(inputs(&mut schedule, 0), Some(word(&[1])), "the one before is dropped");
    schedule.want(&word(&[2]));
    assert_eq!(inputs(&mut schedule, 1), Some(word(&[2])), "that was not announced");
}

#[test]
fn no_word_is_asked_before_the_caller_needs_a_board() {
    let mut schedule = Schedule::new(1);
    schedule.announce(&word(&[0]), false);
    assert_eq!(inputs(&mut schedule, 0), None);
    schedule.begin();
    assert_eq!(inputs(&mut schedule, 0), Some(word(&[0])));
}

#[test]
fn answered_words_that_are_dropped_are_handed_over() {
    let mut schedule = begun(2);
    for inputs in [&[0][..], &[1, 1], &[2], &[3]] {
        schedule.announce(&word(inputs), false);
    }
    ask(&mut schedule, 0);
    schedule.next_word(1, Instant::now()).expect("the second one, which gets no answer");
    ask(&mut schedule, 0);
    schedule.want(&word(&[3]));
    let dropped: Vec<_> = schedule.take_dropped().into_iter().map(|(word, _)| word).collect();
    assert_eq!(dropped, [word(&[0]), word(&[2])]);
    assert!(schedule.take_dropped().is_empty());
    ask(&mut schedule, 0);
    schedule.want(&word(&[4]));
    assert!(schedule.take_dropped().is_empty(), "it was taken");
}

#[test]
fn a_board_waits_for_the_rest_of_an_open_word_unless_it_is_needed() {
    let mut schedule = begun(1);
    schedule.announce(&word(&[0]), true);
    schedule.announce(&word(&[1]), true);
    let id = schedule.want(&word(&[0]));
    assert_eq!(ask(&mut schedule, 0), id);
    assert_eq!(schedule.answers().len(), 1);
    assert!(schedule.go_on(1, Input::new(5)));
    assert_eq!(schedule.next_input(0, id, 1), AfterAnswer::Ask(Input::new(5)));
    schedule.answer(0, id, answer("5"));
    assert_eq!(schedule.next_input(0, id, 2), AfterAnswer::Wait);
    schedule.want(&word(&[1]));
    assert_eq!(schedule.next_input(0, id, 2), AfterAnswer::Over, "the caller has another word");
    let ahead = ask(&mut schedule, 0);
    schedule.want(&word(&[3]));
    assert_eq!(schedule.next_input(0, ahead, 1), AfterAnswer::Over, "dropped");
    schedule.announce(&word(&[4]), true);
    let held = ask(&mut schedule, 0);
    schedule.want(&word(&[6]));
    schedule.announce(&word(&[7]), true);
    assert_eq!(schedule.next_input(0, held, 1), AfterAnswer::Over);
    assert_eq!(inputs(&mut schedule, 0), Some(word(&[6])));
}

#[test]
fn a_word_that_is_repeated_goes_to_another_board_as_long_as_there_is_one() {
    let mut schedule = begun(2);
    schedule.announce(&word(&[0, 1]), false);
    schedule.want(&word(&[0, 1]));
    ask(&mut schedule, 0);
    schedule.want(&word(&[0]));
    assert_eq!(inputs(&mut schedule, 0), None, "it has said that");
    let id = ask(&mut schedule, 1);
    schedule.want(&word(&[0]));
    assert_eq!(schedule.next_input(1, id, 1), AfterAnswer::Over);
    assert!(inputs(&mut schedule, 0).is_some(), "both have said it");
    schedule.want(&word(&[0, 1]));
    schedule.fail(1, 99);
    assert_eq!(schedule.leave_out(1, "gone".to_owned()), 1);
    let mut alone = begun(2);
    alone.announce(&word(&[0]), false);
    ask(&mut alone, 0);
    alone.want(&word(&[0]));
    alone.want(&word(&[0]));
    alone.fail(1, 99);
    alone.send_away(1, Instant::now() + Duration::from_secs(60));
    assert_eq!(inputs(&mut alone, 1), None, "it is away");
    assert!(inputs(&mut alone, 0).is_some(), "the only one that is there");
}

#[test]
fn boards_are_all_away_as_long_as_none_that_is_left_can_be_asked() {
    let mut schedule = begun(2);
    let later = Instant::now() + Duration::from_secs(60);
    schedule.send_away(0, later);
    assert!(!schedule.all_are_away(), "the other one is there");
    schedule.leave_out(1, "gone".to_owned());
    assert!(schedule.all_are_away());
    schedule.leave_out(0, "gone".to_owned());
    assert!(!schedule.all_are_away(), "none comes back");
}

#[test]
fn a_board_that_goes_away_has_failed_once_however_often_it_is_looked_for() {
    let mut schedule = begun(1);
    let failures = |schedule: &Schedule| schedule.counts()[0].failures;
    let id = schedule.want(&word(&[0]));
    for _ in 0..3 {
        schedule.fail(0, id);
        schedule.send_away(0, Instant::now());
    }
    assert_eq!(failures(&schedule), 1);
    schedule.reset(0, id, TIME);
    schedule.fail(0, id);
    assert_eq!(failures(&schedule), 2);
}

#[test]
fn a_word_whose_answers_are_in_doubt_is_asked_again_before_anyone_takes_them() {
    let mut schedule = begun(2);
    for input in 0..2 {
        schedule.announce(&word(&[input]), false);
        let id = ask(&mut schedule, 0);
        assert_eq!(schedule.next_input(0, id, 1), AfterAnswer::Over);
    }
    schedule.doubt(1, &word(&[1]));
    schedule.doubt(0, &word(&[1]));
    schedule.want(&word(&[0]));
    assert_eq!(schedule.answers().len(), 1, "nobody doubts it");
    assert_eq!(inputs(&mut schedule, 1), Some(word(&[1])));
    schedule.want(&word(&[1]));
    assert_eq!(schedule.answers().len(), 0);
}

#[test]
fn the_board_that_may_repeat_a_word_leaves_its_own_for_it() {
    let mut schedule = begun(2);
    schedule.announce(&word(&[0]), false);
    ask(&mut schedule, 0);
    schedule.announce(&word(&[4]), true);
    schedule.announce(&word(&[5]), true);
    let (first, last) = (ask(&mut schedule, 1), ask(&mut schedule, 0));
    schedule.want(&word(&[0]));
    schedule.want(&word(&[0]));
    assert_eq!(schedule.next_input(0, last, 1), AfterAnswer::Wait, "it has said that");
    assert_eq!(schedule.next_input(1, first, 1), AfterAnswer::Over);
    assert_eq!(inputs(&mut schedule, 1), Some(word(&[0])));
}

/// A counter: input 0 counts, and the others say what it is, plus what the board adds.
struct CountingBoard {
    count: u32,
    adds: u32,
    /// After so many inputs so many fail; each adds one.
    fails_after: u32,
    fails: u32,
    /// How many resets find it away.
    away: u32,
    output: Vec<u8>,
}

impl CountingBoard {
    fn new() -> Self {
        let (fails_after, fails) = (u32::MAX, u32::MAX);
        Self { count: 0, adds: 0, fails_after, fails, away: 0, output: Vec::new() }
    }
}

impl Sul for CountingBoard {
    type Error = io::Error;

    fn reset(&mut self) -> Result<(), io::Error> {
        if self.away > 0 {
            self.away -= 1;
            return Err(io::ErrorKind::NotConnected.into());
        }
        self.count = 0;
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<&[u8], io::Error> {
        if self.fails_after == 0 && self.fails > 0 {
            self.fails -= 1;
            self.adds += 1;
            return Err(io::Error::other("broken"));
        }
        self.fails_after = self.fails_after.saturating_sub(1);
        self.count += u32::from(input.index() == 0);
        self.output = (self.count + self.adds).to_string().into_bytes();
        Ok(&self.output)
    }
}

/// What was told of boards.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    fn tell(&self, text: String) {
        self.0.lock().expect("nobody panicked").push(text);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("nobody panicked"))
    }
}

/// Each board may fail twice in a row.
impl BoardPolicy<io::Error> for Told {
    fn failed(
        &mut self,
        board: usize,
        failure: &Failure<io::Error>,
        has_answered: bool,
        _: mealybug_core::Costs,
    ) -> AfterFailure {
        if failure.error.kind() == io::ErrorKind::NotConnected {
            return AfterFailure::Wait(Duration::from_millis(200));
        }
        let (word, sent) = (failure.word.len(), failure.sent);
        self.tell(format!("{board} failed at {sent} of {word}, {has_answered}"));
        let failed = format!("{board} failed");
        let all = self.0.lock().expect("nobody panicked");
        let times = all.iter().filter(|text| text.starts_with(&failed)).count();
        if times < 3 { AfterFailure::AskAgain } else { AfterFailure::LeaveOut }
    }

    fn all_are_away(&mut self) {
        self.tell("all are away".to_owned());
    }

    fn left_out(&mut self, board: usize, error: &io::Error, left: usize) {
        self.tell(format!("{board} left out: {error}, {left} left"));
    }

    fn disagree(&mut self, disagreement: &Disagreement) {
        let mut answers = disagreement.answers.clone();
        answers.sort();
        let [one, other] =
            answers.map(|(board, output)| (board, output.escape_ascii().to_string()));
        self.tell(format!("{:?}: {one:?} {other:?}", disagreement.word.len()));
    }
}

fn start(boards: Vec<CountingBoard>) -> (Boards<CountingBoard>, Told) {
    let told = Told::default();
    let boards = boards.into_iter().map(|board| (board, BoardLog::default())).collect();
    let ahead = AheadAnswers::default();
    let boards = Boards::start(boards, ahead, Box::new(told.clone()), Arc::default());
    (boards.expect("there are threads"), told)
}

/// Asks a word, and returns its outputs as numbers.
fn outputs(
    boards: &mut Boards<CountingBoard>,
    inputs: &[u32],
) -> Result<Vec<u32>, BoardsError<io::Error>> {
    boards.reset_for(&word(inputs))?;
    let number = |output: &[u8]| String::from_utf8_lossy(output).parse().expect("a number");
    word(inputs).into_iter().map(|input| Ok(number(boards.step(input)?))).collect()
}

#[test]
fn answers_come_in_the_order_of_the_caller() {
    let (mut boards, told) = start((0..4).map(|_| CountingBoard::new()).collect());
    let words: Vec<Vec<u32>> = (0..50_u32).map(|n| vec![n % 3; 1 + n as usize % 7]).collect();
    for next in &words {
        boards.announce(&word(next));
    }
    for next in &words {
        let counts = next.iter().scan(0, |count, &input| {
            *count += u32::from(input == 0);
            Some(*count)
        });
        assert_eq!(outputs(&mut boards, next).expect("outputs"), counts.collect::<Vec<_>>());
    }
    assert!(told.take().is_empty());
    boards.announce_open(&word(&[0]));
    assert_eq!(outputs(&mut boards, &[0]).expect("an output"), [1]);
    let asked: u64 = boards.counts().iter().map(|board| board.asked.resets).sum();
    assert_eq!(boards.step(Input::new(0)).expect("it goes on"), b"2");
    assert_eq!(boards.counts().iter().map(|board| board.asked.resets).sum::<u64>(), asked);
    assert_eq!(boards.stop().len(), 4);
}

#[test]
fn a_board_that_fails_is_left_out_and_its_words_are_asked_elsewhere() {
    let broken = CountingBoard { fails_after: 3, ..CountingBoard::new() };
    let (mut boards, told) = start(vec![broken, CountingBoard::new()]);
    for length in 1..20 {
        boards.announce(&word(&vec![0; length]));
        boards.announce(&word(&vec![1; length]));
        let counts: Vec<u32> = (1..).take(length).collect();
        // The second time on the other board, so that each of them is asked.
        for _ in 0..2 {
            assert_eq!(outputs(&mut boards, &vec![0; length]).expect("outputs"), counts);
        }
    }
    let told = told.take();
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(told[..3].iter().all(|text| text.starts_with("0 failed at ")), "{told:?}");
    assert!(told[1].ends_with(", false") && told[2].ends_with(", false"), "{told:?}");
    assert_eq!(told[3], "0 left out: broken, 1 left");
    let counts = boards.counts();
    assert_eq!((counts[0].failures, counts[0].left_out.as_deref()), (3, Some("broken")));
    assert_eq!((counts[1].failures, counts[1].left_out.as_deref()), (0, None));
}

#[test]
fn boards_that_are_all_away_are_told_of_and_waited_for() {
    let away = |resets| CountingBoard { away: resets, ..CountingBoard::new() };
    let (mut boards, told) = start(vec![away(1), away(1)]);
    assert_eq!(outputs(&mut boards, &[0, 0]).expect("they come back"), [1, 2]);
    let told = told.take();
    assert!(!told.is_empty() && told.iter().all(|text| text == "all are away"), "{told:?}");
    let (mut boards, told) = start(vec![away(1), away(0)]);
    assert_eq!(outputs(&mut boards, &[0, 0]).expect("one is there"), [1, 2]);
    assert_eq!(told.take(), [""; 0]);
}

#[test]
fn without_boards_there_is_no_answer() {
    let broken = || CountingBoard { fails_after: 0, ..CountingBoard::new() };
    let (mut boards, told) = start(vec![broken(), broken()]);
    let error = outputs(&mut boards, &[0, 0]).expect_err("both are broken");
    assert!(matches!(error, BoardsError::NoneLeft(_)), "{error}");
    assert!(told.take().iter().any(|text| text.ends_with(" left out: broken, 0 left")));
}

#[test]
fn a_word_that_is_answered_in_another_way_after_a_failure_is_no_answer() {
    // After its failure it counts one more.
    let (mut boards, told) =
        start(vec![CountingBoard { fails_after: 1, fails: 1, ..CountingBoard::new() }]);
    assert_eq!(outputs(&mut boards, &[0]).expect("an output"), [1]);
    let error = boards.step(Input::new(0)).map(<[u8]>::to_vec).expect_err("another beginning");
    assert!(matches!(error, BoardsError::Otherwise), "{error}");
    assert_eq!(told.take(), ["0 failed at 2 of 2, false"]);
    assert_eq!(outputs(&mut boards, &[0, 0]).expect("outputs"), [2, 3]);
}

#[test]
fn boards_that_disagree_are_named_with_the_word() {
    let liar = CountingBoard { adds: 1, ..CountingBoard::new() };
    let (mut boards, told) = start(vec![CountingBoard::new(), liar]);
    for _ in 0..4 {
        outputs(&mut boards, &[0, 1]).expect("outputs");
    }
    assert_eq!(told.take(), [r#"1: (0, "1") (1, "2")"#], "once, and the shortest word");
    let counts = boards.counts();
    assert_eq!(counts.iter().map(|board| board.disagreements).collect::<Vec<_>>(), [1, 1]);
    let mut said = boards.said(&word(&[0]));
    said.sort();
    assert_eq!(said[..1], [(0, b"1".to_vec(), said[0].2)]);
    assert_eq!(said.len(), 2);
}

#[test]
fn an_interruption_is_no_failure() {
    let broken = CountingBoard { fails_after: 0, ..CountingBoard::new() };
    let (told, interrupted) = (Told::default(), Arc::new(AtomicBool::new(true)));
    let boards = vec![(broken, BoardLog::default())];
    let ahead = AheadAnswers::default();
    let boards = Boards::start(boards, ahead, Box::new(told.clone()), interrupted);
    let mut boards = boards.expect("there are threads");
    let error = outputs(&mut boards, &[0]).expect_err("it is interrupted");
    assert!(matches!(error, BoardsError::Interrupted), "{error}");
    assert!(told.take().is_empty());
}
