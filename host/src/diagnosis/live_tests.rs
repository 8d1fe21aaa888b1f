//! Which problems are found during a run, and which are not.

use super::detectors::GROWN;
use super::*;
use crate::store::NodeId;

const SOON: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_secs(1);

fn diagnosis() -> Diagnosis {
    Diagnosis::new(&["get", "set", "go"].map(str::to_owned), true)
}

fn input(index: u32) -> Input {
    Input::new(index)
}

/// Reports an answer of the device.
fn answer(diagnosis: &mut Diagnosis, index: u32, output: &str) {
    let (is_silence, took) = if output == "(silence)" { (true, PATIENCE) } else { (false, SOON) };
    diagnosis.answer(&Answer { input: input(index), output, is_silence, took });
}

/// The kinds of the findings since the last call.
fn kinds(diagnosis: &mut Diagnosis) -> Vec<FindingKind> {
    taken(diagnosis, &AnswerTree::default())
}

/// The kinds of the findings since the last call, tried on the answers of a run.
fn taken(diagnosis: &mut Diagnosis, answers: &AnswerTree) -> Vec<FindingKind> {
    diagnosis.take(answers).iter().map(|finding| finding.kind).collect()
}

#[test]
fn a_device_is_mute_if_many_words_get_no_answer() {
    let silent = |words: usize, inputs: usize| {
        let mut diagnosis = diagnosis();
        for _ in 0..words {
            diagnosis.reset(SOON);
            (0..inputs).for_each(|_| answer(&mut diagnosis, 0, "(silence)"));
        }
        diagnosis
    };
    let asked = |diagnosis: &Diagnosis| diagnosis.mute().map(|(inputs, _)| inputs);
    assert_eq!(asked(&silent(20, 10)), Some(200));
    // Too few inputs, and too few words.
    assert_eq!(asked(&silent(199, 1)), None);
    assert_eq!(asked(&silent(19, 20)), None);
    let mut answered = silent(20, 10);
    answer(&mut answered, 1, "on");
    assert_eq!(asked(&answered), None);
    // The words of the user may find an answer.
    let wanted = vec![vec![Input::new(0); 3]; 5];
    assert_eq!(asked(&silent(25, 8).with_words(&wanted)), None);
    assert_eq!(asked(&silent(24, 9).with_words(&wanted)), None);
    assert_eq!(asked(&silent(25, 9).with_words(&wanted)), Some(225));
    let mut late = silent(20, 10);
    late.port(&PortStatistics { late_bytes: 1, ..PortStatistics::default() });
    assert_eq!(asked(&late), None);
}

#[test]
fn a_field_that_changes_is_shown_once_with_what_takes_it_away() {
    let mut diagnosis = diagnosis();
    answer(&mut diagnosis, 2, "begin");
    for number in 0..7 {
        answer(&mut diagnosis, 0, &format!("up {number} s"));
        answer(&mut diagnosis, 0, &format!("up {number} s"));
    }
    assert_eq!(kinds(&mut diagnosis), []);
    answer(&mut diagnosis, 0, "up 9 s");
    assert_eq!(kinds(&mut diagnosis), [FindingKind::ChangingOutput]);
    let text = &diagnosis.findings()[0].text;
    assert!(text.contains("hides nothing else in 0 answers"), "{text}");
    assert!(text.ends_with("[[replace]]\nmatch = '(up )\\d+( s)'\nwith = \"$1#$2\""), "{text}");
    for number in 10..99 {
        answer(&mut diagnosis, 0, &format!("up {number} s"));
    }
    assert_eq!(kinds(&mut diagnosis), []);
}

#[test]
fn a_field_in_the_answers_to_several_inputs_is_shown_with_one_rule() {
    let common = "[[replace]]\nmatch = '( T:)\\d+'\nwith = \"$1#\"";
    let own = common.replace("( T:)", "(wrong T:)");
    let field = [(&[0][..], "ok T:5"), (&[1], "wrong T:5"), (&[2], "done T:6")];
    let state = [(&[0][..], "ok T:5"), (&[0, 2], "state T:1"), (&[1, 2], "state T:2")];
    for (answers, expected) in [(field, common), (state, &own)] {
        let mut diagnosis = diagnosis();
        for number in 0..8 {
            answer(&mut diagnosis, 1, &format!("wrong T:{number}"));
            answer(&mut diagnosis, 0, &format!("ok T:{}", number * 2));
        }
        assert_eq!(taken(&mut diagnosis, &repeated(&answers)), [FindingKind::ChangingOutput]);
        let text = &diagnosis.findings()[0].text;
        assert!(text.ends_with(expected), "{text}");
        let others = "`wrong T:6`. Answers to `get`, `go` hold the same field. If that is a \
                      measurement, a clock";
        assert_eq!(text.contains(others), expected == common, "{text}");
    }
}

