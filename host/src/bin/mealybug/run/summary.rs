//! What a run says at its end.

use std::fmt::Write;

use mealybug::confidence::{self, Confidence, HourMore};
use mealybug::duration_text;
use mealybug::export::shown;
use mealybug::machine::Gaps;
use mealybug::statistics::{Cost, EndCode, LearnerSize, Serial, Statistics, number};

use crate::run::results::Results;

/// How long a line is at most.
const COLUMNS: usize = 80;

/// The least seconds of a run that is told where its time went, and how many parts that names.
const LONG: f64 = 10.0;
const TAKERS: usize = 3;

/// So many components are listed.
const LISTED: usize = 16;

/// What was learned, what it cost, where it is written, and how the run ended.
pub(crate) fn text(results: &Results) -> String {
    let mut text = String::new();
    write(&mut text, results).expect("a string takes everything");
    text
}

fn write(text: &mut String, results: &Results) -> std::fmt::Result {
    let statistics = &results.statistics;
    if results.learned.is_some() {
        components(text, statistics)?;
        writeln!(text)?;
    }
    costs(text, statistics)?;
    writeln!(text)?;
    for warning in &statistics.warnings {
        // Lines of a device file must stay what they are.
        let end = if warning.contains('\n') { "" } else { "." };
        writeln!(text, "Note: {warning}{end}")?;
    }
    files(text, results)?;
    writeln!(text)?;
    verdict(text, statistics)
}

/// How sure the result is; whether it is one stands in the last line.
fn verdict(text: &mut String, statistics: &Statistics) -> std::fmt::Result {
    if let Some(refutation) = statistics.refutation() {
        writeln!(text, "{refutation}.")?;
    }
    let states: Vec<_> = statistics.components.iter().map(|it| it.states).collect();
    let found = found_since(statistics.size, &states).filter(|_| !statistics.converged);
    if let Some(found) = found {
        writeln!(text, "{}", wrapped(&format!("{found}.")))?;
    }
    if !statistics.gaps.is_empty() {
        // A gap of a component is one in many states of the model, and says what is left to ask.
        let of_components: Gaps = statistics.components.iter().map(|c| c.gaps).sum();
        match (statistics.states, statistics.components.len()) {
            (None, _) => writeln!(text, "The components are partial: {of_components}.")?,
            (_, 1) => writeln!(text, "The model is partial: {}.", statistics.gaps)?,
            _ => writeln!(text, "The model is partial: its components have {of_components}.")?,
        }
    }
    if statistics.equals_model == Some(false) {
        writeln!(text, "What was learned DIFFERS from the model that was simulated.")?;
    }
    let passed = statistics.tests_passed;
    if let Some(new) = statistics.new_tests().filter(|&new| new < passed) {
        let (new, passed) = (number(new), number(passed));
        writeln!(text, "Of the last {passed} tests {new} asked what no word had asked before.")?;
    }
    if let Some(confidence) = &statistics.confidence {
        tested(text, statistics, confidence)?;
    }
    writeln!(text, "{}: {}.", statistics.verdict(), statistics.full_reason())
}

/// What the learner has found, if the model is an older hypothesis. `states` are the numbers of states of the model's components.
fn found_since(size: LearnerSize, states: &[u32]) -> Option<String> {
    let LearnerSize::Tree { access_words: found, .. } = size else { return None };
    let shown: u32 = states.iter().sum();
    let in_all = if states.len() == 1 { "" } else { " in all components" };
    (1..found).contains(&shown).then(|| {
        let states = if shown == 1 { "state" } else { "states" };
        let (found, shown) = (number(found), number(shown));
        format!(
            "The model is the last whole hypothesis, of {shown} {states}{in_all}: the learner has found {found} by now"
        )
    })
}

/// How well the model is tested.
fn tested(text: &mut String, statistics: &Statistics, confidence: &Confidence) -> std::fmt::Result {
    if let Some(tried) = confidence.tried {
        writeln!(text, "{tried}.")?;
    }
    if let Some(chance) = confidence.chance {
        let hiding = confidence::hiding(chance);
        let sentence = match (statistics.converged, statistics.tests_passed) {
            (true, _) | (_, 0) => format!("About {hiding}."),
            (false, 1) => format!("No difference found in 1 test; about {hiding}."),
            (false, n) => format!("No difference found in {} tests; about {hiding}.", number(n)),
        };
        writeln!(text, "{}", wrapped(&sentence))?;
    }
    if let Some(HourMore { tests, chance }) = confidence.hour {
        let (tests, chance) = (number(tests), confidence::one_in(chance));
        writeln!(text, "An hour more, about {tests} tests, would make it {chance}.")?;
    }
    Ok(())
}

