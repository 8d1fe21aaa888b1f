//! Words that failed; each reason is reported once.

use super::super::evidence::{Evidence, FailedWords};
use super::super::finding::{Finding, FindingKind};

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let words = evidence.words();
    let fault = |FailedWords { first, count, help, .. }: &FailedWords| {
        let first = if *count == 1 { first.clone() } else { format!("the first: {first}") };
        let help = help.as_ref().map(|help| format!(". Advice: {help}")).unwrap_or_default();
        let text = format!("{count} of {words} words failed: {first}{help}");
        Finding::shown(FindingKind::Fault, text)
    };
    lost(evidence).into_iter().chain(evidence.faults.iter().map(fault)).collect()
}

/// The device does not come back from a word.
fn lost(evidence: &Evidence) -> Option<Finding> {
    let (word, _) = evidence.lost_after.as_ref().filter(|(_, is_certain)| *is_certain)?;
    let since = match word.is_empty() {
        true => "no reset works".to_owned(),
        false => format!("no reset has worked since the word `{}`", evidence.shown(word)),
    };
    let text = format!(
        "{since}, so the check ended there. Switch the device off and on; if that brings it back, it needs a reset          that does as much: a power switch (`run`, or a line), or an input that leads out of where the word leads"
    );
    Some(Finding::shown(FindingKind::Fault, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_fail_for_one_reason_are_one_finding() {
        let mut evidence = Evidence::new(&[], true);
        let late = || "bytes came late".to_owned();
        let no_prompt = |word: &str| format!("no reset after `{word}`: no prompt");
        evidence.fault("no prompt".to_owned(), no_prompt("a"), Some("is it on?".to_owned()));
        evidence.fault(late(), late(), None);
        evidence.fault("no prompt".to_owned(), no_prompt("b a"), Some("is it on?".to_owned()));
        let texts: Vec<_> = find(&evidence).into_iter().map(|finding| finding.text).collect();
        assert_eq!(
            texts,
            [
                "2 of 0 words failed: the first: no reset after `a`: no prompt. Advice: is it on?",
                "1 of 0 words failed: bytes came late"
            ]
        );
    }
}
