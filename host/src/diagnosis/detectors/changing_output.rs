//! Answers that change by themselves, and fields that keep changing.

use std::collections::{BTreeMap, BTreeSet};

use mealybug_core::Input;

use super::super::answers::{AnswersByWord, bytes};
use super::super::evidence::Evidence;
use super::super::field::{
    ChangingField, FieldRule, FieldRules, FieldShape, UntriedField, is_of_number,
};
use super::super::finding::{Change, Example, Finding, FindingKind};
use super::super::garbled::{is_near, is_rare, lacks_a_byte};
use super::super::spells::{AnswerSpells, spells};
use super::super::trial::ProposalTrial;
use super::answers_to_word::{asked, counts, output_of, replies};
use super::counted_input::counted_input;
use super::flags::of_one_state;
use super::joined_fields::{join, rule_for_all};
use super::rule_trial::{breaks_outputs, fits, may_take_out, objection};
use crate::short_output::{short, short_both};

/// A cause that no trial shows: what is done later meets one word or the next.
const ACTS_LATE: &str = "Or does an input, or the reset, act only after it was answered? Then time after it helps: \
                         `settle_ms` in the `reply` of the input, or `quiet_ms` in [[reset]].";

/// How many different outputs of an input to compare.
const OUTPUTS: usize = 8;
/// How many different outputs of another input show that its answers hold a field, too.
const SEVERAL: usize = 3;
/// From this many garbled replies on, the line is the most likely cause of answers that change.
const GARBLED: u32 = 3;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    // What a reset leaves behind changes other answers, too, and looks like a clock there. So does what is done late.
    if evidence.late_action.is_some() || evidence.trials.iter().any(|trial| trial.is_by_reset) {
        return Vec::new();
    }
    let trials = evidence.trials.iter();
    let shown: Vec<_> = trials.flat_map(|trial| unstable(evidence, trial)).collect();
    if !shown.is_empty() {
        return join(evidence, shown);
    }
    let inputs = 0..evidence.outputs.len();
    inputs.filter_map(|input| keeps_changing(evidence, input)).take(1).collect()
}

/// The findings for a word whose answers differ whatever was asked before the reset, each with the field that its change takes out.
fn unstable(evidence: &Evidence, trial: &ProposalTrial) -> Vec<(Finding, Option<FieldShape>)> {
    let fields = if trial.may_be_late { Vec::new() } else { fields_of(evidence, &trial.word) };
    // A line that is nothing but a number may be what a reset has left.
    let may_last = fields.iter().all(|field| field.shape.is_line);
    if fields.is_empty() || may_last && spells(evidence.runs(&trial.word)).is_some() {
        return vec![(without_field(evidence, trial), None)];
    }
    let rules: Vec<_> = fields.iter().map(|field| field.shape.rule()).collect();
    let findings = fields.into_iter().enumerate().map(|(at, field)| {
        let beside = [&rules[..at], &rules[at + 1..]].concat();
        let mut text = match at {
            0 => {
                let counted = counted_input(evidence, &trial.word, &field.shape);
                change_for_no_reason(evidence, trial) + &keeps_count(evidence, counted)
            }
            _ => format!(
                "another field of the answers to `{}` changes.\n  ",
                evidence.shown(&trial.word)
            ),
        };
        let (advice, shape) =
            field_advice(evidence, field, &beside, &counts(evidence, &trial.word));
        text += &advice;
        let change = shape.as_ref().map(|shape| Change::Replace(shape.rule()));
        let finding = Finding::shown(FindingKind::ChangingOutput, text);
        (Finding { example: example(trial), change, ..finding }, shape)
    });
    findings.collect()
}

fn change_for_no_reason(
    evidence: &Evidence,
    ProposalTrial { word, outputs, .. }: &ProposalTrial,
) -> String {
    let [one, other] = short_both(outputs.each_ref().map(String::as_str));
    let asked = asked(evidence, word);
    format!("answers change for no reason that shows. {asked} `{one}` or `{other}`.\n  ")
}

/// A sentence about a field that counts an input.
fn keeps_count(evidence: &Evidence, counted: Option<Input>) -> String {
    let Some(input) = counted else { return String::new() };
    let reset = if evidence.has_file { "[[reset]]" } else { "reset" };
    format!(
        "The number goes up by one each time `{}` is sent, over all resets. If the device does more than count, as one that stores \
         what it is sent, let the {reset} undo that first.\n  ",
        evidence.shown(&[input])
    )
}