#[test]
fn no_rule_for_replies_is_made_from_names() {
    let mut diagnosis = diagnosis().with_outputs_of_text(false);
    for number in 0..8 {
        answer(&mut diagnosis, 0, &format!("06 0{number} ff"));
    }
    assert_eq!(kinds(&mut diagnosis), [FindingKind::ChangingOutput]);
    let text = &diagnosis.findings()[0].text;
    assert!(text.contains("keep it out of the outputs: `mealybug check` proposes"), "{text}");
    assert!(!text.contains("match = "), "{text}");
}

#[test]
fn a_rule_that_was_said_is_not_said_again() {
    let mut diagnosis = diagnosis();
    for number in 0..9 {
        diagnosis.reset(SOON);
        answer(&mut diagnosis, 0, &format!("up {number} s"));
    }
    let found = [FindingKind::ResetLeaves, FindingKind::ChangingOutput];
    assert_eq!(kinds(&mut diagnosis), found);
    let texts: Vec<_> = diagnosis.findings().into_iter().map(|finding| finding.text).collect();
    assert_eq!(texts.concat().matches("[[replace]]\nmatch = ").count(), 1, "{texts:?}");
    assert!(texts[1].ends_with("[[replace]] that was proposed before takes this field out, too"));
}

#[test]
fn many_answers_that_have_nothing_in_common_are_no_field() {
    let mut diagnosis = diagnosis();
    let words = ["open", "closed", "locked", "error", "ready", "busy", "stuck", "jammed", "off"];
    answer(&mut diagnosis, 2, "begin");
    for word in words {
        answer(&mut diagnosis, 0, word);
    }
    assert_eq!(kinds(&mut diagnosis), []);
}

#[test]
fn states_along_a_repetition_are_shown() {
    let mut diagnosis = diagnosis();
    let counter = [0; GROWN].map(input);
    diagnosis.state(counter[1..].to_vec(), 15);
    // Long, but without repetition.
    let way: Vec<_> = (0..40).map(|at| input(at * at % 7 % 3)).collect();
    diagnosis.state(way, 41);
    assert_eq!(kinds(&mut diagnosis), []);
    let pairs: Vec<_> = (0..GROWN + 1).map(|at| input(if at % 2 == 0 { 0 } else { 1 })).collect();
    diagnosis.state(pairs, 20);
    assert_eq!(kinds(&mut diagnosis), [FindingKind::GrowingWord]);
    assert!(
        diagnosis.findings()[0].text.contains("17 inputs that end in `set get`"),
        "{:?}",
        diagnosis.findings()
    );
}

#[test]
fn a_store_that_each_word_fills_otherwise_is_shown() {
    let words = |len: u32| {
        let word = move |number: u32| (0..len).map(move |at| number >> at & 1).map(input);
        (0..1 << len).map(move |number| [input(2)].into_iter().chain(word(number)).collect())
    };
    let mut stack = diagnosis();
    let all: Vec<Vec<Input>> = (0..5).flat_map(words).collect();
    all.into_iter().for_each(|word| stack.state(word, 2));
    assert_eq!(kinds(&mut stack), []);
    let last: Vec<Vec<Input>> = words(5).collect();
    last.iter().for_each(|word| stack.state(word.clone(), 2));
    assert_eq!(kinds(&mut stack), [FindingKind::GrowingWord]);
    let text = &stack.findings()[0].text;
    let start = "states keep coming after `go`: at least 24 of the 32 words of 5 inputs out of `get`, `set` lead ";
    assert!(text.starts_with(start), "{text}");

    // Two counters: the order of the inputs makes no difference.
    let mut counters = diagnosis();
    for (first, second) in (0..12).flat_map(|sum| (0..=sum).map(move |part| (part, sum - part))) {
        counters.state([vec![input(0); first], vec![input(1); second]].concat(), 2);
    }
    assert_eq!(kinds(&mut counters), []);
}

