//! The kinds of tests that try a hypothesis.

mod names;

pub use names::ParseTestsError;

/// Whether there are the tests that need the feature `mixture`.
pub(crate) const HAS_ALL: bool = cfg!(feature = "mixture");

/// The kinds of tests in the mixture.
pub const MIXTURE_KINDS: [Tests; 3] = [Tests::Systematic, Tests::Splice, Tests::Coverage];

/// Which words test a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Tests {
    /// A mixture of the three that follow, the larger share for what finds more. Each test of these ends
    /// with a word that tells the state reached from several others, if any can.
    Mixture,
    /// Every state with every infix of one input, each once, in random order; then with those of two
    /// inputs, and so on.
    Systematic,
    /// The access sequence of a random state, one or two random inputs, then the end of another
    /// state's access sequence.
    Splice,
    /// From a random state on the inputs that were tried least there after the input before, 20 on
    /// average; where a reset is dear several such walks. They need 512 bytes of memory.
    Coverage,
    /// Random words of the Wp-method: the access sequence of a random state, 2 random inputs and 10
    /// more on average, then a suffix that tells all states apart or one that tells the state
    /// reached from another.
    ///
    /// Fujiwara, v. Bochmann, Khendek, Amalou, Ghedamsi, *Test selection based on finite state
    /// models*, IEEE TSE 17(6), 1991; randomised with the parameters of the paper's experiments.
    RandomWp,
    /// Random words, of 20 inputs on average.
    RandomWords,
    /// The W-method's complete suite for so many extra states: a device that passes is the hypothesis if
    /// each of its states is reached by the access sequence of a state of the hypothesis and at most so
    /// many inputs after it. With at most so many states more than the hypothesis each is.
    ///
    /// Chow, *Testing software design modeled by finite-state machines*, IEEE TSE 4(3), 1978;
    /// Vasilevskii, *Failure diagnosis of automata*, Kibernetika 9(4), 1973.
    W {
        /// States that the device may have beyond those of the hypothesis.
        extra_states: u32,
    },
    /// The Wp-method's complete suite for so many extra states, with the same promise.
    Wp {
        /// States that the device may have beyond those of the hypothesis.
        extra_states: u32,
    },
    /// The complete suites of all components at once, for so many extra states of each: Wp-method's
    /// words that begin with the short rows, which reach every state of every component, and not with
    /// the states of the product, of which there can be far more.
    ///
    /// A device that passes is the hypothesis if each of its projections has at most so many states more
    /// than the component, or if each of the device's states is reached by a short row's word and at most so
    /// many inputs after it. Neither this promise nor that of [`Tests::Wp`] implies the other: one more
    /// state in a device can be many in a projection, and one more in each projection can be many in
    /// the device.
    Components {
        /// States that each projection of the device may have beyond those of the component.
        extra_states: u32,
    },
    /// None: the caller answers [`Action::Hypothesis`](crate::Action::Hypothesis).
    External,
}

impl Tests {
    /// What is best where nothing else is said, of those that are supported.
    pub const DEFAULT: Self = if HAS_ALL { Self::Mixture } else { Self::RandomWp };

    /// Whether these tests are supported: some need the feature `mixture`.
    pub fn is_supported(self) -> bool {
        let is_extra = matches!(self, Self::Mixture | Self::Components { .. });
        HAS_ALL || !is_extra && !MIXTURE_KINDS.contains(&self)
    }

    /// Whether there is no end of them, so that the options say how many are enough.
    pub fn is_random(self) -> bool {
        !matches!(self, Self::W { .. } | Self::Wp { .. } | Self::Components { .. } | Self::External)
    }

    /// Whether there are any words.
    pub(crate) const fn has_words(self) -> bool {
        !matches!(self, Self::External)
    }
}
