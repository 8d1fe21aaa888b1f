//! `statistics.json`: the options of a run, how it ended, and what it cost.
//!
//! The docs of the types and fields below are also the descriptions in `docs/schema/statistics.json`, which is
//! generated from them.

mod boards;
mod components;
mod costs;
mod ending;
mod number;
mod options;
mod refuting_word;

use std::fmt;

use mealybug_core::{Costs, Progress};
use serde::{Deserialize, Serialize};

pub use boards::BoardRecord;
pub use components::{ComponentRecord, DividedBy, Forecast, LearnerSize, ModuleRecord};
pub use costs::{Cost, EarlierSessions, KindRecord, Published, Serial, Spent};
pub use ending::EndCode;
pub use number::number;
pub use options::OptionsRecord;
pub use refuting_word::RefutingWord;

use crate::advice::Advised;
use crate::confidence::{self, Confidence};
use crate::learn::Outcome;
use crate::machine::Gaps;
use crate::short_output::short_both;

/// The statistics of a run.
///
/// Two runs with the same options, and devices that do the same, have the same statistics but for `seconds` and
/// `serial`. Where a reset or an input takes 100 ms or more, tests follow the measured times and differ.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Statistics {
    /// Whether the hypothesis passed all tests that were wanted.
    pub converged: bool,
    /// Why the run ended.
    pub why: EndCode,
    /// Why the run ended, as part of a sentence for people.
    pub reason: String,
    /// Whether an answer contradicts the model: the run ended before it learned from that answer.
    pub refuted: bool,
    /// A shortest word whose answer contradicts the model; null if there is none, or if the model is too large.
    #[serde(default)]
    pub refuted_by: Option<RefutingWord>,
    /// In simulation, whether the result equals the model; null for a device, and for a partial result.
    pub equals_model: Option<bool>,
    /// The options of the run, as fields of the file.
    #[serde(flatten)]
    pub options: OptionsRecord,
    /// The number of states of the minimal model; null if there is none.
    pub states: Option<u32>,
    /// The transitions of the model that are not confirmed; without a model, those of all components.
    pub gaps: Gaps,
    /// The modules of the model, if it is several machines side by side.
    pub modules: Vec<ModuleRecord>,
    /// The components.
    pub components: Vec<ComponentRecord>,
    /// What the components divide among them; null without a hypothesis.
    pub division: Option<DividedBy>,
    /// With `--projections chosen`, the reason of the choice; null otherwise, and before a choice.
    pub forecast: Option<Forecast>,
    /// The number of inputs.
    pub inputs: usize,
    /// The number of different outputs that were seen.
    pub outputs: u32,
    /// The number of hypotheses.
    pub rounds: u64,
    /// Each hypothesis that was made.
    pub hypotheses: Vec<Round>,
    /// The size of what the learner keeps, as fields of the file.
    #[serde(flatten)]
    pub size: LearnerSize,
    /// The number of random tests that the last hypothesis has passed.
    pub tests_passed: u64,
    /// Words that components contradicted each other about.
    pub defects: Defects,
    /// What learning cost: words that fill the table or tree, and words asked on advice.
    pub learning: Cost,
    /// What testing cost: words that look for counterexamples, and words that shorten them.
    pub testing: Cost,
    /// What the advice of each model of `--like` cost and gave.
    pub advice: Vec<AdviceRecord>,
    /// Each kind of tests of the mixture that was asked.
    pub mixture: Vec<KindRecord>,
    /// How well the last hypothesis is tested; null if it is refuted or partial, or if it equals the model that is
    /// simulated.
    pub confidence: Option<Confidence>,
    /// The cost of the earlier sessions of a resumed run; null for a run of one session. What the learner did
    /// (`rounds`, `learning`, `testing`, `hypotheses`, `contradictions`) is that of all sessions, since a resumed run learns anew from
    /// the answers that it knows. `device`, `retries`, `serial`, `boards` and `seconds` are those of the last session.
    #[serde(default)]
    pub earlier: Option<EarlierSessions>,
    /// What reached the device. That is less than `learning` and `testing` together where answers were known before. It
    /// is more by words that were asked again, and by the word that the end of the run interrupted.
    pub device: Cost,
    /// With `--profile paper`, the costs by the rules of the published figures; null otherwise.
    pub published: Option<Published>,
    /// The most memory that the learner used, in bytes.
    pub learner_bytes: usize,
    /// The number of symbols that `answers.log` answered, because the device had answered them before.
    pub recalled: u64,
    /// The number of words that were asked again because the link failed.
    pub retries: u64,
    /// The number of answers that are not believed, because the device gave other answers more often.
    pub contradictions: u64,
    /// The number of words whose first answer never came again after another one, a sign that the reset does not clear everything.
    /// If noise contradicted words in any other way, only the words count whose order of answers is unlikely to be chance. 0 if the
    /// device file states its `noise`.
    #[serde(default)]
    pub gone_answers: u64,
    /// The number of words after which the device says something late by itself that the model shows as the answer to whatever is
    /// sent next.
    #[serde(default)]
    pub late_words: u64,
    /// Words that the device answered otherwise than the model when the run had converged and asked words with pauses. At most one, since
    /// the search ends there.
    #[serde(default)]
    pub refuting_words: Vec<RefutingWord>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// For a device behind a serial port, where the time went; null otherwise, and with several boards.
    pub serial: Option<Serial>,
    /// With several boards, what each of them did; empty otherwise.
    pub boards: Vec<BoardRecord>,
    /// How long the run took, in seconds.
    pub seconds: f64,
}