fn example(ProposalTrial { word, outputs, .. }: &ProposalTrial) -> Option<Example> {
    Some(Example { word: word.clone(), answers: outputs.to_vec() })
}

/// The finding for a word whose answers differ in anything but fields, or stay different for a while.
fn without_field(evidence: &Evidence, trial: &ProposalTrial) -> Finding {
    let word = &trial.word;
    if trial.may_be_late {
        return sometimes_silent(evidence, word);
    }
    if let Some(spells) = spells(evidence.runs(word)) {
        return lasting(evidence, trial, spells);
    }
    let example = example(trial);
    if let Some(finding) = rarely_answered(evidence, word) {
        return Finding { example, ..finding };
    }
    let mut text = change_for_no_reason(evidence, trial);
    if evidence.is_rarely_other(word) {
        let replies = replies(evidence, word);
        let is_fault =
            matches!(&replies[..], [one, other] if is_near(one, other) || is_near(other, one));
        let is_summed = word.last().is_some_and(|input| evidence.has_checksum(*input));
        let what = if is_fault && !is_summed { "a fault of the line, or " } else { "" };
        text += &format!(
            "One of these is rare: it may be {what}what the device rarely says, or what a reset leaves of the words before it. \
             {ACTS_LATE}"
        );
        let finding = Finding::possible(FindingKind::ChangingOutput, text);
        return Finding { example, ..finding };
    }
    let garbled = evidence.garbled_replies();
    if garbled >= GARBLED {
        text += &format!(
            "The line loses or garbles bytes: {garbled} words failed by a reply that shows it. That is the most likely cause, so mend \
             the line first."
        );
    } else {
        text += "Is it a reset that leaves what several words before it did, a time-out that is too short, ";
        if evidence.is_sometimes_silent(word) {
            text += "an answer or an input that was lost, ";
        } else if evidence.has_file {
            text += "bytes that were lost on the way, ";
        }
        text +=
            "a device that speaks unasked or answers by the clock, or one that is really random? ";
        text += ACTS_LATE;
    }
    Finding { example, ..Finding::shown(FindingKind::ChangingOutput, text) }
}

/// What to say of a field in which the answers to a word differ, and its shape if a rule may keep it out of the outputs. Rules
/// `beside` it take out the other fields.
fn field_advice(
    evidence: &Evidence,
    ChangingField { shown, shape, wide }: ChangingField,
    beside: &[FieldRule],
    counts: &str,
) -> (String, Option<FieldShape>) {
    if breaks_outputs(evidence, &shape.rule()) {
        let text = format!(
            "What changes is a field: {shown} ({counts}). The [[output]] rules name what stands around it, so no [[replace]] is \
             proposed: let their patterns or their `name` leave it out"
        );
        return (text, None);
    }
    let answers = &evidence.answers;
    let fits = |shape: &FieldShape| fits(answers, &shape.rule()).len();
    let may_be_wide = |wide: &FieldShape| {
        fits(wide) > fits(&shape) && may_take_out(evidence, answers, &wide.rule(), beside)
    };
    let wide = wide.filter(may_be_wide);
    let shape = wide.unwrap_or(shape);
    let told_apart = objection(evidence, answers, &shape.rule(), beside);
    // A line that is nothing but a number may be what the device is asked for, so not all of it is taken away without a question.
    if (told_apart.is_some() || shape.is_line)
        && let Some(shape) = only_last_digits(evidence, answers, &shape, beside)
    {
        let text = format!(
            "What changes are the last digits of a number: {shown} ({counts}). This keeps them out of the outputs:\n{}",
            shape.rule().toml()
        );
        return (text, Some(shape));
    }
    if let Some(told_apart) = told_apart {
        let why = no_rule(evidence, &told_apart);
        return (format!("What changes is a field: {shown}. {why}"), None);
    }
    let rule = shape.rule().toml();
    if shape.is_line {
        let text = format!(
            "What changes is a line that is a number, and nothing else: {shown} ({counts}). {IF_UNWANTED}, this keeps it out of the \
             outputs:\n{rule}",
        );
        return (text, None);
    }
    let text = format!(
        "What changes is a field: {shown} ({counts}). This keeps it out of the outputs:\n{rule}"
    );
    (text, Some(shape))
}

