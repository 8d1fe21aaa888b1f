//! States in which each answer has the same text before that of another state: what an input said after its answer, heard with
//! the next one.

use std::collections::{BTreeMap, BTreeSet};

use mealybug::escape::unescape;
use mealybug::machine::Machine;
use mealybug::short_output::short_all;
use mealybug_core::Input;

/// This many different answers must have the text before them: one or two may begin alike for other reasons.
const ANSWERS: usize = 3;
/// Compare at most this many states with the same targets: each pair of them takes time.
const ALIKE: usize = 100;

/// Notes on such states of a model: one note for all states that say something and then the answers of the same state. `has_file`
/// says whether a device file tells what is waited for; else a program does.
pub(crate) fn notes(model: &Machine, has_file: bool) -> Vec<String> {
    let mut alike: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for state in 0..model.states() {
        if let Some(targets) = inputs(model).map(|input| target(model, state, input)).collect() {
            alike.entry(targets).or_default().push(state);
        }
    }
    let few = alike.values().filter(|states| states.len() <= ALIKE);
    let pairs = few.flat_map(|states| {
        states.iter().flat_map(move |late| states.iter().map(move |other| (*late, *other)))
    });
    let mut found: BTreeMap<u32, Vec<(u32, &str)>> = BTreeMap::new();
    for (late, other) in pairs {
        let text = text_before(model, late, other);
        found.entry(other).or_default().extend(text.map(|text| (late, text)));
    }
    let first = |(other, states): (u32, Vec<(u32, &str)>)| {
        let (late, text) = *states.first()?;
        let more = match states.len() {
            1 => String::new(),
            2 => ". One more state is like it".to_owned(),
            count => format!(". {} more states are like it", count - 1),
        };
        Some(note(model, has_file, late, other, text) + &more)
    };
    found.into_iter().filter_map(first).collect()
}

/// The note on a state that says this text and then what `other` says.
fn note(model: &Machine, has_file: bool, late: u32, other: u32, text: &str) -> String {
    let leading = model.named_transitions().filter(|(from, _, to, _)| *to == late && *from != late);
    let leading: BTreeSet<_> = leading.map(|(_, input, ..)| format!("`{input}`")).collect();
    let leading = Vec::from_iter(leading).join(" or ");
    let (late, other) = (model.state_text(late), model.state_text(other));
    let text = &short_all(&[text])[0];
    let by_reset = "is it the end of what a reset says".to_owned();
    let by_input = format!("does {leading}, which leads there, say this after its own answer");
    let (why, mend) = match (leading.is_empty(), has_file) {
        (true, true) => (by_reset, "Let [[reset]] `expect` it"),
        (true, false) => (by_reset, "Let the program wait for it when it resets the device"),
        (false, true) => {
            (by_input, "A `wait_ms` beside what is sent makes it a part of its own output")
        }
        (false, false) => (by_input, "Let the program wait for it after that input"),
    };
    format!(
        "in state {late} each answer is `{text}` and then the answer of state {other}: {why}? {mend}, and this state disappears \
         from the model"
    )
}

/// The text before each answer of a state that is the answer of another one otherwise. A state that answers nothing to some input
/// says the text alone there, without its line end.
fn text_before(model: &Machine, late: u32, other: u32) -> Option<&str> {
    let answers: Vec<_> = inputs(model)
        .filter_map(|input| Some((output(model, late, input)?, output(model, other, input)?)))
        .collect();
    let text = answers.iter().find_map(|(more, less)| more.strip_suffix(less))?;
    let bytes = unescape(text).unwrap_or_else(|| text.into());
    let is_said = bytes.iter().any(u8::is_ascii_alphanumeric);
    let (with_text, alone): (Vec<_>, Vec<_>) =
        answers.iter().partition(|(more, less)| more.strip_suffix(less) == Some(text));
    let different: BTreeSet<_> = with_text.iter().map(|(_, less)| less).collect();
    let silent: BTreeSet<_> = alone.iter().map(|(_, less)| less).collect();
    let is_alone = |more: &str| text.strip_prefix(more).is_some_and(is_line_end);
    let are_alone = alone.iter().all(|(more, _)| is_alone(more)) && silent.len() <= 1;
    (is_said && are_alone && different.len() >= ANSWERS).then_some(text)
}

