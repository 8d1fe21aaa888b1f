//! Leaves out findings that another one explains.

use super::super::finding::{Change, Finding, FindingKind, Key};

/// Leaves out what another finding explains.
pub(super) fn leave_out_effects(findings: &mut Vec<Finding>) {
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
