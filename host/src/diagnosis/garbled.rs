//! Answers that a fault of the line has garbled: nearly the usual answer to the word, and rare.
//!
//! One such answer looks like a field that changes, or like something that a reset has left behind. It is neither, so it is
//! taken out before anything is judged.

use std::collections::BTreeMap;

use mealybug_core::Input;

use super::answers::AnswersByWord;
use super::field::is_text;

/// Answers are rare if they are at most one in this many: a run bears as many wrong ones, 5 %.
pub(super) const RARE: u32 = 20;
/// How many bytes of a garbled answer may be wrong: the fault of a line can reach over the end of a byte.
const WRONG_BYTES: usize = 2;

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

/// The garbled answers among all. `known` are those that were taken out before, with their counts.
pub(super) fn garbled(
    answers: &AnswersByWord,
    known: &BTreeMap<GarbledAnswer, u32>,
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
                let (word, output) = (word.clone(), output.to_owned());
                found.push((GarbledAnswer { word, output, usual: usual.to_owned() }, count));
            }
        }
    }
    for (it, count) in &found {
        inputs.entry(it.word.last()).or_default().1 += count;
    }
    // What is in many answers is a field, though each of its values is rare.
    let is_noise = |input| inputs.get(&input).is_some_and(|&(all, wrong)| is_rare(wrong, all));
    let few: Vec<_> = found.iter().filter(|(it, _)| is_noise(it.word.last())).collect();
    few.into_iter().map(|(it, _)| it.clone()).collect()
}

/// Whether `odd` can be `usual` after a fault of the line: a few bytes are wrong, one is lost or doubled, or text has become
/// bytes that are no text.
pub(super) fn is_near(odd: &[u8], usual: &[u8]) -> bool {
    if is_text(usual) && !is_text(odd) {
        return true;
    }
    // A name has no line end; where that is garbled, the name holds what is left of it.
    let line = [usual, b"\r\n"].concat();
    [usual, &line].into_iter().any(|usual| is_near_bytes(odd, usual))
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
    use super::*;

    #[test]
    fn an_answer_is_near_another_that_a_fault_of_the_line_makes_of_it() {
        let cases: [(&[u8], &[u8], bool); 12] = [
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
            (b"\x06\x01\x02", b"\x06\x01\x00", true),
        ];
        for (odd, usual, expected) in cases {
            assert_eq!(is_near(odd, usual), expected, "{odd:?} {usual:?}");
        }
    }
}
