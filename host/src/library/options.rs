//! How a program has a device learned.

use std::path::PathBuf;
use std::time::Duration;

use crate::confidence;
use crate::machine::Machine;

/// How to learn, how long to test, and when to give up.
///
/// ```
/// use std::time::Duration;
/// use mealybug::LearnOptions;
///
/// let night = LearnOptions::new().confidence(0.99).max_time(Duration::from_secs(8 * 3600));
/// let with_a_good_session = LearnOptions::new().words(["1 2 enter close"]);
/// ```
#[derive(Clone, Debug)]
pub struct LearnOptions {
    pub(super) confidence: f64,
    pub(super) seed: u64,
    pub(super) words: Vec<String>,
    pub(super) like: Vec<Machine>,
    pub(super) max_symbols: Option<u64>,
    pub(super) max_time: Option<Duration>,
    pub(super) retries: u32,
    pub(super) answers: Option<PathBuf>,
}

impl LearnOptions {
    /// Tests until the estimated chance that the model is wrong is at most 1 in 20, without any limit.
    pub const fn new() -> Self {
        Self {
            confidence: confidence::DEFAULT,
            seed: 0,
            words: Vec::new(),
            like: Vec::new(),
            max_symbols: None,
            max_time: None,
            retries: 0,
            answers: None,
        }
    }

    /// Tests until the estimated chance that the model is right is at least this, 0.95 by default.
    ///
    /// # Panics
    /// If it is not between 0 and 1.
    #[must_use]
    pub fn confidence(self, confidence: f64) -> Self {
        assert!(0.0 < confidence && confidence < 1.0, "a confidence is between 0 and 1");
        Self { confidence, ..self }
    }

    /// The seed of the random tests, 0 by default. The same seed asks the same words.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Words that test every hypothesis, before all others: names of inputs with blanks between them, as
    /// in `1 2 enter`. A good session finds what random tests do not, such as what a password opens.
    #[must_use]
    pub fn words(mut self, words: impl IntoIterator<Item: Into<String>>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    /// The model of an older version of the device: what it says is asked first, and never believed.
    #[must_use]
    pub fn like(mut self, older: Machine) -> Self {
        self.like.push(older);
        self
    }

    /// Gives up after this many input symbols, which are the same on each run.
    #[must_use]
    pub fn max_symbols(self, symbols: u64) -> Self {
        Self { max_symbols: Some(symbols), ..self }
    }

    /// Gives up after this time.
    #[must_use]
    pub fn max_time(self, time: Duration) -> Self {
        Self { max_time: Some(time), ..self }
    }

    /// How often a word is asked again when the device fails or contradicts itself. By default never: a
    /// program does neither. For hardware 20 is a good number.
    #[must_use]
    pub fn retries(self, retries: u32) -> Self {
        Self { retries, ..self }
    }

    /// A file that keeps every answer before the learner sees it. The next run over the same file asks
    /// nothing that the device has answered.
    #[must_use]
    pub fn answers(self, file: impl Into<PathBuf>) -> Self {
        Self { answers: Some(file.into()), ..self }
    }
}

impl Default for LearnOptions {
    fn default() -> Self {
        Self::new()
    }
}
