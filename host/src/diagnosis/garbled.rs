//! Answers that a fault of the line has garbled: nearly the usual answer to the word, and rare.
//!
//! One such answer looks like a field that changes, or like something that a reset has left behind. It is neither, so it is
//! taken out before anything is judged.

use std::collections::BTreeMap;

use mealybug_core::Input;

use super::answers::{AnswersByWord, AskedWord};
use super::field::is_text;
use crate::line_kind::line_pattern;

/// Answers are rare if they are at most one in this many: a run bears as many wrong ones, 5 %.
pub(super) const RARE: u32 = 20;
/// How many bytes of a garbled answer may be wrong: the fault of a line can reach over the end of a byte.
const WRONG_BYTES: usize = 2;
/// What the fault of a line makes of a byte: one of eight bits is wrong, or it is lost.
const FAULTS_OF_A_BYTE: usize = 9;
/// Equal answers are chance where more sets of them are to be expected.
const MIN_EXPECTED_SETS: f64 = 0.05;

/// The garbled answers to a word that are alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GarbledAnswer {
    pub(super) word: Vec<Input>,
    pub(super) output: String,
    /// The answer that it should have been.
    pub(super) usual: String,
}

/// Whether at most one in [`RARE`] is of these.
pub(super) fn is_rare(count: u32, of: u32) -> bool {
    count.saturating_mul(RARE) <= of
}

/// Whether chance explains that `alike` of `garbled` replies are the same. Each fault of a line makes one of many variants of
/// `reply`, so equal ones are rare.
fn can_be_alike(alike: u32, garbled: u32, reply: &[u8]) -> bool {
    let variants =
        f64::from(u32::try_from(FAULTS_OF_A_BYTE * reply.len().max(1)).unwrap_or(u32::MAX));
    // Of n replies there are (n over k) sets of k, and one in variants^(k - 1) has equal ones.
    let more =
        (2..=alike).map(|k| f64::from(garbled.saturating_sub(k - 1)) / (f64::from(k) * variants));
    alike <= 1 || f64::from(garbled) * more.product::<f64>() > MIN_EXPECTED_SETS
}

/// The garbled answers among all. `known` are those that were taken out before, with their counts. `is_tried` says of an input
/// that no other cause of its different answers was found when one was looked for.
pub(super) fn garbled(
    answers: &AnswersByWord,
    known: &BTreeMap<GarbledAnswer, u32>,
    is_tried: impl Fn(Option<&Input>) -> bool,
) -> Vec<GarbledAnswer> {
    // For each input, how often each output came.
    let mut outputs: BTreeMap<(Option<&Input>, &str), u32> = BTreeMap::new();
    let mut inputs: BTreeMap<Option<&Input>, (u32, u32)> = BTreeMap::new();
    let kept = answers.iter().flat_map(|(word, runs)| runs.iter().map(move |run| (word, run)));
    let kept = kept.map(|(word, run)| (word, run.output.as_str(), run.count, 0));
    let taken = known.iter().map(|(it, &count)| (&it.word, it.output.as_str(), count, count));
    for (word, output, count, garbled) in kept.chain(taken) {
        *outputs.entry((word.last(), output)).or_default() += count;
        let (all, wrong) = inputs.entry(word.last()).or_default();
        (*all, *wrong) = (*all + count, *wrong + garbled);
    }
    let mut found = Vec::new();
    // Where no other answer was garbled, a value may have changed for good.
    let mut is_noisy = !known.is_empty();
    for (word, runs) in answers.iter().filter(|(_, runs)| runs.len() > 1) {
        let mut here: BTreeMap<&str, (u32, &[u8])> = BTreeMap::new();
        for run in runs {
            here.entry(&run.output).or_insert((0, &run.reply)).0 += run.count;
        }
        let everywhere = |output: &str| outputs.get(&(word.last(), output)).copied().unwrap_or(0);
        let usual = here.iter().max_by_key(|(output, (count, _))| (*count, everywhere(output)));
        let Some((&usual, &(_, reply))) = usual else { continue };
        for (&output, &(count, odd)) in &here {
            let is_odd = is_rare(everywhere(output), everywhere(usual)) && is_near(odd, reply);
            if output != usual && is_odd {
                is_noisy |= !(is_other_value(odd, reply) && is_at_an_end(runs, output));
                let (word, output) = (word.clone(), output.to_owned());
                let alike = (reply, everywhere(&output));
                found.push((GarbledAnswer { word, output, usual: usual.to_owned() }, count, alike));
            }
        }
    }
    if !is_noisy {
        return Vec::new();
    }
    for (it, count, _) in &found {
        inputs.entry(it.word.last()).or_default().1 += count;
    }
    // What is in many answers is a field, though each of its values is rare.
    let noise = found.iter().filter(|(it, _, (reply, alike))| {
        let input = it.word.last();
        let (all, wrong) = inputs.get(&input).copied().unwrap_or_default();
        let alike = alike.saturating_sub(u32::from(is_tried(input)));
        is_rare(wrong, all) && can_be_alike(alike, wrong, reply)
    });
    noise.map(|(it, ..)| it.clone()).collect()
}

