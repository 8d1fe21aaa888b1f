//! A reset that leaves something behind: the answers to a word depend on the word before it.

use mealybug_core::Input;

use super::super::answers::AskedWord;
use super::super::changed_for_good::{sent_as_it_changed, standing_change};
use super::super::evidence::Evidence;
use super::super::finding::{Example, Finding, FindingKind};
use super::super::garbled::is_near;
use super::super::lasting_change::LastingChange;
use super::super::trial::ProposalTrial;
use super::answers_to_word::asked;
use super::changing_output::untried;
use crate::short_output::short_both;

/// How many inputs are named that may have changed the device for good.
const SUSPECTS: usize = 3;

pub(super) fn find(evidence: &Evidence) -> Vec<Finding> {
    // That explains the difference.
    if evidence.late_action.is_some() {
        return Vec::new();
    }
    let found = match evidence.trials.is_empty() {
        // Answers differ by what came unasked, too.
        true if !evidence.unasked.is_empty() => None,
        true => evidence.differences().into_iter().find_map(|word| differs(evidence, word)),
        false => shown_by_trials(evidence),
    };
    let still = || Some(still_changed(evidence, standing_change(evidence)?));
    found.or_else(still).into_iter().collect()
}

/// The finding for the trials in which what came before the reset decided.
fn shown_by_trials(evidence: &Evidence) -> Option<Finding> {
    let mut trials = evidence.trials.iter().filter(|trial| trial.is_by_reset);
    let mut finding = depends(evidence, trials.next()?);
    let others: Vec<_> = trials.map(|trial| format!("`{}`", evidence.shown(&trial.word))).collect();
    if !others.is_empty() {
        finding.text += &format!(" The same shows in {}.", others.join(" and "));
    }
    if evidence.trials.iter().any(|trial| !trial.is_by_reset) {
        finding.text +=
            " Other answers change, too, perhaps because of it: check again when it is mended.";
    }
    Some(finding)
}

/// The finding for a trial in which the word before the reset decided the answer.
fn depends(evidence: &Evidence, trial: &ProposalTrial) -> Finding {
    if trial.is_for_good {
        return changed_for_good(evidence, trial);
    }
    let ProposalTrial { word, outputs, causes, is_by_several, .. } = trial;
    let [one, other] = short_both(outputs.each_ref().map(String::as_str));
    let example = Some(Example { word: word.clone(), answers: outputs.to_vec() });
    let after = causes.each_ref().map(|word| match word {
        Some(word) => format!("when `{}` had been asked before the reset", evidence.shown(word)),
        None => "as the first word of all".to_owned(),
    });
    let several = match is_by_several {
        true => ", but not each time: it takes several words before the reset",
        false => "",
    };
    let text = format!(
        "the reset leaves something behind. {} `{}` {}, and `{}` {}{several}. A reset must bring back everything that an \
         answer shows.",
        asked(evidence, word),
        one,
        after[0],
        other,
        after[1]
    );
    // What came once may also have been a fault.
    let times = |output: &String| {
        let alike = evidence.runs(word).iter().filter(|run| run.output == *output);
        alike.map(|run| run.count).sum::<u32>()
    };
    let came_again = outputs.iter().all(|output| times(output) > 1);
    let found = if came_again { Finding::shown } else { Finding::possible };
    Finding { example, ..found(FindingKind::ResetLeaves, text) }
}

/// The finding for a trial in which the first answer never came again.
fn changed_for_good(evidence: &Evidence, trial: &ProposalTrial) -> Finding {
    let ProposalTrial { word, outputs, is_repeated, .. } = trial;
    let [one, other] = short_both(outputs.each_ref().map(String::as_str));
    let (found, or_lost) = certainty(*is_repeated);
    let text = format!(
        "the reset does not reach everything. {} `{one}` at first, and `{other}` ever since.{} {}{or_lost}",
        asked(evidence, word),
        suspects(evidence),
        how_to_restore(evidence, &one)
    );
    let example = Some(Example { word: word.clone(), answers: outputs.to_vec() });
    Finding { example, ..found(FindingKind::ResetLeaves, text) }
}

/// The finding for a change that an earlier check has seen, and that still stands.
fn still_changed(evidence: &Evidence, change: &LastingChange) -> Finding {
    let LastingChange { word, before, since, is_certain } = change;
    let [one, other] = short_both([before, since]);
    let (_, or_lost) = certainty(*is_certain);
    let text = format!(
        "does the reset reach everything? {} `{other}`, and was answered `{one}` at first in an earlier check or run of this device, or \
         of another one here. {}{or_lost}",
        asked(evidence, word),
        how_to_restore(evidence, &one)
    );
    let answers = vec![before.clone(), since.clone()];
    let example = Some(Example { word: word.clone(), answers });
    Finding { example, ..Finding::possible(FindingKind::ResetLeaves, text) }
}