fn components(text: &mut String, statistics: &Statistics) -> std::fmt::Result {
    let Statistics { states, components, .. } = statistics;
    let count = components.len();
    let of = if count == 1 { "component" } else { "components" };
    match states {
        Some(1) => writeln!(text, "The model has 1 state, made of {count} {of}:")?,
        Some(states) => {
            writeln!(text, "The model has {} states, made of {count} {of}:", number(*states))?;
        }
        None => writeln!(text, "There {} {count} {of}:", if count == 1 { "is" } else { "are" })?,
    }
    let width = components.iter().take(LISTED).map(|c| c.name.chars().count()).max().unwrap_or(0);
    let width = width.clamp(10, 50);
    for component in components.iter().take(LISTED) {
        let name = shortened(shown(&component.name), width);
        let unit = if component.states == 1 { "state" } else { "states" };
        write!(text, "  {name:<width$}  {:>6} {unit}", number(component.states))?;
        match component.gaps.is_empty() {
            true => writeln!(text)?,
            false => writeln!(text, ", {}", component.gaps)?,
        }
    }
    if count > LISTED {
        writeln!(text, "  and {} more", count - LISTED)?;
    }
    if let Some(divided) = statistics.divided() {
        writeln!(text, "They {divided}.")?;
    }
    // Of one component there was nothing to divide.
    match statistics.choice().filter(|_| count > 1) {
        Some(choice) => writeln!(text, "{}", wrapped(&format!("{choice}."))),
        None => Ok(()),
    }
}

fn costs(text: &mut String, statistics: &Statistics) -> std::fmt::Result {
    let Statistics { learning, testing, device, boards, published, advice, earlier, .. } =
        statistics;
    let mut row = |what: &str, cost: &Cost| {
        let (resets, symbols) = (number(cost.resets), number(cost.symbols));
        writeln!(text, "  {what:<20} {resets:>13} {symbols:>13}")
    };
    row("learning", learning)?;
    row("testing", testing)?;
    row("at the device", device)?;
    if let Some(earlier) = earlier {
        row("in earlier sessions", &earlier.device)?;
    }
    for board in boards {
        let name = shortened(&board.name, 18);
        let Cost { resets, symbols } = board.asked;
        let (resets, symbols) = (number(resets), number(symbols));
        write!(text, "    {name:<18} {resets:>13} {symbols:>13}")?;
        match board.to_string().as_str() {
            "" => writeln!(text)?,
            what => writeln!(text, "  {what}")?,
        }
    }
    let mut row = |what: &str, cost: &Cost| {
        let (resets, symbols) = (number(cost.resets), number(cost.symbols));
        writeln!(text, "  {what:<20} {resets:>13} {symbols:>13}")
    };
    if let Some(published) = published {
        row("learning, published", &published.learning)?;
        row("testing, published", &published.testing)?;
    }
    let header = format!("  {:<20} {:>13} {:>13}\n", "cost", "resets", "symbols");
    let start = text.find("  learning  ").unwrap_or(text.len());
    text.insert_str(start, &header);
    let asked = learning.symbols + testing.symbols;
    let device = statistics.device_in_all();
    if device.symbols < asked && statistics.recalled > 0 {
        writeln!(text, "  (a device is not asked again what it has said before)")?;
    } else if device.symbols < asked {
        writeln!(text, "  (the end of the run broke words off)")?;
    } else if device.symbols > asked && earlier.is_some() {
        writeln!(text, "  (words were asked again, or by earlier sessions with other options)")?;
    } else if device.symbols > asked && statistics.converged {
        writeln!(text, "  (words were asked again)")?;
    } else if device.symbols > asked {
        writeln!(text, "  (words were asked again, or the end of the run broke one off)")?;
    }
    for advice in advice {
        writeln!(text, "  learning like {advice}")?;
    }
    let bytes = number(statistics.learner_bytes as u64);
    write!(text, "  {bytes} bytes of memory, {}", duration_text::text(statistics.seconds))?;
    match earlier {
        Some(earlier) if earlier.seconds > 0.0 => {
            writeln!(text, ", after {} in earlier sessions", duration_text::text(earlier.seconds))
        }
        _ => writeln!(text),
    }?;
    match &statistics.serial {
        Some(serial) if statistics.seconds >= LONG => time(text, serial, statistics.seconds),
        _ => Ok(()),
    }
}