/// Whether two answers differ in a value: texts in their numbers only, other replies in bytes.
fn is_other_value(one: &[u8], other: &[u8]) -> bool {
    match [one, other].map(is_text) {
        [true, true] => one != other && line_pattern(one) == line_pattern(other),
        [false, false] => one != other && one.len() == other.len(),
        _ => false,
    }
}

/// Whether an answer came only before all others to its word, or after them, as a value that has changed for good does.
fn is_at_an_end(runs: &[AskedWord], output: &str) -> bool {
    let last = runs.len().saturating_sub(1);
    let mut places = (0..).zip(runs).filter(|(_, run)| run.output == output).map(|(at, _)| at);
    matches!((places.next(), places.next()), (Some(at), None) if at == 0 || at == last)
}

/// Whether `odd` can be `usual` after a fault of the line: a few bytes are wrong, one is lost or doubled, or text has become
/// bytes that are no text. Noise makes no answer of a silence.
pub(super) fn is_near(odd: &[u8], usual: &[u8]) -> bool {
    if usual.is_empty() {
        return false;
    }
    if is_text(usual) && !is_text(odd) {
        return true;
    }
    // A name has no line end; where that is garbled, the name holds what is left of it.
    let line = [usual, b"\r\n"].concat();
    [usual, &line].into_iter().any(|usual| is_near_bytes(odd, usual))
}

/// Whether one of these is the other one without a byte in it. A number may have a digit less.
pub(super) fn lacks_a_byte(one: &[u8], other: &[u8]) -> bool {
    let (long, short) = if one.len() > other.len() { (one, other) } else { (other, one) };
    let start = long.iter().zip(short).take_while(|(one, other)| one == other).count();
    long.len() == short.len() + 1
        && long[start + 1..] == short[start..]
        && !long[start].is_ascii_digit()
}