/// How certain a finding is of an answer that never came again, and what else it may have been: what came once may be a fault of the
/// line.
fn certainty(came_again: bool) -> (fn(FindingKind, String) -> Finding, &'static str) {
    match came_again {
        true => (Finding::shown, ""),
        false => (Finding::possible, " Or were bytes lost on the way? It came only once."),
    }
}

/// A sentence that names the inputs which may have changed a device for good, if they are few.
fn suspects(evidence: &Evidence) -> String {
    let inputs = sent_as_it_changed(evidence);
    let names: Vec<_> = inputs.iter().map(|it| format!("`{}`", evidence.shown(&[*it]))).collect();
    match &names[..] {
        [one] => format!(" {one} was first sent in between, and has changed it most likely."),
        [first @ .., last] if first.len() < SUSPECTS => format!(
            " {} and {last} were first sent in between: one of them has changed it most likely.",
            first.join(", ")
        ),
        _ => String::new(),
    }
}

/// What may bring this answer back.
fn how_to_restore(evidence: &Evidence, answer: &str) -> String {
    let reset = if evidence.has_file { "[[reset]]" } else { "reset" };
    format!(
        "Does a {reset} that switches the device off bring `{answer}` back? If not, let the {reset} send what sets it back."
    )
}

/// The finding for a word with different answers that no trial has looked into; `None` where it must come again first.
fn differs(evidence: &Evidence, word: &[Input]) -> Option<Finding> {
    let all = evidence.runs(word);
    let is_stray =
        |odd: &AskedWord| all.iter().any(|usual| evidence.is_stray(&odd.output, &usual.output));
    let mut runs: Vec<_> = all.iter().filter(|run| !is_stray(run)).collect();
    runs.dedup_by(|next, run| next.output == run.output);
    let [.., before, now] = runs[..] else { return None };
    let untried = untried(evidence, word);
    // A run goes on: if the reset leaves something, the answer comes again.
    let is_odd = |odd: &AskedWord, usual: &AskedWord| {
        let alike = runs.iter().filter(|run| run.output == odd.output);
        alike.map(|run| run.count).sum::<u32>() == 1 && is_near(&odd.reply, &usual.reply)
    };
    let is_garbled = is_odd(now, before) || is_odd(before, now);
    if evidence.file.is_none() && untried.is_none() && is_garbled {
        return None;
    }
    let (reset, check) = match evidence.has_file {
        true if evidence.file.is_none() => ("[[reset]]", ". `mealybug check` finds out which"),
        true => ("[[reset]]", ""),
        false => ("reset", ""),
    };
    let [one, other] = short_both([&before.output, &now.output]);
    let why = match evidence.is_sometimes_silent(word) && !evidence.is_wait(word) {
        true => "`within_ms` may be too short for it",
        false => &format!("the {reset} may leave something behind"),
    };
    // The link lies between a device file and its device.
    let lost = match evidence.has_file {
        true => ", or bytes were lost on the way",
        false => "",
    };
    let text = format!(
        "{} differently: `{}` before, and now `{}`, after the word `{}`: {why}, or the answer changes by itself{lost}{check}",
        asked(evidence, word),
        one,
        other,
        evidence.shown(now.after.as_deref().unwrap_or_default())
    );
    let answers = vec![before.output.clone(), now.output.clone()];
    let example = Some(Example { word: word.to_vec(), answers });
    Some(Finding { example, untried, ..Finding::possible(FindingKind::ResetLeaves, text) })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::answers_after::AnswersAfter;
    use super::super::super::evidence::Answer;
    use super::*;

    /// Whether it is shown that a reset leaves something, if input 0 was answered so each time, and a trial of it showed that the
    /// word before decides.
    fn is_shown(answers: &[&str]) -> bool {
        let mut evidence = Evidence::of_check(&["a".to_owned(), "b".to_owned()], None);
        let input = Input::new(0);
        for output in answers {
            evidence.reset(Duration::ZERO);
            let answer = Answer { input, output, is_silence: false, took: Duration::ZERO };
            evidence.answer(&answer, None);
        }
        evidence.trials.push(ProposalTrial {
            word: vec![input],
            outputs: ["on", "off"].map(str::to_owned),
            causes: [None, Some(vec![Input::new(1)])],
            seen: AnswersAfter::default(),
            is_by_reset: true,
            is_for_good: false,
            may_be_late: false,
            is_repeated: true,
            is_by_several: false,
        });
        let findings = find(&evidence);
        assert_eq!(findings.len(), 1, "{findings:#?}");
        findings[0].is_wrong()
    }

    #[test]
    fn what_came_once_may_be_a_fault_and_what_came_again_is_none() {
        assert!(is_shown(&["on", "off", "on", "off"]));
        assert!(is_shown(&["on", "on", "off", "off"]));
        assert!(!is_shown(&["on", "on", "off", "on"]));
        assert!(!is_shown(&["on", "off", "off"]));
    }
}