/// Whether this is nothing but line ends, as outputs write them.
fn is_line_end(text: &str) -> bool {
    text.replace(r"\r", "").replace(r"\n", "").is_empty()
}

fn inputs(model: &Machine) -> impl Iterator<Item = Input> {
    (0..).map(Input::new).take(model.inputs().len())
}

fn target(model: &Machine, state: u32, input: Input) -> Option<u32> {
    model.transition(state, input).map(|known| known.target)
}

fn output(model: &Machine, state: u32, input: Input) -> Option<&str> {
    model.transition(state, input).map(|known| model.output_name(known.output))
}

#[cfg(test)]
mod tests {
    use mealybug::machine::Builder;

    use super::*;

    const BANNER: &str = r"\r\nGrbl 1.1h\r\n";

    /// A controller whose `check` says its banner after its answer, in state 2. `said` is what state 2 says before the answers of
    /// state 0, and alone where that is silent.
    fn controller(said: &str, alone: &str, after_status: u32) -> Machine {
        let mut builder = Builder::default();
        let mut add = |from, input, to, output: &str| {
            builder.add(from, input, to, output).expect("one transition each");
        };
        for (state, before) in [(0, ""), (2, said)] {
            let back = if state == 2 { after_status } else { 0 };
            add(state, "status", back, &format!("{before}<Alarm>"));
            add(state, "unlock", 1, &format!("{before}ok"));
            add(state, "check", 0, &format!("{before}error:8"));
            add(state, "hold", 0, if state == 2 { alone } else { "(silence)" });
        }
        add(1, "status", 1, "<Idle>");
        add(1, "unlock", 1, "ok");
        add(1, "check", 2, "ok");
        add(1, "hold", 1, "(silence)");
        builder.build(0).expect("a machine")
    }

    #[test]
    fn a_state_that_only_says_what_the_input_before_it_says_late_is_named() {
        let notes = notes(&controller(BANNER, r"\r\nGrbl 1.1h", 0), true);
        let begins = r"in state 2 each answer is `\r\nGrbl 1.1h\r\n` and then the answer of state 0: does `check`, which";
        assert_eq!(notes.len(), 1);
        assert!(notes[0].starts_with(begins), "{notes:?}");
    }

    /// A device that greets with its first answer after a reset, and says what it has sent after the answer to each input.
    fn talker() -> Machine {
        let inputs = ["status", "unlock", "hold"];
        let mut builder = Builder::default();
        for (from, before) in [(0, "hello\\n"), (1, ""), (2, "a\\n"), (3, "b\\n"), (4, "c\\n")] {
            for (input, to) in inputs.into_iter().zip([2, 3, 4]) {
                let output = format!("{before}{input} ok");
                builder.add(from, input, to, &output).expect("one transition each");
            }
        }
        builder.build(0).expect("a machine")
    }

    #[test]
    fn states_that_say_the_same_late_are_one_note() {
        for (has_file, mend) in [(true, "Let [[reset]] `expect` it"), (false, "when it resets the")]
        {
            let notes = notes(&talker(), has_file);
            let [note] = &notes[..] else { panic!("{notes:?}") };
            assert!(note.starts_with(r"in state 0 each answer is `hello\n` and then"), "{note}");
            assert!(note.contains("is it the end of what a reset says? ") && note.contains(mend));
            assert!(note.ends_with(". 3 more states are like it"), "{note}");
        }
        let by_program = &notes(&controller(BANNER, r"\r\nGrbl 1.1h", 0), false)[0];
        assert!(
            by_program.contains("Let the program wait for it after that input"),
            "{by_program}"
        );
    }

    #[test]
    fn other_states_are_their_own() {
        // A mode that stays, another answer, no text, and no text that is always the same.
        for (said, alone, after_status) in [
            (BANNER, r"\r\nGrbl 1.1h", 2),
            (BANNER, r"\r\nGrbl 1.1", 0),
            (BANNER, "(silence)", 0),
            ("\\r\\n", "", 0),
        ] {
            let notes = notes(&controller(said, alone, after_status), true);
            assert_eq!(notes, Vec::<String>::new(), "{said} {alone}");
        }
    }
}