#[test]
fn of_a_slow_device_states_that_come_one_behind_the_other_are_shown_sooner() {
    let slow = Answer { input: input(1), output: "on", is_silence: false, took: 70 * PATIENCE };
    let way = |repeated: usize| [&[input(2)][..], &[input(0); GROWN][..repeated]].concat();
    let mut fast = diagnosis();
    (0..8).for_each(|repeated| fast.state(way(repeated), 2));
    assert_eq!(kinds(&mut fast), []);

    let mut straight = diagnosis();
    straight.answer(&slow);
    (0..6).for_each(|repeated| straight.state(way(repeated), 2));
    assert_eq!(kinds(&mut straight), []);
    straight.state(way(6), 2);
    assert_eq!(kinds(&mut straight), [FindingKind::GrowingWord]);

    // A password of two inputs that is tried, and tried again.
    let mut tries = diagnosis();
    tries.answer(&slow);
    let pairs = [input(0), input(1)].repeat(5);
    (0..10).for_each(|len| tries.state(pairs[..len].to_vec(), 2));
    assert_eq!(kinds(&mut tries), []);
    tries.state(pairs, 2);
    assert_eq!(kinds(&mut tries), [FindingKind::GrowingWord]);

    let mut elsewhere = diagnosis();
    elsewhere.answer(&slow);
    for repeated in 5..9 {
        elsewhere.state(way(repeated), 2);
        elsewhere.state(vec![input(1)], 2);
    }
    assert_eq!(kinds(&mut elsewhere), []);
}

#[test]
fn another_answer_right_after_a_reset_is_told_with_the_word_before_it() {
    let mut diagnosis = diagnosis();
    for word in [&[0, 1][..], &[1, 0], &[0], &[1, 2]] {
        diagnosis.reset(SOON);
        for (position, &index) in word.iter().enumerate() {
            // The same input may have another answer later in a word.
            answer(&mut diagnosis, index, if position == 0 { "fresh" } else { "later" });
        }
    }
    assert_eq!(kinds(&mut diagnosis), []);
    diagnosis.reset(SOON);
    answer(&mut diagnosis, 0, "stale");
    assert_eq!(kinds(&mut diagnosis), [FindingKind::ResetLeaves]);
    let text = &diagnosis.findings()[0].text;
    assert!(text.contains("From a reset, `get` is answered differently: `fresh` before, and now `stale`, after the word `set go`"), "{text}");
}

#[test]
fn a_clock_in_an_answer_right_after_a_reset_is_shown_with_what_takes_it_away() {
    let rule = "[[replace]]\nmatch = '(up )\\d+( ms)'\nwith = \"$1#$2\"";
    for (answers, is_proposed) in [(["up 5 ms", "up 9 ms"], true), (["up 5 ms", "down"], false)] {
        let mut diagnosis = diagnosis();
        for output in answers {
            diagnosis.reset(SOON);
            answer(&mut diagnosis, 0, output);
        }
        assert_eq!(kinds(&mut diagnosis), [FindingKind::ResetLeaves]);
        let text = &diagnosis.findings()[0].text;
        assert_eq!(
            (text.ends_with(rule), text.contains("match")),
            (is_proposed, is_proposed),
            "{text}"
        );
    }
}

#[test]
fn a_state_in_which_nothing_comes_any_more_is_shown_when_it_eats_the_time() {
    let mut diagnosis = diagnosis();
    for round in 0..12 {
        diagnosis.reset(SOON);
        answer(&mut diagnosis, 0, "on");
        for index in [2, 0, 1] {
            answer(&mut diagnosis, index, "(silence)");
        }
        assert_eq!(kinds(&mut diagnosis).is_empty(), round != 9, "in round {round}");
    }
    assert!(diagnosis.findings()[0].text.contains("after `get go` the device says nothing"));
}

#[test]
fn single_silences_are_answers() {
    let mut diagnosis = diagnosis();
    for _ in 0..100 {
        diagnosis.reset(SOON);
        answer(&mut diagnosis, 0, "(silence)");
        answer(&mut diagnosis, 1, "on");
    }
    assert_eq!(kinds(&mut diagnosis), []);
}

