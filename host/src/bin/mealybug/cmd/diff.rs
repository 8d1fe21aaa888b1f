//! `mealybug diff`: where two models differ.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use mealybug::export::shown;
use mealybug::machine::{Difference, Differences, Machine, differences};
use mealybug::report::{self, Comparison};
use mealybug::statistics::number;
use mealybug::word;
use miette::Result;

use crate::exit::Exit;
use crate::files::model::Loaded;
use crate::files::out_file::{OutFile, with_files};
use crate::terminal::{complain_of, say};

/// Compare two models, and show the shortest words that tell them apart.
///
/// Inputs and outputs are compared by their names; the names of states do not matter, and are shown. What one of the
/// models does not know is no difference: a transition that was never asked is not compared, nor is anything behind a
/// transition whose target is a guess. The output counts the transitions that were not compared.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mealybug diff golden.dot mealybug-runs/lock-1
  mealybug diff mealybug-runs/lock-1 mealybug-runs/lock-2 --limit 50
  mealybug diff golden.dot mealybug-runs/lock-1 --html changes.html     # both in one picture

Exit status:
  0  they are equal, as far as both know
  1  they differ
  2  the command line is wrong, or a model cannot be read
  3  they have gaps and are too large for all of their pairs of states to be compared; no difference was found before
  6  the page cannot be written")]
pub(crate) struct DiffArgs {
    /// A DOT file, the result.postcard of a run, or the folder of a run
    #[arg(value_name = "A")]
    first: PathBuf,

    /// The model to compare it with: the same kinds of files
    #[arg(value_name = "B")]
    second: PathBuf,

    /// The most differences to show
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    /// Also write a page with both models in one picture, with the differences marked; an existing file is overwritten
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl DiffArgs {
    /// Runs the command. That a model cannot be read must not look like a difference.
    pub(crate) fn run(&self) -> Result<Exit> {
        match self.compare() {
            Ok(exit) => Ok(exit),
            Err(report) => {
                complain_of(&report);
                let exit = Exit::of(&report);
                Ok(if exit == Exit::Disk { exit } else { Exit::Usage })
            }
        }
    }

    fn compare(&self) -> Result<Exit> {
        let page = self.html.as_deref().map(OutFile::try_at).transpose()?;
        let [first, second] = [&self.first, &self.second].map(|path| DiffedModel::read(path));
        let (first, second) = (first?, second?);
        let found = differences(&first.machine, &second.machine, self.limit as usize);
        let mut text = String::new();
        text_of(&mut text, &found, [&first, &second]).expect("a string takes everything");
        let written = page.map(|file| file.write(page_of(&found, [&first, &second])));
        say(&text);
        let exit = match (found.is_empty(), found.is_undecided()) {
            (true, _) => Exit::Done,
            (false, true) => Exit::Limit,
            (false, false) => Exit::Failed,
        };
        with_files(Ok(exit), written.unwrap_or(Ok(())))
    }
}

/// One of the two models.
struct DiffedModel<'a> {
    path: &'a Path,
    machine: Machine,
    note: Option<String>,
}

impl<'a> DiffedModel<'a> {
    fn read(path: &'a Path) -> Result<Self> {
        let loaded = Loaded::read(path)?;
        Ok(Self { path, machine: loaded.machine()?.minimise(), note: loaded.note })
    }
}

/// The page with both models.
fn page_of(found: &Differences, [first, second]: [&DiffedModel<'_>; 2]) -> String {
    let comparison = Comparison {
        names: [&first.path.display().to_string(), &second.path.display().to_string()],
        machines: [&first.machine, &second.machine],
        notes: [first.note.as_deref(), second.note.as_deref()],
        differences: found,
    };
    report::comparison_html(&comparison)
}

fn text_of(
    text: &mut String,
    found: &Differences,
    sides: [&DiffedModel<'_>; 2],
) -> std::fmt::Result {
    writeln!(text, "{}.", found.verdict())?;
    for (letter, side) in ["A", "B"].iter().zip(sides) {
        let states = side.machine.states();
        let of = if states == 1 { "state" } else { "states" };
        write!(text, "  {letter}: {}, {states} {of} when minimal", side.path.display())?;
        match side.machine.gaps() {
            gaps if gaps.is_empty() => writeln!(text)?,
            gaps => writeln!(text, "; {gaps}")?,
        }
        if let Some(note) = &side.note {
            writeln!(text, "     {note}")?;
        }
    }
    for (letter, inputs) in [("A", &found.only_first), ("B", &found.only_second)] {
        if !inputs.is_empty() {
            writeln!(text, "\nOnly {letter} has the inputs {}.", quoted(inputs))?;
        }
    }
    let is_partial = !found.only_first.is_empty() || !found.only_second.is_empty();
    let have_common = found.only_first.len() < sides[0].machine.inputs().len();
    if is_partial && !have_common {
        writeln!(text, "No input is in both: there is nothing to compare.")?;
    } else if is_partial && found.places.is_empty() && found.cut.is_none() {
        writeln!(text, "On the inputs that both have they are equal.")?;
    }
    let mut is_behind = false;
    for (number, place) in (1..).zip(&found.places) {
        if place.is_behind_another && !is_behind {
            is_behind = true;
            writeln!(text, "\nBehind these, and perhaps only for their sake:")?;
        }
        place_of(text, number, place, sides)?;
    }
    if let Some([first, second]) = found.not_compared.filter(|counts| *counts != [0, 0]) {
        writeln!(
            text,
            "\nNot compared, since one of them does not know what follows or how to get there: \
             {} of A, {} of B.",
            transitions(first),
            transitions(second)
        )?;
    }
    if let Some(early_end) = found.early_end() {
        writeln!(text, "\n{early_end}")?;
    }
    Ok(())
}

/// A word, and what each side says at its end, with the name of the state in which it does.
fn place_of(
    text: &mut String,
    number: usize,
    place: &Difference,
    sides: [&DiffedModel<'_>; 2],
) -> std::fmt::Result {
    let word: Vec<_> = place.word.iter().map(|name| word::quote(name)).collect();
    writeln!(text, "\n{number:>3}. {}", word.join(" "))?;
    let before = &place.word[..place.word.len().saturating_sub(1)];
    let outputs = [&place.first, &place.second];
    for ((letter, DiffedModel { machine, .. }), output) in
        ["A", "B"].into_iter().zip(sides).zip(outputs)
    {
        let state = machine.state_after(before).and_then(|state| machine.state_name(state));
        let state = state.map_or_else(String::new, |name| format!(" in the state `{name}`"));
        writeln!(text, "       {letter}{state}: {}", told_apart(output))?;
    }
    Ok(())
}

/// An output as people tell it from any other one: in quotes where it has blanks at an end, or reads like the empty one.
fn told_apart(output: &str) -> Cow<'_, str> {
    let is_plain = output.trim() == output && (output.is_empty() || output != shown(""));
    if is_plain { shown(output).into() } else { format!("'{output}'").into() }
}

fn transitions(count: u64) -> String {
    format!("{} transition{}", number(count), if count == 1 { "" } else { "s" })
}

fn quoted(names: &[String]) -> String {
    format!("`{}`", names.join("`, `"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_outputs_look_alike() {
        let outputs = ["", "(empty)", "=", "= ", " =", "ok"];
        let told = outputs.map(told_apart);
        assert_eq!(told, ["(empty)", "'(empty)'", "=", "'= '", "' ='", "ok"]);
    }
}
