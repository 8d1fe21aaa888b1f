//! Words that failed; each reason is reported once.

use super::super::evidence::{Evidence, FailedWords};
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let words = evidence.words();
    let fault = |FailedWords { first, count, .. }: &FailedWords| {
        let first = if *count == 1 { first.clone() } else { format!("the first: {first}") };
        Finding::shown(FindingKind::Fault, format!("{count} of {words} words failed: {first}"))
    };
    evidence.faults.iter().map(fault).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_fail_for_one_reason_are_one_finding() {
        let mut evidence = Evidence::new(&[], true);
        let late = || "bytes came late".to_owned();
        evidence.fault("no prompt".to_owned(), "no reset after `a`: no prompt".to_owned());
        evidence.fault(late(), late());
        evidence.fault("no prompt".to_owned(), "no reset after `b a`: no prompt".to_owned());
        let texts: Vec<_> = find(&evidence).into_iter().map(|finding| finding.text).collect();
        assert_eq!(
            texts,
            [
                "2 of 0 words failed: the first: no reset after `a`: no prompt",
                "1 of 0 words failed: bytes came late"
            ]
        );
    }
}