/// Where the time of the session went, as far as it is a large part.
fn time(text: &mut String, serial: &Serial, seconds: f64) -> std::fmt::Result {
    let most = serial.most_of(seconds);
    let shares = most.iter().take(TAKERS);
    let shares = shares.map(|(what, share)| format!("{what} {:.0} %", 100.0 * share));
    match shares.collect::<Vec<_>>() {
        shares if shares.is_empty() => Ok(()),
        shares => writeln!(text, "  of the time: {}", shares.join(", ")),
    }
}

fn files(text: &mut String, results: &Results) -> std::fmt::Result {
    if !results.are_written() {
        writeln!(text, "Not all of these files could be written:")?;
    }
    let folder = results.folder.path().display();
    if results.model.is_some() {
        writeln!(text, "{folder}/model.dot")?;
    }
    if !results.statistics.modules.is_empty() {
        writeln!(text, "{folder}/modules/")?;
    }
    if results.learned.is_some() {
        write!(text, "{folder}/components/")?;
        match results.not_drawn {
            0 => writeln!(text)?,
            count => {
                writeln!(text, "  {count} without a picture: the time was used up (--max-time)")?;
            }
        }
    }
    if !results.statistics.hypotheses.is_empty() {
        writeln!(text, "{folder}/hypotheses/")?;
    }
    writeln!(text, "{folder}/result.postcard")?;
    writeln!(text, "{folder}/statistics.json")?;
    for log in ["log.txt", "log.defmt"] {
        if results.folder.path().join(log).exists() {
            writeln!(text, "{folder}/{log}")?;
        }
    }
    writeln!(text, "{folder}/report.html              all of it on a page")?;
    if !results.statistics.converged && results.folder.can_be_resumed() {
        writeln!(text, "\nTo go on: mealybug learn --resume {folder}")?;
        // The device file may be the cause.
        let failed =
            matches!(results.statistics.why, EndCode::Contradiction | EndCode::DeviceFailed);
        if failed && !results.is_absent && results.folder.has_device_file() {
            writeln!(
                text,
                "If the device file is the cause: mealybug learn --resume {folder} --device BETTER.toml"
            )?;
        }
    }
    Ok(())
}

/// A sentence in lines of at most [`COLUMNS`], if its words are no longer.
fn wrapped(sentence: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in sentence.split(' ') {
        let len = word.chars().count();
        let fits = column + 1 + len <= COLUMNS;
        if column > 0 {
            text.push(if fits { ' ' } else { '\n' });
        }
        column = if column > 0 && fits { column + 1 + len } else { len };
        text.push_str(word);
    }
    text
}

/// A name cut to so many characters, and never a blank.
fn shortened(name: &str, width: usize) -> String {
    if name.is_empty() {
        return "(empty)".to_owned();
    }
    if name.chars().count() <= width {
        return name.to_owned();
    }
    name.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use mealybug::statistics::Spent;

    use super::*;

    #[test]
    fn what_took_most_of_the_time_is_named() {
        let spent = |name: &str, count, mean_ms| Spent {
            name: name.to_owned(),
            count,
            failed: 0,
            mean_ms,
            longest_ms: mean_ms,
        };
        let serial = Serial {
            late_bytes: 0,
            suspect_words: 0,
            resets: vec![spent("1", 100, 400.0), spent("2", 2, 10_000.0)],
            inputs: vec![spent("get", 900, 1.0), spent("wait", 10, 2_500.0)],
        };
        let said = |seconds| {
            let mut text = String::new();
            time(&mut text, &serial, seconds).expect("a string takes everything");
            text
        };
        assert_eq!(said(100.0), "  of the time: resets 60 %, `wait` 25 %\n");
        assert_eq!(said(1000.0), "", "most of it went elsewhere");
    }

    #[test]
    fn it_is_said_that_the_learner_knows_more_than_the_model() {
        let found = |access_words, states: &[u32]| {
            found_since(LearnerSize::Tree { access_words, nodes: 90, suffixes: 7 }, states)
        };
        let said =
            "The model is the last whole hypothesis, of 9 states: the learner has found 26 by now";
        assert_eq!(found(26, &[9]).as_deref(), Some(said));
        let said =
            "The model is the last whole hypothesis, of 9 states in all components: the learner";
        assert!(found(26, &[3, 6]).is_some_and(|text| text.starts_with(said)));
        assert_eq!(found(9, &[9]), None);
        assert_eq!(found(9, &[]), None, "there is no model");
    }

    #[test]
    fn a_sentence_is_wrapped_between_words() {
        assert_eq!(wrapped("one two."), "one two.");
        let lines = [["ab"; 27].join(" "), ["ab"; 3].join(" ")];
        assert_eq!(lines[0].len(), COLUMNS);
        assert_eq!(wrapped(&lines.join(" ")), lines.join("\n"));
    }
}
