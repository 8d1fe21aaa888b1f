//! What went wrong in a run: what happened, on which word, and what to do.

use mealybug::learn::{Attempt, Failure};
use mealybug::learned_components::output_name;
use mealybug::short_output::short_all;
use mealybug::store::{StoreError, Unsettled};
use mealybug::word;
use mealybug_core::{CapacityError, Input};
use miette::Report;

use crate::endpoint::{Endpoint, EndpointError, Means, Subject};
use crate::exit::{CliError, Exit};
use crate::run::on_top;
use crate::run::results::Results;

/// So many inputs of a word are shown; of a longer one the last.
const SHOWN: usize = 40;

/// So many answers to one word are listed.
const LISTED: usize = 8;

/// The device or its link failed.
pub(crate) fn failure(
    failure: Failure<EndpointError>,
    subject: Subject<'_>,
    results: &Results,
) -> Report {
    let place = place(&failure.word, failure.sent, subject.inputs);
    let mut kept = kept(results);
    if results.is_absent && results.folder.can_be_resumed() {
        let folder = results.folder.path().display();
        kept = format!(
            "{kept}. When the device is back, go on with: mealybug learn --resume {folder}"
        );
    }
    Report::from(failure.error).wrap_err(format!("the run ended early, {place}. {kept}"))
}

/// The device contradicted itself.
pub(crate) fn contradiction(
    unsettled: &Unsettled,
    device: &Endpoint<'_>,
    subject: Subject<'_>,
    results: &Results,
) -> Report {
    let Unsettled { word, answers } = unsettled;
    let input = word.last().copied().unwrap_or(Input::new(0));
    let place = place(word, word.len(), subject.inputs);
    let kept = kept(results);
    let is_silent =
        answers.iter().any(|(output, _)| device.is_silence(input, &output_name(output)));
    let advice = advice_on(answers, device.means(), is_silent);
    let boards = boards(&device.said(word));
    let (message, help) = if boards.is_empty() {
        let answers = self::answers(answers);
        let message = format!("the device contradicts itself: it answered {answers}, {place}");
        (message, with_kept(&advice, &kept))
    } else {
        let message = format!("the boards contradict each other: {}, {place}", listed(&boards));
        let same = "do they all have the same firmware and the same wiring? If one of them differs, \
                    leave it out; what was learned from it is not to be trusted. Else";
        (message, with_kept(&format!("{same}: {advice}"), &kept))
    };
    CliError::report(Exit::Contradiction, message, help)
}

/// Outputs, and how often each of them came.
pub(crate) fn answers(answers: &[(Vec<u8>, u32)]) -> String {
    let shown = shown_outputs(answers.iter().map(|(output, _)| output.as_slice()));
    let named =
        |(output, (_, count)): (&String, &(_, u32))| format!("`{output}` {}", times(*count));
    listed(&shown.iter().zip(answers).map(named).collect::<Vec<_>>())
}

/// The names of different outputs, shortened.
pub(crate) fn shown_outputs<'o>(outputs: impl Iterator<Item = &'o [u8]>) -> Vec<String> {
    let names: Vec<_> = outputs.map(output_name).collect();
    short_all(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What each of several boards answered and how often, if they do not agree.
fn boards(said: &[(&str, Vec<u8>, u32)]) -> Vec<String> {
    let disagree = said.iter().any(|(_, output, _)| *output != said[0].1);
    let shown = shown_outputs(said.iter().map(|(_, output, _)| output.as_slice()));
    let answered = |((name, _, count), output): (&(&str, Vec<u8>, u32), String)| {
        format!("{name} answered `{output}` {}", times(*count))
    };
    said.iter().zip(shown).filter(|_| disagree).map(answered).collect()
}

/// What to do about a device that contradicts itself with these answers; `is_silent` if one of them is silence.
pub(crate) fn advice_on(answers: &[(Vec<u8>, u32)], means: Means, is_silent: bool) -> String {
    let outputs: Vec<_> = answers.iter().map(|(output, _)| output_name(output)).collect();
    let outputs: Vec<_> = outputs.iter().map(String::as_str).collect();
    contradiction_advice(means, is_silent, &outputs)
}

/// What to do about a device that contradicts itself with these outputs; `is_silent` if one of them is silence.
pub(crate) fn contradiction_advice(means: Means, is_silent: bool, outputs: &[&str]) -> String {
    let reset = if means.has_file { "[[reset]]" } else { "reset" };
    if is_silent {
        let time = match means.has_file {
            true => {
                "If it only needs longer for an answer, raise `within_ms` of its [reply]; if it needs longer after a reset, \
                 the [[reset]] should `expect` what it says when it is ready. Or"
            }
            false => "Does it need longer for an answer, or after a reset? Or",
        };
        return format!(
            "is it still on and connected? {time} does the {reset} keep something, after which it is silent?"
        );
    }
    let (counter, late, end) = match means.has_file {
        true => (
            "? A [[replace]] keeps it out",
            "Then `settle_ms` in the `reply` of the input, or `quiet_ms` in the [[reset]], gives it time",
            ". Did the reply end too early? Give it a longer `grace_ms` or a stricter `match`",
        ),
        false => (", which must be left out", "Then it needs time after that", ""),
    };
    let check = match (means.can_be_checked, means.has_file) {
        (true, true) => "; `mealybug check` proposes one",
        (true, false) => "? `mealybug check` finds out which",
        (false, true) => "",
        (false, false) => "?",
    };
    let dropped = match means.drops_late {
        true => {
            "late = \"drop\" drops an answer that is late, and what is left of it may be taken for the answer to the next \
             input: is each answer the one to its input? Else "
        }
        false => "",
    };
    let on_top =
        on_top::advice(outputs, means).map_or_else(String::new, |it| format!("{it} Else "));
    format!(
        "{on_top}{dropped}does each {reset} really bring it to the same state, or does it keep something? Does an input, or the {reset}, \
         take effect only after the answer? {late}. Does a timer of it run out between two inputs? Does the answer hold a \
         time or a counter{counter}{check}{end}"
    )
}

/// The answers cannot be kept.
pub(crate) fn store(error: StoreError, results: &Results) -> Report {
    let kept = kept(results);
    Report::new(error).wrap_err(format!("the run ended early. {kept}"))
}

/// How often something happened, in words.
pub(crate) fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// The parts with commas and `and` between them; of many the first.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if parts.len() <= LISTED => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} more", parts[..LISTED].join(", "), parts.len() - LISTED),
    }
}

