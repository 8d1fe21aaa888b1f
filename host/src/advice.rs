//! Older models as advice: a word on which another version of the device differed is worth asking,
//! but its answer is never taken for granted.
//!
//! At each hypothesis, before any test, the session is given a shortest word on which the
//! hypothesis and an older model differ. If it is a counterexample, it costs one word where tests
//! might have cost many. If not, the device has contradicted the older model. That transition is
//! then doubted: the search goes on and no longer follows it. An answer that is already known and
//! contradicts the older model has the same effect. Inputs and outputs are matched by name. Unknown
//! transitions of a partial model, and the targets that it guesses, give no advice.
//!
//! An older model is not asked while its words that were no counterexamples outnumber those that
//! were, and exceed an eighth of all words or of all symbols. Wrong advice therefore costs at most
//! an eighth of a run, and an older model whose advice has failed can still help later.
//!
//! All decisions depend only on the answers that the session was given, in their order. The number
//! of lanes and the other contents of a store make no difference.

mod answers;
mod search;
#[cfg(test)]
mod tests;

use mealybug_core::{Costs, Hypothesis, Input, Mealy, Output};
use rustc_hash::FxHashSet;

use crate::machine::{Machine, Transition};
use answers::{AnswerTrie, MatchedName, MatchedNames};
use search::{AdviceSearch, DifferingWord, OldTransition};

/// Failed advice may cost one word in 8, and one symbol in 8.
const SHARE: u64 = 8;

/// A model of an older version of the device, or of a device that is like it.
#[derive(Clone, Debug)]
pub struct OlderModel {
    /// Its name in messages to the user.
    pub name: String,
    /// What it does; it may be partial.
    pub machine: Machine,
}

/// What the advice of an older model was worth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advised {
    /// The name of the model.
    pub model: String,
    /// What its advice cost.
    pub asked: Costs,
    /// How many of these words were counterexamples.
    pub helped: u64,
    /// Whether it is still asked for advice.
    pub is_followed: bool,
}

/// The advice of older models, for one run.
#[derive(Clone, Debug)]
pub struct Advice {
    older: Vec<Older>,
    names: MatchedNames,
    answers: AnswerTrie,
    /// The cost of all new answers so far.
    total: Costs,
    /// The outputs of the word being asked, so far.
    heard: Vec<MatchedName>,
    /// The last word that was given.
    given: Option<Given>,
    news: Vec<String>,
}

/// A word that is asked on advice.
#[derive(Clone, Debug)]
struct Given {
    /// The index of the older model that gave the advice.
    by: usize,
    /// The round of the hypothesis for which it was given.
    round: u64,
    difference: DifferingWord,
}

impl Advice {
    /// Prepares these older models for a device with these inputs.
    pub fn new(inputs: &[String], older: impl IntoIterator<Item = OlderModel>) -> Self {
        let mut names = MatchedNames::default();
        let older = older.into_iter().map(|older| Older::new(older, inputs, &mut names));
        let mut advice = Self {
            older: older.collect(),
            names,
            answers: AnswerTrie::default(),
            total: Costs::default(),
            heard: Vec::new(),
            given: None,
            news: Vec::new(),
        };
        for older in advice.older.iter().filter(|older| !older.has_inputs()) {
            let name = &older.name;
            advice.news.push(format!("{name} gives no advice: it has none of the device's inputs"));
        }
        advice
    }

    /// Records the device's output to the input at `position` of the word being asked.
    pub fn hear(&mut self, position: usize, output: &[u8]) {
        self.heard.truncate(position);
        self.heard.push(self.names.number(output));
    }

    /// Records that the whole word was answered.
    pub fn answered(&mut self, word: &[Input]) {
        self.heard.iter().for_each(|&name| self.names.came(name));
        // With several lanes, the session may ask a test whose answer arrived in the meantime.
        if self.answers.take(word, &self.heard) {
            self.total.resets += 1;
            self.total.symbols += word.len() as u64;
        }
        self.heard.clear();
    }

    /// Called when the hypothesis of this round exists: whether the last advised word was a
    /// counterexample is then known.
    pub fn settle(&mut self, round: u64) {
        if let Some(Given { by, round: before, difference }) = self.given.take() {
            self.older[by].take(&difference, round > before);
        }
    }

    /// A word on which an older model differs from the hypothesis of this round. The previous word
    /// must have been asked by now.
    pub fn word(&mut self, round: u64, hypothesis: Hypothesis<'_>) -> Option<Vec<Input>> {
        self.settle(round);
        let outputs = (0..hypothesis.outputs()).map(Output::new);
        let outputs = outputs.map(|output| self.names.number(hypothesis.output_name(output)));
        let outputs: Vec<_> = outputs.collect();
        for (by, older) in self.older.iter_mut().enumerate() {
            if !older.is_wanted(self.total) {
                if older.has_inputs() && !older.is_told_of {
                    self.news.push(older.doubt());
                }
                continue;
            }
            let found = older.difference(round, hypothesis, &outputs, &self.answers);
            if let Some(difference) = found {
                older.asked.resets += 1;
                older.asked.symbols += difference.word.len() as u64;
                let word = difference.word.clone();
                self.given = Some(Given { by, round, difference });
                return Some(word);
            }
            if older.has_inputs() && !older.has_outputs(&self.names) && !older.is_told_of {
                self.news.push(older.without_outputs());
            }
        }
        None
    }

