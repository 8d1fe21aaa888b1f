//! Where a session stands, and what it has cost.

use crate::action::EndReason;
use crate::options::Options;
use crate::test_kind::{MIXTURE_KINDS, Tests};

/// Why words are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Purpose {
    /// To learn: to make a hypothesis.
    Learning,
    /// To find and shorten counterexamples.
    Testing,
}

/// Resets and symbols that were asked of the devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Costs {
    /// Resets that were done, one for each word.
    pub resets: u64,
    /// Input symbols.
    pub symbols: u64,
}

impl Costs {
    /// More was asked. No device is ever asked 2⁶⁴ symbols, so nothing overflows.
    pub(crate) fn add(&mut self, resets: u32, symbols: u32) {
        self.resets = self.resets.wrapping_add(resets.into());
        self.symbols = self.symbols.wrapping_add(symbols.into());
    }
}

/// What the tests of one kind have cost and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct KindCosts {
    /// Symbols of its tests that were asked; a test whose answer is known is not.
    pub symbols: u64,
    /// Counterexamples that it found.
    pub found: u32,
}

/// How often the components contradicted each other. Such words are found without asking a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct DefectCounts {
    /// Words without an output.
    pub none: u32,
    /// Words with several outputs.
    pub several: u32,
}

/// What the components divide among them.
#[cfg(feature = "tree")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Division {
    /// Nothing: there is one component.
    #[default]
    Whole,
    /// The outputs.
    Outputs,
    /// The inputs: a component has the outputs after some of the inputs.
    Inputs,
    /// The pairs of an input and an output.
    Pairs,
}

/// How many states components would have in total for the words that were asked, if they were divided best.
///
/// Counted on a sample of at most [`MAX_WORDS`](Self::MAX_WORDS) words after which the device is known to behave
/// differently. If learning has shown that the sample counts too few states, both divisions are corrected by that factor.
///
/// The learner does not count the initial state of each component. Of divisions with as many states it takes the one with
/// the most components.
#[cfg(feature = "tree")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Forecast {
    /// As one component.
    pub whole: u32,
    /// Divided by outputs.
    pub outputs: u32,
    /// Divided by inputs.
    pub inputs: u32,
    /// The number of components that are divided by outputs.
    pub output_components: u32,
    /// The number of components that are divided by inputs.
    pub input_components: u32,
}

#[cfg(feature = "tree")]
impl Forecast {
    /// The sample has at most this many words.
    pub const MAX_WORDS: u32 = 128;
}

/// How much a learner with an observation tree knows of the model that it is making.
///
/// A transition is an access word and an input. Components share it, so there are fewer than their states
/// times the inputs.
#[cfg(feature = "tree")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct TreeProgress {
    /// States of all components. New ones turn up until the hypothesis is right.
    pub states: u32,
    /// Transitions: access words times inputs.
    pub transitions: u32,
    /// Of these, how many were asked, though it is not known yet where they lead in some component. They are looked at
    /// once [`unknown`](Self::unknown) is 0.
    pub open: u32,
    /// Of these, how many were never asked.
    pub unknown: u32,
    /// What the components divide among them.
    pub division: Division,
    /// Why the learner chose this division; `None` if the caller said it, or if too little was asked.
    pub forecast: Option<Forecast>,
}

/// How far a session is, and what it has cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Progress {
    /// Why words are asked now.
    pub purpose: Purpose,
    /// Short rows of the observation table; with a tree, access words.
    pub short_rows: u32,
    /// Rows of the table, short and long; with a tree, its nodes.
    pub rows: u32,
    /// Suffixes of the table; with a tree, those that tell the states of the hypothesis apart.
    pub suffixes: u32,
    /// Outputs in a row of the table, one for each input of a suffix; suffixes share prefixes.
    pub columns: u32,
    /// Outputs known.
    pub outputs: u32,
    /// Components of the last hypothesis.
    pub components: u32,
    /// Their states in total.
    pub component_states: u32,
    /// The model that is being made; `None` with an observation table. It is not sent over a wire.
    #[cfg(feature = "tree")]
    pub tree: Option<TreeProgress>,
    /// Hypotheses made.
    pub rounds: u64,
    /// Tests in a row that found nothing.
    pub passing_tests: u64,
    /// Words without exactly one output that were found in the product.
    pub defects: DefectCounts,
    /// What learning cost.
    pub learning: Costs,
    /// What testing cost, shortening counterexamples included.
    pub testing: Costs,
    /// What the kinds of tests in the mixture have cost and found, in the order of [`MIXTURE_KINDS`].
    pub tests: [KindCosts; MIXTURE_KINDS.len()],
    /// The kind of tests that found the last counterexample; `None` if the caller gave it, or there was
    /// none.
    pub found_by: Option<Tests>,
    /// The most tests in a row that had passed when the next one found a counterexample. The longer such a streak was,
    /// the likelier it is that more is hidden. It is not sent over a wire.
    pub longest_streak: u32,
    /// The most memory that the session has used so far, in bytes.
    pub learner_bytes: usize,
}

impl Progress {
    /// Nothing was asked yet.
    pub(crate) const NONE: Self = {
        let none = Costs { resets: 0, symbols: 0 };
        Self {
            purpose: Purpose::Learning,
            short_rows: 0,
            rows: 0,
            suffixes: 0,
            columns: 0,
            outputs: 0,
            components: 0,
            component_states: 0,
            #[cfg(feature = "tree")]
            tree: None,
            rounds: 0,
            passing_tests: 0,
            defects: DefectCounts { none: 0, several: 0 },
            learning: none,
            testing: none,
            tests: [KindCosts { symbols: 0, found: 0 }; MIXTURE_KINDS.len()],
            found_by: None,
            longest_streak: 0,
            learner_bytes: 0,
        }
    };
}

/// The options of a session, how it ended and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct Summary {
    /// Its options.
    pub options: Options,
    /// Why it ended; `None` if it has not, or if an error ended it.
    pub end: Option<EndReason>,
    /// Whether an answer has refuted the last hypothesis, as of
    /// [`Session::is_refuted`](crate::Session::is_refuted).
    pub is_refuted: bool,
    /// How far it is, and what it has cost.
    pub progress: Progress,
}