/// The same fields without the first digits of numbers, if a rule may take these out.
fn only_last_digits(
    evidence: &Evidence,
    answers: &AnswersByWord,
    shape: &FieldShape,
    beside: &[FieldRule],
) -> Option<FieldShape> {
    let may_be = |shape: &FieldShape| may_take_out(evidence, answers, &shape.rule(), beside);
    shape.with_last_digits(answers).filter(may_be)
}

/// The finding for a word whose answers stay the same over resets until something changes them, whatever that is.
fn lasting(evidence: &Evidence, trial: &ProposalTrial, spells: AnswerSpells) -> Finding {
    let ProposalTrial { word, outputs, .. } = trial;
    let AnswerSpells { others, spells, all } = spells;
    let [one, other] = short_both(outputs.each_ref().map(String::as_str));
    let in_spells = match spells {
        1 => "one after the other".to_owned(),
        count => format!("in {count} spells"),
    };
    let text = format!(
        "an answer stays changed for a while, over resets. {} `{one}` or `{other}`: {others} of {all} answers differ from the \
         usual one, and they came {in_spells}. Either the reset leaves something behind, though it must undo all that answers \
         show, or the device changes by itself, as with the time.\n  \
         {ACTS_LATE}",
        asked(evidence, word),
    );
    Finding { example: example(trial), ..Finding::shown(FindingKind::ResetLeaves, text) }
}

/// The finding for a word that has a rare answer, and is silent otherwise.
fn rarely_answered(evidence: &Evidence, word: &[Input]) -> Option<Finding> {
    let runs = evidence.runs(word);
    let all: u32 = runs.iter().map(|run| run.count).sum();
    let answers = || runs.iter().filter(|run| !run.is_silence);
    let answered: u32 = answers().map(|run| run.count).sum();
    let other = answers().next().filter(|_| is_rare(answered, all))?;
    let or_others = if answers().count() > 1 { " or another text" } else { "" };
    let text = format!(
        "{} of {all}, `{}`{or_others} came after the last input of `{}`, which has no answer otherwise. If the device says that by itself, \
         `strip` in [reply] takes it out. If it is the late answer to an input before, that one needs more time: a longer \
         `within_ms` or `wait_ms`",
        in_words(answered),
        short(&other.output),
        evidence.shown(word)
    );
    Some(Finding::possible(FindingKind::Unasked, text))
}

fn in_words(times: u32) -> String {
    if times == 1 { "1 time".to_owned() } else { format!("{times} times") }
}

/// The finding for a word that is sometimes not answered.
fn sometimes_silent(evidence: &Evidence, word: &[Input]) -> Finding {
    let runs = evidence.runs(word);
    let all: u32 = runs.iter().map(|run| run.count).sum();
    let silent: u32 = runs.iter().filter(|run| run.is_silence).map(|run| run.count).sum();
    let times = in_words(silent);
    let outputs = runs.iter().map(|run| run.output.clone()).take(2).collect();
    let example = Some(Example { word: word.to_vec(), answers: outputs });
    if evidence.is_wait(word) {
        let text = format!(
            "{times} of {all}, nothing came in the `wait_ms` of the last input of `{}`. Does the device say by itself what came \
             the other times? Then `strip` in [reply] takes it out. If it belongs to the wait, a longer `wait_ms` helps",
            evidence.shown(word)
        );
        return Finding { example, ..Finding::possible(FindingKind::ChangingOutput, text) };
    }
    let text = format!(
        "{times} of {all}, the last input of `{}` was not answered within `within_ms`. Was the answer late? Then a longer \
         `within_ms` helps. If not, an answer was lost, or the device does not always answer",
        evidence.shown(word)
    );
    Finding { example, ..Finding::possible(FindingKind::ShortTimeOut, text) }
}

/// The field in which the answers to a word differ, if one rule can make them equal.
pub(super) fn untried(evidence: &Evidence, word: &[Input]) -> Option<UntriedField> {
    let [ChangingField { shape, .. }]: [_; 1] = fields_of(evidence, word).try_into().ok()?;
    let others = fields_of_others(evidence, *word.last()?);
    Some(UntriedField { shape, others })
}

/// The fields in which the answers to a word differ, if one of them is not just rare.
fn fields_of(evidence: &Evidence, word: &[Input]) -> Vec<ChangingField> {
    if evidence.is_rarely_other(word) {
        return Vec::new();
    }
    let replies = replies(evidence, word);
    // A line loses bytes; what differs so is no field.
    if let [one, other] = replies[..]
        && lacks_a_byte(one, other)
    {
        return Vec::new();
    }
    let mut fields = ChangingField::find_all(&replies);
    // A field that outputs leave out is none of theirs.
    let mut at = 0;
    while at < fields.len() && fields.len() > 1 {
        let field = fields.remove(at);
        if !have_one_output(evidence, &replies, &fields) {
            fields.insert(at, field);
            at += 1;
        }
    }
    fields
}