#[test]
fn nothing_is_said_of_a_device_file_where_there_is_none() {
    let mut diagnosis = Diagnosis::new(&["get".to_owned()], false);
    for number in 0..9 {
        diagnosis.reset(SOON);
        answer(&mut diagnosis, 0, &format!("up {number} s"));
    }
    diagnosis.state([0; GROWN].map(input).to_vec(), 20);
    let found = [FindingKind::ResetLeaves, FindingKind::ChangingOutput, FindingKind::GrowingWord];
    assert_eq!(kinds(&mut diagnosis), found);
    for Finding { text, .. } in diagnosis.findings() {
        assert!(!text.contains("[[") && !text.contains("mealybug"), "{text}");
    }
}

#[test]
fn a_hint_that_the_answers_contradict_is_not_given() {
    // After `get go` nothing came, until something did.
    let mut diagnosis = diagnosis();
    for _ in 0..12 {
        diagnosis.reset(SOON);
        for (index, output) in [(0, "on"), (2, "(silence)"), (0, "(silence)"), (1, "on")] {
            answer(&mut diagnosis, index, output);
        }
    }
    for _ in 0..30 {
        diagnosis.reset(SOON);
        for (index, output) in [(2, "(silence)"), (0, "(silence)"), (1, "on")] {
            answer(&mut diagnosis, index, output);
        }
    }
    assert_eq!(kinds(&mut diagnosis), []);
}

#[test]
fn a_state_is_not_called_silent_for_a_long_way_to_it() {
    // Asleep, the device hears `get` only, and answers the `on` that follows it.
    let mut diagnosis = diagnosis();
    let ask = |diagnosis: &mut Diagnosis, word: &[(u32, &str)]| {
        diagnosis.reset(SOON);
        word.iter().for_each(|(index, output)| answer(diagnosis, *index, output));
    };
    let asleep = [(2, "ok"), (0, "(silence)")];
    ask(&mut diagnosis, &[&asleep[..], &[(1, "on")]].concat());
    for number in 0..60 {
        // Another way each time, as random words are.
        let way = (0..8).map(|bit| (number >> bit & 1, "ok"));
        let silences = [(2, "(silence)"), (0, "(silence)"), (2, "(silence)")];
        ask(&mut diagnosis, &way.chain(asleep).chain(silences).collect::<Vec<_>>());
        ask(&mut diagnosis, &[&asleep[..], &[(2, "(silence)"), (0, "(silence)")]].concat());
    }
    assert_eq!(kinds(&mut diagnosis), []);
}

#[test]
fn no_shorter_time_out_is_recommended_where_answers_need_this_one() {
    let mut diagnosis = diagnosis();
    for _ in 0..12 {
        diagnosis.reset(SOON);
        let slow = Answer { input: input(0), output: "on", is_silence: false, took: PATIENCE / 2 };
        diagnosis.answer(&slow);
        for index in [2, 0, 1] {
            answer(&mut diagnosis, index, "(silence)");
        }
    }
    assert_eq!(kinds(&mut diagnosis), [FindingKind::DeadState]);
    let text = &diagnosis.findings()[0].text;
    assert!(!text.contains("within_ms"), "{text}");
    let still =
        "after `get go` the device says nothing any more; `set`, `go` were not sent there yet.";
    assert!(text.contains(still), "{text}");
}

/// Answers of a run: the last input of each word, from a reset on, is answered with this output twice.
fn repeated(words: &[(&[u32], &str)]) -> AnswerTree {
    let mut tree = AnswerTree::default();
    for (word, output) in words.iter().chain(words) {
        let mut at = NodeId::ROOT;
        for (place, &index) in (1..).zip(*word) {
            let output = if place == word.len() { output } else { "ok" };
            at = tree.observe(at, input(index), output.as_bytes(), 5).node;
        }
    }
    tree
}

