//! Leaves out findings that another one explains.

use super::super::finding::{Change, Finding, FindingKind, Key};

/// Leaves out what another finding explains.
pub(super) fn leave_out_effects(findings: &mut Vec<Finding>) {
    keep_one_match(findings);
    keep_no_effects_of_impatience(findings);
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
        FindingKind::Garbled | FindingKind::LateBytes => false,
        FindingKind::ResetLeaves | FindingKind::ChangingOutput => !is_cut(it),
        _ => true,
    });
}
