//! Tries a rule that takes out a field on all known answers, before it is proposed. It must not make answers equal that differ by
//! more than the repetitions of one word do.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mealybug_core::Input;
use regex::bytes::Regex;

use super::super::answers::{AnswersByWord, AskedWord};
use super::super::evidence::Evidence;
use super::super::field::FieldRule;
use crate::short_output::short;

/// The inputs to which replies came that have the field of a rule.
pub(super) fn fits(answers: &AnswersByWord, rule: &FieldRule) -> BTreeSet<Input> {
    let Ok(regex) = Regex::new(&rule.pattern) else { return BTreeSet::new() };
    let fitting =
        answers.iter().filter(|(_, runs)| runs.iter().any(|run| regex.is_match(&run.reply)));
    fitting.filter_map(|(word, _)| word.last().copied()).collect()
}

/// Two answers that a rule would make equal though they differ by more than what varies when a word is repeated.
pub(super) fn objection(
    evidence: &Evidence,
    answers: &AnswersByWord,
    rule: &FieldRule,
) -> Option<String> {
    let regex = Regex::new(&rule.pattern).ok()?;
    // The words by their last inputs and by their answers after the rule.
    let mut equal: BTreeMap<_, Vec<SeenOutputs<'_>>> = BTreeMap::new();
    let mut spread = 0;
    // A random text of hex digits may look like a number now and then.
    let mut replies = answers.values().flatten().map(|run| run.reply.as_slice());
    let is_number = replies.all(|it| !regex.is_match(it) || number(&regex, it).is_some());
    for (word, runs) in answers {
        if runs.len() == 1 && runs[0].count == 1 {
            continue;
        }
        let numbers =
            || runs.iter().filter(|_| is_number).filter_map(|run| number(&regex, &run.reply));
        let range = numbers().min().zip(numbers().max());
        let at = runs.iter().map(|run| run.at).max().unwrap_or(Duration::ZERO);
        spread = spread.max(range.map_or(0, |(least, most)| most - least));
        let after = regex.replace_all(&runs[0].reply, rule.with.as_bytes()).into_owned();
        equal.entry((word.last(), after)).or_default().push(SeenOutputs { word, runs, range, at });
    }
    let (one, other) = equal.values().find_map(|seen| different(seen, spread))?;
    Some(format!(
        "`{}` is answered `{}`, `{}` is answered `{}`",
        evidence.shown(one.word),
        short(&one.runs[0].output),
        evidence.shown(other.word),
        short(&other.runs[0].output)
    ))
}

/// Two words that the device tells apart, of those whose answers a rule makes equal. The numbers of
/// one word differ by at most `spread`.
fn different<'s, 'e>(
    seen: &'s [SeenOutputs<'e>],
    spread: u64,
) -> Option<(&'s SeenOutputs<'e>, &'s SeenOutputs<'e>)> {
    // Each of the two always has the same answer, and these answers differ.
    let mut stable = seen.iter().filter(|seen| seen.runs.len() == 1);
    if let Some(first) = stable.next()
        && let Some(other) = stable.find(|other| other.runs[0].reply != first.runs[0].reply)
    {
        return Some((first, other));
    }
    // The numbers of one are greater than those of the other by more than they vary, and its answers
    // did not come later after the reset. A clock would need to come later.
    let mut ranges: Vec<_> = seen.iter().filter_map(|seen| Some((seen, seen.range?))).collect();
    ranges.sort_by_key(|&(seen, (least, _))| (seen.at, Reverse(least)));
    let mut greatest: Option<(&SeenOutputs<'_>, u64)> = None;
    for (seen, (least, most)) in ranges {
        match greatest {
            Some((one, of_one)) if of_one > most.saturating_add(spread) => {
                return Some((one, seen));
            }
            Some((_, of_one)) if of_one >= least => {}
            _ => greatest = Some((seen, least)),
        }
    }
    None
}

/// A word that was asked several times.
struct SeenOutputs<'e> {
    word: &'e [Input],
    runs: &'e [AskedWord],
    /// The smallest and the greatest number in the first field of the answers.
    range: Option<(u64, u64)>,
    /// The longest time after the reset at which an answer came.
    at: Duration,
}

/// The number in the first field of a reply.
fn number(regex: &Regex, reply: &[u8]) -> Option<u64> {
    let captures = regex.captures(reply)?;
    let all = captures.get(0)?;
    let first = captures.get(1)?;
    // A rule begins with a field or with a group.
    let (start, end) = match first.start() == all.start() {
        true => (first.end(), captures.get(2).map_or(all.end(), |next| next.start())),
        false => (all.start(), first.start()),
    };
    std::str::from_utf8(&reply[start..end]).ok()?.parse().ok()
}
