//! Finds out which inputs, or the reset, end the connection. What happens twice is the device; once, it may be the network.

use mealybug_core::Input;

use super::super::checked_device::{CheckedDevice, FaultKind};
use super::ask::FailedWord;
use super::{AskedInputs, Plan};

impl<D: CheckedDevice> Plan<'_, D> {
    /// The last input of a word found the connection ended: finds out which input ends it, if one does.
    pub(super) fn find_end(&mut self, word: Vec<Input>, message: String) -> Result<(), D::Error> {
        if !self.listening_always(|plan| plan.ends_again(word))? {
            let reason = "the connection ended".to_owned();
            self.evidence.fault(FaultKind::Gone, reason, message, None);
        }
        Ok(())
    }

    /// Asks a word again at whose last input the connection had ended, first without that input. Returns whether the
    /// connection ends again, or the check was ended.
    fn ends_again(&mut self, word: Vec<Input>) -> Result<bool, D::Error> {
        let before = self.evidence.ends();
        match &word[..] {
            [rest @ .., _] if !rest.is_empty() => drop(self.ask(rest)?),
            [input] if self.reset_ends(*input) => return Ok(true),
            _ => {}
        }
        if self.evidence.ends() > before || !self.goes_on() {
            return Ok(true);
        }
        let (mut asked, mut inputs) = (AskedInputs::new(), word.iter().copied());
        match self.ask_word(&mut |_| inputs.next(), &mut asked) {
            Err(FailedWord { error, .. }) => match D::fault(&error) {
                FaultKind::Gone if asked.len() + 1 == word.len() => {
                    self.end(word.clone());
                    self.end(word);
                    Ok(true)
                }
                FaultKind::Away | FaultKind::Device => Err(error),
                _ => Ok(false),
            },
            Ok(()) => Ok(self.evidence.ends() > before),
        }
    }

    /// Asks, and listens to each word for what comes late.
    fn listening_always<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        let listened = std::mem::replace(&mut self.listens_always, true);
        let asked = ask(self);
        self.listens_always = listened;
        asked
    }

    /// Where an input ends the connection only after some words, such as the last of many errors, asks the same words with each other
    /// input in its place.
    pub(super) fn try_other_ends(&mut self) -> Result<(), D::Error> {
        let all: Vec<_> = (0..).map(Input::new).take(self.evidence.outputs.len()).collect();
        let is_answered = |input: Input| {
            let mut outputs = self.evidence.outputs[input.index() as usize].iter();
            outputs.any(|(output, _)| !self.device.is_end(output))
        };
        let ending = all.iter().filter(|input| is_answered(**input));
        let words = ending.filter_map(|input| Some((*input, self.evidence.end_after(*input)?)));
        let words: Vec<_> = words.map(|(input, word)| (input, word.to_vec())).collect();
        for ((ending, word), &other) in
            words.iter().flat_map(|it| all.iter().map(move |other| (it, other)))
        {
            let word: Vec<_> =
                word.iter().map(|&it| if it == *ending { other } else { it }).collect();
            // What happens twice is the device. The end may come after the answer.
            for _ in 0..2 {
                if self.evidence.end_after(other).is_some() || !self.goes_on() {
                    break;
                }
                let ends = self.evidence.ends();
                self.listening_always(|plan| plan.ask(&word))?;
                if self.evidence.ends() == ends {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Whether the connection ends after a reset; `input` says how long to listen.
    fn reset_ends(&mut self, input: Input) -> bool {
        if !self.evidence.ends_after_reset && self.reset().0.is_ok() {
            let heard = self.device.listen(input, &[]);
            self.evidence.ends_after_reset =
                heard.is_err_and(|error| D::fault(&error) == FaultKind::Gone);
        }
        self.evidence.ends_after_reset
    }

    /// The connection has ended after the last input of this word. What happens twice is an output from then on.
    pub(super) fn end(&mut self, word: Vec<Input>) {
        if let Some(&last) = word.last()
            && self.evidence.end(word) > 1
        {
            self.device.allow_end(last);
        }
    }
}
