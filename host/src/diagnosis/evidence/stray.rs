//! Looks for a control byte that comes into replies now and then and means nothing.

use std::collections::{BTreeMap, BTreeSet};

use mealybug_core::Input;
use regex::bytes::Regex;

use super::super::stray_byte::{StrayByte, StrayPlace, control_bytes, is_with};
use super::Evidence;

/// Finds a control byte that no answer needs: each answer that came several times with it came more often without it, no word
/// was always answered with it, and some word was answered both ways. It was at two places of answers at least, since a mark of a
/// state is always at one.
pub(super) fn stray_byte(evidence: &Evidence) -> Option<StrayByte> {
    let outputs = || evidence.outputs.iter().flatten();
    let bytes: BTreeSet<u8> = outputs().flat_map(|(name, _)| control_bytes(name)).collect();
    bytes.into_iter().find_map(|byte| find(evidence, byte))
}

fn find(evidence: &Evidence, byte: u8) -> Option<StrayByte> {
    let holds = |name: &str| control_bytes(name).contains(&byte);
    let mut times = 0;
    let mut places: Vec<StrayPlace> = Vec::new();
    for outputs in &evidence.outputs {
        for (odd, count) in outputs.iter().filter(|(name, _)| holds(name)) {
            let is_twin = |(usual, of): &&(String, u32)| of > count && is_with(byte, odd, usual);
            match outputs.iter().find(is_twin) {
                Some(_) => {
                    times += count;
                    places.extend(StrayPlace::of(byte, odd));
                }
                // It may never have come without.
                None if *count == 1 => {}
                None => return None,
            }
        }
    }
    if !places.iter().any(|one| places.iter().any(|other| one.is_elsewhere(*other))) {
        return None;
    }
    let mut of_word: BTreeMap<&[Input], Vec<(&str, u32)>> = BTreeMap::new();
    for (word, runs) in evidence.answers() {
        let answers = runs.iter().map(|run| (run.output.as_str(), run.count));
        of_word.entry(word).or_default().extend(answers);
    }
    for (garbled, count) in &evidence.garbled {
        of_word.entry(&garbled.word).or_default().push((&garbled.output, *count));
    }
    let mut example = None;
    for (word, answers) in of_word {
        let Some((odd, _)) = answers.iter().find(|(name, _)| holds(name)) else { continue };
        let usual = answers.iter().find(|(usual, _)| is_with(byte, odd, usual));
        let is_repeated = answers.iter().map(|(_, count)| count).sum::<u32>() > 1;
        match usual {
            Some((usual, _)) if example.is_none() => example = Some((word, *usual, *odd)),
            // Here it may tell something.
            None if is_repeated && answers.iter().all(|(name, _)| holds(name)) => return None,
            _ => {}
        }
    }
    // The answers of an example that was found before count as the usual ones by now.
    let known = evidence.stray.as_ref().filter(|known| known.byte == byte);
    match (known, example) {
        (Some(known), _) => Some(StrayByte { times, ..known.clone() }),
        (None, Some((word, usual, odd))) => {
            let (word, usual, odd) = (word.to_vec(), usual.to_owned(), odd.to_owned());
            let strip = Regex::new(&format!(r"\x{byte:02x}")).ok()?;
            Some(StrayByte { byte, strip, times, word, usual, odd })
        }
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::checked_device::FaultKind;
    use super::super::Answer;
    use super::*;

    /// What a check finds in these words with their answers.
    fn found_in(words: &[&[(u32, &str)]]) -> Option<StrayByte> {
        let mut evidence = Evidence::of_check(&["a".to_owned(), "b".to_owned()], None);
        for word in words {
            evidence.reset(Duration::ZERO);
            for &(input, output) in *word {
                let (input, took) = (Input::new(input), Duration::ZERO);
                evidence.answer(&Answer { input, output, is_silence: false, took }, None);
            }
        }
        stray_byte(&evidence)
    }

    /// The same for words of one input.
    fn found(answers: &[(u32, &str)]) -> Option<StrayByte> {
        found_in(&answers.iter().map(std::slice::from_ref).collect::<Vec<_>>())
    }

    #[test]
    fn a_byte_is_stray_where_no_answer_needs_it() {
        let usual = [(0, "OK"), (0, "OK"), (1, "v1.5"), (1, "v1.5")];
        let with = |odd: &[(u32, &'static str)]| found(&[&usual, odd].concat());
        let stray = with(&[(0, r"O\x00K"), (1, r"\x00v1.5")]).expect("a stray byte");
        assert_eq!((stray.byte, stray.times, &*stray.usual), (0, 2, "OK"));
        assert_eq!(stray.strip.as_str(), r"\x00");
        // Once, it may be the fault of a line. What never came without it may not come after these words.
        assert!(with(&[(0, r"O\x00K")]).is_none());
        assert!(with(&[(0, r"O\x00K"), (1, r"\x00v1.5"), (1, r"?\x00")]).is_some());
        // An answer that comes only with it, and one that comes more often with it.
        assert!(with(&[(0, r"O\x00K"), (1, r"\x00v1.5"), (1, r"?\x00"), (1, r"?\x00")]).is_none());
        assert!(with(&[(0, r"O\x00K"), (0, r"O\x00K")]).is_none());
        // Line ends and colours are no such bytes.
        assert!(with(&[(0, r"OK\r"), (1, r"v1.5\r")]).is_none());
    }

    #[test]
    fn a_byte_that_is_always_at_one_place_may_mark_a_state() {
        let usual = [(0, "OK"); 9];
        let with = |odd: &[(u32, &'static str)]| found(&[&usual, odd].concat());
        assert!(with(&[(0, r"OK\x07"), (0, r"O\x07K")]).is_some());
        assert!(with(&[(0, r"OK\x07"), (0, r"OK\x07")]).is_none());
        // Seen from the end; a blank is no other place; a second bell.
        assert!(with(&[(0, r"OK\x07"), (1, "v1.5"), (1, "v1.5"), (1, r"v1.5\x07\n")]).is_none());
        assert!(with(&[(0, r"OK\x07"), (0, r"OK\x07\x07")]).is_none());
    }

    #[test]
    fn a_byte_may_tell_something_where_a_word_is_always_answered_with_it() {
        let usual = [&[(0, "OK")][..]; 9];
        let stray = [&[(0, r"O\x07K")][..], &[(1, "set"), (0, r"OK\x07")]];
        assert!(found_in(&[&usual[..], &stray].concat()).is_some());
        assert!(found_in(&[&usual[..], &stray, &stray[1..]].concat()).is_none());
    }

    #[test]
    fn bytes_that_came_late_with_the_byte_are_no_failures() {
        let mut evidence = Evidence::of_check(&["a".to_owned()], None);
        let reasons = [
            (FaultKind::LateBytes, "bytes came after the reply to `a` had ended"),
            (FaultKind::Word, "no prompt"),
        ];
        for (kind, reason) in reasons {
            evidence.fault(kind, reason.to_owned(), format!(r"{reason}: `\x00`"), None);
        }
        for output in ["OK", r"O\x00K", "OK", r"OK\x00", "OK"] {
            evidence.reset(Duration::ZERO);
            let (input, took) = (Input::new(0), Duration::ZERO);
            evidence.answer(&Answer { input, output, is_silence: false, took }, None);
        }
        evidence.take_out_stray();
        let [failed] = &evidence.faults[..] else { panic!("{:?}", evidence.faults) };
        assert!(failed.first().starts_with("no prompt"), "{failed:?}");
    }
}
