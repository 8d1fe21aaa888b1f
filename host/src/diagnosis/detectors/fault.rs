//! Words that failed; each reason is reported once.

use super::super::checked_device::FaultKind;
use super::super::evidence::Evidence;
use super::super::failed_words::{FailedWords, LostDevice};
use super::super::finding::{Finding, FindingKind};
use super::super::garbled::is_rare;
use super::failed_resets::FailingInput;
use super::late_bytes::explains_failures;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    let words = evidence.words();
    let inputs: u32 = evidence.timings.iter().map(|timing| timing.count).sum();
    let is_late = |failed: &FailedWords| failed.kind.is_of_late_bytes();
    let is_explained = evidence.faults.iter().any(is_late) && explains_failures(evidence);
    let others = evidence.faults.iter().filter(|it| !is_explained || !is_late(it));
    let others: Vec<_> = others.collect();
    let all: u32 = others.iter().map(|failed| failed.count()).sum();
    let fault = |failed: &FailedWords| {
        let kind = match failed.kind {
            FaultKind::Reset => FindingKind::ResetFault,
            kind if kind.is_of_late_bytes() => FindingKind::LateFault,
            _ => FindingKind::Fault,
        };
        let (count, first) = (failed.count(), failed.first());
        let first = if count == 1 { first.to_owned() } else { format!("the first: {first}") };
        let help = help(evidence, failed).map(|help| format!(". {help}")).unwrap_or_default();
        let text = format!("{count} of {words} words failed: {first}{help}");
        // What always works the second time costs a run only the time, unless it is frequent.
        if failed.are_mended() && is_rare(all, inputs) {
            let text = format!(
                "{text}. Asked again, as a run does, all worked. That is few enough for a run: {all} in {inputs} answers"
            );
            return Finding::possible(kind, text);
        }
        Finding::shown(kind, text)
    };
    lost(evidence).into_iter().chain(others.into_iter().map(fault)).collect()
}

/// What to do about words that failed for one reason.
fn help(evidence: &Evidence, failed: &FailedWords) -> Option<String> {
    if let Some(cause) = FailingInput::of(evidence).filter(|_| failed.kind == FaultKind::Reset) {
        return Some(cause.advice(evidence));
    }
    let is_of_line = failed.is_any_mended() && evidence.garbled_replies() > 1;
    if failed.kind == FaultKind::GarbledReply && is_of_line {
        let advice = "Most replies are right, so the line loses or garbles bytes: are cable, ground and baud rate good? A run asks such \
                      words again";
        return Some(advice.to_owned());
    }
    failed.help.as_ref().map(|help| format!("Advice: {help}"))
}

/// The device does not come back from a word, or does not answer any more.
fn lost(evidence: &Evidence) -> Option<Finding> {
    let since = match evidence.lost.as_ref()? {
        LostDevice::NoReset(word) if word.is_empty() => {
            "no reset works, so the check ended there".to_owned()
        }
        LostDevice::NoReset(word) => format!(
            "no reset has worked since the word `{}`, so the check ended there",
            evidence.shown(word)
        ),
        LostDevice::Mute(word) => format!(
            "the device has stopped answering: `{}` was answered in this check, and is not any more, even after several resets",
            evidence.shown(word)
        ),
    };
    let text = format!(
        "{since}. Switch the device off and on. If that brings it back, the reset must do as much: by a power switch (`run`, \
         or a line), or by an input that leads out of the state after the word"
    );
    Some(Finding::shown(FindingKind::Fault, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_that_differ_in_digits_are_one_finding_and_a_lost_device_comes_first() {
        let mut evidence = Evidence::new(&[], true);
        for text in ["5 bytes came: `1.33`", "4 bytes came: `AB`", "nothing came"] {
            evidence.fault(FaultKind::Word, text.to_owned(), text.to_owned(), None);
        }
        evidence.lose_device();
        let texts: Vec<_> = find(&evidence).into_iter().map(|finding| finding.text).collect();
        let [lost, two, one] = &texts[..] else { panic!("{texts:?}") };
        assert!(lost.starts_with("no reset works, so the check ended there. Switch"), "{lost}");
        assert!(!lost.contains("  "), "{lost}");
        assert_eq!(two, "2 of 0 words failed: the first: 5 bytes came: `1.33`");
        assert_eq!(one, "1 of 0 words failed: nothing came");
    }

    #[test]
    fn replies_that_are_garbled_now_and_then_are_a_matter_of_the_line() {
        let text = |count: u32, answers: u32, is_mended: bool| {
            let mut evidence = Evidence::new(&["a".to_owned()], true);
            evidence.timings[0].count = answers;
            for at in 0..count {
                let help = Some("is `checksum` right?".to_owned());
                evidence.fault(FaultKind::GarbledReply, "sum".to_owned(), "sum".to_owned(), help);
                // Asked again, one in two works.
                if is_mended && at % 2 == 0 {
                    evidence.mend("sum");
                }
            }
            let [finding] = &find(&evidence)[..] else { panic!("one finding") };
            finding.text.clone()
        };
        let line = "Most replies are right, so the line loses or garbles bytes: are cable";
        for line_fault in [text(2, 10, true), text(40, 200, true)] {
            assert!(line_fault.contains(line), "{line_fault}");
        }
        // Too few, too many, and replies of which none was right.
        for rule in [text(1, 2, true), text(3, 14, true), text(40, 200, false)] {
            assert!(rule.ends_with("Advice: is `checksum` right?"), "{rule}");
        }
    }

    #[test]
    fn words_that_fail_for_one_reason_are_one_finding() {
        let mut evidence = Evidence::new(&[], true);
        let late = || "bytes came late".to_owned();
        let mut fault =
            |reason: String, message, help| evidence.fault(FaultKind::Word, reason, message, help);
        let no_prompt = |word: &str| format!("no reset after `{word}`: no prompt");
        fault("no prompt".to_owned(), no_prompt("a"), Some("is it on?".to_owned()));
        fault(late(), late(), None);
        fault("no prompt".to_owned(), no_prompt("b a"), Some("is it on?".to_owned()));
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