/// Not even the names of the outputs fit.
pub(crate) fn no_memory(error: CapacityError) -> Report {
    CliError::report(Exit::Limit, error.to_string(), "raise --memory")
}

/// A word that failed is asked again.
pub(crate) fn asked_again(
    failure: &Failure<EndpointError>,
    attempt: Attempt,
    names: &[String],
) -> String {
    let (number, of) = (attempt.number, attempt.of - 1);
    format!("{}; asking the word again ({number} of {of})", error_with_place(failure, names))
}

/// What went wrong, and where in the word. An error of a reset says so itself.
pub(crate) fn error_with_place(failure: &Failure<EndpointError>, names: &[String]) -> String {
    let Failure { error, word, sent } = failure;
    match sent {
        0 => error.to_string(),
        &sent => format!("{error}, {}", place(word, sent, names)),
    }
}

/// Where in a word something happened: after `sent` of its inputs.
pub(crate) fn place(word: &[Input], sent: usize, names: &[String]) -> String {
    let Some((last, before)) = word.get(..sent).and_then(<[Input]>::split_last) else {
        return "at a reset".to_owned();
    };
    let name = |input: &Input| {
        names.get(input.index() as usize).map_or_else(|| "?".to_owned(), |name| word::quote(name))
    };
    let last = name(last);
    if before.is_empty() {
        return format!("at the input `{last}` after a reset");
    }
    let shown = &before[before.len().saturating_sub(SHOWN)..];
    let names: Vec<_> = shown.iter().map(name).collect();
    let cut = if shown.len() < before.len() { "… " } else { "" };
    let count = match before.len() {
        1 => "1 input".to_owned(),
        count => format!("{count} inputs"),
    };
    format!("at the input `{last}` after a reset and {count}: `{cut}{}`", names.join(" "))
}

/// Advice, and where the rest is.
pub(crate) fn with_kept(advice: &str, kept: &str) -> String {
    let end = if advice.ends_with('?') { "" } else { "." };
    format!("{advice}{end} {kept}")
}

/// Where the rest is.
pub(crate) fn kept(results: &Results) -> String {
    let folder = results.folder.path().display();
    if !results.are_written() {
        return format!("Not all of what was learned so far could be written to {folder}");
    }
    match results.learned {
        Some(_) => format!("What was learned so far is in {folder}"),
        None => format!("Nothing was learned yet; what it cost is in {folder}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_shown_where_they_differ() {
        let menu = "1 status, 2 stop; ".repeat(50);
        let said = ["on", "off"].map(|lamp| (format!("{menu}lamp {lamp}").into_bytes(), 2));
        let shown = answers(&said);
        assert_eq!(shown, "`…atus, 2 stop; lamp on` 2 times and `…atus, 2 stop; lamp off` 2 times");
        let boards = said.map(|(output, count)| ("a board", output, count));
        assert_eq!(super::boards(&boards)[0], "a board answered `…atus, 2 stop; lamp on` 2 times");
    }

    #[test]
    fn advice_that_asks_gets_no_full_stop() {
        let kept = "What was learned so far is in run";
        assert_eq!(with_kept("is it on?", kept), format!("is it on? {kept}"));
        assert_eq!(with_kept("wait longer", kept), format!("wait longer. {kept}"));
    }

    #[test]
    fn advice_names_only_what_this_kind_of_end_has() {
        for has_file in [true, false] {
            for can_be_checked in [true, false] {
                let means = Means { has_file, can_be_checked, drops_late: false };
                let text = contradiction_advice(means, false, &[]);
                for of_file in ["[[reset]]", "[[replace]]", "`settle_ms`", "`grace_ms`"] {
                    assert_eq!(text.contains(of_file), has_file, "{text}");
                }
                let silent = contradiction_advice(means, true, &[]);
                let dropped = contradiction_advice(Means { drops_late: true, ..means }, false, &[]);
                assert!(
                    dropped.starts_with("late = \"drop\"") && dropped.ends_with(&text),
                    "{dropped}"
                );
                for of_file in ["[[reset]]", "[reply]", "`within_ms`", "`expect`"] {
                    assert_eq!(silent.contains(of_file), has_file, "{silent}");
                }
                assert_eq!(format!("{text}{silent}").contains('`'), has_file || can_be_checked);
                assert_eq!(text.contains("mealybug check"), can_be_checked, "{text}");
                assert!(!text.ends_with('.') && !text.contains("??"), "{text}");
            }
        }
    }
}
