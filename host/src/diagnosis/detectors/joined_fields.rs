//! Findings whose fields one rule takes out: they become one finding with that rule.
//!
//! A rule for several findings keeps the text that all their fields have around them. It fits more answers than the rules of the
//! findings do. It is not proposed if it would hide what one of these answers tells.

use std::collections::{BTreeMap, BTreeSet};

use mealybug_core::Input;
use regex::bytes::Regex;

use super::super::answers::AnswersByWord;
use super::super::common_field::{in_common, with_name_only};
use super::super::evidence::Evidence;
use super::super::field::{FieldRule, FieldShape, UntriedField};
use super::super::finding::{Change, Finding, FindingKind};
use super::answers_to_word::{asked, counts, output_of};
use super::rule_trial::{fits, may_take_out};
use crate::short_output::short_both;

/// Findings with their fields, and a shape that takes them all out.
struct JoinedFindings {
    findings: Vec<Finding>,
    shapes: Vec<FieldShape>,
    common: FieldShape,
}

/// Joins findings whose fields one rule takes out. Each comes with the shape of the field that its change takes out, if it has one.
pub(super) fn join(evidence: &Evidence, found: Vec<(Finding, Option<FieldShape>)>) -> Vec<Finding> {
    // In the order of their first findings; one without a field has no shape.
    let mut groups: Vec<Result<JoinedFindings, Finding>> = Vec::new();
    for (finding, shape) in found {
        let Some(shape) = shape else {
            groups.push(Err(finding));
            continue;
        };
        let joined = groups.iter_mut().flatten().find_map(|group| {
            let common = joined_shape(evidence, group, &shape)?;
            Some((group, common))
        });
        match joined {
            Some((group, common)) => {
                group.findings.push(finding);
                group.shapes.push(shape);
                group.common = common;
            }
            None => groups.push(Ok(JoinedFindings {
                findings: vec![finding],
                shapes: vec![shape.clone()],
                common: shape,
            })),
        }
    }
    let finding = |group| match group {
        Ok(group) => joined_finding(evidence, group),
        Err(finding) => finding,
    };
    groups.into_iter().map(finding).collect()
}

/// The rule for a field and those in the answers to other inputs that it can take out, too, and a sentence that names these
/// inputs. Only the rule for the field itself where one for more would hide something else.
pub(super) fn rule_for_all(
    evidence: &Evidence,
    answers: &AnswersByWord,
    UntriedField { shape, others }: &UntriedField,
) -> (FieldRule, String) {
    let (mut common, mut shapes) = (shape.clone(), vec![shape]);
    for other in others {
        if let Some(joined) = in_common(&common, other) {
            common = joined;
            shapes.push(other);
        }
    }
    if common == *shape || !may_join(evidence, answers, &common, &shapes) {
        return (shape.rule(), String::new());
    }
    let rule = common.rule();
    let mut inputs = fits(answers, &rule);
    let own = fits(answers, &shape.rule());
    inputs.retain(|input| !own.contains(input));
    let also = match &names(evidence, &inputs)[..] {
        "" => String::new(),
        names => format!(" Answers to {names} hold the same field."),
    };
    (rule, also)
}

/// A shape that takes out the fields of a group and one more, if a rule may.
fn joined_shape(
    evidence: &Evidence,
    group: &JoinedFindings,
    shape: &FieldShape,
) -> Option<FieldShape> {
    let common = in_common(&group.common, shape)?;
    let shapes: Vec<_> = group.shapes.iter().chain([shape]).collect();
    // A rule that is proposed anyway was tried.
    let is_tried = shapes.iter().all(|known| **known == common);
    (is_tried || may_join(evidence, &evidence.answers, &common, &shapes)).then_some(common)
}

/// Whether a rule for several fields hides nothing else.
fn may_join(
    evidence: &Evidence,
    answers: &AnswersByWord,
    common: &FieldShape,
    shapes: &[&FieldShape],
) -> bool {
    let rules: Vec<_> = shapes.iter().map(|shape| shape.rule()).collect();
    let common = common.rule();
    may_take_out(evidence, answers, &common, &[]) && !hides_more(evidence, answers, &common, &rules)
}

/// Whether a rule makes answers to an input equal that other rules leave different, and no word was seen to change that way.
fn hides_more(
    evidence: &Evidence,
    answers: &AnswersByWord,
    rule: &FieldRule,
    others: &[FieldRule],
) -> bool {
    let compiled = |rule: &FieldRule| Some((Regex::new(&rule.pattern).ok()?, rule.with.clone()));
    let others: Option<Vec<_>> = others.iter().map(compiled).collect();
    let (Some((regex, with)), Some(others)) = (compiled(rule), others) else { return true };
    let is_by_others = |reply: &[u8]| others.iter().any(|(regex, _)| regex.is_match(reply));
    // By the last input and the answer after the rule: the answers before it, and whether a word had several of them.
    let mut equal: BTreeMap<_, (BTreeSet<String>, bool)> = BTreeMap::new();
    for (word, runs) in answers {
        let mut of_word: BTreeMap<_, String> = BTreeMap::new();
        for reply in runs.iter().map(|run| run.reply.as_slice()) {
            if !regex.is_match(reply) || is_by_others(reply) {
                continue;
            }
            let output = output_of(evidence, reply);
            let after = output_of(evidence, &regex.replace_all(reply, with.as_bytes()));
            let (outputs, varies) = equal.entry((word.last(), after.clone())).or_default();
            outputs.insert(output.clone());
            *varies |= of_word.insert(after, output.clone()).is_some_and(|before| before != output);
        }
    }
    equal.values().any(|(outputs, varies)| outputs.len() > 1 && !varies)
}

