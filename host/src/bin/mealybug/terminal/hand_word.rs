//! Words as they are typed by hand: inputs, with resets between them.

use mealybug::word::{self, UnknownInput};
use mealybug_core::Input;

/// What is done to a device by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandStep {
    /// Back to the initial state.
    Reset,
    /// An input.
    Input(Input),
}

/// A name for a command that is the name of no input.
pub(crate) fn unlike_inputs(name: &str, inputs: &[String]) -> String {
    let mut name = name.to_owned();
    while inputs.contains(&name) {
        name.push('!');
    }
    name
}

/// Reads inputs, and the command `reset` between them.
///
/// # Errors
/// The text names something else.
pub(crate) fn parse(text: &str, inputs: &[String]) -> Result<Vec<HandStep>, UnknownInput> {
    let reset = Input::new(u32::try_from(inputs.len()).unwrap_or(u32::MAX));
    let names = [inputs, &[unlike_inputs("reset", inputs)]].concat();
    // Only an input can have been meant.
    let word = word::parse(text, &names).map_err(|error| UnknownInput::new(&error.text, inputs))?;
    let steps = word.into_iter();
    Ok(steps.map(|it| if it == reset { HandStep::Reset } else { HandStep::Input(it) }).collect())
}

#[cfg(test)]
mod tests {
    use miette::Diagnostic;

    use super::*;

    #[test]
    fn resets_stand_between_inputs_and_an_input_may_have_their_name() {
        let [first, second] = [0, 1].map(|number| HandStep::Input(Input::new(number)));
        let names = ["go", "reset now"].map(str::to_owned);
        let word = parse("go reset go reset now", &names).expect("a word");
        assert_eq!(word, [first, HandStep::Reset, first, second]);
        let names = ["go", "reset"].map(str::to_owned);
        let word = parse("reset go reset!", &names).expect("a word");
        assert_eq!(word, [second, first, HandStep::Reset]);
        let error = parse("go stop", &names).expect_err("no such input");
        assert_eq!(error.to_string(), "there is no input `stop`");
        assert_eq!(
            error.help().map(|help| help.to_string()).as_deref(),
            Some("the inputs are `go`, `reset`")
        );
    }
}
