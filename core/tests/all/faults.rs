//! Devices that contradict themselves, and devices whose link fails.

use std::collections::HashSet;

use crate::common::{Rng, STEPS, TableMachine, memory, product_initial, product_step};
use mealybug_core::{
    Action, Budget, Contradiction, EndReason, Input, Options, Projections, Purpose, Reply,
    ServeError, Session, SessionError, Sul, Tests,
};

/// Serves a session: `answer` gets the word so far and returns the output of its last input,
/// `word_done` gets each complete word with its outputs, and whether it was a test.
fn serve(
    session: &mut Session<Vec<u32>>,
    mut answer: impl FnMut(&[u32]) -> Vec<u8>,
    mut word_done: impl FnMut(bool, &[u32], &[Vec<u8>]),
) -> Result<EndReason, SessionError> {
    let (mut word, mut outputs): (Vec<u32>, Vec<Vec<u8>>) = Default::default();
    let mut testing = false;
    let mut action = session.next(0, Reply::Ready)?;
    for _ in 0..STEPS {
        action = match action {
            Action::Done(end) => return Ok(end),
            Action::Reset => {
                testing = session.purpose() == Purpose::Testing;
                word.clear();
                outputs.clear();
                session.next(0, Reply::Ready)?
            }
            Action::Input(input) => {
                word.push(input.index());
                outputs.push(answer(&word));
                if session.ahead(0).next().is_none() {
                    word_done(testing, &word, &outputs);
                }
                session.next(0, Reply::Output(&outputs[outputs.len() - 1]))?
            }
            Action::Hypothesis | Action::Idle => session.next(0, Reply::Ready)?,
        };
    }
    panic!("the session is not done after {STEPS} steps");
}