#[test]
fn a_rule_that_hides_answers_of_the_run_comes_with_them_or_not_at_all() {
    let hides = [(&[1, 0][..], "up 5 s"), (&[1, 1, 0], "up 6 s")];
    let keeps = [(&[1, 0][..], "up 5 s"), (&[1, 1, 0], "down 6 s")];
    let other = [(&[1, 0][..], "up 5 s"), (&[1, 1, 2], "up 6 s")];
    for (answers, is_proposed) in [(hides, false), (keeps, true), (other, true)] {
        let answers = repeated(&answers);
        // A field that changes from word to word, and one that changes in one word.
        let (mut words, mut word) = (diagnosis(), diagnosis());
        for number in 0..8 {
            answer(&mut words, 0, &format!("up {number} s"));
            word.reset(SOON);
            answer(&mut word, 0, &format!("up {} s", number / 4));
        }
        for (diagnosis, kind) in
            [(&mut words, FindingKind::ChangingOutput), (&mut word, FindingKind::ResetLeaves)]
        {
            assert_eq!(taken(diagnosis, &answers), [kind]);
            let text = &diagnosis.findings()[0].text;
            // What one word answers anew each time is no counter.
            let may_count = kind == FindingKind::ChangingOutput;
            assert_eq!(text.contains("match = "), is_proposed || may_count, "{text}");
            let objection = "`set get` is answered `up 5 s`, `set set get` is answered `up 6 s`";
            assert_eq!(text.contains(objection), !is_proposed, "{text}");
        }
    }
}

#[test]
fn what_later_answers_contradict_is_no_finding_in_the_end() {
    let mut diagnosis = diagnosis();
    for _ in 0..12 {
        diagnosis.reset(SOON);
        answer(&mut diagnosis, 0, "on");
        for index in [2, 0, 1] {
            answer(&mut diagnosis, index, "(silence)");
        }
    }
    diagnosis.state([0; GROWN].map(input).to_vec(), 20);
    assert_eq!(kinds(&mut diagnosis), [FindingKind::DeadState, FindingKind::GrowingWord]);
    assert_eq!(diagnosis.findings().len(), 2);
    // It speaks again, and the next state is found elsewhere.
    diagnosis.reset(SOON);
    for (index, output) in [(0, "on"), (2, "(silence)"), (0, "(silence)"), (1, "on")] {
        answer(&mut diagnosis, index, output);
    }
    assert_eq!(diagnosis.findings().len(), 1);
    diagnosis.state([1, 2].map(input).to_vec(), 21);
    assert!(diagnosis.findings().is_empty());
}

#[test]
fn an_answer_that_may_be_garbled_is_told_when_it_comes_again() {
    let mut diagnosis = diagnosis();
    for (answered, expected) in [
        ("E3 PIN", &[][..]),
        ("E3 TIN", &[]),
        ("E3 PIN", &[]),
        ("E3 TIN", &[FindingKind::ResetLeaves]),
    ] {
        diagnosis.reset(SOON);
        answer(&mut diagnosis, 0, answered);
        assert_eq!(kinds(&mut diagnosis), expected, "{answered}");
    }
}

#[test]
fn a_rare_garbled_answer_is_no_field_and_no_fault_of_the_reset() {
    for (noise, expected) in [(None, &[FindingKind::Garbled][..]), (Some(0.003), &[])] {
        let mut diagnosis = diagnosis().with_noise(noise);
        let garbled = ["PUMQ-7", "pUMP-7", "PUMP-5", "PULP-7", "QUMP-7", "PUMP)7", "PUMP-7\\rJ"];
        for odd in garbled.iter().chain(&["PUMP-3", "PUMP-6"]) {
            for _ in 0..200 {
                diagnosis.reset(SOON);
                answer(&mut diagnosis, 0, "PUMP-7");
                answer(&mut diagnosis, 1, "OK");
                answer(&mut diagnosis, 0, "PUMP-7");
            }
            diagnosis.reset(SOON);
            answer(&mut diagnosis, 0, odd);
            answer(&mut diagnosis, 0, odd);
        }
        assert_eq!(kinds(&mut diagnosis), expected);
        if let [finding] = &diagnosis.findings()[..] {
            assert!(finding.text.starts_with("9 of 1809 answers were garbled"), "{}", finding.text);
        }
    }
}

#[test]
fn a_nul_byte_that_comes_into_answers_now_and_then_is_shown_with_its_strip() {
    let mut diagnosis = diagnosis();
    for output in ["OK", r"O\x00K", "OK", "OK", r"OK\r\n>\x00", "OK"] {
        diagnosis.reset(SOON);
        answer(&mut diagnosis, 0, output);
    }
    assert!(kinds(&mut diagnosis).contains(&FindingKind::StrayByte));
    let findings = diagnosis.findings();
    let found = findings.iter().find(|it| it.kind == FindingKind::StrayByte).expect("it stays");
    assert!(found.text.ends_with("strip = ['\\x00']"), "{}", found.text);
    assert_eq!(found.change, Some(Change::Strip(r"\x00".to_owned())));
    // It explains why these answers differ, so the reset is not doubted.
    assert!(found.certainty == Certainty::Possible, "{found:?}");
    assert!(!findings.iter().any(|it| it.kind == FindingKind::ResetLeaves), "{findings:#?}");
}