    /// Forgets all answers, because one is no longer believed and the session starts again.
    pub fn begin_anew(&mut self) {
        self.answers = AnswerTrie::default();
        self.total = Costs::default();
        self.heard.clear();
        self.given = None;
        self.names.begin_anew();
        self.older.iter_mut().for_each(Older::begin_anew);
    }

    /// Messages for the user, each returned once.
    pub fn take_news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    /// The result so far, for each model.
    pub fn advised(&self) -> impl Iterator<Item = Advised> + '_ {
        self.older.iter().map(|older| Advised {
            model: older.name.clone(),
            asked: older.asked,
            helped: older.helped,
            is_followed: older.is_wanted(self.total) && older.has_outputs(&self.names),
        })
    }

    /// The result so far, summed over all models.
    pub fn total(&self) -> Advised {
        self.advised().fold(Advised::default(), |mut total, advised| {
            total.asked.resets += advised.asked.resets;
            total.asked.symbols += advised.asked.symbols;
            total.helped += advised.helped;
            total.is_followed |= advised.is_followed;
            total
        })
    }
}

/// An older model, and the result of its advice.
#[derive(Clone, Debug)]
struct Older {
    name: String,
    machine: Machine,
    /// For each input of the device, the model's input of the same name.
    inputs: Vec<Option<Input>>,
    /// The names of its outputs.
    outputs: Vec<MatchedName>,
    /// Transitions whose output differs from that of the device after the word that reached them.
    doubted: FxHashSet<(u32, Input)>,
    /// The round and the search of that round.
    search: Option<(u64, AdviceSearch)>,
    /// What its advice cost.
    asked: Costs,
    /// What its advice cost where it was no counterexample.
    failed: Costs,
    /// The number of its words that were counterexamples.
    helped: u64,
    /// Whether the user was told that it is not followed.
    is_told_of: bool,
}

impl Older {
    fn new(model: OlderModel, inputs: &[String], names: &mut MatchedNames) -> Self {
        let OlderModel { name, machine } = model;
        let outputs = machine.outputs().iter().map(|output| names.number(output.as_bytes()));
        Self {
            inputs: inputs.iter().map(|name| machine.find_input(name)).collect(),
            outputs: outputs.collect(),
            name,
            machine,
            doubted: FxHashSet::default(),
            search: None,
            asked: Costs::default(),
            failed: Costs::default(),
            helped: 0,
            is_told_of: false,
        }
    }

    fn begin_anew(&mut self) {
        self.doubted.clear();
        self.search = None;
        (self.asked, self.failed, self.helped) = (Costs::default(), Costs::default(), 0);
    }

    /// Whether it shares an input with the device.
    fn has_inputs(&self) -> bool {
        self.inputs.iter().any(Option::is_some)
    }

    /// Whether the device gave one of its outputs, or has given none at all yet.
    fn has_outputs(&self, names: &MatchedNames) -> bool {
        names.is_new() || self.outputs.iter().any(|&output| names.has_come(output))
    }

    /// Whether to ask for its advice, given the cost of the whole run.
    fn is_wanted(&self, total: Costs) -> bool {
        let Costs { resets, symbols } = self.failed;
        let is_dear = resets * SHARE > total.resets || symbols * SHARE > total.symbols;
        self.has_inputs() && !(resets > self.helped && is_dear)
    }

    /// Records whether its word was a counterexample.
    fn take(&mut self, difference: &DifferingWord, is_cex: bool) {
        if is_cex {
            self.helped += 1;
            return;
        }
        self.failed.resets += 1;
        self.failed.symbols += difference.word.len() as u64;
        self.doubted.insert(difference.transition());
    }

    /// The next word that may be a counterexample, given the answers that are known.
    fn difference(
        &mut self,
        round: u64,
        hypothesis: Hypothesis<'_>,
        outputs: &[MatchedName],
        answers: &AnswerTrie,
    ) -> Option<DifferingWord> {
        let Self { machine, inputs, outputs: own, doubted, .. } = self;
        let mut search = self.search.take().filter(|(of, _)| *of == round);
        let (_, walk) =
            search.get_or_insert_with(|| (round, AdviceSearch::new(hypothesis, machine.initial())));
        let found = loop {
            let claim = |state, input: Input| {
                if doubted.contains(&(state, input)) {
                    return None;
                }
                let known = machine.transition(state, inputs[input.index() as usize]?)?;
                let Transition { target, output, is_open } = known;
                let target = Some(target).filter(|_| !is_open);
                Some(OldTransition { output: own[output.index() as usize], target })
            };
            let Some(difference) = walk.difference(hypothesis, outputs, claim) else { break None };
            match answers.last(&difference.word) {
                Some(said) if said != difference.output => {
                    doubted.insert(difference.transition());
                }
                _ => break Some(difference),
            }
        };
        self.search = search;
        found
    }

    /// The message when its advice is no longer wanted.
    fn doubt(&mut self) -> String {
        self.is_told_of = true;
        let Self { name, helped, asked, .. } = self;
        format!(
            "{name} is no longer followed, unless the run gets much longer: {helped} of the {} words asked on \
             its advice helped",
            asked.resets
        )
    }

    /// The message when the device has answered, but with none of the model's outputs.
    fn without_outputs(&mut self) -> String {
        self.is_told_of = true;
        format!("{} is not followed: the device has said none of its outputs so far", self.name)
    }
}
