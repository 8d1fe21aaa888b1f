//! Tries a rule that takes out a field on all known answers, before it is proposed. It must not make answers equal that differ by
//! more than the repetitions of one word do.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mealybug_core::Input;
use regex::bytes::Regex;

use super::super::answers::{AnswersByWord, AskedWord};
use super::super::evidence::Evidence;
use super::super::field::{FieldRule, FieldRules, number, taken_out};
use super::answers_to_word::output_of;
use super::stable_words::are_stable;
use crate::short_output::short;

/// The inputs to which replies came that have the field of a rule.
pub(super) fn fits(answers: &AnswersByWord, rule: &FieldRule) -> BTreeSet<Input> {
    let Ok(regex) = Regex::new(&rule.pattern) else { return BTreeSet::new() };
    let fitting =
        answers.iter().filter(|(_, runs)| runs.iter().any(|run| regex.is_match(&run.reply)));
    fitting.filter_map(|(word, _)| word.last().copied()).collect()
}

/// Whether nothing speaks against a rule where the rules `beside` it take out other fields of the answers.
pub(super) fn may_take_out(
    evidence: &Evidence,
    answers: &AnswersByWord,
    rule: &FieldRule,
    beside: &[FieldRule],
) -> bool {
    objection(evidence, answers, rule, beside).is_none() && !breaks_outputs(evidence, rule)
}

/// Two answers that a rule would make equal though they differ by more than what varies when a word is repeated. The rules
/// `beside` it take out other fields of the answers.
pub(super) fn objection(
    evidence: &Evidence,
    answers: &AnswersByWord,
    rule: &FieldRule,
    beside: &[FieldRule],
) -> Option<String> {
    let regex = Regex::new(&rule.pattern).ok()?;
    let rules = FieldRules::new(beside.iter().chain([rule]));
    // The words by their last inputs and by their answers after the rule.
    let mut equal: BTreeMap<_, Vec<SeenOutputs<'_>>> = BTreeMap::new();
    let mut fields: Vec<TakenField> = Vec::new();
    for (word, runs) in answers {
        let texts: Vec<_> = runs.iter().filter_map(|run| taken_out(&regex, &run.reply)).collect();
        for of_run in &texts {
            fields.resize(fields.len().max(of_run.len()), TakenField::default());
            for (at, (field, text)) in fields.iter_mut().zip(of_run).enumerate() {
                field.is_other |= number(text).is_none();
                field.varies |= texts[0].get(at) != Some(text);
            }
        }
        if runs.len() == 1 && runs[0].count == 1 {
            continue;
        }
        let range = |field: usize| {
            let numbers = || texts.iter().filter_map(|texts| number(texts.get(field)?));
            numbers().min().zip(numbers().max())
        };
        let ranges: Vec<_> = (0..fields.len()).map(range).collect();
        for (field, (least, most)) in
            fields.iter_mut().zip(&ranges).filter_map(|(field, range)| Some((field, (*range)?)))
        {
            field.spread = field.spread.max(most.saturating_sub(least));
        }
        let at = runs.iter().map(|run| run.at).max().unwrap_or(Duration::ZERO);
        let after = output_of(evidence, &rules.apply(&runs[0].reply));
        equal.entry((word.last(), after)).or_default().push(SeenOutputs {
            word,
            runs,
            texts: texts.into_iter().next().unwrap_or_default(),
            ranges,
            at,
        });
    }
    let (one, other) = equal.values().find_map(|seen| different(seen, &fields))?;
    Some(format!(
        "`{}` is answered `{}`, `{}` is answered `{}`",
        evidence.shown(one.word),
        short(&one.runs[0].output),
        evidence.shown(other.word),
        short(&other.runs[0].output)
    ))
}

/// Whether a rule changes replies so that other [[output]] rules than before name them, or none.
pub(super) fn breaks_outputs(evidence: &Evidence, rule: &FieldRule) -> bool {
    let outputs = evidence.file.as_ref().map_or(&[][..], |file| &file.device().outputs);
    let rules = FieldRules::new([rule]);
    let naming = |reply: &[u8]| outputs.iter().position(|rule| rule.name(reply).is_some());
    let mut replies = evidence.answers.values().flatten().map(|run| &run.reply);
    !outputs.is_empty() && replies.any(|reply| naming(reply) != naming(&rules.apply(reply)))
}

/// Two words that the device tells apart, of those whose answers a rule makes equal.
fn different<'s, 'e>(
    seen: &'s [SeenOutputs<'e>],
    fields: &[TakenField],
) -> Option<(&'s SeenOutputs<'e>, &'s SeenOutputs<'e>)> {
    // Each of the two always has the same answer, not by chance, and these answers differ.
    let mut stable = seen.iter().filter(|seen| seen.runs.len() == 1);
    if let Some(first) = stable.next()
        && let Some(other) = stable.find(|other| other.runs[0].output != first.runs[0].output)
        && are_stable(seen.iter().map(|seen| seen.runs))
    {
        return Some((first, other));
    }
    // A field that never varies is none, whatever varies beside it.
    for (at, _) in fields.iter().enumerate().filter(|(_, field)| !field.varies) {
        let first = seen.first()?;
        if let Some(other) = seen.iter().find(|other| other.texts.get(at) != first.texts.get(at)) {
            return Some((first, other));
        }
    }
    // A random text of hex digits may look like a number now and then.
    let mut numbers = fields.iter().enumerate().filter(|(_, field)| !field.is_other);
    numbers.find_map(|(at, field)| greater(seen, at, field.spread))
}

/// Two words, of which one has greater numbers in a field than the other by more than they vary, though its answers did not come
/// later after the reset. A clock would need to come later.
fn greater<'s, 'e>(
    seen: &'s [SeenOutputs<'e>],
    field: usize,
    spread: i128,
) -> Option<(&'s SeenOutputs<'e>, &'s SeenOutputs<'e>)> {
    let range = |seen: &SeenOutputs<'_>| seen.ranges.get(field).copied().flatten();
    let mut ranges: Vec<_> = seen.iter().filter_map(|seen| Some((seen, range(seen)?))).collect();
    ranges.sort_by_key(|&(seen, (least, _))| (seen.at, Reverse(least)));
    let mut greatest: Option<(&SeenOutputs<'_>, i128)> = None;
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

/// A text that a rule takes out.
#[derive(Clone, Copy, Debug, Default)]
struct TakenField {
    /// Whether it varies in the answers to some word.
    varies: bool,
    /// Whether it holds no number in some answer.
    is_other: bool,
    /// By how much its numbers differ between the answers to one word at most.
    spread: i128,
}

/// A word that was asked several times.
struct SeenOutputs<'e> {
    word: &'e [Input],
    runs: &'e [AskedWord],
    /// What the rule takes out of the first answer.
    texts: Vec<&'e [u8]>,
    /// The smallest and the greatest number in each field of the answers.
    ranges: Vec<Option<(i128, i128)>>,
    /// The longest time after the reset at which an answer came.
    at: Duration,
}