#[test]
fn a_silent_word_is_not_blamed_for_silences_elsewhere() {
    // The silences are in words that are too long to count, or not; the device answers after each of them.
    for access in [&[][..], &[input(1); 9]] {
        let mut diagnosis = diagnosis();
        diagnosis.state(access.to_vec(), 1);
        let mut ask = |word: &[(u32, &str)]| {
            diagnosis.reset(SOON);
            word.iter().for_each(|&(index, output)| answer(&mut diagnosis, index, output));
        };
        ask(&[(1, "ok"), (2, "(silence)"), (2, "(silence)")]);
        for number in 0..60 {
            let way = (0..8).map(|bit| (number >> bit & 1, "ok"));
            let end = [(2, "(silence)"); 4].into_iter().chain([(0, "on")]);
            ask(&way.chain(end).collect::<Vec<_>>());
        }
        assert_eq!(kinds(&mut diagnosis), [], "{access:?}");
    }
}

/// Asks an input alone again and again, which is answered so.
fn ask_alone(diagnosis: &mut Diagnosis, outputs: &[&str], index: u32) {
    for output in outputs {
        diagnosis.reset(SOON);
        answer(diagnosis, index, output);
    }
}

#[test]
fn what_a_stray_byte_explains_is_not_garbled() {
    let mut diagnosis = diagnosis();
    let now = |diagnosis: &Diagnosis| -> Vec<_> {
        diagnosis.findings().iter().map(|finding| finding.kind).collect()
    };
    ask_alone(&mut diagnosis, &["OK"; 60], 0);
    ask_alone(&mut diagnosis, &[r"O\x00K", "OK", r"O\x00K", "OK"], 0);
    assert_eq!(kinds(&mut diagnosis), [FindingKind::Garbled]);
    ask_alone(&mut diagnosis, &[r"OK\x00", "OK", r"OK\x00", "OK"], 0);
    assert_eq!(kinds(&mut diagnosis), [FindingKind::StrayByte]);
    assert_eq!(now(&diagnosis), [FindingKind::StrayByte]);
    // Where the byte tells something after all, the answers with it are still known.
    ask_alone(&mut diagnosis, &[r"\x00?"; 10], 1);
    ask_alone(&mut diagnosis, &["gone"], 2);
    assert_eq!(now(&diagnosis), [FindingKind::Garbled]);
}

#[test]
fn a_byte_that_tells_something_after_all_is_no_finding_in_the_end() {
    let mut diagnosis = diagnosis();
    ask_alone(&mut diagnosis, &["OK", r"O\x00K", "OK", "OK", r"\x00OK", "OK"], 0);
    assert_eq!(kinds(&mut diagnosis), [FindingKind::StrayByte]);
    assert_eq!(diagnosis.findings().len(), 1);
    // Answers that never come without it. What it hid is told then.
    ask_alone(&mut diagnosis, &[r"\x00?"; 10], 1);
    assert_eq!(diagnosis.findings(), []);
    ask_alone(&mut diagnosis, &[r"\x00OK", "OK"], 0);
    assert_eq!(kinds(&mut diagnosis), [FindingKind::ResetLeaves]);
}

#[test]
fn a_control_byte_that_shows_a_state_is_no_stray_one() {
    for mark in [r"\x07", r"\x07\x07", "!"] {
        let mut diagnosis = diagnosis();
        let mut ask = |word: &[(u32, &str)]| {
            diagnosis.reset(SOON);
            word.iter().for_each(|&(index, output)| answer(&mut diagnosis, index, output));
        };
        // `set` switches an alarm on, and one reset in five does not switch it off.
        let (on, loud) = (format!(r"ok{mark}"), format!(r"ok{mark}\x07"));
        for number in 0..100 {
            ask(&[(0, "ok"), (0, "ok")]);
            ask(&[(1, "set"), (0, &on), (1, "set"), (0, &loud)]);
            if number % 5 == 0 {
                ask(&[(0, &on)]);
            }
        }
        assert_eq!(kinds(&mut diagnosis), [FindingKind::ResetLeaves], "{mark}");
    }
}
