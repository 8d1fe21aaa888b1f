//! Answers that a fault of the line has garbled.

use super::super::answers::bytes;
use super::super::evidence::Evidence;
use super::super::field::FieldRules;
use super::super::finding::{Change, Example, Finding, FindingKind};
use super::super::garbled::GarbledAnswer;
use super::answers_to_word::asked;
use crate::short_output::short_both;

/// A run needs this many of them: it says itself that the device has contradicted itself.
const SEVERAL: u32 = 2;
/// The largest `noise` that a device file can state.
const MOST: f64 = 0.2;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let garbled: u32 = evidence.garbled.values().sum();
    // Who states how noisy the device is knows it.
    let is_known = evidence.noise().is_some_and(|noise| noise > 0.0);
    let Some((first, count)) = evidence.garbled.iter().next().filter(|_| !is_known) else {
        return Vec::new();
    };
    // What a reset leaves changes other answers, too.
    let is_by_reset = evidence.trials.iter().any(|trial| trial.is_by_reset);
    if garbled < SEVERAL.min(evidence.enough) || is_by_reset {
        return Vec::new();
    }
    // Only a word that was asked again can show it.
    let repeated = evidence.answers().map(|(_, runs)| runs.iter().map(|run| run.count).sum());
    let asked_again: u32 = repeated.filter(|&count: &u32| count > 1).sum();
    let answers = asked_again.saturating_add(garbled);
    let [usual, odd] = short_both([&first.usual, &first.output]);
    let times = match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    };
    let were = if garbled == 1 { "was" } else { "were" };
    let mut text = format!(
        "{garbled} of {answers} answers {were} garbled. {} `{usual}`, and {times} `{odd}`. Nothing else that is said here counts \
         such answers",
        asked(evidence, &first.word)
    );
    if evidence.has_file {
        let noise = up_to_one_digit(f64::from(garbled) / f64::from(answers)).min(MOST);
        text += &format!(
            ". If the line is as good as it can be, write `noise = {noise}` before the first table of the device file: \
             a run knows from the start then how often to ask again"
        );
    }
    let answers = vec![first.usual.clone(), first.output.clone()];
    let example = Some(Example { word: first.word.clone(), answers });
    vec![Finding { example, ..Finding::possible(FindingKind::Garbled, text) }]
}

/// A value of a field that came once is no fault of the line: judges the garbled answers again without those that proposed rules
/// make equal to the usual ones.
pub(in super::super) fn leave_out_values(evidence: &mut Evidence, findings: &mut Vec<Finding>) {
    let rules = FieldRules::new(findings.iter().filter_map(|finding| match &finding.change {
        Some(Change::Replace(rule)) => Some(rule),
        _ => None,
    }));
    let is_value =
        |it: &GarbledAnswer| rules.apply(&bytes(&it.output)) == rules.apply(&bytes(&it.usual));
    evidence.garbled.retain(|it, _| !is_value(it));
    findings.retain(|it| it.kind != FindingKind::Garbled);
    findings.extend(find(evidence));
}

/// The next greater number with one digit that is not 0.
fn up_to_one_digit(share: f64) -> f64 {
    let step = 10_f64.powf(share.log10().floor());
    // The division makes a number that is written with few digits.
    (share / step).ceil() / (1.0 / step).round()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mealybug_core::Input;

    use super::super::super::answers_after::AnswersAfter;
    use super::super::super::evidence::Answer;
    use super::super::super::evidence::testing::evidence_of;
    use super::super::super::field::FieldRule;
    use super::super::super::trial::ProposalTrial;
    use super::*;

    #[test]
    fn a_reply_with_a_right_checksum_was_not_garbled() {
        for (checksum, count) in [("none", 1), ("sum8", 0)] {
            let text = format!(
                "[[reset]]\nsteps = [{{ send = \"r\" }}]\n[reply]\nlength = 3\nchecksum = \"{checksum}\"\n[inputs]\na = \"a\""
            );
            let mut evidence = evidence_of(&text);
            for number in 0..60 {
                let took = Duration::from_millis(10);
                evidence.reset(took);
                let output = if number == 30 { "GK" } else { "OK" };
                let input = Input::new(0);
                evidence.answer(&Answer { input, output, is_silence: false, took }, None);
            }
            evidence.take_out_garbled();
            assert_eq!(evidence.garbled.len(), count, "{checksum}");
        }
    }

    #[test]
    fn where_a_reset_leaves_something_no_noise_is_proposed() {
        for (is_by_reset, count) in [(false, 1), (true, 0)] {
            let mut evidence =
                evidence_of("[[reset]]\nsteps = [{ send = \"r\" }]\n[inputs]\na = \"a\"");
            let (word, usual) = (vec![Input::new(0)], "PUMP-7".to_owned());
            let output = "PUMQ-7".to_owned();
            evidence.garbled.insert(GarbledAnswer { word: word.clone(), output, usual }, 3);
            evidence.trials.push(ProposalTrial {
                word,
                outputs: ["on", "off"].map(str::to_owned),
                causes: [None, None],
                seen: AnswersAfter::default(),
                is_by_reset,
                is_by_several: false,
                is_for_good: false,
                may_be_late: false,
                is_repeated: true,
            });
            assert_eq!(find(&evidence).len(), count);
        }
    }

    #[test]
    fn a_value_of_a_field_that_a_rule_takes_out_was_not_garbled() {
        let rule = |unit: &str| FieldRule {
            pattern: format!(r"(up )\d+( {unit})"),
            with: "$1#$2".to_owned(),
        };
        for (unit, left) in [("s", 1), ("min", 4)] {
            let mut evidence =
                evidence_of("[[reset]]\nsteps = [{ send = \"r\" }]\n[inputs]\na = \"a\"");
            for output in ["up 3 s", "up 7 s", "vp 5 s", "up 1 s"] {
                let word = vec![Input::new(0)];
                let answer =
                    GarbledAnswer { word, output: output.to_owned(), usual: "up 5 s".to_owned() };
                evidence.garbled.insert(answer, 1);
            }
            let change = Some(Change::Replace(rule(unit)));
            let other = Finding { change, ..Finding::shown(FindingKind::ChangingOutput, "") };
            let mut findings = [vec![other], find(&evidence)].concat();
            leave_out_values(&mut evidence, &mut findings);
            assert_eq!((evidence.garbled.len(), findings.len()), (left, 2), "{unit}");
            let said = format!("{left} of ");
            assert!(findings[1].text.starts_with(&said), "{}", findings[1].text);
        }
    }

    #[test]
    fn a_share_is_rounded_up() {
        for (share, rounded) in [(0.0014, "0.002"), (0.031, "0.04"), (0.0096, "0.01")] {
            assert_eq!(up_to_one_digit(share).to_string(), rounded);
        }
    }
}