/// One answer is wrong: the session reports a contradiction, or its hypothesis explains all answers
/// in the table.
#[test]
fn a_session_reports_a_wrong_answer_or_explains_it() {
    let (mut reported, mut not_noticed) = (0, 0);
    for seed in 0..400 {
        let rng = &mut Rng(500 + seed);
        let machine = TableMachine::random(rng, 10, 2, 3);
        let wrong_at = rng.below(if seed % 2 == 0 { 60 } else { 600 });
        let budget = Budget::UNLIMITED.symbols(200_000);
        let projections =
            if seed % 3 == 0 { Projections::Identity } else { Projections::PerOutput };
        let options =
            Options::new().passing_tests(50).seed(seed).budget(budget).projections(projections);
        let mut session =
            Session::new(memory(1 << 18), machine.inputs, options).expect("good options");
        let mut number = 0;
        let mut learned = Vec::new();
        let result = serve(
            &mut session,
            |word| {
                let mut state = 0;
                let outputs = word.iter().map(|&input| machine.step(&mut state, input));
                let mut output = outputs.last().expect("a word");
                if number == wrong_at {
                    output = (output + 1) % 3;
                }
                number += 1;
                output.to_string().into_bytes()
            },
            |testing, word, outputs| {
                if !testing {
                    learned.push((word.to_vec(), outputs.to_vec()));
                }
            },
        );
        match result {
            Ok(EndReason::Symbols | EndReason::TestsPassed) => {
                let hypothesis = session.hypothesis().expect("there is a hypothesis");
                let refuted = learned.iter().any(|(word, outputs)| {
                    let mut product_state = product_initial(&hypothesis);
                    word.iter().zip(outputs).any(|(&input, output)| {
                        product_step(&hypothesis, &mut product_state, input) != Some(output)
                    })
                });
                assert!(!refuted || session.is_refuted(), "seed {seed}: {result:?}");
                not_noticed += 1;
            }
            Err(SessionError::Contradiction(contradiction)) => {
                let Contradiction { lane, word_len, position, before, now, .. } = contradiction;
                assert!(lane == 0 && position < word_len, "seed {seed}: {contradiction}");
                assert_ne!(before, now, "seed {seed}: {contradiction}");
                assert_eq!(word_len as usize, session.word(0).count(), "seed {seed}");
                let again = session.next(0, Reply::Ready);
                assert_eq!(
                    again,
                    Err(SessionError::Contradiction(contradiction)),
                    "seed {seed}: the error stays"
                );
                reported += 1;
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    println!("{reported} contradictions reported, {not_noticed} wrong answers not noticed");
    assert!(reported > 20, "{reported}");
}

/// With several lanes the contradiction names the lane whose word shows it, whichever lane calls.
/// Every later call reports the same contradiction.
#[test]
fn a_contradiction_names_the_lane_whose_word_shows_it() {
    let lanes = 3;
    let mut lanes_named = HashSet::new();
    for seed in 0..60 {
        let rng = &mut Rng(900 + seed);
        let options = Options::new().lanes(lanes).passing_tests(50);
        let mut session = Session::new(memory(1 << 18), 2, options).expect("good options");
        let mut actions = vec![Action::Idle; lanes as usize];
        let contradiction = loop {
            let lane = rng.below(lanes);
            let output = rng.below(2).to_string();
            let reply = match actions[lane as usize] {
                Action::Input(_) => Reply::Output(output.as_bytes()),
                Action::Done(end) => panic!("seed {seed}: {end:?}"),
                _ => Reply::Ready,
            };
            match session.next(lane, reply) {
                Ok(action) => actions[lane as usize] = action,
                Err(SessionError::Contradiction(error)) => break error,
                Err(error) => panic!("seed {seed}: {error}"),
            }
        };
        let Contradiction { lane, word_len, position, before, now, .. } = contradiction;
        lanes_named.insert(lane);
        assert_eq!(session.word(lane).count(), word_len as usize, "seed {seed}");
        assert!(position < word_len && before != now, "seed {seed}");
        for lane in 0..lanes {
            let reply = match actions[lane as usize] {
                Action::Input(_) => Reply::Output(b"0"),
                _ => Reply::Ready,
            };
            match session.next(lane, reply) {
                // The session finishes words in flight.
                Ok(Action::Input(_)) => {}
                Err(SessionError::Contradiction(again)) => assert_eq!(again, contradiction),
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
    assert_eq!(lanes_named.len(), 3, "{lanes_named:?}");
}

/// All answers are random: the session learns nothing useful, but it ends.
#[test]
fn a_session_ends_when_all_answers_are_random() {
    for seed in 0..100 {
        let rng = &mut Rng(800 + seed);
        let outputs = 1 + rng.below(20);
        let budget = Budget::UNLIMITED.symbols(20_000);
        let options = Options::new().passing_tests(50).seed(seed).budget(budget);
        let mut session = Session::new(memory(1 << 18), 3, options).expect("good options");
        let result =
            serve(&mut session, |_| rng.below(outputs).to_string().into_bytes(), |_, _, _| {});
        assert!(
            matches!(
                result,
                Ok(EndReason::Symbols | EndReason::TestsPassed)
                    | Err(SessionError::Contradiction(_))
            ),
            "seed {seed}: {result:?}"
        );
    }
}

/// Every fiftieth step of the device fails. After each failure the caller calls [`sul::learn`]
/// again.
#[test]
fn learn_goes_on_after_the_device_failed() {
    struct FlakySul {
        state: u8,
        steps: u32,
    }
    impl Sul for FlakySul {
        type Error = &'static str;

        fn reset(&mut self) -> Result<(), &'static str> {
            self.state = 0;
            Ok(())
        }

        fn step(&mut self, input: Input) -> Result<&[u8], &'static str> {
            self.steps += 1;
            // The step takes effect even if it fails.
            self.state = if input.index() == 0 { (self.state + 1) % 4 } else { self.state };
            let answer: &[u8] = if self.state == 3 { b"three" } else { b"less" };
            if self.steps.is_multiple_of(50) { Err("gone for a moment") } else { Ok(answer) }
        }
    }
    let options = Options::new().tests(Tests::Wp { extra_states: 3 });
    let mut session = Session::new(vec![0; 4096], 2, options).expect("good options");
    let mut device = FlakySul { state: 0, steps: 0 };
    let mut failures = 0;
    let end = loop {
        match mealybug_core::learn(&mut session, &mut device) {
            Ok(end) => break end,
            Err(error) => {
                assert_eq!(error, ServeError::Sul("gone for a moment"));
                failures += 1;
            }
        }
    };
    assert!(failures > 3, "{failures}");
    assert_eq!(end, EndReason::SuitePassed);
    let sizes =
        session.hypothesis().expect("the session has converged").components().map(|c| c.states());
    assert!(sizes.eq([4, 4]));
}
