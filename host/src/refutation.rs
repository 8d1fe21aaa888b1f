//! Where the answers of a device refute a model.

use mealybug_core::Mealy;

use crate::learned_components::output_name;
use crate::machine::Machine;
use crate::statistics::RefutingWord;
use crate::store::{AnswerTree, NodeId};
use crate::word;

/// A shortest word among these answers whose last output is not that of the model. `None` if there is none, as far as the model goes.
///
/// # Cost
/// A look at each answer.
pub fn refuting_word(answers: &AnswerTree, model: &Machine) -> Option<RefutingWord> {
    // After the root and each node: the state, and the length of the word, if all answers of the word are believed and those of the
    // model. A node comes after its parent.
    let mut explained = vec![Some((model.initial(), 0))];
    let mut shortest: Option<(u32, NodeId, String)> = None;
    for node in answers.nodes() {
        let (parent, input) = answers.origin(node);
        let step = explained[parent.index()].filter(|_| answers.is_believed(node));
        let step = step.and_then(|(state, len)| Some((model.transition(state, input)?, len + 1)));
        let mut after = None;
        if let Some((known, len)) = step {
            let output = output_name(answers.output(node));
            if model.output_name(known.output) == output {
                after = Some((known.target, len));
            } else if shortest.as_ref().is_none_or(|(shortest, ..)| len < *shortest) {
                shortest = Some((len, node, model.output_name(known.output).to_owned()));
            }
        }
        explained.push(after);
    }
    let (_, node, of_model) = shortest?;
    Some(RefutingWord {
        word: word::format(&answers.word(node), model.inputs()),
        pause_after: None,
        model: of_model,
        device: output_name(answers.output(node)),
    })
}

#[cfg(test)]
mod tests {
    use mealybug_core::Input;

    use super::*;
    use crate::machine::testing::lamp;

    const PRESS: Input = Input::new(0);
    const HOLD: Input = Input::new(1);

    #[test]
    fn the_shortest_word_that_refutes_a_model_is_found() {
        let mut answers = AnswerTree::default();
        let mut say = |node: NodeId, input, output: &str| {
            answers.observe(node, input, output.as_bytes(), 0).node
        };
        let on = say(NodeId::ROOT, PRESS, "on");
        let held = say(on, HOLD, "on");
        let off = say(held, PRESS, "off");
        // What is answered otherwise, and what came only once.
        say(off, PRESS, "broken");
        say(NodeId::ROOT, HOLD, "garbled");
        for _ in 0..2 {
            say(NodeId::ROOT, HOLD, "off");
        }
        let found = refuting_word(&answers, &lamp()).expect("a word");
        assert_eq!((found.word.as_str(), found.pause_after), ("press hold press press", None));
        assert_eq!((found.model.as_str(), found.device.as_str()), ("on", "broken"));
        let mut answers_at = |node: NodeId| answers.observe(node, HOLD, b"dim", 0);
        answers_at(off);
        answers_at(off);
        let found = refuting_word(&answers, &lamp()).expect("a word");
        assert_eq!(found.word, "press hold press press", "the first of its length");
        for _ in 0..2 {
            answers.observe(on, PRESS, b"stuck", 0);
        }
        assert_eq!(refuting_word(&answers, &lamp()).expect("a word").word, "press press");
    }

    #[test]
    fn a_model_that_explains_all_answers_is_not_refuted() {
        let mut answers = AnswerTree::default();
        let on = answers.observe(NodeId::ROOT, PRESS, b"on", 0).node;
        answers.observe(on, HOLD, b"on", 0);
        assert_eq!(refuting_word(&answers, &lamp()), None);
        assert_eq!(refuting_word(&AnswerTree::default(), &lamp()), None);
    }
}
