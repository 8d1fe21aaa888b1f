//! Leaves out findings that another one explains.

use super::super::finding::{Change, Finding, FindingKind, Key};

/// Leaves out what another finding explains.
pub(super) fn leave_out_effects(findings: &mut Vec<Finding>) {
    keep_no_effects_of_late_resets(findings);
    keep_no_effects_of_failed_resets(findings);
    keep_one_match(findings);
    keep_no_effects_of_impatience(findings);
    keep_no_effects_of_rests(findings);
}

/// Leaves out what rests on the `match` that another finding changes: another one, and times to wait after it. A check of the
/// mended file finds them again.
fn keep_one_match(findings: &mut Vec<Finding>) {
    let is_match = |it: &Finding| matches!(it.change, Some(Change::Match(_)));
    let Some(first) = findings.iter().position(is_match) else { return };
    let is_grace =
        |it: &Finding| matches!(it.change, Some(Change::TimeOut { key: Key::Grace, .. }));
    let mut at = 0..;
    findings.retain(|it| at.next() == Some(first) || !is_match(it) && !is_grace(it));
}

/// Leaves out all else where a reset is not always over: any answer may be another one then.
fn keep_no_effects_of_late_resets(findings: &mut Vec<Finding>) {
    let is_late = |it: &Finding| it.kind == FindingKind::LateReset;
    if findings.iter().any(is_late) {
        findings.retain(is_late);
    }
}

/// Leaves out words whose reset failed where another finding says why resets fail.
fn keep_no_effects_of_failed_resets(findings: &mut Vec<Finding>) {
    let is_why =
        |it: &Finding| matches!(it.kind, FindingKind::SlowReset | FindingKind::FailedReset);
    if findings.iter().any(|it| is_why(it) && it.is_wrong()) {
        findings.retain(|it| it.kind != FindingKind::ResetFault);
    }
}

/// Leaves out what a time-out that is too short explains: answers of the input before, and answers without their end.
fn keep_no_effects_of_impatience(findings: &mut Vec<Finding>) {
    if !findings.iter().any(|it| it.kind == FindingKind::ShortTimeOut && it.is_wrong()) {
        return;
    }
    let is_cut = |it: &Finding| match it.example.as_ref().map(|example| &example.answers[..]) {
        Some([one, other]) => one.starts_with(other.as_str()) || other.starts_with(one.as_str()),
        _ => false,
    };
    findings.retain(|it| match it.kind {
        FindingKind::Garbled => false,
        // More that came after a reply had met its end is no effect of that.
        FindingKind::LateBytes => it.is_wrong(),
        // What was not waited for came after a later reply. Other causes are found when the mended file is checked.
        FindingKind::LateFault => false,
        FindingKind::ResetLeaves | FindingKind::ChangingOutput => !is_cut(it),
        _ => true,
    });
}

/// Leaves out differences where one of the answers is the rest of a reply that goes on: it was taken for the next reply.
fn keep_no_effects_of_rests(findings: &mut Vec<Finding>) {
    let is_rest = |it: &&Finding| it.kind == FindingKind::LateBytes && it.is_wrong();
    let rests: Vec<_> = findings.iter().filter(is_rest).flat_map(answers).cloned().collect();
    let is_of = |answer: &String| {
        let is_part =
            |rest: &String| rest.contains(answer.as_str()) || answer.contains(rest.as_str());
        !answer.is_empty() && rests.iter().any(is_part)
    };
    findings.retain(|it| match it.kind {
        FindingKind::ResetLeaves | FindingKind::ChangingOutput | FindingKind::ActsLate => {
            !answers(it).iter().any(is_of)
        }
        _ => true,
    });
}

/// The answers in the example of a finding.
fn answers(finding: &Finding) -> &[String] {
    finding.example.as_ref().map_or(&[], |example| &example.answers)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::finding::{Certainty, Example};
    use super::*;

    /// A certain finding of this kind whose example has these answers.
    fn found(kind: FindingKind, answers: &[&str]) -> Finding {
        let answers = answers.iter().map(|&answer| answer.to_owned()).collect();
        let example = Some(Example { word: Vec::new(), answers });
        Finding { example, ..Finding::shown(kind, "") }
    }

    fn changing(change: Change) -> Finding {
        Finding { change: Some(change), ..Finding::shown(FindingKind::WrongEnd, "") }
    }

    /// How many of the other findings stay beside the first one.
    fn left_beside(first: &Finding, others: &[Finding]) -> usize {
        let mut findings: Vec<_> = [first].into_iter().chain(others).cloned().collect();
        leave_out_effects(&mut findings);
        assert_eq!(findings.first(), Some(first));
        findings.len() - 1
    }

    #[test]
    fn one_match_stays_without_the_times_after_another() {
        let first = changing(Change::Match("a".to_owned()));
        let time = |key| changing(Change::TimeOut { key, input: None, better: Duration::ZERO });
        assert_eq!(left_beside(&first, &[changing(Change::Match("b".to_owned()))]), 0);
        assert_eq!(left_beside(&first, &[time(Key::Grace)]), 0);
        assert_eq!(left_beside(&first, &[time(Key::Within), changing(Change::Echo)]), 2);
        assert_eq!(left_beside(&time(Key::Quiet), &[time(Key::Grace)]), 1);
    }

    #[test]
    fn a_short_time_out_explains_answers_that_are_cut() {
        let certain = Finding::shown(FindingKind::ShortTimeOut, "");
        let possible = Finding::possible(FindingKind::ShortTimeOut, "");
        let late = Finding::possible(FindingKind::LateBytes, "");
        let [after, other] =
            [FindingKind::LateFault, FindingKind::Fault].map(|kind| Finding::shown(kind, ""));
        assert_eq!(left_beside(&certain, &[after.clone(), other]), 1);
        assert_eq!(left_beside(&possible, &[after]), 1);
        for kind in [FindingKind::ResetLeaves, FindingKind::ChangingOutput] {
            for answers in [["o", "on"], ["on", "o"]] {
                assert_eq!(left_beside(&certain, &[found(kind, &answers)]), 0);
                assert_eq!(left_beside(&possible, &[found(kind, &answers)]), 1);
            }
            assert_eq!(left_beside(&certain, &[found(kind, &["on", "off"])]), 1);
        }
        let garbled = Finding::possible(FindingKind::Garbled, "");
        assert_eq!(left_beside(&certain, &[garbled.clone(), late.clone()]), 0);
        assert_eq!(left_beside(&possible, &[garbled, late]), 2);
        assert_eq!(left_beside(&certain, &[found(FindingKind::LateBytes, &["on"])]), 1);
    }

    #[test]
    fn the_rest_of_a_reply_explains_answers_that_are_a_part_of_it() {
        let rest = found(FindingKind::LateBytes, &["done\\n"]);
        let possible = Finding { certainty: Certainty::Possible, ..rest.clone() };
        for kind in [FindingKind::ResetLeaves, FindingKind::ChangingOutput, FindingKind::ActsLate] {
            for part in ["done", "done\\nok\\n"] {
                assert_eq!(left_beside(&rest, &[found(kind, &["off", part])]), 0);
                assert_eq!(left_beside(&possible, &[found(kind, &["off", part])]), 1);
            }
            assert_eq!(left_beside(&rest, &[found(kind, &["off", ""])]), 1);
        }
        assert_eq!(left_beside(&rest, &[found(FindingKind::Echo, &["done"])]), 1);
    }
}