/// A hypothesis, and what the run had cost when it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Round {
    /// The number of states of its minimal machine; null if that is too large, or if its components contradict each
    /// other.
    pub states: Option<u32>,
    /// The number of its components.
    pub components: u32,
    /// The number of their states in total.
    pub component_states: u32,
    /// What learning had cost.
    pub learning: Cost,
    /// What testing had cost.
    pub testing: Cost,
    /// The tests that refuted the hypothesis before this one, as `--tests` names them; null for the first hypothesis, and
    /// if a word of `--words` or a known answer refuted it.
    pub found_by: Option<String>,
}

/// What came of the advice of an older model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AdviceRecord {
    /// The model, as `--like` names it.
    pub model: String,
    /// The words that were asked on its advice; part of `learning`.
    pub asked: Cost,
    /// The number of these words that were counterexamples.
    pub helped: u64,
    /// Whether its advice was still followed at the end.
    pub followed: bool,
}

/// The number of words of the product of components that did not have exactly one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Defects {
    /// Words without an output.
    pub none: u32,
    /// Words with several outputs.
    pub several: u32,
}

impl Statistics {
    /// The statistics of a run with these options and this outcome. The caller fills in the other
    /// fields.
    pub fn new<E>(options: OptionsRecord, ending: &Outcome<E>, progress: Progress) -> Self {
        Self {
            converged: ending.is_converged(),
            why: ending.into(),
            reason: ending::reason(ending, &options, progress.passing_tests),
            refuted: false,
            refuted_by: None,
            equals_model: None,
            size: LearnerSize::new(options.algorithm, &progress),
            options,
            states: None,
            gaps: Gaps::default(),
            modules: Vec::new(),
            components: Vec::new(),
            division: None,
            forecast: progress.tree.and_then(|tree| tree.forecast).map(Into::into),
            inputs: 0,
            outputs: progress.outputs,
            rounds: progress.rounds,
            hypotheses: Vec::new(),
            tests_passed: progress.passing_tests,
            defects: Defects { none: progress.defects.none, several: progress.defects.several },
            learning: progress.learning.into(),
            testing: progress.testing.into(),
            advice: Vec::new(),
            mixture: KindRecord::all(&progress),
            confidence: None,
            earlier: None,
            device: Costs::default().into(),
            published: None,
            learner_bytes: progress.learner_bytes,
            recalled: 0,
            retries: 0,
            contradictions: 0,
            gone_answers: 0,
            late_words: 0,
            refuting_words: Vec::new(),
            warnings: Vec::new(),
            serial: None,
            boards: Vec::new(),
            seconds: 0.0,
        }
    }

    /// How many of the tests in a row that the result has passed asked what no word had asked before; `None` if
    /// that is not known.
    pub fn new_tests(&self) -> Option<u64> {
        let last =
            self.hypotheses.last().filter(|_| self.hypotheses.len() as u64 == self.rounds)?;
        Some(self.testing.resets.saturating_sub(last.testing.resets).min(self.tests_passed))
    }

    /// How the components divide the device, as the rest of a sentence about them, if there are
    /// several: `divide its inputs and have 12 states in total`.
    pub fn divided(&self) -> Option<String> {
        let what = match self.division? {
            DividedBy::Outputs => "outputs",
            DividedBy::Inputs => "inputs",
            DividedBy::Pairs => "pairs of an input and an output",
            DividedBy::Whole => return None,
        };
        let states: u64 = self.components.iter().map(|component| u64::from(component.states)).sum();
        let unit = if states == 1 { "state" } else { "states" };
        Some(format!("divide its {what} and have {} {unit} in total", number(states)))
    }

