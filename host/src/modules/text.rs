//! Modules in words.

use super::Modules;
use super::module::listed;
use crate::export::shown;

impl Modules {
    /// What the device is, as a sentence without its end: `This device is 2 machines side by side`.
    pub fn sentence(&self) -> String {
        match (&self.modules[..], self.states) {
            ([], _) => "This device has one state".to_owned(),
            ([_], states) => format!(
                "This device is one machine of {states} states: it was not found to be smaller machines side by side"
            ),
            (several, _) => format!("This device is {} machines side by side", several.len()),
        }
    }

    /// The inputs that have the same output in all states, as a sentence without its end.
    pub fn constants(&self) -> Option<String> {
        let pairs = self.constant.iter();
        let pairs = pairs.map(|(input, output)| format!("{} / {}", shown(input), shown(output)));
        let pairs: Vec<_> = pairs.collect();
        (!pairs.is_empty())
            .then(|| format!("Inputs that always have the same output: {}", listed(&pairs)))
    }

    /// All of it: the sentence, and a line for each module.
    pub fn text(&self) -> String {
        let mut text = self.sentence();
        if let [_, _, ..] = &self.modules[..] {
            text += ":\n";
            for module in &self.modules {
                text += &format!("  {} ({})\n", shown(&module.name), module.facts());
            }
            text += &format!("As one machine it has {} states", self.states);
        }
        text += ".\n";
        if let Some(constants) = self.constants() {
            text += &format!("{constants}.\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo_lock::DemoLock;
    use crate::machine::Builder;
    use crate::machine::testing::machine;

    #[test]
    fn modules_are_a_sentence_and_a_list() {
        let modules = Modules::new(&DemoLock::machine()).expect("complete");
        let expected = "\
            This device is 2 machines side by side:\n  \
              light (2 states; inputs: light)\n  \
              1,2,enter,close (14 states; inputs: 1, 2, enter, close)\n\
            As one machine it has 28 states.\n";
        assert_eq!(modules.text(), expected);
    }

    #[test]
    fn what_is_one_machine_or_one_state_says_so() {
        let ring = machine(&[
            (0, "a", 1, "x"),
            (1, "a", 2, "x"),
            (2, "a", 0, "y"),
            (0, "b", 0, ""),
            (1, "b", 1, ""),
            (2, "b", 0, ""),
        ]);
        let ring = Modules::new(&ring).expect("complete");
        let expected = "\
            This device is one machine of 3 states: it was not found to be smaller machines side by side.\n\
            Inputs that always have the same output: b / (empty).\n";
        assert_eq!(ring.text(), expected);
        assert_eq!(ring.modules[0].moved_by, ["b"]);
        let mut builder = Builder::default();
        builder.add(0, "ping", 0, "pong").expect("new");
        let still = Modules::new(&builder.build(0).expect("complete")).expect("complete");
        let expected = "This device has one state.\n\
            Inputs that always have the same output: ping / pong.\n";
        assert_eq!(still.text(), expected);
    }
}