fn is_near_bytes(odd: &[u8], usual: &[u8]) -> bool {
    let start = odd.iter().zip(usual).take_while(|(one, other)| one == other).count();
    if odd.len() == usual.len() {
        let wrong = odd.iter().zip(usual).filter(|(one, other)| one != other).count();
        return wrong <= WRONG_BYTES && wrong * 2 <= usual.len();
    }
    let (long, short) = if odd.len() > usual.len() { (odd, usual) } else { (usual, odd) };
    let is_one_more = long.len() == short.len() + 1 && long[start + 1..] == short[start..];
    // A byte that is lost may be any one, but one that comes on top is the one before it.
    let is_doubled = start > 0 && odd.len() > usual.len() && odd[start] == odd[start - 1];
    is_one_more && start * 2 >= usual.len().min(2) && (odd.len() < usual.len() || is_doubled)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::escape::escape;

    #[test]
    fn a_byte_that_is_lost_is_told_from_a_digit_less() {
        for (one, other, lacks) in [
            (&b"g0f?"[..], &b"0f?"[..], true),
            (b"0f?", b"g0f?", true),
            (b"abc", b"abcd", true),
            (b"up 9 ms", b"up 99 ms", false),
            (b"up 10 ms", b"up 1 ms", false),
            (b"abc", b"abd", false),
            (b"abc", b"xbcd", false),
            (b"abc", b"a", false),
        ] {
            assert_eq!(lacks_a_byte(one, other), lacks, "{}", one.escape_ascii());
        }
    }

    #[test]
    fn few_equal_answers_among_many_garbled_ones_are_chance() {
        let cases = [
            (1, 1, "mode=0\n", true),
            (2, 2, "mode=0\n", false),
            (2, 4, "mode=0\n", true),
            (2, 3, "on\n", true),
            (3, 10, "on\n", true),
            (3, 4, "mode=0\n", false),
            (80, 80, "mode=0\n", false),
        ];
        for (alike, garbled, reply, expected) in cases {
            let explained = can_be_alike(alike, garbled, reply.as_bytes());
            assert_eq!(explained, expected, "{alike} of {garbled}, {reply}");
        }
    }

    #[test]
    fn a_value_that_has_changed_for_good_was_not_garbled() {
        let found = |odd: &[u8], usual: &[u8], counts: &[(u32, bool)]| {
            let run = |&(count, is_odd): &(u32, bool)| AskedWord {
                output: escape(if is_odd { odd } else { usual }),
                reply: if is_odd { odd } else { usual }.to_vec(),
                is_silence: false,
                count,
                after: None,
                number: 0,
                at: Duration::ZERO,
            };
            let runs = counts.iter().map(run).collect();
            let answers = AnswersByWord::from([(vec![Input::new(0)], runs)]);
            garbled(&answers, &BTreeMap::new(), |_| false).len()
        };
        let (first, later) = (b"RESERVED 1 1\r\na", b"RESERVED 2 1\r\na");
        assert_eq!(found(first, later, &[(1, true), (40, false)]), 0);
        assert_eq!(found(first, later, &[(40, false), (1, true)]), 0);
        assert_eq!(found(first, later, &[(20, false), (1, true), (20, false)]), 1);
        assert_eq!(found(b"RESERVED ? 1\r\na", later, &[(1, true), (40, false)]), 1);
        // A flag in a reply that is no text.
        let (clear, set) = (b"\x06\x00", b"\x06\x02");
        assert_eq!(found(clear, set, &[(1, true), (40, false)]), 0);
        assert_eq!(found(clear, set, &[(20, false), (1, true), (20, false)]), 1);
    }

    #[test]
    fn an_answer_is_near_another_that_a_fault_of_the_line_makes_of_it() {
        let cases: [(&[u8], &[u8], bool); 14] = [
            (b"GK\r\n", b"OK\r\n", true),
            (b"PUMQ-7", b"PUMP-7", true),
            (b"PUP-7", b"PUMP-7", true),
            (b"PUMMP-7", b"PUMP-7", true),
            (b"O\xcb\r\n", b"OK\r\n", true),
            // Names without their line end, of which something is left.
            (b"OK\rJ", b"OK", true),
            (b"OK\x0c", b"OK", true),
            (b"on\n", b"off\n", false),
            (b"2", b"1", false),
            (b"10", b"1", false),
            (b"ERROR", b"OK", false),
            (b"\x65\x01\xff", b"OK", true),
            (b"\x65\x01\xff", b"", false),
            (b"\x06\x01\x02", b"\x06\x01\x00", true),
        ];
        for (odd, usual, expected) in cases {
            assert_eq!(is_near(odd, usual), expected, "{odd:?} {usual:?}");
        }
    }
}
