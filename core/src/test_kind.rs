//! The kinds of tests that try a hypothesis.

mod names;

pub use names::ParseTestsError;

/// Whether there are the tests that need the feature `mixture`.
pub(crate) const HAS_ALL: bool = cfg!(feature = "mixture");

/// The kinds of tests in the mixture.
pub const MIXTURE_KINDS: [Tests; 5] =
    [Tests::Systematic, Tests::Splice, Tests::Coverage, Tests::Repetition, Tests::LongWords];

/// Which words test a hypothesis. [The guide](crate::guide::testing) compares the kinds.
///
/// ```
/// use mealybug_core::Tests;
///
/// assert_eq!("wp:1".parse(), Ok(Tests::Wp { extra_states: 1 }));
/// assert_eq!(Tests::RandomWp.to_string(), "random-wp");
/// assert!("wp".parse::<Tests>().is_err()); // without its number of extra states
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Tests {
    /// A mixture of the five kinds that follow. The kind that finds more gets the larger share. Each test
    /// of these kinds but the last ends with a word that tells the state reached from several others,
    /// where there is one.
    Mixture,
    /// Every state with every infix of one input, each once and in random order; then every state with
    /// every infix of two inputs, and so on.
    Systematic,
    /// The access word of a random state, one or two random inputs, then the end of another
    /// state's access word, as if the random inputs had not been.
    Splice,
    /// Walks from a random state, 20 inputs long on average. Each input is one that was tried least in
    /// its state after the input before it. Where a reset is dear, a test has several walks. The counts
    /// take 512 bytes of memory.
    Coverage,
    /// The access word of a random state, then one input, or two or three in turn, over and over, 3 to 24
    /// inputs in all, then 1 to 4 random inputs.
    Repetition,
    /// Random words, of 50 inputs on average.
    LongWords,
    /// Random words of the Wp-method: the access word of a random state, 2 random inputs and 10
    /// more on average, then a suffix that tells all states apart or one that tells the state
    /// reached from another.
    ///
    /// Fujiwara, v. Bochmann, Khendek, Amalou, Ghedamsi, *Test selection based on finite state
    /// models*, IEEE TSE 17(6), 1991; randomised with the parameters of the paper's experiments.
    RandomWp,
    /// Random words, of 20 inputs on average.
    RandomWords,
    /// The W-method's complete suite for `extra_states`. The hypothesis is right for a device that passes
    /// if each state of the device is reached by the access word of a state of the hypothesis and at
    /// most `extra_states` inputs after it. This holds for every device with at most `extra_states` more
    /// states than the hypothesis.
    ///
    /// Chow, *Testing software design modeled by finite-state machines*, IEEE TSE 4(3), 1978;
    /// Vasilevskii, *Failure diagnosis of automata*, Kibernetika 9(4), 1973.
    W {
        /// States that the device may have beyond those of the hypothesis.
        extra_states: u32,
    },
    /// The Wp-method's complete suite for `extra_states`, with the same promise for fewer symbols.
    Wp {
        /// States that the device may have beyond those of the hypothesis.
        extra_states: u32,
    },
    /// The complete suites of all components at once: words of the Wp-method that begin with the access
    /// words of the short rows. These reach every state of every component. The product can have far more
    /// states, where the words of [`Tests::Wp`] begin.
    ///
    /// The hypothesis is right for a device that passes if each projection of the device has at most
    /// `extra_states` more states than its component, or if each state of the device is reached by the word
    /// of a short row and at most `extra_states` inputs after it. Neither this promise nor that of
    /// [`Tests::Wp`] implies the other: one more state in a device can be many in a projection, and one
    /// more in each projection can be many in the device.
    Components {
        /// States that each projection of the device may have beyond those of the component.
        extra_states: u32,
    },
    /// No tests: the caller replies to [`Action::Hypothesis`](crate::Action::Hypothesis) with words of its
    /// own.
    External,
}

impl Tests {
    /// [`Mixture`](Self::Mixture), or [`RandomWp`](Self::RandomWp) without the feature `mixture`.
    pub const DEFAULT: Self = if HAS_ALL { Self::Mixture } else { Self::RandomWp };

    /// Whether this program has these tests. The mixture, its kinds and
    /// [`Components`](Self::Components) need the feature `mixture`.
    pub fn is_supported(self) -> bool {
        let is_extra = matches!(self, Self::Mixture | Self::Components { .. });
        HAS_ALL || !is_extra && !MIXTURE_KINDS.contains(&self)
    }

    /// Whether they never end, so that [`Options::passing_tests`](crate::Options::passing_tests) says how
    /// many are enough.
    pub fn is_random(self) -> bool {
        !matches!(self, Self::W { .. } | Self::Wp { .. } | Self::Components { .. } | Self::External)
    }

    /// Whether there are any words.
    pub(crate) const fn has_words(self) -> bool {
        !matches!(self, Self::External)
    }
}