    /// The reason for the division as a sentence, if the learner chose it.
    pub fn choice(&self) -> Option<String> {
        Some(self.forecast?.sentence(self.division?))
    }

    /// What reached the device in all sessions of the run.
    pub fn device_in_all(&self) -> Cost {
        self.earlier.map_or(self.device, |earlier| self.device + earlier.device)
    }

    /// How many seconds all sessions of the run took.
    pub fn seconds_in_all(&self) -> f64 {
        self.seconds + self.earlier.map_or(0.0, |earlier| earlier.seconds)
    }

    /// Whether the run converged and nothing speaks against its model.
    pub fn is_sure(&self) -> bool {
        let goal = 1.0 - self.options.confidence_wanted.unwrap_or(confidence::DEFAULT);
        let chance = self.confidence.and_then(|confidence| confidence.chance);
        // The chance is larger where few tests in a row were wanted.
        let is_doubtful = self.but().is_some();
        self.converged && !is_doubtful && chance.is_none_or(|chance| chance <= goal)
    }

    /// Whether the model is to be believed, in a word or two.
    pub fn verdict(&self) -> &'static str {
        match (self.converged, self.is_sure()) {
            (false, _) => "NOT converged",
            (true, false) => "Not sure",
            (true, true) => "Converged",
        }
    }

    /// Why the run ended, as part of a sentence, and what speaks against its result.
    pub fn full_reason(&self) -> String {
        match self.but().filter(|_| self.converged) {
            Some(but) => format!("{}, but {but}", self.reason),
            None => self.reason.clone(),
        }
    }

    /// What speaks against a model that has passed its tests.
    fn but(&self) -> Option<&'static str> {
        let is_by_pause = |it: &RefutingWord| it.pause_after.is_some();
        let doubts = [
            (self.gone_answers > 0, "the reset may not clear everything"),
            (self.late_words > 0, "the device says by itself what the model shows as an answer"),
            (
                !self.refuting_words.iter().all(is_by_pause),
                "the device answers otherwise than the model",
            ),
            (!self.refuting_words.is_empty(), "pauses change its answers"),
        ];
        doubts.into_iter().find_map(|(is_doubtful, why)| is_doubtful.then_some(why))
    }

    /// How an answer contradicts the model, if one does.
    pub fn refutation(&self) -> Option<String> {
        let how = match &self.refuted_by {
            Some(RefutingWord { word, model, device, .. }) => {
                let [model, device] = short_both([model, device]);
                format!(
                    "the last input of `{word}` is answered `{device}`, and the model says `{model}`"
                )
            }
            None => "it is wrong somewhere".to_owned(),
        };
        self.refuted.then(|| format!("An answer contradicts the model: {how}"))
    }

    /// A note that accompanies each display of the model: that the run did not converge, and what
    /// the model does not know.
    pub fn note(&self) -> Option<String> {
        let gaps = match self.gaps.is_empty() {
            true => String::new(),
            false => format!("; {}", self.gaps),
        };
        let wrong = if self.refuted { "; an answer contradicts this model" } else { "" };
        (!self.converged).then(|| format!("NOT CONVERGED: {}{gaps}{wrong}", self.reason))
    }
}

impl Round {
    /// A hypothesis with this number of states, and the progress of the run when it was made.
    pub fn new(states: Option<u32>, progress: Progress) -> Self {
        Self {
            states,
            components: progress.components,
            component_states: progress.component_states,
            learning: progress.learning.into(),
            testing: progress.testing.into(),
            found_by: progress.found_by.map(|tests| tests.to_string()),
        }
    }
}

/// Such as `OLD.dot: 12 words, 9 of them helped`.
impl fmt::Display for AdviceRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, asked, helped, followed } = self;
        let words = if asked.resets == 1 {
            "1 word".to_owned()
        } else {
            format!("{} words", number(asked.resets))
        };
        write!(f, "{model}: {words}, {} of them helped", number(*helped))?;
        if *followed { Ok(()) } else { f.write_str("; not followed at the end") }
    }
}

impl From<Advised> for AdviceRecord {
    fn from(advised: Advised) -> Self {
        let Advised { model, asked, helped, is_followed: followed } = advised;
        Self { model, asked: asked.into(), helped, followed }
    }
}
