//! What is noticed, and what is not.

use super::*;

const SOON: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_secs(1);

fn hints() -> Hints {
    Hints::new(&["get", "set", "go"].map(str::to_owned))
}

fn input(index: u32) -> Input {
    Input::new(index)
}

/// The kinds of hints that were given since the last time.
fn kinds(hints: &mut Hints) -> Vec<Kind> {
    hints.take().iter().map(|hint| hint.kind).collect()
}

#[test]
fn a_field_that_changes_is_shown_once_with_what_takes_it_away() {
    let mut hints = hints();
    hints.answer(input(2), "begin", false, SOON);
    for number in 0..7 {
        hints.answer(input(0), &format!("up {number} s"), false, SOON);
        hints.answer(input(0), &format!("up {number} s"), false, SOON);
    }
    assert_eq!(kinds(&mut hints), []);
    hints.answer(input(0), "up 9 s", false, SOON);
    assert_eq!(kinds(&mut hints), [Kind::ChangingOutput]);
    assert!(hints.given()[0].text.contains(r"strip = ['up \d+ s']"), "{:?}", hints.given());
    for number in 10..99 {
        hints.answer(input(0), &format!("up {number} s"), false, SOON);
    }
    assert_eq!(kinds(&mut hints), []);
}

#[test]
fn many_answers_that_have_nothing_in_common_are_no_field() {
    let mut hints = hints();
    let words = ["open", "closed", "locked", "error", "ready", "busy", "stuck", "jammed", "off"];
    hints.answer(input(2), "begin", false, SOON);
    for word in words {
        hints.answer(input(0), word, false, SOON);
    }
    assert_eq!(kinds(&mut hints), []);
}

#[test]
fn states_along_a_repetition_are_shown() {
    let mut hints = hints();
    let counter = [0; GROWN].map(input);
    hints.state(&counter[1..], 15);
    // Long, but going somewhere.
    let way: Vec<_> = (0..40).map(|at| input(at * at % 7 % 3)).collect();
    hints.state(&way, 41);
    assert_eq!(kinds(&mut hints), []);
    let pairs: Vec<_> = (0..GROWN + 1).map(|at| input(if at % 2 == 0 { 0 } else { 1 })).collect();
    hints.state(&pairs, 20);
    assert_eq!(kinds(&mut hints), [Kind::GrowingWord]);
    assert!(
        hints.given()[0].text.contains("17 inputs that end in `set get`"),
        "{:?}",
        hints.given()
    );
}

#[test]
fn another_answer_right_after_a_reset_is_told_with_the_word_before_it() {
    let mut hints = hints();
    for word in [&[0, 1][..], &[1, 0], &[0], &[1, 2]] {
        hints.reset(SOON);
        for (position, &index) in word.iter().enumerate() {
            // The same input may be answered otherwise later in a word.
            hints.answer(input(index), if position == 0 { "fresh" } else { "later" }, false, SOON);
        }
    }
    assert_eq!(kinds(&mut hints), []);
    hints.reset(SOON);
    hints.answer(input(0), "stale", false, SOON);
    assert_eq!(kinds(&mut hints), [Kind::ResetLeaves]);
    let text = &hints.given()[0].text;
    assert!(text.contains("`fresh` before, and now `stale`, after the word `set go`"), "{text}");
}

#[test]
fn a_state_in_which_nothing_comes_any_more_is_shown_when_it_eats_the_time() {
    let mut hints = hints();
    for round in 0..12 {
        hints.reset(SOON);
        hints.answer(input(0), "on", false, SOON);
        for index in [2, 0, 1] {
            hints.answer(input(index), "(silence)", true, PATIENCE);
        }
        assert_eq!(kinds(&mut hints).is_empty(), round != 9, "in round {round}");
    }
    assert!(hints.given()[0].text.contains("after `get go` the device says nothing"));
}

#[test]
fn single_silences_are_answers() {
    let mut hints = hints();
    for _ in 0..100 {
        hints.reset(SOON);
        hints.answer(input(0), "(silence)", true, PATIENCE);
        hints.answer(input(1), "on", false, SOON);
    }
    assert_eq!(kinds(&mut hints), []);
}