/// The finding for all findings of a group.
fn joined_finding(evidence: &Evidence, mut group: JoinedFindings) -> Finding {
    if group.findings.len() == 1 {
        return group.findings.remove(0);
    }
    let rule = rule_for_most(evidence, &group);
    let words: Vec<_> =
        group.findings.iter().filter_map(|it| it.example.as_ref().map(|it| &it.word[..])).collect();
    let examples = group.findings.iter().filter_map(|finding| {
        let example = finding.example.as_ref()?;
        let [one, other] = &example.answers[..] else { return None };
        let [one, other] = short_both([one, other]);
        let (asked, counts) = (asked(evidence, &example.word), counts(evidence, &example.word));
        Some(format!("  {asked} `{one}` or `{other}` ({counts}).\n"))
    });
    let text = format!(
        "answers change for no reason that shows, and what changes is one field in all of them.\n{}  This keeps the field out of the \
         outputs.{}\n{}",
        examples.collect::<String>(),
        also_fits(evidence, &rule, &words),
        rule.toml()
    );
    let example = group.findings.remove(0).example;
    let change = Some(Change::Replace(rule));
    Finding { example, change, ..Finding::shown(FindingKind::ChangingOutput, text) }
}

/// The rule of a group. It knows the field by its name only where that fits the answers to more inputs.
fn rule_for_most(evidence: &Evidence, group: &JoinedFindings) -> FieldRule {
    let shapes: Vec<_> = group.shapes.iter().collect();
    let rule = group.common.rule();
    let fits_more = |short: &FieldShape| {
        fits(&evidence.answers, &short.rule()).len() > fits(&evidence.answers, &rule).len()
            && may_join(evidence, &evidence.answers, short, &shapes)
    };
    with_name_only(&group.common).filter(fits_more).map_or(rule, |short| short.rule())
}

/// Names the inputs whose answers a rule fits, beside the last ones of these words.
fn also_fits(evidence: &Evidence, rule: &FieldRule, words: &[&[Input]]) -> String {
    let mut inputs = fits(&evidence.answers, rule);
    inputs.retain(|input| words.iter().all(|word| word.last() != Some(input)));
    match &names(evidence, &inputs)[..] {
        "" => String::new(),
        names => format!(" It fits answers to {names}, too."),
    }
}

fn names(evidence: &Evidence, inputs: &BTreeSet<Input>) -> String {
    let names = inputs.iter().map(|input| format!("`{}`", evidence.input(input.index() as usize)));
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::answers::AskedWord;
    use super::super::super::field::ChangingField;
    use super::*;

    /// The same answers to words, each in the order in which they came.
    fn answers(words: &[(&[u32], &[&str])]) -> AnswersByWord {
        let run = |reply: &&str| AskedWord {
            output: (*reply).to_owned(),
            reply: reply.as_bytes().to_vec(),
            is_silence: false,
            count: 1,
            after: None,
            number: 0,
            at: Duration::ZERO,
        };
        let word = |word: &[u32]| word.iter().copied().map(Input::new).collect();
        words.iter().map(|(it, replies)| (word(it), replies.iter().map(run).collect())).collect()
    }

    fn shape([one, other]: [&str; 2]) -> FieldShape {
        ChangingField::find(&[one.as_bytes(), other.as_bytes()]).expect("a field").shape
    }

    #[test]
    fn answers_that_came_once_and_tell_something_stand_against_a_rule_for_several_fields() {
        let rules = [["ok n=5", "ok n=6"], ["wrong n=7", "wrong n=8"]].map(shape);
        let common = in_common(&rules[0], &rules[1]).expect("a name").rule();
        let rules = rules.map(|shape| shape.rule());
        let fields = (&[0][..], &["ok n=5", "ok n=6"][..]);
        let evidence = Evidence::new(&[], false);
        let hides = |others: &[(&[u32], &[&str])]| {
            hides_more(&evidence, &answers(&[&[fields][..], others].concat()), &common, &rules)
        };
        let [one, other]: [(&[u32], &[&str]); 2] = [(&[1], &["at n=1"]), (&[0, 1], &["at n=2"])];
        assert!(hides(&[one, other]));
        assert!(!hides(&[one]));
        // The answers to one of the words have changed.
        assert!(!hides(&[one, other, (&[2, 1], &["at n=3", "at n=4"])]));
        // They differ elsewhere, too, or are answers to different inputs.
        assert!(!hides(&[one, (&[0, 1], &["off n=2"])]));
        assert!(!hides(&[one, (&[0, 2], &["at n=2"])]));
    }
}