/// Whether all these replies are one output without these fields.
fn have_one_output(evidence: &Evidence, replies: &[&[u8]], fields: &[ChangingField]) -> bool {
    let rules: Vec<_> = fields.iter().map(|field| field.shape.rule()).collect();
    let rules = FieldRules::new(&rules);
    let output = |reply: &&[u8]| output_of(evidence, &rules.apply(reply));
    replies.iter().map(output).collect::<BTreeSet<_>>().len() == 1
}

/// Tries the rules of all findings from this number on, and tells what came of it. The same rule is said once.
pub(in super::super) fn try_rules(
    findings: &mut [Finding],
    from: usize,
    evidence: &Evidence,
    answers: &AnswersByWord,
) {
    for at in from..findings.len() {
        let (before, rest) = findings.split_at_mut(at);
        try_rule(&mut rest[0], before, evidence, answers);
    }
}

/// Tries the rule of a finding on all answers, and tells what came of it.
fn try_rule(
    finding: &mut Finding,
    before: &[Finding],
    evidence: &Evidence,
    answers: &AnswersByWord,
) {
    let Some(field) = finding.untried.take() else { return };
    let (mut rule, also) = rule_for_all(evidence, answers, &field);
    finding.text += &format!(".{also} ");
    let heard: u64 = answers.values().flatten().map(|run| u64::from(run.count)).sum();
    let mut told_apart = objection(evidence, answers, &rule, &[]);
    let mut what = "it";
    if told_apart.is_some()
        && let Some(shape) = only_last_digits(evidence, answers, &field.shape, &[])
    {
        (rule, told_apart, what) = (shape.rule(), None, "its last digits");
    }
    let is_said = before.iter().any(|known| known.text.ends_with(&rule.toml()));
    finding.text += &match told_apart {
        None if is_said => {
            "The [[replace]] that was proposed before takes this field out, too".to_owned()
        }
        Some(told_apart) if finding.kind != FindingKind::ChangingOutput => {
            no_rule(evidence, &told_apart)
        }
        _ if !evidence.has_file => format!("{IF_UNWANTED}, keep it out of the outputs"),
        _ if !evidence.outputs_keep_text => format!(
            "{IF_UNWANTED}, keep it out of the outputs: `mealybug check` proposes a [[replace]]. It knows the replies, of which your \
             [[output]] rules made these names"
        ),
        // What a device counts tells answers apart, and only the user knows whether that is wanted.
        Some(told_apart) => format!(
            "{IF_UNWANTED}, this keeps it out of the outputs. Answers that it makes equal: {told_apart}.\n{}",
            rule.toml()
        ),
        None => format!(
            "{IF_UNWANTED}, this keeps {what} out of the outputs, and hides nothing else in {heard} answers so \
             far:\n{}",
            rule.toml()
        ),
    };
}

/// How advice about a field begins.
const IF_UNWANTED: &str =
    "If that is a measurement, a clock, a counter or an address that you do not want to learn";

/// The finding for an input whose outputs differ only in a field, over all words.
fn keeps_changing(evidence: &Evidence, input: usize) -> Option<Finding> {
    let outputs = &evidence.outputs[input];
    if outputs.len() < OUTPUTS {
        return None;
    }
    // A field varies in many answers. Garbled answers vary, too, but they are rare.
    let latest = || outputs.iter().rev().take(OUTPUTS);
    let all = outputs.iter().map(|(_, count)| count).sum();
    let most = latest().map(|(_, count)| count).max().copied().unwrap_or(0);
    if is_rare(latest().map(|(_, count)| count).sum::<u32>() - most, all) {
        return None;
    }
    let last: Vec<_> = latest().map(|(output, _)| bytes(output)).collect();
    let last: Vec<_> = last.iter().map(Vec::as_slice).collect();
    let alike = of_one_state(last);
    let beside = if alike.len() < OUTPUTS { ", beside a flag" } else { "" };
    let ChangingField { shown, shape, .. } = ChangingField::find(&alike)?;
    let (name, count) = (evidence.input(input), outputs.len());
    // The words differ, so it is not known whether the field changes when a word is repeated. It
    // may be something that the device counts; only the user can tell, so no change is proposed.
    let text = format!(
        "`{name}` keeps giving new answers ({count} so far) that differ in one field only{beside}: {shown}"
    );
    let others = fields_of_others(evidence, Input::new(u32::try_from(input).ok()?));
    let untried = Some(UntriedField { shape, others });
    Some(Finding { untried, ..Finding::possible(FindingKind::ChangingOutput, text) })
}

