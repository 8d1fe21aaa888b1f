//! What a run says at its end.

use std::fmt::Write;

use mealybug::learn::Ending;
use mealybug::statistics::{Cost, Statistics};
use mealybug_core::Why;

use super::options::RunOptions;
use super::results::Results;

/// So many components are listed.
const LISTED: usize = 16;

/// How the run ended, what was learned, what it cost, and where it is written.
pub(crate) fn text<E>(ending: &Ending<E>, options: &RunOptions, results: &Results) -> String {
    let mut text = String::new();
    write(&mut text, ending, options, results).expect("a string takes everything");
    text
}

fn write<E>(
    text: &mut String,
    ending: &Ending<E>,
    options: &RunOptions,
    results: &Results,
) -> std::fmt::Result {
    let statistics = &results.statistics;
    let verdict = if statistics.converged { "Converged" } else { "NOT converged" };
    writeln!(text, "{verdict}: {}.", reason(ending, options, statistics))?;
    if statistics.refuted {
        writeln!(text, "An answer contradicts the model below: it is wrong somewhere.")?;
    }
    if statistics.equals_model == Some(false) {
        writeln!(text, "What was learned DIFFERS from the model that was simulated.")?;
    }
    writeln!(text)?;
    if results.learned.is_some() {
        components(text, statistics)?;
        writeln!(text)?;
    }
    costs(text, statistics)?;
    writeln!(text)?;
    for warning in &statistics.warnings {
        writeln!(text, "Note: {warning}.")?;
    }
    files(text, results)
}

/// Why a run ended, as part of a sentence.
fn reason<E>(ending: &Ending<E>, options: &RunOptions, statistics: &Statistics) -> String {
    let tests = &statistics.options.tests;
    match ending {
        Ending::Session(Why::TestsPassed) => {
            let tests = statistics.tests_passed;
            format!("{} random tests in a row found no difference", number(tests))
        }
        Ending::Session(Why::SuitePassed) => {
            format!("the complete suite {tests} found no difference")
        }
        Ending::Session(Why::SuiteCut) => format!(
            "the suite {tests} found no difference, but it covers only {} states",
            statistics.options.walk_states
        ),
        Ending::Session(Why::Equivalent) => "it equals the model that was simulated".to_owned(),
        Ending::Session(Why::Untested) => "nothing tests it".to_owned(),
        Ending::Session(Why::Rounds) => "the rounds are used up (--rounds)".to_owned(),
        Ending::Session(Why::Symbols) => "the symbols are used up (--max-symbols)".to_owned(),
        Ending::Session(Why::Resets) => "the resets are used up".to_owned(),
        Ending::Session(Why::Stopped) | Ending::Interrupted => "it was interrupted".to_owned(),
        Ending::Time => "the time is used up (--max-time)".to_owned(),
        Ending::Memory(error) => {
            let limit = options.memory_bytes();
            format!("{limit} bytes (--memory) are too little, {} are needed", error.needed)
        }
        Ending::Contradiction(_) => "the device contradicted itself".to_owned(),
        Ending::Failure(_) => "the device failed".to_owned(),
    }
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
        None => writeln!(text, "There are {count} {of}:")?,
    }
    let width = components.iter().take(LISTED).map(|c| c.name.chars().count()).max().unwrap_or(0);
    let width = width.clamp(10, 50);
    for component in components.iter().take(LISTED) {
        let name = shortened(&component.name, width);
        let unit = if component.states == 1 { "state" } else { "states" };
        writeln!(text, "  {name:<width$}  {:>6} {unit}", number(component.states))?;
    }
    if count > LISTED {
        writeln!(text, "  and {} more", count - LISTED)?;
    }
    Ok(())
}

fn costs(text: &mut String, statistics: &Statistics) -> std::fmt::Result {
    let Statistics { learning, testing, device, published, .. } = statistics;
    let mut row = |what: &str, cost: &Cost| {
        let (resets, symbols) = (number(cost.resets), number(cost.symbols));
        writeln!(text, "  {what:<20} {resets:>13} {symbols:>13}")
    };
    row("learning", learning)?;
    row("testing", testing)?;
    row("at the device", device)?;
    if let Some(published) = published {
        row("learning, published", &published.learning)?;
        row("testing, published", &published.testing)?;
    }
    let header = format!("  {:<20} {:>13} {:>13}\n", "cost", "resets", "symbols");
    let start = text.find("  learning  ").unwrap_or(text.len());
    text.insert_str(start, &header);
    let (bytes, seconds) = (number(statistics.learner_bytes as u64), statistics.seconds);
    writeln!(text, "  {bytes} bytes of memory, {seconds:.1} s")
}

fn files(text: &mut String, results: &Results) -> std::fmt::Result {
    let folder = results.folder.path().display();
    if results.model.is_some() {
        writeln!(text, "{folder}/model.dot")?;
    }
    if results.learned.is_some() {
        writeln!(text, "{folder}/components/")?;
    }
    writeln!(text, "{folder}/result.postcard")?;
    writeln!(text, "{folder}/statistics.json")
}

/// A number with a blank between thousands.
pub(crate) fn number(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A name cut to so many characters.
fn shortened(name: &str, width: usize) -> String {
    if name.chars().count() <= width {
        return name.to_owned();
    }
    name.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        let cases = [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567")];
        for (value, text) in cases {
            assert_eq!(number(value as u64), text);
        }
    }
}