/// The fields in the answers to all inputs but one, each from several answers that differ in it.
fn fields_of_others(evidence: &Evidence, input: Input) -> Vec<FieldShape> {
    let mut alike: BTreeMap<_, Vec<Vec<u8>>> = BTreeMap::new();
    let others = evidence.outputs.iter().enumerate();
    for (other, outputs) in others.filter(|(other, _)| *other != input.index() as usize) {
        for (output, _) in outputs {
            let reply = bytes(output);
            let text: Vec<_> = reply.iter().copied().filter(|it| !is_of_number(it)).collect();
            alike.entry((other, text)).or_default().push(reply);
        }
    }
    let several = alike.values().filter(|replies| replies.len() >= SEVERAL);
    let fields = several.filter_map(|replies| {
        ChangingField::find(&replies.iter().map(Vec::as_slice).collect::<Vec<_>>())
    });
    fields.map(|field| field.shape).collect()
}

/// Says why no rule is proposed for a field.
fn no_rule(evidence: &Evidence, told_apart: &str) -> String {
    let (how, ranges) = match evidence.has_file {
        true => (
            " with a [[replace]]",
            " If it is a measurement, let [[output]] rules name its ranges.",
        ),
        false => ("", ""),
    };
    format!(
        "But it also tells answers apart: {told_apart}. Whatever hides the one difference hides the other, so \
         no change is proposed. If it is a clock, keep it out of the outputs{how}.{ranges}"
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::answers_after::AnswersAfter;
    use super::super::super::checked_device::FaultKind;
    use super::super::super::evidence::Answer;
    use super::super::super::evidence::testing::evidence_of;
    use super::*;

    const FILE: &str = "[[reset]]\nsteps = [{ send = \"r\" }]\n[inputs]\na = \"a\"\nb = \"b\"";
    const TOOK: Duration = Duration::from_millis(10);

    /// A trial that has shown no cause of these answers.
    fn trial(word: &[u32], outputs: [&str; 2]) -> ProposalTrial {
        ProposalTrial {
            word: word.iter().copied().map(Input::new).collect(),
            outputs: outputs.map(str::to_owned),
            causes: [None, None],
            seen: AnswersAfter::default(),
            is_by_reset: false,
            is_for_good: false,
            may_be_late: false,
            is_repeated: true,
            is_by_several: false,
        }
    }

    /// Whether a change is proposed for the first word. Each word comes with the answers to its
    /// last input in two repetitions.
    fn is_proposed(words: &[(&[u32], [&str; 2])]) -> bool {
        proposed(words).is_some()
    }

    /// The pattern that is proposed for the first word.
    fn proposed(words: &[(&[u32], [&str; 2])]) -> Option<String> {
        let mut evidence = evidence_of(FILE);
        for time in [0, 1] {
            for (word, outputs) in words {
                evidence.reset(TOOK);
                for (at, &input) in (1..).zip(*word) {
                    let output = if at == word.len() { outputs[time] } else { "ok" };
                    let input = Input::new(input);
                    evidence.answer(&Answer { input, output, is_silence: false, took: TOOK }, None);
                }
            }
        }
        let (word, outputs) = words[0];
        evidence.trials.push(trial(word, outputs));
        let findings = find(&evidence);
        assert_eq!(findings.len(), 1, "{findings:?}");
        match findings[0].change.as_ref()? {
            Change::Replace(rule) => Some(rule.pattern.clone()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_field_is_taken_away_that_varies_from_time_to_time() {
        let first = (&[0][..], ["v1 up 5 ms", "v1 up 9 ms"]);
        assert!(is_proposed(&[first]));
        // Answers that also differ elsewhere stay different.
        assert!(is_proposed(&[first, (&[1, 0], ["v2 up 5 ms", "v2 up 6 ms"])]));
        // A clock since the reset: longer words are answered later.
        assert!(is_proposed(&[first, (&[1, 1, 0], ["v1 up 25 ms", "v1 up 29 ms"])]));
        // The field does not matter in the answers to another input.
        assert!(is_proposed(&[first, (&[1], ["v1 up 700 ms", "v1 up 700 ms"])]));
    }

    #[test]
    fn where_replies_are_garbled_the_line_is_the_first_suspect() {
        let text = |(garbled, is_mended): (u32, bool)| {
            let mut evidence = Evidence::new(&["a".to_owned()], true);
            for number in 0..20 {
                evidence.reset(TOOK);
                let (input, output) = (Input::new(0), ["open", "(silence)"][number % 2]);
                evidence.answer(&Answer { input, output, is_silence: false, took: TOOK }, None);
            }
            evidence.timings[0].count = 20;
            for _ in 0..garbled {
                evidence.fault(FaultKind::GarbledReply, "sum".to_owned(), "sum".to_owned(), None);
            }
            if is_mended {
                evidence.mend("sum");
            }
            evidence.trials.push(trial(&[0], ["open", "(silence)"]));
            find(&evidence)[0].text.clone()
        };
        let [few, some, most] = [2, 4, 5].map(|garbled| text((garbled, true)));
        assert!(some.contains("garbles bytes: 4 words failed by a reply that shows it"), "{some}");
        // Replies that are wrong each time are a matter of the device file.
        for other in [few, most, text((4, false))] {
            assert!(other.contains("Is it a reset that leaves"), "{other}");
        }
    }

    #[test]
    fn a_field_that_changes_seldom_is_a_field_and_no_fault_of_the_reset() {
        let mut evidence = evidence_of(FILE);
        let outputs = ["battery 87 %", "battery 88 %"];
        for number in 0..60 {
            evidence.reset(TOOK);
            let (input, output) = (Input::new(0), outputs[number / 20 % 2]);
            evidence.answer(&Answer { input, output, is_silence: false, took: TOOK }, None);
        }
        evidence.trials.push(trial(&[0], outputs));
        assert!(spells(evidence.runs(&[Input::new(0)])).is_some());
        let [finding] = &find(&evidence)[..] else { panic!("one finding") };
        assert_eq!(finding.kind, FindingKind::ChangingOutput, "{finding:?}");
        assert!(matches!(finding.change, Some(Change::Replace(_))), "{finding:?}");
    }

    #[test]
    fn an_id_of_hex_digits_that_looks_like_a_number_tells_nothing_apart() {
        let first = (&[0][..], ["ok 1e59a341 sent", "ok 27b106e1 sent"]);
        let [small, great] =
            [["ok 709c6793 sent", "ok 13505337 sent"], ["ok 83505337 sent", "ok 9c5053a7 sent"]];
        assert!(is_proposed(&[first, (&[1, 0], great), (&[1, 1, 0], small)]));
        assert!(is_proposed(&[first, (&[1, 0], small), (&[1, 1, 0], great)]));
    }

    #[test]
    fn a_byte_that_was_lost_is_no_field() {
        assert!(is_proposed(&[(&[0], ["g0f?", "g1f?"])]));
        assert!(!is_proposed(&[(&[0], ["g0f?", "0f?"])]));
    }

    #[test]
    fn no_field_is_taken_away_that_also_tells_answers_apart() {
        let noise = (&[0][..], ["level 100", "level 102"]);
        assert!(is_proposed(&[noise, (&[1, 0], ["level 103", "level 101"])]));
        let high = (&[1, 0][..], ["level 500", "level 501"]);
        // The digits in front of those that vary stay, unless they vary, too.
        let low = (&[1, 1, 0][..], ["level 101", "level 100"]);
        assert_eq!(proposed(&[noise, high, low]).as_deref(), Some(r"(level \d*)\d"));
        assert!(!is_proposed(&[noise, high, (&[1, 1, 0], ["level 99", "level 100"])]));
        // Numbers with a point, and those in another field than the first.
        let [low, high] = [["at 5 V 0.998", "at 7 V 1.003"], ["at 6 V 4.997", "at 9 V 5.002"]];
        assert!(is_proposed(&[(&[0], low)]));
        assert!(!is_proposed(&[(&[0], low), (&[1, 0], high), (&[1, 1, 0], low)]));
        // Equal in every repetition, so the field is not noise.
        let (one, other) = (["level 101"; 2], ["level 102"; 2]);
        assert!(!is_proposed(&[noise, (&[1, 0], one), (&[1, 1, 0], other)]));
    }
}
